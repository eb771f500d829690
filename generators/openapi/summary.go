package openapi

import (
	"context"
	"iter"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// maxSummary bounds the text of a summary, in bytes.
const maxSummary = 1024

// Summaries implements framework.Summarizer: the text is the call, the operationId
// and the document's words on it.
func (g *Generator) Summaries(ctx context.Context) iter.Seq2[framework.Summary, error] {
	return func(yield func(framework.Summary, error) bool) {
		for _, e := range g.entries {
			if err := ctx.Err(); err != nil {
				yield(framework.Summary{}, err)
				return
			}
			text := "guide " + g.api
			if e.op != guideEntry {
				op := &g.ops[e.op]
				words := []string{op.Method, op.Path, op.Webhook, op.OperationID}
				members(g.doc.Raw(op), func(name string, v []byte) bool {
					if name == "summary" || name == "description" {
						words = append(words, g.words(v))
					}
					return true
				})
				text = strings.Join(words, " ")
			}
			if len(text) > maxSummary {
				text = strings.ToValidUTF8(text[:maxSummary], "")
			}
			if !yield(framework.Summary{Path: e.path, Text: text}, nil) {
				return
			}
		}
	}
}
