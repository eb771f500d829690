package tutorial

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// A block is a fenced code block: "go main.go" is the file main.go, "console" commands
// with what they print, and others are for reading.
type block struct {
	info, text string
	line       int
}

func blocks(page []byte) []block {
	var all []block
	for n := goldmark.DefaultParser().Parse(text.NewReader(page)).FirstChild(); n != nil; n = n.NextSibling() {
		fenced, ok := n.(*ast.FencedCodeBlock)
		if !ok || fenced.Info == nil || fenced.Lines().Len() == 0 {
			continue
		}
		all = append(all, block{
			info: string(fenced.Info.Segment.Value(page)),
			text: string(fenced.Lines().Value(page)),
			line: 1 + bytes.Count(page[:fenced.Lines().At(0).Start], []byte("\n")),
		})
	}
	return all
}

// matches reports whether what a command printed is what a page shows, in which "..." stands for anything
// on a line.
func matches(shown, printed string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(shown)), `\.\.\.`, `.*`)
	return regexp.MustCompile(`^` + pattern + `$`).MatchString(strings.TrimSpace(printed))
}

// TestTutorialWorksToTheLetter builds what the page builds, in an empty folder.
func TestTutorialWorksToTheLetter(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program; without -short")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "writing-a-generator.md"))
	if err != nil {
		t.Fatal(err)
	}
	os.Unsetenv("APISKILLS_CORPUS") // other tests' variable: the program would say that it sets nothing
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", module(t, root))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write("go.sum", string(sums))

	addr := freeAddr(t)
	ran := 0
	for _, b := range blocks(page) {
		lang, name, isFile := strings.Cut(b.info, " ")
		switch {
		case isFile:
			write(name, b.text)
		case lang == "console":
			for _, command := range strings.Split("\n"+b.text, "\n$ ")[1:] {
				command, shown, _ := strings.Cut(command, "\n")
				ran++
				command = strings.ReplaceAll(command, "127.0.0.1:8080", addr)
				cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "APISKILLS_ADDR="+addr, "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
				if program, background := strings.CutSuffix(command, " &"); background {
					serve(t, cmd, program, addr)
					continue
				}
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("line %d: %s: %v\n%s", b.line, command, err, out)
				}
				if !matches(shown, string(out)) {
					t.Errorf("line %d: %s prints\n%s\nand the page shows\n%s", b.line, command, out, shown)
				}
			}
		}
	}
	if ran < 7 {
		t.Errorf("the page has %d commands: are they recognized?", ran)
	}
}

// module is the go.mod that "go get" would write: the requirements of this module, and
// this checkout in the place of a release.
func module(t *testing.T, root string) string {
	t.Helper()
	ours, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("module example.com/onduty\n\n")
	for _, part := range regexp.MustCompile(`(?ms)^go .*?$|^require \(.*?^\)$`).FindAllString(string(ours), -1) {
		b.WriteString(part + "\n\n")
	}
	fmt.Fprintf(&b, "require github.com/apiskills/apiskills v0.0.0\n\nreplace github.com/apiskills/apiskills => %s\n", root)
	return b.String()
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// serve starts a server and waits until it is ready.
func serve(t *testing.T, cmd *exec.Cmd, program, addr string) {
	t.Helper()
	var out bytes.Buffer
	cmd.Args[2] = "exec " + program // so that the signal reaches it
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
	})
	for {
		if res, err := http.Get("http://" + addr + "/readyz"); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s: %v\n%s", program, err, &out)
		case <-t.Context().Done():
			t.Fatalf("%s is not ready\n%s", program, &out)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
