package endpoint

import "testing"

func TestARelativeServerIsResolvedOnlyToHTTP(t *testing.T) {
	tests := []struct{ base, ref, want string }{
		{"https://api.example.com/base/openapi.yaml", "/v2", "https://api.example.com/v2"},
		{"https://api.example.com/base/openapi.yaml", "v2", "https://api.example.com/base/v2"},
		{"https://api.example.com/base/openapi.yaml?x=1", "../v2/", "https://api.example.com/v2/"},
		{"http://api.example.com:81", "v2", "http://api.example.com:81/v2"},
		{"", "/v2", ""},
		{"https://api.example.com/", "ftp://files.example.com/", ""},
		{"https://api.example.com/", "javascript:alert(1)", ""},
		{"https://api.example.com/", "//user@evil.example/", ""},
		{"https://api.example.com/", "%zz", ""},
	}
	for _, tt := range tests {
		if got := resolve(tt.base, tt.ref); got != tt.want {
			t.Errorf("%q at %q: got %q, want %q", tt.ref, tt.base, got, tt.want)
		}
	}
}
