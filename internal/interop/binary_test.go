package interop

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

const (
	bookshop = "../../examples/bookshop/openapi.yaml"
	largest  = "github-api.json" // of a corpus: 1,223 operations
)

// scratch holds the binary and, for the suites, their home directory.
var scratch string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if scratch, err = os.MkdirTemp("", "apiskills-interop-*"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(scratch)
		return m.Run()
	}())
}

var build = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "apiskills")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", path, "./cmd/apiskills")
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
})

// binary builds the command once for all tests.
func binary(t *testing.T) string {
	t.Helper()
	sources(t)
	path, err := build()
	if err != nil {
		t.Fatalf("building the command: %v", err)
	}
	return path
}

// sources looks at every file that the command may be built from. The go
// command caches the result of a test as long as the files that the test itself
// looked at are unchanged; those that a compiler looked at do not count.
func sources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// corpus returns the directory of real documents, if there is one and the tests here are
// what is asked for: among all other tests they keep to the example.
func corpus() (dir string, ok bool) {
	dir, ok = os.LookupEnv("APISKILLS_CORPUS")
	return dir, ok && os.Getenv("APISKILLS_INTEROP") == "required"
}

// A document to serve, with the sample of its skills that is read whole.
type document struct {
	name, path string
	sample     int
}

// documents returns the example and, with a corpus, its largest document.
func documents(t *testing.T) []document {
	docs := []document{{"bookshop", bookshop, 1000}}
	if dir, ok := corpus(); ok {
		docs = append(docs, document{"github", filepath.Join(dir, largest), 200})
	}
	for _, d := range docs {
		if _, err := os.Stat(d.path); err != nil {
			t.Fatal(err)
		}
	}
	return docs
}

// stdioArgs are the arguments that serve a document over pipes.
func stdioArgs(doc, listing string) []string {
	return []string{"serve", doc, "--transport", "stdio", "--listing", listing}
}

// serve starts the command on a free port and returns its URL once it accepts
// connections. At the end of the test it is interrupted, and must exit with 0.
func serve(t *testing.T, doc, listing string) string {
	t.Helper()
	addr := freeAddr(t)
	var log syncBuffer
	cmd := exec.Command(binary(t), "serve", doc, "--transport", "http", "--addr", addr, "--listing", listing)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	t.Cleanup(func() {
		if runtime.GOOS == "windows" {
			cmd.Process.Kill() // it cannot be interrupted from here
			<-exited
		} else {
			cmd.Process.Signal(os.Interrupt)
			if err := <-exited; err != nil {
				t.Errorf("interrupted, the server ended with: %v", err)
			}
		}
		if t.Failed() {
			t.Logf("what the server printed:\n%s", log.String())
		}
	})
	for {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
		if err == nil {
			conn.Close()
			return "http://" + addr + "/mcp"
		}
		select {
		case err := <-exited:
			exited <- err
			t.Fatalf("the server ended before it listened: %v\n%s", err, log.String())
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// freeAddr returns a loopback address that nothing listened on a moment ago.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// command runs the command to its end and returns its standard output.
func command(t *testing.T, args ...string) []byte {
	t.Helper()
	return output(t.Context(), t, exec.CommandContext(t.Context(), binary(t), args...))
}

// output runs cmd, logs what it printed on failure, and returns its standard
// output.
func output(ctx context.Context, t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", filepath.Base(cmd.Args[0]), err, tail(stderr.Bytes()), tail(stdout.Bytes()))
	}
	return stdout.Bytes()
}

// tail returns the end of a long output.
func tail(out []byte) []byte {
	const most = 4000
	return out[max(0, len(out)-most):]
}

// A syncBuffer may be read while a process writes to it.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
