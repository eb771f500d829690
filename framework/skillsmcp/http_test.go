package skillsmcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/apiskills/apiskills/framework"
)

// eras are the two ways to send a request.
var eras = map[string]func(method, members string) *http.Request{"modern": modern, "legacy": legacy}

func inBothEras(t *testing.T, f func(t *testing.T, request func(method, members string) *http.Request, modern bool)) {
	for era, request := range eras {
		t.Run(era, func(t *testing.T) { f(t, request, era == "modern") })
	}
}

func TestErrorCodes(t *testing.T) {
	long := "skill://shelf/" + strings.Repeat("x", 100<<10) + "/SKILL.md"
	for _, test := range []struct {
		name, method, members string
		code                  int
		message               string // a part of it
	}{
		{"unknown skill", "skills/get", `"uri":"skill://shelf/nope/SKILL.md"`, -32602, "skill://shelf/nope/SKILL.md"},
		{"unknown mount", "skills/get", `"uri":"skill://nope/SKILL.md"`, -32602, "skill://nope/SKILL.md"},
		{"file that is no SKILL.md", "skills/get", `"uri":"skill://shelf/shelf-guide/references/notes.md"`, -32602, "notes.md"},
		{"foreign URI", "skills/get", `"uri":"note://today"`, -32602, "note://today"},
		{"no uri", "skills/get", ``, -32602, "params.uri"},
		{"uri is null", "skills/get", `"uri":null`, -32602, "params.uri"},
		{"uri is a number", "skills/get", `"uri":7`, -32602, "params.uri"},
		{"dot segments", "skills/get", `"uri":"skill://shelf/../shelf-guide/SKILL.md"`, -32602, "skill://shelf/../"},
		{"encoded dot segments", "skills/get", `"uri":"skill://shelf/%2e%2e/SKILL.md"`, -32602, "%2e%2e"},
		{"encoded slash", "skills/get", `"uri":"skill://shelf%2Fshelf-guide/SKILL.md"`, -32602, "%2F"},
		{"empty segment", "skills/get", `"uri":"skill://shelf//shelf-guide/SKILL.md"`, -32602, "//"},
		{"NUL", "skills/get", `"uri":"skill://shelf/\u0000/SKILL.md"`, -32602, "%00"},
		{"backslash", "skills/get", `"uri":"skill://shelf\\shelf-guide/SKILL.md"`, -32602, "skill://shelf"},
		{"wrong case", "skills/get", `"uri":"skill://shelf/Shelf-Guide/SKILL.md"`, -32602, "Shelf-Guide"},
		{"trailing slash", "skills/get", `"uri":"skill://shelf/shelf-guide/SKILL.md/"`, -32602, "SKILL.md/"},
		{"100 KB", "skills/get", `"uri":"` + long + `"`, -32602, "skill://shelf/xxx"},
		{"forged cursor", "skills/list", `"cursor":"AAAA"`, -32602, "AAAA"},
		{"cursor is a number", "skills/list", `"cursor":3`, -32602, "params.cursor"},
		{"unknown directory", "resources/directory/read", `"uri":"skill://shelf/nope"`, -32602, "skill://shelf/nope"},
		{"a file is no directory", "resources/directory/read", `"uri":"` + guideURI + `"`, -32602, guideURI},
		{"scheme alone", "resources/directory/read", `"uri":"skill://"`, -32602, "skill://"},
		{"forged directory cursor", "resources/directory/read", `"uri":"skill://shelf","cursor":"AAAA"`, -32602, "AAAA"},
		{"unknown file", "resources/read", `"uri":"skill://shelf/shelf-guide/nope.md"`, -32602, "nope.md"},
		{"read of a directory", "resources/read", `"uri":"skill://shelf/shelf-guide"`, -32602, "resources/directory/read"},
		{"unknown resource of nobody", "resources/read", `"uri":"note://tomorrow"`, -32602, "note://tomorrow"},
		{"unknown resource of nobody, 20 KB", "resources/read", `"uri":"note://` + strings.Repeat("x", 20<<10) + `"`, -32602, "note://xxx"},
		{"panic", "skills/get", `"uri":"skill://shelf/panics/SKILL.md"`, -32603, "internal error"},
		{"failure", "skills/get", `"uri":"skill://shelf/fails/SKILL.md"`, -32603, "internal error"},
		{"wrong name", "skills/get", `"uri":"skill://shelf/misnamed/SKILL.md"`, -32603, "internal error"},
		{"read of what fails", "resources/read", `"uri":"skill://shelf/fails/SKILL.md"`, -32603, "internal error"},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBothEras(t, func(t *testing.T, request func(string, string) *http.Request, modern bool) {
				log, logger := newLog()
				h := newServer(t, &Options{Logger: logger}).Handler()
				r := request(test.method, test.members)
				if strings.ContainsAny(r.Header.Get("Mcp-Name"), "\x00") {
					t.Skip("not a header")
				}
				w, m := do(t, h, r)
				if m.code() != test.code || !strings.Contains(m.Error.Message, test.message) {
					t.Errorf("got %s, want code %d and %q in the message", w.Body, test.code, test.message)
				}
				if w.Body.Len() > 1000 {
					t.Errorf("the error has %d bytes", w.Body.Len())
				}
				if strings.Contains(w.Body.String(), "hunter2") {
					t.Errorf("the error tells a secret: %s", w.Body)
				}
				if internal := test.code == -32603; internal != strings.Contains(log.String(), "call failed") {
					t.Errorf("logged: %q", log)
				}
				if want := http.StatusBadRequest; modern && test.code == -32602 && w.Code != want {
					t.Errorf("status %d, want %d", w.Code, want)
				}
			})
		})
	}
}

func TestUnknownURIIsInTheDataOfTheError(t *testing.T) {
	inBothEras(t, func(t *testing.T, request func(string, string) *http.Request, _ bool) {
		h := newServer(t, nil).Handler()
		for _, test := range []struct{ method, uri string }{
			{"skills/get", "skill://shelf/nope/SKILL.md"},
			{"resources/directory/read", "skill://shelf/nope"},
			{"resources/read", "skill://shelf/nope/SKILL.md"},
			{"resources/read", "note://tomorrow"},
		} {
			_, m := do(t, h, request(test.method, fmt.Sprintf(`"uri":%q`, test.uri)))
			if want := fmt.Sprintf(`{"uri":%q}`, test.uri); m.Error == nil || string(m.Error.Data) != want {
				t.Errorf("%s %s: %+v, want data %s", test.method, test.uri, m.Error, want)
			}
		}
	})
}

func TestResultsCarryWhatTheirEraAsksFor(t *testing.T) {
	inBothEras(t, func(t *testing.T, request func(string, string) *http.Request, modern bool) {
		h := newServer(t, nil).Handler()
		for _, test := range []struct {
			method, members string
			ttl             float64
		}{
			{"skills/list", ``, 60_000},
			{"skills/get", `"uri":"` + guideURI + `"`, 60_000},
			{"skills/get", `"uri":"skill://shelf/live/SKILL.md"`, 0},
			{"resources/read", `"uri":"` + guideURI + `"`, 60_000},
			{"resources/read", `"uri":"skill://shelf/live/SKILL.md"`, 0},
			{"resources/directory/read", `"uri":"skill://shelf/shelf-guide"`, 60_000},
			{"resources/directory/read", `"uri":"skill://shelf/live"`, 0},
			{"resources/list", ``, 60_000},
		} {
			_, m := do(t, h, request(test.method, test.members))
			got := result[map[string]any](t, m)
			if !modern {
				for _, name := range []string{"resultType", "ttlMs", "cacheScope", "_meta"} {
					if _, ok := got[name]; ok {
						t.Errorf("%s %s: the result has %s", test.method, test.members, name)
					}
				}
				continue
			}
			if got["resultType"] != "complete" || got["ttlMs"] != test.ttl || got["cacheScope"] != "public" {
				t.Errorf("%s %s: resultType %v, ttlMs %v, cacheScope %v", test.method, test.members, got["resultType"], got["ttlMs"], got["cacheScope"])
			}
			meta, _ := got["_meta"].(map[string]any)
			if info, _ := meta[mcp.MetaKeyServerInfo].(map[string]any); info["name"] != "shelf" || info["version"] != "1.2.3" {
				t.Errorf("%s: _meta %v", test.method, meta)
			}
		}
	})
}

func TestTTLAndCacheScopeAreOptions(t *testing.T) {
	ttl := 90 * time.Second
	h := newServer(t, &Options{TTL: &ttl, CacheScope: mcp.CacheScopePrivate}).Handler()
	_, m := do(t, h, modern("skills/list", ""))
	got := result[map[string]any](t, m)
	if got["ttlMs"] != 90_000.0 || got["cacheScope"] != "private" {
		t.Errorf("ttlMs %v, cacheScope %v", got["ttlMs"], got["cacheScope"])
	}
}

// skillsOf walks skills/list.
func skillsOf(t *testing.T, h http.Handler, request func(string, string) *http.Request) (entries []json.RawMessage, pages int) {
	cursor := ""
	for {
		members := ""
		if cursor != "" {
			members = fmt.Sprintf(`"cursor":%q`, cursor)
		}
		_, m := do(t, h, request("skills/list", members))
		page := result[struct {
			Skills     []json.RawMessage
			NextCursor string
		}](t, m)
		entries = append(entries, page.Skills...)
		pages++
		if cursor = page.NextCursor; cursor == "" {
			return entries, pages
		}
	}
}

func TestListedEntriesEqualGotOnesAndReadsMatchTheirDigests(t *testing.T) {
	inBothEras(t, func(t *testing.T, request func(string, string) *http.Request, _ bool) {
		h := newServer(t, nil).Handler()
		entries, pages := skillsOf(t, h, request)
		if len(entries) != 32 || pages != 3 {
			t.Fatalf("%d entries on %d pages, want 32 on 3", len(entries), pages)
		}
		for i, entry := range entries {
			var e struct {
				URI       string
				Resources json.RawMessage
			}
			if err := json.Unmarshal(entry, &e); err != nil {
				t.Fatal(err)
			}
			if i == 0 && e.URI != guideURI {
				t.Errorf("the first entry is %s, want the guide", e.URI)
			}
			_, m := do(t, h, request("skills/get", fmt.Sprintf(`"uri":%q`, e.URI)))
			if got := result[struct{ Skill json.RawMessage }](t, m); string(got.Skill) != string(entry) {
				t.Errorf("%s: listed as %s, got as %s", e.URI, entry, got.Skill)
			}
			if string(e.Resources) == `"dynamic"` {
				continue
			}
			var resources []framework.SkillResource
			if err := json.Unmarshal(e.Resources, &resources); err != nil {
				t.Fatal(err)
			}
			for _, r := range resources {
				content := read(t, h, request, r.URI)
				if int64(len(content)) != r.Size || framework.DigestOf(content) != r.Digest {
					t.Errorf("%s: the bytes are not those of the manifest", r.URI)
				}
			}
		}
	})
}

// read reads one file and checks that the contents are of that URI.
func read(t *testing.T, h http.Handler, request func(string, string) *http.Request, uri string) []byte {
	t.Helper()
	_, m := do(t, h, request("resources/read", fmt.Sprintf(`"uri":%q`, uri)))
	got := result[struct {
		Contents []struct{ URI, Text, Blob, MIMEType string }
	}](t, m)
	if len(got.Contents) != 1 || got.Contents[0].URI != uri {
		t.Fatalf("contents of %s: %+v", uri, got.Contents)
	}
	if c := got.Contents[0]; c.Blob == "" {
		return []byte(c.Text)
	}
	blob, err := base64.StdEncoding.DecodeString(got.Contents[0].Blob)
	if err != nil {
		t.Fatal(err)
	}
	return blob
}

func TestContentsHaveTheURIAsItWasAsked(t *testing.T) {
	inBothEras(t, func(t *testing.T, request func(string, string) *http.Request, _ bool) {
		h := newServer(t, nil).Handler()
		if got := read(t, h, request, "skill://shelf/shelf%2Dguide/SKILL.md"); !strings.HasPrefix(string(got), "---\nname: shelf-guide\n") {
			t.Errorf("read %q", got)
		}
	})
}

func TestWhatIsNotUTF8GoesOutAsABlob(t *testing.T) {
	h := newServer(t, nil).Handler()
	_, m := do(t, h, modern("resources/read", `"uri":"skill://shelf/shelf-guide/assets/cover.bin"`))
	got := result[struct{ Contents []map[string]any }](t, m)
	if got.Contents[0]["blob"] != "/wABAg==" || got.Contents[0]["text"] != nil {
		t.Errorf("contents %v", got.Contents)
	}
}

func TestEmptyArraysAreArrays(t *testing.T) {
	c, err := framework.NewCatalog([]framework.Mount{{Prefix: "shelf", Generator: newShelf()}}, &framework.Options{Listing: framework.ListNone})
	if err != nil {
		t.Fatal(err)
	}
	h := bind(t, c, nil).Handler()
	if w, _ := do(t, h, modern("skills/list", "")); !strings.Contains(w.Body.String(), `"skills":[]`) {
		t.Errorf("skills/list: %s", w.Body)
	}
	if w, _ := do(t, h, modern("resources/list", "")); !strings.Contains(w.Body.String(), `"resources":[]`) {
		t.Errorf("resources/list: %s", w.Body)
	}
}

func TestDirectoriesHaveTheMetadataOfTheirChildren(t *testing.T) {
	h := newServer(t, nil).Handler()
	_, m := do(t, h, modern("resources/directory/read", `"uri":"skill://shelf/shelf-guide"`))
	got := result[struct {
		Resources []struct {
			URI, Name, Description, MIMEType string
			Size                             *int
		}
	}](t, m).Resources
	if len(got) != 3 {
		t.Fatalf("children: %+v", got)
	}
	if md := got[0]; md.URI != guideURI || md.Name != "shelf-guide" || md.Description == "" || md.MIMEType != "text/markdown" || md.Size == nil {
		t.Errorf("SKILL.md: %+v", md)
	}
	if dir := got[1]; dir.URI != "skill://shelf/shelf-guide/assets" || dir.MIMEType != "inode/directory" || dir.Size != nil {
		t.Errorf("assets: %+v", dir)
	}
}

func TestIDsAreEchoedAsTheyCame(t *testing.T) {
	h := newServer(t, nil).Handler()
	for _, id := range []string{`0`, `-3`, `9007199254740993`, `123456789012345678901234567890`, `1.5`, `1.50`, `1e2`, `"x"`, `"\u0041"`, `""`} {
		for _, members := range []string{`"uri":"` + guideURI + `"`, `"uri":"skill://shelf/nope/SKILL.md"`} {
			r := post(`{"id":` + id + `,"jsonrpc":"2.0","params":{` + members + `},"method":"skills/get"}`)
			r.Header = legacy("skills/get", "").Header
			if _, m := do(t, h, r); string(m.ID) != id {
				t.Errorf("id %s came back as %s", id, m.ID)
			}
		}
	}
}

func TestBodyOverTheLimitIs413(t *testing.T) {
	h := newServer(t, &Options{MaxBody: 1000}).Handler()
	for _, method := range []string{"skills/get", "tools/list"} {
		w, m := do(t, h, modern(method, `"x":"`+strings.Repeat("x", 1000)+`"`))
		if w.Code != http.StatusRequestEntityTooLarge || m.code() != mcp.INVALID_REQUEST || string(m.ID) != "null" {
			t.Errorf("%s: status %d, %s", method, w.Code, w.Body)
		}
	}
	if w, m := do(t, h, modern("skills/get", `"uri":"`+guideURI+`"`)); m.code() != 0 {
		t.Errorf("a body below the limit: %s", w.Body)
	}
}

func TestResponsesStateTheirLength(t *testing.T) {
	h := newServer(t, nil).Handler()
	w, _ := do(t, h, modern("skills/list", ""))
	if got, want := w.Header().Get("Content-Length"), fmt.Sprint(w.Body.Len()); got != want {
		t.Errorf("Content-Length %s, body of %s bytes", got, want)
	}
	if strings.Contains(w.Body.String(), "\n") {
		t.Error("the response has a line break, which stdio cannot carry")
	}
}

func TestAuthorsOwnKeepsWorking(t *testing.T) {
	inBothEras(t, func(t *testing.T, request func(string, string) *http.Request, modern bool) {
		h := newServer(t, nil).Handler()
		named := func(method, members, name string) *http.Request {
			r := request(method, members)
			if modern {
				r.Header.Set("Mcp-Name", name)
			}
			return r
		}
		if w, m := do(t, h, request("tools/list", "")); !strings.Contains(string(m.Result), `"greet"`) {
			t.Errorf("tools/list: %s", w.Body)
		}
		if w, m := do(t, h, named("tools/call", `"name":"greet","arguments":{"name":"Ada"}`, "greet")); !strings.Contains(string(m.Result), "hello Ada") {
			t.Errorf("tools/call: %s", w.Body)
		}
		if w, m := do(t, h, named("prompts/get", `"name":"ask"`, "ask")); !strings.Contains(string(m.Result), "why?") {
			t.Errorf("prompts/get: %s", w.Body)
		}
		if w, m := do(t, h, request("resources/read", `"uri":"note://today"`)); !strings.Contains(string(m.Result), "sunny") {
			t.Errorf("resources/read: %s", w.Body)
		}
		if w, m := do(t, h, request("resources/templates/list", "")); !strings.Contains(string(m.Result), `"uriTemplate"`) {
			t.Errorf("resources/templates/list: %s", w.Body)
		}
		if _, m := do(t, h, request("no/such", "")); m.code() != mcp.METHOD_NOT_FOUND {
			t.Errorf("no/such: %+v", m.Error)
		}
	})
}

// resourcesOf walks resources/list.
func resourcesOf(t *testing.T, h http.Handler, request func(string, string) *http.Request) (uris []string) {
	cursor := ""
	for range 100 {
		members := ""
		if cursor != "" {
			members = fmt.Sprintf(`"cursor":%q`, cursor)
		}
		_, m := do(t, h, request("resources/list", members))
		page := result[struct {
			Resources  []struct{ URI string }
			NextCursor string
		}](t, m)
		for _, r := range page.Resources {
			uris = append(uris, r.URI)
		}
		if cursor = page.NextCursor; cursor == "" {
			return uris
		}
	}
	t.Fatal("the listing does not end")
	return nil
}

func TestAuthorsResourcesAreListedAfterTheSkills(t *testing.T) {
	inBothEras(t, func(t *testing.T, request func(string, string) *http.Request, _ bool) {
		b := bind(t, newCatalog(t, newShelf()), nil, server.WithPaginationLimit(2))
		for i := range 4 {
			uri := fmt.Sprintf("note://%d", i)
			b.mcp.AddResource(mcp.NewResource(uri, uri), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) { return nil, nil })
		}
		uris := resourcesOf(t, b.Handler(), request)
		if len(uris) != 32+5 {
			t.Fatalf("%d resources, want 37: %v", len(uris), uris)
		}
		if uris[0] != guideURI || !slices.Equal(uris[32:], []string{"note://0", "note://1", "note://2", "note://3", "note://today"}) {
			t.Errorf("resources %v", uris)
		}
		b.mcp.SetResources()
		if uris := resourcesOf(t, b.Handler(), request); len(uris) != 32 {
			t.Errorf("without the author's: %d resources, want 32", len(uris))
		}
		if _, m := do(t, b.Handler(), request("resources/list", `"cursor":"AAAA"`)); m.code() != -32602 {
			t.Errorf("forged cursor: %+v", m.Error)
		}
		if _, m := do(t, b.Handler(), request("resources/list", `"cursor":".AAAA"`)); m.code() != -32602 {
			t.Errorf("forged cursor with a dot: %+v", m.Error)
		}
	})
}

func TestPanicOfAToolIsAnErrorAndNotADeadConnection(t *testing.T) {
	inBothEras(t, func(t *testing.T, request func(string, string) *http.Request, modern bool) {
		log, logger := newLog()
		h := newServer(t, &Options{Logger: logger}).Handler()
		r := request("tools/call", `"name":"greet","arguments":{"name":"panic"}`)
		if modern {
			r.Header.Set("Mcp-Name", "greet")
		}
		w, m := do(t, h, r)
		if m.code() != -32603 || strings.Contains(w.Body.String(), "secret") || string(m.ID) != "1" {
			t.Errorf("got %s", w.Body)
		}
		if !strings.Contains(log.String(), "the tool's own secret") {
			t.Errorf("logged: %q", log)
		}
	})
}

func TestHooksAreFiredForOwnedCalls(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	note := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprintf(format, args...))
	}
	hooks := &server.Hooks{}
	hooks.AddOnRequestInitialization(func(_ context.Context, id, message any) error {
		if strings.Contains(string(message.(json.RawMessage)), `"refuse"`) {
			return fmt.Errorf("no entry")
		}
		return nil
	})
	hooks.AddBeforeAny(func(_ context.Context, id any, method mcp.MCPMethod, _ any) { note("before %v %s", id, method) })
	hooks.AddBeforeReadResource(func(_ context.Context, _ any, r *mcp.ReadResourceRequest) { note("read %s", r.Params.URI) })
	hooks.AddAfterReadResource(func(_ context.Context, _ any, _ *mcp.ReadResourceRequest, r *mcp.ReadResourceResult) {
		note("contents %s", r.Contents[0].(mcp.TextResourceContents).URI)
	})
	hooks.AddOnSuccess(func(_ context.Context, id any, method mcp.MCPMethod, _, result any) {
		note("success %v %s %T", id, method, result)
	})
	hooks.AddOnError(func(_ context.Context, _ any, method mcp.MCPMethod, _ any, err error) {
		note("error %s %v", method, err)
	})
	b := bind(t, newCatalog(t, newShelf()), nil, server.WithHooks(hooks))
	h := b.Handler()
	mu.Lock()
	seen = nil // what New asked
	mu.Unlock()
	do(t, h, modern("resources/read", `"uri":"`+guideURI+`"`))
	do(t, h, modern("skills/get", `"uri":"`+guideURI+`"`))
	do(t, h, modern("skills/get", `"uri":"skill://shelf/nope/SKILL.md"`))
	if _, m := do(t, h, modern("skills/list", `"refuse":true`)); m.code() != mcp.INVALID_REQUEST || m.Error.Message != "no entry" {
		t.Errorf("refused: %+v", m.Error)
	}
	want := []string{
		"before 1 resources/read", "read " + guideURI, "success 1 resources/read *mcp.ReadResourceResult", "contents " + guideURI,
		"before 1 skills/get", "success 1 skills/get json.RawMessage",
		"before 1 skills/get", "error skills/get no skill is served at skill://shelf/nope/SKILL.md",
		"error skills/list no entry",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("hooks:\n%s\nwant:\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
}

func TestServerMustDeclareTheExtension(t *testing.T) {
	c := newCatalog(t, newShelf())
	if _, err := New(c, server.NewMCPServer("s", "1", server.WithResourceCapabilities(false, false)), nil); err == nil || !strings.Contains(err.Error(), "ServerOptions") {
		t.Errorf("New: %v", err)
	}
}

func TestInstructionsNameTheGuide(t *testing.T) {
	h := newServer(t, &Options{Instructions: "Ask the librarian."}).Handler()
	_, m := do(t, h, modern("server/discover", ""))
	got := result[struct {
		Instructions string
		Capabilities struct {
			Resources  *struct{ ListChanged bool }
			Extensions map[string]struct{ DirectoryRead bool }
		}
	}](t, m)
	if !strings.HasPrefix(got.Instructions, "Ask the librarian.\n") || !strings.Contains(got.Instructions, guideURI) {
		t.Errorf("instructions %q", got.Instructions)
	}
	if !got.Capabilities.Extensions[ExtensionID].DirectoryRead || got.Capabilities.Resources == nil || !got.Capabilities.Resources.ListChanged {
		t.Errorf("capabilities %+v", got.Capabilities)
	}
}

// serve runs the binding on a real listener until the test ends.
func serve(t *testing.T, b *Binding) (url string, stop func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- b.Serve(ctx, l, b.Handler()) }()
	stop = sync.OnceValue(func() error { cancel(); return <-served })
	t.Cleanup(func() { _ = stop() })
	return "http://" + l.Addr().String() + "/mcp", stop
}

// sendTo sends a request made for a recorder to a real server.
func sendTo(ctx context.Context, url string, r *http.Request) (*http.Response, error) {
	real, err := http.NewRequestWithContext(ctx, r.Method, url, r.Body)
	if err != nil {
		return nil, err
	}
	real.Header = r.Header
	return http.DefaultClient.Do(real)
}

func TestClientThatDisconnectsEndsItsCall(t *testing.T) {
	inBothEras(t, func(t *testing.T, request func(string, string) *http.Request, _ bool) {
		g := newShelf()
		h := bind(t, newCatalog(t, g), nil).Handler()
		returned := make(chan struct{}, 2)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(w, r)
			returned <- struct{}{}
		}))
		defer s.Close()
		ctx, cancel := context.WithCancel(context.Background())
		gone := make(chan error, 1)
		go func() {
			_, err := sendTo(ctx, s.URL, request("skills/get", `"uri":"skill://shelf/hangs/SKILL.md"`))
			gone <- err
		}()
		<-g.waiting
		cancel()
		<-gone
		<-returned // or the test binary's deadline
		response, err := sendTo(context.Background(), s.URL, request("skills/get", `"uri":"`+guideURI+`"`))
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("the next call: %v, %v", response, err)
		}
		response.Body.Close()
	})
}

func TestCancelledNotificationEndsALegacyCall(t *testing.T) {
	g := newShelf()
	h := bind(t, newCatalog(t, g), nil).Handler()
	call := legacy("skills/get", `"uri":"skill://shelf/hangs/SKILL.md"`)
	answered := make(chan *message)
	go func() {
		_, m := do(t, h, call)
		answered <- m
	}()
	<-g.waiting
	for _, id := range []string{`"1"`, `1`} { // of which only the second is the call's
		cancel := post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
		cancel.Header = call.Header.Clone()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, cancel)
		if w.Code != http.StatusAccepted {
			t.Errorf("status %d", w.Code)
		}
	}
	if m := <-answered; m.code() != -32603 || m.Error.Message != "cancelled" {
		t.Errorf("answer: %+v", m.Error)
	}
}

func TestOwnedCallsHaveADeadline(t *testing.T) {
	h := bind(t, newCatalog(t, newShelf()), &Options{Timeout: 20 * time.Millisecond}).Handler()
	if _, m := do(t, h, modern("skills/get", `"uri":"skill://shelf/hangs/SKILL.md"`)); m.code() != -32603 || m.Error.Message != "timed out" {
		t.Errorf("answer: %+v", m.Error)
	}
}

func TestShutdownEndsOpenStreams(t *testing.T) {
	b := newServer(t, nil)
	url, stop := serve(t, b)
	get := legacy("", "")
	get.Method, get.Body = http.MethodGet, http.NoBody
	get.Header.Set("Accept", "text/event-stream")
	stream, err := sendTo(context.Background(), url, get)
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatalf("GET: %v, %v", stream, err)
	}
	defer stream.Body.Close()
	listen, err := sendTo(context.Background(), url, modern("subscriptions/listen", `"notifications":{"resourcesListChanged":true}`))
	if err != nil || listen.StatusCode != http.StatusOK {
		t.Fatalf("listen: %v, %v", listen, err)
	}
	defer listen.Body.Close()
	if err := stop(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	for _, r := range []*http.Response{stream, listen} {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Errorf("a stream did not end as it should: %v", err)
		}
	}
	if w := httptest.NewRecorder(); true {
		b.Handler().ServeHTTP(w, modern("skills/list", ""))
		if w.Code != http.StatusServiceUnavailable {
			t.Errorf("after the shutdown: status %d", w.Code)
		}
	}
}

func TestChangeIsToldToSubscribers(t *testing.T) {
	g := newShelf()
	c := newCatalog(t, g)
	b := bind(t, c, nil)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { _ = c.Watch(ctx) }()
	<-g.waiting
	url, _ := serve(t, b)

	get := legacy("", "")
	get.Method, get.Body = http.MethodGet, http.NoBody
	// A session gets broadcasts once it is initialized.
	hello := post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	response, err := sendTo(ctx, url, hello)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	get.Header.Set("Mcp-Session-Id", response.Header.Get("Mcp-Session-Id"))
	streams := map[string]*http.Request{
		"legacy": get,
		"modern": modern("subscriptions/listen", `"notifications":{"resourcesListChanged":true}`),
	}
	var open []*http.Response
	for era, r := range streams {
		stream, err := sendTo(ctx, url, r)
		if err != nil {
			t.Fatalf("%s: %v", era, err)
		}
		defer stream.Body.Close()
		if era == "modern" {
			untilLine(t, stream.Body, "subscriptions/acknowledged")
		}
		open = append(open, stream)
	}
	g.changed("shelf-guide")
	for _, stream := range open {
		untilLine(t, stream.Body, "notifications/resources/list_changed")
	}
}

// untilLine reads from r until a line has part in it.
func untilLine(t *testing.T, r io.Reader, part string) {
	t.Helper()
	var line []byte
	for b := make([]byte, 1); ; {
		if _, err := r.Read(b); err != nil {
			t.Fatalf("no line with %q: %v", part, err)
		}
		if line = append(line, b[0]); b[0] == '\n' {
			if strings.Contains(string(line), part) {
				return
			}
			line = line[:0]
		}
	}
}

func TestManyClientsAtOnce(t *testing.T) {
	b := newServer(t, nil)
	h := b.Handler()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			request := modern
			if i%2 == 0 {
				request = legacy
			}
			for n := range 30 {
				uri := fmt.Sprintf("skill://shelf/books/read-book-%02d/SKILL.md", n)
				read(t, h, request, uri)
				_, m := do(t, h, request("skills/get", fmt.Sprintf(`"uri":%q`, uri)))
				if got := result[struct{ Skill struct{ URI string } }](t, m); got.Skill.URI != uri {
					t.Errorf("got %s for %s", got.Skill.URI, uri)
				}
				do(t, h, request("tools/list", ""))
			}
		})
	}
	group.Wait()
}
