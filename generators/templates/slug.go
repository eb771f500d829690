package templates

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const maxName = 64

// slugOf is the function slug: s as a segment of a path, in kebab-case. Where
// letters are lost, or the end is, a hash of s keeps it apart from others.
func slugOf(s string) (string, error) {
	var b strings.Builder
	lossy, gap := false, false
	var last, before rune // of what is written, and the one before in s
	folded := []rune(norm.NFKD.String(strings.ToValidUTF8(s, " ")))
	for i, r := range folded {
		switch {
		case unicode.Is(unicode.Mn, r), r == '\'', r == '\u2019':
			continue
		case r >= 0x80:
			lossy = lossy || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsSymbol(r)
			gap = true
		case !isLetter(byte(r)) && (r < '0' || r > '9'):
			gap = true
		default:
			// A capital begins a word after a small letter or a digit, and as
			// the last one of several: HTTPStatus is http-status.
			capital := unicode.IsUpper(r)
			next := i+1 < len(folded) && unicode.IsLower(folded[i+1]) && folded[i+1] < 0x80
			plural := next && folded[i+1] == 's' && (i+2 == len(folded) || !unicode.IsLower(folded[i+2]))
			if last != 0 && (gap || capital && (!unicode.IsUpper(before) || next && !plural)) {
				b.WriteByte('-')
			}
			gap = false
			last = unicode.ToLower(r)
			b.WriteRune(last)
		}
		before = r
	}
	slug := b.String()
	if !lossy && len(slug) <= maxName {
		if slug == "" {
			return "", fmt.Errorf("%.80q has no letters or digits to make a slug of", s)
		}
		return slug, nil
	}
	sum := sha256.Sum256([]byte(s))
	hash := hex.EncodeToString(sum[:4])
	if room := maxName - len(hash) - 1; len(slug) > room {
		cut := slug[:room]
		if i := strings.LastIndexByte(cut, '-'); slug[room] != '-' && i > room/2 {
			cut = cut[:i]
		}
		slug = strings.TrimRight(cut, "-")
	}
	return strings.TrimPrefix(slug+"-"+hash, "-"), nil
}
