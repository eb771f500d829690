package endpoint

import (
	"strconv"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/generators/templates"
)

// skill renders the SKILL.md of one operation.
func skill(t testing.TB, op *Operation) string {
	t.Helper()
	files, _ := render(t, op)
	return files["SKILL.md"]
}

func contains(t testing.TB, text string, wants ...string) {
	t.Helper()
	for _, w := range wants {
		if not, found := strings.CutPrefix(w, "!"); found == strings.Contains(text, not) {
			t.Errorf("%q in:\n%s", w, text)
		}
	}
}

func TestBaseWithMappingShowsItsSubtypes(t *testing.T) {
	const schemas = `components:
  schemas:
    Event:
      type: object
      required: [type]
      properties: {type: {type: string}}
      discriminator: {propertyName: type, mapping: {hatched: '#/components/schemas/Hatched', flown: '#/components/schemas/Flown'}}
    Hatched: {allOf: [{$ref: '#/components/schemas/Event'}, {type: object, required: [eggs], properties: {eggs: {type: integer}}}]}
    Flown: {allOf: [{$ref: '#/components/schemas/Event'}, {type: object, required: [to], properties: {to: {type: string}}}]}
`
	event := "content: {application/json: {schema: {$ref: '#/components/schemas/Event'}}}"
	got := skill(t, one(t, "POST", "/events", "{requestBody: {required: true, "+event+"}, responses: {'200': {description: ok, "+event+"}}}", schemas))
	contains(t, got, `  type*: "flown" | "hatched"`, `  when type = "hatched":`, `    eggs*: integer`, `{"type": "flown", "to": "TO"}`)
}

func TestOptionalBodyIsNotMadeUp(t *testing.T) {
	body := func(required, more string) string {
		return "{requestBody: {required: " + required + ", content: {application/json: {schema: {type: object, properties: {why: {type: string}}}" + more + "}}}, " + ok + "}"
	}
	for _, c := range []struct {
		name, method, operation string
		want                    []string
	}{
		{"nothing required: none is sent", "POST", body("false", ""), []string{"so this sends none", "Every member", "!<<'JSON'"}},
		{"but the body is", "POST", body("true", ""), []string{"<<'JSON'\n{}\nJSON", "put into it what you mean to send"}},
		{"the document's example is sent", "POST", body("false", ", example: {why: moult}"), []string{`{"why": "moult"}`}},
		{"a change changes nothing by itself", "PATCH", body("false", ""), []string{"<<'JSON'\n{}\nJSON", "Put into the body what is to change."}},
		{"a required member is sent", "POST", "{requestBody: {content: {application/json: {schema: {type: object, required: [why], properties: {why: {type: string}}}}}}, " + ok + "}", []string{`{"why": "WHY"}`, "calls the body optional"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			contains(t, skill(t, one(t, c.method, "/owls/{id}/wake", c.operation, "")), c.want...)
		})
	}
}

func TestStreamsSayWhatOnePieceIs(t *testing.T) {
	owl := "schema: {type: object, properties: {name: {type: string}}}"
	for _, c := range []struct{ mediaType, schema, want, prints string }{
		{"text/event-stream", owl, "This is each event's `data`, as JSON.", "each event as it comes"},
		{"text/event-stream", "schema: {type: object, properties: {event: {type: string}, data: {type: object}}}", "Each event has these fields; `data` is JSON.", "each event as it comes"},
		{"text/event-stream", "schema: {type: string}", "", "each event as it comes"},
		{"application/x-ndjson", owl, "This is one JSON value a line.", "each line as it comes"},
		{"application/jsonl", owl, "This is one JSON value a line.", "each line as it comes"},
		{"application/json-seq", owl, "This is one JSON value a line.", "each line as it comes"},
	} {
		got := skill(t, one(t, "GET", "/owls", "{responses: {'200': {description: ok, content: {"+c.mediaType+": {"+c.schema+"}}}}}", ""))
		contains(t, got, "curl -sS -i -N ", c.prints, c.want)
		if c.want == "" {
			contains(t, got, "!as JSON", "!`data`")
		}
	}
}

func TestBodyWithoutSchemaIsAFile(t *testing.T) {
	got := skill(t, one(t, "PUT", "/owls/{id}/photo", "{requestBody: {required: true, content: {image/png: {}, image/jpeg: {schema: {type: string}}, application/zip: {schema: {}}}}, responses: {'200': {description: ok, content: {application/pdf: {}}}, '201': {description: ok, content: {text/csv: {}}}}}", ""))
	contains(t, got, "body* application/zip: file\nbody* image/jpeg: file\nbody* image/png: file", "The body is one of these, by `Content-Type`.", "```text\nbody: file\n```", "```text\nbody: string\n```", "!: any")
}

func TestHeadersOfErrorsThatTellNothingAreOnlyNamed(t *testing.T) {
	header := "headers: {WWW-Authenticate: {schema: {type: string}}, X-Request-Id: {description: Quote it when you ask for help, schema: {type: string}}, X-RateLimit-Reset: {schema: {type: integer}}}"
	got := skill(t, one(t, "GET", "/owls", "{responses: {'200': {description: ok}, '401': {description: no, "+header+"}}}", ""))
	contains(t, got, "Headers of 401:", "  X-RateLimit-Reset: integer", "  X-Request-Id: string  # Quote it", "Headers of 401 without a description: `WWW-Authenticate`.", "!WWW-Authenticate: string")
	got = skill(t, one(t, "GET", "/owls", "{responses: {'200': {description: ok}, '401': {description: no, headers: {WWW-Authenticate: {schema: {type: string}}}}}}", ""))
	contains(t, got, "Headers of 401 without a description: `WWW-Authenticate`.", "!Headers of 401:")
}

func TestLongListsSayHowManyMore(t *testing.T) {
	names := strings.Fields("a b c d e")
	for n, want := range map[int]string{5: "`a`, `b`, `c`, `d` and `e`", 2: "`a`, `b`, ... and 3 more", 1: "`a`, ... and 4 more"} {
		if got := someCodes(names, n, "and"); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestFilesHaveTheEndingOfTheirType(t *testing.T) {
	for mediaType, want := range map[string]string{
		"image/png, image/jpeg": "cover.png", "application/epub+zip": "cover.epub", "audio/flac": "cover.flac", "image/x-icon": "cover.ico",
		"application/octet-stream": "cover.bin", "application/vnd.oasis.opendocument.text": "cover.bin", "": "cover.bin", "image/*": "cover.png",
	} {
		if got, _ := fileName("cover", mediaType); got != want {
			t.Errorf("%s: %s, want %s", mediaType, got, want)
		}
	}
}

// A skill must not know how the guide lays out its files: that depends on the
// other operations.
func TestGuideIsNamedByGroup(t *testing.T) {
	got := skill(t, one(t, "GET", "/owls", "{tags: [Night Birds], "+ok+"}", ""))
	contains(t, got, "- More operations on night birds: `skill://x/x-guide/SKILL.md`, group `night-birds`.", "!references/")
}

func TestReferenceInPartsIsNamedWhereItIsMentioned(t *testing.T) {
	b := &builder{op: &Operation{Method: "GET", Path: "/owls"}, e: &templates.Endpoint{}}
	for i := range 3 {
		b.section("responses", templates.Section{Heading: md(strconv.Itoa(i)), Notation: strings.Repeat("a: string\n", 1500)})
	}
	b.e.Answers = []templates.Answer{{After: []templates.Markdown{md(reference("Nested members", "responses"), "."), md(reference("Again", "responses"), ".")}}}
	b.references()
	after := b.e.Answers[0].After
	if want := "[Nested members](references/responses.md) ([part 2](references/responses-2.md) and [part 3](references/responses-3.md))."; string(after[0]) != want {
		t.Errorf("%s\nwant %s", after[0], want)
	}
	if strings.Contains(string(after[1]), "part 2") || len(b.e.Related) > 0 {
		t.Error("said twice")
	}
}

func TestActionsAreDoneAndEndsAreAskedFor(t *testing.T) {
	got := skill(t, one(t, "POST", "/owls/{id}/wake", "{"+ok+"}", ""))
	contains(t, got, "a repeat can do it twice. No answer: find out whether it was done", "find out whether it was done, or ask the user", "!stored")
	got = skill(t, one(t, "POST", "/nests/{nest_id}/close", "{"+ok+"}", ""))
	contains(t, got, "taken for DESTRUCTIVE (inferred from `close` in its name: it may not be possible to undo it). **Ask the user before this call:** name the `nest_id`",
		"a repeat can do it twice. No answer: find out what was done", "${NEST_ID:?}")
}

func TestRulesOfTheBodyAreShownAsLines(t *testing.T) {
	got := skill(t, one(t, "POST", "/owls", "{requestBody: {content: {application/json: {schema: {type: object, properties: {a: {type: string}}, not: {required: [b]}, if: {required: [a]}, then: {required: [c]}}}}}, "+ok+"}", ""))
	contains(t, got, "  <not>: object  required: b", "  when a:", "!further rules")
}

func TestSampleOfWhatIsNotExpandedIsCalledAGuess(t *testing.T) {
	var big strings.Builder
	for i := range 1500 {
		big.WriteString("f" + strconv.Itoa(i) + ": {type: string, maxLength: 10000}, ")
	}
	got := skill(t, one(t, "POST", "/owls", "{requestBody: {required: true, content: {application/json: {schema: {type: object, required: [owl], properties: {owl: {$ref: '#/components/schemas/Owl'}}}}}}, "+ok+"}",
		"components: {schemas: {Owl: {type: object, required: [kind], properties: {"+big.String()+"kind: {type: string, enum: [barn]}}}}}"))
	contains(t, got, `{"owl": {"kind": "KIND"}}`, "words in capitals in it may be no valid values")
}
