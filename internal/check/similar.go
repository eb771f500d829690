package check

import (
	"slices"
	"strings"
	"unicode"
)

// Descriptions are compared as sets of shingles, three words each. Sets that
// are much alike have a band of their MinHash signatures in common (locality
// sensitive hashing), so that not every pair is looked at; pairs that are
// looked at are compared exactly.
const (
	shingle   = 3
	bands     = 16
	bandRows  = 4
	perBucket = 8   // that a description is compared with in one bucket
	alike     = 0.9 // Jaccard index from which two are almost the same
	minWords  = 8   // of a description: below it says too little to compare
)

// A twins finds descriptions that are almost the same as an earlier one.
type twins struct {
	buckets [bands]map[uint64][]int32
	sets    [][]uint64 // sorted
	names   []string
}

func newTwins() *twins {
	t := &twins{}
	for i := range t.buckets {
		t.buckets[i] = map[uint64][]int32{}
	}
	return t
}

// add takes the description of a skill. It returns the name of an earlier one
// that says almost the same, "" if none does. What tells operations apart in
// any case, such as method and path, is in without.
func (t *twins) add(name, description string, without ...string) (like string) {
	for _, w := range without {
		if w != "" {
			description = strings.ReplaceAll(description, w, " ")
		}
	}
	words := strings.FieldsFunc(strings.ToLower(description), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if len(words) < minWords {
		return ""
	}
	set := make([]uint64, 0, len(words))
	for i := range len(words) - shingle + 1 {
		set = append(set, hash(strings.Join(words[i:i+shingle], " ")))
	}
	slices.Sort(set)
	set = slices.Compact(set)
	me := int32(len(t.sets))
	best := int32(-1)
	signature := minHash(set)
	for b := range bands {
		key := uint64(14695981039346656037)
		for _, v := range signature[b*bandRows : (b+1)*bandRows] {
			key = mix(key ^ v)
		}
		bucket := t.buckets[b][key]
		for _, other := range bucket {
			if (best < 0 || other < best) && jaccard(set, t.sets[other]) >= alike {
				best = other
			}
		}
		if len(bucket) < perBucket {
			t.buckets[b][key] = append(bucket, me)
		}
	}
	t.sets, t.names = append(t.sets, set), append(t.names, name)
	if best < 0 {
		return ""
	}
	return t.names[best]
}

// minHash returns the least value of a set under each of several hashes.
func minHash(set []uint64) (signature [bands * bandRows]uint64) {
	for i := range signature {
		salt := mix(uint64(i) + 1)
		least := ^uint64(0)
		for _, v := range set {
			least = min(least, mix(v^salt))
		}
		signature[i] = least
	}
	return signature
}

// hash is FNV-1a of 64 bits: the same in each process, so that reports are too.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// jaccard is the share of what two sorted sets have in common.
func jaccard(a, b []uint64) float64 {
	common, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			common++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(common) / float64(len(a)+len(b)-common)
}
