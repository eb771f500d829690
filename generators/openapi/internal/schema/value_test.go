package schema

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestValueIsPrintedInOneLineOrOneMemberALine(t *testing.T) {
	long := strings.Repeat("x", 60)
	tests := []struct{ in, want string }{
		{`{"b": 1, "a": [true, null, "x"]}`, `{"a": [true, null, "x"], "b": 1}`},
		{`{}`, `{}`},
		{`[]`, `[]`},
		{`"<a href='x'>&"`, `"<a href='x'>&"`},
		{`"a\nb\u202e\u200b\u2028\udb40\udc41"`, `"a\nb\u202e\u200b\u2028\udb40\udc41"`},
		{`{"a": "` + long + `", "b": ["` + long + `"], "c": {"d": 1}}`,
			"{\n  \"a\": \"" + long + "\",\n  \"b\": [\"" + long + "\"],\n  \"c\": {\"d\": 1}\n}"},
		{`["` + long + `", {"a": "` + long + `", "b": "` + long + `"}]`,
			"[\n  \"" + long + "\",\n  {\n    \"a\": \"" + long + "\",\n    \"b\": \"" + long + "\"\n  }\n]"},
	}
	for _, tt := range tests {
		var in any
		if err := json.Unmarshal([]byte(tt.in), &in); err != nil {
			t.Fatal(err)
		}
		v := ValueOf(in)
		if got := v.String(); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.in, got, tt.want)
		}
		for _, s := range []string{v.String(), v.Line(), v.Compact()} {
			var back any
			if err := json.Unmarshal([]byte(s), &back); err != nil || !reflect.DeepEqual(back, in) || !reflect.DeepEqual(v.Any(), in) {
				t.Errorf("%s does not read back as %s: %v", s, tt.in, err)
			}
		}
	}
}

func TestALineIsAtMostAsWideAsAllowed(t *testing.T) {
	// 120 columns fit; the 121st breaks the line.
	for n, lines := range map[int]int{lineWidth - len(`{"a": ""}`): 1, lineWidth - len(`{"a": ""}`) + 1: 3} {
		v := &Value{[]Member{{"a", &Value{strings.Repeat("ä", n)}}}}
		if got := strings.Count(v.String(), "\n") + 1; got != lines {
			t.Errorf("%d characters: %d lines, want %d", n, got, lines)
		}
	}
}

func TestNumbersKeepTheirIntegers(t *testing.T) {
	for f, want := range map[float64]string{
		1: "1", -1: "-1", 0.5: "0.5", 1e21: "1e+21", 1e-7: "1e-07", 1 << 53: "9007199254740992",
		1 << 63: "9223372036854775807", -1 << 63: "-9223372036854775808", 1.5e10: "15000000000", 100000000000000000000: "100000000000000000000",
	} {
		if got := ValueOf(f).Line(); got != want {
			t.Errorf("%g is %s, want %s", f, got, want)
		}
	}
	if got := ValueOf(json.Number("12345678901234567890")).Line(); got != "12345678901234567890" {
		t.Errorf("a number of more digits is %s", got)
	}
}

func TestNilValueIsNull(t *testing.T) {
	var v *Value
	if !v.IsNull() || v.Line() != "null" || v.Get("x") != nil || v.Items() != nil || v.Any() != nil || v.Text() != "" {
		t.Error("a nil Value is not null")
	}
}

func TestCommentIsOneSafeLine(t *testing.T) {
	for in, want := range map[string]string{
		"  a\n\n b\tc ":                      "a b c",
		"x\u202ey\u200bz\u0000\u001b[31m":    "xyz[31m",
		"tag \U000e0041\U000e0042 end":       "tag end",
		strings.Repeat("word ", 50):          strings.Repeat("word ", 31)[:154] + " ...",
		strings.Repeat("y", 500):             strings.Repeat("y", 156) + " ...",
		"bad \xff utf-8":                     "bad utf-8",
		"line\u2028separator\u2029paragraph": "line separator paragraph",
	} {
		if got := oneLine(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestRegexStaysInItsSlashes(t *testing.T) {
	for in, want := range map[string]string{
		`^a/b$`:    `/^a\/b$/`,
		`^a\/b$`:   `/^a\/b$/`,
		`\\/`:      `/\\\//`,
		"a\nb":     `/a\nb/`,
		"a\\\nb":   `/a\nb/`,
		"\u200bxy": `/\u200bxy/`,
	} {
		if got := regex(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
