package openapi

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"
)

const tiny = `{"openapi":"3.0.3","info":{"title":"Tiny","version":"1"},"paths":{"/a":{"get":{"responses":{"200":{"description":"ok"}}}}}}`

func TestOnlyAddressesOfThePublicInternetArePublic(t *testing.T) {
	for addr, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "2606:4700:4700::1111": true, "172.32.0.1": true,
		"127.0.0.1": false, "127.8.8.8": false, "10.0.0.1": false, "172.16.0.1": false, "192.168.1.1": false,
		"169.254.169.254": false, "0.0.0.0": false, "0.1.2.3": false, "100.64.0.1": false, "192.0.0.8": false,
		"192.0.2.1": false, "198.18.0.1": false, "198.51.100.1": false, "203.0.113.1": false,
		"224.0.0.1": false, "240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false, "fd00:ec2::254": false,
		"fec0::1": false, "ff02::1": false, "2001:db8::1": false, "2001::1": false, "2002:7f00:1::": false,
		"64:ff9b::7f00:1": false, "64:ff9b:1::1": false, "100::1": false, "::127.0.0.1": false, "5f00::1": false,
		"::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false, "::ffff:8.8.8.8": true,
	} {
		if got := public(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: got %t", addr, got)
		}
	}
}

func TestPrivateAddressesSeeNoConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var seen atomic.Int32
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			seen.Add(1)
			c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0"} {
		_, err := Fetch(t.Context(), "http://"+host+":"+port+"/openapi.json", nil)
		var e *Error
		if !errors.As(err, &e) || e.Hint == "" && host != "localhost" {
			t.Errorf("%s: got %v", host, err)
		}
	}
	if n := seen.Load(); n > 0 {
		t.Errorf("%d connections", n)
	}
}

// site is a server whose /doc is a document, and whose other paths redirect.
func site(t *testing.T, to func(r *http.Request) string) *httptest.Server {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/doc" {
			w.Header().Set("Content-Type", "text/html") // which nobody believes
			w.Write([]byte(tiny))
			return
		}
		w.Header().Set("Location", to(r))
		w.WriteHeader(http.StatusFound)
	}))
	t.Cleanup(s.Close)
	return s
}

func anywhere(netip.Addr) bool { return true }

func TestEachHopOfARedirectIsChecked(t *testing.T) {
	var target string
	s := site(t, func(*http.Request) string { return target })
	s.Start()
	secure := site(t, func(*http.Request) string { return target })
	secure.StartTLS()
	trust := func(tr *http.Transport) {
		tr.TLSClientConfig = secure.Client().Transport.(*http.Transport).TLSClientConfig
	}
	only := func(addr netip.Addr) bool { return addr == netip.MustParseAddr("127.0.0.1") }
	tests := []struct{ name, from, to, want string }{
		{"to the document", s.URL, s.URL + "/api/doc", ""},
		{"http to https", s.URL, secure.URL + "/api/doc", ""},
		{"https to http", secure.URL, s.URL + "/api/doc", "from https to http"},
		{"to a forbidden address", s.URL, "http://127.0.0.2:9/doc", "127.0.0.2 is a private or special address"},
		{"to a forbidden address that is mapped", s.URL, "http://[::ffff:127.0.0.2]:9/doc", "is a private or special address"},
		{"to another scheme", s.URL, "file:///etc/passwd", "is no scheme to fetch with"},
		{"to one with credentials", s.URL, "http://user:secret@127.0.0.1/", "has credentials in it"},
		{"in a circle", s.URL, s.URL + "/again", "more than 5 redirects"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			target = tt.to
			f := &fetcher{allow: only, trust: trust}
			g, err := f.load(t.Context(), tt.from+"/start?token=secret", &Options{})
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if want := tt.to[:strings.Index(tt.to, "/api")] + "/"; g.server != want {
					t.Errorf("the server is %s, want %s", g.server, want)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestReferencesOfAFetchedDocumentStayInItsFolder(t *testing.T) {
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.EscapedPath())
		switch r.URL.Path {
		case "/api/openapi.yaml":
			w.Write([]byte("openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths:\n  /in: {$ref: paths/in.yaml}\n  /up: {$ref: ../up.yaml}\n  /dots: {$ref: 'x%2f..%2f..%2fup.yaml'}\n  /away: {$ref: paths/away.yaml}\n  /abs: {$ref: '" + "http://127.0.0.1:1/abs.yaml'}\n"))
		case "/api/paths/in.yaml":
			w.Write([]byte("get: {operationId: inside, responses: {'200': {description: ok}}}\n"))
		case "/api/paths/away.yaml":
			http.Redirect(w, r, "/up.yaml", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	f := &fetcher{allow: anywhere}
	g, err := f.load(t.Context(), s.URL+"/api/openapi.yaml", &Options{Name: "t"})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for p := range g.Paths(t.Context(), "") {
		list = append(list, p)
	}
	if got := strings.Join(list, " "); !strings.Contains(got, "in/inside") {
		t.Errorf("what is in the folder is not read: %s", got)
	}
	for _, p := range asked {
		if !strings.HasPrefix(p, "/api/") || strings.Contains(p, "..") {
			t.Errorf("%s was asked for", p)
		}
	}
}

func TestUnusableURLsAreRefusedWithoutTheirSecrets(t *testing.T) {
	for url, want := range map[string]string{
		"http://user:secret@example.com/a": "credentials",
		"https:///a":                       "names no host",
		"https://exa mple/secret":          "malformed",
		"https://[::1/secret":              "malformed",
	} {
		_, err := Fetch(t.Context(), url, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want %s", url, err, want)
		}
	}
}

func TestAFetchEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer s.Close()
	if _, err := Fetch(ctx, s.URL, &Options{AllowPrivate: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestReadingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	defer w.Close()
	go func() {
		w.Write([]byte("{")) // it is being read
		cancel()
	}()
	if _, err := Read(ctx, "stdin", r, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// endless is a document that does not end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestWhatIsTooLargeOrBreaksOffIsNoDocument(t *testing.T) {
	if _, err := readAll(endless{}, 1<<20); err == nil || err.Error() != "it is larger than 1 MiB" {
		t.Errorf("got %v", err)
	}
	_, err := Read(t.Context(), "stdin", iotest.ErrReader(errors.New("torn")), nil)
	var e *Error
	if !errors.As(err, &e) || e.File != "stdin" || !strings.Contains(e.Msg, "torn") {
		t.Errorf("got %v", err)
	}
	if g, err := Read(t.Context(), "stdin", strings.NewReader(tiny), nil); err != nil || g.API() != "tiny" {
		t.Errorf("got %v", err)
	}
}

func TestServersThatAreNoneAreRefused(t *testing.T) {
	for url, ok := range map[string]bool{
		"https://api.example.com": true, "http://localhost:8080/v1": true,
		"api.example.com": false, "/v1": false, "": false, "ftp://x.example": false, "https://": false,
		"https://u:p@x.example": false, "https://x.example?a": false, "https://x.example#a": false,
	} {
		if err := CheckServer(url); (err == nil) != ok {
			t.Errorf("%q: got %v", url, err)
		}
	}
}

func TestDocumentThatIsNotModifiedIsToldByItsETag(t *testing.T) {
	tag, body := `"one"`, tiny
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(body))
	}))
	defer server.Close()
	opts := &Options{AllowPrivate: true}
	g, err := Fetch(t.Context(), server.URL+"/openapi.json", opts)
	if err != nil || g.ETag() != `"one"` {
		t.Fatalf("%v, %v", g, err)
	}
	opts.IfNoneMatch = g.ETag()
	if _, err := Fetch(t.Context(), server.URL+"/openapi.json", opts); !errors.Is(err, ErrNotModified) {
		t.Error(err)
	}
	tag = `"two"`
	if g, err := Fetch(t.Context(), server.URL+"/openapi.json", opts); err != nil || g.ETag() != `"two"` {
		t.Errorf("%v, %v", g, err)
	}
}
