package command

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// An index ranks paths by BM25 over the stems of their words. It is ours because
// the search libraries cost each start of the command, also one that searches
// nothing, as much time and memory as all the rest.
type index struct {
	paths    []string
	lengths  []float32            // in words
	words    float64              // of all
	postings map[string][]posting // by stem, ascending by id
}

// A posting is how often a word is in a document; in its path it counts twice.
type posting struct {
	id    int32
	count float32
}

// The constants of BM25, as they are customary.
const (
	saturation = 1.2
	byLength   = 0.75
)

func newIndex() *index { return &index{postings: map[string][]posting{}} }

// add adds a path with its text.
func (x *index) add(path, text string) {
	id, counts := int32(len(x.paths)), map[string]float32{}
	length := float32(0)
	for weight, part := range map[float32]string{2: path, 1: text} {
		for _, w := range stems(part) {
			counts[w] += weight
			length += weight
		}
	}
	x.paths = append(x.paths, path)
	x.lengths = append(x.lengths, length)
	x.words += float64(length)
	for w, n := range counts {
		x.postings[w] = append(x.postings[w], posting{id, n})
	}
}

// rank returns the n paths that match the query best of those that are allowed,
// the best first, and those that match alike by path.
func (x *index) rank(query string, n int, allowed func(path string) bool) []string {
	scores := make([]float64, len(x.paths))
	total := float64(len(x.paths))
	average := x.words / max(total, 1)
	for _, w := range slices.Compact(slices.Sorted(slices.Values(stems(query)))) {
		list := x.postings[w]
		rarity := math.Log(1 + (total-float64(len(list))+0.5)/(float64(len(list))+0.5))
		for _, p := range list {
			c := float64(p.count)
			scores[p.id] += rarity * c * (saturation + 1) / (c + saturation*(1-byLength+byLength*float64(x.lengths[p.id])/average))
		}
	}
	best := &hits{}
	for id, score := range scores {
		h := hit{x.paths[id], score}
		switch full := best.Len() == n; {
		case score == 0, full && h.compare((*best)[0]) >= 0, !allowed(h.path):
		case !full:
			heap.Push(best, h)
		default:
			(*best)[0] = h
			heap.Fix(best, 0)
		}
	}
	slices.SortFunc(*best, hit.compare)
	paths := make([]string, best.Len())
	for i, h := range *best {
		paths[i] = h.path
	}
	return paths
}

type hit struct {
	path  string
	score float64
}

// compare orders hits, the best first.
func (h hit) compare(other hit) int {
	return cmp.Or(cmp.Compare(other.score, h.score), strings.Compare(h.path, other.path))
}

// hits is a heap with the worst hit on top.
type hits []hit

func (h hits) Len() int           { return len(h) }
func (h hits) Less(i, j int) bool { return h[i].compare(h[j]) > 0 }
func (h hits) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *hits) Push(v any)        { *h = append(*h, v.(hit)) }
func (h *hits) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// stems returns the stems of the words of a text: of names in camel case and of
// paths the parts.
func stems(text string) []string {
	var stems []string
	var word strings.Builder
	end := func() {
		if w := strings.ToLower(word.String()); w != "" && !english.IsStopWord(w) {
			stems = append(stems, english.Stem(w, false))
		}
		word.Reset()
	}
	lower := false
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		default:
			if unicode.IsUpper(r) && lower {
				end()
			}
			word.WriteRune(r)
		}
		lower = unicode.IsLower(r)
	}
	end()
	return stems
}
