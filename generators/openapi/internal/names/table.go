package names

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
	"github.com/apiskills/apiskills/internal/kebab"
)

const (
	// maxLen is the longest name the Agent Skills specification allows; groups
	// keep to it too.
	maxLen = 64
	// hashLen is the number of hexadecimal digits of a short hash.
	hashLen = 6
)

// Slug is an identifier in kebab-case. It may be "".
func Slug(s string) string { slug, _ := kebab.Identifier(s); return slug }

// TitleSlug is Slug for a title.
func TitleSlug(s string) string { slug, _ := kebab.Title(s); return slug }

// Webhooks is the group of all webhooks.
const Webhooks = "webhooks"

// A Name is where an operation's skill stands under its API.
type Name struct{ Group, Name string }

// Valid reports whether s can be a name or a group as it is.
func Valid(s string) bool { return s != "" && len(s) <= maxLen && Slug(s) == s }

// Guide returns the name of an API's guide, which no operation may have.
func Guide(api string) string { return kebab.Cut(api, maxLen-len("-guide")) + "-guide" }

// Table returns the names of an API's operations, parallel to ops.
//
// The group is the slug of the first tag, else of the first segment of the path
// that is no parameter, fragment or version, else "default"; a tag of which the
// slug loses letters takes a hash of the tag, so that two tags in the same script
// stay two groups. The name is the operationId in kebab-case, else method and path.
//
// Names are unique within the API, also across groups. A name that is too long is
// cut at a word and takes a hash of the method and path; so do all operations that
// would share a name otherwise, and the plain name is nobody's.
func Table(api string, ops []ingest.Operation) []Name {
	return Choose(api, ops, func(*ingest.Operation) Name { return Name{} })
}

// Choose is [Table] with what the API's authors chose for an operation: a group
// or a name that takes the place of the plain one, each [Valid], or "".
func Choose(api string, ops []ingest.Operation, chosen func(*ingest.Operation) Name) []Name {
	table := make([]Name, len(ops))
	groups := make(map[string]string)
	plain := make([]string, len(ops))
	taken := make(map[string]int, len(ops)+1)
	taken[Guide(api)]++
	for i := range ops {
		op := &ops[i]
		own := chosen(op)
		if table[i].Group = own.Group; own.Group == "" {
			table[i].Group = group(op, groups)
		}
		if table[i].Group == Guide(api) {
			// The guide encloses no other skill.
			table[i].Group = kebab.Cut(table[i].Group, maxLen-1-hashLen) + "-" + short(table[i].Group, hashLen)
		}
		if plain[i] = own.Name; own.Name == "" {
			plain[i] = base(op)
		}
		if len(plain[i]) > maxLen || plain[i] == "" {
			table[i].Name = hashed(plain[i], op, hashLen)
		} else {
			table[i].Name = plain[i]
		}
		taken[table[i].Name]++
	}
	// Twins take the hash, all of them. A hashed name may meet another name, if
	// hardly ever: then both take more of their hash.
	for n := hashLen; n <= 2*sha256.Size; n += 4 {
		var twins []int
		for i := range ops {
			if taken[table[i].Name] > 1 {
				twins = append(twins, i)
			}
		}
		if len(twins) == 0 {
			break
		}
		for _, i := range twins {
			table[i].Name = hashed(plain[i], &ops[i], n)
		}
		clear(taken)
		taken[Guide(api)]++
		for i := range table {
			taken[table[i].Name]++
		}
		// The plain names of twins stay nobody's.
		for _, i := range twins {
			taken[plain[i]]++
		}
	}
	return table
}

// group returns the group of an operation. seen has the tags met so far.
func group(op *ingest.Operation, seen map[string]string) string {
	if op.Webhook != "" {
		return Webhooks
	}
	if op.Tag != "" {
		g, ok := seen[op.Tag]
		if !ok {
			g = tagSlug(op.Tag)
			seen[op.Tag] = g
		}
		return g
	}
	path, _, _ := strings.Cut(op.Path, "#")
	path, _, _ = strings.Cut(path, "?")
	for seg := range strings.SplitSeq(path, "/") {
		if strings.ContainsAny(seg, "{}") {
			continue
		}
		if s := Slug(seg); s != "" && !isVersion(s) {
			return kebab.Cut(s, maxLen)
		}
	}
	return "default"
}

func tagSlug(tag string) string {
	// A tag is an identifier, or the title of its group.
	s, lossy := kebab.Text(tag)
	if s == "" {
		return short(tag, hashLen)
	}
	if lossy || len(s) > maxLen {
		return kebab.Cut(s, maxLen-1-hashLen) + "-" + short(tag, hashLen)
	}
	return s
}

// isVersion reports whether a path segment's slug says nothing about what the
// path is for: api, rest, v1, 2.0, a date.
func isVersion(s string) bool {
	if s == "api" || s == "rest" {
		return true
	}
	digits := strings.Map(func(r rune) rune {
		if r == '-' || '0' <= r && r <= '9' {
			return r
		}
		return 'x'
	}, s)
	if !strings.Contains(digits, "x") {
		return true // 1, 2-0, 2010-04-01
	}
	v := strings.TrimPrefix(s, "v")
	if v == s || v == "" || (v[0] < '0' || v[0] > '9') {
		return false
	}
	// v1, v1-2, v1beta1, v2alpha
	v = strings.TrimLeft(v, "0123456789-")
	v = strings.TrimRight(v, "0123456789")
	return v == "" || v == "alpha" || v == "beta" || v == "rc" || v == "preview"
}

// base returns an operation's name before its length and its twins are looked at.
func base(op *ingest.Operation) string {
	if s := Slug(op.OperationID); s != "" {
		return s
	}
	if op.Webhook != "" {
		return Slug(op.Method + " " + op.Webhook)
	}
	return Slug(op.Method + " " + op.Path)
}

// hashed returns a name with n digits of the operation's hash at its end.
func hashed(plain string, op *ingest.Operation, n int) string {
	h := short(key(op), n)
	if s := kebab.Cut(plain, maxLen-1-len(h)); s != "" {
		return s + "-" + h
	}
	return h
}

// key is what makes an operation what it is, whatever else changes.
func key(op *ingest.Operation) string {
	if op.Webhook != "" {
		return op.Method + " webhook:" + op.Webhook
	}
	return op.Method + " " + op.Path
}

func short(s string, n int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:min(n, 56)]
}
