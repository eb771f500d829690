package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestUnusableInputIsRefusedWithTheReason(t *testing.T) {
	deep := `{"openapi":"3.0.0","x":` + strings.Repeat("[", 100_000)
	for _, tt := range []struct {
		name, file, text string
		line, column     int
		msg, hint        string // parts
	}{
		{"empty", "a.yaml", "", 0, 0, "empty", "OpenAPI document"},
		{"blank", "a.json", " \n\t\r\n", 0, 0, "empty", ""},
		{"a mark and nothing else", "a.json", "\xef\xbb\xbf", 0, 0, "empty", ""},
		{"only a comment", "a.yaml", "# nothing\n", 0, 0, "empty", ""},
		{"only document marks", "a.yaml", "---\n---\n", 0, 0, "empty", ""},
		{"broken JSON", "a.json", "{\n  \"openapi\": \"3.0.0\",\n  \"x\": tru\n}", 3, 8, "JSON is broken: invalid value", ""},
		{"comma at the end", "a.json", "{\"a\": 1,\n}", 2, 1, "comma before the end", ""},
		{"cut off", "a.json", `{"openapi": "3.0.0", "paths": {`, 1, 32, "unexpected end", ""},
		{"text after the end", "a.json", "{}\n{}", 2, 1, "after the end", ""},
		{"column counts characters", "a.json", `{"ä": x}`, 1, 7, "unexpected character", ""},
		{"single quotes", "a.json", `{"a": 'b'}`, 1, 7, "double quotes", ""},
		{"deep JSON", "a.json", deep, 1, 10023, "nested too deeply", ""},
		{"broken YAML", "a.yaml", "openapi: 3.0.0\ninfo:\n  title: a: b\n", 3, 3, "YAML is broken", ""},
		{"tab in YAML", "a.yaml", "openapi: 3.0.0\ninfo:\n\ttitle: a\n", 3, 2, "YAML is broken", "spaces"},
		{"broken flow YAML", "a.yaml", "{openapi: 3.0.0, info: [}", 1, 1, "YAML is broken", ""},
		{"unknown alias", "a.yaml", "openapi: 3.0.0\ninfo: *none\n", 2, 7, "unknown anchor", ""},
		{"invalid UTF-8", "a.json", "{\n\"a\": \"\xff\"}", 2, 7, "not UTF-8", "UTF-8"},
		{"a list", "a.yaml", "- a\n- b\n", 0, 0, "no object", "openapi"},
		{"a text", "a.txt", "hello there", 0, 0, "no object", ""},
		{"no openapi field", "a.json", `{"info": {}}`, 0, 0, "not OpenAPI", "openapi: 3.1.0"},
		{"something else", "a.json", `{"asyncapi": "3.0.0"}`, 0, 0, "not OpenAPI", "asyncapi"},
		{"empty version", "a.yaml", "openapi:\npaths: {}\n", 0, 0, "names no version", ""},
		{"Swagger 1.2", "a.yaml", "swagger: 1.2\npaths: {}\n", 0, 0, "Swagger 1.2 is not supported", "Swagger 2.0 is"},
		{"future version", "a.yaml", "openapi: 4.0.0\npaths: {}\n", 0, 0, "OpenAPI 4.0.0 is not supported", "3.1"},
		{"future minor version", "a.yaml", "openapi: 3.9.1\npaths: {}\n", 0, 0, "OpenAPI 3.9.1 is not supported", ""},
		{"no paths", "a.json", `{"openapi":"3.1.0","components":{}}`, 0, 0, "no operation and no webhook", "paths"},
		{"null paths", "a.yaml", "openapi: 3.0.0\npaths:\n", 0, 0, "no operation", ""},
		{"only null operations", "a.yaml", "openapi: 3.0.0\npaths: {/a: {get: }}\n", 0, 0, "no operation", ""},
		{"paths in other files", "a.yaml", "openapi: 3.0.0\npaths: {/a: {$ref: b.yaml}}\n", 0, 0, "no operation", "other files"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load(tt.file, []byte(tt.text))
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want an *Error", err)
			}
			if e.File != tt.file || e.Line != tt.line || e.Column != tt.column {
				t.Errorf("at %s:%d:%d, want %s:%d:%d (%v)", e.File, e.Line, e.Column, tt.file, tt.line, tt.column, e)
			}
			if !strings.Contains(e.Msg, tt.msg) || !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("message %q, hint %q; want %q, %q", e.Msg, e.Hint, tt.msg, tt.hint)
			}
		})
	}
}

func TestErrorTextHasWhatIsKnown(t *testing.T) {
	for _, tt := range []struct {
		err  Error
		want string
	}{
		{Error{File: "a", Msg: "m"}, "a: m"},
		{Error{File: "a", Line: 2, Column: 3, Pointer: "/p", Msg: "m", Hint: "h"}, "a:2:3: m; h"},
		{Error{File: "a", Line: 2, Msg: "m"}, "a:2: m"},
		{Error{File: "a", Pointer: "/p", Msg: "m"}, "a#/p: m"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestAliasesAndMergesExpandWithinALimit(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("openapi: 3.0.0\npaths: {/a: {get: {}}}\na0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n")
	var merges strings.Builder
	merges.WriteString("openapi: 3.0.0\npaths: {/a: {get: {}}}\nm0: &m0 {a: b}\n")
	for i := range 12 {
		fmt.Fprintf(&laughs, "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i+1, i+1, i, i, i, i, i, i, i, i, i)
		fmt.Fprintf(&merges, "m%d: &m%d {<<: [*m%d,*m%d,*m%d,*m%d,*m%d,*m%d,*m%d,*m%d,*m%d]}\n", i+1, i+1, i, i, i, i, i, i, i, i, i)
	}
	for name, text := range map[string]string{"aliases": laughs.String(), "merges": merges.String()} {
		_, err := Load("a.yaml", []byte(text))
		var e *Error
		if !errors.As(err, &e) || e.Line == 0 || !strings.Contains(e.Msg, "YAML") {
			t.Errorf("%s: got %v, want an error with the line", name, err)
		}
	}
}

func TestManyDuplicateKeysGiveBoundedDiagnostics(t *testing.T) {
	var y, j strings.Builder
	y.WriteString("openapi: 3.0.0\npaths:\n  /a:\n    get: {}\nx-a:\n")
	j.WriteString(`{"openapi":"3.0.0","paths":{"/a":{"get":{}}`)
	for range 100_000 {
		y.WriteString("  a: 1\n")
		j.WriteString(`,"/a":{"get":{}}`)
	}
	j.WriteString("}}")
	for file, text := range map[string]string{"a.yaml": y.String(), "a.json": j.String()} {
		doc := mustLoad(t, file, text)
		if n := len(doc.Diagnostics); n != maxDiagnostics+1 {
			t.Errorf("%s: %d diagnostics, want %d", file, n, maxDiagnostics+1)
		}
	}
}

func TestByteOrderMarksAndUTF16AreTaken(t *testing.T) {
	text := "openapi: 3.0.0\r\npaths:\r\n  /größe:\r\n    get: {}\r\n"
	utf16of := func(first, second int) string {
		var b strings.Builder
		for _, u := range append([]uint16{0xfeff}, utf16.Encode([]rune(text))...) {
			pair := [2]byte{byte(u >> 8), byte(u)}
			b.WriteByte(pair[first])
			b.WriteByte(pair[second])
		}
		return b.String()
	}
	for name, data := range map[string]string{
		"UTF-8": "\xef\xbb\xbf" + text, "UTF-16BE": utf16of(0, 1), "UTF-16LE": utf16of(1, 0),
		"JSON": "\xef\xbb\xbf" + `{"openapi":"3.0.0","paths":{"/größe":{"get":{}}}}`,
	} {
		if got := names(mustLoad(t, "a.yaml", data)); !reflect.DeepEqual(got, []string{"GET /größe"}) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestOperationsAscendByPathAndMethodAndWebhooksFollow(t *testing.T) {
	doc := mustLoad(t, "a.json", `{"openapi":"3.1.0",
		"webhooks":{"b":{"post":{}},"a":{"put":{},"post":{}}},
		"paths":{"/b":{"post":{},"get":{"operationId":"getB","tags":["t","u"]}},"x-ext":{"get":{}},"/a/{id}":{"get":{}},"/a":{"parameters":[],"patch":{},"additionalOperations":{"LINK":{}},"query":{}}},
		"info":{"title":"T","version":1.10}}`)
	want := []string{"LINK /a", "PATCH /a", "QUERY /a", "GET /a/{id}", "GET /b", "POST /b", "POST a", "PUT a", "POST b"}
	if got := names(doc); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if doc.Title != "T" || doc.Version != "1.10" || doc.OpenAPI != "3.1.0" {
		t.Errorf("title %q, version %q, openapi %q", doc.Title, doc.Version, doc.OpenAPI)
	}
	op := find(t, doc, "GET /b")
	if op.OperationID != "getB" || op.Tag != "t" || op.Pointer != "/paths/~1b/get" || string(doc.Raw(op)) != `{"operationId":"getB","tags":["t","u"]}` {
		t.Errorf("%+v %s", op, doc.Raw(op))
	}
	if got := find(t, doc, "LINK /a").Pointer; got != "/paths/~1a/additionalOperations/LINK" {
		t.Errorf("pointer %q", got)
	}
	if got := find(t, doc, "POST b").Pointer; got != "/webhooks/b/post" {
		t.Errorf("pointer %q", got)
	}
}

func TestOfDuplicateKeysTheLastCountsWithAWarning(t *testing.T) {
	for file, text := range map[string]string{
		"a.json": `{"openapi":"3.0.0","paths":{"/x":{"get":{}}},
			"paths":{"/a":{"get":{"operationId":"one"}},"/b":{"put":{},"get":{"operationId":"first","operationId":"second"},"put":{"operationId":"last"}},"/a":{"get":{"operationId":"two"}}},
			"components":{"schemas":{"S":{"type":"string"},"S":{"type":"integer"}}}}`,
		"a.yaml": `
openapi: 3.0.0
paths: {/x: {get: {}}}
paths:
  /a: {get: {operationId: one}}
  /b: {put: {}, get: {operationId: first, operationId: second}, put: {operationId: last}}
  /a: {get: {operationId: two}}
components: {schemas: {S: {type: string}, S: {type: integer}}}`,
	} {
		doc := mustLoad(t, file, text)
		var got []string
		for _, op := range doc.Operations {
			got = append(got, op.Method+" "+op.Path+" "+op.OperationID)
		}
		if want := []string{"GET /a two", "GET /b second", "PUT /b last"}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", file, got, want)
		}
		if s, _ := doc.At("/components/schemas/S/type"); string(s) != `"integer"` {
			t.Errorf("%s: schema S is %s", file, s)
		}
		if got := rules(doc.Diagnostics); got != strings.TrimSpace(strings.Repeat("duplicate-key ", 5)) {
			t.Errorf("%s: diagnostics %q", file, doc.Diagnostics)
		}
		for _, d := range doc.Diagnostics {
			if d.File != file || d.Pointer == "" || !strings.Contains(d.Message, "line") {
				t.Errorf("%s: diagnostic without place: %v", file, d)
			}
		}
	}
}

func TestPathItemAndOperationReferencesAreFollowed(t *testing.T) {
	doc := mustLoad(t, "dir/a.json", `{"openapi":"3.1.0","paths":{
		"/a/{id}":{"get":{"operationId":"getA"},"put":{"operationId":"putA"}},
		"/b/{id}":{"$ref":"#/paths/~1a~1%7Bid%7D","get":{"operationId":"ownB"}},
		"/c":{"$ref":"#/components/pathItems/C"},
		"/d":{"get":{"$ref":"#/x-ops/d"}},
		"/e":{"$ref":"#/paths/~1e"},
		"/f":{"get":{"$ref":"other.yaml"}},
		"/g":{"$ref":"http://127.0.0.1/g.yaml"},
		"/h":{"$ref":"#/nowhere"},
		"/i":{"$ref":"a.json#/paths/~1c"},
		"/j":{"get":{"$ref":"#/paths/~1j/get"}}},
		"components":{"pathItems":{"C":{"$ref":"#/components/pathItems/D"},"D":{"delete":{"operationId":"delD"}}}},
		"x-ops":{"d":{"$ref":"#/x-ops/e"},"e":{"operationId":"opE","tags":["e"]}}}`)
	got := make(map[string]string)
	for _, op := range doc.Operations {
		got[op.Method+" "+op.Path] = op.OperationID
	}
	want := map[string]string{
		"GET /a/{id}": "getA", "PUT /a/{id}": "putA", "GET /b/{id}": "ownB", "PUT /b/{id}": "putA",
		"DELETE /c": "delD", "GET /d": "opE", "GET /f": "", "DELETE /i": "delD", "GET /j": "",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	where := make(map[string]string)
	for _, d := range doc.Diagnostics {
		if d.Rule != "duplicate-operation-id" {
			where[d.Pointer] = d.Rule
		}
	}
	wantWhere := map[string]string{
		"/paths/~1e/$ref": "ref-cycle", "/paths/~1f/get/$ref": "ref", "/paths/~1g/$ref": "ref",
		"/paths/~1h/$ref": "ref", "/paths/~1j/get/$ref": "ref-cycle",
	}
	if !reflect.DeepEqual(where, wantWhere) {
		t.Errorf("diagnostics %v, want %v", where, wantWhere)
	}
	if op := find(t, doc, "GET /d"); op.Tag != "e" || !strings.Contains(string(doc.Raw(op)), "opE") {
		t.Errorf("GET /d: tag %q, raw %s", op.Tag, doc.Raw(op))
	}
}

func TestManyReferencesToOneLargeObjectAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"openapi":"3.0.0","x-big":{"get":{"description":"` + strings.Repeat("a", 1<<20) + `"}},"paths":{`)
	for i := range 5000 {
		fmt.Fprintf(&b, `"/a%d":{"$ref":"#/x-big"},`, i)
	}
	b.WriteString(`"/z":{"get":{}}}}`)
	doc := mustLoad(t, "a.json", b.String())
	if n := len(doc.Operations); n != maxRescan/(1<<20+32)+1 {
		t.Errorf("%d operations", n)
	}
}

func TestAnOperationOfTheWrongTypeIsKept(t *testing.T) {
	doc := mustLoad(t, "a.json", `{"openapi":"3.0.0","paths":{"/a":{"get":"text","put":null,"post":[]},"/b":[1],"/c":{"GET":{}}}}`)
	if got := names(doc); !reflect.DeepEqual(got, []string{"GET /a", "POST /a"}) {
		t.Errorf("got %v", got)
	}
	if got := rules(doc.Diagnostics); got != "path-item-type method-case" {
		t.Errorf("diagnostics %v", doc.Diagnostics)
	}
	v, diags := small(t, doc, "GET /a")
	if at(v, "paths/~1a/get/x-apiskills-stub") != "/paths/~1a/get" || len(diags) == 0 {
		t.Errorf("small document %v, diagnostics %v", toJSON(v), diags)
	}
}

func TestAKeyThatIsGivenAgainIsReportedOnceForEachTime(t *testing.T) {
	doc := mustLoad(t, "a.json", `{"openapi":"3.0.0","paths":{"/a":{"get":{"summary":"1","summary":"2","summary":"3","summary":"4"}}}}`)
	if got := rules(doc.Diagnostics); got != "duplicate-key duplicate-key duplicate-key" {
		t.Errorf("diagnostics %v", doc.Diagnostics)
	}
}

// A method that has a field is that field's, in whatever order the two stand; where
// only additionalOperations has it, it is loaded like any other.
func TestAFieldBeatsItsMethodInAdditionalOperations(t *testing.T) {
	const field, more = `"get":{"summary":"field"}`, `"additionalOperations":{"GET":{"summary":"more"},"POST":{"summary":"only"}}`
	for _, item := range []string{field + "," + more, more + "," + field} {
		doc := mustLoad(t, "a.json", `{"openapi":"3.2.0","paths":{"/a":{`+item+`}}}`)
		if got := find(t, doc, "GET /a").Pointer; got != "/paths/~1a/get" || len(doc.Operations) != 2 {
			t.Errorf("%s: GET /a is at %s, of %v", item, got, names(doc))
		}
		if len(doc.Diagnostics) != 1 || doc.Diagnostics[0].Rule != "method-field" || doc.Diagnostics[0].Pointer != "/paths/~1a/additionalOperations/GET" {
			t.Errorf("%s: diagnostics %v", item, doc.Diagnostics)
		}
		v, diags := small(t, doc, "POST /a")
		if at(v, "paths/~1a/post/summary") != "only" || len(diags) != 0 {
			t.Errorf("%s: small document %v, diagnostics %v", item, toJSON(v), diags)
		}
	}
}

func TestOperationsAreFoundByIDAndByPointer(t *testing.T) {
	doc := mustLoad(t, "a.json", `{"openapi":"3.1.0","paths":{
		"/a/{id}":{"get":{"operationId":"getA"},"additionalOperations":{"COPY":{}}},
		"/b":{"get":{"operationId":"twice"},"put":{"operationId":"twice"}}},
		"webhooks":{"w":{"post":{"operationId":"hook"}}}}`)
	for id, want := range map[string]string{"getA": "/paths/~1a~1{id}/get", "hook": "/webhooks/w/post", "twice": "", "none": "", "": ""} {
		op, ok := doc.OperationByID(id)
		if ok != (want != "") || ok && op.Pointer != want {
			t.Errorf("OperationByID(%q) = %v, %v", id, op, ok)
		}
	}
	for ptr, want := range map[string]string{
		"#/paths/~1a~1{id}/get": "GET", "#/paths/~1a~1%7Bid%7D/get": "GET", "/paths/~1b/put": "PUT",
		"#/webhooks/w/post": "POST", "#/paths/~1a~1{id}/additionalOperations/COPY": "COPY",
		"#/paths/~1a~1{id}/put": "", "#/paths/~1none/get": "", "#": "", "": "", "#/components/x/y": "", "other.yaml#/paths/~1b/get": "",
	} {
		op, ok := doc.OperationByPointer(ptr)
		if ok != (want != "") || ok && op.Method != want {
			t.Errorf("OperationByPointer(%q) = %v, %v", ptr, op, ok)
		}
	}
}

func TestAtFindsValuesByPointer(t *testing.T) {
	doc := mustLoad(t, "a.json", `{"openapi":"3.0.0","paths":{"/a":{"get":{"tags":["x","y"]}}},"x":{"a/b":{"~":1,"":2}},"components":{"schemas":{"é":{"type":"string"}}}}`)
	for ptr, want := range map[string]string{
		"/openapi": `"3.0.0"`, "/paths/~1a/get/tags/1": `"y"`, "/x/a~1b/~0": "1", "/x/a~1b/": "2",
		"/components/schemas/é/type": `"string"`, "/components/schemas/none": "", "/paths/~1b": "", "/x/0": "",
		"/paths/~1a/get/tags/2": "", "/paths/~1a/get/tags/-1": "", "x": "", "/none": "", "/openapi/x": "",
	} {
		got, ok := doc.At(ptr)
		if ok != (want != "") || string(got) != want {
			t.Errorf("At(%q) = %s, %v; want %q", ptr, got, ok, want)
		}
	}
	if all, ok := doc.At(""); !ok || all[0] != '{' {
		t.Error(`At("") is not the document`)
	}
}

// The index must stay small beside the source: that is what it is for.
func TestIndexCostsLittleBesideTheSource(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"openapi":"3.0.0","paths":{`)
	const n = 4000
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"/repositories/{owner}/kind%d/{id}":{"get":{"tags":["repositories"],"operationId":"getRepositoryKind%d"}}`, i, i)
	}
	b.WriteString("}}")
	data := []byte(b.String())
	before := heap()
	doc, err := Load("a.json", data)
	if err != nil {
		t.Fatal(err)
	}
	per := (heap() - before) / n
	runtime.KeepAlive(doc)
	runtime.KeepAlive(data)
	// One operation a path is the dear case: the item is not shared.
	if per > 400 {
		t.Errorf("%d bytes an operation", per)
	}
	t.Logf("%d bytes an operation", per)
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestCorpusIndexMemory(t *testing.T) {
	data := corpus(t, "github-api.json")
	before := heap()
	doc, err := Load("github-api.json", data)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes an operation", (heap()-before)/len(doc.Operations))
	runtime.KeepAlive(data)
	runtime.KeepAlive(doc)
}

func TestYAMLAsPeopleWriteIt(t *testing.T) {
	const plain = "openapi: 3.1\ninfo: {title: T, version: 1.0}\npaths:\n  /a:\n    get:\n      operationId: getA\n      responses:\n        200: {description: ok}\n"
	wide := func(s string, order binary.AppendByteOrder) string {
		var b []byte
		for _, u := range utf16.Encode([]rune(s)) {
			b = order.AppendUint16(b, u)
		}
		return string(b)
	}
	for name, text := range map[string]string{
		"as it is": plain, "BOM": "\ufeff" + plain, "CRLF": strings.ReplaceAll(plain, "\n", "\r\n"), "CR": strings.ReplaceAll(plain, "\n", "\r"),
		"UTF-16 LE": wide("\ufeff"+plain, binary.LittleEndian), "UTF-16 BE": wide("\ufeff"+plain, binary.BigEndian),
		"UTF-16 LE without a mark": wide(plain, binary.LittleEndian), "UTF-16 BE without a mark": wide(plain, binary.BigEndian),
		"a tab on an empty line": strings.Replace(plain, "paths", "\t\npaths", 1), "a tab before a comment": strings.Replace(plain, "paths", "\t# c\npaths", 1),
		"a tab after a value": strings.Replace(plain, "getA", "getA\t", 1), "a tab before a value": strings.Replace(plain, "operationId: ", "operationId:\t", 1),
		"a directive": "%YAML 1.2\n---\n" + plain + "...\n", "comments first": "# c\n---\n# d\n---\n" + plain,
		"several documents": plain + "---\n" + strings.Replace(plain, "getA", "getB", 1), "a broken second document": plain + "---\n[[[",
		"anchors":                  strings.Replace(plain, "info: {", "x-a: &a {title: no, version: '2'}\ninfo: {<<: *a, ", 1),
		"keys that are no strings": plain + "        default: {description: d}\n        4XX: {description: d}\n        0o17: {}\n        on: {}\n        2024-01-01: {}\n",
	} {
		doc, err := Load("a.yaml", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := doc.Operations[0].OperationID; got != "getA" || doc.OpenAPI != "3.1" || doc.Version != "1.0" || doc.Title != "T" {
			t.Errorf("%s: operation %q of %q %q %q", name, got, doc.OpenAPI, doc.Title, doc.Version)
		}
		if warns := strings.Contains(name, "several") || strings.Contains(name, "second"); warns != (rules(doc.Diagnostics) == "yaml-documents") {
			t.Errorf("%s: %v", name, doc.Diagnostics)
		}
	}
}

func TestHostileBytesAreRefusedWithTheirPlace(t *testing.T) {
	laughs := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	merges := "a0: &a0 {k: v}\n"
	for i := 1; i < 12; i++ {
		laughs += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 8), i-1)
		merges += fmt.Sprintf("a%d: &a%d {<<: [%s*a%d]}\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 8), i-1)
	}
	nest := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	for _, c := range []struct{ name, file, text, want string }{
		{"billion laughs", "a.yaml", laughs, "aliases"},
		{"a billion merges", "a.yaml", merges, "merge keys"},
		{"nested JSON", "a.json", `{"openapi":"3.0.0","x":` + nest + `}`, ":1:10023: the JSON is broken: nested too deeply"},
		{"nested YAML", "a.yaml", "openapi: 3.0.0\nx: " + nest, "max depth"},
		{"a NUL in YAML", "a.yaml", "openapi: 3.0.0\nx: a\x00b\n", "a.yaml:2:5: the YAML is broken: control character 0x00"},
		{"a NUL in JSON", "a.json", "{\"openapi\":\"3.0.0\x00\"}", "a.json:1:18: the JSON is broken: control character in string"},
		{"a byte that is no UTF-8", "a.yaml", "openapi: 3.0.0\nx: \xe9\n", "a.yaml:2:4: the file is not UTF-8: invalid byte 0xe9"},
		{"tabs for indents", "a.yaml", "openapi: 3.0.0\npaths:\n\t/a: {}\n", "indent with spaces"},
	} {
		_, err := Load(c.file, []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 1000 {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestManyDuplicateKeysAreCounted(t *testing.T) {
	var b strings.Builder
	b.WriteString("openapi: 3.0.0\npaths: {/a: {get: {responses: {}}}}\n")
	for i := range 100_000 {
		fmt.Fprintf(&b, "x%d: 1\n", i%7)
	}
	doc := mustLoad(t, "a.yaml", b.String())
	if n := len(doc.Diagnostics); n != maxDiagnostics+1 || !strings.Contains(doc.Diagnostics[n-1].Message, "99493 more") {
		t.Errorf("%d diagnostics, the last %v", n, doc.Diagnostics[n-1])
	}
}

func TestALargeDocumentCostsLittleMoreThanItself(t *testing.T) {
	if testing.Short() {
		t.Skip("needs some 200 MB")
	}
	const size = 200 << 20
	data := make([]byte, 0, size+1000)
	data = append(data, `{"openapi":"3.0.0","paths":{"/a":{"get":{"responses":{"200":{"$ref":"#/components/responses/R"}}}}},"components":{"responses":{"R":{"description":"ok"}},"schemas":{`...)
	for i := 0; len(data) < size; i++ {
		data = fmt.Appendf(data, `"S%d":{"type":"object","properties":{"next":{"$ref":"#/components/schemas/S%d"}},"description":"`, i, i/2)
		data = append(data, bytes.Repeat([]byte("words "), 200)...)
		data = append(data, `"},`...)
	}
	data = append(data, `"Z":{}}}}`...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	doc, err := Load("a.json", data)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > size/4 {
		t.Errorf("indexing %d MB took %d MB", size>>20, used>>20)
	}
	small(t, doc, "GET /a")
	if _, err := Load("a.json", make([]byte, MaxSize+1)); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("past the limit: %v", err)
	}
}

func TestLongPathIsReportedAndKept(t *testing.T) {
	doc := mustLoad(t, "a.json", `{"openapi":"3.0.0","paths":{"/`+strings.Repeat("a", 100<<10)+`":{"get":{}}}}`)
	if len(doc.Operations) != 1 || rules(doc.Diagnostics) != "path-length" {
		t.Errorf("%d operations, diagnostics %v", len(doc.Operations), rules(doc.Diagnostics))
	}
}
