package interop

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
)

// TestDriversFindFaults puts a proxy before the server that breaks one thing
// at a time: the drivers must fail then, and say what they found. Otherwise
// their passing would mean little.
func TestDriversFindFaults(t *testing.T) {
	node(t)
	target := serve(t, bookshop, "all")
	expect := count(t, bookshop) + 1
	client := driver{"client", "modern"}
	for _, tt := range []struct {
		name   string
		driver driver
		method string // the results that are altered: of this method or, with "/" at the end, these methods
		alter  func(result object)
		want   string // in what the driver prints
	}{
		{"wrong digest", client, "skills/get", func(r object) {
			skills(r)[0].list("resources")[0].(object)["digest"] = "sha256:" + strings.Repeat("0", 64)
		}, "differs from the listing"},
		{"wrong size", client, "skills/", func(r object) {
			for _, s := range skills(r) {
				s.list("resources")[0].(object)["size"] = 1
			}
		}, "lists 1"},
		{"file dropped from every manifest", client, "skills/", dropFile, "not in its manifest"},
		{"file dropped, second library", driver{"second", "modern"}, "skills/", dropFile, "differ from its manifest"},
		{"changed bytes", client, "resources/read", func(r object) {
			text := content(r)["text"].(string)
			content(r)["text"] = text[:len(text)-1] + "\r"
		}, "digest"},
		{"changed contents uri", client, "resources/read", func(r object) {
			content(r)["uri"] = content(r)["uri"].(string) + "x"
		}, "contents are of"},
		{"further frontmatter key", client, "skills/", func(r object) {
			for _, s := range skills(r) {
				s["frontmatter"].(object)["further"] = "x"
			}
		}, "further"},
		{"skill left out of the listing", client, "skills/list", func(r object) {
			r["skills"] = r.list("skills")[1:]
		}, "skills, want"},
		{"skill listed twice", client, "skills/list", func(r object) {
			all := r.list("skills")
			all[len(all)-1] = all[0]
		}, "more than once"},
		{"cursor that loops", driver{"legacy", "legacy"}, "skills/list", func(r object) {
			r["nextCursor"] = "" // the first page again
		}, "came twice"},
		{"no resultType", client, "skills/get", func(r object) { delete(r, "resultType") }, "resultType is undefined"},
		{"no ttlMs", client, "resources/directory/read", func(r object) { delete(r, "ttlMs") }, "ttlMs is undefined"},
		{"ttlMs on legacy", driver{"legacy", "legacy"}, "skills/get", func(r object) { r["ttlMs"] = 1 }, "has ttlMs"},
		{"file missing from a directory", client, "resources/directory/read", func(r object) {
			r["resources"] = r.list("resources")[1:]
		}, "directories"},
		{"name of a SKILL.md resource", client, "resources/list", func(r object) {
			r.list("resources")[0].(object)["name"] = "SKILL.md"
		}, "with the name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var altered atomic.Int64
			proxy := httptest.NewServer(&faultyProxy{target, tt.method, tt.alter, &altered})
			defer proxy.Close()
			args := tt.driver.args(5, expect, "--url", proxy.URL)
			out, err := exec.CommandContext(t.Context(), node(t), args...).CombinedOutput()
			switch {
			case altered.Load() == 0:
				t.Errorf("no result was altered:\n%s", tail(out))
			case err == nil:
				t.Errorf("the driver found nothing:\n%s", tail(out))
			case !bytes.Contains(out, []byte(tt.want)):
				t.Errorf("the driver does not say %q:\n%s", tt.want, tail(out))
			}
		})
	}
}

type object map[string]any

// UnmarshalJSON makes the objects inside an object of the same type.
func (o *object) UnmarshalJSON(data []byte) error {
	var m map[string]any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&m); err != nil {
		return err
	}
	*o = objects(m).(object)
	return nil
}

func objects(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = objects(value)
		}
		return object(v)
	case []any:
		for i, value := range v {
			v[i] = objects(value)
		}
	}
	return v
}

func (o object) list(member string) []any { return o[member].([]any) }

// skills returns the entries of a skills/list or skills/get result.
func skills(result object) []object {
	if one, ok := result["skill"].(object); ok {
		return []object{one}
	}
	var all []object
	for _, s := range result.list("skills") {
		all = append(all, s.(object))
	}
	return all
}

// content returns the first of a resources/read result's contents.
func content(result object) object { return result.list("contents")[0].(object) }

// dropFile takes a file other than SKILL.md out of each manifest that has one.
func dropFile(result object) {
	for _, s := range skills(result) {
		for i, r := range s.list("resources") {
			if r.(object)["uri"] != s["uri"] {
				s["resources"] = append(s.list("resources")[:i:i], s.list("resources")[i+1:]...)
				break
			}
		}
	}
}

// A faultyProxy passes requests on to the target and alters some results.
type faultyProxy struct {
	target  string
	method  string
	alter   func(result object)
	altered *atomic.Int64
}

func (p *faultyProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	request, err := http.NewRequestWithContext(r.Context(), r.Method, p.target, bytes.NewReader(body))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	request.Header = r.Header.Clone()
	request.Header.Del("Accept-Encoding")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer response.Body.Close()
	maps.Copy(w.Header(), response.Header)

	var call struct{ Method string }
	json.Unmarshal(body, &call) // a request without a body calls nothing
	wanted := call.Method == p.method || strings.HasSuffix(p.method, "/") && strings.HasPrefix(call.Method, p.method)
	if !wanted || !strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		w.WriteHeader(response.StatusCode)
		io.Copy(flushWriter{w}, response.Body)
		return
	}
	var message struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  object          `json:"result,omitempty"`
		Error   json.RawMessage `json:"error,omitempty"`
	}
	if err := json.NewDecoder(response.Body).Decode(&message); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if message.Result != nil {
		p.alter(message.Result)
		p.altered.Add(1)
	}
	w.Header().Del("Content-Length")
	w.WriteHeader(response.StatusCode)
	json.NewEncoder(w).Encode(message)
}

// A flushWriter sends each piece of an event stream as it comes.
type flushWriter struct{ w http.ResponseWriter }

func (f flushWriter) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	http.NewResponseController(f.w).Flush()
	return n, err
}
