package ingest

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

const (
	// MaxOperations is how many operations of a document are served.
	MaxOperations = 100_000
	// maxHops is how many $refs a path item or an operation may lead through.
	maxHops = 16
	// maxRescan bounds the work behind $refs of path items and operations, in
	// bytes: many of them may lead to the same large object.
	maxRescan = 512 << 20
	// maxMembers bounds the root members that references can lead to, and
	// maxPerItem the operations of a path item. Both lists are searched in order.
	maxMembers = 256
	maxPerItem = 256
	// MaxAddress is the longest path, or name of a webhook, that a skill shows, in
	// bytes: it stands there several times, and few servers take longer ones.
	MaxAddress = 2 << 10
)

// methods are the fields of a path item that hold operations.
var methods = map[string]string{
	"get": "GET", "put": "PUT", "post": "POST", "delete": "DELETE", "options": "OPTIONS",
	"head": "HEAD", "patch": "PATCH", "trace": "TRACE", "query": "QUERY",
}

// An indexer makes the index of a document in one pass over its bytes. What is
// reached through a $ref is scanned once more, after the pass.
type indexer struct {
	doc   *Document
	s     scanner
	diags diagnostics
	yaml  bool // the bytes were YAML, whose reader has reported duplicate keys

	version       string
	isOAS2        bool
	titles        struct{ title, version string }
	oldComponents [4][]component    // of Swagger 2.0, by kind
	tags          map[string]string // interned
	names         map[string]int32  // path or webhook of the map being read -> item
	dropped       map[int32]bool    // items that a later duplicate replaced
	sinceItem     [2]int            // first item that counts: of paths, of webhooks
	reItems       []int32           // items with a $ref
	reOps         map[int]bool      // operations with a $ref
	elsewhere     int               // path items in other files
	rescan        int               // bytes that may still be scanned again behind $refs
}

// begin makes a text the document to be indexed.
func (in *indexer) begin(data []byte) {
	f := &file{label: in.doc.File, data: data}
	in.doc.files = []*file{f}
	in.s.data, in.s.refs = data, &f.refs
}

// index reads the document that begins at start. It returns false if the text
// is no JSON.
func (in *indexer) index(start int) bool {
	s, d := &in.s, in.doc
	in.tags = make(map[string]string)
	in.dropped = make(map[int32]bool)
	in.reOps = make(map[int]bool)
	in.rescan = maxRescan
	end := 0
	if s.data[start] != '{' {
		end = s.value(start, 0)
	} else {
		end = s.members(start, in.rootMember)
	}
	if end < 0 {
		return false
	}
	d.root = s.span(start, end)
	d.files[0].root = d.root
	if rest := s.space(end); rest < len(s.data) {
		s.fail(rest, "text after the end of the document")
		return false
	}
	return true
}

func (in *indexer) rootMember(name span, v int) int {
	s, d := &in.s, in.doc
	key := unquote(d.bytes(name))
	var end int
	switch key {
	case "openapi", "swagger":
		end = s.value(v, 1)
		if end >= 0 {
			in.version = in.text(v, end)
			in.isOAS2 = key == "swagger"
		}
	case "info":
		end = in.object(v, 1, func(name span, v int) int {
			end := s.value(v, 2)
			if end < 0 {
				return -1
			}
			switch string(in.key(name)) {
			case "title":
				in.titles.title = in.text(v, end)
			case "version":
				in.titles.version = in.text(v, end)
			}
			return end
		})
	case "paths", "webhooks":
		// An earlier member of that name counts no more.
		in.sinceItem[hooks(key == "webhooks")] = len(d.items)
		in.names = make(map[string]int32)
		end = in.object(v, 1, func(name span, v int) int {
			return in.pathItem(name, v, key == "webhooks")
		})
	case "definitions", "securityDefinitions", "responses", "parameters": // of Swagger 2.0
		k := oldKinds[key]
		in.oldComponents[k] = nil
		end = in.object(v, 1, func(name span, v int) int {
			end := s.value(v, 2)
			if end >= 0 {
				in.oldComponents[k] = append(in.oldComponents[k], component{name.start, uint32(end)})
			}
			return end
		})
	case "components":
		d.components = [len(kinds)][]component{}
		end = in.object(v, 1, in.componentMap)
	default:
		end = s.value(v, 1)
	}
	if end < 0 {
		return -1
	}
	sp := s.span(v, end)
	if i := slices.IndexFunc(d.members, func(m member) bool { return m.name == key }); i >= 0 {
		in.duplicate(pointer(key), int(d.members[i].span.start), v)
		d.members[i].span = sp
	} else if len(d.members) < maxMembers {
		d.members = append(d.members, member{strings.Clone(key), sp})
	}
	return end
}

// object calls f for the members of the value at v, if it is an object.
func (in *indexer) object(v, depth int, f func(name span, value int) int) int {
	if v < len(in.s.data) && in.s.data[v] == '{' {
		return in.s.members(v, f)
	}
	return in.s.value(v, depth)
}

// text returns a string, or the source text of another scalar: people write
// version: 1.0.
func (in *indexer) text(v, end int) string {
	switch raw := in.s.data[v:end]; raw[0] {
	case '"':
		return view(raw)
	case '{', '[', 'n':
		return ""
	default:
		return string(raw)
	}
}

func (in *indexer) duplicate(ptr string, first, second int) {
	if in.yaml || in.s.file != 0 {
		return
	}
	if in.diags.full() { // do not count lines for nothing
		in.diags.more++
		return
	}
	l1, _ := position(in.s.data, first)
	l2, _ := position(in.s.data, second)
	in.diags.add(framework.Warning, "duplicate-key", ptr,
		"the key is given twice, on lines %d and %d: the last one is used", l1, l2)
}

func (in *indexer) componentMap(name span, v int) int {
	d, s := in.doc, &in.s
	key := d.bytes(name)
	i := slices.IndexFunc(kinds[:], func(k string) bool { return keyIs(key, k) })
	if i < 0 {
		return s.value(v, 2)
	}
	d.components[i] = d.components[i][:0]
	return in.object(v, 2, func(name span, v int) int {
		end := s.value(v, 3)
		if end >= 0 {
			d.components[i] = append(d.components[i], component{name.start, uint32(end)})
		}
		return end
	})
}

func hooks(webhook bool) int {
	if webhook {
		return 1
	}
	return 0
}

func (in *indexer) pathItem(name span, v int, webhook bool) int {
	d, s := in.doc, &in.s
	key := view(d.bytes(name))
	if strings.HasPrefix(key, "x-") && !webhook {
		return s.value(v, 2)
	}
	n := int32(len(d.items))
	it := item{name: key, webhook: webhook, span: span{start: uint32(v)}}
	if v < len(s.data) && s.data[v] != '{' {
		end := s.value(v, 2)
		if end >= 0 && s.data[v] != 'n' {
			in.diags.add(framework.Error, "path-item-type", it.pointer(), "the path item is no object: left out")
		}
		return end
	}
	if len(key) > MaxAddress {
		in.diags.add(framework.Error, "path-length", pointer(map[bool]string{true: "webhooks", false: "paths"}[webhook]),
			"the path %q has %d bytes, more than the %d that a skill can show: its skills show it cut", shorten(key), len(key), MaxAddress)
	}
	if webhook && key == "" {
		in.diags.add(framework.Error, "webhook-name", it.pointer(), "the webhook has no name: left out")
		return s.value(v, 2)
	}
	if old, ok := in.names[key]; ok {
		in.duplicate(it.pointer(), int(d.items[old].span.start), v)
		in.dropped[old] = true
	}
	in.names[key] = n
	d.items = append(d.items, it)
	end := in.operations(n, v, 2, nil)
	d.items[n].span.end = uint32(max(end, 0))
	return end
}

// operations indexes the operations of the path item whose object begins at v,
// for item n, but those whose method is taken.
func (in *indexer) operations(n int32, v, depth int, taken map[string]bool) int {
	d, s := in.doc, &in.s
	it := d.items[n]
	ptr := it.pointer()
	first := len(d.Operations)
	add := func(method, sub string, v, depth int) int {
		op := Operation{Method: method, Pointer: sub, item: n}
		if it.webhook {
			op.Webhook = it.name
		} else {
			op.Path = it.name
		}
		end, hasRef := in.operation(&op, v, depth)
		if end < 0 || s.data[v] == 'n' || taken[method] {
			return end
		}
		at := first
		for at < len(d.Operations) && d.Operations[at].Method != method {
			at++
		}
		if at < len(d.Operations) {
			// The field of a method is for it, whichever of the two comes first.
			old := &d.Operations[at]
			if more := op.additional(); more != old.additional() {
				left := old.Pointer
				if more {
					left = sub
				}
				in.diags.add(framework.Error, "method-field", left,
					"%q does not belong in additionalOperations, and %q is there too: the operation is left out", method, strings.ToLower(method))
				if more {
					return end
				}
			} else {
				in.duplicate(sub, int(old.body.start), v)
			}
			*old = op
		} else if len(d.Operations) < 4*MaxOperations && at-first < maxPerItem {
			d.Operations = append(d.Operations, op)
		} else {
			in.diags.add(framework.Error, "too-many-operations", sub, "the operation is one too many: left out")
			return end
		}
		delete(in.reOps, at)
		if hasRef {
			in.reOps[at] = true
		}
		return end
	}
	hasRef := false
	end := s.members(v, func(name span, v int) int {
		key := in.key(name)
		if m, ok := methods[string(key)]; ok {
			return add(m, ptr+"/"+string(key), v, depth+1)
		}
		switch string(key) {
		case "additionalOperations":
			return in.object(v, depth+1, func(name span, v int) int {
				m := string(in.key(name))
				return add(m, ptr+pointer("additionalOperations", m), v, depth+2)
			})
		case "$ref":
			hasRef = true
		default:
			if m, ok := methods[strings.ToLower(string(key))]; ok {
				in.diags.add(framework.Error, "method-case", ptr+"/"+string(key),
					"%q is no field of a path item, %q is: the operation is left out", key, strings.ToLower(m))
			}
		}
		return s.value(v, depth+1)
	})
	if hasRef && end >= 0 {
		in.reItems = append(in.reItems, n)
	}
	return end
}

// key returns a member's name, decoded.
func (in *indexer) key(name span) []byte {
	raw := in.doc.bytes(name)
	if bytes.IndexByte(raw, '\\') >= 0 {
		return []byte(unquote(raw))
	}
	return raw[1 : len(raw)-1]
}

// operation reads the operation at v. It returns the offset after it, and whether
// it has a $ref.
func (in *indexer) operation(op *Operation, v, depth int) (end int, hasRef bool) {
	s := &in.s
	var seen [24]span
	n := 0
	end = in.object(v, depth, func(name span, v int) int {
		key := in.key(name)
		again := false
		for _, k := range seen[:n] {
			if again = string(in.key(k)) == string(key); again {
				in.duplicate(op.Pointer+pointer(string(key)), int(k.start), v)
				break
			}
		}
		if !again && n < len(seen) {
			seen[n] = name
			n++
		}
		end := s.value(v, depth+1)
		if end < 0 {
			return -1
		}
		switch string(key) {
		case "operationId":
			op.OperationID = in.text(v, end)
		case "$ref":
			hasRef = true
		case "tags":
			op.Tag = ""
			if s.data[v] == '[' {
				s.elements(v, func(i, v int) int {
					end := s.value(v, depth+2)
					if end >= 0 && s.data[v] == '"' {
						op.Tag = in.intern(s.data[v:end])
						return -1
					}
					return end
				})
			}
		}
		return end
	})
	op.body = s.span(v, end)
	return end, hasRef
}

func (in *indexer) intern(raw []byte) string {
	if s, ok := in.tags[string(raw)]; ok {
		return s
	}
	s := view(raw)
	in.tags[string(raw)] = s
	return s
}

// finish resolves the $refs of path items and operations, sorts, and checks that
// there is something to serve.
func (in *indexer) finish(files Files) (*Document, error) {
	d := in.doc
	if err := in.check(); err != nil {
		return nil, err
	}
	if d.old {
		in.settleOld()
	}
	byName := func(a, b component) int { return cmp.Compare(d.nameOf(a), d.nameOf(b)) }
	for k, list := range d.components {
		slices.SortStableFunc(list, byName)
		d.components[k] = slices.Clone(lastOf(list, byName, func(a, b component) {
			in.duplicate(d.componentAt(kind(k), d.nameOf(a)), int(a.start), int(b.start))
		}))
	}
	in.s.refs = nil
	in.readFiles(files)
	in.settleItems()
	in.followItems()
	in.followOperations()
	in.checkRefs()
	slices.SortFunc(d.Operations, compareOperations)
	if n := len(d.Operations) - MaxOperations; n > 0 {
		in.diags.add(framework.Error, "too-many-operations", "", "of %d operations the last %d are left out", len(d.Operations), n)
		d.Operations = d.Operations[:MaxOperations]
	}
	d.Operations = slices.Clone(d.Operations)
	in.sharePointers()
	if len(d.Operations) == 0 {
		hint := "an operation is a method of a path under `paths`, or of an entry of `webhooks`"
		if in.elsewhere > 0 {
			hint = "its path items are in other files, which could not be read"
		}
		return nil, d.unusable("the document has no operation and no webhook", hint)
	}
	for i, op := range d.Operations {
		if op.OperationID != "" {
			d.byID = append(d.byID, int32(i))
		}
	}
	slices.SortStableFunc(d.byID, func(a, b int32) int {
		return cmp.Compare(d.Operations[a].OperationID, d.Operations[b].OperationID)
	})
	for i := 1; i < len(d.byID); i++ {
		if a, b := &d.Operations[d.byID[i-1]], &d.Operations[d.byID[i]]; a.OperationID == b.OperationID {
			in.diags.add(framework.Warning, "duplicate-operation-id", b.Pointer,
				"operationId %q is also that of %s", b.OperationID, a.Pointer)
		}
	}
	if d.old {
		in.rootOf3()
	}
	d.Diagnostics = in.diags.all()
	d.MentionsSkill = MentionsSkill(d.bytes(d.root))
	return d, nil
}

// MentionsSkill reports whether JSON may have a member x-skill: as it is, or with
// escapes in its name.
func MentionsSkill(raw []byte) bool {
	return bytes.Contains(raw, []byte(`"x-skill"`)) || bytes.Contains(raw, []byte(`\u00`))
}

// lastOf keeps the last of equal neighbours.
func lastOf[T any](list []T, compare func(a, b T) int, dropped func(a, b T)) []T {
	kept := list[:0]
	for i := range list {
		if i+1 < len(list) && compare(list[i], list[i+1]) == 0 {
			dropped(list[i], list[i+1])
			continue
		}
		kept = append(kept, list[i])
	}
	return slices.Clip(kept)
}

// check refuses what is no OpenAPI document of a version that is served.
func (in *indexer) check() error {
	d := in.doc
	if d.first(d.root) != '{' {
		return d.unusable("the document is no object", "an OpenAPI document begins with `openapi: 3.1.0` or the like")
	}
	major, rest, _ := strings.Cut(in.version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	switch {
	case in.version == "" && !in.has("openapi") && !in.has("swagger"):
		hint := "an OpenAPI document begins with `openapi: 3.1.0` or the like"
		for _, other := range []string{"asyncapi", "arazzo", "overlay", "$schema"} {
			if in.has(other) {
				hint = "it has a `" + other + "` field, so it seems to be something else"
			}
		}
		return d.unusable("the document is not OpenAPI: it has no `openapi` field", hint)
	case in.version == "":
		return d.unusable("the document's `openapi` field names no version", "write `openapi: 3.1.0` or the like")
	case in.isOAS2 && major == "2":
		d.old = true
		in.version = "2.0"
	case in.isOAS2:
		return &Error{File: d.File, Pointer: "/swagger", Msg: "Swagger " + shorten(in.version) + " is not supported", Hint: "Swagger 2.0 is, and OpenAPI 3.0 to 3.2"}
	case major == "3" && (minor == "0" || minor == "1" || minor == "2"):
	default:
		return &Error{File: d.File, Pointer: "/openapi", Msg: "OpenAPI " + shorten(in.version) + " is not supported", Hint: "versions 3.0, 3.1 and 3.2 are, and Swagger 2.0"}
	}
	d.OpenAPI = in.version
	d.Title, d.Version = in.titles.title, in.titles.version
	return nil
}

func (in *indexer) has(name string) bool {
	return slices.ContainsFunc(in.doc.members, func(m member) bool { return m.name == name })
}

// shorten cuts a text from a document for a message.
func shorten(s string) string {
	if len(s) > 200 {
		return strings.ToValidUTF8(s[:200], "") + "..."
	}
	return s
}

// settleItems drops the items that were replaced and sorts the rest, so that
// paths can be looked up.
func (in *indexer) settleItems() {
	d := in.doc
	order := make([]int32, 0, len(d.items))
	for i := range d.items {
		if !in.dropped[int32(i)] && i >= in.sinceItem[hooks(d.items[i].webhook)] {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return compareItems(d.items[a], d.items[b]) })
	items := make([]item, len(order))
	moved := make([]int32, len(d.items))
	for i := range moved {
		moved[i] = -1
	}
	for to, from := range order {
		items[to], moved[from] = d.items[from], int32(to)
	}
	d.items = items
	ops := d.Operations[:0]
	reOps := make(map[int]bool)
	for i, op := range d.Operations {
		if op.item = moved[op.item]; op.item < 0 {
			continue
		}
		if in.reOps[i] {
			reOps[len(ops)] = true
		}
		ops = append(ops, op)
	}
	d.Operations, in.reOps = ops, reOps
	reItems := in.reItems[:0]
	for _, n := range in.reItems {
		if m := moved[n]; m >= 0 {
			reItems = append(reItems, m)
		}
	}
	in.reItems = reItems
}

// followItems adds the operations that path items have through a $ref.
func (in *indexer) followItems() {
	d := in.doc
	todo := in.reItems
	taken := make(map[int32]map[string]bool, len(todo))
	for _, n := range todo {
		taken[n] = make(map[string]bool)
	}
	for i := range d.Operations {
		if t := taken[d.Operations[i].item]; t != nil {
			t[d.Operations[i].Method] = true
		}
	}
	d.via = make(map[int32][]place)
	d.behind = make(map[span]string)
	for _, n := range todo {
		ptr := d.items[n].pointer()
		for part := d.items[n].span; len(d.via[n]) < maxHops; {
			ref, ok := d.child(part, "$ref")
			if !ok {
				break
			}
			target, ok := in.follow(ptr, ref)
			if !ok {
				break
			}
			if slices.ContainsFunc(d.parts(n), func(p place) bool { return p.span == target.span }) {
				in.diags.add(framework.Error, "ref-cycle", ptr+"/$ref", "the $ref leads back to itself")
				break
			}
			d.via[n] = append(d.via[n], target)
			first := len(d.Operations)
			in.s = d.scan(target.span)
			in.operations(n, int(target.span.start), 2, taken[n])
			for i := range d.Operations[first:] {
				op := &d.Operations[first+i]
				taken[n][op.Method] = true
				d.behind[op.body] = target.ptr + strings.TrimPrefix(op.Pointer, ptr)
			}
			part = target.span
		}
	}
}

// sharePointers puts the pointers of all operations into one string, which is
// smaller than one each.
func (in *indexer) sharePointers() {
	ops := in.doc.Operations
	size := 0
	for i := range ops {
		size += len(ops[i].Pointer)
	}
	var b strings.Builder
	b.Grow(size)
	for i := range ops {
		b.WriteString(ops[i].Pointer)
	}
	all := b.String()
	for i := range ops {
		n := len(ops[i].Pointer)
		ops[i].Pointer, all = all[:n], all[n:]
	}
}

// follow returns the object that a $ref (the span of its value) of the value at
// ptr leads to. If there is none it says so in a diagnostic.
func (in *indexer) follow(ptr string, ref span) (target place, ok bool) {
	d := in.doc
	raw := unquote(d.bytes(ref))
	at, why := d.resolve(ref.file, raw)
	switch {
	case why == "" && d.first(at.span) != '{':
		why = "leads to no object"
	case why == "":
		if in.rescan -= int(at.span.end - at.span.start); in.rescan >= 0 {
			return at, true
		}
		why = "is one too many: the $refs of this document lead to too much text"
	case !strings.HasPrefix(raw, "#"):
		in.elsewhere++
	}
	in.diags.add(framework.Error, "ref", ptr+"/$ref", "%q %s: what it holds is left out", shorten(raw), why)
	return place{}, false
}

// followOperations gives operations that are a $ref the body it leads to.
func (in *indexer) followOperations() {
	d := in.doc
	for i := range d.Operations {
		if !in.reOps[i] {
			continue
		}
		op := &d.Operations[i]
		body := place{span: op.body}
		for hops := 0; ; hops++ {
			ref, ok := d.child(body.span, "$ref")
			if !ok {
				break
			}
			target, ok := in.follow(op.Pointer, ref)
			if !ok {
				break
			}
			if hops == maxHops {
				in.diags.add(framework.Error, "ref-cycle", op.Pointer+"/$ref", "the $ref leads back to itself, or on too often")
				body.span = op.body
				break
			}
			body = target
		}
		if body.span == op.body {
			continue
		}
		next := *op
		next.OperationID, next.Tag = "", ""
		in.s = d.scan(body.span)
		in.operation(&next, int(body.span.start), 4)
		*op = next
		d.behind[op.body] = body.ptr
	}
}
