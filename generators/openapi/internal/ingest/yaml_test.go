package ingest

import (
	"strings"
	"testing"
)

func TestYAMLScalarsAreTypedByTheCoreSchema(t *testing.T) {
	for _, tt := range []struct{ yaml, want string }{
		{"null", "null"}, {"~", "null"}, {"", "null"}, {"Null", "null"},
		{"true", "true"}, {"False", "false"}, {"yes", `"yes"`}, {"on", `"on"`}, {"n", `"n"`},
		{"12", "12"}, {"-0", "-0"}, {"+12", "12"}, {"012", "12"}, {"0o17", "15"}, {"0x1F", "31"}, {"1_000", `"1_000"`},
		{"1.10", "1.10"}, {".5", "0.5"}, {"1.", "1"}, {"1e3", "1e3"}, {"+1.5e+3", "1500"}, {"1.2.3", `"1.2.3"`},
		{".inf", `".inf"`}, {"-.INF", `"-.INF"`}, {".nan", `".nan"`}, {"1e999", "1e999"},
		{"9007199254740993", "9007199254740993"}, {"123456789012345678901234567890", "123456789012345678901234567890"},
		{"2015-02-22", `"2015-02-22"`}, {"2015-02-22T20:00:45Z", `"2015-02-22T20:00:45Z"`}, {"12:30:45", `"12:30:45"`},
		{"'12'", `"12"`}, {`"null"`, `"null"`}, {"|\n  a\n  b", `"a\nb\n"`}, {">-\n  a\n  b", `"a b"`},
		{"!!str 12", `"12"`}, {"!!int '12'", "12"}, {"!!float 1", "1"}, {"!custom 12", `"12"`}, {"!!timestamp 2015-02-22", `"2015-02-22"`},
		{"[a, 1, {b: 2}]", `["a",1,{"b":2}]`}, {`"\u2028\x7f é"`, `"\u2028\u007f é"`},
	} {
		doc, err := Load("a.yaml", []byte("openapi: 3.0.0\npaths: {/a: {get: {}}}\nx: "+tt.yaml+"\n"))
		if err != nil {
			t.Errorf("%q: %v", tt.yaml, err)
			continue
		}
		if got, _ := doc.At("/x"); string(got) != tt.want {
			t.Errorf("%q became %s, want %s", tt.yaml, got, tt.want)
		}
	}
}

func TestYAMLKeysAreStringsInTheirOrder(t *testing.T) {
	doc := mustLoad(t, "a.yaml", "openapi: 3.1\ninfo: {version: 1.0, title: 2024-05-01}\npaths: {/a: {get: {}}}\nx:\n  z: 1\n  200: 2\n  2015-02-22: 3\n  yes: 4\n  null: 5\n  ~: 6\n  1.50: 7\n  '': 8\n  ? [a, b]\n  : 9\n")
	const want = `{"z":1,"200":2,"2015-02-22":3,"yes":4,"null":5,"~":6,"1.50":7,"":8}`
	if got, _ := doc.At("/x"); string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if doc.OpenAPI != "3.1" || doc.Version != "1.0" || doc.Title != "2024-05-01" {
		t.Errorf("openapi %q, version %q, title %q", doc.OpenAPI, doc.Version, doc.Title)
	}
	if got := rules(doc.Diagnostics); got != "yaml-key" {
		t.Errorf("diagnostics %v", doc.Diagnostics)
	}
}

func TestYAMLAnchorsAndMergeKeysAreExpanded(t *testing.T) {
	for _, tt := range []struct{ name, yaml, want, rules string }{
		{"alias", "x: {a: &a [1], b: *a}", `{"a":[1],"b":[1]}`, ""},
		{"alias as a key", "x: {a: &k key, *k : 1}", `{"a":"key","key":1}`, ""},
		{"merge", "m: &m {a: 1, b: 2}\nx: {<<: *m, b: 3}", `{"b":3,"a":1}`, ""},
		{"explicit keys win wherever they stand", "m: &m {a: 1}\nx: {a: 2, <<: *m}", `{"a":2}`, ""},
		{"earlier merges win", "m: &m {a: 1}\nn: &n {a: 2, b: 2}\nx: {<<: [*m, *n, {c: 3}]}", `{"a":1,"b":2,"c":3}`, ""},
		{"merge of a merge", "m: &m {a: 1}\nn: &n {<<: *m, b: 2}\nx: {<<: *n}", `{"b":2,"a":1}`, ""},
		{"two merge keys", "m: &m {a: 1}\nn: &n {b: 2}\nx:\n  <<: *m\n  <<: *n", `{"a":1,"b":2}`, ""},
		{"tagged merge", "m: &m {a: 1}\nx: {!!merge <<: *m}", `{"a":1}`, ""},
		{"quoted, it is a key", `x: {"<<": 1}`, `{"<<":1}`, ""},
		{"merge of no mapping", "x: {<<: 7, a: 1}", `{"a":1}`, "yaml-merge"},
		{"an alias inside itself", "x: &x {a: *x}", `{"a":{"a":null}}`, "alias-cycle"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := mustLoad(t, "a.yaml", "openapi: 3.0.0\npaths: {/a: {get: {}}}\n"+tt.yaml+"\n")
			if got, _ := doc.At("/x"); string(got) != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if got := rules(doc.Diagnostics); got != tt.rules {
				t.Errorf("diagnostics %v, want %q", doc.Diagnostics, tt.rules)
			}
		})
	}
}

func TestOfSeveralYAMLDocumentsTheFirstIsRead(t *testing.T) {
	doc := mustLoad(t, "a.yaml", "# comment\n---\n---\nopenapi: 3.0.0\npaths: {/a: {get: {}}}\n---\nopenapi: 3.0.0\npaths: {/b: {get: {}}}\n")
	if got := strings.Join(names(doc), ","); got != "GET /a" || rules(doc.Diagnostics) != "yaml-documents" {
		t.Errorf("got %s, diagnostics %v", got, doc.Diagnostics)
	}
	doc = mustLoad(t, "a.yaml", "openapi: 3.0.0\npaths: {/a: {get: {}}}\n...\n---\n")
	if len(doc.Diagnostics) > 0 {
		t.Errorf("an empty second document is reported: %v", doc.Diagnostics)
	}
}

func TestAYAMLFileMayBeginWithABrace(t *testing.T) {
	for _, text := range []string{"{openapi: 3.0.0, paths: {/a: {get: {}}}}", `{"openapi": "3.0.0", "paths": {"/a": {"get": {},}}}`} {
		if got := strings.Join(names(mustLoad(t, "a.yaml", text)), ","); got != "GET /a" {
			t.Errorf("%s: got %s", text, got)
		}
		if _, err := Load("a.json", []byte(text)); err == nil {
			t.Errorf("%s: taken as JSON", text)
		}
	}
}
