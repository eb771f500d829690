package replay

import (
	"fmt"
	"regexp"
	"strings"
)

// A call is a script's call of curl, its options told apart.
type call struct {
	url     word
	headers []word
	users   []word // of -u
	cookies []word // of -b
	data    []word // of --data and its kin, what they send
	forms   []word // of -F and --form-string
	files   []string
	cert    []word // of --cert and --key
	sigv4   []word // of --aws-sigv4
	digest  bool
}

// Options that take nothing and mean no harm.
var flags = map[string]bool{"-s": true, "-S": true, "-sS": true, "-i": true, "-I": true, "-N": true, "--digest": true, "-g": true, "--globoff": true}

var (
	quotedContent = regexp.MustCompile(`^"(?:[^"\\]|\\.)*"`)
	plainName     = regexp.MustCompile(`^[A-Za-z0-9_.%\[\]-]+=`)
	partHeaders   = regexp.MustCompile(`(?i);\s*headers\s*=`)
)

var fileName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,120}$`)

// readCall tells the options of a call apart. Options that are not known are an
// error: some of them read or write files, or lead to other hosts.
func readCall(s *script) (*call, error) {
	c := &call{}
	urls := 0
	for i := 0; i < len(s.args); i++ {
		opt, ok := s.args[i].constant()
		if !ok || !strings.HasPrefix(opt, "-") {
			c.url = s.args[i]
			urls++
			continue
		}
		if flags[opt] {
			c.digest = c.digest || opt == "--digest"
			continue
		}
		i++
		if i == len(s.args) {
			return nil, fmt.Errorf("the option %s has no value", opt)
		}
		w := s.args[i]
		// What the value begins with decides how curl takes it.
		lead := ""
		if len(w.pieces) > 0 {
			lead = w.pieces[0].text
		}
		file := func(name string) error {
			if !fileName.MatchString(name) {
				return fmt.Errorf("%s names the file %q, which is none beside the command", opt, name)
			}
			c.files = append(c.files, name)
			return nil
		}
		switch opt {
		case "-X":
		case "-D":
			if v, _ := w.constant(); v != "-" {
				return nil, fmt.Errorf("-D writes to a file")
			}
		case "-o":
			if v, ok := w.constant(); !ok || !fileName.MatchString(v) {
				return nil, fmt.Errorf("-o writes to %q, which is no file beside the command", v)
			}
		case "-H":
			if strings.HasPrefix(lead, "@") {
				return nil, fmt.Errorf("-H reads a file")
			}
			c.headers = append(c.headers, w)
		case "-u":
			c.users = append(c.users, w)
		case "-b":
			if !strings.Contains(lead, "=") {
				return nil, fmt.Errorf("curl takes the cookie %q for a file", lead)
			}
			c.cookies = append(c.cookies, w)
		case "--cert", "--key":
			c.cert = append(c.cert, w)
		case "--aws-sigv4":
			c.sigv4 = append(c.sigv4, w)
		case "--data-urlencode":
			if !plainName.MatchString(lead) {
				return nil, fmt.Errorf("--data-urlencode %q may read a file", lead)
			}
			c.data = append(c.data, w)
		case "--data-raw":
			c.data = append(c.data, w)
		case "--data", "-d", "--data-binary":
			if name, ok := strings.CutPrefix(lead, "@"); ok && name != "-" {
				if err := file(name); err != nil {
					return nil, err
				}
			}
			c.data = append(c.data, w)
		case "--form-string":
			c.forms = append(c.forms, w)
		case "-F":
			v, ok := w.constant()
			if !ok {
				return nil, fmt.Errorf("-F has a variable")
			}
			_, value, ok := strings.Cut(v, "=")
			if !ok {
				return nil, fmt.Errorf("-F %q has no value", v)
			}
			if partHeaders.MatchString(quotedContent.ReplaceAllString(value, "")) {
				return nil, fmt.Errorf("-F reads headers, maybe from a file")
			}
			if strings.HasPrefix(value, "@") || strings.HasPrefix(value, "<") {
				f, _, _ := strings.Cut(value[1:], ";")
				if strings.ContainsAny(f, ",") {
					return nil, fmt.Errorf("-F sends several files at once")
				}
				if f != "-" {
					if err := file(f); err != nil {
						return nil, err
					}
				}
			}
			c.forms = append(c.forms, w)
		default:
			return nil, fmt.Errorf("the option %s is none that commands have", opt)
		}
	}
	if urls != 1 {
		return nil, fmt.Errorf("it has %d URLs", urls)
	}
	return c, nil
}
