package framework

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

type callerKey struct{}

// as returns a context of a caller who may see the skills whose paths begin with
// one of prefixes.
func as(t *testing.T, prefixes ...string) context.Context {
	return context.WithValue(t.Context(), callerKey{}, prefixes)
}

func allowByPrefix(ctx context.Context, path string) bool {
	prefixes, _ := ctx.Value(callerKey{}).([]string)
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

func TestWhatIsRefusedLooksUnknown(t *testing.T) {
	g := memoryOf("open/one", "open/two", "shut/one", "shut/two")
	c := catalog(t, &Options{Allow: allowByPrefix, Featured: []string{"x/shut/one", "x/open/two"}}, Mount{"x", g})
	caller := as(t, "x/open/")
	all := as(t, "x/")
	for _, ctx := range []context.Context{all, caller} { // also what is in the cache
		if page, err := c.List(ctx, ""); err != nil || len(page.Entries) == 0 {
			t.Fatalf("%v, %v", page, err)
		}
	}

	refused := map[string]func(name string) error{
		"Get":           func(name string) error { _, err := c.Get(caller, "skill://x/shut/"+name+"/SKILL.md"); return err },
		"Read":          func(name string) error { _, err := c.Read(caller, "skill://x/shut/"+name+"/SKILL.md"); return err },
		"ReadDirectory": func(name string) error { _, err := c.ReadDirectory(caller, "skill://x/shut/"+name, ""); return err },
		"of a level":    func(name string) error { _, err := c.ReadDirectory(caller, "skill://x/shut", ""); return err },
		"Read of a level": func(name string) error {
			_, err := c.Read(caller, "skill://x/shut")
			return err
		},
	}
	for what, call := range refused {
		known, unknown := call("one"), call("none")
		if !errors.Is(known, ErrNotFound) || !errors.Is(unknown, ErrNotFound) {
			t.Errorf("%s: %v, %v", what, known, unknown)
			continue
		}
		if a, b := strings.ReplaceAll(known.Error(), "one", "none"), unknown.Error(); a != b {
			t.Errorf("%s tells them apart: %q, %q", what, known, unknown)
		}
	}

	var seen []string
	page, err := c.List(caller, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Entries {
		seen = append(seen, e.URI)
	}
	resources, err := c.ListResources(caller, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range resources.Resources {
		seen = append(seen, r.URI)
	}
	uris, err := c.FeaturedURIs(caller)
	if err != nil {
		t.Fatal(err)
	}
	seen = append(seen, uris...)
	for p, err := range c.Paths(caller, "") {
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, p)
	}
	level, err := c.ReadDirectory(caller, "skill://x", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range level.Resources {
		seen = append(seen, r.URI)
	}
	if len(seen) != 2+2+1+2+1 || strings.Contains(strings.Join(seen, " "), "shut") {
		t.Errorf("the caller sees %q", seen)
	}
}

func TestNobodySeesAnythingWithoutBeingAllowed(t *testing.T) {
	c := catalog(t, &Options{Allow: allowByPrefix}, Mount{"x", memoryOf("a/one")})
	if page, err := c.List(t.Context(), ""); err != nil || len(page.Entries) != 0 {
		t.Errorf("%v, %v", page, err)
	}
	if _, err := c.ReadDirectory(t.Context(), "skill://x", ""); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if !c.PerCaller() {
		t.Error("the catalog does not say that it is per caller")
	}
}

func TestEnclosingSkillIsSeenOnlyByWhoMaySeeAllThatIsNestedInIt(t *testing.T) {
	g := memoryOf("a", "a/inner", "a/other", "b")
	c := catalog(t, &Options{Allow: allowByPrefix}, Mount{"x", g})
	for _, warm := range []string{"cold", "warm"} {
		part := as(t, "x/a/inner", "x/b")
		if _, err := c.Get(part, "skill://x/a/inner/SKILL.md"); err != nil {
			t.Errorf("%s: %v", warm, err)
		}
		for _, path := range []string{"a", "a/other"} {
			if _, err := c.Get(part, "skill://x/"+path+"/SKILL.md"); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s: %s: %v", warm, path, err)
			}
		}
		half := context.WithValue(t.Context(), callerKey{}, []string{"x/a/inner", "x/b"})
		level, err := c.ReadDirectory(half, "skill://x/a", "")
		if err != nil || len(level.Resources) != 1 || level.Resources[0].Name != "inner" {
			t.Errorf("%s: %v, %v", warm, level, err)
		}
		if entry, err := c.Get(as(t, "x/a"), "skill://x/a/SKILL.md"); err != nil || len(entry.Resources) != 3 {
			t.Errorf("%s: %v, %v", warm, entry, err)
		}
	}
}

func TestCursorsHaveNoPathThatIsRefused(t *testing.T) {
	var paths []string
	for i := range 50 {
		paths = append(paths, fmt.Sprintf("a/n%02d", i), fmt.Sprintf("m/n%02d", i), fmt.Sprintf("z/n%02d", i))
	}
	c := catalog(t, &Options{Allow: allowByPrefix, Listing: ListAll, PageSize: 5, MaxPages: -1}, Mount{"x", memoryOf(paths...)})
	c.maxScan = 7
	seen := 0
	for cursor := ""; ; {
		page, err := c.List(as(t, "x/m/"), cursor)
		if err != nil {
			t.Fatal(err)
		}
		seen += len(page.Entries)
		if cursor = page.NextCursor; cursor == "" {
			break
		}
		if raw, _ := base64.RawURLEncoding.DecodeString(cursor); !strings.Contains(string(raw), "x/m/") {
			t.Fatalf("the cursor %q", raw)
		}
	}
	if seen != 50 {
		t.Errorf("%d skills are listed, want 50", seen)
	}
}

func TestListAutoCountsWhatTheCallerMaySee(t *testing.T) {
	var paths []string
	for i := range autoListMax + 10 {
		paths = append(paths, fmt.Sprintf("many/n%03d", i))
	}
	c := catalog(t, &Options{Allow: allowByPrefix}, Mount{"x", memoryOf(append(paths, "few/one")...)})
	if page, err := c.List(as(t, "x/few/"), ""); err != nil || len(page.Entries) != 1 {
		t.Errorf("who may see one of many skills is listed %v, %v", page, err)
	}
	if mode, _, err := c.ListingMode(as(t, "x/")); err != nil || mode != ListFeatured {
		t.Errorf("%v, %v", mode, err)
	}
}
