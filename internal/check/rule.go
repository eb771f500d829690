package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/apiskills/apiskills/framework"
)

// A Side says who can mend what a rule finds.
type Side string

// The sides.
const (
	Source   Side = "document" // whoever writes the document
	Renderer Side = "renderer" // this program
)

// A Rule is a row of the table: what may be found, and what to do then.
type Rule struct {
	ID       string             // in kebab-case, for good
	Severity framework.Severity // the worst that a finding of it has
	Side     Side
	Title    string // what was found, in a few words
	Why      string // why it matters, and what was done about it
	Do       string // what to do
}

// Rules returns the table, ascending by ID.
func Rules() []Rule { return slices.Clone(table) }

// table is every rule, ascending by ID.
var table = func() []Rule {
	all := slices.Concat(skillRules, documentRules, proseRules, ledgerRules, structureRules, operationRules, swaggerRules, authorRules, folderRules, recordRules, otherRules)
	slices.SortFunc(all, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return all
}()

// Find returns the rule of an ID.
func Find(id string) (Rule, bool) {
	i, ok := slices.BinarySearchFunc(table, id, func(r Rule, id string) int { return strings.Compare(r.ID, id) })
	if !ok {
		return Rule{}, false
	}
	return table[i], true
}

// Near returns the IDs that a word that is none may stand for, the nearest
// first; at most three.
func Near(word string) []string {
	word = strings.ToLower(word)
	if len(word) > 64 { // no ID is nearly as long
		return nil
	}
	type candidate struct {
		id       string
		distance int
	}
	var near []candidate
	for _, r := range table {
		d := levenshtein.ComputeDistance(word, r.ID)
		switch {
		case d <= max(2, len(r.ID)/4):
		case len(word) >= 4 && (strings.Contains(r.ID, word) || strings.Contains(word, r.ID)):
		default:
			continue
		}
		near = append(near, candidate{r.ID, d})
	}
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.id, b.id))
	})
	var ids []string
	for _, c := range near[:min(3, len(near))] {
		ids = append(ids, c.id)
	}
	return ids
}
