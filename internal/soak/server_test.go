package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The limits of the server under test.
const (
	maxConnections = 200
	maxRequests    = 48
	pageSize       = 5
)

// A process is a running apiskills serve.
type process struct {
	t            *testing.T
	binary, addr string
	dir          string   // of its configuration and document
	within       []string // command that starts the program, or none
	cmd          *exec.Cmd
	exited       chan error
	log          log
}

func newProcess(t *testing.T, document []byte, within ...string) *process {
	t.Helper()
	dir := t.TempDir()
	p := &process{t: t, dir: dir, within: within, binary: filepath.Join(dir, "apiskills")}
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-X github.com/apiskills/apiskills/cmd/apiskills/command.cacheVersion=soak", "-o", p.binary, "./cmd/apiskills") // with a version, for it to use the cache on disk
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the command: %v\n%s", err, out)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.addr = l.Addr().String()
	l.Close()
	settings := fmt.Sprintf("documents: [{name: soak, path: openapi.json}]\naddr: %s\nwatch: true\nlisting: all\npageSize: %d\nmaxPages: 5\nmaxBody: 64KiB\nhttp: {maxConnections: %d, maxRequests: %d}\n",
		p.addr, pageSize, maxConnections, maxRequests)
	for name, data := range map[string][]byte{"apiskills.yaml": []byte(settings), "openapi.json": document} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if p.cmd != nil {
			p.cmd.Process.Kill()
			<-p.exited
		}
		if t.Failed() {
			t.Logf("the server printed, at the end:\n%s", p.log.String())
		}
	})
	p.start()
	return p
}

func (p *process) document() string { return filepath.Join(p.dir, "openapi.json") }

// start starts the process and waits until it is ready.
func (p *process) start() {
	p.t.Helper()
	args := append(slices.Clone(p.within), p.binary, "serve")
	p.cmd = exec.Command(args[0], args[1:]...)
	p.cmd.Dir = p.dir
	p.cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "APISKILLS_") }),
		"HOME="+p.dir, "XDG_CACHE_HOME="+filepath.Join(p.dir, "cache"))
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.exited = make(chan error, 1)
	go func(cmd *exec.Cmd, exited chan<- error) { exited <- cmd.Wait() }(p.cmd, p.exited)
	p.until("the server is ready", func() bool { return p.ready() == "ready: soak" })
}

// terminate tells the process to end, and waits until it has.
func (p *process) terminate() {
	p.t.Helper()
	p.cmd.Process.Signal(syscall.SIGTERM)
	if err := <-p.exited; err != nil {
		p.t.Errorf("told to end, the server ended with: %v", err)
	}
	p.cmd = nil
}

// until asks again and again, a minute or longer. It gives up when the process has
// ended.
func (p *process) until(what string, reached func() bool) {
	p.t.Helper()
	for tries := 0; !reached(); tries++ {
		select {
		case err := <-p.exited:
			p.exited <- err
			p.t.Fatalf("the server ended before %s: %v", what, err)
		case <-p.t.Context().Done():
			p.t.Fatal(what, p.t.Context().Err())
		case <-time.After(20 * time.Millisecond):
		}
		if tries == 3000 {
			p.t.Fatalf("never seen: %s", what)
		}
	}
}

// quiet is the client of the test itself: it keeps no connection.
var quiet = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

func (p *process) get(path string) string {
	resp, err := quiet.Get("http://" + p.addr + path)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return ""
	}
	return string(body)
}

func (p *process) ready() string { return strings.TrimSpace(p.get("/readyz")) }

// metric returns a figure of /metrics.
func (p *process) metric(name string) int {
	p.t.Helper()
	for line := range strings.Lines(p.get("/metrics")) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			f, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				p.t.Fatal(err)
			}
			return int(f)
		}
	}
	p.t.Fatalf("/metrics has no %s", name)
	return 0
}

// descriptors counts the open files of the process, also while it answers nobody.
func (p *process) descriptors() int {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	return len(entries)
}

// A sample is what a process at rest has. The heap is without what the caches of
// the catalog hold, which have limits of their own.
type sample struct{ goroutines, descriptors, heap, resident int }

func (s sample) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d KiB of heap, %d KiB resident", s.goroutines, s.descriptors, s.heap>>10, s.resident>>10)
}

// sample measures the process at rest. The heap is what the last of several
// collections found to be alive: the server is kept busy until they are done.
func (p *process) sample() sample {
	p.t.Helper()
	const collections = "go_gc_duration_seconds_count"
	for want := p.metric(collections) + 3; p.metric(collections) < want; {
		for range 20 {
			p.call(p.t.Context(), http.DefaultClient, "skills/list", nil)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	heap := p.metric("go_memstats_next_gc_bytes") / 2
	for _, cache := range []string{"entries", "contents", "pages"} {
		heap -= p.metric(fmt.Sprintf("apiskills_cache_bytes{cache=%q}", cache))
	}
	return sample{p.metric("go_goroutines"), p.metric("process_open_fds"), heap, p.metric("process_resident_memory_bytes")}
}

// A message is a response, as much of it as the load looks at.
type message struct {
	Result struct {
		Skills []struct {
			URI       string
			Resources []struct{ URI, Digest string }
		}
		Skill      struct{ URI string }
		Contents   []struct{ Text string }
		NextCursor string
	}
	Error *struct {
		Code    int
		Message string
	}
}

// call sends a request. The error is that of the network, or says that the status
// is none that this server gives.
func (p *process) call(ctx context.Context, client *http.Client, method string, params map[string]any) (message, int, error) {
	var m message
	resp, err := client.Do(p.request(ctx, method, params))
	if err != nil {
		return m, 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return m, resp.StatusCode, err
	}
	if json.Unmarshal(body, &m) != nil {
		return m, resp.StatusCode, fmt.Errorf("%w: %s: %.200s", errBad, resp.Status, body)
	}
	return m, resp.StatusCode, nil
}

var errBad = errors.New("a response that is none")

func (p *process) request(ctx context.Context, method string, params map[string]any) *http.Request {
	all := map[string]any{"_meta": map[string]any{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "soak", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}}
	for k, v := range params {
		all[k] = v
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": all})
	if err != nil {
		panic(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.addr+"/mcp", bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	r.Header.Set("Mcp-Method", method)
	if uri, ok := params["uri"].(string); ok {
		r.Header.Set("Mcp-Name", uri)
	}
	return r
}

// A log keeps the end of what is written to it.
type log struct {
	mu  sync.Mutex
	end []byte
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end = append(l.end, p...)
	l.end = l.end[max(0, len(l.end)-8000):]
	return len(p), nil
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.end)
}
