package protorpc

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/apiskills/apiskills/cmd/apiskills/command"
	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/skilltest"
)

var update = flag.Bool("update", false, "write the golden files anew")

const parcels = "testdata/parcels"

func load(t testing.TB, dir string) *Generator {
	t.Helper()
	g, err := Load(t.Context(), Source{Dir: dir, Name: "parcels"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// folderOf makes a folder of files, given as names and texts in turn.
func folderOf(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// text returns all files of a skill, one after the other.
func text(t testing.TB, g framework.Generator, path string) string {
	t.Helper()
	s, err := g.Skill(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range s.Files {
		content, err := f.Content(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("==> " + f.Name + "\n" + string(content))
	}
	return b.String()
}

// There is no test with skilltest.TestSnapshots: no generator shows a change. For one
// the command makes another.
func TestGeneratorKeepsTheRules(t *testing.T) {
	skilltest.Run(t, func(t testing.TB) framework.Generator { return load(t, parcels) },
		"parcels-guide", "parcels-v1-delivery-service/create-parcel", "parcels-v1-depot-service/get-depot")
}

// The golden files are what the command exports.
func TestSkillsAreTheGoldenFiles(t *testing.T) {
	out := filepath.Join(t.TempDir(), "skills")
	run(t, 0, "export", parcels, "--option", "server=parcels.example:443", "--option", "token=PARCELS_TOKEN", "--out", out)
	const golden = "testdata/golden"
	if *update {
		if err := os.RemoveAll(golden); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(golden, os.DirFS(out)); err != nil {
			t.Fatal(err)
		}
	}
	want, got := filesOf(t, golden), filesOf(t, out)
	for name, text := range got {
		if want[name] != text {
			t.Errorf("%s differs from the golden file; look at it, then run go test -update", name)
		}
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is not made any more", name)
		}
	}
}

func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		name, _ = filepath.Rel(dir, name)
		files[filepath.ToSlash(name)] = strings.ReplaceAll(string(content), "\r\n", "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestEachSampleIsARequestOfItsRPC(t *testing.T) {
	g := load(t, parcels)
	for path, r := range g.rpcs {
		checkSample(t, path, r)
	}
}

var mask = regexp.MustCompile(`\{\s*"paths": \[\s*"field_name"\s*\]\s*\}`)

func checkSample(t *testing.T, path string, r *rpc) {
	t.Helper()
	// grpcurl reads a mask as it reads other messages, protojson as the specification says.
	body := mask.ReplaceAllString(sample(r.Input()), `"fieldName"`)
	if err := protojson.Unmarshal([]byte(body), dynamicpb.NewMessage(r.Input())); err != nil {
		t.Errorf("%s: %v in\n%s", path, err, body)
	}
}

// A grpcurl of the test's own sees the command as the shell has it.
func TestEachCommandIsOneOfTheShell(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	for _, options := range []Options{{}, {Server: "parcels.example:443", Plaintext: true, Token: "PARCELS_TOKEN"}} {
		g, err := Load(t.Context(), Source{Dir: parcels, Name: "parcels"}, options)
		if err != nil {
			t.Fatal(err)
		}
		for path, r := range g.rpcs {
			_, script, _ := strings.Cut(text(t, g, path), "```bash\n")
			script, _, _ = strings.Cut(script, "\n```")
			cmd := exec.Command(bash, "-euc", "grpcurl() { printf '%s\\n' \"$@\"; cat; }\n"+script)
			cmd.Env = append(os.Environ(), "GRPC_SERVER=other.example:1", "PARCELS_TOKEN=secret")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v\n%s", path, err, out)
				continue
			}
			_, body, ok := strings.Cut(string(out), r.full()+"\n")
			if !ok {
				t.Errorf("%s: no argument is the name of the RPC:\n%s", path, out)
			}
			want := 1
			if r.IsStreamingClient() {
				want = 2
			}
			d := json.NewDecoder(strings.NewReader(body))
			for range want {
				if err := d.Decode(new(any)); err != nil {
					t.Errorf("%s: %v in\n%s", path, err, body)
				}
			}
		}
	}
}

func TestASkillChangesOnlyWithWhatItReaches(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(parcels)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "parcels/v1/delivery.proto")
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before := load(t, dir)
	changed := strings.Replace(string(content), "// Who took it.", "// Who took it, by name.", 1) + "\n// New.\nmessage Unused {}\n"
	changed = strings.Replace(changed, "syntax =", "\n\n// Another line.\n\nsyntax =", 1)
	if err := os.WriteFile(name, []byte(changed), 0o666); err != nil {
		t.Fatal(err)
	}
	after := load(t, dir)
	var differ []string
	for _, path := range before.PathList {
		if text(t, before, path) != text(t, after, path) {
			differ = append(differ, path)
		}
	}
	if want := []string{"parcels-v1-delivery-service/track-parcel"}; !slices.Equal(differ, want) {
		t.Errorf("%q differ, want %q", differ, want)
	}
}

// What is included changes which skills there are, not what they are called.
func TestIncludeChangesNoPath(t *testing.T) {
	dir := folderOf(t,
		"a/a.proto", `syntax = "proto3"; package x.y; service Z { rpc Get(M) returns (M); } message M {}`,
		"b/b.proto", `syntax = "proto3"; package x; service YZ { rpc Get(M) returns (M); } message M {}`)
	all := load(t, dir)
	g, err := Load(t.Context(), Source{Dir: dir, Name: "x"}, Options{Include: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.rpcs) != 1 {
		t.Fatalf("%d RPCs are served, want 1", len(g.rpcs))
	}
	for path := range g.rpcs {
		if _, ok := all.rpcs[path]; !ok {
			t.Errorf("%s is %q without the option", path, all.PathList)
		}
	}
}

func run(t *testing.T, status int, args ...string) (stdout, stderr string) {
	t.Helper()
	program := command.Program{Name: "protoskills", Kinds: []command.Kind{Kind(), command.OpenAPI()}}
	var out, errs bytes.Buffer
	if got := program.Run(t.Context(), args, strings.NewReader(""), &out, &errs); got != status {
		t.Errorf("%q: exit status %d, want %d\n%s", args, got, status, errs.String())
	}
	return out.String(), errs.String()
}

func TestProgramListsReadsAndChecks(t *testing.T) {
	out, _ := run(t, 0, "list", parcels)
	if n := strings.Count(out, "\n"); n != 12 {
		t.Errorf("list has %d lines, want 11 RPCs and the guide:\n%s", n, out)
	}
	out, _ = run(t, 0, "list", "--option", "include=parcels/v1/depot.proto", "shop="+parcels)
	if !strings.Contains(out, "skill://shop/parcels-v1-depot-service/get-depot/SKILL.md\t") || strings.Contains(out, "delivery") {
		t.Errorf("of one file are listed:\n%s", out)
	}
	out, _ = run(t, 0, "show", "skill://parcels/parcels-guide/SKILL.md", parcels)
	if !json.Valid([]byte(out)) {
		t.Errorf("show prints no JSON: %s", out)
	}
	out, _ = run(t, 0, "read", "skill://parcels/parcels-guide/references/parcels-v1-depot-service.md", parcels)
	if !strings.Contains(out, "skill://parcels/parcels-v1-depot-service/get-depot/SKILL.md") {
		t.Errorf("the guide does not lead to the skills:\n%s", out)
	}
	run(t, 0, "check", "--strict", parcels)
}

func TestProgramSaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"list", parcels, "--option", "servr=x"}, `did you mean "server"?`},
		{[]string{"list", parcels, "--option", "server=-x y"}, "not of the form HOST:PORT"},
		{[]string{"list", parcels, "--option", "token=$(id)"}, "not the name of a variable"},
		{[]string{"list", parcels, "--option", "include=nothing"}, "no RPC is there to serve"},
		{[]string{"list", t.TempDir()}, "no .proto file"},
		{[]string{"list", "testdata/nowhere"}, "nowhere"},
	} {
		if _, errs := run(t, 2, test.args...); !strings.Contains(errs, test.want) {
			t.Errorf("%q: %q does not contain %q", test.args, errs, test.want)
		}
	}
}

func TestLoadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Load(ctx, Source{Dir: parcels, Name: "parcels"}, Options{}); err == nil {
		t.Error("Load succeeds after its context ended")
	}
}
