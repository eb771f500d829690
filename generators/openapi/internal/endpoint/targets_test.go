package endpoint

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A made id of 1 may exist: the ids of a destructive call come from variables,
// in the body as in the path, and the call is not made while one is unset.
func TestIdsOfADestructiveBodyComeFromVariables(t *testing.T) {
	body := func(media, schema string) string {
		return "{requestBody: {required: true, content: {" + media + ": {schema: {type: object, " + schema + "}}}}, " + ok + "}"
	}
	for _, c := range []struct {
		name, path, operation string
		want                  []string
	}{
		{"a string", "/owls.delete", body("application/json", "required: [owl_id, why], properties: {owl_id: {type: string}, why: {type: string}}"),
			[]string{`"owl_id": "${OWL_ID:?}"`, "# OWL_ID: the one the user said yes to; looks like OWL_ID", `"why": "WHY"`, "<<JSON", "name the `owl_id`"}},
		{"a number has no quotation marks", "/owls/remove", body("application/json", "required: [owlId], properties: {owlId: {type: integer}}"), []string{`"owlId": ${OWL_ID:?}`}},
		{"several are one at first", "/owls:batchDelete", body("application/json", "required: [owl_ids], properties: {owl_ids: {type: array, items: {type: string}, minItems: 1}}"), []string{`"owl_ids": ["${OWL_IDS:?}"]`}},
		{"what the shell would expand stays what it is", "/owls.delete", body("application/json", "required: [owl_id, note], properties: {owl_id: {type: string}, note: {type: string, example: '$HOME `id` \\\\ \"x\"'}}"),
			[]string{`\$HOME \`, "\\`id", "${OWL_ID:?}"}},
		{"a form", "/owls.delete", body("application/x-www-form-urlencoded", "required: [owl_id, why], properties: {owl_id: {type: string}, why: {type: string}}"),
			[]string{`--data-urlencode "owl_id=${OWL_ID:?}"`, `--data-raw 'why=WHY'`}},
		{"the id of nothing destroyed is a sample", "/owls", body("application/json", "required: [nest_id], properties: {nest_id: {type: string}}"), []string{`{"nest_id": "NEST_ID"}`, "!NEST_ID:?", "<<'JSON'"}},
		{"an id that can be one only is no question", "/owls.delete", body("application/json", "required: [kind_id], properties: {kind_id: {type: string, enum: [owl]}}"), []string{`{"kind_id": "owl"}`, "<<'JSON'"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			contains(t, skill(t, one(t, "POST", c.path, c.operation, "")), c.want...)
		})
	}
}

func TestDestructiveCommandSendsTheIdAndNothingWithoutIt(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	op := one(t, "POST", "/owls.delete", "{requestBody: {required: true, content: {application/json: {schema: {type: object, required: [owl_id, note], properties: {owl_id: {type: string}, note: {type: string, example: '$(touch x) \\'}}}}}}, "+ok+"}", "")
	dir := t.TempDir()
	script := "curl() { cat; }\n" + fenced(skill(t, op), "bash")[0] + "\n"
	if err := os.WriteFile(filepath.Join(dir, "s"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(env ...string) string {
		cmd := exec.Command(bash, "s")
		cmd.Dir, cmd.Env = dir, append(env, "PATH="+os.Getenv("PATH"))
		out, _ := cmd.Output()
		return strings.TrimSpace(string(out))
	}
	if got, want := run("OWL_ID=o1"), `{"note": "$(touch x) \\", "owl_id": "o1"}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	if got := run(); got != "" {
		t.Errorf("sent %s without an id", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("words of the document were run")
	}
}

// A destructive call that requires no id may hit more than is meant.
func TestDestructiveCallWithoutAnIdWarns(t *testing.T) {
	for _, c := range []struct{ name, path, operation, want string }{
		{"optional in the query", "/owl", "{parameters: [{name: key, in: query, schema: {type: string}}, {name: owlId, in: query, schema: {type: string}}, {name: pretty, in: query, schema: {type: string}}], " + ok + "}",
			"Nothing that the document requires says what this is about: add what the user named, with `owlId`, before you send it."},
		{"required in the query", "/owls", "{parameters: [{name: tag, in: query, required: true, schema: {type: string}}], " + ok + "}", "!Nothing that"},
		{"in the path", "/owls/{id}", "{" + ok + "}", "!Nothing that"},
		{"nothing to name", "/session", "{" + ok + "}", "!Nothing that"},
	} {
		t.Run(c.name, func(t *testing.T) {
			contains(t, skill(t, one(t, "DELETE", c.path, c.operation, "")), c.want)
		})
	}
}
