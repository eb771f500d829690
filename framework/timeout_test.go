package framework

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// patient is a generator each of whose calls lasts until its context ends.
type patient struct{ err error }

func (g patient) wait(ctx context.Context) error {
	<-ctx.Done()
	if g.err != nil {
		return g.err
	}
	return ctx.Err()
}

func (g patient) Skill(ctx context.Context, path string) (*Skill, error) {
	if path != "quick" {
		return nil, g.wait(ctx)
	}
	s := simple("quick", File{Name: "slow.txt", Content: func(ctx context.Context) ([]byte, error) { return nil, g.wait(ctx) }})
	s.Version = "v1"
	return s, nil
}

func (g patient) Featured(ctx context.Context) ([]string, error)    { return nil, g.wait(ctx) }
func (g patient) Templates(ctx context.Context) ([]Template, error) { return nil, g.wait(ctx) }

// Paths ends without an error, as an author does who forgets to look.
func (g patient) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if yield("quick", nil) {
			g.wait(ctx)
		}
	}
}

func TestCallsEndAfterTheirTimeoutWithDeadlineExceeded(t *testing.T) {
	for _, own := range []error{nil, errors.New("the driver's own words")} {
		synctest.Test(t, func(t *testing.T) {
			g := WithTimeout(patient{own}, time.Second)
			within := func(what string, call func() error) {
				start := time.Now()
				err := call()
				if !errors.Is(err, context.DeadlineExceeded) || own != nil && what != "Paths" && !errors.Is(err, own) {
					t.Errorf("%s: %v", what, err)
				}
				if took := time.Since(start); took != time.Second {
					t.Errorf("%s took %v", what, took)
				}
			}
			ctx := t.Context()
			within("Skill", func() error { _, err := g.Skill(ctx, "slow"); return err })
			within("Content", func() error {
				s, err := g.Skill(ctx, "quick")
				if err != nil || s.Version != "v1" {
					t.Fatal(s, err)
				}
				i := slices.IndexFunc(s.Files, func(f File) bool { return f.Name == "slow.txt" })
				_, err = s.Files[i].Content(ctx)
				return err
			})
			within("Featured", func() error { f, _ := As[Featurer](g); _, err := f.Featured(ctx); return err })
			within("Templates", func() error { f, _ := As[Templater](g); _, err := f.Templates(ctx); return err })
			within("Paths", func() (last error) {
				for p, err := range pathsOf(ctx, g, "") {
					if err == nil && p != "quick" {
						t.Error(p)
					}
					last = err
				}
				return last
			})
		})
	}
}

func TestTimeoutDoesNotTakeItsCallersLeavingForItsOwnDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		own := errors.New("the driver's own words")
		if _, err := WithTimeout(patient{own}, time.Second).Skill(ctx, "slow"); err != own {
			t.Error(err)
		}
	})
}

func TestTimeoutLeavesUnknownPathsUnknown(t *testing.T) {
	if _, err := WithTimeout(memoryOf("a"), time.Minute).Skill(t.Context(), "b"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	g := memoryOf("a")
	if WithTimeout(g, 0) != Generator(g) {
		t.Error("no time is a limit")
	}
}
