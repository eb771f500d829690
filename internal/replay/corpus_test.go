package replay_test

import (
	"context"
	"errors"
	"flag"
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
			if n++; err == nil && n > 30 && n%step != 0 {
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

// Excused are the failures that lie in a document: by its name the rules of the
// reasons, which the replay computes from the document alone, and what they mean
// there. None of them is of a command.
var excused = map[string]map[string]string{
	"aws-ec2.yaml": {"no-serialization": "lists of objects in a query of the style form"},
	"pagerduty.json": {
		"example-contradicts-schema": "examples send members that are read-only, or of another type",
		"example-sends-read-only":    "examples send objects of nothing but read-only members",
	},
}

// A count is what became of the operations of documents.
type count struct{ passed, excused, failed, none int }

func (c count) share() float64 {
	return 100 * float64(c.passed) / float64(max(c.passed+c.excused+c.failed, 1))
}

var everyCommand = flag.Bool("every-command", false, "replay the commands of all operations of large documents, not of some")

// TestCorpusCommandsSendWhatTheDocumentAccepts replays the commands of real
// documents: at least 99 of 100 operations pass, and the reason of each other
// one lies in its document.
func TestCorpusCommandsSendWhatTheDocumentAccepts(t *testing.T) {
	available(t)
	dir, names := documents(t)
	var total count
	for _, name := range names {
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			path := filepath.Join(dir, name)
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				t.Skip(err)
			}
			step := 10
			switch {
			case *everyCommand:
				step = 1
			case testing.Short():
				step = 25
			}
			g, d := load(t, path)
			results, err := d.Replay(t.Context(), skills(t.Context(), g, step), nil)
			if err != nil {
				t.Fatal(err)
			}
			c := tally(t, results, excused[filepath.ToSlash(name)], step == 1)
			t.Logf("%d passed, %d excused, %d failed, %d without a command: %.2f %% pass", c.passed, c.excused, c.failed, c.none, c.share())
			total.passed += c.passed
			total.excused += c.excused
			total.failed += c.failed
			total.none += c.none
		})
	}
	t.Logf("together %d operations: %d passed, %d excused, %d failed; %d without a command: %.2f %% pass",
		total.passed+total.excused+total.failed, total.passed, total.excused, total.failed, total.none, total.share())
	if total.passed+total.excused+total.failed > 1000 && total.share() < 99 {
		t.Errorf("%.2f %% of the operations pass, want 99", total.share())
	}
}

// tally counts operations, and reports what is not excused, and excuses that
// nothing needs.
func tally(t *testing.T, results []replay.Result, excuses map[string]string, whole bool) count {
	t.Helper()
	const passed, none, excused, failed = 1, 2, 3, 4
	worst := map[string]int{}
	used := map[string]bool{}
	for _, r := range results {
		rank := passed
		switch {
		case r.Status == replay.NoCommand:
			rank = none
		case r.Status == replay.Failed && r.Class == replay.InDocument && excuses[r.Rule] != "":
			rank = excused
			used[r.Rule] = true
			t.Log(r)
		case r.Status == replay.Failed:
			rank = failed
			t.Error(r)
		}
		worst[r.Pointer] = max(worst[r.Pointer], rank)
	}
	for rule := range excuses {
		if whole && !used[rule] {
			t.Errorf("the rule %s excuses nothing", rule)
		}
	}
	var c count
	for _, rank := range worst {
		switch rank {
		case passed:
			c.passed++
		case none:
			c.none++
		case excused:
			c.excused++
		case failed:
			c.failed++
		}
	}
	return c
}
