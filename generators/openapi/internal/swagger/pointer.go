package swagger

import (
	"net/url"
	"strconv"
	"strings"
)

const (
	maxAliases = 100 // references to references that are followed
	// maxInlined bounds what references to parameters and responses bring in,
	// and maxSpread what schemas repeated for further media types do, in bytes.
	maxInlined = 1 << 20
	maxSpread  = 4 << 20
)

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// escape returns a token as it stands in a JSON Pointer (RFC 6901, section 3).
func escape(token string) string {
	if !strings.ContainsAny(token, "~/") {
		return token
	}
	return escaper.Replace(token)
}

// tokens splits the fragment of a reference to the same document, as in
// "#/definitions/a~1b" (RFC 6901, section 6).
func tokens(ref string) ([]string, bool) {
	rest, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, false
	}
	if strings.IndexByte(rest, '%') >= 0 {
		if s, err := url.PathUnescape(rest); err == nil {
			rest = s
		}
	}
	list := strings.Split(rest, "/")
	for i, t := range list {
		if strings.IndexByte(t, '~') >= 0 {
			list[i] = unescaper.Replace(t)
		}
	}
	return list, true
}

// lookup returns the object that path leads to.
func lookup(v any, path []string) (object, bool) {
	for _, t := range path {
		switch x := v.(type) {
		case object:
			v = x[t]
		case []any:
			i, err := strconv.Atoi(t)
			if err != nil || i < 0 || i >= len(x) {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	o, ok := v.(object)
	return o, ok
}

// follow returns the parameter or response that v is or refers to. why says what
// is wrong if there is none.
func (u *upgrader) follow(v any) (target object, why string) {
	o, ok := v.(object)
	if !ok {
		return nil, "is no object"
	}
	for range maxAliases {
		ref, ok := o["$ref"]
		if !ok {
			return o, ""
		}
		s, _ := ref.(string)
		path, ok := tokens(s)
		if ok {
			o, ok = lookup(u.doc, path)
		}
		if !ok {
			return nil, "refers to " + strconv.Quote(shorten(s)) + ", which is not in the document"
		}
		if u.inlined -= weight(o); u.inlined < 0 {
			return nil, "is one reference too many: they lead to too much text"
		}
	}
	return nil, "refers to itself"
}
