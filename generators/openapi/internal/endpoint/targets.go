package endpoint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/apiskills/apiskills/generators/openapi/internal/schema"
	"github.com/apiskills/apiskills/generators/templates"
)

// What a destructive call is about: the ids that the user has to name.

// namesID reports whether a member holds the id of something, by its name.
func namesID(name string) bool {
	w := words(name)
	return len(w) > 0 && set("id", "ids", "uuid", "guid", "arn")[w[len(w)-1]]
}

// targets returns the names of the inputs that say what the call is about: the
// path's parameters, what else is required of the query, and required ids in the
// body.
func (b *builder) targets() []string {
	names := slices.Clone(b.pathNames())
	add := func(n string) {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	given := queryNames(b.op.Path)
	for _, p := range b.params {
		if p.In == "query" && p.Required && !given[p.Name] && !fixed(p) && scalar(p) && b.secret(p.Name, p.Description) == "" {
			add(p.Name)
		}
	}
	for _, n := range b.requiredMembers() {
		if namesID(n) {
			add(n)
		}
	}
	return names
}

// requiredMembers returns the names of the body's required members.
func (b *builder) requiredMembers() []string {
	if b.body == nil || b.body.types[0].media.Schema == nil {
		return nil
	}
	return b.describe(b.body.types[0].media.Schema, schema.Request, &schema.Options{TopOnly: true, SkipVariants: true}).Required
}

// nameless warns of a destructive call of which nothing that is required says
// what it is about.
func (b *builder) nameless() templates.Markdown {
	if b.effect.kind != destructive || len(b.targets()) > 0 || len(b.requiredMembers()) > 0 {
		return ""
	}
	var names []string
	for _, p := range b.params {
		if p.In == "query" && !p.Required && !toolNames[bare(p.Name)] && !limitNames[bare(p.Name)] && !p.Deprecated {
			names = append(names, p.Name)
		}
	}
	if b.body != nil {
		names = append(names, b.describe(b.body.types[0].media.Schema, schema.Request, &schema.Options{TopOnly: true, SkipVariants: true}).Names...)
	}
	if len(names) == 0 {
		return ""
	}
	return md("Nothing that the document requires says what this is about: add what the user named, with ", someCodes(names, 8, "or"), ", before you send it.")
}

// withIDs returns a body of JSON for a here document that the shell expands: the
// ids that say what a destructive call is about come from variables.
func (b *builder) withIDs(c *command, t mediaType, value *schema.Value) (text string, expand bool) {
	if b.effect.kind != destructive {
		return value.String(), false
	}
	members := value.Members()
	kept := slices.Clone(members)
	replace := []string{`\`, `\\`, "$", `\$`, "`", "\\`"}
	for i, m := range members {
		item, array := m.Value, false
		if items := item.Items(); len(items) > 0 {
			item, array = items[0], true
		}
		if !namesID(m.Name) || item.IsObject() || item.IsArray() || item.IsNull() || fixedMember(t, m.Name) {
			continue
		}
		name := b.idVariable(m.Name)
		note := "# " + name + ": the one the user said yes to"
		if like := cut(oneLine(item.Text()), 60); like != "" {
			note += "; looks like " + like
		}
		c.before = append(c.before, note)
		mark := "zqx" + strconv.Itoa(i) + "qxz"
		old, now := mark, "${"+name+":?}"
		if !strings.HasPrefix(item.Line(), `"`) {
			old = `"` + mark + `"`
		}
		replace = append(replace, old, now)
		members[i].Value = schema.ValueOf(mark)
		if array {
			members[i].Value = schema.ValueOf([]string{mark})
		}
	}
	text = value.String()
	copy(members, kept)
	if len(replace) == 6 {
		return text, false
	}
	return strings.NewReplacer(replace...).Replace(text), true
}

// fixedMember: the document leaves one value only.
func fixedMember(t mediaType, name string) bool {
	m := member(t.media.Schema, name)
	return m != nil && m.Value != nil && (m.Value.Const != nil || len(m.Value.Enum) == 1)
}

// formArguments returns the pairs of a form as arguments; the ids that say what
// a destructive call is about come from variables.
func (b *builder) formArguments(c *command, t mediaType, value *schema.Value, pairs string) []string {
	ids := map[string]*schema.Value{}
	if b.effect.kind == destructive {
		for _, m := range value.Members() {
			if namesID(m.Name) && !m.Value.IsObject() && !m.Value.IsArray() && !fixedMember(t, m.Name) {
				ids[m.Name] = m.Value
			}
		}
	}
	var args []string
	for pair := range strings.SplitSeq(pairs, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if m := member(t.media.Schema, name); m != nil && m.Value != nil {
			if variable := b.secret(name, m.Value.Description); variable != "" {
				args = append(args, "--data-urlencode "+text(name+"=").add(piece{variable: variable}).String())
				continue
			}
		}
		if v := ids[name]; v != nil {
			variable := b.idVariable(name)
			c.before = append(c.before, "# "+variable+": the one the user said yes to; looks like "+cut(oneLine(v.Text()), 60))
			args = append(args, "--data-urlencode "+text(name+"=").add(piece{variable: variable}).String())
			continue
		}
		args = append(args, "--data-raw "+quote(pair))
	}
	return args
}
