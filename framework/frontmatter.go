package framework

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Limits of the frontmatter of a SKILL.md, in bytes, nodes and levels.
const (
	maxFrontmatterBytes = 64 << 10
	maxFrontmatterNodes = 10_000
	maxFrontmatterDepth = 32

	// maxIntegerBits is what fits the range of a float64. Larger ones are
	// infinite to some JSON readers, and to others the whole message is faulty.
	maxIntegerBits = 1023
)

// A Frontmatter is the YAML frontmatter of a SKILL.md as a JSON object.
type Frontmatter struct {
	// Name and Description are fields of JSON, too.
	Name        string
	Description string

	// JSON has every field that the author wrote, in the order of the file,
	// typed by the core schema of YAML 1.2 (Skills extension, "Frontmatter").
	JSON json.RawMessage

	// Warnings name scalars that other YAML parsers read differently.
	Warnings []string
}

// MarshalJSON returns f.JSON, and without that an object of name and
// description.
func (f Frontmatter) MarshalJSON() ([]byte, error) {
	if len(f.JSON) > 0 {
		return f.JSON, nil
	}
	return json.Marshal(struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}{f.Name, f.Description})
}

// ParseFrontmatter reads the frontmatter of a SKILL.md and checks it against
// the Agent Skills specification: a name of lower-case letters, digits and
// single hyphens, at most 64 bytes; a description of 1 to 1,024 characters;
// metadata from strings to strings, without keys reserved for MCP extensions;
// compatibility of at most 500 characters. Unknown fields pass through.
// Duplicate and non-string keys, tags, merge keys and numbers that JSON does
// not have are refused. The error wraps ErrInvalidSkill.
func ParseFrontmatter(skillMD []byte) (*Frontmatter, error) {
	f, err := parseFrontmatter(skillMD)
	if err != nil {
		return nil, &kindError{err, ErrInvalidSkill}
	}
	return f, nil
}

func parseFrontmatter(skillMD []byte) (*Frontmatter, error) {
	text, err := cutFrontmatter(skillMD)
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("frontmatter: %w", err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("frontmatter is not a YAML mapping; it needs at least name and description")
	}
	c := converter{active: map[*yaml.Node]bool{}}
	var out bytes.Buffer
	if err := c.write(&out, doc.Content[0], 0); err != nil {
		return nil, fmt.Errorf("frontmatter: %w", err)
	}
	f := &Frontmatter{JSON: out.Bytes(), Warnings: c.warnings}
	if err := f.validate(doc.Content[0]); err != nil {
		return nil, fmt.Errorf("frontmatter: %w", err)
	}
	return f, nil
}

// cutFrontmatter returns the text between the fences.
func cutFrontmatter(b []byte) ([]byte, error) {
	if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		return nil, errors.New("SKILL.md begins with a byte order mark, which parsers of frontmatter refuse")
	}
	line, rest, _ := bytes.Cut(b, []byte("\n"))
	if string(bytes.TrimSuffix(line, []byte("\r"))) != "---" {
		return nil, errors.New(`SKILL.md does not begin with a line "---" and frontmatter`)
	}
	start := rest
	for n := 0; n <= maxFrontmatterBytes; {
		line, next, found := bytes.Cut(rest, []byte("\n"))
		if string(bytes.TrimSuffix(line, []byte("\r"))) == "---" {
			return start[:n], nil
		}
		if !found {
			return nil, errors.New(`the frontmatter of SKILL.md is not closed by a line "---"`)
		}
		n += len(line) + 1
		rest = next
	}
	return nil, fmt.Errorf("the frontmatter of SKILL.md is longer than %d bytes", maxFrontmatterBytes)
}

var nameRE = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ValidName reports whether s may be the name of a skill: 1 to 64 lower-case
// ASCII letters and digits with single hyphens between them (Agent Skills
// specification, "name").
func ValidName(s string) bool { return len(s) <= 64 && nameRE.MatchString(s) }

func (f *Frontmatter) validate(m *yaml.Node) error {
	for i := 0; i < len(m.Content); i += 2 {
		key, value := m.Content[i].Value, m.Content[i+1]
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		text, isString := stringValue(value)
		switch key {
		case "name":
			if !isString || !ValidName(text) {
				return errName(value.Value)
			}
			f.Name = text
		case "description":
			if !isString {
				return errors.New("description must be a string; quote it")
			}
			if err := checkDescription(text); err != nil {
				return err
			}
			f.Description = text
		case "compatibility":
			if n := utf8.RuneCountInString(text); !isString || n == 0 || n > 500 {
				return fmt.Errorf("compatibility must be a string of 1 to 500 characters")
			}
		case "license", "allowed-tools":
			if !isString {
				return fmt.Errorf("%s must be a string", key)
			}
		case "metadata":
			if value.Kind != yaml.MappingNode {
				return errors.New("metadata must be a mapping of strings to strings")
			}
			for j := 0; j < len(value.Content); j += 2 {
				k, v := value.Content[j].Value, value.Content[j+1]
				if v.Kind == yaml.AliasNode {
					v = v.Alias
				}
				if _, ok := stringValue(v); !ok {
					return fmt.Errorf("metadata value of %.80q is not a string; quote it", k)
				}
				if err := checkMetadataKey(k); err != nil {
					return err
				}
			}
		}
	}
	switch {
	case f.Name == "":
		return errors.New("name is missing")
	case f.Description == "":
		return errors.New("description is missing")
	}
	return nil
}

// stringValue returns the text of a scalar that YAML 1.2's core schema types as
// a string.
func stringValue(n *yaml.Node) (string, bool) {
	if n.Kind != yaml.ScalarNode {
		return "", false
	}
	if quoted(n) {
		return n.Value, true
	}
	_, isString := coreScalar(n.Value)
	return n.Value, isString
}

func quoted(n *yaml.Node) bool {
	return n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

// A converter writes YAML nodes as JSON. It bounds what aliases can expand to.
type converter struct {
	nodes    int
	active   map[*yaml.Node]bool // anchors being expanded
	warnings []string
}

func (c *converter) write(w *bytes.Buffer, n *yaml.Node, depth int) error {
	if c.nodes++; c.nodes > maxFrontmatterNodes {
		return fmt.Errorf("more than %d values", maxFrontmatterNodes)
	}
	if depth > maxFrontmatterDepth {
		return fmt.Errorf("line %d: nested more than %d levels deep", n.Line, maxFrontmatterDepth)
	}
	if n.Style&yaml.TaggedStyle != 0 {
		return fmt.Errorf("line %d: the tag %.40q is not allowed", n.Line, n.Tag)
	}
	switch n.Kind {
	case yaml.AliasNode:
		if c.active[n.Alias] {
			return fmt.Errorf("line %d: alias %.40q contains itself", n.Line, n.Value)
		}
		c.active[n.Alias] = true
		defer delete(c.active, n.Alias)
		return c.write(w, n.Alias, depth+1)
	case yaml.MappingNode:
		seen := make(map[string]bool, len(n.Content)/2)
		w.WriteByte('{')
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i]
			text, isString := stringValue(key)
			switch {
			case !isString || key.Style&yaml.TaggedStyle != 0:
				return fmt.Errorf("line %d: the key %.40q is not a string; quote it", key.Line, key.Value)
			case text == "<<" && !quoted(key):
				return fmt.Errorf("line %d: merge keys are not part of YAML 1.2", key.Line)
			case seen[text]:
				return fmt.Errorf("line %d: the key %.40q stands twice", key.Line, text)
			}
			seen[text] = true
			if i > 0 {
				w.WriteByte(',')
			}
			c.warn(key)
			writeString(w, text)
			w.WriteByte(':')
			if err := c.write(w, n.Content[i+1], depth+1); err != nil {
				return err
			}
		}
		w.WriteByte('}')
	case yaml.SequenceNode:
		w.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				w.WriteByte(',')
			}
			if err := c.write(w, item, depth+1); err != nil {
				return err
			}
		}
		w.WriteByte(']')
	case yaml.ScalarNode:
		if !utf8.ValidString(n.Value) {
			return fmt.Errorf("line %d: not valid UTF-8", n.Line)
		}
		if quoted(n) {
			writeString(w, n.Value)
			return nil
		}
		c.warn(n)
		literal, isString := coreScalar(n.Value)
		switch {
		case isString:
			writeString(w, n.Value)
		case literal == "":
			return fmt.Errorf("line %d: %s has no JSON form; quote it", n.Line, n.Value)
		default:
			w.WriteString(literal)
		}
	default:
		return fmt.Errorf("line %d: unexpected YAML node", n.Line)
	}
	return nil
}

func (c *converter) warn(n *yaml.Node) {
	if !quoted(n) && ambiguousRE.MatchString(n.Value) {
		c.warnings = append(c.warnings, fmt.Sprintf("line %d: YAML parsers read the unquoted %.40q differently; quote it", n.Line, n.Value))
	}
}

// ambiguousRE matches plain scalars that YAML 1.1 and 1.2, or two common
// parsers, type differently: words for booleans, dates, octal, binary,
// sexagesimal and underscored numbers, and integers beyond 2^53.
var ambiguousRE = regexp.MustCompile(`^(?:[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF` +
	`|\d{4}-\d\d?-\d\d?.*|[-+]?0[0-9_]+|0o[0-7]+|[-+]?0b[01_]+|[-+]?\d[\d_]*_[\d_]*|[-+]?\d+(?::[0-5]?\d)+(?:\.\d*)?|[-+]?\d{16,}|=)$`)

var (
	intRE   = regexp.MustCompile(`^[-+]?[0-9]+$`)
	radixRE = regexp.MustCompile(`^0(?:o[0-7]+|x[0-9a-fA-F]+)$`)
	floatRE = regexp.MustCompile(`^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$`)
	infRE   = regexp.MustCompile(`^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
)

// coreScalar types a plain scalar by the core schema of YAML 1.2.2, section
// 10.3. The literal is its JSON form, "" where JSON has none.
func coreScalar(s string) (literal string, isString bool) {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return "null", false
	case "true", "True", "TRUE":
		return "true", false
	case "false", "False", "FALSE":
		return "false", false
	}
	switch {
	case intRE.MatchString(s), radixRE.MatchString(s):
		n, ok := new(big.Int).SetString(s, base(s))
		switch {
		case !ok:
			return "", true
		case n.BitLen() > maxIntegerBits:
			return "", false // out of range, as a float of that size is
		}
		return n.String(), false
	case floatRE.MatchString(s):
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return "", false // out of range
		}
		b, err := json.Marshal(f)
		if err != nil {
			return "", false
		}
		return string(b), false
	case infRE.MatchString(s):
		return "", false
	}
	return "", true
}

// base returns the base argument for big.Int.SetString: a leading zero alone
// is decimal in YAML 1.2.
func base(s string) int {
	if radixRE.MatchString(s) {
		return 0
	}
	return 10
}

// writeString writes s as a JSON string without escaping HTML characters.
func writeString(w *bytes.Buffer, s string) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)         // a string always encodes
	w.Truncate(w.Len() - 1) // the encoder's newline
}
