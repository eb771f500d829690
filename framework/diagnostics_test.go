package framework

import (
	"slices"
	"testing"
)

func TestDiagnosticsOfMakingASkillReachTheCallerWithItsPath(t *testing.T) {
	g := memoryOf("quiet", "loud")
	own := []Diagnostic{{Severity: Error, Rule: "broken", Skill: "loud"}, {Severity: Note, Rule: "odd"}}
	g.skills["loud"].Diagnostics = own
	var got []Diagnostic
	c := catalog(t, &Options{OnDiagnostics: func(d []Diagnostic) { got = append(got, d...) }}, Mount{"api", g})
	for _, path := range []string{"api/quiet", "api/loud", "api/loud"} { // the second time it is kept
		if _, err := c.Get(t.Context(), c.URI(path)); err != nil {
			t.Fatal(err)
		}
	}
	want := []Diagnostic{{Severity: Error, Rule: "broken", Skill: "api/loud"}, {Severity: Note, Rule: "odd", Skill: "api/loud"}}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if own[1].Skill != "" {
		t.Error("the generator's own diagnostics were changed")
	}
}
