package schema

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// checkLine reads a line by the grammar of the notation, independently of how
// lines are written.
func checkLine(line string) error {
	for _, r := range line {
		if hidden(r) {
			return fmt.Errorf("hidden character %U", r)
		}
	}
	r := &reader{strings.TrimLeft(line, " ")}
	if n := len(line) - len(r.s); n < 2 || n%2 != 0 {
		return fmt.Errorf("indented by %d", n)
	}
	switch {
	case r.match(`^\.\.\. (at least )?\d+ more members?$`), r.match(`^(one|any|all) of:$`), r.match(`^otherwise:$`):
		return nil
	case r.eat("= "): // what a value means
		if err := r.literal(); err != nil {
			return err
		}
		if !strings.HasPrefix(r.s, "  # ") {
			return fmt.Errorf("after a value: %q", r.s)
		}
		return nil
	case r.eat("when "):
		for {
			if err := r.name(); err != nil {
				return err
			}
			if r.eat(" = ") {
				for {
					if err := r.literal(); err != nil {
						return err
					}
					if !r.eat(" | ") {
						break
					}
				}
			}
			if !r.eat(" and ") {
				break
			}
		}
		if r.s != ":" {
			return fmt.Errorf("after when: %q", r.s)
		}
		return nil
	case r.match(`^(option|item|part) \d+`), r.eat("<other>"),
		r.match(`^<(not|propertyNames|unevaluatedItems|contentSchema|if|then|else)>`),
		r.match(`^<contains( (\d+\.\.\d*|\.\.\d+))?>`), r.match(`^</([^/\\]|\\.)*/>`):
	default:
		if err := r.name(); err != nil {
			return err
		}
		r.eat("*")
	}
	if !r.eat(": ") {
		return fmt.Errorf("no colon: %q", r.s)
	}
	if err := r.typ(); err != nil {
		return err
	}
	if r.eat("  required: ") {
		for {
			if err := r.name(); err != nil {
				return err
			}
			if !r.eat(", ") {
				break
			}
		}
	}
	if r.eat("  # ") {
		return nil
	}
	if r.s != "" {
		return fmt.Errorf("rest %q", r.s)
	}
	return nil
}

type reader struct{ s string }

var patterns = map[string]*regexp.Regexp{} // of reader.match

func (r *reader) eat(s string) bool {
	rest, ok := strings.CutPrefix(r.s, s)
	if ok {
		r.s = rest
	}
	return ok
}

func (r *reader) match(re string) bool {
	c := patterns[re]
	if c == nil {
		c = regexp.MustCompile(re)
		patterns[re] = c
	}
	m := c.FindString(r.s)
	r.s = r.s[len(m):]
	return m != ""
}

func (r *reader) name() error {
	if strings.HasPrefix(r.s, `"`) {
		return r.literal()
	}
	if !r.match(`^[A-Za-z0-9_.$-]+`) {
		return fmt.Errorf("no name: %q", r.s)
	}
	return nil
}

func (r *reader) literal() error {
	d := json.NewDecoder(strings.NewReader(r.s))
	var v any
	if err := d.Decode(&v); err != nil {
		return fmt.Errorf("no JSON: %q", r.s)
	}
	r.s = r.s[d.InputOffset():]
	return nil
}

// typ reads type {SP facet}.
func (r *reader) typ() error {
	for {
		if err := r.term(); err != nil {
			return err
		}
		if !r.eat(" | ") {
			break
		}
	}
	for {
		switch {
		case r.match(`^ (writeOnly|deprecated|closed|unique|allowReserved)\b`),
			r.match(`^ (len|size) (\d+\.\.\d*|\.\.\d+)`),
			r.match(`^ step -?[0-9.e+-]+`),
			r.match(`^ >-?[0-9.e+-]+`),
			r.match(`^ -?\d[0-9e+-]*(\.\d[0-9e+-]*)?\.\.<?(-?\d[0-9e+-]*(\.\d[0-9e+-]*)?)?`),
			r.match(`^ \.\.<?-?\d[0-9.e+-]*`),
			r.match(`^ /([^/\\]|\\.)*/`):
		case r.match(`^ xml\((attribute|text|cdata|none|wrapped|(name|prefix|namespace) ("([^"\\]|\\.)*"|[A-Za-z0-9_.$-]+)|, )+\)`):
		case r.eat(" default "):
			if err := r.literal(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

func (r *reader) term() error {
	switch {
	case r.match(`^\.\.\. \d+ more`):
	case r.eat("map of "):
		return r.term()
	case r.eat("@"):
		if err := r.name(); err != nil {
			return err
		}
	case r.eat("("):
		if err := r.typ(); err != nil {
			return err
		}
		if r.eat("  required: ") {
			for r.name() == nil && r.eat(", ") {
			}
		}
		if !r.eat(")") {
			return fmt.Errorf("no closing parenthesis: %q", r.s)
		}
	case r.match(`^(string|integer|number|boolean|object|array|file|any|never)\b`):
		if r.eat(" (") {
			if err := r.name(); err != nil {
				return err
			}
			if !r.eat(", not expanded)") {
				return fmt.Errorf("stub: %q", r.s)
			}
		}
		if !r.match(`^\([^()]+\)`) && strings.HasPrefix(r.s, "(") {
			return fmt.Errorf("format: %q", r.s)
		}
		if r.eat(" as @") {
			if err := r.name(); err != nil {
				return err
			}
		}
	default:
		if err := r.literal(); err != nil {
			return err
		}
	}
	for r.eat("[]") {
	}
	return nil
}
