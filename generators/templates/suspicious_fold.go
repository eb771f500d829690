package templates

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded is a text as phrases are looked for in it: what a reader takes in, in
// lower case, without markup, hidden characters and accents, with look-alike
// letters made the ones that they look like. A run of white space is one space,
// or one newline if it has one.
type folded struct {
	text string
	at   []int // the place in the original of each byte of text, and of its end
}

type folder struct {
	text []byte
	at   []int
	word int  // where the last run of letters begins
	both bool // it has letters of the Latin script and others
}

// fold folds s.
func fold(s string) folded {
	f := &folder{text: make([]byte, 0, len(s)), at: make([]int, 0, len(s)+1)}
	for i := 0; i < len(s); {
		n := f.markup(s, i)
		if n == 0 {
			r, size := utf8.DecodeRuneInString(s[i:])
			n = size
			if r != utf8.RuneError || size > 1 {
				f.character(r, i)
			}
		}
		i += n
	}
	f.unmix()
	return folded{string(f.text), append(f.at, len(s))}
}

var (
	linkText = regexp.MustCompile(`^!?\[[^\[\]]{0,200}\]\(`)
	linkDest = regexp.MustCompile(`^\]\([^()\s]{0,300}\)`)
)

// markup handles what stands at s[i] if it is not just a character, and returns
// how many bytes that takes.
func (f *folder) markup(s string, i int) int {
	switch c := s[i]; c {
	case '\\':
		if i+1 < len(s) && isPunct(s[i+1]) {
			f.put(rune(s[i+1]), i)
			return 2
		}
	case '&':
		if m := reference.FindString(s[i:min(len(s), i+40)]); m != "" {
			for _, r := range html.UnescapeString(m) {
				f.character(r, i)
			}
			return len(m)
		}
	case '<':
		end, name, comment := tagAt(s[i:])
		if end > 0 {
			if !comment && !inlineTags[strings.TrimPrefix(name, "/")] {
				f.put('\n', i)
			}
			return end
		}
	case '*', '`':
		return 1
	case '_', '~':
		if i == 0 || i+1 == len(s) || !isWord(s[i-1]) || !isWord(s[i+1]) {
			return 1
		}
	case '>', '#':
		if n := len(f.text); n == 0 || f.text[n-1] == '\n' {
			return 1
		}
	case '!', '[':
		if linkText.MatchString(s[i:min(len(s), i+210)]) {
			return 1 + strings.IndexByte(s[i:i+2], '[')
		}
	case ']':
		if m := linkDest.FindString(s[i:min(len(s), i+310)]); m != "" && !isWeb(m[2:]) {
			return len(m)
		}
	}
	return 0
}

// inlineTags are those that do not end a word.
var inlineTags = map[string]bool{"a": true, "b": true, "i": true, "em": true, "strong": true, "span": true, "code": true, "u": true, "s": true, "font": true, "small": true, "big": true, "sub": true, "sup": true, "mark": true, "kbd": true, "tt": true, "q": true, "wbr": true}

func isWord(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c >= 0x80 }

func (f *folder) character(r rune, at int) {
	switch {
	case r < utf8.RuneSelf:
		if r == '\r' {
			r = '\n'
		}
		f.put(r, at)
	case r == 0x85 || r == 0x2028 || r == 0x2029:
		f.put('\n', at)
	case unicode.Is(unicode.Zs, r):
		f.put(' ', at)
	case r == '’' || r == '‘' || r == 'ʼ':
		f.put('\'', at)
	case hidden(r), 0x300 <= r && r <= 0x36f:
	default:
		s := norm.NFKD.String(string(r))
		if first, _ := utf8.DecodeRuneInString(s); first >= utf8.RuneSelf && !unicode.Is(unicode.Latin, first) {
			s = norm.NFKC.String(string(r))
		}
		for _, r := range s {
			if r < 0x300 || r > 0x36f {
				f.put(r, at)
			}
		}
	}
}

// put adds a character.
func (f *folder) put(r rune, at int) {
	n := len(f.text)
	if r == ' ' || r == '\t' || r == '\n' {
		if n > 0 && (f.text[n-1] == ' ' || f.text[n-1] == '\n') {
			if r == '\n' {
				f.text[n-1] = '\n'
			}
			return
		}
		if r == '\t' {
			r = ' '
		}
	}
	if r < 0x20 && r != '\n' || r == 0x7f {
		return
	}
	r = unicode.ToLower(r)
	if !unicode.IsLetter(r) {
		f.unmix()
	}
	f.text = utf8.AppendRune(f.text, r)
	for len(f.at) < len(f.text) {
		f.at = append(f.at, at)
	}
	if !unicode.IsLetter(r) {
		f.word, f.both = len(f.text), false
	} else if lookalikes[r] != 0 {
		f.both = true
	}
}

// unmix writes the last word in Latin letters if it mixes them with others that
// look the same.
func (f *folder) unmix() {
	if !f.both {
		return
	}
	f.both = false
	word := string(f.text[f.word:])
	if !strings.ContainsFunc(word, func(r rune) bool { return 'a' <= r && r <= 'z' }) {
		return
	}
	at := slices.Clone(f.at[f.word:])
	f.text, f.at = f.text[:f.word], f.at[:f.word]
	for i, r := range word {
		if l := lookalikes[r]; l != 0 {
			r = l
		}
		f.text = utf8.AppendRune(f.text, r)
		for len(f.at) < len(f.text) {
			f.at = append(f.at, at[i])
		}
	}
}

// lookalikes are the Cyrillic and Greek letters that are taken for Latin ones.
var lookalikes = map[rune]rune{
	'а': 'a', 'в': 'b', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'ѐ': 'e', 'ё': 'e', 'һ': 'h', 'і': 'i', 'ї': 'i', 'ј': 'j', 'к': 'k', 'ӏ': 'l',
	'м': 'm', 'н': 'h', 'о': 'o', 'р': 'p', 'ԛ': 'q', 'ѕ': 's', 'т': 't', 'у': 'y', 'ѵ': 'v', 'ԝ': 'w', 'х': 'x',
	'α': 'a', 'ε': 'e', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'χ': 'x', 'γ': 'y', 'ω': 'w', 'η': 'n',
}
