package framework

import (
	"net/url"
	"strings"
	"testing"
)

func TestURIsGoOutInASpellingThatParsersKeep(t *testing.T) {
	for path, want := range map[string]string{
		"a/b":           "skill://a/b",
		"a/x y":         "skill://a/x%20y",
		"a/é":           "skill://a/%C3%A9",
		"a/100%":        "skill://a/100%25",
		"a/b?c#d":       "skill://a/b%3Fc%23d",
		"a:b@c/d:e":     "skill://a%3Ab%40c/d%3Ae",
		"a/~_-.!*'(),;": "skill://a/~_-.!*'(),;",
		`a/"<>^{|}`:     "skill://a/%22%3C%3E%5E%7B%7C%7D",
	} {
		uri := formatURI("skill", path)
		if uri != want {
			t.Errorf("formatURI(%q) = %s, want %s", path, uri, want)
		}
		if back, err := parseURI("skill", uri); err != nil || back != path {
			t.Errorf("parseURI(%s) = %q, %v", uri, back, err)
		}
	}
}

func FuzzURI(f *testing.F) {
	f.Add("skill://a/b/SKILL.md")
	f.Add("skill://a/%C3%A9%20")
	f.Add("skill://a/%2e%2e/b")
	f.Add("skill://a//b")
	f.Fuzz(func(t *testing.T, uri string) {
		if len(uri) > maxURILength/3 {
			return // its canonical spelling may be over the limit
		}
		path, err := parseURI("skill", uri)
		if err != nil {
			if len(err.Error()) > 600 || strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("the message for %q is %q", uri, err)
			}
			return
		}
		for _, segment := range strings.Split(path, "/") {
			if segment == "" || segment == "." || segment == ".." || strings.ContainsAny(segment, "\\\x00") {
				t.Errorf("%q decodes to %q", uri, path)
			}
		}
		canonical := formatURI("skill", path)
		if back, err := parseURI("skill", canonical); err != nil || back != path {
			t.Errorf("%q -> %q -> %q -> %q, %v", uri, path, canonical, back, err)
		}
		if _, err := url.Parse(canonical); err != nil && validAuthority(path) == nil {
			t.Errorf("%q: %v", canonical, err)
		}
	})
}

func FuzzCursor(f *testing.F) {
	f.Add(cursor{"skills/list", 3, sectionRest, "a/b"}.encode(), "skills/list")
	f.Add("", "x")
	f.Add("AAAA", "x")
	f.Fuzz(func(t *testing.T, s, listing string) {
		c, err := decodeCursor(s, listing)
		if err != nil || s == "" {
			return
		}
		if c.listing != listing || c.page < 1 || c.encode() != s {
			t.Errorf("%q decodes to %+v", s, c)
		}
	})
}
