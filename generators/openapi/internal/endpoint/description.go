package endpoint

import (
	"cmp"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/apiskills/apiskills/generators/openapi/internal/schema"
	"github.com/apiskills/apiskills/generators/templates"
)

// The limits of a description in characters: of the format, of what a listing
// shows at least, of the document's own sentences.
const (
	maxDescription = 1024
	headLength     = 120
	ownSentences   = 200
)

// description is what a listing shows of the skill: what the call does and
// how it is addressed, in the first 120 characters; then the document's own
// words, when to use it and when not, its effect and what is special.
func (b *builder) description() string {
	op := b.op
	if s := b.authorsDescription(); s != "" {
		return s
	}
	if op.Webhook != "" {
		return b.webhookDescription()
	}
	summary := templates.Plain(b.e.Title, maxTitle)
	head := headOf(summary, op.Method+" "+addressPath(op.Path))
	var parts []string
	add := func(s string) {
		if s = sentence(s); s != "" {
			parts = append(parts, s)
		}
	}
	switch {
	case op.Op.Deprecated:
		s := "DEPRECATED"
		if b.sunset != "" {
			s += ", ends " + b.sunset
		}
		if t := b.replacement; t != nil {
			s += ": use " + t.Method + " " + oneLine(t.Path) + " (" + t.URI + ") instead"
		}
		add(s)
		if b.effect.kind == destructive {
			add("Destructive")
		}
		add("Use this one only where the user insists on it")
	default:
		if b.effect.kind == destructive && b.effect.inferred {
			add("Destructive by its name")
		} else if b.effect.kind == destructive {
			add("Destructive")
		}
		prose := templates.Prose(unlinked(b.aside(op.Op.Description)))
		own := templates.Sentences(prose, ownSentences)
		if short := templates.Sentences(prose, ownSentences*3/5); !strings.HasSuffix(short, " ...") {
			own = short
		}
		if b.longSummary && own == "" {
			own = templates.Sentences(templates.Prose(b.aside(op.Op.Summary)), ownSentences)
		}
		own = withoutSummary(own, summary)
		add(own)
		add(b.when(own == ""))
	}
	add(b.special())
	return fit(head, parts)
}

// headOf joins the summary and the address, the summary cut so that the
// address stays within the part that every listing shows.
func headOf(summary, address string) string {
	room := headLength - utf8.RuneCountInString(address) - len(": ")
	summary = strings.TrimRight(summary, " .:;,")
	switch {
	case room < 12:
		// No room for a summary before an address this long.
		if utf8.RuneCountInString(address) > 700 {
			address = cut(address, 700)
		}
		if summary == "" {
			return address + "."
		}
		return address + ": " + sentence(summary)
	case utf8.RuneCountInString(summary) > room:
		short := beforePreposition(summary, room)
		if short == "" { // no place to cut it: the address first, then all of it
			return address + ": " + sentence(summary)
		}
		summary = short
	}
	if summary == "" {
		return address + "."
	}
	return summary + ": " + address + "."
}

// addressPath returns the path for a description, in which "<" and ">" have no
// place since they look like a tag: as they travel.
func addressPath(path string) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E").Replace(oneLine(path))
}

// prepositions begin the part of a summary that says of what or where: what
// stands before is a phrase by itself.
var prepositions = set("for", "of", "in", "to", "on", "from", "by", "with", "at", "via", "using", "within", "under", "between", "per", "as", "into", "through", "inside", "across")

// beforePreposition returns the words of s before the last preposition that
// leaves at most room characters, if these are two words or more, or "".
func beforePreposition(s string, room int) string {
	if m := sentenceEnd.FindStringIndex(s); m != nil && utf8.RuneCountInString(s[:m[0]]) <= room {
		return s[:m[0]]
	}
	best := ""
	for i := 0; i < len(s); i++ {
		if s[i] != ' ' {
			continue
		}
		head := strings.TrimRight(s[:i], " .:;,([")
		if utf8.RuneCountInString(head) > room {
			break
		}
		next, _, _ := strings.Cut(s[i+1:], " ")
		if prepositions[strings.ToLower(next)] && strings.Contains(head, " ") && !dangles(head) {
			best = head
		}
	}
	return best
}

// dangles reports whether the last word of s asks for another one.
func dangles(s string) bool {
	last := strings.ToLower(s[strings.LastIndexByte(s, ' ')+1:])
	return prepositions[last] || set("a", "an", "the", "and", "or", "all", "its", "your", "this", "that", "not", "access")[last]
}

// fit joins the parts that there is room for.
func fit(head string, parts []string) string {
	s := head
	if utf8.RuneCountInString(s) > maxDescription {
		return cut(s, maxDescription)
	}
	for _, p := range parts {
		if utf8.RuneCountInString(s)+1+utf8.RuneCountInString(p) > maxDescription {
			continue
		}
		s += " " + p
	}
	return s
}

// withoutSummary drops a summary that a text begins with.
func withoutSummary(text, summary string) string {
	if rest, ok := strings.CutPrefix(text, summary); ok {
		if rest = strings.TrimLeft(rest, " .:;!"); rest == "" || text[len(summary)] != ' ' {
			return rest
		}
	}
	if sameWords(text, summary) {
		return ""
	}
	return text
}

// sameWords reports whether a text says no more than the summary does.
func sameWords(text, summary string) bool {
	return strings.Join(words(text), " ") == strings.Join(words(summary), " ")
}

// when says when to use the operation and when not, in its own vocabulary: the
// last segment of its path, its parameters, its answer's members.
func (b *builder) when(noProse bool) string {
	op := b.op
	segments := strings.Split(strings.Trim(pathForDisplay(op.Path), "/"), "/")
	last := segments[len(segments)-1]
	lastIsParameter := strings.HasPrefix(last, "{") && strings.HasSuffix(last, "}")
	noun := strings.Join(words(pathPlaceholder.ReplaceAllString(last, "")), " ")
	id := strings.Trim(last, "{}")
	collection := "/" + strings.Join(segments[:len(segments)-1], "/")
	plainPath := !strings.ContainsAny(op.Path, "?#")
	first := ""
	if w := words(op.OperationID); len(w) > 0 {
		first = w[0]
		if strings.EqualFold(first, op.Method) && len(w) > 1 {
			first = w[1]
		}
	}
	if w := words(string(b.e.Title)); len(w) > 0 && creates[w[0]] {
		first = w[0]
	}
	if thing, verb := thingOf(segments); verb != "" {
		noun = thing
	}
	parent := ""
	if n := len(segments); n > 1 && !strings.ContainsAny(segments[n-2], "{}") {
		parent = segments[n-2]
	}
	var s []string
	switch {
	case b.effect.kind == destructive:
		s = append(s, "Use only when the user asked for "+b.deletionOf()+" and confirmed it")
		s = append(s, b.deleteAnswers())
	case b.effect.kind == read && lastIsParameter:
		use := "Use when the " + id + " is known"
		if name, ends := b.pollStates(); name != "" {
			s = append(s, use+"; poll it until "+name+" is "+list(ends, "or"))
		} else if plural.MatchString(strings.ToLower(parent)) && plainPath {
			s = append(s, use+"; to find one, look through the collection "+oneLine(collection))
		} else {
			s = append(s, use)
		}
	case b.effect.kind == read && b.isList() && noun != "" && plainPath:
		use := "Use to find " + noun
		if b.pager() != nil {
			use += ", or read them page by page,"
		}
		if f := b.filters(); len(f) > 0 {
			use += " when no id is known; filters: " + strings.Join(f, ", ")
		} else {
			use = strings.TrimSuffix(use, ",")
		}
		s = append(s, use)
	case b.effect.kind == write && op.Method == "POST" && !lastIsParameter && plainPath && b.declares("201") && plural.MatchString(strings.ToLower(last)):
		use := "Use to add one to the collection " + oneLine("/"+strings.Join(segments, "/"))
		if len(b.pathNames()) == 0 {
			use += ", not to change one that exists"
		}
		s = append(s, use)
	case b.effect.kind == write && op.Method == "POST" && creates[first]:
		s = append(s, "Use to "+cmp.Or(creating[first], first)+" one, not to change one that exists")
	case op.Method == "PATCH" && lastIsParameter:
		s = append(s, "Use to change a part of one that exists, not to create one")
	case op.Method == "PATCH":
		s = append(s, "Use to change a part of the "+nounOf(segments)+b.ofThis())
	case op.Method == "PUT" && lastIsParameter && b.body != nil:
		s = append(s, "Use to put the whole of the "+id+" in place, not to change a part of it")
	default:
		s = append(s, b.otherUse())
	}
	if noProse && b.effect.kind == read {
		if r := b.returns(); r != "" {
			s = append(s, r)
		}
	}
	for i := range s {
		s[i] = sentence(s[i])
	}
	return strings.TrimSpace(strings.Join(slices.DeleteFunc(s, func(s string) bool { return s == "" }), " "))
}

// otherUse says when to use what is no list, no resource by its id and no
// change of one: a part of something, an action, a file, a stream.
func (b *builder) otherUse() string {
	op := b.op
	segments := strings.Split(strings.Trim(pathForDisplay(op.Path), "/"), "/")
	noun := nounOf(segments)
	ids := b.pathNames()
	id := ""
	if last := segments[len(segments)-1]; len(ids) > 0 && strings.HasPrefix(last, "{") {
		id = ids[len(ids)-1]
		ids = ids[:len(ids)-1]
	}
	of := ""
	if len(ids) > 0 {
		of = " of this " + oneLine(list(ids[max(len(ids)-3, 0):], "and"))
	}
	a := b.successful()
	thing, verb := thingOf(segments)
	switch {
	case verb != "" && id == "" && thing != "" && b.effect.kind != read:
		if reads[verb] && b.readsByName() {
			of += "; it only reads, by its name (inferred)"
		}
		return "Use to " + verb + " " + thing + of
	case rpcVerb(op.Path) != "" && id == "" && actionParameter.MatchString(op.Path):
		return "Use to " + strings.Join(words(rpcVerb(op.Path)), " ") + of
	case rpcVerb(op.Path) != "" && id == "" && b.effect.kind != read:
		return "" // the address and the summary are all there is to say
	}
	if b.effect.kind == read {
		switch {
		case op.Method == "HEAD":
			return "Use to check for the " + noun + of + " without its body"
		case a != nil && a.types[0].isEvents():
			return "Use to follow the " + noun + of + " as they come"
		case a != nil && a.types[0].isLines():
			return "Use to read the " + noun + of + " line by line"
		case a != nil && a.types[0].form == binaryForm, b.redirects():
			return "Use to download the " + noun + of
		case a == nil && b.declares("204"):
			return "Use to check the " + noun + of + ": the status is the answer"
		case thing != "" && reads[verb]:
			return "Use to " + verb + " " + thing + of
		}
		return "Use to read the " + noun + of
	}
	switch {
	case op.Method == "PUT" && id != "" && b.body == nil && plural.MatchString(noun):
		return "Use to put this " + oneLine(id) + " among the " + noun + of
	case op.Method == "PUT" && b.body != nil:
		return "Use to set the " + noun + of + " as a whole"
	case b.readsByName():
		return "Use to read without changing anything (inferred from its name)"
	case b.declares("202") && !b.declares("200") && !b.declares("201"):
		return "Use to start this work; it goes on after the answer"
	case op.Method == "POST" && id == "" && plural.MatchString(strings.ToLower(segments[len(segments)-1])):
		return "Use to post to the " + noun + of
	case id != "" && changes[firstVerb(b)]:
		return "Use to change a known " + oneLine(id) + ", not to create one"
	case id != "":
		return "Use when the " + oneLine(id) + " is known"
	case len(ids) > 0:
		return "Use when the " + oneLine(ids[len(ids)-1]) + " is known"
	}
	return ""
}

// firstVerb returns the verb that the heading begins with, without its ending.
func firstVerb(b *builder) string {
	w := words(string(b.e.Title))
	if len(w) == 0 {
		return ""
	}
	return strings.TrimSuffix(w[0], "s")
}

// plural matches the last word of a name of many things.
var plural = regexp.MustCompile(`(^|[a-z_ .-])[a-z]+[^s]s$`)

// creating are the verbs of creates as they follow "to".
var creating = map[string]string{"creates": "create", "adds": "add", "new": "create", "uploads": "upload", "registers": "register", "inserts": "insert"}

// ofThis names the path's parameters, as in " of this owner and repo".
func (b *builder) ofThis() string {
	ids := b.pathNames()
	if len(ids) == 0 {
		return ""
	}
	return " of this " + oneLine(list(ids[max(len(ids)-3, 0):], "and"))
}

// thingOf splits a path that ends in a verb into the verb and what it is done
// to: customers and search of /customers/search, files and upload of
// /files.upload. The verb is "" where the path ends in none.
func thingOf(segments []string) (thing, verb string) {
	last := segments[len(segments)-1]
	if strings.ContainsAny(last, "{}?#") {
		return "", ""
	}
	var before []string
	if i := strings.LastIndexAny(last, ".:"); i > 0 {
		before, last = words(last[:i]), last[i+1:]
	}
	w := words(last)
	if len(w) != 1 || !reads[w[0]] && !creates[w[0]] && !destroys[w[0]] && !ends[w[0]] && !changes[w[0]] {
		return "", ""
	}
	if len(before) == 0 && len(segments) > 1 {
		before = words(segments[len(segments)-2])
		if strings.ContainsAny(segments[len(segments)-2], "{}") || versionSegment.MatchString(segments[len(segments)-2]) {
			before = nil
		}
	}
	return strings.Join(before, " "), w[0]
}

var versionSegment = regexp.MustCompile(`^v?[0-9]+([._-][0-9a-z]+)*$`)

// nounOf returns the words of the last literal segment, with those of the one
// before it if nothing stands between them: "stock export" of /v2/stock/export.
func nounOf(segments []string) string {
	var noun []string
	for i := len(segments) - 1; i >= 0; i-- {
		s := segments[i]
		if versionSegment.MatchString(s) {
			continue
		}
		w := words(pathPlaceholder.ReplaceAllString(s, ""))
		if strings.Contains(s, "{") || len(w) == 0 {
			if len(noun) > 0 {
				break
			}
			continue
		}
		if len(noun) > 0 {
			if len(w)+len(noun) <= 4 && i > 0 || len(w)+len(noun) <= 2 {
				noun = append(w, noun...)
			}
			break
		}
		noun = w
	}
	if len(noun) == 0 {
		return "root"
	}
	return strings.Join(noun, " ")
}

// readsByName reports whether the operation's name begins with a verb that
// changes nothing.
func (b *builder) readsByName() bool {
	w := words(b.op.OperationID)
	return len(w) > 0 && (reads[w[0]] || len(w) > 1 && strings.EqualFold(w[0], b.op.Method) && reads[w[1]])
}

// successful returns the first answer of success that has a body, or nil.
func (b *builder) successful() *answer {
	for i, a := range b.answers {
		if a.success && len(a.types) > 0 {
			return &b.answers[i]
		}
	}
	return nil
}

// redirects reports whether a redirection is the only success.
func (b *builder) redirects() bool {
	found := false
	for _, a := range b.answers {
		if a.success && !strings.HasPrefix(a.status, "3") {
			return false
		}
		found = found || a.success && a.status != "304"
	}
	return found
}

// creates are the verbs after which there is one more.
var creates = set("create", "creates", "add", "adds", "register", "new", "insert", "upload", "uploads")

func (b *builder) deletionOf() string {
	ids := ""
	if names, _ := capped(b.targets(), 6); len(names) > 0 {
		ids = " this " + oneLine(list(names, "and"))
	}
	switch {
	case b.op.Method == "DELETE" && ids != "":
		return "the deletion of" + ids
	case b.op.Method == "DELETE":
		return "the deletion"
	case ids != "":
		return "this to be done to" + ids
	}
	return "this call"
}

// deleteAnswers says how a deletion ends, where one way is to end later.
func (b *builder) deleteAnswers() string {
	if !b.declares("202") {
		return ""
	}
	for _, a := range b.answers {
		if a.success && a.status != "202" {
			return "Answers " + a.status + ", or 202 with work to poll"
		}
	}
	return "Answers 202 with work to poll"
}

// pollStates returns the end states of the answer, if the skill says how to
// poll it.
func (b *builder) pollStates() (string, []string) {
	a := b.expected()
	if a == nil {
		return "", nil
	}
	if retry, _ := a.header("Retry-After"); retry == "" {
		return "", nil
	}
	return states(a.types[0].media.Schema)
}

// isList reports whether the answer is or holds one array of items.
func (b *builder) isList() bool {
	a := b.expected()
	if a == nil || a.types[0].media.Schema == nil || a.types[0].media.Schema.Value == nil {
		return false
	}
	if a.types[0].media.Schema.Value.Items != nil {
		return true
	}
	arrays := 0
	found := members(a.types[0].media.Schema)
	for _, ref := range found {
		if ref.Value != nil && ref.Value.Items != nil {
			arrays++
		}
	}
	return arrays > 0 && b.pager() != nil || arrays == 1 && len(found) <= 6
}

// filters returns the query parameters that choose what is returned.
func (b *builder) filters() []string {
	var names []string
	for _, p := range b.params {
		n := bare(p.Name)
		if p.In != "query" || limitNames[n] || fieldNames[n] || addingNames[n] || toolNames[n] || sortNames[n] || cursorNames[n] || pageNames[n] || offsetNames[n] || p.Deprecated {
			continue
		}
		names = append(names, oneLine(p.Name))
	}
	sort.Strings(names)
	head, more := capped(names, 8)
	if more > 0 {
		head = append(slices.Clone(head), count(more, "more", "more"))
	}
	return head
}

// returns names the members of the answer, where there is no prose to say so.
func (b *builder) returns() string {
	a := b.expected()
	if a == nil {
		return ""
	}
	block := b.describe(a.types[0].media.Schema, schema.Response, &schema.Options{TopOnly: true, SkipVariants: true})
	if block.Variants != nil || len(block.Names) == 0 || strings.HasSuffix(block.Type, "[]") {
		return ""
	}
	names, more := capped(block.Names, 6)
	s := "Returns " + oneLine(strings.Join(names, ", "))
	if more > 0 {
		s += " and " + count(more, "more", "more")
	}
	return s
}

// special says the effect in a word, and what is out of the ordinary.
func (b *builder) special() string {
	var s []string
	switch b.effect.kind {
	case read:
		s = append(s, "Read-only")
	case write:
		switch {
		case b.effect.key != nil && b.effect.key.Required:
			s = append(s, "Writes", "needs an "+oneLine(b.effect.key.Name))
		case b.effect.match != nil && b.effect.match.Required:
			s = append(s, "Writes", "needs the current ETag in If-Match")
		case b.effect.key != nil:
			s = append(s, "Writes", "takes an "+oneLine(b.effect.key.Name))
		case b.effect.idempotent:
			s = append(s, "Writes", "idempotent")
		default:
			s = append(s, "Writes", "not idempotent")
		}
	}
	if b.body != nil && b.body.types[0].form == multipartForm {
		s = append(s, "multipart")
	}
	if b.body != nil && b.body.types[0].form == binaryForm {
		s = append(s, "sends a file")
	}
	if len(b.auth.ways) == 0 && b.auth.declared {
		s = append(s, "public, no credentials")
	}
	if b.server.own {
		s = append(s, "its own server")
	}
	if w := b.auth.taken(); len(w) == 2 {
		s = append(s, "two credentials")
	} else if len(w) > 2 {
		s = append(s, "several credentials")
	}
	if b.effect.kind == read && b.declares("304") && b.hasHeader("If-None-Match") {
		s = append(s, "answers 304 while a given ETag is still current")
	}
	text := strings.Join(s, "; ")
	if kinds := b.kinds(); kinds != "" {
		text = strings.TrimSpace(sentence(text) + " " + kinds)
	}
	return upperFirst(text)
}

// kinds names the shapes of a body that a discriminator tells apart.
func (b *builder) kinds() string {
	if b.body == nil || b.body.types[0].media.Schema == nil {
		return ""
	}
	v := b.describe(b.body.types[0].media.Schema, schema.Request, nil).Variants
	if v == nil || len(v.List) < 2 {
		return ""
	}
	var names []string
	for _, variant := range v.List {
		names = append(names, oneLine(variant.Value))
	}
	head, more := capped(names, 8)
	s := "The body is one of " + count(len(names), "kind", "kinds") + ": " + strings.Join(head, ", ")
	if more > 0 {
		s += " and " + count(more, "more", "more")
	}
	return s
}
