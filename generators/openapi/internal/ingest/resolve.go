package ingest

import (
	"bytes"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// elsewhere is why a reference to another file or to the network is not followed.
const elsewhere = "is outside the document, which is all that is read"

// A place is where a reference leads: a value, and its JSON Pointer with every
// $ref on the way followed.
type place struct {
	span span
	ptr  string
}

// fragments returns the reference tokens that a reference inside the document may
// mean: percent-decoded, which is right, and as written, for names with a "%".
func (d *Document) fragments(ref string) [][]string {
	ptr := strings.TrimPrefix(ref, "#")
	var out [][]string
	if strings.Contains(ptr, "%") {
		if dec, err := url.PathUnescape(ptr); err == nil {
			if toks, ok := tokens(dec); ok {
				out = append(out, toks)
			}
		}
	}
	if toks, ok := tokens(ptr); ok {
		out = append(out, toks)
	}
	return out
}

// resolve returns the value a reference leads to, or why there is none.
func (d *Document) resolve(ref string) (at place, why string) {
	file, _, _ := strings.Cut(ref, "#")
	if file != "" {
		if at, ok := d.anchor(ref); ok {
			return at, ""
		}
		if !d.isSelf(file) {
			return place{}, elsewhere
		}
		ref = ref[len(file):]
	}
	for _, toks := range d.fragments(ref) {
		if at, ok := d.walk(toks, 0); ok {
			return at, ""
		}
	}
	if at, ok := d.anchor(ref); ok {
		return at, ""
	}
	return place{}, "leads nowhere"
}

// isSelf reports whether the file part of a reference names the document itself.
func (d *Document) isSelf(file string) bool {
	if strings.Contains(file, "://") || d.File == "" {
		return false
	}
	return path.Clean(file) == filepath.Base(d.File)
}

// walk looks up reference tokens and follows the $refs it meets on the way, but
// not one at the end.
func (d *Document) walk(toks []string, hops int) (place, bool) {
	if s, ok := d.lookup(toks); ok {
		return place{s, pointer(toks...)}, true
	}
	// Find the longest prefix that exists and is a $ref, and go on behind it.
	for n := len(toks) - 1; n > 0 && hops < maxHops; n-- {
		s, ok := d.lookup(toks[:n])
		if !ok {
			continue
		}
		ref, ok := d.child(s, "$ref")
		if !ok {
			break
		}
		raw := unquote(d.bytes(ref))
		if !strings.HasPrefix(raw, "#") {
			break
		}
		for _, target := range d.fragments(raw) {
			if at, ok := d.walk(append(target, toks[n:]...), hops+1); ok {
				return at, true
			}
		}
		break
	}
	return place{}, false
}

// anchor returns the schema that "#name" ($anchor, $dynamicAnchor) or a URI ($id)
// names. Anchors are looked for in the components alone.
func (d *Document) anchor(ref string) (place, bool) {
	d.anchors.once.Do(func() {
		d.anchors.at = make(map[string]string)
		if !bytes.Contains(d.data, []byte(`nchor"`)) && !bytes.Contains(d.data, []byte(`"$id"`)) {
			return
		}
		t := newTree()
		defer t.free()
		for _, c := range d.components[schemas] {
			if value := d.valueOf(c); d.fits(value, maxUnit) {
				d.findAnchors(t.parse(d.bytes(value)), pointer("components", "schemas", d.nameOf(c)), 0)
			}
		}
	})
	ptr, ok := d.anchors.at[ref]
	if !ok {
		return place{}, false
	}
	toks, _ := tokens(ptr)
	s, ok := d.lookup(toks)
	return place{s, ptr}, ok
}

func (d *Document) findAnchors(n *node, ptr string, depth int) {
	if depth > maxNesting {
		return
	}
	for i := range n.kids {
		k := &n.kids[i]
		if n.kind == '[' {
			d.findAnchors(k, ptr+"/"+itoa(i), depth+1)
			continue
		}
		name := ""
		switch string(k.key) {
		case "$anchor", "$dynamicAnchor":
			name = "#" + unquote(k.raw)
		case "$id":
			name = strings.TrimSuffix(unquote(k.raw), "#")
		}
		if _, taken := d.anchors.at[name]; k.kind == '"' && name != "" && name != "#" && !taken {
			d.anchors.at[name] = ptr
		}
		if k.kind == '{' || k.kind == '[' {
			d.findAnchors(k, ptr+"/"+escape(k.name()), depth+1)
		}
	}
}
