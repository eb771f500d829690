package kebab

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Identifier turns an identifier into kebab-case: words of ASCII letters and digits in
// lower case, joined by single hyphens. Words end at anything else, and inside camelCase:
// "listPullRequests" is list-pull-requests, "getHTTPStatus" get-http-status,
// "repos/get-content" repos-get-content, "createV2Order" create-v2-order.
// Accents are taken off Latin letters; other scripts leave nothing, so the result
// may be "". It has no limit of length. lossy reports whether letters or digits were
// lost.
func Identifier(s string) (slug string, lossy bool) { return slugOf(s, true) }

// Title is Identifier for a title: a capital inside a word, as product names have
// it, begins no new one, and an apostrophe ends none. "OpenAI's GitHub" is
// openais-github.
func Title(s string) (slug string, lossy bool) { return slugOf(apostrophes.Replace(s), false) }

// Text is Identifier where s has no white space, and else Title; an apostrophe ends no
// word of either.
func Text(s string) (slug string, lossy bool) {
	return slugOf(apostrophes.Replace(s), !strings.ContainsFunc(s, unicode.IsSpace))
}

// Cut shortens a slug to at most n bytes, at a word if there is one to cut at.
func Cut(slug string, n int) string {
	if len(slug) <= n {
		return slug
	}
	if slug[n] == '-' {
		return slug[:n]
	}
	if i := strings.LastIndexByte(slug[:n], '-'); i > 0 {
		return slug[:i]
	}
	return slug[:n]
}

var apostrophes = strings.NewReplacer("'", "", "\u2019", "")

func slugOf(s string, camelCase bool) (slug string, lossy bool) {
	if !isASCII(s) {
		s, lossy = fold(s)
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	gap := false // something that is no letter or digit precedes
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !isAlnum(c) {
			gap = true
			continue
		}
		if b.Len() > 0 && (gap || camelCase && startsWord(s, i)) {
			b.WriteByte('-')
		}
		gap = false
		b.WriteByte(lower(c))
	}
	return b.String(), lossy
}

// startsWord reports whether the capital at s[i] begins a word of camelCase: it
// follows a small letter or a digit, or ends a run of capitals ("HTTPStatus").
func startsWord(s string, i int) bool {
	if !isUpper(s[i]) {
		return false
	}
	if prev := s[i-1]; !isUpper(prev) {
		return true
	}
	if i+1 >= len(s) || !isLower(s[i+1]) {
		return false
	}
	// The plural of an acronym is no word: "listIDs" is list-ids.
	return !(s[i+1] == 's' && (i+2 == len(s) || !isLower(s[i+2])))
}

// letters are Latin letters that do not decompose.
var letters = map[rune]string{
	'ß': "ss", 'ẞ': "SS", 'æ': "ae", 'Æ': "AE", 'œ': "oe", 'Œ': "OE", 'ø': "o", 'Ø': "O",
	'đ': "d", 'Đ': "D", 'ł': "l", 'Ł': "L", 'þ': "th", 'Þ': "Th", 'ð': "d", 'Ð': "D", 'ı': "i",
}

// fold takes accents off and reports whether it met letters or digits it cannot
// write in ASCII. They become a gap between words.
func fold(s string) (ascii string, lossy bool) {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(s, " ")) {
		switch {
		case r < 0x80:
			b.WriteByte(byte(r))
		case unicode.Is(unicode.Mn, r):
		case letters[r] != "":
			b.WriteString(letters[r])
		default:
			lossy = lossy || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsSymbol(r)
			b.WriteByte(' ')
		}
	}
	return b.String(), lossy
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlnum(c byte) bool { return isUpper(c) || isLower(c) || isDigit(c) }

func lower(c byte) byte {
	if isUpper(c) {
		return c + 'a' - 'A'
	}
	return c
}
