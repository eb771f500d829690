package sqlschema

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/cmd/apiskills/command"
)

// run runs the command as cmd/sqlskills does, in a folder with shop.db.
func run(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	program := command.Program{Name: "sqlskills", Kinds: []command.Kind{Kind(), command.OpenAPI()}}
	var out, errs bytes.Buffer
	status = program.Run(t.Context(), args, strings.NewReader(""), &out, &errs)
	return status, out.String(), errs.String()
}

func shopFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	change(t, "shop.db", shop)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestEachCommandKnowsTheKind looks at what they print.
func TestEachCommandKnowsTheKind(t *testing.T) {
	shopFolder(t)
	write(t, "apiskills.yaml", "documents:\n- kind: sqlschema\n  path: shop.db\n  name: till\n  options:\n    tables: [ord*]\n    rowCounts: true\n")
	for _, c := range []struct {
		args string
		want string
	}{
		{"list shop.db", "skill://shop/orders/SKILL.md\tQuery the table"},
		{"list sqlschema:shop.db", "skill://shop/paid/SKILL.md\tQuery the view"},
		{"list", "skill://till/orders-rows/SKILL.md\tCount the rows"},
		{"list --option exclude=o*", "skill://till/tables/SKILL.md\tFind the tables and views of the database till, 0 in all"},
		{"list a=shop.db", "skill://a/orders/SKILL.md"},
		{"show skill://shop/orders/SKILL.md shop.db", `"digest": "sha256:`},
		{"show skill://till/orders-rows/SKILL.md", `"resources": "dynamic"`},
		{"read skill://shop/orders/SKILL.md shop.db", "skill://shop/customers/SKILL.md"},
		{"read skill://till/orders-rows/count.md", "Rows of `orders`: 1.\n"},
		{"ls skill://shop/tables shop.db", "references/"},
		{"check shop.db", "0 errors, 0 warnings, 0 notes in 1 document, 5 skills"},
		{"check shop.db --option rowCounts=true", "0 errors, 0 warnings, 0 notes in 1 document, 9 skills"},
		{"help sqlschema", "maxRows: the number of rows up to which these count (default 1000000)"},
	} {
		status, stdout, stderr := run(t, strings.Fields(c.args)...)
		if status != 0 || !strings.Contains(stdout, c.want) {
			t.Errorf("%s: status %d, %q is not in\n%s%s", c.args, status, c.want, stdout, stderr)
		}
	}
}

// TestExportWritesWhatIsServed compares a file with what is read.
func TestExportWritesWhatIsServed(t *testing.T) {
	shopFolder(t)
	if status, _, stderr := run(t, "export", "shop.db", "--out", "out"); status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	_, want, _ := run(t, "read", "skill://shop/orders/SKILL.md", "shop.db")
	got, err := os.ReadFile("out/shop/orders/SKILL.md")
	if err != nil || string(got) != want {
		t.Errorf("the file has %v\n%s\nwant\n%s", err, got, want)
	}
}

// TestWhatIsWrongIsNamed looks for the place in the messages.
func TestWhatIsWrongIsNamed(t *testing.T) {
	shopFolder(t)
	write(t, "unknown.yaml", "documents:\n- kind: sqlschema\n  path: shop.db\n  options:\n    tables: [ord*]\n    rowCount: true\n")
	write(t, "glob.yaml", "documents:\n- kind: sqlschema\n  path: shop.db\n  options:\n    exclude: [\"a[\"]\n")
	write(t, "notes.db", "no database at all, and no more than some text of less than a page\n")
	for _, c := range []struct{ args, want string }{
		{"list --config unknown.yaml", `unknown.yaml:6: documents[0].options: unknown key "rowCount"; did you mean "rowCounts"?`},
		{"list --config glob.yaml", `glob.yaml:5: documents[0].options: exclude: "a[" is no glob`},
		{"list shop.db --option maxRows=0", "maxRows: must be 1 or more"},
		{"list shop.db --option maxRows=many", `"maxRows=many"`},
		{"list gone.db", "gone.db"},
		{"list notes.db", "notes.db: read the schema: sqlite3: file is not a database"},
		{"list x=-", "from standard input"},
	} {
		status, stdout, stderr := run(t, strings.Fields(c.args)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, %q is not in %s%s", c.args, status, c.want, stdout, stderr)
		}
	}
}

// TestServeAnswersOverHTTP starts the server, reads a count, and reads it again after
// somebody wrote to the database.
func TestServeAnswersOverHTTP(t *testing.T) {
	shopFolder(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	program := command.Program{Name: "sqlskills", Kinds: []command.Kind{Kind()}}
	r, w := io.Pipe()
	status := make(chan int, 1)
	go func() {
		defer w.Close()
		status <- program.Run(ctx, []string{"serve", "shop.db", "--addr", "127.0.0.1:0", "--option", "rowCounts=true"}, strings.NewReader(""), io.Discard, w)
	}()
	url := listening(t, r)
	read := func() string {
		body := `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"skill://shop/orders-rows/count.md","_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "resources/read", "Mcp-Name": "skill://shop/orders-rows/count.md",
		} {
			req.Header.Set(k, v)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var answer struct {
			Result struct{ Contents []struct{ Text string } }
		}
		text, err := io.ReadAll(res.Body)
		if err != nil || json.Unmarshal(text, &answer) != nil || len(answer.Result.Contents) != 1 {
			t.Fatalf("status %d: %s %v", res.StatusCode, text, err)
		}
		return answer.Result.Contents[0].Text
	}
	if got, want := read(), "Rows of `orders`: 1.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	change(t, "shop.db", `INSERT INTO orders ("customer id", day, cents) VALUES (2, '2026-01-02', 100)`)
	if got, want := read(), "Rows of `orders`: 2.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	stop()
	if got := <-status; got != 0 {
		t.Errorf("the exit status is %d", got)
	}
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+/\S*`)

// listening returns the URL that a server says it is at, and reads on so that it can
// go on writing.
func listening(t *testing.T, r io.Reader) string {
	t.Helper()
	var said []byte
	for buf := make([]byte, 4096); ; {
		n, err := r.Read(buf)
		said = append(said, buf[:n]...)
		if m := address.Find(said); m != nil {
			go io.Copy(io.Discard, r)
			return string(m)
		}
		if err != nil {
			t.Fatalf("the server said %s", said)
		}
	}
}
