package replay

import (
	"os/exec"
	"strings"
	"testing"
)

// TestReaderReadsWhatTheShellReads gives the words of a command to a real shell
// and to the reader.
func TestReaderReadsWhatTheShellReads(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	for _, text := range []string{
		`curl -sS 'a b'  c"d ${X:?} e"f`,
		"curl 'it'\\''s' \\\n  -H \"a\\\"\\$\\\\b\" # end",
		`curl $'a\n\t\'\\\x01b'`,
		`curl '' "" x`,
		`curl "${X:?}${Y}$X"`,
	} {
		s, err := readScript(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		env := map[string]string{"X": "1 2", "Y": "$(z)"}
		var want []string
		for _, w := range s.args {
			want = append(want, w.expand(func(name string) string { return env[name] }))
		}
		cmd := exec.Command(bash, "--noprofile", "--norc", "-c", `curl() { printf '%s\0' "$@"; }`+"\n"+text)
		cmd.Env = []string{"X=1 2", "Y=$(z)"}
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: the shell reads %q, the reader %q", text, got, want)
		}
	}
}

func FuzzReadScript(f *testing.F) {
	for _, s := range []string{"curl 'x'", "A='b'  # c\ncurl -sS \"https://a/${B:?}\" \\\n  --data-binary @- <<'JSON'\n{}\nJSON\n", `curl $'\x41' "$("`, "curl a # b", "curl <<'A' # b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := readScript(text)
		if err != nil {
			return
		}
		for _, w := range s.args {
			if w.start < 0 || w.end > len(text) || w.start >= w.end {
				t.Errorf("a word at %d to %d of %d", w.start, w.end, len(text))
			}
		}
		readCall(s)
	})
}
