package replay

import (
	"fmt"
	"regexp"
	"strings"
)

// A script is a command read by the little of the shell's grammar that is
// taken: comments, assignments of constants, and one call of curl with quoted
// words, continued lines and one here document, in which nothing is expanded but
// plain variables. Whatever else a shell understands is an error, so that what is run is what was read.
type script struct {
	assign  map[string]string
	args    []word // of curl, without its name
	here    word   // document on standard input
	hasHere bool
}

// A word is one argument, as pieces, and where it stands in the text.
type word struct {
	pieces     []piece
	start, end int
}

// A piece is a text, or a variable that is expanded within double quotes.
type piece struct {
	text     string
	variable string
	required bool // ${NAME:?}: unset, it stops the command
}

// constant returns the word's text if no variable is in it.
func (w word) constant() (string, bool) {
	var b strings.Builder
	for _, p := range w.pieces {
		if p.variable != "" {
			return "", false
		}
		b.WriteString(p.text)
	}
	return b.String(), true
}

// expand returns the word with its variables replaced.
func (w word) expand(value func(string) string) string {
	var b strings.Builder
	for _, p := range w.pieces {
		if p.variable != "" {
			b.WriteString(value(p.variable))
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

type reader struct {
	s string
	i int
}

func (r *reader) has(prefix string) bool { return strings.HasPrefix(r.s[r.i:], prefix) }
func (r *reader) more() bool             { return r.i < len(r.s) }

// line returns the rest of the line and moves behind its end.
func (r *reader) line() string {
	line, _, found := strings.Cut(r.s[r.i:], "\n")
	r.i += len(line)
	if found {
		r.i++
	}
	return line
}

// blanks moves over blanks and continued lines.
func (r *reader) blanks() {
	for r.more() {
		switch {
		case r.s[r.i] == ' ' || r.s[r.i] == '\t':
			r.i++
		case r.has("\\\n"):
			r.i += 2
		default:
			return
		}
	}
}

// readScript reads a command.
func readScript(text string) (*script, error) {
	if strings.ContainsRune(text, 0) || strings.Contains(text, "\r") {
		return nil, fmt.Errorf("it has a NUL or a carriage return")
	}
	s := &script{assign: map[string]string{}}
	r := &reader{s: text}
	called := false
	for r.more() {
		r.blanks()
		switch {
		case !r.more():
		case r.s[r.i] == '\n':
			r.i++
		case r.s[r.i] == '#':
			r.line()
		case called:
			return nil, fmt.Errorf("something follows the call of curl: %.40q", r.s[r.i:])
		case r.has("curl "):
			called = true
			r.i += len("curl")
			if err := s.call(r); err != nil {
				return nil, err
			}
		default:
			name := r.name()
			if name == "" || !r.has("=") {
				return nil, fmt.Errorf("it is no call of curl: %.40q", r.s[r.i:])
			}
			r.i++
			w, err := r.word()
			if err != nil {
				return nil, err
			}
			v, ok := w.constant()
			if !ok {
				return nil, fmt.Errorf("$%s is assigned what is no constant", name)
			}
			if reserved(name) {
				return nil, fmt.Errorf("$%s is assigned, which is no variable of a command's own", name)
			}
			s.assign[name] = v
			r.blanks()
			if r.more() && r.s[r.i] != '\n' && r.s[r.i] != '#' {
				return nil, fmt.Errorf("something follows an assignment: %.40q", r.s[r.i:])
			}
		}
	}
	if !called {
		return nil, fmt.Errorf("it does not call curl")
	}
	return s, nil
}

var reservedName = regexp.MustCompile(`^(?i:PATH|IFS|ENV|HOME|PWD|OLDPWD|CDPATH|SHELLOPTS|PS4|UID|EUID|PPID|TMPDIR|LANG|LANGUAGE|SSLKEYLOGFILE|SSL_CERT_FILE|SSL_CERT_DIR|(?:HTTPS?|ALL|NO|FTPS?|WSS?)_PROXY|(?:BASH|LD_|LC_|CURL_|XDG_).*)$`)

// reserved reports whether a shell, its loader or curl gives the variable a
// meaning.
func reserved(name string) bool { return reservedName.MatchString(name) }

// call reads the arguments of curl, up to the end of the line or of the here
// document that belongs to it.
func (s *script) call(r *reader) error {
	end, expands := "", false
	for r.more() {
		r.blanks()
		switch {
		case !r.more():
		case r.s[r.i] == '\n':
			r.i++
			if end == "" {
				return nil
			}
			var b strings.Builder
			s.here.start = r.i
			for r.more() {
				s.here.end = r.i
				line := r.line()
				if line == end {
					return s.document(b.String(), expands)
				}
				b.WriteString(line + "\n")
			}
			return fmt.Errorf("the here document has no end")
		case r.s[r.i] == '#':
			if r.line(); r.more() || strings.HasSuffix(r.s, "\n") {
				r.i-- // the end of the line is for the case above
			}
		case r.has("<<"):
			r.i += 2
			quoted := r.has("'")
			if quoted {
				r.i++
			}
			label := r.name()
			if quoted && !r.has("'\n") || !quoted && !r.has("\n") || label == "" || s.hasHere {
				return fmt.Errorf("a here document whose label is not the last word of its line")
			}
			if quoted {
				r.i++
			}
			end, expands, s.hasHere = label, !quoted, true
		default:
			w, err := r.word()
			if err != nil {
				return err
			}
			s.args = append(s.args, w)
		}
	}
	if end != "" {
		return fmt.Errorf("the here document has no end")
	}
	return nil
}

// document reads the here document: as it is, or with variables.
func (s *script) document(text string, expands bool) error {
	if !expands {
		s.here.pieces = []piece{{text: text}}
		return nil
	}
	r := &reader{s: text}
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			s.here.pieces = append(s.here.pieces, piece{text: b.String()})
			b.Reset()
		}
	}
	for r.more() {
		switch c := r.s[r.i]; {
		case c == '\\' && r.i+1 < len(r.s) && strings.IndexByte("\\$`", r.s[r.i+1]) >= 0:
			b.WriteByte(r.s[r.i+1])
			r.i += 2
		case r.has("\\\n"), c == '`':
			return fmt.Errorf("a here document that continues lines or runs commands")
		case c == '$':
			flush()
			p, err := r.variable()
			if err != nil {
				return err
			}
			s.here.pieces = append(s.here.pieces, p)
		default:
			b.WriteByte(c)
			r.i++
		}
	}
	flush()
	return nil
}

// variable reads the expansion of a plain variable, from its "$" on.
func (r *reader) variable() (piece, error) {
	braces := r.has("${")
	r.i++
	if braces {
		r.i++
	}
	name := r.name()
	set := braces && r.has("?}") // set to nothing, it is taken
	required := braces && r.has(":?}") || set
	switch {
	case name == "" || braces && !required && !r.has("}"):
		return piece{}, fmt.Errorf("an expansion that is no plain variable: %.20q", r.s[r.i:])
	case set:
		r.i += 2
	case required:
		r.i += 3
	case braces:
		r.i++
	}
	if reserved(name) {
		return piece{}, fmt.Errorf("$%s is read, which is no variable of a command's own", name)
	}
	return piece{variable: name, required: required}, nil
}

// name reads the name of a variable, or "".
func (r *reader) name() string {
	i := r.i
	for r.more() {
		c := r.s[r.i]
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9' || r.i == i) {
			break
		}
		r.i++
	}
	return r.s[i:r.i]
}

// word reads one word: bare, quoted, or several of them side by side.
func (r *reader) word() (word, error) {
	w := word{start: r.i}
	text := func(s string) {
		if n := len(w.pieces); n > 0 && w.pieces[n-1].variable == "" {
			w.pieces[n-1].text += s
			return
		}
		w.pieces = append(w.pieces, piece{text: s})
	}
	for r.more() {
		c := r.s[r.i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || r.has("\\\n"):
			w.end = r.i
			return w, nil
		case c == '\'':
			body, _, ok := strings.Cut(r.s[r.i+1:], "'")
			if !ok {
				return w, fmt.Errorf("a quotation mark is not closed")
			}
			text(body)
			r.i += len(body) + 2
		case r.has("$'"):
			r.i += 2
			s, err := r.ansi()
			if err != nil {
				return w, err
			}
			text(s)
		case c == '"':
			r.i++
			if err := r.double(&w, text); err != nil {
				return w, err
			}
		case r.has(`\'`):
			text("'")
			r.i += 2
		case bare(c):
			text(string(c))
			r.i++
		default:
			return w, fmt.Errorf("a character that means something to a shell: %.20q", r.s[r.i:])
		}
	}
	w.end = r.i
	return w, nil
}

// bare reports whether a character means nothing to a shell outside quotes.
// "~" and "=" do in some places, but not inside a word that has begun.
func bare(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-_./:@%+,=", c) >= 0
}

// double reads the rest of a double-quoted string.
func (r *reader) double(w *word, text func(string)) error {
	for r.more() {
		c := r.s[r.i]
		switch {
		case c == '"':
			r.i++
			if len(w.pieces) == 0 {
				text("")
			}
			return nil
		case c == '\\' && r.i+1 < len(r.s) && strings.IndexByte("\\\"$`", r.s[r.i+1]) >= 0:
			text(r.s[r.i+1 : r.i+2])
			r.i += 2
		case c == '`' || c == '!':
			// "!" is safe where history is not expanded, as in a script, but not
			// where somebody pastes the command.
			return fmt.Errorf("%q within double quotes", c)
		case c == '$':
			p, err := r.variable()
			if err != nil {
				return err
			}
			w.pieces = append(w.pieces, p)
		default:
			text(string(c))
			r.i++
		}
	}
	return fmt.Errorf("a quotation mark is not closed")
}

// ansi reads the rest of a string in $'...'.
func (r *reader) ansi() (string, error) {
	var b strings.Builder
	for r.more() {
		c := r.s[r.i]
		switch {
		case c == '\'':
			r.i++
			return b.String(), nil
		case c == '\\' && r.i+1 < len(r.s):
			e := r.s[r.i+1]
			r.i += 2
			switch e {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case 'r':
				b.WriteByte('\r')
			case '\\', '\'':
				b.WriteByte(e)
			case 'x':
				var v byte
				if n, err := fmt.Sscanf(r.s[r.i:min(r.i+2, len(r.s))], "%02x", &v); n != 1 || err != nil || v == 0 {
					return "", fmt.Errorf("an escape that is not known")
				}
				r.i += 2
				b.WriteByte(v)
			default:
				return "", fmt.Errorf("an escape that is not known: \\%c", e)
			}
		default:
			b.WriteByte(c)
			r.i++
		}
	}
	return "", fmt.Errorf("a quotation mark is not closed")
}
