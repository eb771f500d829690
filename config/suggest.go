package config

import "strings"

// suggest returns the candidate that word most likely stands for, "" if none
// is near. Case, "-" and "_" do not count: page_size is near pageSize.
func suggest(word string, candidates []string) string {
	best, least := "", 3
	w := fold(word)
	if len(w) > 64 { // no key is nearly as long
		return ""
	}
	for _, c := range candidates {
		d := distance(w, fold(c))
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

// distance is the Levenshtein distance between two short strings, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j+1]+1, row[j]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
