package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
)

func sample() *Report {
	return &Report{Documents: []DocumentReport{
		{Name: "a b.yaml", API: "a", Skills: 2, Findings: []Finding{
			{Rule: "twin-name", Severity: framework.Warning, Pointer: "/paths/~1x/get", File: "a b.yaml", Line: 7, Skill: "skill://a/x/y/SKILL.md", Message: "named <twice>\n\u202eor more"},
			{Rule: "broken-link", Severity: framework.Error, File: "references/m.md", Line: 3, Skill: "skill://a/x/y/SKILL.md", Message: "leads nowhere", inSkill: true},
			{Rule: "budget", Severity: framework.Note, File: "a b.yaml", Message: "not expanded"},
			{Rule: "budget", Severity: framework.Note, File: "a b.yaml", Message: "nor this"},
		}},
		{Name: "https://api.example/openapi.json?...", API: "b", Skills: 1},
	}}
}

func TestTextIsGroupedBySideAndHasNumbers(t *testing.T) {
	var b strings.Builder
	if err := sample().WriteText(&b, &TextOptions{Most: 1}); err != nil {
		t.Fatal(err)
	}
	want := `a b.yaml
  What the document's author can mend:
    a b.yaml:7 /paths/~1x/get: warning: named <twice> \u202eor more (twin-name)
    a b.yaml: note: not expanded (budget)
    ... more that --verbose prints:
           1  budget
  Faults of this program, which are to be reported:
    skill://a/x/y/references/m.md:3: error: leads nowhere (broken-link)

1 error, 1 warning, 2 notes in 2 documents, 3 skills
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestTheTextOfOthersIsNoFaultOfThisProgram(t *testing.T) {
	r := sample()
	r.Documents[0].written = true
	var b strings.Builder
	if err := r.WriteText(&b, &TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "this program") || !strings.Contains(b.String(), "  In the text of the skills:\n    skill://a/x/y/references/m.md:3: error: leads nowhere") {
		t.Errorf("got\n%s", &b)
	}
}

func TestEachFindingInJSONHasAllMembers(t *testing.T) {
	for _, report := range []*Report{sample(), {}} {
		var b bytes.Buffer
		if err := report.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		var got map[string][]map[string]any
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatalf("%v\n%s", err, &b)
		}
		n := 0
		for range report.Findings() {
			n++
		}
		if got["findings"] == nil || len(got) != 1 || len(got["findings"]) != n {
			t.Errorf("%s", &b)
		}
		for _, f := range got["findings"] {
			var members []string
			for m := range f {
				members = append(members, m)
			}
			slices.Sort(members)
			if fmt.Sprint(members) != "[file line message pointer rule severity skill]" {
				t.Errorf("members %v", members)
			}
		}
	}
}

// TestSARIFIsWhatReadersExpect checks what SARIF 2.1.0 demands of the parts that
// are written: sections 3.13 (log), 3.14 (run), 3.19 (driver), 3.27 (result),
// 3.28 (location), 3.49 (rule).
func TestSARIFIsWhatReadersExpect(t *testing.T) {
	var b bytes.Buffer
	if err := sample().WriteSARIF(&b, "v1"); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct {
						ID                                      string
						ShortDescription, FullDescription, Help struct{ Text string }
						DefaultConfiguration                    struct{ Level string }
					}
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation *struct {
						ArtifactLocation struct{ URI string }
						Region           *struct{ StartLine int }
					}
					LogicalLocations []struct{ FullyQualifiedName, Kind string }
				}
				PartialFingerprints map[string]string
			}
		}
	}
	dec := json.NewDecoder(&b)
	if err := dec.Decode(&log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || !strings.Contains(log.Schema, "sarif-2.1.0") || len(log.Runs) != 1 {
		t.Fatalf("%q, %q, %d runs", log.Version, log.Schema, len(log.Runs))
	}
	run := log.Runs[0]
	rules := run.Tool.Driver.Rules
	if run.Tool.Driver.Name != "apiskills" || len(rules) != len(table) {
		t.Errorf("driver %q with %d rules", run.Tool.Driver.Name, len(rules))
	}
	levels := []string{"none", "note", "warning", "error"}
	for _, r := range rules {
		if r.ID == "" || r.ShortDescription.Text == "" || r.FullDescription.Text == "" || r.Help.Text == "" || !slices.Contains(levels, r.DefaultConfiguration.Level) {
			t.Errorf("rule %+v", r)
		}
	}
	var got []string
	prints := map[string]bool{}
	for _, r := range run.Results {
		if rules[r.RuleIndex].ID != r.RuleID || !slices.Contains(levels, r.Level) || r.Message.Text == "" || len(r.Locations) != 1 {
			t.Errorf("result %+v", r)
		}
		prints[r.PartialFingerprints["finding/v1"]] = true
		l := r.Locations[0]
		line := 0
		if l.PhysicalLocation.Region != nil {
			line = l.PhysicalLocation.Region.StartLine
		}
		got = append(got, fmt.Sprint(r.RuleID, " ", l.PhysicalLocation.ArtifactLocation.URI, " ", line, " ", l.LogicalLocations))
	}
	want := []string{
		"twin-name a%20b.yaml 7 [{/paths/~1x/get value} {skill://a/x/y/SKILL.md resource}]",
		"broken-link skill://a/x/y/references/m.md 3 [{skill://a/x/y/SKILL.md resource}]",
		"budget a%20b.yaml 0 []",
		"budget a%20b.yaml 0 []",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(prints) != 4 {
		t.Errorf("fingerprints: %v", prints)
	}
}

func TestMoreFindingsThanAreKeptAreCounted(t *testing.T) {
	c := newCollection(nil)
	for i := range maxFindings + 5 {
		c.add(Finding{Rule: "budget", Severity: framework.Note, Message: fmt.Sprint(i)})
	}
	list := c.finish()
	if len(list) != maxFindings+1 || !slices.ContainsFunc(list, func(f Finding) bool { return strings.Contains(f.Message, "5 more findings of this rule") }) {
		t.Errorf("%d findings", len(list))
	}
}

// The rules of other kinds are all of one name here, which is the one that is turned off.
func TestRulesOfOtherKindsAreTurnedOffTogether(t *testing.T) {
	for rule, want := range map[string]int{otherRule: 0, "broken-link": 1} {
		c := newCollection(map[string]bool{rule: true})
		c.add(Finding{Rule: "service-name", Severity: framework.Error, Message: "it has none"})
		if got := len(c.finish()); got != want {
			t.Errorf("without the rule %q there are %d findings, want %d", rule, got, want)
		}
	}
}
