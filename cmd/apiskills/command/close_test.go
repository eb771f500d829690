package command

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/apiskills/apiskills/framework"
)

// byValue is a generator that cannot be compared.
type byValue struct {
	skills map[string]*framework.Skill
	closed *int
}

func (g byValue) Skill(_ context.Context, path string) (*framework.Skill, error) {
	if s, ok := g.skills[path]; ok {
		return s, nil
	}
	return nil, framework.ErrNotFound
}

func (g byValue) Close() error { *g.closed++; return nil }

func TestAGeneratorThatCannotBeComparedIsClosedAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := 0
		a, g := &app{}, byValue{closed: &closed}
		a.keep(g)
		a.drop(g)
		time.Sleep(2 * closeAfter)
		synctest.Wait()
		if a.closeAll(); closed != 1 {
			t.Errorf("it was closed %d times", closed)
		}
	})
}
