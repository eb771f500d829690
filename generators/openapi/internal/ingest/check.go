package ingest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

const (
	// maxPlaces is how many places of references that lead nowhere are looked for.
	maxPlaces = 2000
	// maxLocate is how deep the pointer of a fault is made out.
	maxLocate = 64
)

// A fault is a reference that leads nowhere.
type fault struct {
	ref, why string
	offs     []uint32 // where it stands
}

// checkRefs reports the references of all files that lead nowhere, once for each
// text, and those that lead back to themselves, once for each round. The skills that reach them say so again.
func (in *indexer) checkRefs() {
	d := in.doc
	c := refChecker{doc: d, seen: make(map[spot]bool)}
	told := make(map[[2]string]bool)
	for _, f := range in.diags.list {
		told[[2]string{f.File, f.Pointer}] = true
	}
	for n := range d.files {
		f := d.files[n]
		known := make(map[string]*fault)
		var faults []*fault
		places := 0
		d.eachRef(uint16(n), func(off uint32, ref string, mapped bool) {
			found, ok := known[ref]
			if !ok {
				if why := c.check(uint16(n), ref, mapped); why != "" {
					found = &fault{ref: ref, why: why}
					faults = append(faults, found)
				}
				known[ref] = found
			}
			if found != nil && places < maxPlaces {
				found.offs = append(found.offs, off)
				places++
			}
		})
		f.refs = nil
		if len(faults) == 0 {
			continue
		}
		at := d.locate(uint16(n), faults)
		for _, fault := range faults {
			ptr, more := "", 0
			for _, off := range fault.offs {
				p, ok := at[off]
				switch {
				case !ok:
				case told[[2]string{f.label, p}]:
					ptr, more = "told", 0
				case ptr == "":
					ptr = p
				default:
					more++
				}
				if ptr == "told" {
					break
				}
			}
			if ptr == "" || ptr == "told" {
				continue
			}
			also := ""
			if more > 0 {
				also = ", here and at " + itoa(more) + " other places"
			}
			in.diags.addTo(f.label, framework.Error, "ref", ptr, "%q %s: what it should bring is left out%s", shorten(fault.ref), fault.why, also)
		}
	}
}

// A refChecker resolves references without reading what they lead to.
type refChecker struct {
	doc  *Document
	seen map[spot]bool // followed before: what is wrong behind it was said
}

// check returns what is wrong with a reference, or "".
func (c *refChecker) check(n uint16, ref string, mapped bool) string {
	d := c.doc
	if mapped { // a name or a reference
		if part, _, ok := strings.Cut(ref, "#"); !ok && !readable(part) {
			return ""
		}
		if _, ok := d.component(schemas, ref); ok {
			return ""
		}
	}
	at, why := d.resolve(n, ref)
	round := make(map[spot]bool)
	for why == "" && !c.seen[at.spot()] {
		next, ok := d.onlyRef(at.span)
		if !ok {
			break
		}
		if round[at.spot()] {
			why = "leads back to itself"
			break
		}
		round[at.spot()] = true
		// What is wrong with that one is said where it stands.
		var broken string
		if at, broken = d.resolve(at.span.file, next); broken != "" {
			break
		}
	}
	for s := range round {
		c.seen[s] = true
	}
	return why
}

// onlyRef returns the $ref of an object that has it as its first member, and no
// other but a summary or description.
func (d *Document) onlyRef(s span) (ref string, ok bool) {
	sc := d.scan(s)
	if sc.data[s.start] != '{' {
		return "", false
	}
	i := sc.space(int(s.start) + 1)
	if !bytes.HasPrefix(sc.data[i:], []byte(`"$ref"`)) {
		return "", false
	}
	sc.members(int(s.start), func(name span, v int) int {
		end := sc.value(v, 0)
		switch key := string(d.bytes(name)); {
		case end < 0:
		case key == `"$ref"` && sc.data[v] == '"':
			ref, ok = unquote(sc.data[v:end]), true
		case key != `"description"` && key != `"summary"`:
			ok = false
			return -1
		}
		return end
	})
	return ref, ok
}

// locate returns the JSON Pointers of faults, but of those that stand where no
// reference can: in an example or a default.
func (d *Document) locate(n uint16, faults []*fault) map[uint32]string {
	var offs []uint32
	for _, f := range faults {
		offs = append(offs, f.offs...)
	}
	slices.Sort(offs)
	at := make(map[uint32]string, len(offs))
	d.locateIn(d.files[n].root, nil, offs, at)
	return at
}

func (d *Document) locateIn(s span, path []string, offs []uint32, at map[uint32]string) {
	sc := d.scan(s)
	step := func(token string, v, end int) {
		i, _ := slices.BinarySearch(offs, uint32(v))
		j, _ := slices.BinarySearch(offs, uint32(max(end, v)))
		if i == j {
			return
		}
		path := append(path, token)
		inside := sc.span(v, end)
		if sc.data[v] == '"' || len(path) >= maxLocate {
			for _, off := range offs[i:j] {
				if !isLiteral(path) {
					at[off] = pointer(path...)
				}
			}
			return
		}
		d.locateIn(inside, path, offs[i:j], at)
	}
	switch sc.data[s.start] {
	case '{':
		sc.members(int(s.start), func(name span, v int) int {
			end := sc.value(v, 0)
			if end >= 0 {
				step(view(d.bytes(name)), v, end)
			}
			return end
		})
	case '[':
		sc.elements(int(s.start), func(i, v int) int {
			end := sc.value(v, 0)
			if end >= 0 {
				step(itoa(i), v, end)
			}
			return end
		})
	}
}

// isLiteral reports whether a value is part of an example, a default or an
// extension, where a $ref is a member like any other.
func isLiteral(path []string) bool {
	for i, t := range path[:len(path)-1] {
		if i > 0 && isMap[path[i-1]] && (i < 2 || !isMap[path[i-2]]) {
			continue // a name that somebody gave
		}
		switch {
		case t == "example", t == "default", t == "enum", t == "const", t == "value", t == "dataValue", strings.HasPrefix(t, "x-"):
			return true
		case t == "examples" && len(path)-1-i > 2:
			return true
		}
	}
	return false
}

// isMap are the members whose members have names that somebody gave.
var isMap = map[string]bool{
	"properties": true, "patternProperties": true, "dependentSchemas": true, "$defs": true, "definitions": true,
	"schemas": true, "parameters": true, "headers": true, "responses": true, "examples": true, "links": true,
	"callbacks": true, "paths": true, "webhooks": true, "content": true, "encoding": true,
	"requestBodies": true, "securitySchemes": true, "pathItems": true, "mediaTypes": true, "mapping": true,
}
