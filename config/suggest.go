package config

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// suggest returns the candidate that word most likely stands for, "" if none
// is near. Case, "-" and "_" do not count: page_size is near pageSize.
func suggest(word string, candidates []string) string {
	best, least := "", 3
	w := fold(word)
	if len(w) > 64 { // no key is nearly as long
		return ""
	}
	for _, c := range candidates {
		d := levenshtein.ComputeDistance(w, fold(c))
		// A word of four letters is not meant by another that shares two.
		if d < least && d <= len(c)/3 {
			best, least = c, d
		}
	}
	return best
}

func fold(s string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(s))
}
