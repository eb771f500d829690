package endpoint

import (
	"strings"
	"testing"
)

// Each case is a style of pages that real APIs have, in their own names, with
// the rule for going on and the rule for stopping.
func TestPagesGoOnAndStopAsTheAPIsNamesSay(t *testing.T) {
	const items = "items: {type: array, items: {type: object, properties: {id: {type: string}}}}"
	for _, c := range []struct {
		name, query, headers, media, members string
		heading                              string
		want                                 []string
	}{
		{"a list with a continue token in its metadata", "limit: integer, continue: string", "", "", items + ", metadata: {type: object, properties: {continue: {type: string}}}",
			"`continue`, `metadata.continue`", []string{"`continue` set to `metadata.continue`", "Stop when `metadata.continue` is `null`, empty or absent"}},
		{"a continuation token in XML, not the one that was sent", "continuation-token: string, max-keys: integer", "", "application/xml", items + ", ContinuationToken: {type: string}, NextContinuationToken: {type: string}, IsTruncated: {type: boolean}",
			"`continuation-token`, `NextContinuationToken`, `IsTruncated`", []string{"set to `NextContinuationToken`", "or `IsTruncated` is `false`"}},
		{"a marker and the next one", "marker: string", "", "application/xml", items + ", Marker: {type: string}, NextMarker: {type: string}", "`marker`, `NextMarker`", []string{"`marker` set to `NextMarker`"}},
		{"the id of the last item, and whether there is more", "starting_after: string, limit: integer", "", "", items + ", has_more: {type: boolean}",
			"`starting_after`, `has_more`", []string{"set to the id of the last item received. Stop when `has_more` is `false`."}},
		{"a page that is a token", "page: string", "", "", items + ", has_more: {type: boolean}, next_page: {type: [string, 'null']}",
			"`page`, `next_page`, `has_more`", []string{"`page` set to `next_page`", "Stop when `next_page` is `null`, or `has_more` is `false`", "!one higher"}},
		{"the number of the next page", "page: integer", "", "", items + ", next_page: {type: [integer, 'null']}", "`page`, `next_page`", []string{"`page` set to `next_page`", "Stop when `next_page` is `null`"}},
		{"a page that is a number, and the URL of the next", "page: integer", "", "", items + ", next: {type: string, format: uri}", "`next`", []string{"Request the URL in `next` as it is, with the same credentials if the host is the same. Stop when `next` is `null`, empty or absent"}},
		{"the next link of OData", "$top: integer, $skip: integer", "", "", "value: {type: array, items: {type: object}}, '@odata.nextLink': {type: string}", "`@odata.nextLink`", []string{"Request the URL in `@odata.nextLink`", "Ask for more or less at once with `$top`."}},
		{"a cursor that only the words on it explain", "cursor: string; set it to the `next_cursor` of the `response_metadata`", "", "", items + ", has_more: {type: boolean}", "`cursor` and the words on it, `has_more`",
			[]string{"`cursor` set to `next_cursor` of the answer, which the document names in its words on `cursor`. Stop when it is empty or absent, or `has_more` is `false`.", "!the id of the last item"}},
		{"a cursor that nothing explains", "cursor: string", "", "", items + ", has_more: {type: boolean}", "`cursor`, `has_more`", []string{"in a member that the document does not show. Stop when `has_more` is `false`.", "!the id of the last item"}},
		{"an offset into so many", "startAt: integer, maxResults: integer", "", "", "values: {type: array, items: {type: object}}, startAt: {type: integer}, total: {type: integer}", "`startAt`, `total`",
			[]string{"`startAt` raised by the number of items received. Stop when as many items as `total` says were received"}},
		{"an offset, and whether this is the last page", "startAt: integer, maxResults: integer", "", "", "values: {type: array, items: {type: object}}, isLast: {type: boolean}, total: {type: integer}", "`startAt`, `isLast`", []string{"Stop when `isLast` is `true`."}},
		{"the header Link", "page: integer, per_page: integer", "Link: {schema: {type: string}}", "", items, "`Link`", []string{"Follow the URL with `rel=\"next\"` in the header `Link`. Stop when there is none"}},
		{"what chooses members and what adds some is no size of a page", "page: integer, fields: string, expand: string", "", "", items, "`page`", []string{"`fields` chooses the members that come. `expand` adds to them.", "!at once with `fields`"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var params []string
			for q := range strings.SplitSeq(c.query, ", ") {
				q, says, _ := strings.Cut(q, "; ")
				name, typ, _ := strings.Cut(q, ": ")
				params = append(params, "{name: '"+name+"', in: query, description: '"+says+"', schema: {type: "+typ+"}}")
			}
			media := c.media
			if media == "" {
				media = "application/json"
			}
			op := one(t, "GET", "/a", "{parameters: ["+strings.Join(params, ", ")+"], responses: {'200': {description: ok, headers: {"+c.headers+"}, content: {"+media+": {schema: {type: object, properties: {"+c.members+"}}}}}}}", "")
			pages := view(t, op).Behaviour
			if len(pages) != 1 {
				t.Fatalf("behaviour: %v", pages)
			}
			if got, want := string(pages[0].Heading), "Pages (inferred from "+c.heading+")"; got != want {
				t.Errorf("heading %s\nwant    %s", got, want)
			}
			contains(t, string(pages[0].Text), c.want...)
		})
	}
}
