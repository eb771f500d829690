package check

import (
	"fmt"
	"strings"
	"testing"
)

func TestPointersHaveTheLinesOfTheirKeys(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want map[string]int
	}{
		"YAML": {
			"# first\npaths:\n  /a/b~c:\n    get: &op\n      summary: |\n        text\n      tags:\n        - x\n        - y\n    put: *op\n    post:\n      <<: *op\n      summary: own\n",
			map[string]int{
				"": 1, "/paths": 2, "/paths/~1a~1b~0c/get": 4, "/paths/~1a~1b~0c/get/summary": 5, "/paths/~1a~1b~0c/get/tags/1": 9,
				"/paths/~1a~1b~0c/put/tags": 7, "/paths/~1a~1b~0c/post/summary": 13, "/paths/~1a~1b~0c/post/tags": 7,
				"/paths/~1a~1b~0c/patch/summary": 3, "/servers": 1,
			},
		},
		"JSON": {
			"\ufeff\n{\n \"paths\": {\n  \"/a/b~c\":\n   {\"get\": {\n    \"tags\": [\"x\",\n     \"y\", {\"z\":\n      1}]},\n   \"put\": {}}}}",
			map[string]int{
				"": 1, "/paths": 3, "/paths/~1a~1b~0c": 4, "/paths/~1a~1b~0c/get": 5, "/paths/~1a~1b~0c/get/tags/1": 7,
				"/paths/~1a~1b~0c/get/tags/2/z": 7, "/paths/~1a~1b~0c/put": 9, "/paths/~1a~1b~0c/get/tags/9": 6, "/other": 1,
			},
		},
		"YAML in braces": {"{a: 1,\n b: {c: 2}}", map[string]int{"/a": 1, "/b/c": 2}},
	} {
		t.Run(name, func(t *testing.T) {
			src, err := read([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			var pointers []string
			for p := range test.want {
				pointers = append(pointers, p)
			}
			got := src.lines(pointers)
			for p, want := range test.want {
				if got[p] != want {
					t.Errorf("%q is on line %d, want %d", p, got[p], want)
				}
			}
		})
	}
}

func TestAliasesAreWalkedABoundedNumberOfTimes(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), i-1)
	}
	b.WriteString("m0: &m0 {k: 1}\n")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&b, "m%d: &m%d {<<: *m%d, k%d: {<<: *m%d}}\n", i, i, i-1, i, i-1)
	}
	src, err := read([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := src.walk(func(value) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	if n > 3*maxAliased {
		t.Errorf("%d values were met", n)
	}
}

func FuzzSource(f *testing.F) {
	f.Add([]byte(clean), "/paths/~1boats~1{id}/get")
	f.Add([]byte(`{"a": [1, {"b": null}], "a": "x"}`), "/a/1/b")
	f.Add([]byte("a: &a {<<: *a, b: *a}\n"), "/a/b/b")
	f.Add([]byte("- [{]"), "//")
	f.Fuzz(func(t *testing.T, data []byte, at string) {
		src, err := read(data)
		if err != nil {
			return
		}
		s := newSurvey(func(_, _, _, message string, args ...any) { _ = fmt.Sprintf(message, args...) })
		_ = src.walk(func(v value) error {
			if len(v.path) > 0 {
				s.document(v)
				s.prose(v, "skill")
			}
			return nil
		})
		s.report("file", nil)
		if line := src.lines([]string{at})[at]; line < 1 || line > 1+strings.Count(string(data), "\n")+strings.Count(string(data), "\r") {
			t.Errorf("line %d", line)
		}
	})
}

func TestURIsEndWhereASentenceGoesOn(t *testing.T) {
	got := mentions("See skill://a/b/SKILL.md, (skill://c/d/references/x.md). Not myskill://e/f; skill://. Or skill://g/h/…", "skill")
	want := []string{"skill://a/b/SKILL.md", "skill://c/d/references/x.md", "skill://g/h/"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTwinsAreFoundAmongManyWithoutComparingAll(t *testing.T) {
	twins := newTwins()
	words := strings.Fields("amber birch cedar delta ember frost grove heath inlet joust knoll lemon maple north ocean pearl quartz river stone thorn")
	text := func(i int) string {
		var b strings.Builder
		for j := range 14 {
			b.WriteString(words[mix(uint64(i*31+j))%uint64(len(words))] + " ")
		}
		return b.String()
	}
	for i := range 10_000 {
		if like := twins.add(fmt.Sprint(i), text(i)); like != "" {
			t.Fatalf("%d is like %s: %q, %q", i, like, text(i), like)
		}
	}
	if like := twins.add("again", "GET /x "+text(4711), "GET /x"); like != "4711" {
		t.Errorf("like %q, want 4711", like)
	}
	if like := twins.add("short", "Get it now please"); like != "" {
		t.Errorf("too few words, and like %q", like)
	}
	for range 1000 { // that are all the same
		twins.add("same", text(1))
	}
	for _, buckets := range twins.buckets {
		for _, b := range buckets {
			if len(b) > perBucket {
				t.Fatalf("a bucket has %d", len(b))
			}
		}
	}
}
