package ledger_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/internal/ledger"
)

const bookshop, harbour = "../../examples/bookshop/openapi.yaml", "../../generators/openapi/testdata/harbour.yaml"

// A shelf is the skills of a document, with what the ledger says of each of
// them as it is.
type shelf struct {
	doc    *ledger.Document
	skills map[string]ledger.Skill
	before map[string]map[string]int
}

func newShelf(t *testing.T, file string) *shelf {
	s := &shelf{read(t, file), map[string]ledger.Skill{}, map[string]map[string]int{}}
	skills(t, file, "", func(skill ledger.Skill) {
		name := strings.Split(skill.URI, "/")
		s.skills[name[len(name)-2]] = skill
		s.before[name[len(name)-2]] = s.counts(skill)
	})
	return s
}

// counts returns how often each rule finds something in a skill alone.
func (s *shelf) counts(skill ledger.Skill) map[string]int {
	l := ledger.New(s.doc)
	counts := map[string]int{}
	for _, f := range l.Add(skill) {
		counts[f.Rule]++
	}
	for _, f := range l.Holes() {
		if f.Skill != "" { // else of the other operations
			counts[f.Rule]++
		}
	}
	return counts
}

// change returns the rules that find something after a change of a file, and
// did not before.
func (s *shelf) change(t *testing.T, name, file string, change func(text string) string) []string {
	t.Helper()
	skill, ok := s.skills[name]
	if !ok {
		t.Fatalf("no skill %s", name)
	}
	changed := ledger.Skill{URI: skill.URI, Files: slices.Clone(skill.Files)}
	i := slices.IndexFunc(changed.Files, func(f ledger.File) bool { return f.Name == file })
	if i < 0 {
		t.Fatalf("%s has no file %s", name, file)
	}
	text := change(string(changed.Files[i].Content))
	if text == string(changed.Files[i].Content) {
		t.Fatalf("nothing to change in %s of %s", file, name)
	}
	changed.Files[i].Content = []byte(text)
	var rules []string
	for rule, n := range s.counts(changed) {
		for range n - s.before[name][rule] {
			rules = append(rules, rule)
		}
	}
	slices.Sort(rules)
	return rules
}

// TestPlantedFaultIsFound changes a rendered skill in one place, which must
// give exactly that finding.
func TestPlantedFaultIsFound(t *testing.T) {
	shelves := map[string]*shelf{"bookshop": newShelf(t, bookshop), "harbour": newShelf(t, harbour)}
	planted := map[string]bool{"operation": true, "operation-twice": true, "example": true, "reference": true} // in other tests
	for _, test := range []struct {
		rule              string // those that find it, separated by spaces
		skill, file       string
		old, new          string
		document, comment string
	}{
		{rule: "operation-pointer", skill: "place-order", old: `pointer: "/paths/~1orders/post"`, new: `pointer: "/paths/~1orders/get"`},
		{rule: "operation-unknown", skill: "place-order", old: `method: "POST"`, new: `method: "PUT"`},
		{rule: "operation-unknown", skill: "place-order", old: `path: "/orders"`, new: `path: "/order"`},
		{rule: "operation-url", skill: "place-order", old: "`POST https://", new: "`PUT https://"},
		{rule: "operation-url", skill: "place-order", old: "/v2/orders`\n", new: "/v2/order`\n"},
		{rule: "operation-url", skill: "on-price-changed", old: "sends `POST`", new: "sends `PUT`"},
		{rule: "operation-deprecated", skill: "find-books", old: "- **DEPRECATED:**", new: "- **Old:**"},
		{rule: "operation-deprecated", skill: "place-order", old: "- **Effect:**", new: "- **DEPRECATED:** yes\n- **Effect:**"},
		{rule: "parameter", skill: "place-order", old: "  dry_run: boolean", new: "  dry-run: boolean", comment: "parameter-unknown"},
		{rule: "parameter", skill: "place-order", old: "\nquery\n", new: "\ncookie\n", comment: "parameter-unknown"},
		{rule: "parameter-required", skill: "place-order", old: "  Idempotency-Key*:", new: "  Idempotency-Key:"},
		{rule: "parameter-required", skill: "place-order", old: "  dry_run:", new: "  dry_run*:"},
		{rule: "parameter-required", skill: "cancel-order", old: "  order_id*:", new: "  order_id:"},
		{rule: "parameter-twice", skill: "cancel-order", old: "  order_id*: string", new: "  order_id*: string\n  order_id*: string"},
		{rule: "parameter-unknown", skill: "place-order", old: "  dry_run:", new: "  wet_run: boolean\n  dry_run:"},
		{rule: "parameter-deprecated", skill: "place-order", old: "  dry_run: boolean", new: "  dry_run: boolean deprecated"},
		{rule: "parameter-deprecated", skill: "find-books", old: `"-1" deprecated`, new: `"-1"`},
		{rule: "type", skill: "place-order", old: "  dry_run: boolean", new: "  dry_run: string"},
		{rule: "type", skill: "cancel-order", old: "  order_id*: string", new: "  order_id*: integer"},
		{rule: "enum", skill: "find-books", old: `"1" | "-1"`, new: `"1"`},
		{rule: "enum enum", skill: "find-books", old: `"1" | "-1"`, new: "string"},
		{rule: "default", skill: "place-order", old: "  dry_run: boolean default false", new: "  dry_run: boolean default true"},
		{rule: "default", skill: "place-order", old: "  dry_run: boolean default false", new: "  dry_run: boolean"},
		{rule: "request", skill: "cancel-order", old: "body application/json: object", new: "query", comment: "parameter-unknown parameter-unknown"},
		{rule: "request-required", skill: "place-order", old: "body* application/json", new: "body application/json"},
		{rule: "request-required", skill: "cancel-order", old: "body application/json", new: "body* application/json"},
		{rule: "request-media-type", skill: "cancel-order", old: "body application/json", new: "body application/xml"},
		{rule: "request-unknown", skill: "list-orders", old: "\nquery\n", new: "\nbody: any\nquery\n"},
		{rule: "member", skill: "place-order", old: "  payment*: object", new: "  payments*: object"},
		{rule: "member-required", skill: "place-order", old: "  payment*: object", new: "  payment: object"},
		{rule: "response", skill: "cancel-order", old: "### 200 `application/json`", new: "### 201 `application/json`", comment: "response-unknown"},
		{rule: "response", skill: "place-order", old: "| 402 |", new: "| 403 |", comment: "response-unknown"},
		{rule: "response", skill: "find-books", old: "| default |", new: "| other |"},
		{rule: "response", skill: "on-price-changed", old: "| 204 |", new: "| 200 |", comment: "response-unknown"},
		{rule: "response-unknown", skill: "place-order", old: "| 402 |", new: "| 403 | No | Stop | no |\n| 402 |"},
		{rule: "response-media-type", skill: "get-job", old: "### 200 `application/json`", new: "### 200 `text/xml`"},
		{rule: "response-media-type", skill: "get-job", old: "401 and 404 are", new: "401 is"},
		{rule: "response-header", skill: "place-order", old: "  Location: string", new: "  Place: string"},
		{rule: "security", skill: "place-order", old: "  1. bearer token (JWT), `Authorization: Bearer $BOOKSHOP_STAFF_TOKEN`.\n  2.", new: "  1."},
		{rule: "security", skill: "place-order", old: "scopes `orders:read` and `orders:write`", new: "scope `orders:read`", comment: "security-unknown"},
		{rule: "security", skill: "upload-excerpt", old: "`X-Till-Key: ", new: "`X-Till: ", comment: "security-unknown"},
		{rule: "security", skill: "upload-excerpt", old: "; and API key, `X-Till-Key: $BOOKSHOP_TILL_KEY`", new: "", comment: "security-unknown"},
		{rule: "security-unknown", skill: "get-status", old: "none. Send no credentials", new: "bearer token, `Authorization: Bearer $T`"},
		{rule: "security-unknown", skill: "place-order", old: "  2. OAuth", new: "  2. bearer token, `Authorization: Bearer $T`.\n  3. OAuth"},
		{rule: "security", skill: "get-job", old: "- **Auth:** ", new: "- **Who:** "},
		{rule: "security-optional", document: "harbour", skill: "get-tide", old: "optional; the call works without credentials, too. With them: ", new: ""},
		{rule: "security-optional", skill: "get-job", old: "- **Auth:** ", new: "- **Auth:** optional; the call works without credentials, too. With them: "},
		{rule: "callback", skill: "place-order", file: "references/callbacks.md", old: "## `shipped`: POST", new: "## `shipped`: PUT"},
		{rule: "callback", skill: "place-order", file: "references/callbacks.md", old: "## `shipped`", new: "## `sent`"},
		{rule: "callback", skill: "place-order", file: "references/callbacks.md", old: "`/notify_url`", new: "`/other`"},
		{rule: "request-required", skill: "place-order", file: "references/callbacks.md", old: "body* ", new: "body "},
		{rule: "member-required", skill: "place-order", file: "references/callbacks.md", old: "carrier*:", new: "carrier:"},
		{rule: "response", skill: "place-order", file: "references/callbacks.md", old: "| 204 |", new: "| 299 |", comment: "response-unknown"},
		{rule: "example-made", skill: "place-order", file: "references/callbacks.md", old: `"carrier": "CARRIER"`, new: `"carrier": 1`},
		{rule: "example-made", skill: "place-order", file: "references/examples.md", old: `"copies": 2`, new: `"copies": 0`},
		{rule: "example-made", skill: "place-order", file: "references/examples.md", old: `"user@example.com"`, new: `"user"`, comment: "its format"},
		{rule: "example-made", skill: "place-order", file: "references/examples.md", old: "```json\n{", new: "```json\n{,"},
		{rule: "example-made", skill: "get-shelf", old: `"shelf": 0`, new: `"shelf": "0"`},
		{rule: "example-made", skill: "cancel-order", old: `"refund": "original"`, new: `"refund": "cash"`},
		{rule: "example-unannounced", skill: "place-order", old: `"copies": 2}],` + "\n" + `  "payment"`, new: `"copies": 200}],` + "\n" + `  "payment"`},
		{rule: "example-unannounced", skill: "get-job", old: `"status": "running", "done"`, new: `"status": "walking", "done"`},
		{rule: "example-unannounced", skill: "find-books", old: "=> query=slow%20tide", new: "=> query="},
		{rule: "example-made", skill: "find-books", old: "=> query=slow%20tide", new: "=> q=slow%20tide"},
	} {
		planted[strings.Fields(test.rule)[0]] = true
		t.Run(test.rule+"/"+test.skill, func(t *testing.T) {
			s, file := shelves["bookshop"], test.file
			if test.document != "" {
				s = shelves[test.document]
			}
			if file == "" {
				file = "SKILL.md"
			}
			got := s.change(t, test.skill, file, func(text string) string {
				return strings.Replace(text, test.old, test.new, 1)
			})
			want := strings.Fields(test.rule)
			for _, rule := range want {
				if !slices.Contains(ledger.Rules, rule) {
					t.Errorf("%s is not among the rules", rule)
				}
			}
			for _, also := range strings.Fields(test.comment) { // what comes with it
				if strings.Contains(also, "-unknown") {
					want = append(want, also)
				}
			}
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%q instead of %q: got %v, want %v", test.new, test.old, got, want)
			}
		})
	}
	for _, rule := range ledger.Rules {
		if !planted[rule] {
			t.Errorf("nothing is planted for the rule %s", rule)
		}
	}
}

// TestEachLineOfInputsCounts drops each line of the notation of what is sent,
// and of the headers that come back, in turn.
func TestEachLineOfInputsCounts(t *testing.T) {
	for _, file := range []string{bookshop, harbour} {
		s := newShelf(t, file)
		dropped := 0
		for name, skill := range s.skills {
			for _, f := range skill.Files {
				lines := strings.Split(string(f.Content), "\n")
				group, section, fenced := "", "", false
				for i, line := range lines {
					switch {
					case strings.HasPrefix(line, "```"):
						fenced, group = line == "```text", ""
						continue
					case !fenced && strings.HasPrefix(line, "#"):
						section = line
						continue
					case !fenced || f.Name == "references/callbacks.md":
						continue
					case !strings.HasPrefix(line, " "):
						group, _, _ = strings.Cut(strings.Replace(line, "*", "", 1), " ")
					}
					want := []string{"parameter"}
					switch top := strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "   "); {
					case top && (group == "path" || group == "query" || group == "header" || group == "cookie"):
					case top && group == "headers":
						want = []string{"response-header"}
					case top && group == "body" && section == "## Inputs" && strings.Contains(line, "*: "):
						want = []string{"member"}
					case group == "body" && section == "## Inputs" && strings.HasPrefix(line, "body"):
						want = []string{"request", "request-media-type"}
					default:
						continue
					}
					got := s.change(t, name, f.Name, func(string) string {
						return strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "\n")
					})
					if !slices.ContainsFunc(want, func(rule string) bool { return slices.Contains(got, rule) }) {
						t.Errorf("%s, %s:%d: without %q: got %v, want one of %v", name, f.Name, i+1, line, got, want)
					}
					dropped++
				}
			}
		}
		if dropped < 10 {
			t.Errorf("%s: only %d lines were dropped", file, dropped)
		}
	}
}

// TestOperationNeedsOneSkill has one skill less, and one twice.
func TestOperationNeedsOneSkill(t *testing.T) {
	s := newShelf(t, bookshop)
	l := ledger.New(s.doc)
	for name, skill := range s.skills {
		if name != "get-job" {
			l.Add(skill)
		}
	}
	var without []string
	for _, f := range l.Holes() {
		if f.Rule == "operation" {
			without = append(without, f.Pointer)
		}
	}
	if want := []string{"/paths/~1jobs~1{job_id}/get"}; !slices.Equal(without, want) {
		t.Errorf("got %q, want %q", without, want)
	}
	l.Add(s.skills["get-job"])
	var rules []string
	for _, f := range l.Add(s.skills["get-job"]) {
		rules = append(rules, f.Rule)
	}
	if fmt.Sprint(rules) != "[operation-twice]" {
		t.Errorf("a second skill: got %v", rules)
	}
	for _, f := range l.Holes() {
		if f.Rule == "operation" {
			t.Errorf("all have a skill: got %v", f)
		}
	}
}

// TestEntriesNameLinesThatHaveThem takes each parameter's entry to its line.
func TestEntriesNameLinesThatHaveThem(t *testing.T) {
	s := newShelf(t, bookshop)
	l := ledger.New(s.doc)
	files := map[string][]byte{}
	for _, skill := range s.skills {
		l.Add(skill)
		for _, f := range skill.Files {
			files[skill.URI+f.Name] = f.Content
		}
	}
	kinds := map[string]int{}
	for e := range l.Entries() {
		kinds[e.Kind]++
		lines := bytes.Split(files[e.Skill+e.File], []byte("\n"))
		if e.Line < 1 || e.Line > len(lines) {
			t.Errorf("%v is at no line", e)
			continue
		}
		want := map[string]string{"parameter": ": ", "operation": "pointer:", "request": "body", "request-media-type": "body", "callback": "## `", "response-header": "`", "security": "`"}[e.Kind]
		if e.Kind == "response-header" && bytes.HasPrefix(lines[e.Line-1], []byte("  ")) {
			want = ": "
		}
		if !bytes.Contains(lines[e.Line-1], []byte(want)) {
			t.Errorf("%v is at the line %q", e, lines[e.Line-1])
		}
	}
	for _, kind := range []string{"operation", "webhook", "parameter", "request", "request-media-type", "response", "response-media-type", "response-header", "security", "callback"} {
		if kinds[kind] == 0 {
			t.Errorf("there is no %s", kind)
		}
	}
}
