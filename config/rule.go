package config

import (
	"fmt"
	"strconv"
	"strings"
)

// A Rule picks operations by globs, and by what they state.
type Rule struct {
	Operation, Tag, Group, OperationID string
	Deprecated, Internal               *bool
}

// ParseRule reads a rule as a flag has it: "operation=GET /pets/**", "tag=Pets",
// "group=pets", "operationId=list*", "deprecated", "internal=false".
func ParseRule(text string) (Rule, error) {
	var r Rule
	key, value, given := strings.Cut(text, "=")
	globs := map[string]*string{"operation": &r.Operation, "tag": &r.Tag, "group": &r.Group, "operationId": &r.OperationID}
	truths := map[string]**bool{"deprecated": &r.Deprecated, "internal": &r.Internal}
	if to, ok := globs[key]; ok {
		if value == "" {
			return r, fmt.Errorf("%s has no value; write one like %s", quote(text), ruleExamples[key])
		}
		*to = value
		return r, nil
	}
	if to, ok := truths[key]; ok {
		is, err := strconv.ParseBool(value)
		if !given {
			is, err = true, nil
		}
		if err != nil {
			return r, fmt.Errorf("%s is neither true nor false; write %s, or %s=false", quote(value), key, key)
		}
		*to = &is
		return r, nil
	}
	msg := "use operation=, tag=, group=, operationId=, deprecated or internal"
	if s := suggest(key, []string{"operation", "tag", "group", "operationId", "deprecated", "internal"}); s != "" {
		msg = fmt.Sprintf("did you mean %q?", s)
	}
	return r, fmt.Errorf("unknown rule %s; %s", quote(text), msg)
}

var ruleExamples = map[string]string{
	"operation":   `"operation=GET /pets/**"`,
	"tag":         `"tag=Pets"`,
	"group":       `"group=pets"`,
	"operationId": `"operationId=list*"`,
}

// ruleMembers are the keys of a rule in the file.
var ruleMembers = []member{
	{key: "operation", doc: "method and path, as in \"GET /pets/**\", or a path alone", check: notEmpty},
	{key: "tag", doc: "one of its tags", check: notEmpty},
	{key: "group", doc: "the segment before its name in its URI", check: notEmpty},
	{key: "operationId", doc: "its operationId", check: notEmpty},
	{key: "deprecated", doc: "whether it is", truth: true},
	{key: "internal", doc: "whether it states x-internal", truth: true},
}
