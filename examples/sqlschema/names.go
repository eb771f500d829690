package sqlschema

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

const (
	guideName  = "tables" // the skill that lists the others
	rowsSuffix = "-rows"  // of the skill that counts a table's rows

	// maxSlug leaves room for rowsSuffix in the 64 characters of a skill's name.
	maxSlug = 64 - len(rowsSuffix)
	// hashLen is the number of hexadecimal digits in names that need some.
	hashLen = 8
)

// hashed is what the end of a name with a hash looks like. No plain name may.
var hashed = regexp.MustCompile(`-[0-9a-f]{8,}$`)

// names gives each table a name of lower-case letters, digits and single hyphens.
// It depends on the table alone, with one exception: where several would get the
// same name all of them take a hash of their own, and nobody the plain one. So a
// table that is added never takes over the URI of another.
func names(tables []string) map[string]string {
	names := make(map[string]string, len(tables))
	digits := map[string]int{}
	for again := true; again; {
		count := map[string]int{}
		for _, table := range tables {
			names[table] = name(table, digits[table])
			count[names[table]]++
		}
		again = false
		for _, table := range tables {
			if count[names[table]] > 1 { // more than once only if two hashes begin alike
				digits[table] += hashLen
				again = true
			}
		}
	}
	return names
}

// name is the slug of a table with so many digits of its hash, at least hashLen
// where the slug alone would not do: nothing is left of it, it is cut, or it is
// for somebody else.
func name(table string, length int) string {
	s := slug(table)
	if s == "" {
		s = "table"
		length = max(length, hashLen)
	}
	if s == guideName || len(s) > maxSlug || strings.HasSuffix(s, rowsSuffix) || hashed.MatchString(s) {
		length = max(length, hashLen)
	}
	if length == 0 {
		return s
	}
	sum := sha256.Sum256([]byte(table))
	hash := hex.EncodeToString(sum[:])[:length]
	return strings.TrimRight(s[:min(len(s), maxSlug-1-length)], "-") + "-" + hash
}

// slug joins the words of ASCII letters and digits in s with hyphens.
func slug(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}
