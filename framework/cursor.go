package framework

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/apiskills/apiskills/internal/printable"
)

// A cursor is a position in a listing: after last, on page number page. It
// holds no state of this process, so that any replica can go on from it, also
// after a reload. It is opaque but not secret; its check only tells a damaged
// cursor from a whole one.
type cursor struct {
	listing string // what it belongs to: a method, or the path of a directory
	page    int
	section section
	last    string
}

const cursorCheckLen = 6

func (c cursor) encode() string {
	payload := strings.Join([]string{c.listing, strconv.Itoa(c.page), string(c.section), c.last}, "\x00")
	check := sha256.Sum256([]byte(payload))
	return base64.RawURLEncoding.EncodeToString(append(check[:cursorCheckLen:cursorCheckLen], payload...))
}

// decodeCursor returns the position s stands for in listing; an empty s is its
// begin.
func decodeCursor(s, listing string) (cursor, error) {
	begin := cursor{listing: listing, section: sectionFeatured}
	if s == "" {
		return begin, nil
	}
	invalid := fmt.Errorf("%w %s: it is not one that this listing returned; start again without a cursor", ErrInvalidCursor, printable.Shorten(s))
	if len(s) > 4*maxURILength {
		return begin, invalid
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(b) < cursorCheckLen {
		return begin, invalid
	}
	payload := string(b[cursorCheckLen:])
	if check := sha256.Sum256([]byte(payload)); string(check[:cursorCheckLen]) != string(b[:cursorCheckLen]) {
		return begin, invalid
	}
	parts := strings.Split(payload, "\x00")
	if len(parts) != 4 || parts[0] != listing {
		return begin, invalid
	}
	page, err := strconv.Atoi(parts[1])
	if err != nil || page < 1 {
		return begin, invalid
	}
	sec := section(parts[2])
	if sec != sectionFeatured && sec != sectionRest {
		return begin, invalid
	}
	c := cursor{listing: listing, page: page, section: sec, last: parts[3]}
	if c.encode() != s { // base64 decoding skips line ends
		return begin, invalid
	}
	return c, nil
}
