package framework

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// A SkillResource is a file of a skill as its entry's manifest lists it
// (Skills extension, "Resources").
type SkillResource struct {
	URI    string `json:"uri"`
	Digest Digest `json:"digest"`
	Size   int64  `json:"size"` // in bytes
}

// An Entry is the record of one skill that skills/list and skills/get return
// (Skill of the Skills extension, "Skill Entries"). It is immutable.
type Entry struct {
	URI         string       // of SKILL.md
	Frontmatter *Frontmatter // of SKILL.md
	// Resources is the complete manifest, ascending by path, files of nested
	// skills included. It is nil where Dynamic is true.
	Resources []SkillResource
	// Dynamic says that the skill, or one nested in it, is made when it is read,
	// so that there are no digests.
	Dynamic bool

	json []byte
}

// MarshalJSON returns the entry as it goes over the wire. The bytes of an entry
// from a catalog are made once: they can be put into a response as they are, and
// callers must not change them. It never fails for such an entry.
func (e Entry) MarshalJSON() ([]byte, error) {
	if e.json != nil {
		return e.json, nil
	}
	wire := struct { // of an entry that no catalog made
		URI         string      `json:"uri"`
		Frontmatter Frontmatter `json:"frontmatter"`
		Resources   any         `json:"resources"`
	}{URI: e.URI, Resources: e.Resources}
	if e.Frontmatter != nil {
		wire.Frontmatter = *e.Frontmatter
	}
	switch {
	case e.Dynamic:
		wire.Resources = "dynamic"
	case e.Resources == nil:
		wire.Resources = []SkillResource{}
	}
	return json.Marshal(wire)
}

// encode makes the wire bytes. URIs need no escaping: formatURI leaves nothing
// that JSON escapes.
func (e *Entry) encode() {
	var b bytes.Buffer
	b.Grow(128 + len(e.Frontmatter.JSON) + 160*len(e.Resources))
	b.WriteString(`{"uri":"` + e.URI + `","frontmatter":`)
	b.Write(e.Frontmatter.JSON)
	b.WriteString(`,"resources":`)
	if e.Dynamic {
		b.WriteString(`"dynamic"}`)
		e.json = b.Bytes()
		return
	}
	for i, r := range e.Resources {
		sep := byte(',')
		if i == 0 {
			sep = '['
		}
		b.WriteByte(sep)
		b.WriteString(`{"uri":"` + r.URI + `","digest":"` + r.Digest.String() + `","size":`)
		b.WriteString(strconv.FormatInt(r.Size, 10))
		b.WriteByte('}')
	}
	b.WriteString("]}")
	e.json = b.Bytes()
}
