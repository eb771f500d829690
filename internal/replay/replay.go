package replay

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
)

// A Skill is what is replayed: the path of a skill of an operation, and its
// files by name, SKILL.md among them.
type Skill struct {
	Path  string
	Files map[string]string
}

// A Status is what became of an operation or of one of its commands.
type Status string

const (
	Passed    Status = "passed"
	Failed    Status = "failed"
	NoCommand Status = "no command" // as of a webhook, and of what could not be read
)

// A Class says where the reason of a failure lies.
type Class string

const (
	InCommand  Class = "command"  // the command sends what the document does not accept
	InDocument Class = "document" // no command could do better: the document contradicts itself
	InRun      Class = "run"      // the command could not be run
)

// A Result is what became of one command, or of an operation without any.
type Result struct {
	Pointer string // JSON Pointer of the operation in its document
	Skill   string // path of the skill
	File    string // of the skill
	Line    int    // of the command's first line in that file, from 1; 0 without a command
	Status  Status
	Class   Class  // of a failure
	Rule    string // short name of the kind of failure
	Reason  string // for people
}

func (r Result) String() string {
	s := fmt.Sprintf("%s:%s:%d: %s", r.Skill, r.File, r.Line, r.Status)
	if r.Reason != "" {
		s += fmt.Sprintf(" (%s, %s): %s", r.Class, r.Rule, r.Reason)
	}
	return s
}

// Options configure a replay. The zero value and nil mean the defaults.
type Options struct {
	// Server is the URL of the API that the skills were made with, if any; see
	// the option of that name of the generator.
	Server string
	// Parallel is how many commands run at a time; the number of processors by default.
	Parallel int
}

// Replay runs every command of the skills and returns what became of them, in
// the order of the skills, their files and lines. Skills that are of no
// operation, such as guides, are passed over. The error is that of the skills,
// or says that nothing can be run here; see [Available].
func (d *Document) Replay(ctx context.Context, skills iter.Seq2[Skill, error], opts *Options) ([]Result, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Parallel <= 0 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}
	var workers []*worker
	defer func() {
		for _, w := range workers {
			w.close()
		}
	}()
	for range o.Parallel {
		w, err := newWorker()
		if err != nil {
			return nil, err
		}
		workers = append(workers, w)
	}

	type numbered struct {
		n     int
		skill Skill
	}
	queue := make(chan numbered)
	var mu sync.Mutex
	found := map[int][]Result{}
	var wg sync.WaitGroup
	for _, w := range workers {
		wg.Go(func() {
			for s := range queue {
				results := d.replay(ctx, w, s.skill, &o)
				mu.Lock()
				found[s.n] = results
				mu.Unlock()
			}
		})
	}
	var failed error
	n := 0
	for s, err := range skills {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			failed = err
			break
		}
		queue <- numbered{n, s}
		n++
	}
	close(queue)
	wg.Wait()
	if failed == nil {
		failed = ctx.Err()
	}
	var all []Result
	for i := range n {
		all = append(all, found[i]...)
	}
	return all, failed
}

// replay runs the commands of one skill.
func (d *Document) replay(ctx context.Context, w *worker, s Skill, o *Options) []Result {
	front := frontmatter(s.Files["SKILL.md"])
	if front["kind"] == "guide" || front["pointer"] == "" {
		return nil
	}
	base := Result{Pointer: front["pointer"], Skill: s.Path, File: "SKILL.md"}
	var results []Result
	var op *operation
	var opErr *fault
	if front["webhook"] == "" {
		op, opErr = d.operation(base.Pointer, front["method"], front["path"])
	}
	names := make([]string, 0, len(s.Files))
	for name := range s.Files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, c := range commands(s.Files[name]) {
			r := base
			r.File, r.Line = name, c.line
			var f *fault
			switch {
			case front["webhook"] != "":
				continue // sent to a receiver of the user's own
			case opErr != nil:
				f = opErr
			default:
				f = d.run(ctx, w, op, c, s.Files, o)
			}
			r.Status = Passed
			if f != nil {
				r.Status, r.Class, r.Rule, r.Reason = Failed, f.class, f.rule, f.reason
			}
			results = append(results, r)
		}
	}
	if len(results) == 0 {
		base.Status = NoCommand
		base.Reason = "the skill shows no command"
		results = []Result{base}
	}
	return results
}

// A fault is why a command fails.
type fault struct {
	class  Class
	rule   string
	reason string
}

func (f *fault) Error() string { return f.rule + ": " + f.reason }

func wrong(rule, format string, args ...any) *fault {
	return &fault{InCommand, rule, fmt.Sprintf(format, args...)}
}
