package framework

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/apiskills/apiskills/internal/printable"
)

const (
	skillFile = "SKILL.md"

	// maxURILength bounds the work for a URI from outside, in bytes.
	maxURILength = 4096
	// maxSegments bounds the depth of a path, and so the number of directories
	// that are tried as the skill of a file.
	maxSegments = 16
)

// invalidURI returns an error that names the URI, shortened, and the reason.
func invalidURI(uri, reason string) error {
	return &uriError{uri: uri, reason: reason, err: ErrInvalidURI}
}

// notFound returns an error wrapping ErrNotFound. The reason has the place of
// the URI as %s.
func notFound(uri, reason string) error {
	return &uriError{uri: uri, reason: reason, err: ErrNotFound}
}

type uriError struct {
	uri, reason string
	err         error
}

func (e *uriError) Error() string { return fmt.Sprintf(e.reason, printable.Shorten(e.uri)) }
func (e *uriError) Unwrap() error { return e.err }

// parseURI returns the decoded path that uri identifies under scheme. Each
// spelling that decodes once to the same path is the same resource; what could
// be read in two ways is refused: encoded slashes, dot segments, empty
// segments, user info, ports, queries and fragments.
func parseURI(scheme, uri string) (string, error) {
	if len(uri) > maxURILength {
		return "", invalidURI(uri, fmt.Sprintf("the URI %%s is longer than %d bytes", maxURILength))
	}
	rest, ok := strings.CutPrefix(uri, scheme+"://")
	if !ok {
		return "", invalidURI(uri, "the URI %s does not begin with "+scheme+"://")
	}
	if rest == "" {
		return "", invalidURI(uri, "the URI %s names no path")
	}
	path := rest
	if !isPlain(rest) {
		if i := strings.IndexAny(rest, "?#"); i >= 0 {
			return "", invalidURI(uri, "the URI %s has a query or a fragment; skill URIs have neither")
		}
		authority, _, _ := strings.Cut(rest, "/")
		if strings.ContainsAny(authority, "@:") {
			return "", invalidURI(uri, "the URI %s has user information or a port; skill URIs have neither")
		}
		var err error
		if path, err = decode(rest); err != nil {
			return "", invalidURI(uri, "the URI %s "+err.Error())
		}
	}
	if strings.HasSuffix(path, "/") {
		return "", invalidURI(uri, "the URI %s ends with a slash; directories are written without one")
	}
	if !fs.ValidPath(path) || path == "." {
		return "", invalidURI(uri, "the URI %s has an empty or a dot segment, or is not valid UTF-8")
	}
	if strings.Count(path, "/") >= maxSegments {
		return "", invalidURI(uri, fmt.Sprintf("the URI %%s has more than %d segments", maxSegments))
	}
	return path, nil
}

// isPlain reports whether s is of characters alone that mean nothing but themselves
// in each part of a URI, as nearly each URI is that a client asks for.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '-' <= c && c <= '9') { // with - . /
			return false
		}
	}
	return true
}

// decode undoes percent-encoding, once.
func decode(s string) (string, error) {
	if !strings.ContainsAny(s, "%\\\x00") {
		return s, nil
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		encoded := c == '%'
		if encoded {
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return "", errors.New("has a percent sign that does not begin an escape")
			}
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
		}
		switch {
		case encoded && c == '/':
			return "", errors.New("has an encoded slash")
		case c == '\\':
			return "", errors.New("has a backslash")
		case c == 0:
			return "", errors.New("has a NUL byte")
		}
		b = append(b, c)
	}
	return string(b), nil
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}

// formatURI is the inverse of parseURI. Everything is encoded but RFC 3986's
// unreserved characters and those delimiters that are literal both in an
// authority and in a path, so that a WHATWG URL parser gives back the same
// string.
func formatURI(scheme, path string) string {
	var b strings.Builder
	b.Grow(len(scheme) + 3 + len(path))
	b.WriteString(scheme)
	b.WriteString("://")
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '/' || literalInURI(c) {
			b.WriteByte(c)
		} else {
			const digits = "0123456789ABCDEF"
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

func literalInURI(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		strings.IndexByte("-._~!$&'()*+,;=", c) >= 0
}

// validPath reports why p cannot be a path that a generator or a mount gives,
// or nil.
func validPath(p string) error {
	switch {
	case !fs.ValidPath(p) || p == ".":
		return fmt.Errorf("%.200q is not a relative slash-separated path", p)
	case strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == unicode.MaxRune }):
		return fmt.Errorf("%.200q has a backslash, a control character or U+10FFFF", p)
	case len(p) > maxURILength/4:
		return fmt.Errorf("the path %.80q... is longer than %d bytes", p, maxURILength/4)
	case strings.Count(p, "/") >= maxSegments:
		return fmt.Errorf("%.200q has more than %d segments", p, maxSegments)
	}
	return nil
}

// validAuthority reports why the first segment of p cannot be the authority of
// a URI, or nil: not every URI parser takes percent-encoded ASCII there (Skills
// extension, "Resource Mapping").
func validAuthority(p string) error {
	first, _, _ := strings.Cut(p, "/")
	for i := 0; i < len(first); i++ {
		if c := first[i]; c < utf8.RuneSelf && !literalInURI(c) {
			return fmt.Errorf("the first segment of %.200q has the character %q, which is not for the authority of a URI", p, c)
		}
	}
	return nil
}

// validScheme reports whether s is a URI scheme in lower case (RFC 3986,
// section 3.1).
func validScheme(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !('0' <= c && c <= '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return s != ""
}
