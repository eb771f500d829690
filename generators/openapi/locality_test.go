package openapi

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
)

// A state is a document, and what is served of it.
type state struct {
	d     *docset
	g     *Generator
	ops   map[string]*origin
	paths map[string]string            // operation -> path of its skill; the guide is "guide"
	uris  map[string]string            // the same -> URI
	deps  map[string]dependence        // operation -> what it depends on
	text  map[string]map[string]string // operation -> files, of those that were rendered
	memo  map[string]string            // URIs of operations on their own
}

// stateOf serves a document, and checks that each URI is that of its operation
// alone.
func stateOf(t testing.TB, d *docset, memo map[string]string) *state {
	t.Helper()
	s := &state{
		d: d, ops: d.operations(), g: d.generator(t, minified, 0),
		uris: map[string]string{}, deps: map[string]dependence{}, text: map[string]map[string]string{}, memo: memo,
	}
	s.paths = map[string]string{"guide": s.g.guideName()}
	for i := range s.g.ops {
		op := &s.g.ops[i]
		key := op.Method + " " + op.Path
		if op.Webhook != "" {
			key = op.Method + " webhook:" + op.Webhook
		}
		s.paths[key] = s.g.path(int32(i))
		if s.ops[key] == nil {
			t.Fatalf("%s is served, and not in the document", key)
		}
	}
	if len(s.paths) != len(s.ops)+1 {
		t.Fatalf("%d skills and the guide for %d operations", len(s.paths)-1, len(s.ops))
	}
	for key, p := range s.paths {
		s.uris[key] = s.g.uri(p)
	}
	s.checkAddresses(t)
	return s
}

// dependence returns what an operation depends on.
func (s *state) dependence(key string) dependence {
	if s.deps[key] == nil {
		s.deps[key] = s.d.dependenceOf(s.ops[key], s.ops, s.uris)
	}
	return s.deps[key]
}

// render renders a skill, once.
func (s *state) render(t testing.TB, key string) map[string]string {
	t.Helper()
	if s.text[key] == nil {
		s.text[key] = renderAll(t, s.g, s.paths[key])[s.g.api+"/"+s.paths[key]]
	}
	return s.text[key]
}

// checkAddresses compares each URI with the one that the operation has in a
// document of its own, or there beside a twin where it has one here: neighbours
// count for nothing else.
func (s *state) checkAddresses(t testing.TB) {
	t.Helper()
	names := map[string]int{path.Base(path.Dir(s.uris["guide"])): 1}
	for _, op := range s.ops {
		names[nameIn(s.alone(t, op, false))]++
	}
	for key, op := range s.ops {
		want := s.alone(t, op, false)
		if names[nameIn(want)] > 1 {
			want = s.alone(t, op, true)
		}
		if s.uris[key] != want {
			t.Errorf("%s is at %s; on its own, or beside one of the same name, it is at %s", key, s.uris[key], want)
		}
		if len(nameIn(want)) > 64 {
			t.Errorf("%s: the name %q has %d bytes", key, nameIn(want), len(nameIn(want)))
		}
	}
	served := map[string]string{}
	for key, uri := range s.uris {
		if other, ok := served[nameIn(uri)]; ok {
			t.Errorf("%s and %s have one name: %s", key, other, uri)
		}
		served[nameIn(uri)] = key
		if n := names[nameIn(uri)]; n > 1 {
			t.Errorf("%s has the name %q, which is that of %d", key, nameIn(uri), n)
		}
	}
}

func nameIn(uri string) string { return path.Base(path.Dir(uri)) }

// alone returns the URI of an operation in a document of its own.
func (s *state) alone(t testing.TB, op *origin, twin bool) string {
	t.Helper()
	body, _ := op.body.(map[string]any)
	own := simple(op.id, list(body["tags"])...)
	memo := fmt.Sprint(s.g.api, op.key, canonical(own), twin)
	if uri, ok := s.memo[memo]; ok {
		return uri
	}
	name := strings.TrimPrefix(op.key, op.method+" ")
	of := "paths"
	if op.hook {
		of, name = "webhooks", strings.TrimPrefix(name, "webhook:")
	}
	entry := map[string]any{"additionalOperations": map[string]any{op.method: own}}
	if m := strings.ToLower(op.method); slices.Contains(fieldMethods, m) {
		entry = map[string]any{m: own}
	}
	root := map[string]any{"openapi": "3.2.0", "info": map[string]any{"title": "T", "version": "1"}, of: map[string]any{name: entry}}
	if twin {
		plain := nameIn(s.alone(t, op, false))
		object(root, "paths")["/another/twin/of/it"] = map[string]any{"trace": simple(plain)}
	}
	g := (&docset{name: "x.json", files: map[string]any{"": root}, api: s.g.api}).generator(t, minified, 0)
	for i := range g.ops {
		if o := &g.ops[i]; o.Method == op.method && (o.Path == name || o.Webhook == name) {
			s.memo[memo] = g.uri(g.path(int32(i)))
		}
	}
	return s.memo[memo]
}

// An edit is one that somebody may make.
type edit struct {
	name string
	file string // "" for the document itself
	do   func(root map[string]any)
	// guide is "changes", "stays" or, where it may do either, "".
	guide string
	// hidden: it may be that a skill that depends on it does not show it.
	hidden bool
	// mustChange are operations whose skills change, whatever else is the case.
	mustChange []string
}

// check compares what an edit changed with what depends on the edited parts. Of
// the skills in keys that should not change it looks at some.
func (e *edit) check(t *testing.T, before *state, keys []string, r *rand.Rand, some int) {
	t.Helper()
	after := stateOf(t, before.d.edited(e.file, e.do), before.memo)
	var others []string
	for _, key := range keys {
		if after.ops[key] == nil {
			continue
		}
		parts := before.dependence(key).differs(after.dependence(key))
		moved := before.uris[key] != after.uris[key]
		if len(parts) == 0 && !moved {
			others = append(others, key)
			continue
		}
		if maps.Equal(before.render(t, key), after.render(t, key)) {
			switch {
			case moved:
				t.Errorf("%s: %s has another URI, and the same text", e.name, key)
			case slices.Contains(e.mustChange, key):
				t.Errorf("%s: %s does not change", e.name, key)
			case !e.hidden:
				t.Errorf("%s: %s does not change, and depends on %q", e.name, key, parts)
			}
		}
	}
	r.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	for _, key := range others[:min(some, len(others))] {
		if !maps.Equal(before.render(t, key), after.render(t, key)) {
			t.Errorf("%s: %s changes, and reaches nothing of it\n%s", e.name, key, change(before.text[key], after.text[key]))
		}
		if slices.Contains(e.mustChange, key) {
			t.Errorf("%s: %s does not depend on it", e.name, key)
		}
	}
	if e.guide != "" {
		if changed := !maps.Equal(before.render(t, "guide"), after.render(t, "guide")); changed != (e.guide == "changes") {
			t.Errorf("%s: the guide changes: %t\n%s", e.name, changed, change(before.text["guide"], after.text["guide"]))
		}
	}
}

// change shows the first difference between two skills.
func change(before, after map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if before[name] != after[name] {
			return name + ": " + firstDifference(after[name], before[name])
		}
	}
	return fmt.Sprintf("files %q and %q", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
}

// in returns the operation of root that op is, if it stands there, else nil.
func (op *origin) in(root map[string]any) map[string]any {
	var v any = root
	for _, t := range strings.Split(op.ptr, "/")[1:] {
		m, _ := v.(map[string]any)
		v = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(t)]
	}
	m, _ := v.(map[string]any)
	if _, ref := m["$ref"]; ref {
		return nil
	}
	return m
}

func simple(id string, tags ...any) map[string]any {
	op := map[string]any{"responses": map[string]any{"200": map[string]any{"description": "Good"}}}
	if id != "" {
		op["operationId"] = id
	}
	if len(tags) > 0 {
		op["tags"] = tags
	}
	return op
}

func list(v any) []any {
	l, _ := v.([]any)
	return slices.Clone(l)
}

// object returns a member that is an object, and makes it one if it is none.
func object(parent map[string]any, keys ...string) map[string]any {
	for _, key := range keys {
		m, _ := parent[key].(map[string]any)
		if m == nil {
			m = map[string]any{}
			parent[key] = m
		}
		parent = m
	}
	return parent
}

// edits are the edits of an operation.
func (s *state) edits(t testing.TB, op *origin) []edit {
	if op.in(s.d.root()) == nil {
		return nil
	}
	with := func(f func(o map[string]any)) func(map[string]any) {
		return func(root map[string]any) { f(op.in(root)) }
	}
	parameter := map[string]any{"name": "newly", "in": "header", "schema": map[string]any{"type": "string"}}
	if s.d.root()["swagger"] != nil {
		parameter = map[string]any{"name": "newly", "in": "header", "type": "string"}
	}
	add := func(id string) func(root map[string]any) {
		return func(root map[string]any) { object(root, "paths", "/zz/twin")["get"] = simple(id, "Zz") }
	}
	all := []edit{
		{name: "the description", do: with(func(o map[string]any) { o["description"] = "Entirely new words about it." })},
		{name: "the summary", do: with(func(o map[string]any) { o["summary"] = "Entirely new" }), guide: "changes"},
		{name: "a parameter", do: with(func(o map[string]any) { o["parameters"] = append(list(o["parameters"]), parameter) })},
		{name: "an answer", do: with(func(o map[string]any) {
			object(o, "responses")["418"] = map[string]any{"description": "A teapot"}
		})},
		{name: "the security", do: with(func(o map[string]any) { o["security"] = []any{map[string]any{"undeclared": []any{}}} })},
		{name: "the operationId", do: with(func(o map[string]any) { o["operationId"] = "calledAnew" }), guide: "changes"},
		{name: "a second tag", do: with(func(o map[string]any) {
			if tags := list(o["tags"]); len(tags) > 0 {
				o["tags"] = append(tags, "Second")
			}
		}), guide: "stays", hidden: true},
	}
	if !op.hook { // webhooks are in a group of their own
		all = append(all, edit{name: "the first tag", do: with(func(o map[string]any) { o["tags"] = []any{"Elsewhere"} }), guide: "changes"})
	}
	for i := range all {
		if all[i].name != "a second tag" {
			all[i].mustChange = []string{op.key}
		}
	}
	if len(s.ops) > 1 {
		all = append(all, edit{name: "the whole", guide: "changes", do: func(root map[string]any) {
			cut := strings.LastIndex(op.ptr, "/")
			parent := (&origin{ptr: op.ptr[:cut]}).in(root)
			delete(parent, strings.NewReplacer("~1", "/", "~0", "~").Replace(op.ptr[cut+1:]))
		}})
	}
	if op.id != "" {
		name := nameIn(s.alone(t, op, false))
		all = append(all,
			edit{name: "a twin", guide: "changes", do: add(op.id)},
			edit{name: "a twin in another case", guide: "changes", do: add(strings.ToUpper(strings.ReplaceAll(name, "-", "_")))})
	}
	for i := range all {
		all[i].name += " of " + op.key
	}
	return all
}

// componentEdits are the edits of the document's components.
func (s *state) componentEdits() []edit {
	old := s.d.root()["swagger"] != nil
	var all []edit
	whole := func(kind, component string) bool { // it is no reference
		v, ok := s.d.components(kind)[component].(map[string]any)
		return ok && v["$ref"] == nil
	}
	used := func(scheme string) string {
		if !whole("securitySchemes", scheme) {
			return ""
		}
		for key := range s.ops {
			if _, ok := s.dependence(key)["scheme "+scheme]; ok {
				return "changes"
			}
		}
		return "stays"
	}
	edited := func(name, kind, component string, f func(v map[string]any)) {
		all = append(all, edit{name: name + " of " + kind + "/" + component, hidden: true, do: func(root map[string]any) {
			if whole(kind, component) {
				f((&docset{files: map[string]any{"": root}}).components(kind)[component].(map[string]any))
			}
		}})
	}
	for _, name := range slices.Sorted(maps.Keys(s.d.components("schemas"))) {
		edited("a property", "schemas", name, func(v map[string]any) {
			if v["type"] == "object" || v["properties"] != nil || v["allOf"] != nil {
				object(v, "properties")["newly_added"] = map[string]any{"type": "boolean"}
			}
			if enum := list(v["enum"]); len(enum) > 0 {
				v["enum"] = append(enum, "zz-new")
			} else if v["type"] == "string" || v["type"] == "number" {
				v["format"] = "zz-new"
			}
			v["description"] = "Entirely new words about it."
		})
		all[len(all)-1].hidden = false
		edited("a subtype", "schemas", name, func(map[string]any) {})
		all[len(all)-1].do = func(root map[string]any) {
			at := "#/components/schemas/"
			if old {
				at = "#/definitions/"
			}
			(&docset{files: map[string]any{"": root}}).components("schemas")["ZzSubtype"] = map[string]any{
				"allOf":      []any{map[string]any{"$ref": at + escaped(name)}},
				"properties": map[string]any{"zz": map[string]any{"type": "string"}},
			}
		}
		// A mapping tells the subtypes; without one it is the components that do.
		base, _ := s.d.components("schemas")[name].(map[string]any)
		disc, _ := base["discriminator"].(map[string]any)
		all[len(all)-1].hidden = disc["mapping"] != nil
		all = append(all, edit{name: "the name of schemas/" + name, hidden: true, do: func(root map[string]any) { renameSchema(root, name) }})
	}
	for _, kind := range []string{"parameters", "responses", "requestBodies", "headers", "links"} {
		for _, name := range slices.Sorted(maps.Keys(s.d.components(kind))) {
			edited("the description", kind, name, func(v map[string]any) { v["description"] = "Entirely new words about it." })
			all[len(all)-1].hidden = kind == "links" || kind == "headers" // some have words of ours
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.d.components("securitySchemes"))) {
		edited("the description", "securitySchemes", name, func(v map[string]any) { v["description"] = "Entirely new words about it." })
		all[len(all)-1].hidden, all[len(all)-1].guide = false, used(name)
		edited("the type", "securitySchemes", name, func(v map[string]any) {
			clear(v)
			v["type"], v["in"], v["name"] = "apiKey", "header", "X-Zz-New"
		})
		all[len(all)-1].hidden, all[len(all)-1].guide = false, used(name)
	}
	return all
}

// renameSchema gives a component another name, and has all refer to it.
func renameSchema(root map[string]any, name string) {
	schemas := (&docset{files: map[string]any{"": root}}).components("schemas")
	schemas["Zz"+name] = schemas[name]
	delete(schemas, name)
	suffix := "/" + escaped(name)
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				if ref, ok := e.(string); ok && (k == "$ref" || strings.HasPrefix(ref, "#/")) && strings.HasSuffix(ref, suffix) {
					v[k] = strings.TrimSuffix(ref, suffix) + "/Zz" + escaped(name)
				}
				walk(e)
			}
			if m, ok := v["mapping"].(map[string]any); ok {
				for k, e := range m {
					if e == name {
						m[k] = "Zz" + name
					}
				}
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(root)
}

// documentEdits are the edits of what stands at the root.
func (s *state) documentEdits() []edit {
	schemas := []string{"components", "schemas", "ZzUnused"}
	if s.d.root()["swagger"] != nil {
		schemas = []string{"definitions", "ZzUnused"}
	}
	all := []edit{
		{name: "the title", guide: "changes", do: func(root map[string]any) { object(root, "info")["title"] = "Entirely New" }},
		{name: "the version", guide: "changes", do: func(root map[string]any) { object(root, "info")["version"] = "77" }},
		{name: "the description", guide: "changes", do: func(root map[string]any) { object(root, "info")["description"] = "Entirely new." }},
		{name: "a component that nothing reaches", guide: "stays", do: func(root map[string]any) {
			object(root, schemas...)["type"] = "string"
		}},
		{name: "an extension that nobody reads", guide: "stays", do: func(root map[string]any) { root["x-zz"] = "new" }},
		{name: "an operation that has nothing to do with others", guide: "changes", do: func(root map[string]any) {
			object(root, "paths", "/zz/unrelated")["get"] = simple("zzUnrelated", "Zz")
		}},
		{name: "a tag that nothing has", guide: "stays", do: func(root map[string]any) {
			root["tags"] = append(list(root["tags"]), map[string]any{"name": "Zz", "description": "Nothing"})
		}},
		{name: "the root's security", do: func(root map[string]any) { root["security"] = []any{map[string]any{}} }},
	}
	if s.d.root()["swagger"] != nil {
		all = append(all, edit{name: "the host", guide: "changes", do: func(root map[string]any) { root["host"] = "new.example" }})
	} else {
		all = append(all, edit{name: "the server", guide: "changes", do: func(root map[string]any) {
			root["servers"] = []any{map[string]any{"url": "https://new.example/v9"}}
		}})
	}
	for name, v := range s.d.files {
		if file, ok := v.(map[string]any); ok && name != "" {
			for key := range file {
				all = append(all, edit{name: name + "#/" + key, file: name, do: func(root map[string]any) {
					v, ok := root[key].(map[string]any)
					if op, path := v["get"].(map[string]any); path {
						v = op
					}
					if v["type"] == "object" {
						object(v, "properties", "newly_added")["type"] = "boolean"
					} else if ok {
						v["description"] = "Entirely new words about it."
					}
				}})
			}
		}
	}
	for of, items := range map[string]any{"paths": s.d.root()["paths"], "webhooks": s.d.root()["webhooks"]} {
		items, _ := items.(map[string]any)
		for name, v := range items {
			if item, _ := v.(map[string]any); item == nil || item["$ref"] != nil || s.d.root()["swagger"] != nil {
				continue
			}
			all = append(all,
				edit{name: "the servers of " + name, hidden: of == "webhooks", do: func(root map[string]any) {
					object(root, of, name)["servers"] = []any{map[string]any{"url": "https://only.example/here"}}
				}},
				edit{name: "a parameter of " + name, hidden: of == "webhooks", do: func(root map[string]any) {
					item := object(root, of, name)
					item["parameters"] = append(list(item["parameters"]), map[string]any{"name": "newly", "in": "query", "schema": map[string]any{"type": "string"}})
				}})
		}
	}
	if tags := list(s.d.root()["tags"]); len(tags) > 0 {
		all = append(all, edit{name: "the description of a tag", guide: "changes", do: func(root map[string]any) {
			tags := list(root["tags"])
			tag := cloned(tags[0]).(map[string]any)
			tag["description"] = "Entirely new words about it."
			tags[0] = tag
			root["tags"] = tags
		}})
	}
	return all
}

func TestAnEditChangesTheSkillsThatReachItAndNoOthers(t *testing.T) {
	for _, d := range smallDocsets(t) {
		t.Run(d.api, func(t *testing.T) {
			r := random(t)
			before := stateOf(t, d, map[string]string{})
			var edits []edit
			keys := slices.Sorted(maps.Keys(before.ops))
			for _, key := range keys {
				edits = append(edits, before.edits(t, before.ops[key])...)
			}
			components := before.componentEdits()
			for i := range components {
				// Only these documents are made so that all they reach shows.
				components[i].hidden = components[i].hidden || d.api != "kiln" && d.api != "old"
			}
			edits = append(edits, components...)
			edits = append(edits, before.documentEdits()...)
			some := 4
			if os.Getenv("APISKILLS_CORPUS") != "" {
				some = 10
			}
			most := len(edits)
			switch {
			case testing.Short():
				most, some = 10, 2
			case d.api == "bookshop" || d.api == "cafe":
				most = 50
			}
			r.Shuffle(len(edits), func(i, j int) { edits[i], edits[j] = edits[j], edits[i] })
			edits = edits[:min(len(edits), most)]
			for i := range edits {
				edits[i].check(t, before, keys, r, some)
			}
			t.Logf("%d edits", len(edits))
		})
	}
}

// Of real documents the budget cuts away much of what an operation reaches, so
// not all that may change does; but nothing else may.
func TestAnEditOfARealDocumentChangesOnlySkillsThatReachIt(t *testing.T) {
	realDocsets(t, func(t *testing.T, d *docset) {
		r := random(t)
		before := stateOf(t, d, map[string]string{})
		all := slices.Sorted(maps.Keys(before.ops))
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		keys, most := all[:min(len(all), 12)], 5
		if len(canonical(d.files[""])) > 2<<20 { // each edit writes it, and reads it, again
			keys, most = keys[:8], 3
		}
		var edits []edit
		for _, key := range keys[:min(len(keys), 2)] {
			edits = append(edits, before.edits(t, before.ops[key])...)
		}
		some := func(list []edit, n int) {
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			edits = append(edits, list[:min(len(list), n)]...)
		}
		some(before.documentEdits(), 2)
		some(before.componentEdits(), 4)
		r.Shuffle(len(edits), func(i, j int) { edits[i], edits[j] = edits[j], edits[i] })
		for i := range edits[:min(len(edits), most)] {
			e := &edits[i]
			e.hidden = true
			if e.guide != "changes" {
				e.guide = ""
			}
			e.check(t, before, keys, r, len(keys))
		}
	})(t)
}

func TestATwinMovesBothAndLeavesTheNameToNobody(t *testing.T) {
	long := strings.Repeat("word ", 20)
	for _, c := range []struct{ what, first, second string }{
		{"the same operationId", "openGate", "openGate"},
		{"an operationId in another case", "openGate", "OPEN_GATE"},
		{"an operationId that is the same when it is cut", long + "one", long + "two"},
	} {
		t.Run(c.what, func(t *testing.T) {
			d := swaggerDocset(t)
			add := func(path, id string) func(root map[string]any) {
				return func(root map[string]any) { object(root, "paths", path)["get"] = simple(id, "Gates") }
			}
			memo := map[string]string{}
			one := d.edited("", add("/a", c.first))
			two := one.edited("", add("/b", c.second))
			back := two.edited("", func(root map[string]any) { delete(object(root, "paths"), "/b") })
			before, with, after := stateOf(t, one, memo), stateOf(t, two, memo), stateOf(t, back, memo)
			if !maps.Equal(before.uris, after.uris) {
				t.Errorf("without the twin the URIs are %v, and were %v", after.uris, before.uris)
			}
			for key, uri := range before.uris {
				if moved := with.uris[key] != uri; moved != (key == "GET /a" && len(c.first) < 64) {
					t.Errorf("%s was at %s and is at %s", key, uri, with.uris[key])
				}
			}
			if uri := with.uris["GET /b"]; uri == before.uris["GET /a"] || uri == with.uris["GET /a"] {
				t.Errorf("the twin took %s", uri)
			}
			if len(c.first) < 64 {
				if _, err := with.g.Skill(t.Context(), before.paths["GET /a"]); !errors.Is(err, framework.ErrNotFound) {
					t.Errorf("the plain name is still served: %v", err)
				}
			}
		})
	}
}
