package endpoint

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// behaviour says what follows from the answers: pages and polling. Both are
// inferred from names, and say so.
func (b *builder) behaviour() {
	if b.effect.kind != read {
		return
	}
	if heading, text := b.pages(); text != "" {
		b.e.Behaviour = append(b.e.Behaviour, templates.Behaviour{Heading: md(heading), Text: md(text)})
	}
	if heading, text := b.polling(); text != "" {
		b.e.Behaviour = append(b.e.Behaviour, templates.Behaviour{Heading: md(heading), Text: md(text)})
	}
}

// names reduces a name to what is compared: lower case, letters and digits.
func bare(name string) string { return strings.Join(words(name), "") }

var (
	cursorNames = set("cursor", "pagetoken", "nexttoken", "nextcursor", "startcursor", "startingafter", "after", "continue", "continuation",
		"continuationtoken", "marker", "nextmarker", "paginationtoken", "scrollid", "nextpagetoken", "pagecursor", "since", "exclusivestartkey", "starttoken", "beginningtoken", "cursormark")
	pageNames   = set("page", "pagenumber", "pageno", "pagenum", "pageindex", "currentpage", "p")
	offsetNames = set("offset", "skip", "startindex", "startat", "start", "from", "first")
	limitNames  = set("limit", "pagesize", "perpage", "pagelimit", "maxresults", "maxitems", "count", "size", "top", "maxrecords", "resultsperpage", "pageitems", "rows", "take", "max", "maxkeys", "hitsperpage", "num")
	fieldNames  = set("fields", "select", "include", "expand", "field", "include_fields", "projection", "attributes", "properties", "fieldmask")
	sortNames   = set("sort", "order", "orderby", "sortby", "direction", "sortorder", "sortdirection", "ordering", "sortkey", "dir")
	nextNames   = set("nextcursor", "nextpagetoken", "nexttoken", "nextpage", "next", "nextmarker", "nextlink", "nextpageurl", "nexturl", "nexturi",
		"endcursor", "continuationtoken", "continue", "cursor", "paginationtoken", "lastevaluatedkey", "nextpageuri", "odatanextlink", "scrollid", "nextsynctoken", "marker", "after")
	pagesNames = set("pages", "totalpages", "pagecount", "numpages", "lastpage", "pagestotal", "pagetotal", "numberofpages")
	totalNames = set("total", "totalcount", "totalitems", "totalresults", "totalrecords", "totalsize", "totalhits", "totalelements", "totalentries", "totalobjects", "numfound", "recordstotal")
	moreNames  = set("hasmore", "hasnext", "hasnextpage", "more", "ismore", "istruncated", "truncated", "hasmoreitems")
)

// A pager is what the document's names say about pages.
type pager struct {
	style string // cursor, page, offset or link
	param string // the parameter
	next  string // the member that has the next value, as a path
	more  string // the member that says whether there is more
	limit string
	field string
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
	for _, q := range b.params {
		if q.In != "query" {
			continue
		}
		switch n := bare(q.Name); {
		case limitNames[n] && p.limit == "":
			p.limit = q.Name
		case fieldNames[n] && p.field == "":
			p.field = q.Name
		case cursorNames[n] && (p.param == "" || n == "startingafter" || n == "cursor"):
			p.param = q.Name
		case pageNames[n] && page == "":
			page = q.Name
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
		sort.Strings(found)
		if len(found) > 0 {
			return found[0]
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
		sort.Strings(found)
		if len(found) > 0 {
			return found[0]
		}
		return ""
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
	next := find(nextNames)
	p.style = pageStyle(p.param, page, offset, p.limit, next != "" || p.more != "", linkHeader != "", isArray, len(arrays) > 0)
	switch p.style {
	case "cursor":
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
// "link", "page", "offset", or "" for one that is not. query are the names of
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
	next := first(nextNames, members) != "" || first(moreNames, members) != ""
	return pageStyle(first(cursorNames, query), first(pageNames, query), first(offsetNames, query), first(limitNames, query), next, link, isArray, hasArray)
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
		switch {
		case p.next != "":
			from = append(from, code(p.next))
			stop := " is `null`, empty or absent"
			if b.nullable(p.next) {
				stop = " is `null`"
			}
			s = "Send the same request again with " + code(p.param) + " set to " + code(p.next) + ". Stop when " + code(p.next) + stop
			if p.more != "" {
				from = append(from, code(p.more))
				s += ", or " + code(p.more) + " is `false`"
			}
			s += "; a short or empty page is not the end."
		case p.more != "":
			from = append(from, code(p.more))
			s = "Send the same request again with " + code(p.param) + " set to the id of the last item received. Stop when " + code(p.more) + " is `false`."
		default:
			s = "Send the same request again with " + code(p.param) + " set to the id of the last item received. Stop at an empty list."
		}
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
	var less []string
	for _, n := range []string{p.limit, p.field} {
		if n != "" {
			less = append(less, n)
		}
	}
	if len(less) > 0 {
		s += " Ask for more or less at once with " + codes(less, "and") + "."
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
		return "Stop when " + code(p.more) + " is `false`.", []string{code(p.more)}
	case p.pages != "":
		return "Stop after as many pages as " + code(p.pages) + " says, or at an empty list.", []string{code(p.pages)}
	case p.total != "":
		return "Stop when as many items as " + code(p.total) + " says were received, or at an empty list.", []string{code(p.total)}
	}
	return "Stop at an empty list.", nil
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
	a := b.expected()
	if a == nil {
		return false
	}
	ref := a.types[0].media.Schema
	for name := range strings.SplitSeq(path, ".") {
		ref = member(ref, name)
	}
	return ref != nil && ref.Value != nil && (ref.Value.Nullable || ref.Value.Type.IncludesNull())
}

var (
	endStates = set("succeeded", "success", "successful", "failed", "failure", "completed", "complete", "done", "finished", "cancelled",
		"canceled", "error", "errored", "expired", "aborted", "rejected", "timedout", "deleted", "ready", "partialsuccess", "incomplete", "stopped")
	openStates = set("queued", "pending", "running", "processing", "inprogress", "started", "starting", "waiting", "created", "scheduled",
		"new", "active", "validating", "finalizing", "cancelling", "canceling", "submitted", "accepted", "building", "deploying", "executing", "working", "initializing", "notstarted", "open")
)

// states returns the end states of the member status or state of a schema, if
// some of its values mean an end and some do not.
func states(ref *openapi3.SchemaRef) (name string, ends []string) {
	found := members(ref)
	for _, n := range []string{"status", "state", "job_status", "jobStatus", "phase"} {
		s := found[n]
		if s == nil || s.Value == nil {
			continue
		}
		values := s.Value.Enum
		for _, part := range s.Value.AllOf {
			if part != nil && part.Value != nil {
				values = append(slices.Clone(values), part.Value.Enum...)
			}
		}
		open := false
		ends = nil
		for _, v := range values {
			text, _ := v.(string)
			switch w := bare(text); {
			case endStates[w]:
				ends = append(ends, text)
			case openStates[w]:
				open = true
			}
		}
		if open && len(ends) > 0 && len(ends) <= 8 {
			return n, ends
		}
	}
	return "", nil
}

// polling says how to wait for the end of what a read shows, where the answer
// says how long to wait.
func (b *builder) polling() (heading, text string) {
	a := b.expected()
	if a == nil {
		return "", ""
	}
	retry, _ := a.header("Retry-After")
	name, ends := states(a.types[0].media.Schema)
	if retry == "" || name == "" {
		return "", ""
	}
	s := codes(ends, "and") + " are the end. Otherwise wait " + code(retry) + " seconds (5 if it is absent) and ask again."
	if len(ends) == 1 {
		s = codes(ends, "and") + " is the end. Otherwise wait " + code(retry) + " seconds (5 if it is absent) and ask again."
	}
	found := members(a.types[0].media.Schema)
	for _, n := range []string{"problem", "error", "errors", "failure", "failure_reason", "last_error", "message"} {
		if i := slices.IndexFunc(ends, func(s string) bool { return strings.HasPrefix(bare(s), "fail") || strings.HasPrefix(bare(s), "error") }); i >= 0 && found[n] != nil {
			s += " On " + code(ends[i]) + ", report " + code(n) + " to the user."
			break
		}
	}
	return "Polling (inferred from " + code(name) + ", " + code(retry) + ")", s
}

// pollAdvice says how to follow an answer that only accepts the work.
func (b *builder) pollAdvice(a *answer) []templates.Markdown {
	wait := "Wait a few seconds"
	if retry, _ := a.header("Retry-After"); retry != "" {
		wait = "Wait " + code(retry) + " seconds"
	}
	s := "Not done yet. "
	var target *link
	for i := range b.links {
		if l := &b.links[i]; l.status == a.status && l.target != nil && l.target.Method == "GET" {
			target = l
			break
		}
	}
	location, _ := firstHeader(a, "Location", "Operation-Location", "Azure-AsyncOperation")
	switch {
	case target != nil:
		target.used = true
		s += wait + ", then poll " + targetText(*target.target)
		if len(target.values) > 0 {
			s += " with " + list(target.values, "and")
		}
	case location != "":
		s += wait + ", then poll the URL in the header " + code(location)
	default:
		return []templates.Markdown{md(s, "The document does not say how to follow it: look for an operation of the same group in the guide. Do not send it again meanwhile.")}
	}
	if len(a.types) > 0 && a.types[0].isJSON() {
		if name, ends := states(a.types[0].media.Schema); name != "" {
			s += ", until " + code(name) + " is " + codes(ends, "or") + " (end states inferred from their names)"
		}
	}
	again := "Do not send it again meanwhile."
	if b.op.Method == "DELETE" {
		again = "Do not delete again meanwhile."
	}
	return []templates.Markdown{md(s, ". ", again)}
}
