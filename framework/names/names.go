package names

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"

	"github.com/apiskills/apiskills/internal/kebab"
	"golang.org/x/text/unicode/norm"
)

const (
	maxLen  = 64 // of a name, by the Agent Skills specification
	hashLen = 8  // of a hash in a name, with the x before it
)

// likeHashed is what the end of a name with a hash looks like. No plain name has such an
// end, or somebody could choose a text whose name is another's.
var likeHashed = regexp.MustCompile(`(^|-)x[0-9a-f]{7,}$`)

// Slug returns a name for a text: its words in lower case, of ASCII letters and digits,
// with single hyphens between them. Words end inside camelCase too, unless the text has
// white space: "getHTTPStatus" is get-http-status, "GitHub Issues" github-issues. Accents
// are taken off. Where letters or digits of other scripts are lost, nothing is left, or
// the name would be longer than 64, it ends in a short hash of the text. So it is a valid
// name for any text, though not one for each: two texts of the same words have the same.
func Slug(text string) string {
	slug, lossy := kebab.Text(text)
	if lossy || slug == "" || len(slug) > maxLen || likeHashed.MatchString(slug) {
		return hashed(text, hashLen)
	}
	return slug
}

// hashed returns the slug of a text with a hash of n characters at its end.
func hashed(text string, n int) string {
	sum := sha256.Sum256([]byte(norm.NFC.String(text)))
	hash := "x" + hex.EncodeToString(sum[:])[:n-1]
	slug, _ := kebab.Text(text)
	if slug = kebab.Cut(slug, maxLen-1-n); slug == "" {
		return hash
	}
	return slug + "-" + hash
}

// Unique returns names of texts, parallel to them: their Slugs, but where several would
// get the same one, or one that is reserved, each of them takes a hash of its text, and
// nobody has the plain name. So no name ever passes to another text, whatever the order of
// the texts is and whichever come later; a text changes its name only when its first twin
// comes or its last one goes. Texts that are equal but for the form of Unicode, as file
// names of two systems are, have one name.
func Unique(texts []string, reserved ...string) []string {
	name := map[string]string{}
	for _, text := range texts {
		name[norm.NFC.String(text)] = Slug(text)
	}
	taken := map[string]bool{}
	for _, own := range reserved {
		taken[own] = true
	}
	for n := hashLen; n < maxLen/2; n += hashLen { // again only if two hashes begin alike
		owners := map[string]int{}
		for _, own := range name {
			owners[own]++
		}
		for text, own := range name {
			if owners[own] > 1 || taken[own] {
				name[text] = hashed(text, n)
			}
		}
	}
	names := make([]string, len(texts))
	for i, text := range texts {
		names[i] = name[norm.NFC.String(text)]
	}
	return names
}
