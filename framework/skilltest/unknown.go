package skilltest

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// checkUnknown asks for paths at which there is no skill: some that could be paths
// of skills, and others that mean harm.
func (c *checker) checkUnknown() {
	base := "unit/example"
	if len(c.sample) > 0 {
		base = c.sample[len(c.sample)/2]
	}
	for _, p := range guesses(base) {
		if c.known(p) {
			continue
		}
		skill, err, ok := c.ask(c.ctx, p)
		if !ok {
			continue
		}
		if skill == nil || err != nil {
			c.checkNotFound(p, err)
		} else if c.lister != nil {
			c.fault("unlisted", p, "", "Skill makes a skill at this path, but Paths does not yield it; yield every path that is served")
		}
	}
	hostile := hostile(base)
	if dir := path.Dir(base); dir != "." && c.lister != nil { // as file systems take it that look at no case; others may have both
		hostile = append(hostile, strings.ToUpper(dir)+"/"+path.Base(base))
	}
	for _, p := range hostile {
		if c.known(p) {
			continue
		}
		skill, err, ok := c.ask(c.ctx, p)
		if !ok {
			continue
		}
		if skill == nil || err != nil {
			c.checkNotFound(p, err)
		} else {
			c.fault("hostile-path", p, "", "Skill makes a skill at this path, which is none that a skill can have; look paths up as they are, and neither clean, decode nor fold them")
		}
	}
}

// known reports whether there may be a skill at a path.
func (c *checker) known(p string) bool {
	return slices.Contains(c.given, p) || slices.Contains(c.featured, p) || c.lister != nil && c.isListed(p)
}

// checkNotFound checks the error for an unknown path.
func (c *checker) checkNotFound(p string, err error) {
	switch {
	case errors.Is(err, framework.ErrNotFound):
	case err == errNilSkill:
		c.fault("not-found", p, "", "Skill returns neither a skill nor an error for a path that is not there; return an error wrapping framework.ErrNotFound")
	default:
		c.fault("not-found", p, "", "for a path that is not there the error is %.200q, which does not wrap framework.ErrNotFound; that of a file system or a database is another one", err.Error())
	}
}

// guesses returns well-formed paths near to one that is there.
func guesses(known string) []string {
	dir := path.Dir(known)
	guesses := []string{
		"no-such-skill", "no-such-group/no-such-skill", "index", "skill", "readme", "0",
		known + "-2", known + "/no-such-skill", "no-such-group/" + known, path.Base(known) + "/" + path.Base(known),
		path.Join(dir, "no-such-skill"),
	}
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		guesses = append(guesses, dir)
	}
	return guesses
}

// hostile returns what is not the path of any skill.
func hostile(known string) []string {
	return []string{
		"", ".", "..", "/", "//", "/" + known, known + "/", "./" + known, known + "/.", known + "/..", "x/../" + known,
		strings.Replace(known, "/", "//", 1) + "/", "../" + known, "../../../../../../etc/passwd", `..\..\..\windows\system32`,
		"%2e%2e/" + known, known + "%00", known + "%2F", strings.ReplaceAll(known, "/", "%2F") + "%20", strings.ReplaceAll(known, "/", `\`) + `\`,
		known + "\x00", known + "\x00.md", "\x00", known + "\n", known + " ", " " + known + " ", known + "?x=1", known + "#x",
		known + "/" + skillFile, skillFile, known + "." + "md", known + "\xff", "\xff\xfe\xfd", known + "\u202e", known + above,
		strings.ToUpper(known) + "-X", strings.ToUpper(known[:1]) + known[1:] + "-X", swapCase(known),
		"file:///etc/passwd", "skill://" + known, "C:/" + known + "/X", "{name}", "*", known + "*", "'; drop table skills; --", "${HOME}", "`id`", "$(id)",
		strings.Repeat("a", 1<<16), strings.Repeat("../", 1<<12) + "x", strings.Repeat("a/", 1<<12) + "a", strings.Repeat("a-", 200) + "a",
	}
}

// swapCase returns a path in upper case whose last segment is no name.
func swapCase(known string) string {
	upper := strings.ToUpper(known)
	if framework.ValidName(path.Base(upper)) { // of digits alone
		return upper + "A"
	}
	return upper
}
