package replay_test

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/generators/openapi"
	"github.com/apiskills/apiskills/internal/replay"
)

// documents returns the documents of the corpus, by their paths in it.
func documents(t *testing.T) (dir string, names []string) {
	t.Helper()
	dir = os.Getenv("APISKILLS_CORPUS")
	if dir == "" {
		t.Skip("APISKILLS_CORPUS names no directory of documents")
	}
	data, err := os.ReadFile(filepath.Join(dir, "MANIFEST.tsv"))
	if err != nil {
		t.Skipf("no corpus: %v", err)
	}
	for i, line := range strings.Split(string(data), "\n") {
		if name, _, ok := strings.Cut(line, "\t"); ok && i > 0 {
			names = append(names, filepath.FromSlash(name))
		}
	}
	return dir, names
}

// refRoot is the folder that a document's references stay in.
func refRoot(path string) string {
	if root, _, ok := strings.Cut(filepath.ToSlash(path), "/api/client-server/"); ok {
		return filepath.FromSlash(root)
	}
	return ""
}

// skills yields one in step of the skills of a generator.
func skills(ctx context.Context, g *openapi.Generator, step int) iter.Seq2[replay.Skill, error] {
	return func(yield func(replay.Skill, error) bool) {
		n := 0
		for path, err := range g.Paths(ctx, "") {
			if n++; err == nil && n%step != 0 {
				continue
			}
			s := replay.Skill{Path: path, Files: map[string]string{}}
			if err == nil {
				s.Files, err = contents(ctx, g, path)
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

func contents(ctx context.Context, g *openapi.Generator, path string) (map[string]string, error) {
	s, err := g.Skill(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	files := map[string]string{}
	for _, f := range s.Files {
		b, err := f.Content(ctx)
		if err != nil {
			return nil, err
		}
		files[f.Name] = string(b)
	}
	return files, nil
}

// load reads a document twice: as the generator does, and as the replay does.
func load(t *testing.T, path string) (*openapi.Generator, *replay.Document) {
	t.Helper()
	g, err := openapi.Load(t.Context(), path, &openapi.Options{RefRoot: refRoot(path)})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := replay.Load(path, data, &replay.LoadOptions{Root: refRoot(path)})
	if err != nil {
		t.Fatal(err)
	}
	return g, d
}

func available(t *testing.T) {
	t.Helper()
	if err := replay.Available(); err != nil {
		t.Skip(err)
	}
}

// A count is what became of the operations of a document.
type count struct{ passed, excused, failed, none int }

// TestCorpusCommandsSendWhatTheDocumentAccepts replays the commands of real
// documents.
func TestCorpusCommandsSendWhatTheDocumentAccepts(t *testing.T) {
	available(t)
	dir, names := documents(t)
	var total count
	for _, name := range names {
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			path := filepath.Join(dir, name)
			if _, err := os.Stat(path); err != nil {
				if os.IsNotExist(err) || err == fs.ErrNotExist {
					t.Skip(err)
				}
				t.Fatal(err)
			}
			step := 1
			if testing.Short() {
				step = 25
			}
			g, d := load(t, path)
			results, err := d.Replay(t.Context(), skills(t.Context(), g, step), nil)
			if err != nil {
				t.Fatal(err)
			}
			byOperation := map[string]replay.Status{}
			for _, r := range results {
				switch old := byOperation[r.Pointer]; {
				case old == replay.Failed:
				case old == "", r.Status == replay.Failed:
					byOperation[r.Pointer] = r.Status
				}
				if r.Status == replay.Failed {
					t.Log(r)
				}
			}
			var c count
			for _, s := range byOperation {
				switch s {
				case replay.Passed:
					c.passed++
				case replay.Failed:
					c.failed++
				default:
					c.none++
				}
			}
			t.Logf("%d operations passed, %d failed, %d have no command", c.passed, c.failed, c.none)
			total.passed += c.passed
			total.failed += c.failed
			total.none += c.none
		})
	}
	t.Logf("together %+v", total)
}
