package ingest

import (
	"bytes"
	"net/url"
	"strings"
)

// A place is where a reference leads: a value, and its JSON Pointer in its file,
// with every $ref on the way followed.
type place struct {
	span span
	ptr  string
}

func (p place) spot() spot { return spot{p.span.file, p.ptr} }

// fragments returns the reference tokens that the fragment of a reference may
// mean: percent-decoded, which is right, and as written, for names with a "%".
func fragments(ref string) [][]string {
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

// resolve returns the value that a reference in a file leads to, or why there is
// none.
func (d *Document) resolve(file uint16, ref string) (at place, why string) {
	return d.resolveFrom(file, ref, 0)
}

func (d *Document) resolveFrom(file uint16, ref string, hops int) (at place, why string) {
	if part, _, _ := strings.Cut(ref, "#"); part != "" {
		if at, ok := d.anchor(file, ref); ok {
			return at, ""
		}
		l, ok := d.files[file].links[part]
		switch {
		case !ok:
			return place{}, "is in a file that was not read"
		case l.why != "":
			return place{}, l.why
		case d.files[l.file].why != "":
			return place{}, d.files[l.file].why
		}
		file, ref = l.file, ref[len(part):]
	}
	for _, toks := range fragments(ref) {
		if at, ok := d.walk(file, toks, hops); ok {
			return at, ""
		}
	}
	if at, ok := d.anchor(file, ref); ok {
		return at, ""
	}
	// People write references as if the files were pasted into the document.
	if file != 0 && strings.HasPrefix(ref, "#/") && hops < maxHops {
		return d.resolveFrom(0, ref, hops+1)
	}
	return place{}, "leads nowhere"
}

// walk looks up reference tokens in a file and follows the $refs it meets on the
// way, but not one at the end.
func (d *Document) walk(file uint16, toks []string, hops int) (place, bool) {
	if s, ok := d.lookup(file, toks); ok {
		return place{s, pointer(toks...)}, true
	}
	// Find the longest prefix that exists and is a $ref, and go on behind it.
	for n := len(toks) - 1; n >= 0 && hops < maxHops; n-- {
		s, ok := d.lookup(file, toks[:n])
		if !ok {
			continue
		}
		ref, ok := d.child(s, "$ref")
		if !ok {
			break
		}
		at, why := d.resolveFrom(file, unquote(d.bytes(ref)), hops+1)
		if why != "" {
			break
		}
		next, ok := tokens(at.ptr)
		if !ok {
			break
		}
		return d.walk(at.span.file, append(next, toks[n:]...), hops+1)
	}
	return place{}, false
}

// anchor returns the schema that "#name" ($anchor, $dynamicAnchor) names in a
// file, or a URI ($id) in any. In the document itself they are looked for in the
// components alone.
func (d *Document) anchor(file uint16, ref string) (place, bool) {
	d.anchors.once.Do(func() {
		d.anchors.at, d.anchors.several = make(map[spot]spot), make(map[spot]bool)
		for n, f := range d.files {
			if !bytes.Contains(f.data, []byte(`nchor"`)) && !bytes.Contains(f.data, []byte(`"$id"`)) {
				continue
			}
			d.anchorsOf(uint16(n))
		}
	})
	at, ok := d.anchors.at[spot{file, ref}]
	if !ok && !strings.HasPrefix(ref, "#") {
		at, ok = d.anchors.at[spot{0, ref}]
	}
	if !ok {
		return place{}, false
	}
	toks, _ := tokens(at.ptr)
	s, ok := d.lookup(at.file, toks)
	return place{s, at.ptr}, ok
}

// dynamic reports whether several schemas of a file have the $dynamicAnchor that
// a reference names: which of them is meant depends on how it is reached.
func (d *Document) dynamic(file uint16, ref string) bool {
	d.anchor(file, ref)
	return d.anchors.several[spot{file, ref}]
}

func (d *Document) anchorsOf(n uint16) {
	t := newTree()
	defer t.free()
	if n != 0 {
		if root := d.files[n].root; d.fits(root, maxUnit) {
			d.findAnchors(t.parse(d.bytes(root)), spot{n, ""}, 0)
		}
		return
	}
	for _, c := range d.components[schemas] {
		if value := d.valueOf(c); d.fits(value, maxUnit) {
			d.findAnchors(t.parse(d.bytes(value)), spot{0, d.componentAt(schemas, d.nameOf(c))}, 0)
		}
	}
}

func (d *Document) findAnchors(n *node, at spot, depth int) {
	if depth > maxNesting {
		return
	}
	for i := range n.kids {
		k := &n.kids[i]
		if n.kind == '[' {
			d.findAnchors(k, spot{at.file, at.ptr + "/" + itoa(i)}, depth+1)
			continue
		}
		key := spot{file: at.file}
		switch string(k.key) {
		case "$anchor", "$dynamicAnchor":
			key.ptr = "#" + unquote(k.raw)
		case "$id":
			if key.ptr = strings.TrimSuffix(unquote(k.raw), "#"); !strings.HasPrefix(key.ptr, "#") {
				key.file = 0
			}
		}
		if _, taken := d.anchors.at[key]; k.kind == '"' && key.ptr != "" && key.ptr != "#" {
			if !taken {
				d.anchors.at[key] = at
			} else if string(k.key) == "$dynamicAnchor" {
				d.anchors.several[key] = true
			}
		}
		if k.kind == '{' || k.kind == '[' {
			d.findAnchors(k, spot{at.file, at.ptr + "/" + escape(k.name())}, depth+1)
		}
	}
}
