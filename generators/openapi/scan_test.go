package openapi

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzMembers compares the scanner with encoding/json on what both take for
// JSON, and wants it to end on everything else.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"a":1,"b":"x\"y","c":[1,{"d":null}],"e":{"f":true}}`, ` { "a" : -1.5e+3 , "\u0061b" : "\\" } `,
		`[1,"]",{"}":"{"},[]]`, `"str"`, `{`, `{"a"`, `{"a":`, `{"a":"`, `[`, `{"a":}`, `{:1}`, `{"a":1,}`, `{"a" 1}`, `{"":{}}`, "\x00", `{"a":"\`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !utf8.Valid(raw) {
			t.Skip("no document gets here that is not UTF-8")
		}
		got := map[string]string{}
		members(raw, func(name string, v []byte) bool {
			got[name] = string(v)
			return true
		})
		var n int
		elements(raw, func(v []byte) bool {
			n++
			_ = text(v)
			_ = member(v, "a")
			return true
		})
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) == nil {
			if len(got) != len(object) {
				t.Fatalf("%q: %d members, want %d", raw, len(got), len(object))
			}
			for k, v := range object {
				if got[k] != string(v) {
					t.Errorf("%q: %q is %q, want %q", raw, k, got[k], v)
				}
			}
		}
		var array []json.RawMessage
		if json.Unmarshal(raw, &array) == nil && len(array) != n {
			t.Errorf("%q: %d elements, want %d", raw, n, len(array))
		}
	})
}

func TestTextDecodes(t *testing.T) {
	for in, want := range map[string]string{`"a"`: "a", `"\u00e4\n"`: "ä\n", `1`: "", `{}`: "", `""`: "", `"`: ""} {
		if got := text([]byte(in)); got != want {
			t.Errorf("text(%s) = %q, want %q", in, got, want)
		}
	}
}

func TestPlaceOfALinkedValue(t *testing.T) {
	for in, want := range map[string]string{
		"$response.body#/id":        "/id",
		"$response.body#/0/1/id":    "/*/*/id",
		"$response.header.Location": "header Location",
		"$request.path.id":          "",
		"fixed":                     "",
	} {
		if got, _ := place(in); got != want {
			t.Errorf("place(%q) = %q, want %q", in, got, want)
		}
	}
}
