package endpoint

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/apiskills/apiskills/generators/openapi/internal/schema"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// A command is one call of curl, to be written as a script.
type command struct {
	before []string // lines above it: comments, assignments
	method string
	url    word
	args   []string // options with their values, quoted
	output string   // file that takes the answer's body, if it is no text
	stream bool     // print the answer as it comes
	// stdin is the body on standard input, in a here document.
	stdin    string
	hasStdin bool
	expand   bool   // stdin has variables
	label    string // of the here document
}

func (c *command) String() string {
	var b strings.Builder
	for _, l := range c.before {
		b.WriteString(l + "\n")
	}
	b.WriteString("curl -sS")
	switch {
	case c.method == "HEAD" && !c.hasStdin:
		b.WriteString(" -I")
	case c.output != "":
		b.WriteString(" -D - -o " + templates.ShellWord(c.output))
	default:
		b.WriteString(" -i")
	}
	if c.stream {
		b.WriteString(" -N")
	}
	if c.method != "HEAD" && (c.method != "GET" || len(c.args) > 0 && c.sendsBody()) {
		b.WriteString(" -X " + templates.ShellWord(c.method))
	}
	b.WriteString(" " + c.url.String())
	for _, a := range c.args {
		b.WriteString(" \\\n  " + a)
	}
	if c.hasStdin {
		end := delimiter(c.label, c.stdin)
		if c.expand {
			b.WriteString(" <<" + end + "\n" + c.stdin + "\n" + end)
		} else {
			b.WriteString(" <<'" + end + "'\n" + c.stdin + "\n" + end)
		}
	}
	return b.String()
}

// sendsBody: curl makes the method POST where an option carries a body.
func (c *command) sendsBody() bool {
	return c.hasStdin || slices.ContainsFunc(c.args, func(a string) bool {
		return strings.HasPrefix(a, "--data") || strings.HasPrefix(a, "-F ") || strings.HasPrefix(a, "--form")
	})
}

// delimiter returns a word that is no line of the body.
func delimiter(label, body string) string {
	lines := strings.Split(body, "\n")
	end := label
	for n := 2; slices.Contains(lines, end); n++ {
		end = label + "_" + strconv.Itoa(n)
	}
	return end
}

// newCommand makes the command without a body: URL, credentials, and all that
// is required of parameters.
func (b *builder) newCommand() *command {
	op := b.op
	c := &command{method: op.Method}

	// Path. The ids of a destructive call are the user's to say.
	parameters := map[string]*openapi3.Parameter{}
	for _, p := range b.params {
		if p.In == "path" {
			parameters[p.Name] = p
		}
	}
	c.url = slices.Clone(b.server.base)
	query := false
	for _, part := range pathParts(rooted(op.Path)) {
		if part.parameter == "" {
			before, after, found := strings.Cut(part.text, "?")
			switch {
			case query:
				c.url = c.url.add(piece{text: escapeQuery(part.text)})
			case found:
				query = true
				c.url = c.url.add(piece{text: escapePath(before) + "?" + escapeQuery(after)})
			default:
				c.url = c.url.add(piece{text: escapePath(part.text)})
			}
			continue
		}
		p := parameters[part.parameter]
		if b.effect.kind == destructive && p != nil && !fixed(p) && len(p.Content) == 0 {
			c.url = c.url.add(b.variableValue(c, p, "")...)
		} else {
			c.url = c.url.add(piece{text: tame(b.serialize(p, b.sample(p).Value))})
		}
	}

	// Query: required parameters, then keys.
	separator := func() piece {
		s := "?"
		if query {
			s = "&"
		}
		query = true
		return piece{text: s}
	}
	given := queryNames(op.Path)
	var headers, cookies []string
	for _, p := range b.params {
		switch {
		case p.In == "path", given[p.Name] && p.In == "query":
		case p == b.effect.key:
			c.before = append(c.before, "IDEMPOTENCY_KEY="+quote(b.keySample(p))+"  # write a new one here for each new request; keep it for its retries")
			headers = append(headers, "-H "+text(p.Name+": ").add(piece{variable: "IDEMPOTENCY_KEY"}).String())
		case p == b.effect.match && p.Required:
			c.before = append(c.before, "ETAG="+quote(singleLine(b.sample(p).Value.Text()))+"  # the ETag of a GET of the same URL (inferred), with its quotation marks")
			headers = append(headers, "-H "+text(p.Name+": ").add(piece{variable: "ETAG"}).String())
		case !p.Required, b.sentAlready(p):
		case p.In == "querystring": // all of the query
			if v := b.serialize(p, b.sample(p).Value); v != "" {
				c.url = c.url.add(separator(), piece{text: tame(v)})
			}
		case p.In == "query":
			if v := b.secret(p.Name, p.Description); v != "" && scalar(p) {
				c.url = c.url.add(separator(), piece{text: escape(p.Name, "", false) + "="}, piece{variable: v})
				continue
			}
			if b.effect.kind == destructive && !fixed(p) && scalar(p) {
				c.url = c.url.add(separator())
				c.url = c.url.add(b.variableValue(c, p, escape(p.Name, "", false)+"=")...)
				continue
			}
			s := b.serialize(p, b.sample(p).Value)
			if s == "" { // an empty object or list is nothing in a query, but something is required
				s = b.serialize(p, schema.ParameterSample(p, b.sampling(&schema.SampleOptions{NonEmpty: true, Items: 1})).Value)
			}
			if s != "" {
				c.url = c.url.add(separator(), piece{text: tame(s)})
			}
		case p.In == "header":
			if v := b.secret(p.Name, p.Description); v != "" {
				headers = append(headers, "-H "+text(p.Name+": ").add(piece{variable: v}).String())
				continue
			}
			v := singleLine(b.serialize(p, b.sample(p).Value))
			if strings.TrimSpace(v) == "" {
				headers = append(headers, "-H "+quote(singleLine(p.Name)+";"))
			} else {
				headers = append(headers, "-H "+quote(singleLine(p.Name)+": "+v))
			}
		case p.In == "cookie":
			cookies = append(cookies, singleLine(b.serialize(p, b.sample(p).Value)))
		}
	}
	cookie := word{}
	for _, s := range cookies {
		if len(cookie) > 0 {
			cookie = cookie.add(piece{text: "; "})
		}
		cookie = cookie.add(piece{text: s})
	}
	sent := map[string]bool{}
	for _, cred := range b.auth.taken() {
		for _, h := range cred.headers {
			// A header is sent once: of two schemes that both want it, the first
			// has it.
			name, _, _ := strings.Cut(h[0].text, ":")
			if name = strings.ToLower(name); sent[name] {
				continue
			}
			sent[name] = true
			c.args = append(c.args, "-H "+h.String())
		}
		for _, q := range cred.query {
			c.url = c.url.add(separator())
			c.url = c.url.add(q...)
		}
		for _, w := range cred.cookies {
			if len(cookie) > 0 {
				cookie = cookie.add(piece{text: "; "})
			}
			cookie = cookie.add(w...)
		}
		c.args = append(c.args, cred.options...)
	}
	c.url = merge(c.url)
	c.args = append(c.args, headers...)
	if len(cookie) > 0 {
		c.args = append(c.args, "-b "+merge(cookie).String())
	}
	if accept, binary := b.accept(); accept != "" || binary != "" {
		if accept != "" {
			c.args = append(c.args, "-H "+quote("Accept: "+singleLine(accept)))
		}
		c.output = binary
	}
	c.stream = b.streams()
	return c
}

// tame encodes what a serialized parameter may have though a URL in a command
// should not: brackets and braces, which curl would take for ranges,
// quotation marks, and what is no character of a URL.
func tame(s string) string { return escape(s, "$&()*+,;=:@/?#", true) }

// scalar: a variable can stand for the whole value.
func scalar(p *openapi3.Parameter) bool {
	if len(p.Content) > 0 {
		return false
	}
	if p.Schema == nil || p.Schema.Value == nil {
		return true
	}
	s := p.Schema.Value
	if s.Items != nil && s.Items.Value != nil && p.In == "query" && p.Style != "deepObject" && s.MinItems <= 1 {
		s = s.Items.Value // a list of one is sent like its item
	}
	return !s.Type.Includes("array") && !s.Type.Includes("object") && len(s.Properties) == 0
}

// fixed: the document leaves one value only, so that there is nothing to ask.
func fixed(p *openapi3.Parameter) bool {
	if p == nil || p.Schema == nil || p.Schema.Value == nil {
		return false
	}
	s := p.Schema.Value
	return s.Const != nil || len(s.Enum) == 1
}

// variableValue returns the words for a parameter whose value is the user's to
// say, and notes above the command what to set.
func (b *builder) variableValue(c *command, p *openapi3.Parameter, prefix string) word {
	if p == nil {
		return nil
	}
	name := b.idVariable(p.Name)
	v := b.sample(p).Value
	if items := v.Items(); len(items) > 0 {
		v = items[0]
	}
	like := cut(oneLine(v.Text()), 60)
	note := "# " + name + ": the one the user said yes to, percent-encoded"
	if like != "" {
		note += "; looks like " + like
	}
	c.before = append(c.before, note)
	w := text(prefix).add(piece{variable: name})
	if p.In == "path" {
		// What a style puts around the value, as in ";id=".
		const mark = "zqxvalueqxz"
		if s := b.serialize(p, mark); strings.Count(s, mark) == 1 {
			before, after, _ := strings.Cut(s, mark)
			w = text(tame(before)).add(piece{variable: name}, piece{text: tame(after)})
		}
	}
	return w
}

// common are names that an environment already has: a command that reads them
// would run on somebody else's value.
var common = regexp.MustCompile(`^(BASH.*|SSH_.*|LC_.*|XDG_.*|GIT_.*|GITHUB_.*|AWS_.*|GOOGLE_.*|AZURE_.*|CI_.*|GITLAB_.*|DOCKER_.*|KUBE.*|NPM_.*|LD_.*|CURL_.*|(HTTPS?|ALL|NO|FTPS?|WSS?)_PROXY|SSL_CERT_(FILE|DIR)|OLD_PWD|DBUS_.*|IDEMPOTENCY_KEY)$`)

// idVariable returns the name of the variable for an id. A name of one word
// may be in anybody's environment (USER, HOME, PATH, NAME): it takes the API's
// name before it, and so does one that a credential has.
func (b *builder) idVariable(name string) string {
	v := envName(name)
	plain := v != "" && strings.Contains(v, "_") && !common.MatchString(v) && (v[0] < '0' || v[0] > '9')
	if !plain {
		v = Variable(b.op.API, name)
	}
	if v == "" || v == Variable(b.op.API) {
		v = Variable(b.op.API, "id")
	}
	for _, w := range b.auth.ways {
		for _, c := range w {
			if slices.Contains(c.variables, v) {
				return v + "_PARAMETER"
			}
		}
	}
	return v
}

// keySample returns a key of the right form: a UUID where the schema takes one.
func (b *builder) keySample(p *openapi3.Parameter) string {
	const uuid = "00000000-0000-4000-8000-000000000000"
	if p.Schema == nil || p.Schema.Value == nil || p.Schema.Value.VisitJSON(uuid) == nil {
		return uuid
	}
	return singleLine(b.sample(p).Value.Text())
}

// accept returns what the command asks for: a media type where there are
// several to choose from, and a file's name where the answer is no text.
func (b *builder) accept() (accept, output string) {
	var types []mediaType
	for _, a := range b.answers {
		if !a.success {
			continue
		}
		for _, t := range a.types {
			if !slices.ContainsFunc(types, func(o mediaType) bool { return o.name == t.name }) {
				types = append(types, t)
			}
		}
		if len(types) > 0 {
			break // the first status that has a body is the one to expect
		}
	}
	if len(types) == 0 {
		return b.asks, ""
	}
	switch {
	case b.asks != "":
		accept = b.asks
	case len(types) > 1 && !strings.Contains(types[0].name, "*"):
		accept = types[0].name
	}
	if types[0].form == binaryForm {
		output, _ = fileName("answer", types[0].sent)
	}
	return accept, output
}

// withBody adds a body of the media type to the command.
func (b *builder) withBody(c *command, t mediaType, value *schema.Value) (files []string, multipartHint bool) {
	contentType := "-H " + quote("Content-Type: "+singleLine(t.sent))
	switch t.form {
	case jsonForm:
		c.args = append(c.args, contentType, "--data-binary @-")
		c.hasStdin, c.label = true, "JSON"
		c.stdin, c.expand = b.withIDs(c, t, value)
	case urlForm:
		s, err := schema.SerializeForm(t.media, value)
		if err != nil {
			b.report("warning", "form-encoding", b.op.Pointer, "the form cannot be encoded as the document says: %v", err)
		}
		if t.name != "application/x-www-form-urlencoded" {
			c.args = append(c.args, contentType)
		}
		if s == "" {
			c.args = append(c.args, "--data-raw ''")
			break
		}
		c.args = append(c.args, b.formArguments(c, t, value, s)...)
	case multipartForm:
		args, names := b.parts(t, value)
		multipartHint = strings.HasPrefix(t.sent, "multipart/form-data")
		if !multipartHint { // curl adds the boundary to it
			c.args = append(c.args, contentType)
		}
		c.args = append(c.args, args...)
		files = names
	case textForm:
		s := textOf(t, value, b.components())
		if strings.Contains(s, "\n") && s[len(s)-1] != '\n' && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }) {
			c.args = append(c.args, contentType, "--data-binary @-")
			c.stdin, c.hasStdin, c.label = s, true, "TEXT"
			break
		}
		c.args = append(c.args, contentType, "--data-raw "+quote(s))
	default:
		name, sent := fileName("file", t.sent)
		if t.sent != sent {
			contentType = "-H " + quote("Content-Type: "+singleLine(sent))
		}
		c.args = append(c.args, contentType, "--data-binary @"+name)
		files = []string{name}
	}
	return files, multipartHint
}

// call writes the command and what to know about it.
func (b *builder) call() {
	op := b.op
	if op.Webhook != "" {
		b.tryReceiver()
		return
	}
	var passages []templates.Passage
	first := templates.Passage{Lang: "bash"}
	if a := b.auth; a.chosen >= 0 && len(a.ways) > 1 {
		first.Text = md("With way ", strconv.Itoa(a.chosen+1), ":")
	}
	c := b.newCommand()
	var notes []string
	if op.Op.RequestBody != nil && b.body != nil && b.sendsBody() {
		t := b.body.types[0]
		x := b.bodySample(t)
		if s := x.Value.String(); b.without(t, x) {
			notes = append(notes, "The document requires nothing of the body, so this sends none: add what your call needs.")
		} else if t.form == jsonForm && len(s) > 2*b.limits.example {
			b.example(md("A body (", originOf(x), ")"), "json", s)
			c.args = append(c.args, "-H "+quote("Content-Type: "+singleLine(t.sent)), "--data-binary @body.json")
			notes = append(notes, "`body.json` is your body: "+reference("an example of one", "examples")+".")
		} else {
			files, multipart := b.withBody(c, t, x.Value)
			notes = append(notes, b.bodyNotes(t, x, files, multipart)...)
		}
		first.Code = c.String()
		passages = append(passages, first)
		if len(notes) > 0 {
			passages = append(passages, templates.Passage{Text: md(strings.Join(notes, " "))})
		}
		passages = append(passages, b.fullBodies(t, x)...)
		if b.ownExample != nil {
			b.example("The document's example", "json", b.ownExample.String())
			passages = append(passages, templates.Passage{Text: md(reference("The document's example", "examples"), ".")})
		}
	} else {
		first.Code = c.String()
		passages = append(passages, first)
	}
	if m := b.secretNote(); m != "" {
		passages = append(passages, templates.Passage{Text: m})
	}
	if m := b.nameless(); m != "" {
		passages = append(passages, templates.Passage{Text: m})
	}
	if c.output != "" {
		passages = append(passages, templates.Passage{Text: md("Status and headers are printed; the body goes to ", code(c.output), ".")})
	}
	if b.streams() {
		piece := "line"
		if slices.ContainsFunc(b.answers, func(a answer) bool { return a.success && len(a.types) > 0 && a.types[0].isEvents() }) {
			piece = "event"
		}
		passages = append(passages, templates.Passage{Text: md("The answer is a stream: with `-N` curl prints each ", piece, " as it comes.")})
	}
	b.e.Call.Passages = joined(passages)
}

// joined makes one paragraph of passages that are only text and follow each
// other.
func joined(passages []templates.Passage) []templates.Passage {
	var out []templates.Passage
	for _, p := range passages {
		if n := len(out); n > 0 && p.Code == "" && out[n-1].Code == "" {
			out[n-1].Text += " " + p.Text
			continue
		}
		out = append(out, p)
	}
	return out
}

// streams: the answer comes piece by piece.
func (b *builder) streams() bool {
	for _, a := range b.answers {
		if a.success && len(a.types) > 0 {
			return a.types[0].isEvents() || a.types[0].isLines()
		}
	}
	return false
}

// sendsBody: whether the command has a body. One that the document calls
// optional is sent where the method is one that lives by its body.
func (b *builder) sendsBody() bool {
	return b.body.required || slices.Contains([]string{"POST", "PUT", "PATCH"}, b.op.Method)
}

// without reports whether the command leaves out a body that may be left out:
// all that it could send is made up. A PUT or a PATCH lives by its body.
func (b *builder) without(t mediaType, x *schema.Example) bool {
	if b.body.required || b.op.Method != "POST" || t.form == binaryForm || x.Origin == schema.FromDocument || !x.Valid {
		return false
	}
	block := b.describe(t.media.Schema, schema.Request, &schema.Options{TopOnly: true, SkipVariants: true})
	return len(block.Required) == 0
}

func originOf(x *schema.Example) string {
	if x.Origin == schema.FromDocument {
		if !x.Valid {
			return "from the document, though its schema does not allow it"
		}
		return "from the document"
	}
	return madeHow(x)
}

// madeHow says that a value is made, and that parts of it are guesses where the
// schema is not expanded, or has a pattern that cannot be tried.
func madeHow(x *schema.Example) string {
	if x.Unsure {
		return "made from the schema; in part a guess"
	}
	return "made from the schema"
}

// bodyNotes says where the body in the command is from, and which files it
// needs.
func (b *builder) bodyNotes(t mediaType, x *schema.Example, files []string, multipart bool) []string {
	var notes []string
	if len(files) > 0 {
		head, _ := capped(files, 4)
		for i, f := range head {
			head[i] = "@" + f
		}
		if len(head) == 1 {
			notes = append(notes, code(head[0])+" is your file.")
		} else {
			notes = append(notes, codes(head, "and")+" are your files.")
		}
	}
	if multipart {
		notes = append(notes, "curl writes the `Content-Type` header with its boundary: do not set it.")
	}
	if x.Unsure && x.Origin == schema.Made && hasContent(x.Value) && b.guesses(t) {
		notes = append(notes, "Not all that the body requires is expanded here: words in capitals in it may be no valid values. Take them from the document.")
	}
	if t.form == textForm && t.isXML() && x.Origin == schema.Made && strings.HasPrefix(textOf(t, x.Value, b.components()), "<root") && !namesRoot(t.media.Schema) {
		notes = append(notes, "The document does not name the root element: put its name in the place of `root`.")
	}
	switch {
	case t.form == binaryForm:
	case !x.Valid && x.Origin == schema.Made && t.form == jsonForm:
		notes = append(notes, "No body could be made that is valid by the schema: complete this one.")
	case x.Origin == schema.FromDocument:
		note := "The body is the document's example"
		note += exampleName(x.Name)
		if !x.Valid {
			note += ", though the schema does not allow it"
		} else if len(x.ReadOnly) > 0 {
			note += ", with " + someCodes(x.ReadOnly, 6, "and") + ", which its schema marks readOnly"
		}
		notes = append(notes, note+".")
	case t.form == jsonForm && x.Value.IsObject() && len(x.Value.Members()) == 0 && b.op.Method != "PATCH":
		notes = append(notes, "Nothing is required in the body: put into it what you mean to send.")
	case t.form == jsonForm && x.Value.IsObject() && len(x.Value.Members()) == 0:
		notes = append(notes, "Put into the body what is to change.")
	case !b.body.required && t.form == jsonForm:
		notes = append(notes, "The document calls the body optional.")
	}
	return notes
}

// guesses reports whether a part of the body is not expanded, so that a sample
// of it is made of names alone.
func (b *builder) guesses(t mediaType) bool {
	return b.describe(t.media.Schema, schema.Request, requestOptions(t)).Stubbed
}

// fullBodies shows the body with every member: under the command if it is one
// line, else in references/examples.md, one for each variant.
func (b *builder) fullBodies(t mediaType, minimal *schema.Example) []templates.Passage {
	switch t.form {
	case jsonForm, multipartForm, urlForm:
	default:
		return nil
	}
	if t.media.Schema == nil {
		return nil
	}
	block := b.describe(t.media.Schema, schema.Request, nil)
	if v := block.Variants; v != nil && len(v.List) > 1 && t.form == jsonForm {
		for i, variant := range v.List {
			if i == 12 {
				break
			}
			full := schema.Sample(t.media.Schema, schema.Request, b.sampling(&schema.SampleOptions{Full: true, Variant: variant.Value, Seed: minimal.Value}))
			if full.Valid {
				heading := code(v.Property) + " = " + code(variant.Values[0])
				if full.Unsure {
					heading += " (in part a guess)"
				}
				b.example(md(heading), "json", full.Value.String())
			}
		}
		if b.hasSection("examples") {
			return []templates.Passage{{Text: md(reference("A full body of each kind", "examples"), ".")}}
		}
		return nil
	}
	full := schema.Sample(t.media.Schema, schema.Request, b.sampling(&schema.SampleOptions{Full: true, Seed: minimal.Value, Form: t.form == urlForm}))
	if !full.Valid || full.Value.Compact() == minimal.Value.Compact() || len(minimal.ReadOnly) > 0 {
		return nil
	}
	every := "very "
	if full.Omitted {
		every = "very expanded "
	}
	s := full.Value.String()
	if t.form != jsonForm {
		c := b.newCommand()
		b.withBody(c, t, full.Value)
		s = c.String()
		what := "E" + every + "field"
		if t.form == multipartForm {
			what = "E" + every + "part"
		}
		if len(s) <= b.limits.example/2 {
			return []templates.Passage{{Text: md(what, " (", madeHow(full), "):"), Lang: "bash", Code: s}}
		}
		b.example(md(what, " (", madeHow(full), ")"), "bash", s)
		return []templates.Passage{{Text: md(reference("The command with e"+what[1:], "examples"), ".")}}
	}
	if line := full.Value.Line(); len(line) <= 140 {
		s = line
		only := ""
		if b.op.Method == "PATCH" {
			only = "; send only what changes"
		}
		return []templates.Passage{{Text: md("E", every, "member (", madeHow(full), only, "):"), Lang: "json", Code: s}}
	}
	b.example(md("E", every, "member (", madeHow(full), ")"), "json", s)
	return []templates.Passage{{Text: md(reference("A body with e"+every+"member", "examples"), ".")}}
}
