package endpoint

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/legacy"
)

// Every command, run as it stands by a real shell and a real curl, sends a
// request that the document accepts. Only the host is swapped, and the
// variables that the command names are set.
func TestCommandsSendWhatTheDocumentAccepts(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl")
	}
	data, err := os.ReadFile("testdata/orchard.yaml")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		t.Fatal(err)
	}

	var mu sync.Mutex
	var seen []*http.Request
	var bodies [][]byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		seen, bodies = append(seen, r.Clone(context.Background())), append(bodies, body)
	}))
	defer server.Close()
	// received returns the requests since the last call.
	received := func() ([]*http.Request, [][]byte) {
		mu.Lock()
		defer mu.Unlock()
		requests, contents := seen, bodies
		seen, bodies = nil, nil
		return requests, contents
	}

	// The document's own servers name hosts; here there is one.
	whole.Servers = openapi3.Servers{{URL: server.URL + "/v2"}}
	whole.Paths.Value("/photos").Servers = nil
	// The router wants a parameter described that the document forgets.
	whole.Paths.Value("/old/{tree}/fruit").Parameters = openapi3.Parameters{{Value: openapi3.NewPathParameter("tree").WithSchema(openapi3.NewStringSchema())}}
	router, err := legacy.NewRouter(whole)
	if err != nil {
		t.Fatal(err)
	}
	host := regexp.MustCompile(`https://(north\.orchard\.example/v2|photos\.orchard\.example)`)

	variables := map[string]string{
		"ORCHARD_TOKEN": "secret-token", "ORCHARD_GATE": "secret-gate", "ORCHARD_KEY": "secret-key", "ORCHARD_COOKIE": "secret-cookie",
		"ORCHARD_LOGIN_USER": "ida", "ORCHARD_LOGIN_PASSWORD": "pass:word", "ORCHARD_TREE": "t-12",
	}
	credentials := map[string]func(*http.Request) bool{
		"token": func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer secret-token" },
		"gate":  func(r *http.Request) bool { return r.Header.Get("X-Gate") == "secret-gate" },
		"key":   func(r *http.Request) bool { return r.URL.Query().Get("key") == "secret-key" },
		"login": func(r *http.Request) bool { u, p, _ := r.BasicAuth(); return u == "ida" && p == "pass:word" },
		"cookie": func(r *http.Request) bool {
			c, err := r.Cookie("sid")
			return err == nil && c.Value == "secret-cookie"
		},
		"oauth": func(*http.Request) bool { return false },
		"sso":   func(*http.Request) bool { return false },
	}

	run := func(t *testing.T, dir, script string, set map[string]string) (string, error) {
		cmd := exec.Command(bash, "-c", script)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
		for k, v := range set {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}

	for _, op := range orchard(t) {
		if op.Webhook != "" {
			continue
		}
		files, _ := render(t, op)
		var scripts []string
		for _, content := range files {
			scripts = append(scripts, fenced(content, "bash")...)
		}
		if len(scripts) == 0 {
			t.Errorf("%s has no command", op.Name)
		}
		for _, script := range scripts {
			t.Run(op.Name, func(t *testing.T) {
				dir := t.TempDir()
				for _, f := range regexp.MustCompile(`@([a-z0-9-]+\.[a-z0-9]+)`).FindAllStringSubmatch(script, -1) {
					if err := os.WriteFile(filepath.Join(dir, f[1]), []byte("bytes of a file"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				script = host.ReplaceAllString(script, server.URL+"/v2")
				received()
				out, err := run(t, dir, script, variables)
				requests, contents := received()
				if err != nil || len(requests) != 1 {
					t.Fatalf("%v, %d requests\n%s\n%s", err, len(requests), out, script)
				}
				r := requests[0]
				if strings.Contains(script, " -X ") && r.Method != op.Method {
					t.Errorf("method is %s", r.Method)
				}
				r.Body = io.NopCloser(bytes.NewReader(contents[0]))
				r.URL.Scheme, r.URL.Host = "http", r.Host
				route, params, err := router.FindRoute(r)
				if err != nil {
					t.Fatalf("%s %s: %v", r.Method, r.URL, err)
				}
				if route.Operation.OperationID != op.OperationID {
					t.Fatalf("the request reaches %s", route.Operation.OperationID)
				}
				input := &openapi3filter.RequestValidationInput{
					Request: r, PathParams: params, Route: route,
					Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true},
				}
				if err := openapi3filter.ValidateRequest(t.Context(), input); err != nil {
					t.Errorf("the document refuses the request: %v\n%s\n%s", err, script, contents[0])
				}
				requirements := whole.Security
				if route.Operation.Security != nil {
					requirements = *route.Operation.Security
				}
				accepted := len(requirements) == 0
				for _, requirement := range requirements {
					all := true
					for name := range requirement {
						all = all && credentials[name](r)
					}
					accepted = accepted || all
				}
				if !accepted {
					t.Errorf("the credentials do not satisfy %v: %v", requirements, r.Header)
				}

				// A variable that is not set stops the command before it sends.
				for name := range variables {
					if !strings.Contains(script, "${"+name+":?}") {
						continue
					}
					less := map[string]string{}
					for k, v := range variables {
						if k != name {
							less[k] = v
						}
					}
					out, err := run(t, dir, script, less)
					if requests, _ := received(); err == nil || len(requests) != 0 {
						t.Errorf("without $%s the command sends %d requests: %v\n%s", name, len(requests), err, out)
					}
				}
			})
		}
	}
}
