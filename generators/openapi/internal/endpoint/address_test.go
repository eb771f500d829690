package endpoint

import "testing"

func TestServerAddressesStayWhatTheyAre(t *testing.T) {
	for in, want := range map[string]string{
		"http://[::1]:8080/a b":      "http://[::1]:8080/a%20b",
		"https://[2001:db8::1]/x[1]": "https://[2001:db8::1]/x%5B1%5D",
		"https://[1-9].example/x":    "https://%5B1-9%5D.example/x",
		"https://h.example/{x}":      "https://h.example/%7Bx%7D",
	} {
		if got := escapeURL(in); got != want {
			t.Errorf("escapeURL(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"https://user:pass@h.example/x":     "https://h.example/x",
		`https://h.example\@evil.example/x`: "https://evil.example/x",
		"//u@h.example":                     "//h.example",
		"https://h.example/a@b":             "https://h.example/a@b",
		"/only/a@path":                      "/only/a@path",
	} {
		if got := userInfo.ReplaceAllString(in, "$1"); got != want {
			t.Errorf("without user information %q is %q, want %q", in, got, want)
		}
	}
}
