package openapi

import (
	"slices"
	"strings"

	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
	"github.com/apiskills/apiskills/generators/templates"
)

// An outline is what the guide has to know of an answer's body: the names of
// its members, and those of the items if it is a list or has one.
type outline struct {
	members []string // of the body itself, ascending
	array   bool     // it is an array
	lists   int      // members that are arrays
	items   string   // pointer to an item, as in "/data/*"; "" if it is no list
	names   []string // members of an item, or of the body if it is no list
	schema  ref      // what an item refers to
}

const (
	maxMembers = 200 // that are looked at in one schema
	maxSame    = 3   // operations that are named because they return the same schema
)

// outline reads the schema of a body.
func (s *scanner) outline(raw []byte, from ingest.Origin) outline {
	if raw == nil {
		return outline{}
	}
	key := ref{from, text(member(raw, "$ref"))}
	if key.text != "" {
		if o, ok := s.outlines[key]; ok {
			return o
		}
	}
	body, at := s.g.resolve(raw, from)
	o := outline{}
	var item []byte
	itemAt := at
	if items := member(body, "items"); items != nil {
		o.array, o.items, item = true, "/*", items
	} else {
		s.properties(raw, from, 0, func(name string, v []byte, from ingest.Origin) {
			o.members = append(o.members, name)
			if v, at := s.g.resolve(v, from); member(v, "items") != nil {
				if o.lists++; o.lists == 1 {
					o.items, item, itemAt = "/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name)+"/*", member(v, "items"), at
				}
			}
		})
		slices.Sort(o.members)
		o.members = slices.Compact(o.members)
		if o.lists != 1 {
			o.items, item = "", nil
		}
	}
	if item == nil {
		o.names = o.members
	} else {
		o.schema = ref{itemAt, text(member(item, "$ref"))}
		s.properties(item, itemAt, 0, func(name string, _ []byte, _ ingest.Origin) { o.names = append(o.names, name) })
		slices.Sort(o.names)
		o.names = slices.Compact(o.names)
	}
	if key.text != "" {
		s.outlines[key] = o
	}
	return o
}

// properties calls f for the members of an object, those of its allOf included.
func (s *scanner) properties(raw []byte, from ingest.Origin, depth int, f func(name string, v []byte, from ingest.Origin)) {
	if depth > 4 {
		return
	}
	raw, from = s.g.resolve(raw, from)
	n := 0
	ordered(member(raw, "properties"), func(name string, v []byte) bool {
		f(name, v, from)
		n++
		return n < maxMembers
	})
	elements(member(raw, "allOf"), func(v []byte) bool {
		s.properties(v, from, depth+1, f)
		n++
		return n < maxMembers
	})
}

// keys are the names that a resource's own id often has.
var keys = []string{"id", "name", "number", "slug", "key", "code", "uuid", "sha", "login", "gid", "sid", "ref", "token"}

// idMember returns the member of a resource that a parameter takes: the one of
// the same name, else the one that the parameter's name ends with: id of
// sample_id.
func idMember(parameter string, names []string) string {
	p := letters(parameter)
	for _, n := range names {
		if letters(n) == p {
			return n
		}
	}
	for _, k := range keys {
		if strings.HasSuffix(p, k) && slices.Contains(names, k) {
			return k
		}
	}
	return ""
}

// inferredIDs adds to each group where its paths' parameters come from, as far
// as the paths tell: the list at the path before the parameter, what adds to
// it, and lists of the same schema.
func (m *guideMaker) inferredIDs(of func(string) *templates.GroupSection) {
	byCall := map[string]*facts{}
	bySchema := map[ref][]*facts{}
	for _, f := range m.ops {
		if f.webhook {
			continue
		}
		byCall[f.call] = f
		if a := f.answer; f.method == "GET" && a.items != "" && a.schema.text != "" {
			bySchema[a.schema] = append(bySchema[a.schema], f)
		}
	}
	type source struct{ group, id, prefix string }
	done := map[source]bool{}
	for _, f := range m.ops {
		if f.webhook {
			continue
		}
		_, path, _ := strings.Cut(f.call, " ")
		segments := strings.Split(path, "/")
		for i, segment := range segments {
			if i < 2 || !strings.HasPrefix(segment, "{") || !strings.HasSuffix(segment, "}") {
				continue
			}
			id := segment[1 : len(segment)-1]
			if strings.ContainsAny(id, "{}") {
				continue
			}
			key := source{f.group, id, strings.Join(segments[:i], "/")}
			if done[key] {
				continue
			}
			done[key] = true
			s := of(f.group)
			list, create := byCall["GET "+key.prefix], byCall["POST "+key.prefix]
			if list != nil && list.answer.items != "" {
				s.Ids = inferred(s.Ids, id, list, "same path")
			}
			if create != nil && create.answer.items == "" {
				s.Ids = inferred(s.Ids, id, create, "same path")
			}
			if list == nil || list.answer.schema.text == "" {
				continue
			}
			same := 0
			for _, other := range bySchema[list.answer.schema] {
				if other != list && same < maxSame && idMember(id, other.answer.names) != "" {
					s.Ids = inferred(s.Ids, id, other, "same schema")
					same++
				}
			}
		}
	}
}

// inferred adds a row, unless a link states it, or there are too many.
func inferred(rows []templates.IDRow, id string, f *facts, why string) []templates.IDRow {
	name := idMember(id, f.answer.names)
	call := templates.CodeCell(f.call)
	row := templates.IDRow{
		ID:   templates.Markdown(templates.CodeCell(id)),
		From: templates.Markdown(templates.CodeCell(f.answer.items+"/"+name) + " of " + call),
		How:  templates.Markdown("inferred: " + why),
	}
	if name == "" || len(rows) >= maxIDRows || slices.ContainsFunc(rows, func(r templates.IDRow) bool {
		return r.ID == row.ID && strings.HasSuffix(string(r.From), " of "+call)
	}) {
		return rows
	}
	return append(rows, row)
}
