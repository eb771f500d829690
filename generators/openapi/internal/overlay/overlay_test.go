package overlay

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
)

// actions makes an overlay of version 1.1.0 of YAML lines.
func actions(lines ...string) File {
	text := "overlay: 1.1.0\ninfo: {title: Test, version: 1}\nactions:\n"
	for _, l := range lines {
		text += "  - " + l + "\n"
	}
	return File{"o.yaml", []byte(text)}
}

func TestActionsChangeWhatTheySelect(t *testing.T) {
	for _, tt := range []struct{ name, document, action, want string }{
		{"update merges objects member by member", `{a: {b: 1, c: {d: 2}}}`, `{target: $.a, update: {c: {e: 3}, f: 4}}`, `{"a":{"b":1,"c":{"d":2,"e":3},"f":4}}`},
		{"update replaces primitives in an object", `{a: {b: 1, c: x}}`, `{target: $, update: {a: {b: two, c: null}}}`, `{"a":{"b":"two","c":null}}`},
		{"update replaces a selected primitive", `{a: {b: 1}}`, `{target: $.a.b, update: 1.50}`, `{"a":{"b":1.50}}`},
		{"update appends an object to an array", `{a: [{n: 1}]}`, `{target: $.a, update: {n: 2}}`, `{"a":[{"n":1},{"n":2}]}`},
		{"update appends a primitive to an array", `{a: []}`, `{target: $.a, update: x}`, `{"a":["x"]}`},
		{"update concatenates arrays", `{a: [1]}`, `{target: $.a, update: [2, [3]]}`, `{"a":[1,2,[3]]}`},
		{"update concatenates arrays within objects", `{a: {b: [1]}}`, `{target: $.a, update: {b: [2]}}`, `{"a":{"b":[1,2]}}`},
		{"null gives way", `{a: null}`, `{target: $, update: {a: {b: 1}}}`, `{"a":{"b":1}}`},
		{"wildcard", `{p: {x: {get: {}}, y: {get: {}, put: {}}}}`, `{target: $.p.*.get, update: {s: true}}`, `{"p":{"x":{"get":{"s":true}},"y":{"get":{"s":true},"put":{}}}}`},
		{"descendants, each once", `{a: {t: [1], a: {t: [2]}}}`, `{target: '$..a..t', update: 9}`, `{"a":{"a":{"t":[2,9]},"t":[1,9]}}`},
		{"a value selected twice changes once", `{a: [1]}`, `{target: "$['a','a']", update: 2}`, `{"a":[1,2]}`},
		{"nested targets both change", `{a: [[[]]]}`, `{target: '$..*', update: x}`, `{"a":[[["x"],"x"],"x"]}`},
		{"filter on members", `{p: [{name: f, in: query}, {name: f, in: path}]}`, `{target: "$.p[?@.name == 'f' && @.in == 'query']", update: {z: 1}}`, `{"p":[{"in":"query","name":"f","z":1},{"in":"path","name":"f"}]}`},
		{"filter on existence and numbers", `{p: {a: {n: 3}, b: {n: 1}, c: {}}}`, `{target: '$.p[?@.n >= 2]', remove: true}`, `{"p":{"b":{"n":1},"c":{}}}`},
		{"filter by regular expression", `{p: {a: {id: listPets}, b: {id: addPet}}}`, `{target: "$.p[?match(@.id, 'list.*')]", remove: true}`, `{"p":{"b":{"id":"addPet"}}}`},
		{"filter with a root query", `{w: x, p: [{k: x}, {k: y}]}`, `{target: '$.p[?@.k == $.w]', remove: true}`, `{"p":[{"k":"y"}],"w":"x"}`},
		{"filter on a nested filter", `{p: {a: {get: {t: [paged]}}, b: {get: {t: []}}}}`, `{target: "$.p[?@.get.t[?@ == 'paged']].get", update: {s: 1}}`, `{"p":{"a":{"get":{"s":1,"t":["paged"]}},"b":{"get":{"t":[]}}}}`},
		{"remove a member", `{a: {b: 1, c: 2}}`, `{target: $.a.b, remove: true}`, `{"a":{"c":2}}`},
		{"remove several elements", `{a: [0, 1, 2, 3, 4]}`, `{target: '$.a[1,3,-1]', remove: true}`, `{"a":[0,2]}`},
		{"remove by slice backwards", `{a: [0, 1, 2, 3]}`, `{target: '$.a[::-2]', remove: true}`, `{"a":[0,2]}`},
		{"remove nested values", `{a: [[1], 2]}`, `{target: '$.a..*', remove: true}`, `{"a":[]}`},
		{"remove wins over update", `{a: 1, b: 2}`, `{target: $.a, remove: true, update: 5}`, `{"b":2}`},
		{"remove false is no removal", `{a: {}}`, `{target: $.a, remove: false, update: {b: 1}}`, `{"a":{"b":1}}`},
		{"copy merges one value into others", `{a: {x: [1]}, b: {x: [2]}, c: {}}`, `{target: "$['b','c']", copy: $.a}`, `{"a":{"x":[1]},"b":{"x":[2,1]},"c":{"x":[1]}}`},
		{"copy into itself", `{a: {b: {}}}`, `{target: $.a.b, copy: $.a}`, `{"a":{"b":{"b":{}}}}`},
		{"copy appends", `{a: [1], b: {c: 1}}`, `{target: $.a, copy: $.b}`, `{"a":[1,{"c":1}],"b":{"c":1}}`},
		{"names need escapes", `{'/a~b/{c}': {}}`, `{target: "$['/a~b/{c}']", update: {d: "<&>"}}`, `{"/a~b/{c}":{"d":"<&>"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, diags, err := Apply("d.yaml", []byte(tt.document), []File{actions(tt.action)})
			if err != nil || len(diags) > 0 {
				t.Fatal(err, diags)
			}
			if s := strings.TrimSpace(string(got)); s != tt.want {
				t.Errorf("\ngot  %s\nwant %s", s, tt.want)
			}
		})
	}
}

func TestActionsWorkOnWhatEarlierOnesLeft(t *testing.T) {
	first := actions(`{target: $.paths, update: {/new: {}}}`, `{target: "$.paths['/new']", copy: "$.paths['/old']"}`, `{target: "$.paths['/old']", remove: true}`)
	second := actions(`{target: "$.paths['/new'].get", update: {summary: Moved}}`)
	got, diags, err := Apply("d.yaml", []byte("paths: {/old: {get: {summary: Old}}}"), []File{first, second})
	if err != nil || len(diags) > 0 {
		t.Fatal(err, diags)
	}
	if want := `{"paths":{"/new":{"get":{"summary":"Moved"}}}}`; strings.TrimSpace(string(got)) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnActionThatSelectsNothingIsReported(t *testing.T) {
	got, diags, err := Apply("d.yaml", []byte("a: 1"), []File{actions(`{target: $.b, update: 1}`, `{target: $.a, update: 2}`, `{target: $, copy: $.c}`)})
	if err != nil || strings.TrimSpace(string(got)) != `{"a":2}` {
		t.Fatalf("%s, %v", got, err)
	}
	if len(diags) != 2 {
		t.Fatalf("%d diagnostics, want 2: %v", len(diags), diags)
	}
	for i, want := range []string{"/actions/0", "/actions/2"} {
		if d := diags[i]; d.Rule != "overlay-no-match" || d.File != "o.yaml" || d.Pointer != want {
			t.Errorf("got %+v, want pointer %s", d, want)
		}
	}
}

func TestFaultyOverlaysAreErrorsWithFileAndLine(t *testing.T) {
	const head = "overlay: 1.1.0\ninfo:\n  title: T\n  version: '1'\n"
	for _, tt := range []struct{ name, overlay, want string }{
		{"empty", " \n", "o.yaml: the file is empty; an OpenAPI Overlay"},
		{"broken", "overlay: [\n", "o.yaml:"},
		{"no object", "- 1\n", "o.yaml:1: the overlay is an array"},
		{"an OpenAPI document", "openapi: 3.1.0\n", `o.yaml:1: /openapi: unknown field "openapi"; known here: overlay, info`},
		{"no version", "info: {}\n", "o.yaml:1: has no version"},
		{"version to come", "overlay: 1.2.0\n", `o.yaml:1: /overlay: version "1.2.0" is not served`},
		{"no info", "overlay: 1.0.0\nactions: []\n", "o.yaml:1: /info: info must have"},
		{"no actions", head + "actions: []\n", "o.yaml:5: /actions: actions must be an array with one"},
		{"no target", head + "actions:\n  - update: 1\n", "o.yaml:6: /actions/0/target: must be a JSONPath query"},
		{"misspelt field", head + "actions:\n  - target: $\n    upate: {}\n", `o.yaml:7: /actions/0/upate: unknown field "upate"; known here: target, description, update, remove, copy`},
		{"nothing to do", head + "actions:\n  - target: $\n", "o.yaml:6: /actions/0: the action does nothing; give it one of update, remove, copy"},
		{"copy of the older version", strings.Replace(head, "1.1.0", "1.0.0", 1) + "actions:\n  - target: $\n    copy: $.a\n", `o.yaml:7: /actions/0/copy: unknown field "copy"; known here: target, description, update, remove`},
		{"update and copy", head + "actions:\n  - target: $\n    copy: $.a\n    update: {}\n", "o.yaml:6: /actions/0: update and copy in one action"},
		{"remove that is no truth value", head + "actions:\n  - target: $.a\n    remove: 'yes'\n", "o.yaml:7: /actions/0/remove: remove must be true or false, not a string"},
		{"no query", head + "actions:\n  - target: paths\n    remove: true\n", `o.yaml:6: /actions/0/target: "paths" is no JSONPath query of RFC 9535: unexpected identifier at position 1`},
		{"the document", head + "actions:\n  - target: $\n    remove: true\n", "o.yaml:6: /actions/0/target: the document itself cannot be removed"},
		{"incompatible", head + "actions:\n  - target: $.a\n    update: {}\n  - target: $\n    update: {a: {b: [1]}}\n", `o.yaml:8: /actions/1: "/a/b" is an object, which cannot be updated with an array; remove it first`},
		{"mixed kinds", head + "actions:\n  - target: $.a.*\n    update: {}\n", `o.yaml:6: /actions/0: "$.a.*" selects both an object and a number; select one kind`},
		{"copy of several", head + "actions:\n  - target: $.a\n    copy: $.a.*\n", `o.yaml:6: /actions/0: "$.a.*" selects 2 values; copy takes one`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := Apply("d.yaml", []byte("a: {b: {}, c: 1}"), []File{{"o.yaml", []byte(tt.overlay)}})
			var e *ingest.Error
			if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("\ngot  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestHostileOverlaysEndInAnError(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 60) + strings.Repeat(`]}`, 60)
	wide := `{"l":[` + strings.TrimSuffix(strings.Repeat(`{"k":"v","m":[1,2,3]},`, 5000), ",") + `]}`
	double := make([]string, 60)
	for i := range double {
		double[i] = fmt.Sprintf(`{target: $, update: {c%d: {}}}`, i)
	}
	doubling := append(double, double...)
	for i := range 60 {
		doubling[60+i] = fmt.Sprintf(`{target: $.c%d, copy: $}`, i)
	}
	for _, tt := range []struct {
		name, document string
		overlay        File
		want           string
	}{
		{"descendants of descendants", wide, actions(`{target: '$` + strings.Repeat("..*", 12) + `', remove: true}`), ""},
		{"descendants in a deep document", strings.Replace(deep, "[]", "["+strings.Repeat("[],", 500)+"[]]", 1), actions(`{target: '$` + strings.Repeat("..[*,*]", 12) + `', remove: true}`), "too many values"},
		{"repeated selectors", wide, actions(`{target: '$` + strings.Repeat("[*,*,*,*]", 30) + `', remove: true}`), ""},
		{"repeated names", deep, actions(`{target: "$` + strings.Repeat("['a','a','a','a'][0,0,0,0]", 20) + `", remove: true}`), "too many values"},
		{"a walk for each value", wide, actions(`{target: '$..[?count($..*) > 1]', remove: true}`), "too many values"},
		{"walks for walks", wide, actions(`{target: '$..[?@..[?$..x]]', remove: true}`), "too costly"},
		{"two roots", wide, actions(`{target: '$.l[?$.l[?$.l.*]]', remove: true}`), "too costly"},
		{"a regular expression for each value", wide, actions(`{target: "$..[?search(@, '(a+)+b')]", update: 1}`, `{target: "$..[?search(@, '(a+)+b')]", update: 1}`, `{target: "$..[?search(@, '(a+)+b')]", update: 1}`), "too many values"},
		{"a document that doubles", `{"x":"` + strings.Repeat("x", 1000) + `"}`, actions(doubling...), "more than 16 MiB"},
		{"much for many", wide, actions(`{target: '$.l.*', update: {x: "` + strings.Repeat("x", 20000) + `"}}`), "more than 16 MiB"},
		{"a long query", wide, actions(`{target: "$` + strings.Repeat(".l", 3000) + `", remove: true}`), "longer than the limit"},
		{"a filter that has no second string", wide, actions(`{target: "$.l[?match(@.k, @.none)]", remove: true}`), ""},
		{"nested parentheses", wide, actions(`{target: "$.l[?` + strings.Repeat("(", 1900) + "@.k" + strings.Repeat(")", 1900) + `]", remove: true}`), ""},
		{"many aliases", wide, File{"o.yaml", []byte("overlay: 1.1.0\ninfo: {title: T, version: 1}\nx-a: &a [1,1,1,1,1,1,1,1,1]\nx-b: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nx-c: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nx-d: &d [*c,*c,*c,*c,*c,*c,*c,*c]\nx-e: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nx-f: &f [*e,*e,*e,*e,*e,*e,*e,*e]\nx-g: [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\nactions: [{target: $, update: {}}]\n")}, "aliases"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := Apply("d.json", []byte(tt.document), []File{tt.overlay})
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %.300v, want %s", err, tt.want)
			}
		})
	}
	if _, _, err := Apply("d.json", []byte("{}"), make([]File, MaxFiles+1)); err == nil {
		t.Error("any number of overlays is taken")
	}
	if _, _, err := Apply("d.json", []byte("{}"), []File{{"o.yaml", make([]byte, MaxSize+1)}}); err == nil {
		t.Error("an overlay of any size is taken")
	}
}

func TestTheOutcomeIsTheSameEachTime(t *testing.T) {
	document := []byte(`{"p":{"a":{"t":[]},"b":{"t":[1]},"c":{"t":[2]}},"q":[[],[[]]]}`)
	o := actions(`{target: '$..t', update: [x]}`, `{target: '$.q..*', update: y}`)
	first, _, err := Apply("d", document, []File{o})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if again, _, _ := Apply("d", document, []File{o}); !bytes.Equal(first, again) {
			t.Fatalf("%s, then %s", first, again)
		}
	}
}

func FuzzApply(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1,{"c":null}]}}`), actions(`{target: '$..*', update: {d: 1}}`, `{target: '$.a[?@.c]', remove: true}`).Data)
	f.Add([]byte("a: [1, 2]"), actions(`{target: $.a, copy: '$.a[0]'}`, `{target: "$['a','a'][::-1]", remove: true}`).Data)
	f.Add([]byte("{}"), actions(`{target: "$[?match(@, $.a) || count($..*) > 1 && !(@ == 'x')]", update: [[]]}`).Data)
	f.Add([]byte("{}"), []byte(`{"overlay":"1.0.0","info":{"title":"t","version":"1"},"actions":[{"target":"$","update":{"a":1e999}}]}`))
	f.Fuzz(func(t *testing.T, document, overlay []byte) {
		if len(document)+len(overlay) > 1<<14 {
			return
		}
		out, _, err := Apply("d.yaml", document, []File{{"o.yaml", overlay}})
		if err != nil {
			if e := new(ingest.Error); !errors.As(err, &e) || e.File == "" {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		// What comes out can be read, and is in its canonical form already.
		again, _, err := ingest.JSON("d.json", out)
		if err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		if _, err := decode(again); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		if twin, _, _ := Apply("d.yaml", document, []File{{"o.yaml", overlay}}); !bytes.Equal(out, twin) {
			t.Fatalf("%s\nthen\n%s", out, twin)
		}
	})
}
