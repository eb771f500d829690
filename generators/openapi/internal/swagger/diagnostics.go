package swagger

import (
	"fmt"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

const (
	maxDiagnostics = 50
	maxQuoted      = 80 // bytes of the source quoted in a message
)

// A diagnoser collects diagnostics about the value that it is at.
type diagnoser struct {
	path  []string // unescaped tokens of the JSON Pointer
	diags []framework.Diagnostic
}

func (d *diagnoser) enter(tokens ...string) { d.path = append(d.path, tokens...) }

func (d *diagnoser) leave(n int) { d.path = d.path[:len(d.path)-n] }

func (d *diagnoser) pointer() string {
	var b strings.Builder
	for _, t := range d.path {
		b.WriteByte('/')
		b.WriteString(escape(t))
	}
	return b.String()
}

func (d *diagnoser) note(sev framework.Severity, rule, format string, args ...any) {
	if len(d.diags) == maxDiagnostics {
		return
	}
	d.diags = append(d.diags, framework.Diagnostic{
		Severity: sev, Rule: rule, Pointer: d.pointer(), Message: fmt.Sprintf(format, args...),
	})
}

// wrongType notes that a member of the value is left out.
func (d *diagnoser) wrongType(name string) {
	d.enter(name)
	d.note(framework.Warning, "type", "%q has a value of the wrong type: left out", shorten(name))
	d.leave(1)
}

func shorten(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	return strings.ToValidUTF8(s[:maxQuoted], "") + "…"
}
