package openapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"syscall"
	"time"
)

// Limits of a document that is fetched.
const (
	maxFetched   = 64 << 20 // bytes, decompressed
	maxRedirects = 5
	maxRemote    = 1000        // files that its references lead to
	fetchTimeout = time.Minute // for all of it, redirects and references included
)

// Read reads a document from r and returns its generator. The name file is that
// of the document in diagnostics; nothing beside the document is read. The
// error for a document that cannot be used is an [*Error]. If ctx ends first, r is
// still being read from.
func Read(ctx context.Context, file string, r io.Reader, opts *Options) (*Generator, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := readAll(r, maxDocument)
		done <- result{data, err}
	}()
	select {
	case <-ctx.Done(): // a terminal may never give another byte
		return nil, ctx.Err()
	case got := <-done:
		if got.err != nil {
			return nil, &Error{File: file, Msg: "cannot be read: " + got.err.Error()}
		}
		return New(file, got.data, opts)
	}
}

func readAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("it is larger than %d MiB", limit>>20)
	}
	return data, err
}

// IsURL reports whether a document is named by a URL, and not by a path.
func IsURL(doc string) bool {
	scheme, _, ok := strings.Cut(doc, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// DisplayURL is a URL without what may be secret: credentials and query.
func DisplayURL(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		scheme, _, _ := strings.Cut(rawURL, "://")
		return scheme + "://..."
	}
	hidden := u.RawQuery != ""
	u.User, u.RawQuery, u.Fragment, u.ForceQuery = nil, "", "", false
	if hidden {
		return u.String() + "?..."
	}
	return u.String()
}

// Fetch fetches the document at a URL over HTTP and returns its generator. It
// takes at most 64 MiB, a minute and five redirects, none of them from https to
// http, and connects to no address that is private or otherwise special, unless
// opts allow it. It uses no proxy. What the server says of the content's type
// is of no interest.
//
// Servers that the document gives as relative URLs are resolved against the URL
// it was found at, unless opts name a server. References are followed below the
// folder of that URL, unless opts have Files. The error for a document that
// cannot be used is an [*Error].
func Fetch(ctx context.Context, rawURL string, opts *Options) (*Generator, error) {
	f := fetcher{allow: public}
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.AllowPrivate {
		f.allow = func(netip.Addr) bool { return true }
	}
	return f.load(ctx, rawURL, &o)
}

// A fetcher fetches from the addresses that it allows.
type fetcher struct {
	allow func(netip.Addr) bool
	trust func(*http.Transport) // for tests
}

func (f *fetcher) load(ctx context.Context, rawURL string, o *Options) (*Generator, error) {
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	data, found, etag, err := f.get(ctx, rawURL, nil, o.IfNoneMatch)
	if err != nil {
		if caller.Err() != nil {
			return nil, caller.Err()
		}
		if errors.Is(err, ErrNotModified) {
			return nil, err
		}
		e := &Error{File: DisplayURL(rawURL), Msg: "cannot be fetched: " + err.Error()}
		if errors.As(err, new(forbiddenAddr)) {
			e.Hint = "--allow-private allows it"
		}
		return nil, e
	}
	if o.Server == "" {
		o.base = found
	}
	if o.Files == nil {
		o.Files = &remote{ctx: ctx, fetcher: f, folder: found.ResolveReference(&url.URL{Path: "."})}
	}
	g, err := New(DisplayURL(rawURL), data, o)
	if err != nil {
		return nil, err
	}
	if r, ok := o.Files.(*remote); !ok || r.read == 0 { // else the ETag is not that of all that was read
		g.etag = etag
	}
	return g, nil
}

// ErrNotModified is what Fetch returns for a document that still has the ETag of
// Options.IfNoneMatch.
var ErrNotModified = errors.New("the document is not modified")

// ETag is the entity tag (RFC 9110, section 8.8.3) with which Fetch got the
// document, "" if it has none or refers to other files, which have their own.
func (g *Generator) ETag() string { return g.etag }

// A remote reads the files below the folder that a document was found in.
type remote struct {
	ctx     context.Context // of loading the document, which reading is a part of
	fetcher *fetcher
	folder  *url.URL
	read    int
}

// Read implements [Files].
func (r *remote) Read(name string) ([]byte, error) {
	target := &url.URL{Scheme: r.folder.Scheme, Host: r.folder.Host, Path: r.folder.Path + name}
	if !path.IsAbs(r.folder.Path) || !within(r.folder, target) {
		return nil, errors.New("is outside the folder of the document's URL")
	}
	if r.read++; r.read > maxRemote {
		return nil, fmt.Errorf("is one of more than %d to fetch", maxRemote)
	}
	data, _, _, err := r.fetcher.get(r.ctx, target.String(), r.folder, "")
	if err != nil {
		return nil, fmt.Errorf("cannot be fetched: %w", err)
	}
	return data, nil
}

// within reports whether u is below a folder, at the same origin.
func within(folder, u *url.URL) bool {
	clean := path.Clean(u.Path)
	return u.Scheme == folder.Scheme && u.Host == folder.Host &&
		(folder.Path == "/" || strings.HasPrefix(clean, strings.TrimSuffix(folder.Path, "/")+"/"))
}

// get returns the content at a URL, the URL that redirects led to, and the ETag.
// Redirects do not leave the folder, if there is one. The error is ErrNotModified
// if the content still has the tag ifNoneMatch.
func (f *fetcher) get(ctx context.Context, rawURL string, folder *url.URL, ifNoneMatch string) (data []byte, found *url.URL, etag string, err error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, nil, "", errors.New("the URL is malformed")
	}
	if err := checkURL(u); err != nil {
		return nil, nil, "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, nil, "", errors.New("the URL is malformed")
	}
	req.Header.Set("Accept", "application/yaml, application/json, */*;q=0.5")
	req.Header.Set("User-Agent", "apiskills")
	if ifNoneMatch != "" {
		req.Header.Set("If-None-Match", ifNoneMatch)
	}
	resp, err := f.client(folder).Do(req)
	if err != nil {
		var e *url.Error // it repeats the URL, secrets included
		if errors.As(err, &e) {
			err = e.Err
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("it took more than %s", fetchTimeout)
		}
		return nil, nil, "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotModified && ifNoneMatch != "" {
		return nil, nil, "", ErrNotModified
	}
	if resp.StatusCode != http.StatusOK {
		return nil, nil, "", fmt.Errorf("the answer is %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	data, err = readAll(resp.Body, maxFetched)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it took more than %s", fetchTimeout)
	}
	return data, resp.Request.URL, resp.Header.Get("Etag"), err
}

func checkURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%.20q is no scheme to fetch with; use https", u.Scheme)
	case u.Hostname() == "":
		return errors.New("the URL names no host")
	case u.User != nil:
		return errors.New("the URL has credentials in it, which are not sent; fetch the document yourself and give it on standard input")
	}
	return nil
}

func (f *fetcher) client(folder *url.URL) *http.Client {
	dialer := &net.Dialer{
		Timeout: 10 * time.Second,
		// Called with each address that a name resolved to, just before the
		// connection: what a name resolves to later changes nothing.
		Control: func(_, address string, _ syscall.RawConn) error {
			addr, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			if !f.allow(addr.Addr()) {
				return forbiddenAddr{addr.Addr()}
			}
			return nil
		},
	}
	transport := &http.Transport{
		// No proxy: it would connect to where the dialer must not.
		DialContext:            dialer.DialContext,
		DisableKeepAlives:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  30 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		ForceAttemptHTTP2:      true,
	}
	if f.trust != nil {
		f.trust(transport)
	}
	return &http.Client{
		Transport: transport,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return fmt.Errorf("more than %d redirects", maxRedirects)
			}
			if err := checkURL(req.URL); err != nil {
				return fmt.Errorf("redirect: %w", err)
			}
			if via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https" {
				return errors.New("a redirect leads from https to http")
			}
			if folder != nil && !within(folder, req.URL) {
				return errors.New("a redirect leads out of the folder of the document's URL")
			}
			req.Header.Del("Referer") // the first URL may have a secret in it
			return nil
		},
	}
}

// A forbiddenAddr is an address that is not connected to.
type forbiddenAddr struct{ addr netip.Addr }

func (e forbiddenAddr) Error() string {
	return fmt.Sprintf("%s is a private or special address", e.addr)
}

// special are the parts of what counts as global unicast that do not lead to
// the public internet (IANA special-purpose address registries), or lead to
// another address that is hidden in them.
var special = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

// globalIPv6 is all that is assigned for the public internet.
var globalIPv6 = netip.MustParsePrefix("2000::/3")

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// public reports whether an address is one of the public internet.
func public(addr netip.Addr) bool {
	addr = addr.Unmap()
	if !addr.IsGlobalUnicast() || addr.IsPrivate() || addr.Zone() != "" || addr.Is6() && !globalIPv6.Contains(addr) {
		return false
	}
	for _, p := range special {
		if p.Contains(addr) {
			return false
		}
	}
	return true
}

// CheckServer reports what keeps a URL from being that of a server.
func CheckServer(rawURL string) error {
	u, err := url.Parse(rawURL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return fmt.Errorf("%.100q is no absolute URL over HTTP; write one like https://api.example.com/v1", rawURL)
	case u.User != nil:
		return errors.New("the URL of a server must not have credentials in it")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return errors.New("the URL of a server must have neither query nor fragment")
	}
	return nil
}

// setServer takes the server that the options name, or the URL that the
// document was found at.
func (g *Generator) setServer(o *Options) error {
	switch {
	case o.Server != "":
		if err := CheckServer(o.Server); err != nil {
			return &Error{File: g.doc.File, Msg: "server: " + err.Error()}
		}
		g.server, g.serverBase = o.Server, o.Server
	case o.base != nil:
		// A document that names no server means the root of where it is
		// (OpenAPI 3.1, "OpenAPI Object", servers).
		g.server = (&url.URL{Scheme: o.base.Scheme, Host: o.base.Host, Path: "/"}).String()
		g.serverBase = (&url.URL{Scheme: o.base.Scheme, Host: o.base.Host, Path: o.base.Path, RawPath: o.base.RawPath}).String()
	}
	return nil
}

// absolute resolves the URL of a server, if it is relative and it is known to
// what.
func (g *Generator) absolute(server string) string {
	if g.serverBase == "" || strings.HasPrefix(server, "{") || strings.HasPrefix(server, "//") {
		return server
	}
	base, err := url.Parse(g.serverBase)
	if err != nil {
		return server
	}
	u, err := base.Parse(server)
	if err != nil || u.User != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return server
	}
	// The names of variables that have no value stay readable.
	return strings.NewReplacer("%7B", "{", "%7D", "}").Replace(u.String())
}
