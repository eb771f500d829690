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

func TestDiagnosticsAreTextsWithoutWhatIsNotKnown(t *testing.T) {
	for want, d := range map[string]Diagnostic{
		"a.csv:3: error: no name (unusable-record)":     {Severity: Error, Rule: "unusable-record", File: "a.csv", Line: 3, Message: "no name"},
		"a.json:3#/x: warning: twice":                   {Severity: Warning, File: "a.json", Line: 3, Pointer: "/x", Message: "twice"},
		"a.json#/x: note: odd":                          {Severity: Note, File: "a.json", Pointer: "/x", Message: "odd"},
		"#/x: note: odd":                                {Severity: Note, Line: 3, Pointer: "/x", Message: "odd"},
		"error: the database is down (unusable-source)": {Severity: Error, Rule: "unusable-source", Line: 3, Message: "the database is down"},
	} {
		if got := d.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
