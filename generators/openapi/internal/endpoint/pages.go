package endpoint

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// How an answer is paged. Nothing of it is stated where a program could read
// it: it is inferred from names, and the skill says from which.

// names reduces a name to what is compared: lower case, letters and digits.
func bare(name string) string { return strings.Join(words(name), "") }

var (
	cursorNames = set("cursor", "pagetoken", "nexttoken", "nextcursor", "startcursor", "startingafter", "after", "continue", "continuation",
		"continuationtoken", "marker", "nextmarker", "paginationtoken", "scrollid", "nextpagetoken", "pagecursor", "since", "exclusivestartkey", "starttoken", "beginningtoken", "cursormark", "keymarker", "nextpageid")
	pageNames   = set("page", "pagenumber", "pageno", "pagenum", "pageindex", "currentpage", "p")
	offsetNames = set("offset", "skip", "startindex", "startat", "start", "from", "first")
	limitNames  = set("limit", "pagesize", "perpage", "pagelimit", "maxresults", "maxitems", "count", "size", "top", "maxrecords", "resultsperpage", "pageitems", "rows", "take", "max", "maxkeys", "hitsperpage", "num")
	fieldNames  = set("fields", "select", "field", "includefields", "projection", "attributes", "properties", "fieldmask")
	addingNames = set("include", "expand", "embed", "with")
	// toolNames choose neither what is returned nor how much of it.
	toolNames = set("pretty", "prettyprint", "format", "alt", "callback", "timeout", "timeoutseconds", "watch", "allowwatchbookmarks", "sendinitialevents",
		"resourceversion", "resourceversionmatch", "token", "accesstoken", "apikey", "key", "oauthtoken", "quotauser", "userip", "uploadtype", "uploadprotocol", "xgafv", "apiversion", "version", "listtype", "encodingtype")
	sortNames = set("sort", "order", "orderby", "sortby", "direction", "sortorder", "sortdirection", "ordering", "sortkey", "dir")
	nextNames = set("nextcursor", "nextpagetoken", "nexttoken", "nextpage", "next", "nextmarker", "nextlink", "nextpageurl", "nexturl", "nexturi",
		"nextcontinuationtoken", "nextkeymarker", "nextmarkers", "nextpageid", "nextposition", "nextstartkey", "nextoffset", "nexttokenid",
		"endcursor", "continuationtoken", "continue", "cursor", "paginationtoken", "lastevaluatedkey", "nextpageuri", "odatanextlink", "scrollid", "nextsynctoken", "marker", "after")
	pagesNames = set("pages", "totalpages", "pagecount", "numpages", "lastpage", "pagestotal", "pagetotal", "numberofpages")
	totalNames = set("total", "totalcount", "totalitems", "totalresults", "totalrecords", "totalsize", "totalhits", "totalelements", "totalentries", "totalobjects", "numfound", "recordstotal")
	moreNames  = set("hasmore", "hasnext", "hasnextpage", "more", "ismore", "istruncated", "truncated", "hasmoreitems")
)

// A pager is what the document's names say about pages.
type pager struct {
	style string // cursor, page, offset, link (a header) or url (a member)
	param string // the parameter
	next  string // the member that has the next value, as a path
	hint  string // the member that the document's words on param name
	more  string // the member that says whether there is more
	less  bool   // more is the opposite: it says that this is the last page
	limit string
	field string
	add   string // the parameter that adds members
	items string // the member with the items
	pages string // the member with the number of pages
	total string // the member with the number of items
}

// pager finds out how the answer is paged, if it is.
func (b *builder) pager() *pager {
	if b.paged != nil || b.op.Webhook != "" {
		return b.paged
	}
	p := &pager{}
	var page, offset string
	var pageSchema *openapi3.SchemaRef
	told := map[string]string{} // the document's, by parameter
	for _, q := range b.params {
		if q.In != "query" {
			continue
		}
		told[q.Name] = q.Description
		switch n := bare(q.Name); {
		case limitNames[n] && (p.limit == "" || bare(p.limit) == n && len(q.Description) > len(told[p.limit])):
			p.limit = q.Name
		case fieldNames[n] && p.field == "":
			p.field = q.Name
		case addingNames[n] && p.add == "":
			p.add = q.Name
		case cursorNames[n] && (p.param == "" || n == "startingafter" || n == "cursor" || bare(p.param) == n && len(q.Description) > len(told[p.param])):
			p.param = q.Name
		case pageNames[n] && page == "":
			page, pageSchema = q.Name, q.Schema
		case offsetNames[n] && offset == "" && isNumber(q.Schema):
			offset = q.Name
		}
	}
	a := b.expected()
	if a == nil {
		return nil
	}
	top := members(a.types[0].media.Schema)
	find := func(names map[string]bool) string {
		var found []string
		for n := range top {
			if names[bare(n)] {
				found = append(found, n)
			}
		}
		if len(found) > 0 {
			return likeliest(found, p.param)
		}
		// One level down, in an envelope like "meta" or "pagination".
		for outer, ref := range top {
			if ref == nil || ref.Value == nil || ref.Value.Items != nil {
				continue
			}
			if !set("meta", "metadata", "pagination", "paging", "page", "pageinfo", "links", "responsemetadata", "cursors", "resultsinfo", "pagingmetadata")[bare(outer)] {
				continue
			}
			for inner := range members(ref) {
				if names[bare(inner)] {
					found = append(found, outer+"."+inner)
				}
			}
		}
		return likeliest(found, p.param)
	}
	var arrays []string
	for n, ref := range top {
		if ref != nil && ref.Value != nil && ref.Value.Items != nil {
			arrays = append(arrays, n)
		}
	}
	sort.Strings(arrays)
	if len(arrays) == 1 {
		p.items = arrays[0]
	}
	linkHeader, _ := a.header("Link")
	isArray := a.types[0].media.Schema != nil && a.types[0].media.Schema.Value != nil && a.types[0].media.Schema.Value.Items != nil
	p.more, p.pages, p.total = find(moreNames), find(pagesNames), find(totalNames)
	if p.more == "" {
		p.more = find(lastNames)
		p.less = p.more != ""
	}
	next := find(nextNames)
	if next == "" && p.param != "" {
		for _, m := range codeSpan.FindAllStringSubmatch(told[p.param], 8) {
			if nextNames[bare(m[1])] && m[1] != p.param {
				p.hint = m[1]
				break
			}
		}
	}
	to := b.expectedMember(next)
	if p.param == "" && page != "" && pageTokens[bare(next[strings.LastIndexByte(next, '.')+1:])] && to != nil && isNumber(to) == isNumber(pageSchema) && !isAddress(next, to) {
		p.param, page = page, "" // the number or the token of the next page is in the answer
	}
	switch {
	case next != "" && to != nil && isAddress(next, to) && (len(arrays) > 0 || isArray || p.param != ""):
		p.style = "url"
	default:
		p.style = pageStyle(p.param, page, offset, p.limit, next != "" || p.more != "" || p.hint != "", linkHeader != "", isArray, len(arrays) > 0)
	}
	switch p.style {
	case "cursor", "url":
		p.next = next
	case "link":
		p.param = linkHeader
	case "page":
		p.param = page
	case "offset":
		p.param = offset
	default:
		return nil
	}
	b.paged = p
	return p
}

var (
	codeSpan = regexp.MustCompile("`([A-Za-z][A-Za-z0-9_.-]{0,60})`")
	// lastNames are the opposite of moreNames.
	lastNames = set("islast", "islastpage", "lastpagereached", "complete", "iscomplete", "nomore", "isfinished")
	// pageTokens name the next page where a parameter called page takes them.
	pageTokens = set("nextpage", "nextpagetoken", "nextcursor", "nexttoken", "nextpageid")
	// lastItem are the parameters that take the id of an item, not a token.
	lastItem = set("startingafter", "after", "afterid", "since", "marker", "exclusivestartkey", "keymarker", "sinceid")
)

// likeliest returns the name that most likely holds the next value: one that
// says next, then one that is not only what was sent, then the first.
func likeliest(names []string, sent string) string {
	rank := func(n string) int {
		switch n = bare(n[strings.LastIndexByte(n, '.')+1:]); {
		case strings.HasPrefix(n, "next") || strings.HasPrefix(n, "odatanext"):
			return 0
		case n != bare(sent):
			return 1
		}
		return 2
	}
	sort.Slice(names, func(i, j int) bool {
		if a, b := rank(names[i]), rank(names[j]); a != b {
			return a < b
		}
		return names[i] < names[j]
	})
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// isAddress reports whether a member holds the URL of the next page.
func isAddress(name string, ref *openapi3.SchemaRef) bool {
	n := bare(name[strings.LastIndexByte(name, '.')+1:])
	if set("nextlink", "nextpageurl", "nexturl", "nexturi", "nextpageuri", "odatanextlink")[n] {
		return true
	}
	f := ""
	if ref.Value != nil {
		f = ref.Value.Format
	}
	return f == "uri" || f == "url" || f == "uri-reference"
}

// expectedMember returns the schema of a member of the expected answer, by its
// path, or nil.
func (b *builder) expectedMember(path string) *openapi3.SchemaRef {
	a := b.expected()
	if a == nil || path == "" {
		return nil
	}
	ref := a.types[0].media.Schema
	// A name may have a "." of its own, as in "@odata.nextLink".
	if m := member(ref, path); m != nil {
		return m
	}
	for name := range strings.SplitSeq(path, ".") {
		ref = member(ref, name)
	}
	return ref
}

// pageStyle tells the style of pages by the names of parameters that were
// found, and by what the answer has.
func pageStyle(cursor, page, offset, limit string, next, link, isArray, hasArray bool) string {
	switch {
	case cursor != "" && (next || bare(cursor) == "startingafter"):
		return "cursor"
	case link && (page != "" || cursor != "" || limit != "" || isArray):
		return "link"
	case page != "" && (isArray || hasArray):
		return "page"
	case offset != "" && (isArray || hasArray) && (limit != "" || bare(offset) == "offset" || bare(offset) == "skip"):
		return "offset"
	}
	return ""
}

// PageStyle returns how an answer is paged, as far as names tell: "cursor",
// "link" (a header), "url" (a member of the answer), "page", "offset", or "" for one that is not. query are the names of
// the query's parameters and members those of the answer's body; link says that
// it has a Link header, isArray that it is an array, hasArray that it has one.
func PageStyle(query, members []string, link, isArray, hasArray bool) string {
	first := func(names map[string]bool, of []string) string {
		for _, n := range of {
			if names[bare(n)] {
				return n
			}
		}
		return ""
	}
	n := first(nextNames, members)
	if n != "" && isAddress(n, &openapi3.SchemaRef{}) && (isArray || hasArray) {
		return "url"
	}
	next := n != "" || first(moreNames, members) != ""
	cursor, page := first(cursorNames, query), first(pageNames, query)
	if cursor == "" && page != "" && pageTokens[bare(n)] {
		cursor = page
	}
	return pageStyle(cursor, page, first(offsetNames, query), first(limitNames, query), next, link, isArray, hasArray)
}

func isNumber(ref *openapi3.SchemaRef) bool {
	return ref != nil && ref.Value != nil && (ref.Value.Type.Includes("integer") || ref.Value.Type.Includes("number"))
}

func (b *builder) pages() (heading, text string) {
	p := b.pager()
	if p == nil {
		return "", ""
	}
	from := []string{code(p.param)}
	var s string
	switch p.style {
	case "cursor":
		s = "Send the same request again with " + code(p.param) + " set to "
		switch {
		case p.next != "":
			from = append(from, code(p.next))
			stop := " is `null`, empty or absent"
			if b.nullable(p.next) {
				stop = " is `null`"
			}
			s += code(p.next) + ". Stop when " + code(p.next) + stop
			if p.more != "" {
				from = append(from, code(p.more))
				s += ", or " + p.moreIs()
			}
			s += "; a short or empty page is not the end."
		case p.hint != "":
			from[0] += " and the words on it"
			s += code(p.hint) + " of the answer, which the document names in its words on " + code(p.param) + ". Stop when it is empty or absent"
			if p.more != "" {
				from = append(from, code(p.more))
				s += ", or " + p.moreIs()
			}
			s += "."
		default:
			if lastItem[bare(p.param)] {
				s += "the id of the last item received."
			} else {
				s += "the value for the next page, which the answer gives in a member that the document does not show."
			}
			if p.more == "" {
				s += " Stop at an empty list."
				break
			}
			from = append(from, code(p.more))
			s += " Stop when " + p.moreIs() + "."
		}
	case "url":
		from = []string{code(p.next)}
		stop := " is `null`, empty or absent"
		if b.nullable(p.next) {
			stop = " is `null`"
		}
		s = "Request the URL in " + code(p.next) + " as it is, with the same credentials if the host is the same. Stop when " + code(p.next) + stop + "; a short page is not the end."
	case "link":
		s = "Follow the URL with `rel=\"next\"` in the header " + code(p.param) + ". Stop when there is none; a short page is not the end."
	case "page":
		s = "Send the same request again with " + code(p.param) + " one higher. "
		stop, by := p.stop()
		s += stop
		from = append(from, by...)
	case "offset":
		s = "Send the same request again with " + code(p.param) + " raised by the number of items received. "
		p.pages = "" // counts something else
		stop, by := p.stop()
		s += stop
		from = append(from, by...)
	}
	if p.limit != "" {
		s += " Ask for more or less at once with " + code(p.limit) + "."
	}
	if p.field != "" {
		s += " " + code(p.field) + " chooses the members that come."
	}
	if p.add != "" {
		s += " " + code(p.add) + " adds to them."
	}
	if a := b.expected(); a != nil {
		remaining, _ := firstHeader(a, "RateLimit-Remaining", "X-RateLimit-Remaining", "X-Rate-Limit-Remaining")
		reset, _ := firstHeader(a, "RateLimit-Reset", "X-RateLimit-Reset", "X-Rate-Limit-Reset")
		if remaining != "" && reset != "" {
			from = append(from, code(remaining))
			s += " At " + code(remaining+": 0") + ", wait as " + code(reset) + " says."
		}
	}
	return fmt.Sprintf("Pages (inferred from %s)", strings.Join(from, ", ")), s
}

// stop says where counted pages end, and by which members of the answer.
func (p *pager) stop() (text string, by []string) {
	switch {
	case p.more != "":
		return "Stop when " + p.moreIs() + ".", []string{code(p.more)}
	case p.pages != "":
		return "Stop after as many pages as " + code(p.pages) + " says, or at an empty list.", []string{code(p.pages)}
	case p.total != "":
		return "Stop when as many items as " + code(p.total) + " says were received, or at an empty list.", []string{code(p.total)}
	}
	return "Stop at an empty list.", nil
}

// moreIs says what the member that tells of more holds on the last page.
func (p *pager) moreIs() string {
	if p.less {
		return code(p.more) + " is `true`"
	}
	return code(p.more) + " is `false`"
}

func firstHeader(a *answer, names ...string) (string, *openapi3.Header) {
	for _, n := range names {
		if name, h := a.header(n); name != "" {
			return name, h
		}
	}
	return "", nil
}

// nullable reports whether the member of the expected answer may be null.
func (b *builder) nullable(path string) bool {
	ref := b.expectedMember(path)
	return ref != nil && ref.Value != nil && (ref.Value.Nullable || ref.Value.Type.IncludesNull())
}
