package ingest

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/apiskills/apiskills/generators/openapi/internal/diskcache"
)

// restore stores a document and reads it back.
func restore(t testing.TB, doc *Document, source []byte) (*Document, []byte) {
	t.Helper()
	e := &diskcache.Encoder{}
	doc.Store(e, source)
	from := diskcache.NewDecoder(bytes.Clone(e.Data))
	got := Stored(doc.File, source, from)
	if got == nil || !from.Done() {
		t.Fatal("what was stored cannot be read")
	}
	return got, e.Data
}

// sameDocument compares two documents of which nobody has asked for anything yet.
func sameDocument(t testing.TB, got, want *Document) {
	t.Helper()
	for _, d := range []*Document{got, want} {
		for _, f := range d.files { // none and not made are the same
			if len(f.links) == 0 {
				f.links = nil
			}
			f.entries = nil
			f.refs = nil
		}
		d.indexed.Store(0)
		for k := range d.components {
			if len(d.components[k]) == 0 {
				d.components[k] = nil
			}
		}
	}
	a, b := reflect.ValueOf(got).Elem(), reflect.ValueOf(want).Elem()
	for i := range a.NumField() {
		switch name := a.Type().Field(i).Name; name {
		case "anchors", "subtypes": // made when they are needed
		case "behind": // may have what is no operation any more
			for i := range want.Operations {
				body := want.Operations[i].body
				g, has := got.behind[body]
				if w, ok := want.behind[body]; g != w || has != ok {
					t.Errorf("%s is behind %q, want %q", want.Operations[i].Pointer, g, w)
				}
			}
		case "files":
			if len(got.files) != len(want.files) {
				t.Errorf("%d files, want %d", len(got.files), len(want.files))
				continue
			}
			for n := range got.files {
				if !reflect.DeepEqual(got.files[n], want.files[n]) {
					t.Errorf("file %q differs", want.files[n].label)
				}
			}
		default:
			if x, y := a.Field(i), b.Field(i); !x.CanInterface() && !deepEqual(got, want, i) || x.CanInterface() && !reflect.DeepEqual(x.Interface(), y.Interface()) {
				t.Errorf("%s differs", name)
			}
		}
	}
}

// deepEqual compares field i of two documents, also if it is not exported.
func deepEqual(a, b *Document, i int) bool {
	field := func(d *Document) any {
		v := reflect.ValueOf(d).Elem().Field(i)
		return reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem().Interface()
	}
	return reflect.DeepEqual(field(a), field(b))
}

func TestAStoredDocumentIsTheOneThatWasLoaded(t *testing.T) {
	utf16 := []byte{0xff, 0xfe}
	for _, c := range []byte(richDocument) {
		utf16 = append(utf16, c, 0)
	}
	for name, source := range map[string]string{
		"a.json":     richDocument,
		"bom.json":   "\xef\xbb\xbf \n" + richDocument,
		"utf16.json": string(utf16),
		"a.yaml":     "openapi: 3.1\ninfo: {title: 't\"', version: 2024-01-01}\npaths:\n  /a:\n    $ref: '#/x-a'\nx-a: &x {get: {tags: [a], x-skill: false}, put: {$ref: '#/x-a/get'}}\nwebhooks: {h: {post: {}}}\n",
		"old.yaml":   "swagger: 2.0\nhost: h\nschemes: [https]\npaths: {/a: {post: {operationId: a, parameters: [{name: b, in: body, schema: {$ref: '#/definitions/D'}}], responses: {}}}}\ndefinitions: {D: {type: object}}\n",
		"twice.json": `{"openapi":"3.0.0","paths":{"/a":{"get":{"operationId":"x"},"get":{"operationId":"x"}},"/b\"":{"additionalOperations":{"COPY":{"operationId":"x","tags":["\u00e4"]}}}},"components":{"schemas":{"b\\c":{},"a":{}}}}`,
	} {
		data := []byte(source)
		doc, err := Load(name, data)
		if err != nil {
			t.Fatal(err)
		}
		got, entry := restore(t, doc, data)
		if has := bytes.Contains(entry, doc.files[0].data); has != !endsWith(data, doc.files[0].data) {
			t.Errorf("%s: the entry has the text of the document: %t", name, has)
		}
		sameDocument(t, got, doc)
	}
}

func TestAStoredDocumentHasItsFiles(t *testing.T) {
	files := spread()
	files["models/pet.json"] = "{ broken"
	delete(files, "models/toys/toy.yaml")
	got, _ := restore(t, mustLoadFiles(t, files), []byte(files["openapi.yaml"]))
	sameDocument(t, got, mustLoadFiles(t, files))
}

func TestCorpusStoredDocumentsAreThoseThatWereLoaded(t *testing.T) {
	corpus(t, "xkcd.yaml")
	paths, _ := filepath.Glob(filepath.Join(os.Getenv("APISKILLS_CORPUS"), "*.*"))
	for _, path := range paths {
		if ext := filepath.Ext(path); ext != ".json" && ext != ".yaml" {
			continue
		}
		data := corpus(t, filepath.Base(path))
		doc, err := Load(filepath.Base(path), data)
		if err != nil {
			t.Fatal(err)
		}
		got, entry := restore(t, doc, data)
		sameDocument(t, got, doc)
		t.Logf("%s: %d bytes, an entry of %d", filepath.Base(path), len(data), len(entry))
	}
}

// FuzzStored reads entries that nobody stored: whatever they have, nothing leads out
// of the texts.
func FuzzStored(f *testing.F) {
	source := []byte(richDocument)
	doc, err := Load("a.json", source)
	if err != nil {
		f.Fatal(err)
	}
	e := &diskcache.Encoder{}
	doc.Store(e, source)
	f.Add(e.Data)
	many := &diskcache.Encoder{}
	mustLoadFiles(f, spread()).Store(many, nil)
	f.Add(many.Data)
	f.Fuzz(func(t *testing.T, entry []byte) {
		d := Stored("a.json", source, diskcache.NewDecoder(entry))
		if d == nil {
			return
		}
		for i := range d.Operations {
			op := &d.Operations[i]
			d.Raw(op)
			for _, p := range d.parts(op.item) {
				d.bytes(p.span)
			}
		}
		for _, list := range d.components {
			for _, c := range list {
				d.nameOf(c)
				d.bytes(d.valueOf(c))
			}
		}
		d.OperationByID("getPet")
		for _, ptr := range []string{"", "/paths/~1pets/get", "/components/schemas/Pet", "/info/title"} {
			d.At(ptr)
		}
		d.Resolve(Origin(len(d.files)-1), "models/pet.yaml#/properties")
	})
}
