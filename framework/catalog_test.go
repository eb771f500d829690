package framework

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"
)

// memory is a generator of skills held in a map, with every ability a test
// turns on.
type memory struct {
	mu     sync.Mutex
	skills map[string]*Skill
	calls  atomic.Int64
}

func (g *memory) Skill(_ context.Context, path string) (*Skill, error) {
	g.calls.Add(1)
	g.mu.Lock()
	defer g.mu.Unlock()
	if s, ok := g.skills[path]; ok {
		return s, nil
	}
	return nil, fmt.Errorf("memory: %q: %w", path, ErrNotFound)
}

func (g *memory) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	g.mu.Lock()
	defer g.mu.Unlock()
	return PathList(slices.Sorted(maps.Keys(g.skills))).Paths(ctx, after)
}

// unlisted hides all abilities of a generator.
type unlisted struct{ g Generator }

func (u unlisted) Skill(ctx context.Context, path string) (*Skill, error) {
	return u.g.Skill(ctx, path)
}

type featuring struct {
	*memory
	paths []string
}

func (f featuring) Featured(context.Context) ([]string, error) { return f.paths, nil }

func skillMD(path, description string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	return fmt.Sprintf("---\nname: %s\ndescription: %q\n---\n\n# %s\n", name, description, name)
}

func simple(path string, files ...File) *Skill {
	return &Skill{Files: append(files, TextFile("SKILL.md", skillMD(path, "About "+path)))}
}

func memoryOf(paths ...string) *memory {
	g := &memory{skills: map[string]*Skill{}}
	for _, p := range paths {
		g.skills[p] = simple(p)
	}
	return g
}

func catalog(t testing.TB, opts *Options, mounts ...Mount) *Catalog {
	t.Helper()
	if opts == nil {
		opts = &Options{}
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.NewTextHandler(&testWriter{t: t}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	c, err := NewCatalog(mounts, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type testWriter struct {
	t  testing.TB
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *testWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (w *testWriter) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

func listAll(t testing.TB, c *Catalog) (uris []string, pages int) {
	t.Helper()
	for cursor := ""; ; {
		page, err := c.List(t.Context(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		pages++
		for _, e := range page.Entries {
			uris = append(uris, e.URI)
		}
		if cursor = page.NextCursor; cursor == "" {
			return uris, pages
		}
	}
}

func children(t testing.TB, c *Catalog, uri string) []string {
	t.Helper()
	var names []string
	for cursor := ""; ; {
		page, err := c.ReadDirectory(t.Context(), uri, cursor)
		if err != nil {
			t.Fatalf("ReadDirectory(%s): %v", uri, err)
		}
		for _, r := range page.Resources {
			name := r.URI[strings.LastIndexByte(r.URI, '/')+1:]
			if r.MIMEType == directoryType {
				name += "/"
			}
			names = append(names, name)
		}
		if cursor = page.NextCursor; cursor == "" {
			return names
		}
	}
}

func equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	g, w := fmt.Sprintf("%v", got), fmt.Sprintf("%v", want)
	if g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

func TestListEntryEqualsGetEntryAndManifestEqualsContent(t *testing.T) {
	g := memoryOf("b/two", "a/one")
	g.skills["a/one"].Files = append(g.skills["a/one"].Files, TextFile("references/x y.md", "é"), File{
		Name: "data.bin", MIMEType: "application/x-data", Content: func(context.Context) ([]byte, error) { return []byte{0xff, 0}, nil },
	})
	c := catalog(t, nil, Mount{"api", g})
	page, err := c.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Entries) != 2 || page.NextCursor != "" {
		t.Fatalf("%d entries, next %q", len(page.Entries), page.NextCursor)
	}
	for _, e := range page.Entries {
		got, err := c.Get(t.Context(), e.URI)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(wire(t, got), wire(t, e)) {
			t.Errorf("get %s, list %s", wire(t, got), wire(t, e))
		}
		if !json.Valid(wire(t, e)) {
			t.Errorf("invalid JSON %s", wire(t, e))
		}
		for _, r := range e.Resources {
			content, err := c.Read(t.Context(), r.URI)
			if err != nil {
				t.Fatal(err)
			}
			if DigestOf(content.Bytes) != r.Digest || int64(len(content.Bytes)) != r.Size {
				t.Errorf("%s does not have its digest and size", r.URI)
			}
		}
	}
	equal(t, "manifest", fmt.Sprint(len(page.Entries[0].Resources), " ", page.Entries[0].Resources[2].URI), "3 skill://api/a/one/references/x%20y.md")
	equal(t, "directory", children(t, c, "skill://api/a/one"), []string{"SKILL.md", "data.bin", "references/"})
	equal(t, "subdirectory", children(t, c, "skill://api/a/one/references"), []string{"x%20y.md"})
}

func TestServedSkillIsAnsweredWhetherListedOrNot(t *testing.T) {
	for _, mode := range []Listing{ListAll, ListFeatured, ListGuide, ListNone} {
		g := featuring{memoryOf("a/one", "a/two", "guide"), []string{"guide"}}
		c := catalog(t, &Options{Listing: mode, Featured: []string{"api/a/two"}}, Mount{"api", g})
		want := map[Listing][]string{
			ListAll:      {"skill://api/guide/SKILL.md", "skill://api/a/two/SKILL.md", "skill://api/a/one/SKILL.md"},
			ListFeatured: {"skill://api/guide/SKILL.md", "skill://api/a/two/SKILL.md"},
			ListGuide:    {"skill://api/guide/SKILL.md"},
			ListNone:     {},
		}[mode]
		got, _ := listAll(t, c)
		equal(t, string(mode), got, want)
		page, err := c.ListResources(t.Context(), "")
		if err != nil || len(page.Resources) != len(want) {
			t.Errorf("%s: resources %v, %v", mode, page, err)
		}
		for _, p := range []string{"a/one", "a/two", "guide"} {
			if _, err := c.Get(t.Context(), c.URI("api/"+p)); err != nil {
				t.Errorf("%s: %v", mode, err)
			}
		}
		equal(t, "directory", children(t, c, "skill://api/a"), []string{"one/", "two/"})
	}
}

func TestAutoListsAllUpTo256Skills(t *testing.T) {
	for n, want := range map[int]Listing{256: ListAll, 257: ListFeatured} {
		var paths []string
		for i := range n {
			paths = append(paths, fmt.Sprintf("s%d", i))
		}
		c := catalog(t, nil, Mount{"api", memoryOf(paths...)})
		mode, reason, err := c.ListingMode(t.Context())
		if err != nil || mode != want || reason == "" {
			t.Errorf("%d skills: %s (%s), %v", n, mode, reason, err)
		}
	}
}

func TestPagesAreCompleteDisjointAndResumeAfterAnyPath(t *testing.T) {
	var paths []string
	for i := range 57 {
		paths = append(paths, fmt.Sprintf("g%d/s%d", i%5, i))
	}
	g := featuring{memoryOf(paths...), []string{"g1/s1", "g4/s9"}}
	for _, opts := range []Options{{PageSize: 1}, {PageSize: 7}, {PageSize: 56}, {PageSize: 57}, {PageBytes: 700}, {PageBytes: 1}} {
		opts.Listing, opts.MaxPages = ListAll, -1
		c := catalog(t, &opts, Mount{"x", g})
		uris, pages := listAll(t, c)
		if len(uris) != 57 || opts.PageSize > 0 && pages != (57+opts.PageSize-1)/opts.PageSize {
			t.Errorf("%+v: %d skills on %d pages", opts, len(uris), pages)
		}
		slices.Sort(uris)
		if len(slices.Compact(uris)) != 57 {
			t.Errorf("%+v: a skill is listed twice", opts)
		}
	}
}

func TestListingEndsAfterMaxPages(t *testing.T) {
	var paths []string
	for i := range 100 {
		paths = append(paths, fmt.Sprintf("s%02d", i))
	}
	log := &testWriter{t: t}
	c := catalog(t, &Options{Listing: ListAll, PageSize: 10, MaxPages: 3, Logger: slog.New(slog.NewTextHandler(log, nil))}, Mount{"x", memoryOf(paths...)})
	uris, pages := listAll(t, c)
	equal(t, "skills, pages", []int{len(uris), pages}, []int{30, 3})
	if !strings.Contains(log.String(), "listing cut off") {
		t.Error("no warning")
	}
}

func TestForgedCursorsDoNotFillTheLog(t *testing.T) {
	var paths []string
	for i := range 100 {
		paths = append(paths, fmt.Sprintf("s%02d", i))
	}
	log := &testWriter{t: t}
	c := catalog(t, &Options{Listing: ListAll, PageSize: 10, MaxPages: 3, Logger: slog.New(slog.NewTextHandler(log, nil))}, Mount{"x", memoryOf(paths...)})
	first, err := c.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	pos, err := decodeCursor(first.NextCursor, "skills/list")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		pos.page, pos.last = 1_000_000+i, fmt.Sprintf("x/s%02d", i)
		page, err := c.List(t.Context(), pos.encode())
		if err == nil && page.NextCursor != "" {
			t.Fatalf("page %d has a page after it", pos.page)
		}
	}
	if n := strings.Count(log.String(), "listing cut off"); n > 1 {
		t.Errorf("%d warnings, want 1", n)
	}
}

func TestCursorIsBoundToItsListing(t *testing.T) {
	g := memoryOf("a/one", "a/two", "b/three")
	c := catalog(t, &Options{PageSize: 1, Listing: ListAll}, Mount{"x", g})
	page, err := c.List(t.Context(), "")
	if err != nil || page.NextCursor == "" {
		t.Fatal(page, err)
	}
	other := catalog(t, &Options{PageSize: 1, Listing: ListAll}, Mount{"x", g})
	if p, err := other.List(t.Context(), page.NextCursor); err != nil || len(p.Entries) != 1 || p.Entries[0].URI != "skill://x/a/two/SKILL.md" {
		t.Errorf("a replica does not continue: %v", err)
	}
	flipped := []byte(page.NextCursor)
	flipped[len(flipped)/2] ^= 1
	for _, cursor := range []string{"x", "!!", string(flipped), page.NextCursor + "A", page.NextCursor[1:], strings.Repeat("A", 100_000)} {
		if _, err := c.List(t.Context(), cursor); !errors.Is(err, ErrInvalidCursor) {
			t.Errorf("List(%.20q) = %v", cursor, err)
		}
	}
	if _, err := c.ListResources(t.Context(), page.NextCursor); !errors.Is(err, ErrInvalidCursor) {
		t.Errorf("ListResources takes a cursor of List: %v", err)
	}
	if _, err := c.ReadDirectory(t.Context(), "skill://x", page.NextCursor); !errors.Is(err, ErrInvalidCursor) {
		t.Errorf("ReadDirectory takes a cursor of List: %v", err)
	}
}

func TestFailingSkillIsLeftOutAndItsNeighboursAreServed(t *testing.T) {
	boom := errors.New("boom")
	bad := map[string]*Skill{
		"panics":        {Files: []File{{Name: "SKILL.md", Content: func(context.Context) ([]byte, error) { panic("boom") }}}},
		"fails":         {Files: []File{{Name: "SKILL.md", Content: func(context.Context) ([]byte, error) { return nil, boom }}}},
		"fails-softly":  {Files: []File{{Name: "SKILL.md", Content: func(context.Context) ([]byte, error) { return nil, ErrNotFound }}}},
		"wrong-name":    simple("other-name"),
		"no-skill-md":   {Files: []File{TextFile("README.md", "x")}},
		"no-files":      {},
		"twice":         simple("twice", TextFile("a", ""), TextFile("a", "")),
		"clash":         simple("clash", TextFile("a", ""), TextFile("a/b", "")),
		"dot":           simple("dot", TextFile("../x", "")),
		"absolute":      simple("absolute", TextFile("/x", "")),
		"inner-skill":   simple("inner-skill", TextFile("sub/SKILL.md", skillMD("sub", "x"))),
		"no-content":    simple("no-content", File{Name: "x"}),
		"bad-front":     {Files: []File{TextFile("SKILL.md", "no frontmatter")}},
		"long-descript": {Files: []File{TextFile("SKILL.md", skillMD("long-descript", strings.Repeat("x", 1025)))}},
		"too-large":     simple("too-large", TextFile("x", strings.Repeat("x", MaxTotalBytes))),
		"too-many":      simple("too-many", manyFiles(MaxResources)...),
		"nil":           nil,
		"exits":         {Files: []File{{Name: "SKILL.md", Content: func(context.Context) ([]byte, error) { runtime.Goexit(); return nil, nil }}}},
	}
	g := memoryOf("good", "zebra")
	maps.Copy(g.skills, bad)
	c := catalog(t, nil, Mount{"x", g})
	uris, _ := listAll(t, c)
	equal(t, "listed", uris, []string{"skill://x/good/SKILL.md", "skill://x/zebra/SKILL.md"})
	for name := range bad {
		for range 2 { // the failure is remembered, and the same
			_, err := c.Get(t.Context(), c.URI("x/"+name))
			if err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, ErrInvalidURI) {
				t.Errorf("Get(%s) = %v", name, err)
			}
		}
	}
}

func manyFiles(n int) []File {
	var files []File
	for i := range n {
		files = append(files, TextFile(fmt.Sprint(i), ""))
	}
	return files
}

func TestLimitsAreInclusive(t *testing.T) {
	g := memoryOf()
	g.skills["files"] = simple("files", manyFiles(MaxResources-1)...)
	g.skills["bytes"] = simple("bytes", TextFile("x", strings.Repeat("x", MaxTotalBytes-len(skillMD("bytes", "About bytes")))))
	c := catalog(t, nil, Mount{"x", g})
	for name := range g.skills {
		if _, err := c.Get(t.Context(), c.URI("x/"+name)); err != nil {
			t.Error(err)
		}
	}
}

func TestSkillIsMadeOnceHoweverManyAsk(t *testing.T) {
	var renders atomic.Int64
	release := make(chan struct{})
	g := memoryOf()
	g.skills["slow"] = &Skill{Files: []File{{Name: "SKILL.md", Content: func(context.Context) ([]byte, error) {
		renders.Add(1)
		<-release
		return []byte(skillMD("slow", "x")), nil
	}}}}
	c := catalog(t, nil, Mount{"x", g})
	cancelled, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for i := range 64 {
		ctx := t.Context()
		if i == 0 {
			ctx = cancelled
		}
		wg.Go(func() {
			_, err := c.Get(ctx, c.URI("x/slow"))
			if i == 0 && !errors.Is(err, context.Canceled) || i > 0 && err != nil {
				t.Errorf("caller %d: %v", i, err)
			}
			if i == 0 {
				close(release) // whoever leaves does not stop the work
			}
		})
	}
	for renders.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	wg.Wait()
	equal(t, "renders", renders.Load(), 1)
}

func TestGeneratorThatHangsCostsItsCallerTheDeadline(t *testing.T) {
	hang := make(chan struct{})
	var calls atomic.Int64
	g := memoryOf("good")
	g.skills["hangs"] = &Skill{Files: []File{{Name: "SKILL.md", Content: func(context.Context) ([]byte, error) {
		calls.Add(1)
		<-hang
		return []byte(skillMD("hangs", "x")), nil
	}}}}
	c := catalog(t, &Options{SkillTimeout: 20 * time.Millisecond, Concurrency: 1, Listing: ListAll}, Mount{"x", g})
	for range 3 {
		if _, err := c.Get(t.Context(), c.URI("x/hangs")); err == nil || errors.Is(err, ErrNotFound) {
			t.Fatalf("Get = %v", err)
		}
		c.failures.purge()
	}
	equal(t, "calls while one is abandoned", calls.Load(), 1)
	uris, _ := listAll(t, c)
	equal(t, "listed", uris, []string{"skill://x/good/SKILL.md"})
	close(hang)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		c.failures.purge()
		if _, err := c.Get(t.Context(), c.URI("x/hangs")); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("not served after it returned: %v", err)
		}
	}
}

func TestWhatIsKeptIsNotAskedForAgain(t *testing.T) {
	g := memoryOf("one")
	c := catalog(t, nil, Mount{"x", g})
	for range 3 {
		if _, err := c.Get(t.Context(), c.URI("x/one")); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(t.Context(), c.URI("x/one")); err != nil {
			t.Fatal(err)
		}
		_, _ = c.Get(t.Context(), c.URI("x/unknown"))
	}
	equal(t, "calls", g.calls.Load(), 2)
}

func TestSkillIsAskedForAgainAfterMaxAgeAndRenderedOnlyIfItsVersionChanged(t *testing.T) {
	g := memoryOf()
	var renders atomic.Int64
	set := func(version, text string) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.skills["one"] = &Skill{Version: version, Files: []File{{Name: "SKILL.md", Content: func(context.Context) ([]byte, error) {
			renders.Add(1)
			return []byte(skillMD("one", text)), nil
		}}}}
	}
	c := catalog(t, &Options{MaxAge: time.Nanosecond}, Mount{"x", g})
	get := func() string {
		e, err := c.Get(t.Context(), c.URI("x/one"))
		if err != nil {
			t.Fatal(err)
		}
		return e.Frontmatter.Description
	}
	set("1", "first")
	equal(t, "first", get(), "first")
	equal(t, "first", get(), "first")
	equal(t, "renders of one version", renders.Load(), 1)
	set("2", "second")
	equal(t, "second", get(), "second")
	equal(t, "renders of two versions", renders.Load(), 2)
}

// watched is a generator that is told what to tell.
type watched struct {
	*memory
	changes chan string
}

func (w watched) Watch(ctx context.Context, changed func(string)) error {
	for {
		select {
		case p := <-w.changes:
			changed(p)
		case <-ctx.Done():
			return nil
		}
	}
}

func TestWatchedSkillIsKeptUntilItChanges(t *testing.T) {
	w := watched{memoryOf("a", "a/b"), make(chan string)}
	c := catalog(t, &Options{MaxAge: time.Nanosecond}, Mount{"x", w})
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan struct{}, 1)
	c.OnChange(func() { told <- struct{}{} })
	done := make(chan error)
	go func() { done <- c.Watch(ctx) }()
	w.changes <- "" // it is running
	<-told

	get := func() *Entry {
		e, err := c.Get(t.Context(), c.URI("x/a"))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	before := get()
	if get() != before {
		t.Error("asked for again without a change")
	}
	w.mu.Lock()
	w.skills["a/b"] = simple("a/b", TextFile("more", "more"))
	w.mu.Unlock()
	w.changes <- "a/b"
	<-told
	if after := get(); len(after.Resources) != len(before.Resources)+1 {
		t.Errorf("the enclosing skill's manifest is %s", wire(t, after))
	}
	equal(t, "TTL while watched", c.TTL(), 5*time.Minute)
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	equal(t, "TTL when no longer watched", c.TTL(), time.Nanosecond)
}

func TestDriftServesWhatIsTrueAndRefreshesTheEntry(t *testing.T) {
	g := memoryOf("one")
	c := catalog(t, nil, Mount{"x", g})
	before, err := c.Get(t.Context(), c.URI("x/one"))
	if err != nil {
		t.Fatal(err)
	}
	g.skills["one"] = &Skill{Files: []File{TextFile("SKILL.md", skillMD("one", "Changed"))}}
	c.contents.purge()
	content, err := c.Read(t.Context(), c.URI("x/one"))
	if err != nil || !strings.Contains(string(content.Bytes), "Changed") {
		t.Fatalf("%v, %v", content, err)
	}
	after, err := c.Get(t.Context(), c.URI("x/one"))
	if err != nil || after.Resources[0].Digest != DigestOf(content.Bytes) || after.Resources[0].Digest == before.Resources[0].Digest {
		t.Errorf("the entry is %s, %v", wire(t, after), err)
	}
}

func TestDynamicSkillHasNoDigestsAndIsMadeAtEachRead(t *testing.T) {
	var n atomic.Int64
	g := memoryOf()
	g.skills["live"] = &Skill{Dynamic: true, Files: []File{
		{Name: "SKILL.md", Content: func(context.Context) ([]byte, error) {
			return fmt.Appendf(nil, "%s%d", skillMD("live", "x"), n.Add(1)), nil
		}},
		TextFile("data/now.txt", "now"),
	}}
	c := catalog(t, nil, Mount{"x", g})
	e, err := c.Get(t.Context(), c.URI("x/live"))
	if err != nil || !strings.Contains(string(wire(t, e)), `"resources":"dynamic"`) {
		t.Fatalf("%s, %v", wire(t, e), err)
	}
	var reads []string
	for range 2 {
		content, err := c.Read(t.Context(), e.URI)
		if err != nil || !content.Dynamic {
			t.Fatal(content, err)
		}
		reads = append(reads, string(content.Bytes))
	}
	if reads[0] == reads[1] {
		t.Error("two reads gave the same bytes")
	}
	page, err := c.List(t.Context(), "")
	if err != nil || !page.Dynamic {
		t.Error("the page is not marked dynamic", err)
	}
	equal(t, "directory", children(t, c, "skill://x/live"), []string{"SKILL.md", "data/"})
	g.mu.Lock()
	g.skills["live"] = &Skill{Dynamic: true, Files: append(g.skills["live"].Files, TextFile("new", ""))}
	g.mu.Unlock()
	equal(t, "directory as it is now", children(t, c, "skill://x/live"), []string{"SKILL.md", "data/", "new"})
	if _, err := c.Read(t.Context(), "skill://x/live/none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown file of a dynamic skill: %v", err)
	}
	if _, err := c.Read(t.Context(), "skill://x/live/data"); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a directory of a dynamic skill: %v", err)
	}
}

func TestNestedSkillsFilesBelongToTheEnclosingManifestToo(t *testing.T) {
	g := memoryOf("a", "a/b", "a/b/c", "a-b")
	g.skills["a"].Files = append(g.skills["a"].Files, TextFile("x/y", "y"))
	c := catalog(t, nil, Mount{"m", g})
	manifest := func(p string) (names []string) {
		e, err := c.Get(t.Context(), c.URI("m/"+p))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range e.Resources {
			names = append(names, strings.TrimPrefix(r.URI, "skill://m/"+p+"/"))
		}
		return names
	}
	equal(t, "a", manifest("a"), []string{"SKILL.md", "b/SKILL.md", "b/c/SKILL.md", "x/y"})
	equal(t, "a/b", manifest("a/b"), []string{"SKILL.md", "c/SKILL.md"})
	equal(t, "m", children(t, c, "skill://m"), []string{"a/", "a-b/"})
	equal(t, "m/a", children(t, c, "skill://m/a"), []string{"SKILL.md", "b/", "x/"})
	equal(t, "m/a/b", children(t, c, "skill://m/a/b"), []string{"SKILL.md", "c/"})

	g.skills["a/b/c"].Dynamic = true
	c = catalog(t, nil, Mount{"m", g})
	for p, dynamic := range map[string]bool{"a": true, "a/b": true, "a-b": false} {
		if e, err := c.Get(t.Context(), c.URI("m/"+p)); err != nil || e.Dynamic != dynamic {
			t.Errorf("%s: %s, %v", p, wire(t, e), err)
		}
	}
	equal(t, "m/a with a dynamic skill in it", children(t, c, "skill://m/a"), []string{"SKILL.md", "b/", "x/"})
}

func TestNestedSkillsAreRefusedWhereTheyClashOrCannotBeEnumerated(t *testing.T) {
	g := memoryOf("a", "a/b")
	g.skills["a"].Files = append(g.skills["a"].Files, TextFile("b/x", ""))
	c := catalog(t, nil, Mount{"m", g}, Mount{"u", unlisted{memoryOf("a", "a/b")}})
	for _, p := range []string{"m/a", "u/a/b"} {
		if _, err := c.Get(t.Context(), c.URI(p)); err == nil || errors.Is(err, ErrNotFound) {
			t.Errorf("Get(%s) = %v", p, err)
		}
	}
	for _, p := range []string{"m/a/b", "u/a"} {
		if _, err := c.Get(t.Context(), c.URI(p)); err != nil {
			t.Errorf("Get(%s) = %v", p, err)
		}
	}
}

func TestNestedFilesCountForTheLimits(t *testing.T) {
	g := memoryOf("a")
	g.skills["a"] = simple("a", manyFiles(400)...)
	g.skills["a/b"] = simple("a/b", manyFiles(200)...)
	c := catalog(t, nil, Mount{"m", g})
	if _, err := c.Get(t.Context(), c.URI("m/a")); err == nil {
		t.Error("602 files are served")
	}
	if _, err := c.Get(t.Context(), c.URI("m/a/b")); err != nil {
		t.Error(err)
	}
}

func TestInnerMountOwnsItsSubtree(t *testing.T) {
	outer := memoryOf("a", "a/b", "a/b/hidden", "a/b-c", "z")
	inner := memoryOf("shown", "x/y")
	c := catalog(t, &Options{Listing: ListAll, PageSize: 2}, Mount{"", outer}, Mount{"a/b", inner})
	uris, _ := listAll(t, c)
	equal(t, "listed", uris, []string{"skill://a/SKILL.md", "skill://a/b-c/SKILL.md", "skill://a/b/shown/SKILL.md", "skill://a/b/x/y/SKILL.md", "skill://z/SKILL.md"})
	for _, hidden := range []string{"a/b", "a/b/hidden"} {
		if _, err := c.Get(t.Context(), c.URI(hidden)); !errors.Is(err, ErrNotFound) {
			t.Errorf("Get(%s) = %v", hidden, err)
		}
	}
	equal(t, "a", children(t, c, "skill://a"), []string{"SKILL.md", "b/", "b-c/"})
}

func TestDirectoryReadsReachEveryLevelAndPageByChild(t *testing.T) {
	g := memoryOf()
	for i := range 2100 {
		g.skills[fmt.Sprintf("g/s%04d", i)] = simple(fmt.Sprintf("s%04d", i))
	}
	g.skills["h-i/one"] = simple("one")
	g.skills["h/two"] = simple("two")
	c := catalog(t, nil, Mount{"acme/api", g})
	equal(t, "acme", children(t, c, "skill://acme"), []string{"api/"})
	equal(t, "acme/api", children(t, c, "skill://acme/api"), []string{"g/", "h-i/", "h/"})
	names := children(t, c, "skill://acme/api/g")
	slices.Sort(names)
	equal(t, "children", len(slices.Compact(names)), 2100)
	equal(t, "rendered skills", g.calls.Load() < 50, true)
}

func TestDirectoryThatJustFillsAPageHasNoNextOne(t *testing.T) {
	g := memoryOf()
	for i := range directoryPageSize {
		g.skills[fmt.Sprintf("g/s%04d", i)] = simple(fmt.Sprintf("s%04d", i))
	}
	last := fmt.Sprintf("g/s%04d", directoryPageSize-1)
	g.skills[last+"/nested"] = simple("nested")
	c := catalog(t, nil, Mount{"x", g})
	page, err := c.ReadDirectory(t.Context(), "skill://x/g", "")
	if err != nil || len(page.Resources) != directoryPageSize || page.NextCursor != "" {
		t.Errorf("%d children, next %q, %v", len(page.Resources), page.NextCursor, err)
	}
}

func TestSkillThatRanPastItsDeadlineIsNotTriedAgainSoon(t *testing.T) {
	g := memoryOf()
	g.skills["slow"] = &Skill{Files: []File{{Name: "SKILL.md", Content: func(ctx context.Context) ([]byte, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}}}
	c := catalog(t, &Options{SkillTimeout: time.Millisecond}, Mount{"x", g})
	if _, err := c.Get(t.Context(), c.URI("x/slow")); err == nil {
		t.Fatal("no error")
	}
	f, ok := c.failures.get("x/slow")
	if !ok || time.Until(f.until) < lateAge/2 {
		t.Errorf("remembered until %v", f.until)
	}
}

func TestWhatIsNoDirectoryIsNotFound(t *testing.T) {
	c := catalog(t, nil, Mount{"x", memoryOf("a/one")}, Mount{"u", unlisted{memoryOf("a/one")}})
	for uri, want := range map[string]string{
		"skill://x/a/one/SKILL.md": "is not a directory resource",
		"skill://x/a/none":         "no directory is served at",
		"skill://none":             "no directory is served at",
		"skill://u":                "cannot be enumerated",
		"skill://u/a":              "cannot be enumerated",
	} {
		if _, err := c.ReadDirectory(t.Context(), uri, ""); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), uri) {
			t.Errorf("ReadDirectory(%s) = %v", uri, err)
		}
	}
	equal(t, "a skill of a generator that cannot enumerate", children(t, c, "skill://u/a/one"), []string{"SKILL.md"})
	for uri, want := range map[string]string{
		"skill://x/a/one":         "use resources/directory/read",
		"skill://x/a":             "use resources/directory/read",
		"skill://x/a/one/nothing": "no resource is served at",
	} {
		if _, err := c.Read(t.Context(), uri); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%s) = %v", uri, err)
		}
	}
}

func TestMalformedURIsAreRefused(t *testing.T) {
	c := catalog(t, nil, Mount{"x", memoryOf("a/one")})
	for _, uri := range []string{
		"", "skill", "skill:", "skill:/", "skill://", "skill:///", "skill://x/a/../a/one/SKILL.md", "skill://x/a/%2e%2e/a/one/SKILL.md",
		"skill://x/a%2Fone/SKILL.md", "skill://x//a/one/SKILL.md", "skill://x/a\\one/SKILL.md", "skill://x/a%5Cone/SKILL.md",
		"skill://x/a/one/SKILL.md\x00", "skill://x/a/one/SKILL.md%00", "skill://x/a/one/SKILL.md/", "skill://x/a/one/./SKILL.md",
		"skill://x/a/one/SKILL.md?x", "skill://x/a/one/SKILL.md#x", "skill://x:80/a/one/SKILL.md", "skill://me@x/a/one/SKILL.md",
		"skill://x/a/one/%zz", "skill://x/a/one/%4", "skill://x/a/one/%ff", "SKILL://x/a/one/SKILL.md", "other://x/a/one/SKILL.md",
		"skill://x/" + strings.Repeat("a/", 50_000) + "SKILL.md", "skill://x" + strings.Repeat("/a", 20), "file:///etc/passwd",
	} {
		for what, err := range map[string]error{
			"Get":           second(c.Get(t.Context(), uri)),
			"Read":          second(c.Read(t.Context(), uri)),
			"ReadDirectory": second(c.ReadDirectory(t.Context(), uri, "")),
		} {
			if !errors.Is(err, ErrInvalidURI) || len(err.Error()) > 500 {
				t.Errorf("%s(%.60q) = %v", what, uri, err)
			}
		}
	}
	for _, uri := range []string{"skill://X/a/one/SKILL.md", "skill://x/a/One/SKILL.md", "skill://x/a/one/skill.md", "skill://x/a/one", "skill://x/SKILL.md"} {
		if _, err := c.Get(t.Context(), uri); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), uri) {
			t.Errorf("Get(%s) = %v", uri, err)
		}
	}
	if _, err := c.Get(t.Context(), "skill://%78/%61/one/SKILL%2Emd"); err != nil {
		t.Errorf("another spelling of the same path: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestOwnsAnswersForTheNamespaceAndNothingElse(t *testing.T) {
	c := catalog(t, nil, Mount{"acme/api", memoryOf("one")})
	for uri, want := range map[string]bool{
		"skill://acme/api/one/SKILL.md": true, "skill://acme/api": true, "skill://acme": true, "skill://acme/api/none": true,
		"skill://acme/other": false, "skill://other/x": false, "file:///x": false, "skill://acme/../x": true, "skill:": true, "skills://acme": false,
	} {
		equal(t, uri, c.Owns(uri), want)
	}
}

func TestGeneratorsThatBreakTheOrderOfPathsAreCaught(t *testing.T) {
	for name, paths := range map[string]PathList{"descending": {"b", "a"}, "twice": {"a", "a"}} {
		c := catalog(t, nil, Mount{"x", struct {
			Generator
			Lister
		}{memoryOf("a", "b"), unsorted(paths)}})
		if _, err := c.List(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "ascending") {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := catalog(t, nil, Mount{"x", struct {
		Generator
		Lister
	}{memoryOf("good"), PathList{"Bad Name", "good"}}})
	uris, _ := listAll(t, c)
	equal(t, "a path that cannot be a skill is skipped", uris, []string{"skill://x/good/SKILL.md"})
}

type unsorted []string

func (u unsorted) Paths(context.Context, string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, p := range u {
			if !yield(p, nil) {
				return
			}
		}
	}
}

func TestCatalogIsAFileSystemThatExports(t *testing.T) {
	g := memoryOf("a/one", "a/two", "b")
	g.skills["b"].Files = append(g.skills["b"].Files, TextFile("references/x.md", "x"), TextFile("references/deep/y", "y"))
	g.skills["live"] = &Skill{Dynamic: true, Files: append(simple("live").Files, TextFile("data/now.txt", "now"))}
	c := catalog(t, nil, Mount{"acme/api", g}, Mount{"other", memoryOf("c")})
	fsys := c.FS(t.Context())
	if err := fstest.TestFS(fsys, "acme/api/a/one/SKILL.md", "acme/api/b/references/deep/y", "acme/api/live/data/now.txt", "other/c/SKILL.md"); err != nil {
		t.Error(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, fsys); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "acme", "api", "b", "references", "x.md")); err != nil || string(b) != "x" {
		t.Errorf("%s, %v", b, err)
	}
	g.skills["a/zbroken"] = &Skill{}
	if err := fs.WalkDir(c.FS(t.Context()), ".", func(_ string, _ fs.DirEntry, err error) error { return err }); err == nil {
		t.Error("a skill that fails does not fail the walk")
	}
}

func TestFileSystemTellsAnEndedContextFromAMissingFile(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := catalog(t, nil, Mount{"x", memoryOf("a/one")})
	fsys := c.FS(ctx)
	if _, err := fs.Stat(fsys, "x/a"); err != nil { // so that what is not there is remembered
		t.Fatal(err)
	}
	cancel()
	for _, name := range []string{"x/a", "x/a/one", "x/a/one/SKILL.md"} {
		if _, err := fs.Stat(fsys, name); !errors.Is(err, context.Canceled) {
			t.Errorf("Stat(%s) = %v", name, err)
		}
	}
}

func TestFeaturedSkillThatIsNotServedIsLeftOut(t *testing.T) {
	c := catalog(t, &Options{Listing: ListFeatured, Featured: []string{"x/none", "other/one", "x/a", "Bad"}}, Mount{"x", memoryOf("a", "b")})
	uris, err := c.FeaturedURIs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "featured", uris, []string{"skill://x/a/SKILL.md"})
	listed, _ := listAll(t, c)
	equal(t, "listed", listed, uris)
}

func TestPrefixesAndOptionsAreChecked(t *testing.T) {
	g := memoryOf("a")
	for name, err := range map[string]error{
		"traversal":  second(NewCatalog([]Mount{{"../x", g}}, nil)),
		"authority":  second(NewCatalog([]Mount{{"a b", g}}, nil)),
		"slash":      second(NewCatalog([]Mount{{"x/", g}}, nil)),
		"twice":      second(NewCatalog([]Mount{{"x", g}, {"x", g}}, nil)),
		"nil":        second(NewCatalog([]Mount{{"x", nil}}, nil)),
		"scheme":     second(NewCatalog(nil, &Options{Scheme: "Skill"})),
		"listing":    second(NewCatalog(nil, &Options{Listing: "some"})),
		"page size":  second(NewCatalog(nil, &Options{PageSize: -1})),
		"no scheme ": second(NewCatalog(nil, &Options{Scheme: "1x"})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestEmptyCatalogListsNothing(t *testing.T) {
	c := catalog(t, nil)
	uris, pages := listAll(t, c)
	equal(t, "skills, pages", []int{len(uris), pages}, []int{0, 1})
}

func TestByteCacheStaysWithinItsBudget(t *testing.T) {
	c := newByteCache[int, string](100)
	for i := range 50 {
		c.add(i, "x", 30)
		if c.bytes > 100 {
			t.Fatalf("%d bytes", c.bytes)
		}
	}
	c.add(99, "large", 101)
	if _, ok := c.get(99); ok {
		t.Error("a value above the budget is kept")
	}
	if _, ok := c.get(49); !ok || c.lru.Len() != 3 {
		t.Errorf("%d values are kept", c.lru.Len())
	}
	c.add(49, "x", 10)
	equal(t, "bytes after a replacement", c.bytes, 70)
	c.purge()
	equal(t, "bytes after a purge", c.bytes, 0)
}

func TestContentIsKeptAlthoughTheGeneratorReusesItsBuffer(t *testing.T) {
	m := memoryOf("x")
	buffer := []byte("first")
	m.skills["x"].Files = append(m.skills["x"].Files, File{Name: "f.txt", Content: func(context.Context) ([]byte, error) { return buffer, nil }})
	c := catalog(t, nil, Mount{"m", m})
	e, err := c.Get(t.Context(), "skill://m/x/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	copy(buffer, "other")
	content, err := c.Read(t.Context(), "skill://m/x/f.txt")
	if err != nil || DigestOf(content.Bytes) != e.Resources[1].Digest {
		t.Errorf("read %q, %v", content.Bytes, err)
	}
}

func TestMediaTypesThatMessagesCannotCarryAreRefused(t *testing.T) {
	for _, mime := range []string{"text/\xff", "text/plain\n", "text/pl\u00e4in", directoryType} {
		m := memoryOf("x")
		m.skills["x"].Files = append(m.skills["x"].Files, File{Name: "f", MIMEType: mime, Content: m.skills["x"].Files[0].Content})
		if _, err := catalog(t, nil, Mount{"m", m}).Get(t.Context(), "skill://m/x/SKILL.md"); err == nil || errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", mime, err)
		}
	}
}

func TestSkillFileIsMarkdownWhereverItIsShown(t *testing.T) {
	m := memoryOf("x")
	m.skills["x"].Files[0].MIMEType = "text/plain"
	c := catalog(t, nil, Mount{"m", m})
	content, err := c.Read(t.Context(), "skill://m/x/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := c.ReadDirectory(t.Context(), "skill://m/x", "")
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.ListResources(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{content.MIMEType, dir.Resources[0].MIMEType, list.Resources[0].MIMEType} {
		if got != "text/markdown" {
			t.Errorf("media type %q", got)
		}
	}
}

// wire returns an entry as it goes over the wire.
func wire(t testing.TB, e *Entry) []byte {
	t.Helper()
	b, err := e.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return b
}
