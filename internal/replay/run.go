package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limits of one run.
const (
	runTimeout = 30 * time.Second // of the clock; curl ends when it is answered
	maxSent    = 8 << 20          // bytes of a body
	maxSaid    = 64 << 10         // bytes of output that are kept
)

// Available returns an error that says what is missing if no command can be
// run here: a bash or a curl.
func Available() error {
	_, _, err := programs()
	return err
}

func programs() (bash, curl string, err error) {
	if bash, err = exec.LookPath("bash"); err != nil {
		return "", "", errors.New("commands cannot be replayed: there is no bash")
	}
	if curl, err = exec.LookPath("curl"); err != nil {
		return "", "", errors.New("commands cannot be replayed: there is no curl")
	}
	if !canRun {
		return "", "", errors.New("commands cannot be replayed on this system")
	}
	return bash, curl, nil
}

// A worker runs commands one after the other. It has a server of its own, so
// that what arrives there is what its command sent.
type worker struct {
	bash   string
	dir    string // bin, home, and a work folder for each command
	runs   int
	addr   string
	server *http.Server

	mu        sync.Mutex
	seen      []*arrival
	challenge string // of a 401 that the next request without credentials gets
}

// An arrival is a request as it came.
type arrival struct {
	method string
	uri    string // path and query, as sent
	header http.Header
	body   []byte
}

func newWorker() (*worker, error) {
	bash, curl, err := programs()
	if err != nil {
		return nil, err
	}
	w := &worker{bash: bash}
	if w.dir, err = os.MkdirTemp("", "replay"); err != nil {
		return nil, err
	}
	for _, name := range []string{"bin", "home"} {
		if err := os.Mkdir(filepath.Join(w.dir, name), 0o700); err != nil {
			w.close()
			return nil, err
		}
	}
	if curl, err = filepath.Abs(curl); err == nil {
		err = os.Symlink(curl, filepath.Join(w.dir, "bin", "curl"))
	}
	if err != nil {
		w.close()
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.close()
		return nil, err
	}
	w.addr = l.Addr().String()
	w.server = &http.Server{Handler: http.HandlerFunc(w.serve), ErrorLog: log.New(io.Discard, "", 0)}
	go w.server.Serve(l)
	return w, nil
}

func (w *worker) close() {
	if w.server != nil {
		w.server.Close()
	}
	os.RemoveAll(w.dir)
}

func (w *worker) serve(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxSent+1))
	if err != nil || len(body) > maxSent {
		rw.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	w.mu.Lock()
	w.seen = append(w.seen, &arrival{r.Method, r.RequestURI, r.Header.Clone(), body})
	challenge := w.challenge
	w.mu.Unlock()
	if challenge != "" && r.Header.Get("Authorization") == "" {
		rw.Header().Set("WWW-Authenticate", challenge)
		rw.WriteHeader(http.StatusUnauthorized)
	}
}

// take returns the requests that came since the last call.
func (w *worker) take() []*arrival {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen
	w.seen = nil
	return seen
}

// execute runs a command in a folder of its own that has the files, and returns
// what arrived and what the command said.
func (w *worker) execute(ctx context.Context, script string, env map[string]string, files map[string][]byte, challenge string) ([]*arrival, string, error) {
	w.runs++
	dir := filepath.Join(w.dir, "run"+strconv.Itoa(w.runs))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return nil, "", err
		}
	}
	path := filepath.Join(w.dir, "command.sh")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	// The limits are for the shell and what it starts: seconds of the processor,
	// blocks of a file, open files.
	cmd := exec.CommandContext(ctx, w.bash, "--noprofile", "--norc", "-c", `ulimit -t 20 -f 65536 -n 64 && . "$0"`, path)
	cmd.Dir = dir
	home := filepath.Join(w.dir, "home")
	cmd.Env = []string{"PATH=" + filepath.Join(w.dir, "bin"), "HOME=" + home, "CURL_HOME=" + home, "XDG_CONFIG_HOME=" + home, "LC_ALL=C"}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	slices.Sort(cmd.Env)
	var out limited
	cmd.Stdout, cmd.Stderr = &out, &out
	own(cmd)
	cmd.WaitDelay = time.Second
	w.mu.Lock()
	w.challenge = challenge
	w.mu.Unlock()
	w.take()
	err := cmd.Run()
	return w.take(), strings.TrimSpace(out.String()), err
}

// limited keeps the beginning of what is written to it.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if room := maxSaid - l.Len(); room > 0 {
		l.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// run replays one command of an operation.
func (d *Document) run(ctx context.Context, w *worker, o *operation, c command, files map[string]string, opts *Options) (f *fault) {
	// Documents are hostile, and much of their reading is in other hands.
	defer func() {
		if r := recover(); r != nil {
			f = &fault{InRun, "panic", fmt.Sprint(r)}
		}
	}()
	s, err := readScript(c.text)
	if err != nil {
		return wrong("not-plain", "the command is not run: %v", err)
	}
	call, err := readCall(s)
	if err != nil {
		return wrong("not-plain", "the command is not run: %v", err)
	}
	for _, a := range append(slices.Clip(s.args), s.here) {
		for _, p := range a.pieces {
			if _, assigned := s.assign[p.variable]; p.variable != "" && !p.required && !assigned {
				return wrong("unguarded-variable", "the command does not stop if $%s is not set", p.variable)
			}
		}
	}
	plan, f := o.plan(c.text, s, call, w.addr, opts.Server)
	if f != nil {
		return f
	}
	data := map[string][]byte{}
	for _, name := range call.files {
		data[name] = o.file(name, files)
	}
	challenge := ""
	if call.digest {
		challenge = `Digest realm="api", qop="auth", nonce="n", algorithm=MD5`
	}
	seen, said, err := w.execute(ctx, plan.text, plan.env, data, challenge)
	if ctx.Err() != nil {
		return &fault{InRun, "cancelled", ctx.Err().Error()}
	}
	if err != nil {
		return wrong("exit", "the command ends with %v: %.300s", err, said)
	}
	want := 1
	if call.digest {
		want = 2
	}
	if len(seen) != want {
		return wrong("requests", "%d requests arrive, want %d: %.300s", len(seen), want, said)
	}
	return d.check(ctx, o, plan, call, seen[len(seen)-1])
}

// file returns content for a file that a command sends.
func (o *operation) file(name string, files map[string]string) []byte {
	if name == "body.json" {
		// The skill shows an example of it.
		for _, f := range fences(files["references/examples.md"]) {
			if f.lang == "json" && strings.HasPrefix(f.heading, "A body") {
				return []byte(f.text)
			}
		}
	}
	switch filepath.Ext(name) {
	case ".json":
		return []byte("{}")
	case ".jsonl", ".ndjson":
		return []byte("{}\n")
	case ".xml", ".svg":
		return []byte("<a/>")
	}
	return fmt.Appendf(nil, "content of %s", name)
}
