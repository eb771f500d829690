package framework

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestFrontmatterIsTypedByTheCoreSchemaOfYAML12(t *testing.T) {
	for yaml, want := range map[string]string{
		"x: yes": `"yes"`, "x: 2026-01-01": `"2026-01-01"`, "x: 012": `12`, "x: 0o14": `12`, "x: 0x1F": `31`, "x: 1_000": `"1_000"`,
		"x: 1.0": `1`, "x: 1e3": `1000`, "x: +5": `5`, "x: ~": `null`, "x:": `null`, "x: True": `true`, "x: FALSE": `false`,
		"x: 9007199254740993": `9007199254740993`, "x: 123456789012345678901234567890": `123456789012345678901234567890`,
		`x: "1"`: `"1"`, "x: '~'": `"~"`, "x: [1, two, {a: b}]": `[1,"two",{"a":"b"}]`, "x: 12:30:45": `"12:30:45"`,
		"x: |\n  two\n  lines": `"two\nlines\n"`, "x: &a [1]\ny: *a": `[1],"y":[1]`, "x: <b>&": `"<b>&"`, "x: 1.": `1`, "x: .5": `0.5`, "x: -0": `0`,
	} {
		f, err := ParseFrontmatter([]byte("---\nname: skill\ndescription: d\n" + yaml + "\n---\n"))
		if err != nil {
			t.Errorf("%q: %v", yaml, err)
			continue
		}
		if got, want := string(f.JSON), `{"name":"skill","description":"d","x":`+want+`}`; got != want {
			t.Errorf("%q:\n got %s\nwant %s", yaml, got, want)
		}
	}
}

func TestFrontmatterWarnsWhereParsersDiffer(t *testing.T) {
	for yaml, want := range map[string]int{
		"x: yes": 1, "x: on": 1, "x: 2026-01-01": 1, "x: 012": 1, "x: 1_000": 1, "x: 12:30": 1, "x: 9007199254740993": 1, "on: x": 1, "x: 0o7": 1,
		"x: 'yes'": 0, "x: text": 0, "x: 12": 0, "x: 1.5": 0, "x: true": 0,
	} {
		f, err := ParseFrontmatter([]byte("---\nname: skill\ndescription: d\n" + yaml + "\n---\n"))
		if err != nil || len(f.Warnings) != want {
			t.Errorf("%q: %v, %v", yaml, f, err)
		}
	}
}

func TestFrontmatterThatTheSpecificationForbidsIsRefused(t *testing.T) {
	const head = "---\nname: n\ndescription: d\n"
	for name, md := range map[string]string{
		"empty":                   "",
		"no fence":                "name: n\n",
		"not closed":              head,
		"byte order mark":         "\xef\xbb\xbf" + head + "---\n",
		"no mapping":              "---\n- a\n---\n",
		"nothing":                 "---\n---\n",
		"no name":                 "---\ndescription: d\n---\n",
		"no description":          "---\nname: n\n---\n",
		"empty description":       "---\nname: n\ndescription: ' '\n---\n",
		"number as description":   "---\nname: n\ndescription: 1\n---\n",
		"number as name":          "---\nname: 1\ndescription: d\n---\n",
		"upper case":              "---\nname: N\ndescription: d\n---\n",
		"double hyphen":           "---\nname: a--b\ndescription: d\n---\n",
		"long name":               "---\nname: " + strings.Repeat("a", 65) + "\ndescription: d\n---\n",
		"long description":        "---\nname: n\ndescription: " + strings.Repeat("é", 1025) + "\n---\n",
		"empty compatibility":     head + "compatibility: ''\n---\n",
		"long compatibility":      head + "compatibility: " + strings.Repeat("c", 501) + "\n---\n",
		"license a number":        head + "license: 2\n---\n",
		"allowed-tools a list":    head + "allowed-tools: [a]\n---\n",
		"metadata a string":       head + "metadata: x\n---\n",
		"metadata number":         head + "metadata: {a: 1}\n---\n",
		"metadata null":           head + "metadata: {a: }\n---\n",
		"metadata nested":         head + "metadata: {a: {b: c}}\n---\n",
		"reserved metadata":       head + "metadata: {io.modelcontextprotocol/x: y}\n---\n",
		"duplicate key":           head + "name: n\n---\n",
		"nested duplicate":        head + "x: {a: 1, a: 2}\n---\n",
		"number as key":           head + "1: x\n---\n",
		"null as key":             head + "? \n: x\n---\n",
		"list as key":             head + "[a]: x\n---\n",
		"tag":                     head + "x: !!str 1\n---\n",
		"merge key":               head + "a: &a {x: 1}\nb: {<<: *a}\n---\n",
		"infinity":                head + "x: .inf\n---\n",
		"not a number":            head + "x: .nan\n---\n",
		"beyond a double":         head + "x: 1e999\n---\n",
		"integer beyond one":      head + "x: " + strings.Repeat("9", 400) + "\n---\n",
		"alias of itself":         head + "x: &a [*a]\n---\n",
		"alias bomb":              head + bomb() + "---\n",
		"deep":                    head + "x: " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "\n---\n",
		"long":                    head + "x: " + strings.Repeat("y", maxFrontmatterBytes) + "\n---\n",
		"tab":                     head + "\tx: y\n---\n",
		"two documents' worth":    "---\n---\nname: n\n---\n",
		"description is a list":   "---\nname: n\ndescription: [d]\n---\n",
		"invalid UTF-8":           head + "x: \"\xff\"\n---\n",
		"description of nothing":  "---\nname: n\ndescription:\n---\n",
		"alias as reserved value": head + "a: &a 1\nmetadata: {x: *a}\n---\n",
	} {
		if f, err := ParseFrontmatter([]byte(md)); err == nil {
			t.Errorf("%s: accepted as %s", name, f.JSON)
		} else if !errors.Is(err, ErrInvalidSkill) {
			t.Errorf("%s: %v is not ErrInvalidSkill", name, err)
		}
	}
}

func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 9; i++ {
		p := string(rune('0' + i - 1))
		b.WriteString("a" + string(rune('0'+i)) + ": &a" + string(rune('0'+i)) + " [" + strings.TrimSuffix(strings.Repeat("*a"+p+", ", 10), ", ") + "]\n")
	}
	return b.String()
}

func TestFrontmatterLimitsAreInclusive(t *testing.T) {
	md := "---\r\nname: " + strings.Repeat("a", 64) + "\r\ndescription: " + strings.Repeat("é", 1024) +
		"\r\ncompatibility: " + strings.Repeat("c", 500) + "\r\nfuture: [1]\r\nmetadata: {a: b, io.other/x: y}\r\n---\r\nbody"
	f, err := ParseFrontmatter([]byte(md))
	if err != nil {
		t.Fatal(err)
	}
	if f.Name != strings.Repeat("a", 64) || f.Description != strings.Repeat("é", 1024) {
		t.Error("name or description differ")
	}
}

func FuzzParseFrontmatter(f *testing.F) {
	f.Add([]byte("---\nname: n\ndescription: d\nmetadata: {a: \"b\"}\n---\n"))
	f.Add([]byte("---\nname: n\ndescription: &a d\nx: *a\n---\n"))
	f.Add([]byte("---\n? {a: b}\n: c\n---\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		fm, err := ParseFrontmatter(b)
		if err != nil {
			return
		}
		if !json.Valid(fm.JSON) || bytes.IndexByte(fm.JSON, '\n') >= 0 {
			t.Errorf("not one line of JSON: %s", fm.JSON)
		}
		var got struct{ Name, Description string }
		if err := json.Unmarshal(fm.JSON, &got); err != nil || got.Name != fm.Name {
			t.Errorf("%s: %v", fm.JSON, err)
		}
	})
}
