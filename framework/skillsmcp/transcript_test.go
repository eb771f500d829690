package skillsmcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the responses of the transcripts anew")

// TestTranscripts replays the exchanges of testdata, one file for each era and
// transport: a file "request" is sent, and what comes back is compared with the
// file "response" after it. JSON is indented in both.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			exchange := overHTTP(t)
			if strings.HasPrefix(filepath.Base(file), "stdio") {
				exchange = overStdio(t)
			}
			var replayed []txtar.File
			for i, f := range archive.Files {
				name, isRequest := strings.CutSuffix(f.Name, " request")
				if !isRequest {
					continue
				}
				got := exchange(string(f.Data))
				replayed = append(replayed, f, txtar.File{Name: name + " response", Data: []byte(got)})
				if *update {
					continue
				}
				if i+1 == len(archive.Files) || archive.Files[i+1].Name != name+" response" {
					t.Fatalf("%s: no response is written down; run with -update", name)
				}
				if want := string(archive.Files[i+1].Data); got != want {
					t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
				}
			}
			if *update {
				archive.Files = replayed
				if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// overHTTP sends requests of the form
//
//	Header: value
//
//	body
//
// $SESSION stands for the session id that the server gave.
func overHTTP(t *testing.T) func(request string) string {
	h := newServer(t, nil).Handler()
	session := "$SESSION"
	return func(request string) string {
		head, body, ok := strings.Cut(strings.ReplaceAll(request, "$SESSION", session), "\n\n")
		if !ok {
			t.Fatalf("request without a body: %s", request)
		}
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		for line := range strings.Lines(head) {
			if name, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if id := w.Header().Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%d\n", w.Code)
		for _, name := range []string{"Content-Type", "Mcp-Session-Id"} {
			if value := w.Header().Get(name); value != "" {
				fmt.Fprintf(&b, "%s: %s\n", name, strings.ReplaceAll(value, session, "$SESSION"))
			}
		}
		fmt.Fprintf(&b, "\n%s", indented(w.Body.Bytes()))
		return b.String()
	}
}

// overStdio sends a message and returns the answer, which there is unless the
// message is a notification.
func overStdio(t *testing.T) func(request string) string {
	c := startStdio(t, newServer(t, nil))
	return func(request string) string {
		var line bytes.Buffer
		if err := json.Compact(&line, []byte(request)); err != nil {
			line.WriteString(strings.TrimSpace(request)) // sent as it is
		}
		c.send("%s", line.String())
		var m map[string]json.RawMessage
		if json.Unmarshal(line.Bytes(), &m) == nil && m["id"] == nil {
			return ""
		}
		return indented([]byte(c.line()))
	}
}

func indented(data []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, bytes.TrimSpace(data), "", "  ") != nil {
		b.Reset()
		s := bufio.NewScanner(bytes.NewReader(data))
		for s.Scan() {
			b.WriteString(s.Text() + "\n")
		}
		return b.String()
	}
	return b.String() + "\n"
}

// TestTranscriptsCoverEachMethod keeps a transcript from losing what it is for.
func TestTranscriptsCoverEachMethod(t *testing.T) {
	for _, file := range []string{"http-modern", "http-legacy", "stdio-modern", "stdio-legacy"} {
		data, err := os.ReadFile(filepath.Join("testdata", file+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range []string{methodSkillsList, methodSkillsGet, methodDirectoryRead, methodResourcesRead, methodResourcesList, methodTemplatesList, methodComplete} {
			if !strings.Contains(string(data), fmt.Sprintf(`"method":%q`, method)) {
				t.Errorf("%s has no %s", file, method)
			}
		}
	}
}
