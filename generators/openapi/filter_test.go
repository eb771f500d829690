package openapi

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

const filtered = `
openapi: 3.1.0
info: {title: Zoo, version: "1"}
paths:
  /pets:
    get: {operationId: listPets, tags: [Pets, Public], responses: {"200": {description: ok, links: {one: {operationId: getPet}}}}}
    post: {operationId: createPet, tags: [Pets], x-internal: true, responses: {"201": {description: ok}}}
  /pets/{id}:
    x-internal: true
    get: {operationId: getPet, tags: [Pets], x-internal: false, responses: {"200": {description: ok}}}
    delete: {operationId: deletePet, tags: [Pets], deprecated: true, responses: {"204": {description: ok}}}
  /pets/{id}/photos/{n}:
    get: {operationId: getpet, tags: [Photos/Big], responses: {"200": {description: ok}}}
webhooks:
  born:
    post: {operationId: born, tags: [Pets], responses: {"200": {description: ok}}}
`

func chosen(t *testing.T, o *Options) []string {
	t.Helper()
	o.Name = "zoo"
	g, err := New("zoo.yaml", []byte(filtered), o)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for p := range g.Paths(context.Background(), "") {
		if _, err := g.Skill(t.Context(), p); err != nil {
			t.Errorf("%s: %v", p, err)
		}
		if p != "zoo-guide" {
			list = append(list, p)
		}
	}
	return list
}

func TestRulesPickByWhatTheyName(t *testing.T) {
	yes, no := true, false
	all := chosen(t, &Options{})
	photo := slices.IndexFunc(all, func(p string) bool { return strings.HasPrefix(p, "photos") })
	id := func(s string) string { // of the two twins, with their hashes
		for _, p := range all {
			if strings.HasPrefix(p, s) {
				return p
			}
		}
		return s
	}
	getPet := id("pets/get-pet-")
	if getPet == "pets/get-pet-" {
		getPet = id("pets/get")
	}
	tests := []struct {
		name string
		rule Rule
		want []string
	}{
		{"method and glob", Rule{Operation: "GET /pets/**"}, []string{getPet, "pets/list-pets", all[photo]}},
		{"glob of one segment", Rule{Operation: "GET /pets/*"}, []string{getPet}},
		{"template of a path", Rule{Operation: "GET /pets/{id}"}, []string{getPet}},
		{"template with a glob", Rule{Operation: "* /pets/{id}/**"}, []string{"pets/delete-pet", getPet, all[photo]}},
		{"path alone", Rule{Operation: "/pets"}, []string{"pets/create-pet", "pets/list-pets"}},
		{"method in lower case", Rule{Operation: "delete /**"}, []string{"pets/delete-pet"}},
		{"either method", Rule{Operation: "{POST,DELETE} /**"}, []string{"pets/create-pet", "pets/delete-pet"}},
		{"webhook", Rule{Operation: "POST born"}, []string{"webhooks/born"}},
		{"another tag than the first", Rule{Tag: "Public"}, []string{"pets/list-pets"}},
		{"tag with a slash", Rule{Tag: "Photos/**"}, []string{all[photo]}},
		{"group", Rule{Group: "web*"}, []string{"webhooks/born"}},
		{"operationId", Rule{OperationID: "*Pets"}, []string{"pets/list-pets"}},
		{"deprecated", Rule{Deprecated: &yes}, []string{"pets/delete-pet"}},
		{"internal, by itself or by its path", Rule{Internal: &yes}, []string{"pets/create-pet", "pets/delete-pet"}},
		{"all that a rule names", Rule{Internal: &yes, Deprecated: &no}, []string{"pets/create-pet"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			slices.Sort(tt.want)
			if got := chosen(t, &Options{Include: []Rule{tt.rule}}); !slices.Equal(got, tt.want) {
				t.Errorf("include: got %q, want %q", got, tt.want)
			}
			rest := slices.DeleteFunc(slices.Clone(all), func(p string) bool { return slices.Contains(tt.want, p) })
			if got := chosen(t, &Options{Exclude: []Rule{tt.rule}}); !slices.Equal(got, rest) {
				t.Errorf("exclude: got %q, want %q", got, rest)
			}
		})
	}
}

func TestExcludedOperationsAreNamedNowhere(t *testing.T) {
	g, err := New("zoo.yaml", []byte(filtered), &Options{Name: "zoo", Exclude: []Rule{{Operation: "/pets/{id}/**"}}})
	if err != nil {
		t.Fatal(err)
	}
	for p := range g.Paths(t.Context(), "") {
		skill, err := g.Skill(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range skill.Files {
			text, _ := f.Content(t.Context())
			for _, not := range []string{"skill://zoo/pets/get", "delete-pet", "photos"} {
				if strings.Contains(string(text), not) {
					t.Errorf("%s of %s names %s", f.Name, p, not)
				}
			}
		}
	}
}

func TestRulesThatPickNothingAreTold(t *testing.T) {
	g, err := New("zoo.yaml", []byte(filtered), &Options{
		Include: []Rule{{Tag: "Pets"}, {Tag: "Cats"}},
		Exclude: []Rule{{Group: "webhooks"}, {Operation: "PUT /**"}, {Tag: "Cats"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"include tag=Cats", "exclude operation=PUT /**", "exclude tag=Cats"}
	if got := g.UnmatchedRules(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRulesThatCannotBeMeantAreRefused(t *testing.T) {
	for want, o := range map[string]*Options{
		"leave none":    {Include: []Rule{{Tag: "Cats"}}},
		"names nothing": {Exclude: []Rule{{}}},
		"is no glob":    {Exclude: []Rule{{Tag: "[a"}}},
		"nor a method":  {Exclude: []Rule{{Operation: "DELETE"}}},
	} {
		_, err := New("zoo.yaml", []byte(filtered), o)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Msg, want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

func FuzzGlob(f *testing.F) {
	for _, s := range []string{"/pets/{id}/**", "{a,b}", "{a{b}c}", "{", "}", "{}", "\\{a}", "{a,{b}}"} {
		f.Add(s, "/pets/{id}")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(pattern) > 100 || len(path) > 1000 {
			return
		}
		r := Rule{Operation: "GET /" + pattern}
		if r.Check() == nil {
			(&subject{method: "GET", address: path}).matches(r)
		}
	})
}
