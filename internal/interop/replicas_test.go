package interop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// TestReplicasAreOneServer has the official host walk a catalog behind nginx,
// each request answered by another of three replicas, while one is killed and
// comes back, and while they move to another version of the document one by one.
// No request fails. Each skill that both versions have is listed once, and each
// skill that is read verifies, after a skills/get where it changed meanwhile.
func TestReplicasAreOneServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be told to stop from here")
	}
	nginx := findNginx(t)
	node(t)
	doc, pageSize, sample := bookshop, 3, 3
	if dir, ok := corpus(); ok {
		doc, pageSize, sample = filepath.Join(dir, largest), 50, 4
	}
	before, after := versions(t, doc)
	f := newFleet(t, 3, before, pageSize)
	balancer := f.balance(nginx)
	old, now := digests(t, before), digests(t, after)
	guide := "skill://" + api + "/" + api + "-guide/SKILL.md"
	if len(old) != len(now) || old[guide] == now[guide] {
		t.Fatalf("the versions have %d and %d skills, and guides with %s and %s: they are to differ in one operation that is edited, one that is added and one that is removed", len(old), len(now), old[guide], now[guide])
	}
	var edited, common []string
	for uri, digest := range old {
		if other, ok := now[uri]; ok {
			common = append(common, uri)
			if other != digest && uri != guide {
				edited = append(edited, uri)
			}
		}
	}
	if len(edited) != 1 || len(common) != len(old)-1 {
		t.Fatalf("%d skills are in both versions, %q are edited", len(common), edited)
	}
	always := []string{"--always", guide, "--always", edited[0]}

	// One is killed while its answers are awaited, and comes back; later another
	// one has the new document.
	w := f.walk(balancer, sample, always, map[string]func(){
		"page/2": func() { f.kill(0) },
		"page/4": func() { f.start(0) },
		"page/6": func() { f.roll(1, after) },
	})
	if w.Pages < 7 {
		t.Errorf("the walk has %d pages: it ended before the document changed", w.Pages)
	}
	once(t, w.URIs, common)

	// The others follow.
	w = f.walk(balancer, sample, always, map[string]func(){
		"page/2": func() { f.roll(2, after) },
		"page/4": func() { f.roll(0, after) },
	})
	once(t, w.URIs, common)

	// Then there is one version, until all go back to the first one: of what was
	// listed before that, some does not verify.
	w = f.walk(balancer, sample, always, map[string]func(){"walked": func() {
		for i := range f.replicas {
			f.roll(i, before)
		}
	}})
	once(t, w.URIs, slices.Collect(maps.Keys(now)))
	if len(w.URIs) != len(now) {
		t.Errorf("%d skills are listed, want %d", len(w.URIs), len(now))
	}
	if w.Drifted == 0 {
		t.Error("every skill verified by its first entry, though some changed between listing and reading")
	}
	f.checkLog()
}

// once checks that each of want is listed exactly once, and nothing twice.
func once(t *testing.T, listed, want []string) {
	t.Helper()
	times := map[string]int{}
	for _, uri := range listed {
		if times[uri]++; times[uri] == 2 {
			t.Errorf("%s is listed twice", uri)
		}
	}
	for _, uri := range want {
		if times[uri] == 0 {
			t.Errorf("%s is not listed", uri)
		}
	}
}

// findNginx returns the program. Without it the test is skipped, or fails where
// APISKILLS_INTEROP_NGINX=required.
func findNginx(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"nginx", "/usr/sbin/nginx"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("APISKILLS_INTEROP_NGINX") == "required" {
		t.Fatal("there is no nginx")
	}
	t.Skip("there is no nginx; install the system's package of that name")
	return ""
}

// api is the name under which the replicas serve their document.
const api = "fleet"

// versions writes two versions of a document, as JSON. The second one has one
// operation edited, one added and one removed.
func versions(t *testing.T, path string) (before, after string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if filepath.Ext(path) == ".json" {
		err = json.Unmarshal(data, &doc)
	} else {
		err = yaml.Unmarshal(data, &doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string) string {
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	before = write("before.json")
	paths := doc["paths"].(map[string]any)
	var plain []string // paths of one operation, of which there is nothing to say elsewhere
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		item, _ := paths[p].(map[string]any)
		if get, ok := item["get"].(map[string]any); ok && len(item) == 1 && get["operationId"] != nil && get["summary"] != nil {
			plain = append(plain, p)
		}
	}
	if len(plain) < 2 {
		t.Fatalf("%s has too few paths with a get alone", path)
	}
	first, last := plain[0], plain[len(plain)-1]
	operation := paths[first].(map[string]any)["get"].(map[string]any)
	operation["summary"] = "Say it in other words"
	delete(paths, last)
	added := maps.Clone(operation)
	added["operationId"], added["summary"] = "addedInTheSecondVersion", "Do what was not there before"
	paths["/added-in-the-second-version"+strings.Join(parameters(first), "")] = map[string]any{"get": added}
	return before, write("after.json")
}

// parameters are the segments of a path that are parameters.
func parameters(path string) []string {
	var found []string
	for _, segment := range strings.Split(path, "/") {
		if strings.HasPrefix(segment, "{") {
			found = append(found, "/"+segment)
		}
	}
	return found
}

// digests returns what identifies the bytes of each skill of a document.
func digests(t *testing.T, doc string) map[string]string {
	t.Helper()
	var entries []struct {
		URI       string
		Resources json.RawMessage
	}
	if err := json.Unmarshal(command(t, "list", api+"="+doc, "--json"), &entries); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		all[e.URI] = string(e.Resources)
	}
	return all
}

// A fleet is some replicas.
type fleet struct {
	t        *testing.T
	pageSize int
	replicas []*replica
	access   string // nginx's log
}

type replica struct {
	addr, doc string
	cmd       *exec.Cmd
	exited    chan error
	log       *syncBuffer
}

func newFleet(t *testing.T, n int, doc string, pageSize int) *fleet {
	f := &fleet{t: t, pageSize: pageSize}
	for range n {
		f.replicas = append(f.replicas, &replica{addr: freeAddr(t), doc: doc, log: new(syncBuffer)})
	}
	t.Cleanup(func() {
		for i, r := range f.replicas {
			if r.cmd != nil {
				r.cmd.Process.Kill()
				<-r.exited
			}
			if t.Failed() {
				t.Logf("what replica %d printed:\n%s", i, tail([]byte(r.log.String())))
			}
		}
	})
	for i := range f.replicas {
		f.start(i)
	}
	return f
}

// start starts a replica and waits until it is ready.
func (f *fleet) start(i int) {
	f.t.Helper()
	r := f.replicas[i]
	r.cmd = exec.Command(binary(f.t), "serve", api+"="+r.doc, "--addr", r.addr, "--listing", "all")
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "APISKILLS_") })
	r.cmd.Env = append(env, "APISKILLS_PAGE_SIZE="+strconv.Itoa(f.pageSize), "HOME="+scratch, "XDG_CACHE_HOME="+filepath.Join(scratch, "cache"))
	r.cmd.Stdout, r.cmd.Stderr = r.log, r.log
	if err := r.cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	r.exited = make(chan error, 1)
	go func(cmd *exec.Cmd, exited chan<- error) { exited <- cmd.Wait() }(r.cmd, r.exited)
	for {
		resp, err := http.Get("http://" + r.addr + "/readyz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case err := <-r.exited:
			r.exited <- err
			f.t.Errorf("replica %d ended before it was ready: %v", i, err)
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// kill ends a replica in the middle of what it does.
func (f *fleet) kill(i int) {
	r := f.replicas[i]
	r.cmd.Process.Kill()
	<-r.exited
	r.cmd = nil
}

// roll ends a replica as a deployment does, and starts it with another document.
func (f *fleet) roll(i int, doc string) {
	r := f.replicas[i]
	r.cmd.Process.Signal(syscall.SIGTERM)
	if err := <-r.exited; err != nil {
		f.t.Errorf("told to stop, replica %d ended with: %v", i, err)
	}
	r.cmd, r.doc = nil, doc
	f.start(i)
}

// balance puts nginx in front of the replicas, with the configuration of
// examples/deploy, and returns the URL of the endpoint.
func (f *fleet) balance(nginx string) string {
	t := f.t
	t.Helper()
	const example = "../../examples/deploy/nginx.conf"
	data, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	conf, addr := string(data), freeAddr(t)
	replace := func(old, new string) {
		if strings.Count(conf, old) != 1 {
			t.Fatalf("%s does not have %q once", example, old)
		}
		conf = strings.Replace(conf, old, new, 1)
	}
	replace("listen 80;", "listen "+addr+";")
	for i, r := range f.replicas {
		replace(fmt.Sprintf("replica-%d.internal:8080", i+1), r.addr)
	}
	dir := t.TempDir()
	f.access = filepath.Join(dir, "access.log")
	var paths strings.Builder
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&paths, "%s_temp_path %s;\n", kind, filepath.Join(dir, kind))
	}
	user := ""
	if os.Getuid() == 0 {
		user = "user root;\n" // another one cannot enter the folder
	}
	main := filepath.Join(dir, "main.conf")
	text := fmt.Sprintf("daemon off;\n%spid %s;\nerror_log stderr;\nevents {}\nhttp {\n%slog_format upstreams '$status $upstream_addr|$upstream_status';\naccess_log %s upstreams;\n%s}\n",
		user, filepath.Join(dir, "pid"), paths.String(), f.access, conf)
	if err := os.WriteFile(main, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var log syncBuffer
	cmd := exec.Command(nginx, "-p", dir, "-e", "stderr", "-c", main)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM) // a kill would leave its workers
		<-exited
		if t.Failed() {
			t.Logf("what nginx printed:\n%s", tail([]byte(log.String())))
		}
	})
	for {
		resp, err := http.Get("http://" + addr + "/")
		if err == nil {
			resp.Body.Close()
			return "http://" + addr + "/mcp"
		}
		select {
		case err := <-exited:
			exited <- err
			t.Fatalf("nginx ended: %v\n%s", err, log.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// A walk is what replicas.mjs prints.
type walk struct {
	URIs                 []string
	Read, Drifted, Pages int
}

// walk has the host walk, and does what belongs to the points that it reaches.
func (f *fleet) walk(url string, sample int, args []string, at map[string]func()) walk {
	f.t.Helper()
	var mu sync.Mutex
	control := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		point := strings.TrimPrefix(r.URL.Path, "/")
		if act := at[point]; act != nil {
			delete(at, point)
			act()
		}
		io.WriteString(w, "ok")
	}))
	defer control.Close()
	at = maps.Clone(at)
	out := run(f.t, append([]string{"replicas.mjs", "--url", url, "--control", control.URL, "--sample", strconv.Itoa(sample)}, args...)...)
	var w walk
	if err := json.Unmarshal(out, &w); err != nil {
		f.t.Fatalf("%v: %s", err, tail(out))
	}
	for point := range at {
		f.t.Errorf("the walk never reached %s", point)
	}
	f.t.Logf("%d skills on %d pages, %d read whole, %d entries got anew", len(w.URIs), w.Pages, w.Read, w.Drifted)
	return w
}

// checkLog checks in nginx's log that no request failed, that each replica was
// asked as often as the others, and that some requests were asked twice.
func (f *fleet) checkLog() {
	f.t.Helper()
	data, err := os.ReadFile(f.access)
	if err != nil {
		f.t.Fatal(err)
	}
	requests, again, asked := 0, 0, map[string]int{}
	for line := range bytes.Lines(data) {
		status, rest, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		upstreams, _, _ := strings.Cut(rest, "|")
		if upstreams == "-" {
			continue // not to the endpoint
		}
		requests++
		if status[0] == '5' {
			f.t.Errorf("a request failed: %s", line)
		}
		addrs := strings.Split(upstreams, ", ")
		if len(addrs) > 1 {
			again++
		}
		asked[addrs[len(addrs)-1]]++
	}
	f.t.Logf("%d requests, %d of them to a second replica: %v", requests, again, asked)
	if again == 0 {
		f.t.Error("no request went to a second replica, though one was killed")
	}
	if len(asked) != len(f.replicas) {
		f.t.Errorf("%v answered, want all of %d replicas", asked, len(f.replicas))
	}
}
