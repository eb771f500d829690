package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A bench is what the rows measure with.
type bench struct {
	dir  string // scratch
	log  io.Writer
	load float64 // factor of the number of requests

	binary                                  string // the apiskills command
	kinload, coldget, bareserver, mcpserver string
	nginx                                   string // the command, which may be missing

	document  string // large, or ""
	skills    []string
	synthetic string // a document of syntheticSize operations

	cleanup []func()
}

// errSkip is wrapped by the error for rows that cannot be measured here.
var errSkip = errors.New("not measured")

// prepare builds the commands, outside every measurement.
func prepare(ctx context.Context, doc, nginx string, load float64, log io.Writer) (*bench, error) {
	dir, err := os.MkdirTemp("", "apiskills-bench-*")
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir, log: log, load: load, nginx: nginx, document: doc}
	b.cleanup = append(b.cleanup, func() { os.RemoveAll(dir) })
	var packages []string
	for _, c := range []struct {
		binary *string
		pkg    string
	}{
		{&b.binary, "cmd/apiskills"}, {&b.kinload, "internal/bench/kinload"}, {&b.bareserver, "internal/bench/bareserver"},
		{&b.mcpserver, "internal/bench/mcpserver"}, {&b.coldget, "generators/openapi/internal/coldget"},
	} {
		*c.binary = filepath.Join(dir, filepath.Base(c.pkg))
		packages = append(packages, "github.com/apiskills/apiskills/"+c.pkg)
	}
	build := exec.CommandContext(ctx, "go", append([]string{
		"build", "-o", dir + string(filepath.Separator),
		"-ldflags", "-w -X github.com/apiskills/apiskills/cmd/apiskills/command.cacheVersion=" + filepath.Base(dir), // uncommitted code has a cache too
	}, packages...)...)
	if out, err := build.CombinedOutput(); err != nil {
		b.close()
		return nil, fmt.Errorf("building the commands: %w\n%s", err, out)
	}
	b.synthetic = filepath.Join(dir, "synthetic.json")
	if err := os.WriteFile(b.synthetic, synthetic(syntheticSize), 0o600); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) close() {
	for i := len(b.cleanup) - 1; i >= 0; i-- {
		b.cleanup[i]()
	}
}

// keep has a server run until the end.
func (b *bench) keep(s *server, err error) (*server, error) {
	if err == nil {
		b.cleanup = append(b.cleanup, s.stop)
	}
	return s, err
}

// times is n, more or less as the load says.
func (b *bench) times(n int) int { return max(1, int(float64(n)*b.load)) }

// output runs a command that prints JSON.
func output(ctx context.Context, to any, binary string, args ...string) error {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s %s: %w", filepath.Base(binary), strings.Join(args, " "), err)
	}
	return json.Unmarshal(out, to)
}

// listSkills returns the URIs of a document's skills, in their order.
func (b *bench) listSkills(ctx context.Context, document string) ([]string, error) {
	cmd := exec.CommandContext(ctx, b.binary, "list", document)
	cmd.Env = environ()
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the skills of %s: %w", document, err)
	}
	var uris []string
	for line := range strings.Lines(string(out)) {
		uri, _, _ := strings.Cut(line, "\t")
		uris = append(uris, uri)
	}
	if len(uris) == 0 {
		return nil, fmt.Errorf("%s has no skills", document)
	}
	return uris, nil
}

// syntheticSize is the number of operations of the document that the rows about
// serving use, whatever document was given.
const syntheticSize = 1000

// synthetic is a document of n operations, each with a parameter, a body and two
// answers.
func synthetic(n int) []byte {
	type object = map[string]any
	ref := func(name string) object { return object{"$ref": "#/components/schemas/" + name} }
	content := func(schema object) object { return object{"application/json": object{"schema": schema}} }
	paths := object{}
	for i := range n {
		group := fmt.Sprintf("Shelf %02d", i/25)
		paths[fmt.Sprintf("/shelves/%02d/books-%04d/{id}", i/25, i)] = object{"put": object{
			"operationId": fmt.Sprintf("replaceBook%04d", i), "tags": []string{group},
			"summary":     fmt.Sprintf("Replace book %04d", i),
			"description": "The book as it is to be from now on. Members that are left out take their defaults.\nWhoever has the book on loan is told of the change.",
			"parameters": []object{{
				"name": "id", "in": "path", "required": true, "description": "The number on the book's spine",
				"schema": object{"type": "string", "pattern": "^[0-9]{6}$"},
			}},
			"requestBody": object{"required": true, "content": content(ref("Book"))},
			"responses": object{
				"200": object{"description": "The book as it is now", "content": content(ref("Book"))},
				"404": object{"description": "There is no such book", "content": content(ref("Problem"))},
			},
		}}
	}
	text := func(about string) object { return object{"type": "string", "description": about} }
	doc, err := json.Marshal(object{
		"openapi": "3.1.0", "info": object{"title": "Synthetic", "version": "1.0.0"},
		"servers": []object{{"url": "https://books.example/v1"}},
		"paths":   paths,
		"components": object{"schemas": object{
			"Book": object{"type": "object", "required": []string{"title", "authors"}, "properties": object{
				"title": text("As on the title page"), "subtitle": text("Where there is one"), "language": text("A tag such as en-GB"),
				"authors": object{"type": "array", "minItems": 1, "items": ref("Author")},
				"pages":   object{"type": "integer", "minimum": 1},
				"binding": object{"type": "string", "enum": []string{"hardback", "paperback", "e-book"}},
			}},
			"Author":  object{"type": "object", "required": []string{"name"}, "properties": object{"name": text("As on the cover"), "born": object{"type": "string", "format": "date"}}},
			"Problem": object{"type": "object", "properties": object{"title": text("What went wrong"), "detail": text("What to do about it")}},
		}},
	})
	if err != nil {
		panic(err) // maps of strings
	}
	return doc
}
