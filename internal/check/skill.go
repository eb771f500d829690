package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/internal/ledger"
)

// Limits of a SKILL.md (Agent Skills specification, "Progressive disclosure"),
// and the length from which it is remarked.
const (
	maxLines      = 500
	maxTokens     = 5000
	bytesPerToken = 3
	manyLines     = 120
	leadLength    = 120 // characters of a description that a short listing shows
)

const skillFile = "SKILL.md"

// An examined is what is known of a skill after it was looked at alone.
type examined struct {
	path, uri string
	name      string
	files     []ledger.File
	operation string // "METHOD path", for the skills of operations
	pointer   string // of the operation
	desc      string
	findings  []Finding
	mentions  []mention

	// Of a document with skills and files of somebody's own over it:
	made   []ledger.File // what they are laid over
	byHand bool          // there is nothing under it
}

// A mention is a URI that a skill's text has.
type mention struct {
	uri  string
	file string
	line int
}

// examine makes a skill, and looks at it alone. An error is one of the context.
func examine(ctx context.Context, catalog *framework.Catalog, skillPath string) (*examined, error) {
	x := &examined{path: skillPath, uri: catalog.URI(skillPath), name: path.Base(skillPath)}
	entry, err := catalog.Get(ctx, x.uri)
	if err != nil {
		return x.failed(ctx, err)
	}
	base := strings.TrimSuffix(x.uri, skillFile)
	for _, r := range entry.Resources {
		content, err := catalog.Read(ctx, r.URI)
		if err != nil {
			return x.failed(ctx, err)
		}
		x.files = append(x.files, ledger.File{Name: strings.TrimPrefix(r.URI, base), Content: content.Bytes})
	}
	if entry.Dynamic { // without a manifest, its directories tell which files it has now
		fsys := catalog.FS(ctx)
		err := fs.WalkDir(fsys, skillPath, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			content, err := fs.ReadFile(fsys, name)
			x.files = append(x.files, ledger.File{Name: strings.TrimPrefix(name, skillPath+"/"), Content: content})
			return err
		})
		if err != nil {
			return x.failed(ctx, err)
		}
	}
	x.frontmatter(entry.Frontmatter)
	x.size()
	x.links(catalog.Scheme())
	return x, nil
}

// underneath finds what a skill is that nobody laid a folder over. An error is one of the
// context.
func (x *examined) underneath(ctx context.Context, d *document) error {
	if d == nil || d.Made == nil {
		return nil
	}
	skill, err := d.Made.Skill(ctx, strings.TrimPrefix(x.path, d.API+"/"))
	if err != nil {
		x.byHand = errors.Is(err, framework.ErrNotFound)
		return ctx.Err()
	}
	for _, f := range skill.Files {
		content, err := f.Content(ctx)
		if err != nil {
			return ctx.Err()
		}
		x.made = append(x.made, ledger.File{Name: f.Name, Content: content})
	}
	return nil
}

// failed reports a skill that cannot be made.
func (x *examined) failed(ctx context.Context, err error) (*examined, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	first, _, _ := strings.Cut(err.Error(), "\n") // below it a panic has its stack
	rule := "skill-failed"
	for _, about := range []string{"frontmatter", "SKILL.md", "description must", "metadata", "compatibility must", "is not 1 to 64"} {
		if strings.Contains(first, about) {
			rule = "skill-invalid"
		}
	}
	x.report(rule, "", 0, "%s", first)
	return x, nil
}

func (x *examined) report(rule, file string, line int, message string, args ...any) {
	r, _ := Find(rule)
	x.findings = append(x.findings, Finding{
		Rule: rule, Severity: r.Severity, Pointer: x.pointer, File: file, Line: line, Skill: x.uri,
		Message: fmt.Sprintf(message, args...), inSkill: true,
	})
}

func (x *examined) file(name string) []byte {
	i := slices.IndexFunc(x.files, func(f ledger.File) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return x.files[i].Content
}

// frontmatter checks what the specification does not ask for, and a host needs.
func (x *examined) frontmatter(f *framework.Frontmatter) {
	x.desc = f.Description
	var fields struct {
		Metadata map[string]string `json:"metadata"`
	}
	_ = json.Unmarshal(f.JSON, &fields) // the catalog has seen to it that it is so
	m := fields.Metadata
	x.pointer = m["pointer"]
	for _, w := range f.Warnings {
		x.report("frontmatter-ambiguous", skillFile, 1, "%s", w)
	}
	method, address := m["method"], m["path"]
	if hook := m["webhook"]; hook != "" {
		address = hook
	}
	if method == "" || address == "" {
		return
	}
	// What looks like a tag is encoded in a description.
	x.operation = method + " " + strings.NewReplacer("<", "%3C", ">", "%3E").Replace(address)
	lead := f.Description
	if n := utf8.RuneCountInString(lead); n > leadLength {
		lead = string([]rune(lead)[:leadLength])
	}
	// A long path is cut by the listing, not by the description.
	at := strings.Index(f.Description, method+" ")
	for at >= 0 && !strings.HasPrefix(f.Description[at:], x.operation) {
		next := strings.Index(f.Description[at+1:], method+" ")
		if next < 0 {
			at = -1
			break
		}
		at += 1 + next
	}
	fits := utf8.RuneCountInString(x.operation) <= leadLength*2/3
	if at < 0 || fits && !strings.Contains(lead, x.operation) {
		x.report("description-lead", skillFile, lineOf(x.file(skillFile), "description:"),
			"the first %d characters of the description do not have %q", leadLength, short(x.operation))
	}
}

// lineOf returns the line that begins with a text, 0 if there is none.
func lineOf(data []byte, prefix string) int {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if bytes.HasPrefix(line, []byte(prefix)) {
			return n
		}
	}
	return 0
}

// size checks the length of SKILL.md without its frontmatter.
func (x *examined) size() {
	text := x.file(skillFile)
	body := text[bodyStart(text):]
	lines := bytes.Count(body, []byte{'\n'})
	switch {
	case lines > maxLines:
		x.report("skill-too-long", skillFile, 0, "the body has %d lines, more than %d", lines, maxLines)
	case lines > manyLines:
		x.report("skill-long", skillFile, 0, "the body has %d lines", lines)
	}
	if tokens := (len(body) + bytesPerToken - 1) / bytesPerToken; tokens > maxTokens {
		x.report("skill-too-many-tokens", skillFile, 0, "the body has about %d tokens (%d bytes, at %d a token), more than %d",
			tokens, len(body), bytesPerToken, maxTokens)
	}
}

// bodyStart returns where the Markdown below the frontmatter begins.
func bodyStart(text []byte) int {
	if !bytes.HasPrefix(text, []byte("---\n")) {
		return 0
	}
	end := bytes.Index(text, []byte("\n---\n"))
	if end < 0 {
		return 0
	}
	return end + len("\n---\n")
}
