package command

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	os.Unsetenv("APISKILLS_CORPUS") // other tests' variable would be reported as one that sets nothing
	testscript.Main(m, map[string]func(){"apiskills": func() {
		cacheVersion = os.Getenv("CACHE_VERSION") // without it, a test has no version and no cache
		program.Main()
	}})
}

// program is the command as it is built.
var program = Program{Name: "apiskills", Kinds: []Kind{OpenAPI(), Templates(), Folder()}}

// TestScripts runs testdata/script: the command as a user types it.
//
// With -short those run that serve, since the others do one thing after the
// other: that is for the race detector.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		files = slices.DeleteFunc(files, func(file string) bool {
			data, err := os.ReadFile(file)
			return err != nil || !bytes.Contains(data, []byte("&server&"))
		})
	}
	testscript.Run(t, testscript.Params{
		Files: files,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status":    status,
			"exits":     exits,
			"lists":     lists,
			"freeaddr":  freeAddr,
			"listen":    listen,
			"await":     await,
			"terminate": terminate,
			"post":      post,
			"get":       get,
			"until":     until,
			"hangup":    hangup,
			"cert":      certificate,
			"webserver": webServer,
			"replace":   replace,
			"cachehas":  cacheHas,
			"damage":    damage,
			"sametree":  sameTree,
		},
	})
}

// status N COMMAND... runs a command that must exit with N and print nothing on
// standard output, as every command that fails here, but for check.
func status(ts *testscript.TestScript, neg bool, args []string) {
	exits(ts, neg, args)
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("%s: prints on standard output:\n%s", strings.Join(args[1:], " "), out)
	}
}

// exits N COMMAND... runs a command that must exit with N.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND [ARG...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("%s: exit status %d, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

// lists DIR NAME... checks that a folder has these entries and no others,
// hidden ones included.
func lists(ts *testscript.TestScript, neg bool, args []string) {
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, args[1:]) {
		ts.Fatalf("%s has %q, want %q", args[0], names, args[1:])
	}
}

// freeaddr ADDR PORT sets the variables to an address on which nobody listens,
// and to its port.
func freeAddr(ts *testscript.TestScript, neg bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[0], l.Addr().String())
	ts.Setenv(args[1], fmt.Sprint(l.Addr().(*net.TCPAddr).Port))
	ts.Check(l.Close())
}

// listen VAR sets VAR to an address on which the test listens.
func listen(ts *testscript.TestScript, neg bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv(args[0], l.Addr().String())
}

// await ADDR waits until a server has said what it serves, and answers.
func await(ts *testscript.TestScript, neg bool, args []string) {
	for {
		// Over plain HTTP also where HTTPS is served: that answers too.
		resp, err := http.Get("http://" + args[0] + "/readyz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode != http.StatusServiceUnavailable {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// terminate sends SIGTERM to what runs in the background, and hangup SIGHUP, which
// kill cannot.
func terminate(ts *testscript.TestScript, neg bool, args []string) { signalAll(ts, syscall.SIGTERM) }
func hangup(ts *testscript.TestScript, neg bool, args []string)    { signalAll(ts, syscall.SIGHUP) }

func signalAll(ts *testscript.TestScript, signal os.Signal) {
	for _, cmd := range ts.BackgroundCmds() {
		if err := cmd.Process.Signal(signal); !errors.Is(err, os.ErrProcessDone) {
			ts.Check(err)
		}
	}
}

// post URL FILE [HEADER...] posts a JSON-RPC request, with more headers as in
// "Name: value", and prints the answer. With ! the status must be an error, and
// is printed.
func post(ts *testscript.TestScript, neg bool, args []string) {
	body := ts.ReadFile(args[1])
	req, err := http.NewRequest(http.MethodPost, args[0], strings.NewReader(body))
	ts.Check(err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("MCP-Protocol-Version", "2026-07-28")
	method := strings.SplitN(body, `"method":"`, 2)[1]
	req.Header.Set("Mcp-Method", method[:strings.Index(method, `"`)])
	send(ts, neg, req, args[2:])
}

// get URL [HEADER...] is the same for a GET.
func get(ts *testscript.TestScript, neg bool, args []string) {
	req, err := http.NewRequest(http.MethodGet, args[0], nil)
	ts.Check(err)
	send(ts, neg, req, args[1:])
}

func send(ts *testscript.TestScript, neg bool, req *http.Request, headers []string) {
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	resp, err := client.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	var answer bytes.Buffer
	_, err = io.Copy(&answer, resp.Body)
	ts.Check(err)
	if ok := resp.StatusCode == http.StatusOK; ok == neg {
		ts.Fatalf("%s: %s", resp.Status, &answer)
	}
	if neg {
		fmt.Fprintln(ts.Stdout(), resp.Status, resp.Header.Get("WWW-Authenticate"))
	}
	fmt.Fprint(ts.Stdout(), answer.String())
}

// until URL FILE TEXT asks, as post or, where FILE is "-", as get, until the
// answer has TEXT.
func until(ts *testscript.TestScript, neg bool, args []string) {
	for {
		method, body := http.MethodGet, ""
		if args[1] != "-" {
			method, body = http.MethodPost, ts.ReadFile(args[1])
		}
		req, err := http.NewRequest(method, args[0], strings.NewReader(body))
		ts.Check(err)
		if body != "" {
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			req.Header.Set("MCP-Protocol-Version", "2026-07-28")
			called := strings.SplitN(body, `"method":"`, 2)[1]
			req.Header.Set("Mcp-Method", called[:strings.Index(called, `"`)])
			for _, key := range []string{`"params":{"uri":"`, `"params":{"name":"`} {
				if _, name, ok := strings.Cut(body, key); ok {
					req.Header.Set("Mcp-Name", name[:strings.Index(name, `"`)])
				}
			}
		}
		resp, err := http.DefaultClient.Do(req)
		ts.Check(err)
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		ts.Check(err)
		if strings.Contains(string(answer), args[2]) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// certificate CERT KEY writes a certificate that nobody trusts.
func certificate(ts *testscript.TestScript, neg bool, args []string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	ts.Check(err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
}

// webserver DIR VAR serves a folder over HTTP and sets VAR to its URL.
func webServer(ts *testscript.TestScript, neg bool, args []string) {
	server := httptest.NewServer(http.FileServer(http.Dir(ts.MkAbs(args[0]))))
	ts.Defer(server.Close)
	ts.Setenv(args[1], server.URL)
}

// replace FILE OLD NEW [same-time] replaces a text in a file, which keeps the time
// that it has where that is wanted.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	file := ts.MkAbs(args[0])
	info, err := os.Stat(file)
	ts.Check(err)
	text := strings.ReplaceAll(ts.ReadFile(args[0]), args[1], args[2])
	ts.Check(os.WriteFile(file, []byte(text), 0o600))
	if len(args) > 3 {
		ts.Check(os.Chtimes(file, info.ModTime(), info.ModTime()))
	}
}
