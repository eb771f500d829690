package endpoint

import (
	"regexp"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/generators/openapi/internal/schema"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// inputs writes the notation of all that can be sent.
func (b *builder) inputs() {
	in := &b.e.Inputs
	var lines []string
	group := func(heading string, members []string) {
		if len(members) == 0 {
			return
		}
		lines = append(lines, heading)
		for _, m := range members {
			lines = append(lines, "  "+m)
		}
	}
	scopes, more := capped(b.auth.scopes, 40)
	if more > 0 {
		scopes = append(slices.Clone(scopes), "... "+count(more, "more scope", "more scopes"))
	}
	group("scopes", scopes)
	group("server", b.server.lines)
	lines = append(lines, b.parameterGroups(in)...)
	if b.body != nil {
		lines = append(lines, b.bodyLines(in)...)
	}
	in.Notation = strings.Join(lines, "\n")
	if s := b.requiredInputs(); s != "" && b.op.Webhook == "" {
		in.Before = append([]templates.Markdown{md(s)}, in.Before...)
	}

	if len(b.undescribed) > 0 {
		in.After = append(in.After, md("The document does not describe the path parameter ", codes(b.undescribed, "and"), ": taken for a string (inferred)."))
	}
	if len(b.guessed) > 0 {
		in.After = append(in.After, md("The document does not say how ", codes(b.guessed, "and"), ", which is nested, is sent: JSON is a guess."))
	}
	switch {
	case b.op.Webhook != "":
	case in.Notation == "":
		in.After = append(in.After, "No inputs.")
	case b.body == nil && !slices.Contains([]string{"GET", "HEAD"}, b.op.Method):
		in.After = append(in.After, "No body.")
	}
}

// requiredInputs names all that must be sent, besides the path's parameters,
// which no URL lacks.
func (b *builder) requiredInputs() string {
	var parts []string
	add := func(where string, names []string) {
		if len(names) == 0 {
			return
		}
		parts = append(parts, where+" "+someCodes(names, 20, "and"))
	}
	for _, place := range places[1:] {
		var names []string
		for _, p := range b.params {
			if p.In == place && p.Required {
				names = append(names, p.Name)
			}
		}
		add(place, names)
	}
	if b.body != nil {
		t := b.body.types[0]
		block := b.describe(t.media.Schema, b.direction(), &schema.Options{TopOnly: true, SkipVariants: true})
		switch {
		case len(block.Required) > 0:
			add("body", block.Required)
		case b.body.required:
			parts = append(parts, "a body")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Required: " + strings.Join(parts, "; ") + "."
}

// parameterGroups returns the lines of all parameters, or those of the
// required ones and a pointer to the rest where they are too many.
func (b *builder) parameterGroups(in *templates.Inputs) []string {
	blocks := map[*openapi3.Parameter][]string{}
	total := 0
	var all []string
	for _, p := range b.params {
		blocks[p] = b.parameterLines(p)
		if p.In == "querystring" {
			in.Before = append(in.Before, md("The value of ", code(p.Name), " is all of the query, without a name."))
		}
		total += len(blocks[p])
		all = append(all, blocks[p]...)
	}
	group := func(keep func(*openapi3.Parameter) bool, whole bool) []string {
		var lines []string
		place := ""
		for _, p := range b.params {
			if !keep(p) {
				continue
			}
			if p.In != place {
				place = p.In
				lines = append(lines, place)
			}
			if whole {
				lines = append(lines, blocks[p]...)
			} else {
				lines = append(lines, blocks[p][0])
			}
		}
		return lines
	}
	every := func(*openapi3.Parameter) bool { return true }
	if b.limits.fits(all, b.limits.inputs) {
		return group(every, true)
	}
	b.section("parameters", templates.Section{Notation: strings.Join(group(every, true), "\n")})
	var optional []string
	for _, p := range b.params {
		if !required(p) {
			optional = append(optional, p.Name)
		}
	}
	kept := group(required, true)
	if !b.limits.fits(kept, b.limits.inputs) {
		kept = group(required, false)
		if !b.limits.fits(kept, b.limits.inputs) {
			kept = cutLines(kept, b.limits.inputs, b.limits.lineBytes)
		}
	}
	note := reference("All parameters", "parameters") + "."
	if len(optional) > 0 {
		note = reference("Optional parameters", "parameters") + ": " + someCodes(optional, 40, "and") + "."
	}
	in.After = append(in.After, md(note))
	return kept
}

// cutLines keeps the first lines that fit, and says how many are left out.
func cutLines(lines []string, limit, lineBytes int) []string {
	bytes := max(limit, 6) * lineBytes
	for i, l := range lines {
		if bytes -= len(l) + 1; i >= limit || bytes < 0 {
			return append(slices.Clone(lines[:i]), "  ... "+count(len(lines)-i, "more line", "more lines"))
		}
	}
	return lines
}

// requestOptions describe a body of the media type.
func requestOptions(t mediaType) *schema.Options {
	o := &schema.Options{XML: t.isXML()}
	if t.form == multipartForm {
		o.Multipart, o.Encoding = true, t.media.Encoding
	}
	return o
}

// bodyLines returns the lines of the body, or of its required members.
func (b *builder) bodyLines(in *templates.Inputs) []string {
	first := b.body.types[0]
	var same []string
	var others []mediaType
	for _, t := range b.body.types {
		if t.name == first.name || sameSchema(t.media.Schema, first.media.Schema) && (t.form == multipartForm) == (first.form == multipartForm) {
			same = append(same, t.name)
		} else {
			others = append(others, t)
		}
	}
	star := ""
	if b.body.required {
		star = "*"
	}
	heading := "body" + star + " " + strings.Join(same, " | ")
	options := requestOptions(first)
	options.Known = b.known
	block := b.describe(first.media.Schema, b.direction(), options)
	block.Type = bodyType(first, block)
	b.enums(block, "body")
	if len(b.body.types) > 1 {
		in.Before = append(in.Before, "The body is one of these, by `Content-Type`.")
	}
	lines := []string{bodyHeading(heading, block, b.body.says)}
	if first.isLines() && first.pieces(block) != "" {
		in.Before = append(in.Before, "The body is one JSON value a line.")
	}

	for _, t := range b.body.types {
		base, _, _ := strings.Cut(t.name, ";")
		lead := ""
		named := "Merge patch: "
		if len(b.body.types) > 1 {
			lead, named = code(t.name)+": ", ""
		}
		switch base {
		case "application/merge-patch+json":
			in.Before = append(in.Before, md(lead, named, "a member left out stays, `null` clears it where `null` is allowed, an array replaces the whole array, an object is merged member by member."))
		case "application/json-patch+json":
			in.Before = append(in.Before, md(lead, strings.Replace(named, "Merge", "JSON", 1), "an array of changes, applied in order, all or none (RFC 6902)."))
		}
	}
	in.Variants = b.variantTable(block)
	if v := block.Variants; v != nil && len(v.List) > b.limits.variants {
		options.SkipVariants = true
		block = b.describe(first.media.Schema, b.direction(), options)
		for _, variant := range v.List {
			section := templates.Section{
				Heading:  md(code(v.Property), " = ", codes(variant.Values, "or")),
				Notation: dedent(variant.Lines),
			}
			if section.Notation == "" {
				section.Before = []templates.Markdown{"Nothing besides the common members."}
			}
			b.section("variants", section)
		}
		in.After = append(in.After, md(reference("What each "+code(v.Property)+" has besides", "variants"), "."))
	}
	if b.limits.fits(block.Lines, b.limits.request) {
		lines = append(lines, block.Lines...)
		b.introduce(block)
	} else {
		options.TopOnly, options.SkipVariants = true, true
		top := b.describe(first.media.Schema, b.direction(), options)
		kept := top.Lines
		what := "Nested members"
		if !b.limits.fits(kept, b.limits.request) {
			silent := *options
			kept = schema.Describe(first.media.Schema, b.direction(), b.silent(&silent)).Lines
			what = "Nested members and the document's words"
		}
		if onlyChoices(top.Lines) { // which say nothing without what is in them
			silent := requestOptions(first)
			if lines := schema.Describe(first.media.Schema, b.direction(), b.silent(silent)).Lines; b.limits.fits(lines, b.limits.request) {
				kept, what = lines, "The document's words"
			}
		}
		if !b.limits.fits(kept, b.limits.request) {
			kept = requiredLines(top.Lines)
			what = "The optional members"
			if len(kept) == 0 {
				what = "The members, all optional"
			}
		}
		if !b.limits.fits(kept, b.limits.request) {
			kept = cutLines(kept, b.limits.request, b.limits.lineBytes)
		}
		lines = append(lines, kept...)
		whole := b.describe(first.media.Schema, b.direction(), requestOptions(first))
		b.section("request", templates.Section{
			Heading:  md(code(strings.Join(same, " | "))),
			Notation: strings.Join(append([]string{bodyHeading(heading, whole, b.body.says)}, whole.Lines...), "\n"),
		})
		in.After = append(in.After, md(reference(what, "request"), "."))
	}
	if rules := slices.DeleteFunc(slices.Clone(block.Unshown), func(k string) bool {
		return k == schema.StubKey || k == "default" || k == "false" || k == "allOf"
	}); len(rules) > 0 {
		in.After = append(in.After, md("The document has further rules for the body, in ", codes(rules, "and"), ", which the lines do not show."))
	}
	if first.form == multipartForm && slices.ContainsFunc(block.Lines, func(l string) bool { return topArray.MatchString(l) }) {
		in.After = append(in.After, "An array is sent as one part per item, all with the same name.")
	}

	for i, t := range others {
		heading := "body" + star + " " + t.name
		options := requestOptions(t)
		other := b.describe(t.media.Schema, b.direction(), options)
		other.Type = bodyType(t, other)
		line := bodyHeading(heading, other, "")
		if i < b.limits.otherTypes && len(lines)+len(other.Lines) < b.limits.request && b.limits.fits(other.Lines, b.limits.request/2) {
			lines = append(append(lines, line), other.Lines...)
			continue
		}
		if i < 8 {
			lines = append(lines, cut(line, 160))
		}
		if len(other.Lines) > 0 || i >= 8 {
			b.section("request", templates.Section{Heading: md(code(t.name)), Notation: strings.Join(append([]string{line}, other.Lines...), "\n")})
		}
	}
	if b.hasSection("request") && len(others) > 0 && !slices.ContainsFunc(in.After, func(m templates.Markdown) bool { return strings.Contains(string(m), "references/request") }) {
		in.After = append(in.After, md(reference("The other media types", "request"), "."))
	}
	return lines
}

var topArray = regexp.MustCompile(`^  \S[^#]*\[\]`)

// direction says which way the operation's body travels, seen from the reader:
// a webhook's is received.
func (b *builder) direction() schema.Direction {
	if b.op.Webhook != "" || b.op.Path == "" {
		return schema.Response
	}
	return schema.Request
}

// bodyHeading returns the line of the body itself.
func bodyHeading(heading string, block *schema.Block, says string) string {
	heading += ": " + block.Type
	if says = templates.Comment(templates.Prose(unlinked(says))); says == "" {
		says = block.Comment
	}
	if says != "" {
		heading += "  # " + says
	}
	return heading
}

// introduce remembers the components that SKILL.md now shows by name, so that
// what follows can refer to them.
func (b *builder) introduce(block *schema.Block) {
	for _, name := range block.Named {
		b.known[name] = true
	}
}

// variantTable compares the shapes that a discriminator tells apart.
func (b *builder) variantTable(block *schema.Block) *templates.Table {
	v := block.Variants
	if v == nil || len(v.List) < 2 {
		return nil
	}
	t := &templates.Table{Head: []templates.Markdown{md(code(v.Property)), "Required besides the common members", "Schema"}}
	for i, variant := range v.List {
		if i == b.limits.tableRows {
			t.Rows = append(t.Rows, []templates.Markdown{md(count(len(v.List)-i, "more kind", "more kinds")), "", ""})
			break
		}
		value, need := someCodes(variant.Values, 6, "or"), someCodes(variant.Required, 12, "and")
		component := ""
		if variant.Component != "" {
			component = code(variant.Component)
		}
		t.Rows = append(t.Rows, []templates.Markdown{cell(value), cell(need), cell(component)})
	}
	return t
}

// cell makes Markdown of ours fit into a table.
func cell(s string) templates.Markdown {
	return templates.TableCell(md(s))
}

// onlyChoices reports whether lines name no member besides "one of" or "any of".
func onlyChoices(lines []string) bool {
	return len(lines) > 0 && !slices.ContainsFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "  ") && !strings.HasPrefix(l, "   ") && l != "  one of:" && l != "  any of:"
	})
}

var requiredMember = regexp.MustCompile(`^  ("(?:[^"\\]|\\.)*"|[A-Za-z0-9_.$-]+)\*: `)

// requiredLines keeps the members that are required, without what is nested.
func requiredLines(lines []string) []string {
	var out []string
	for _, l := range lines {
		if requiredMember.MatchString(l) {
			out = append(out, l)
		}
	}
	return out
}

func dedent(lines []string) string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimPrefix(l, "  ")
	}
	return strings.Join(out, "\n")
}

// sameSchema reports whether two media types have one schema.
func sameSchema(a, b *openapi3.SchemaRef) bool {
	switch {
	case a == nil || b == nil:
		return a == nil && b == nil
	case a.Ref != "" || b.Ref != "":
		return a.Ref == b.Ref
	}
	return a == b || a.Value == b.Value
}

// A longEnum is an enumeration that a line shows in part.
type longEnum struct {
	path   string
	values []string
}

// enums collects the enumerations that block shows in part.
func (b *builder) enums(block *schema.Block, where string) {
	for _, e := range block.Enums {
		path := where
		if e.Path != "" {
			path += "." + e.Path
		}
		if len(b.longEnums) >= 64 || slices.ContainsFunc(b.longEnums, func(o longEnum) bool { return o.path == path }) {
			continue
		}
		b.longEnums = append(b.longEnums, longEnum{path, e.Values})
	}
}
