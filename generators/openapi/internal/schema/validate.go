package schema

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
)

const (
	maxChecks    = 50000  // pairs of schema and value that one check looks at
	maxAllChecks = 300000 // the same, in one call of this package
)

// A validator checks values against schemas as they are used in one direction:
// readOnly members are not required of a request, and refused in it.
//
// It exists beside kin-openapi's VisitJSON, whose verdict it shares on what both
// know (the tests compare them), for two reasons. VisitJSON, in its fast mode,
// knows neither const nor the other keywords of OpenAPI 3.1, and in the other
// mode compiles the schema anew for each value and demands readOnly members of
// requests. And it has no budget: thirty schemas, each allOf the next one
// twice, keep it busy for hours.
type validator struct {
	*walker
	left int
	path []string
	// unsure: something could not be checked, such as a pattern of a dialect
	// that Go does not have.
	unsure bool
}

// check returns "" if v is valid, else why not, as one line.
func (w *walker) check(ref *openapi3.SchemaRef, v *Value) (reason string, sure bool) {
	if ref == nil || ref.Value == nil {
		return "", true
	}
	most := min(maxChecks, w.checks)
	c := &validator{walker: w, left: most}
	reason = c.visit(ref.Value, v, nil)
	w.checks -= most - max(c.left, 0)
	if c.left < 0 {
		return "it is too complex to be checked", false
	}
	return reason, !c.unsure
}

func (c *validator) fail(format string, args ...any) string {
	if c.left < 0 {
		return "too complex"
	}
	msg := fmt.Sprintf(format, args...)
	if len(c.path) > 0 {
		msg = strings.Join(c.path, ".") + ": " + msg
	}
	return capWords(oneLine(msg), maxComment)
}

// child checks a member or an item: a new value, to which no schema applies yet.
func (c *validator) child(ref *openapi3.SchemaRef, v *Value, name string) string {
	if ref == nil || ref.Value == nil {
		return ""
	}
	c.path = append(c.path, name)
	defer func() { c.path = c.path[:len(c.path)-1] }()
	return c.visit(ref.Value, v, nil)
}

// visit checks v against s. The schemas in scope are those being applied to the
// same value.
func (c *validator) visit(s *openapi3.Schema, v *Value, scope []*openapi3.Schema) string {
	if c.left--; c.left < 0 {
		return "too complex"
	}
	if slices.Contains(scope, s) {
		return ""
	}
	scope = append(scope, s)
	if s.Always != nil {
		if *s.Always {
			return ""
		}
		return c.fail("nothing is allowed here")
	}
	if s.Extensions[StubKey] != nil {
		c.unsure = true
	}
	if v.IsNull() && s.Nullable {
		return "" // 3.0: null need not be among enum
	}
	if r := c.combined(s, v, scope); r != "" {
		return r
	}
	if s.Const != nil && !ValueOf(s.Const).equal(v) {
		return c.fail("must be %s", ValueOf(s.Const).Line())
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return ValueOf(e).equal(v) }) {
		return c.fail("%s is not one of the values allowed", v.Line())
	}
	switch x := v.get().(type) {
	case bool:
		return c.typed(s, "boolean")
	case number:
		return c.number(s, x)
	case string:
		return c.text(s, x)
	case []*Value:
		if r := c.array(s, x); r != "" {
			return r
		}
		return c.spareItems(s, v, x)
	case []Member:
		if r := c.object(s, v, x, scope); r != "" {
			return r
		}
		return c.spareMembers(s, v, x)
	}
	return c.typed(s, "null")
}

func (c *validator) typed(s *openapi3.Schema, t string) string {
	if s.Type.Permits(t) {
		return ""
	}
	return c.fail("%s where %s is expected", t, strings.Join(s.Type.Slice(), " or "))
}

// combined checks allOf, oneOf, anyOf, not and if.
func (c *validator) combined(s *openapi3.Schema, v *Value, scope []*openapi3.Schema) string {
	for _, p := range s.AllOf {
		if p.Value != nil {
			if r := c.visit(p.Value, v, scope); r != "" {
				return r
			}
		}
	}
	if s.Not != nil && s.Not.Value != nil && c.visit(s.Not.Value, v, scope) == "" {
		return c.fail("it is excluded by not")
	}
	if s.If != nil && s.If.Value != nil {
		then := s.Then
		if c.visit(s.If.Value, v, scope) != "" {
			then = s.Else
		}
		if then != nil && then.Value != nil {
			if r := c.visit(then.Value, v, scope); r != "" {
				return r
			}
		}
	}
	for i, options := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		if len(options) == 0 {
			continue
		}
		chosen, r := c.chosen(s, options, v)
		if r != "" {
			return r
		}
		if chosen != nil {
			if r := c.visit(chosen, v, scope); r != "" {
				return r
			}
			continue
		}
		fits, first := 0, ""
		for _, o := range c.knownFirst(options) {
			if o.Value == nil {
				continue
			}
			r := c.visit(o.Value, v, scope)
			if r == "" {
				// What is not expanded may or may not fit: it is no second one.
				core, _ := c.unwrap(o)
				if fits > 0 && core.Value != nil && c.shape(core.Value).stub != "" {
					continue
				}
				if fits++; i == 1 {
					break
				}
			} else if first == "" {
				first = r
			}
		}
		switch {
		case fits == 0:
			if len(options) == 1 {
				return first
			}
			return c.fail("it is none of the alternatives")
		case fits > 1 && i == 0:
			return c.fail("it is more than one of the alternatives of oneOf")
		}
	}
	return ""
}

// chosen returns the option that a discriminator chooses, or nil where it says
// nothing.
func (c *validator) chosen(s *openapi3.Schema, options openapi3.SchemaRefs, v *Value) (*openapi3.Schema, string) {
	if s.Discriminator == nil || !v.IsObject() {
		return nil, ""
	}
	pn := s.Discriminator.PropertyName
	d := v.Get(pn)
	if d == nil {
		return nil, c.fail("%s, which tells the kinds apart, is missing", name(pn))
	}
	ref := "#/components/schemas/" + d.Text()
	if m, ok := s.Discriminator.Mapping[d.Text()]; ok {
		ref = mappedTo(m.Ref)
	}
	for _, o := range options {
		if o.Ref == ref && o.Value != nil {
			return o.Value, ""
		}
	}
	if len(s.Discriminator.Mapping) > 0 {
		return nil, c.fail("%s is no value of %s", d.Line(), name(pn))
	}
	return nil, ""
}

func (c *validator) number(s *openapi3.Schema, n number) string {
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return c.fail("%s is no number", string(n))
	}
	if !s.Type.Permits("number") && !(s.Type.Permits("integer") && f == math.Trunc(f)) {
		return c.typed(s, "number")
	}
	sh := c.own(s)
	if sh.lo.set && (f < sh.lo.value || f == sh.lo.value && sh.lo.exclusive) ||
		sh.hi.set && (f > sh.hi.value || f == sh.hi.value && sh.hi.exclusive) {
		return c.fail("%s is out of the bounds %s", string(n), strings.Join(between(sh.lo, sh.hi), " "))
	}
	for _, step := range sh.steps {
		if step > 0 {
			if q := f / step; math.Abs(q-math.Round(q)) > 1e-9*math.Max(1, math.Abs(q)) {
				return c.fail("%s is no multiple of %s", string(n), numberOf(step))
			}
		}
	}
	switch s.Format {
	case "int32":
		if f < math.MinInt32 || f > math.MaxInt32 {
			return c.fail("%s is no int32", string(n))
		}
	case "int64":
		if f < math.MinInt64 || f > math.MaxInt64 {
			return c.fail("%s is no int64", string(n))
		}
	}
	return ""
}

func (c *validator) text(s *openapi3.Schema, v string) string {
	if !s.Type.Permits("string") {
		return c.typed(s, "string")
	}
	n := int64(utf8.RuneCountInString(v))
	if n < clampLength(s.MinLength) || s.MaxLength != nil && n > clampLength(*s.MaxLength) {
		return c.fail("%d characters, which is not %s", n, strings.Join(spanOf(s.MinLength, s.MaxLength).facet("len"), ""))
	}
	if s.Pattern != "" {
		switch re, err := c.compile(s.Pattern); {
		case err != nil:
			c.unsure = true
		case !re.MatchString(v):
			return c.fail("%s does not match %s", quote(capWords(v, 40)), regex(s.Pattern))
		}
	}
	if f, ok := openapi3.SchemaStringFormats[s.Format]; ok && f.Validate(v) != nil {
		return c.fail("%s is no %s", quote(capWords(v, 40)), s.Format)
	}
	return ""
}

func (c *validator) array(s *openapi3.Schema, items []*Value) string {
	if !s.Type.Permits("array") {
		return c.typed(s, "array")
	}
	n := int64(len(items))
	if n < clampLength(s.MinItems) || s.MaxItems != nil && n > clampLength(*s.MaxItems) {
		return c.fail("%d items, which is not %s", n, strings.Join(spanOf(s.MinItems, s.MaxItems).facet("size"), ""))
	}
	if s.UniqueItems {
		seen := make(map[string]bool, len(items))
		for _, v := range items {
			k := v.Compact()
			if seen[k] {
				return c.fail("two items are alike")
			}
			seen[k] = true
		}
	}
	for i, v := range items {
		ref := s.Items
		if i < len(s.PrefixItems) {
			ref = s.PrefixItems[i]
		}
		if r := c.child(ref, v, strconv.Itoa(i)); r != "" {
			return r
		}
	}
	if s.Contains != nil && s.Contains.Value != nil {
		want, n := rulesOf(s).contains, int64(0)
		for _, v := range items {
			if c.child(s.Contains, v, "contains") == "" {
				n++
			}
		}
		for _, x := range want {
			if n < x.count.min || x.count.max >= 0 && n > x.count.max {
				return c.fail("%d of its items are as contains asks for, which is not %s", n, strings.Join(x.count.facet(""), ""))
			}
		}
	}
	return ""
}

func (c *validator) object(s *openapi3.Schema, v *Value, members []Member, scope []*openapi3.Schema) string {
	if !s.Type.Permits("object") {
		return c.typed(s, "object")
	}
	n := int64(len(members))
	if n < clampLength(s.MinProps) || s.MaxProps != nil && n > clampLength(*s.MaxProps) {
		return c.fail("%d members, which is not %s", n, strings.Join(spanOf(s.MinProps, s.MaxProps).facet("size"), ""))
	}
	for _, r := range s.Required {
		if v.Get(r) == nil && !c.excused(r, scope) {
			return c.fail("%s is missing", name(r))
		}
	}
	for _, n := range slices.Sorted(maps.Keys(s.DependentRequired)) {
		for _, d := range s.DependentRequired[n] {
			if v.Get(n) != nil && v.Get(d) == nil {
				return c.fail("%s is missing beside %s", name(d), name(n))
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(s.DependentSchemas)) {
		ref := s.DependentSchemas[n]
		if v.Get(n) != nil && ref != nil && ref.Value != nil {
			if r := c.visit(ref.Value, v, scope); r != "" {
				return r
			}
		}
	}
	for _, m := range members {
		if r := c.member(s, m); r != "" {
			return r
		}
	}
	return ""
}

func (c *validator) member(s *openapi3.Schema, m Member) string {
	if s.PropertyNames != nil && s.PropertyNames.Value != nil {
		if r := c.child(s.PropertyNames, &Value{m.Name}, m.Name); r != "" {
			return r
		}
	}
	known := false
	if ref := s.Properties[m.Name]; ref != nil {
		known = true
		if ref.Value != nil && !m.Value.IsNull() && !c.twoWay {
			if ref.Value.ReadOnly && c.dir == Request {
				return c.fail("%s is readOnly", name(m.Name))
			}
			if ref.Value.WriteOnly && c.dir == Response {
				return c.fail("%s is writeOnly", name(m.Name))
			}
		}
		if r := c.child(ref, m.Value, m.Name); r != "" {
			return r
		}
	}
	for _, p := range slices.Sorted(maps.Keys(s.PatternProperties)) {
		ref := s.PatternProperties[p]
		re, err := c.compile(p)
		if err != nil {
			c.unsure = true
			known = true
		} else if re.MatchString(m.Name) {
			known = true
			if r := c.child(ref, m.Value, m.Name); r != "" {
				return r
			}
		}
	}
	if known {
		return ""
	}
	if has := s.AdditionalProperties.Has; has != nil && !*has {
		return c.fail("%s is not allowed", name(m.Name))
	}
	return c.child(s.AdditionalProperties.Schema, m.Value, m.Name)
}

// excused reports whether a required member does not exist in this direction,
// as one of the schemas that apply to the same value says.
func (c *validator) excused(member string, scope []*openapi3.Schema) bool {
	for _, s := range scope {
		if c.oneWay(s, member, 0) {
			return true
		}
	}
	return false
}

func (c *validator) oneWay(s *openapi3.Schema, member string, depth int) bool {
	if c.left--; c.left < 0 || depth > maxAlias {
		return false
	}
	if p := s.Properties[member]; p != nil && p.Value != nil {
		if _, ann := c.unwrap(p); ann.hidden(c.dir) {
			return true
		}
	}
	for _, p := range s.AllOf {
		if p.Value != nil && c.oneWay(p.Value, member, depth+1) {
			return true
		}
	}
	return false
}

// own returns the shape of a schema's own keywords, made once.
func (c *validator) own(s *openapi3.Schema) *shape {
	sh := c.owns[s]
	if sh == nil {
		sh = own(s)
		c.owns[s] = sh
	}
	return sh
}
