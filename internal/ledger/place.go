package ledger

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
)

// maxHops is how many references one may lead through.
const maxHops = 32

// maxFiles is how many files a document may refer to.
const maxFiles = 2000

// A place is a value and where it stands. The zero place is nothing.
type place struct {
	file    string // "" is the document itself
	pointer string
	value   any
}

func (p place) String() string {
	if p.file == "" {
		return p.pointer
	}
	return p.file + "#" + p.pointer
}

func (p place) object() object {
	o, _ := p.value.(object)
	return o
}

func (p place) text() string {
	s, _ := p.value.(string)
	return s
}

func (p place) ok() bool { return p.value != nil }

// get returns a member, without following references.
func (p place) get(key string) place {
	v, ok := p.object()[key]
	if !ok {
		return place{}
	}
	return place{p.file, p.pointer + "/" + escapePointer(key), v}
}

// items returns the items of a list.
func (p place) items() []place {
	list, _ := p.value.([]any)
	out := make([]place, len(list))
	for i, v := range list {
		out[i] = place{p.file, p.pointer + "/" + strconv.Itoa(i), v}
	}
	return out
}

// keys returns the names of the members, sorted, without extensions.
func (p place) keys() []string {
	var keys []string
	for k := range p.object() {
		if !strings.HasPrefix(k, "x-") {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

var pointerEscapes, pointerUnescapes = strings.NewReplacer("~", "~0", "/", "~1"), strings.NewReplacer("~1", "/", "~0", "~")

func escapePointer(s string) string { return pointerEscapes.Replace(s) }

// resolve follows the references that a place is. What cannot be found is
// reported once, and is nothing.
func (d *Document) resolve(p place) place {
	target, at, err := d.chase(p)
	if err != nil {
		d.fault(at, "reference", "%v", err)
	}
	return target
}

// quietly resolves references without reporting what leads nowhere.
func (d *Document) quietly(p place) place {
	target, _, _ := d.chase(p)
	return target
}

// chase follows the references that a place is. If one leads nowhere, it is the
// one at.
func (d *Document) chase(p place) (target, at place, err error) {
	for range maxHops {
		ref, ok := p.object()["$ref"].(string)
		if !ok {
			return p, p, nil
		}
		next, err := d.follow(p, ref)
		if err != nil {
			return place{}, p, fmt.Errorf("%q leads nowhere: %w", ref, err)
		}
		p = next
	}
	return place{}, p, errors.New("references that lead to each other")
}

// lookup returns a member of something that may be a reference with members
// beside it, as path items are: those beside it win.
func (d *Document) lookup(p place, key string) place {
	for range maxHops {
		if m := p.get(key); m.ok() {
			return m
		}
		ref, ok := p.object()["$ref"].(string)
		if !ok {
			return place{}
		}
		target, err := d.follow(p, ref)
		if err != nil {
			d.fault(p, "reference", "%q leads nowhere: %v", ref, err)
			return place{}
		}
		p = target
	}
	return place{}
}

// follow returns what one reference leads to.
func (d *Document) follow(from place, ref string) (place, error) {
	name, fragment, _ := strings.Cut(ref, "#")
	file := from.file
	if name != "" {
		if u, err := url.Parse(name); err == nil && u.Scheme != "" {
			return place{}, fmt.Errorf("a URL is not fetched")
		}
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		file = path.Join(path.Dir(from.file), name)
		if file == d.name {
			file = ""
		}
	}
	v, err := d.load(file)
	if err != nil {
		return place{}, err
	}
	return d.at(file, v, fragment)
}

// at returns the place at a JSON Pointer in a URI fragment.
func (d *Document) at(file string, v any, fragment string) (place, error) {
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		pointer = fragment
	}
	p := place{file, "", v}
	if pointer == "" || pointer == "/" {
		return p, nil
	}
	if !strings.HasPrefix(pointer, "/") {
		if anchored, ok := d.anchors(file, v)[pointer]; ok {
			return anchored, nil
		}
		return place{}, fmt.Errorf("no anchor %q", pointer)
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = pointerUnescapes.Replace(token)
		next := p.get(token)
		if list, ok := p.value.([]any); ok {
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(list) {
				next = place{file, p.pointer + "/" + token, list[i]}
			}
		}
		if next.pointer == "" {
			return place{}, fmt.Errorf("nothing at %q", token)
		}
		p = next
	}
	return p, nil
}

// anchors returns the schemas of a file that have an $anchor.
func (d *Document) anchors(file string, v any) map[string]place {
	if found, ok := d.anchored[file]; ok {
		return found
	}
	found := map[string]place{}
	var walk func(p place)
	walk = func(p place) {
		switch v := p.value.(type) {
		case object:
			if a, ok := v["$anchor"].(string); ok {
				found[a] = p
			}
			for _, k := range p.keys() {
				walk(p.get(k))
			}
		case []any:
			for _, item := range p.items() {
				walk(item)
			}
		}
	}
	walk(place{file, "", v})
	d.anchored[file] = found
	return found
}

// load returns the value of a file, reading it once.
func (d *Document) load(file string) (any, error) {
	if f, ok := d.files[file]; ok {
		return f.value, f.err
	}
	f := &loaded{}
	switch {
	case d.open == nil:
		f.err = fmt.Errorf("other files are not open to it")
	case len(d.files) >= maxFiles:
		f.err = fmt.Errorf("more than %d files", maxFiles)
	default:
		var data []byte
		if data, f.err = d.open(file); f.err == nil {
			f.value, f.err = parse(data)
		}
	}
	d.files[file] = f
	return f.value, f.err
}

type loaded struct {
	value any
	err   error
}

// fault reports something about the document, once a place and rule.
func (d *Document) fault(p place, rule, format string, args ...any) {
	if d.seen == nil || len(d.faults) >= maxFaults {
		return
	}
	f := Finding{Rule: rule, Pointer: p.String(), Message: fmt.Sprintf(format, args...)}
	if !d.seen[f] {
		d.seen[f] = true
		d.faults = append(d.faults, f)
	}
}

const maxFaults = 100_000
