package endpoint

import (
	"testing"

	"github.com/apiskills/apiskills/generators/templates"
)

func BenchmarkViewAndRender(b *testing.B) {
	ops := load(b, "box", corpus(b, "box.json"))
	for b.Loop() {
		for _, op := range ops {
			e, _ := View(op)
			if _, err := templates.Default().RenderEndpoint(e); err != nil {
				b.Fatal(err)
			}
		}
	}
}
