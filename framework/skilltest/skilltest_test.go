package skilltest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
)

// TestReportIsDeterministic compares the reports of one generator with many
// faults.
func TestReportIsDeterministic(t *testing.T) {
	g := some()
	for i := range 30 {
		p := fmt.Sprintf("bad/skill-%02d", i)
		g[p] = bare("no frontmatter, but [a link](nowhere.md)")
	}
	first := TestGenerator(t.Context(), g, "not-there")
	for range 3 {
		if again := TestGenerator(t.Context(), g, "not-there"); again.Error() != first.Error() {
			t.Fatalf("two reports differ:\n%v\n\n%v", first, again)
		}
	}
	ids := rulesOf(t, first.(interface{ Unwrap() []error }).Unwrap())
	if want := "expected-path frontmatter links"; strings.Join(ids, " ") != want {
		t.Errorf("the rules %q are broken, want %s", ids, want)
	}
}

// TestReportIsBounded counts the faults of a rule beyond the first.
func TestReportIsBounded(t *testing.T) {
	g := table{}
	for i := range 40 {
		g[fmt.Sprintf("bad/skill-%02d", i)] = bare("no frontmatter")
	}
	err := TestGenerator(t.Context(), g)
	faults := err.(interface{ Unwrap() []error }).Unwrap()
	if len(faults) != maxFaults+1 || !strings.Contains(faults[maxFaults].Error(), "30 more faults") {
		t.Errorf("%d faults are reported, want %d and the number of the others:\n%v", len(faults), maxFaults, err)
	}
}

// TestFaultSaysWhere formats a fault.
func TestFaultSaysWhere(t *testing.T) {
	for _, test := range []struct {
		fault Fault
		want  string
	}{
		{Fault{Rule: "name", Path: "a/b", File: "SKILL.md", Message: "wrong"}, "a/b: SKILL.md: wrong (name)"},
		{Fault{Rule: "paths-order", Message: "wrong"}, "wrong (paths-order)"},
		{Fault{Rule: "not-found", Path: "a\x00\n", Message: "wrong"}, "a%00%0A: wrong (not-found)"},
	} {
		if got := test.fault.Error(); got != test.want {
			t.Errorf("%+v is reported as %q, want %q", test.fault, got, test.want)
		}
	}
}

// TestEndOfTheContextIsNoFault cancels a test.
func TestEndOfTheContextIsNoFault(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	err := TestGenerator(ctx, g)
	var f *Fault
	if !errors.Is(err, context.Canceled) || errors.As(err, &f) {
		t.Errorf("the error is %v, want one wrapping context.Canceled and no fault", err)
	}
}

// FuzzLinks reads links in bytes that are no Markdown, and checks them.
func FuzzLinks(f *testing.F) {
	f.Add("---\nname: a\n---\n[a](b.md) ![c](../d.png \"e\") [f][g] <https://h>\n\n[g]: i\n")
	f.Add("[a](%zz)[b](//c)[d](\x00)[e](..)[f](?x)[g](#y)")
	f.Add("---\n---\n[[[[[](")
	c := newChecker(f.Context(), some())
	f.Fuzz(func(t *testing.T, source string) {
		r := newReading(target, &framework.Skill{}, nil)
		for _, destination := range links([]byte(source)) {
			c.checkLink(r, "SKILL.md", destination)
		}
	})
}

// A recorder is a testing.TB that keeps the errors.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper()           {}
func (r *recorder) Error(args ...any) { r.errors = append(r.errors, fmt.Sprint(args...)) }

// TestRunFailsOncePerFault runs all checks as the test of a generator does.
func TestRunFailsOncePerFault(t *testing.T) {
	opened := 0
	open := func(g framework.Generator) func(testing.TB) framework.Generator {
		return func(testing.TB) framework.Generator { opened++; return g }
	}
	good := &recorder{TB: t}
	Run(good, open(some()), target)
	if len(good.errors) > 0 || opened < 2 {
		t.Errorf("%d generators were opened, and the errors are %q", opened, good.errors)
	}
	bad := &recorder{TB: t}
	Run(bad, open(with(bare("no frontmatter"))), target, "not-there")
	if len(bad.errors) != 2 {
		t.Errorf("the errors are %q, want two", bad.errors)
	}
}

// TestContextEndsBeforeTheTestDoes leaves time to report what hangs.
func TestContextEndsBeforeTheTestDoes(t *testing.T) {
	deadline, ok := t.Deadline()
	if !ok {
		t.Skip("this test has no deadline")
	}
	ctx, cancel := testContext(t)
	defer cancel()
	if end, ok := ctx.Deadline(); !ok || !end.Before(deadline) {
		t.Errorf("the context ends at %v, want before %v", end, deadline)
	}
	ctx, cancel = testContext(&recorder{TB: t})
	defer cancel()
	if _, ok := ctx.Deadline(); ok {
		t.Error("without a deadline of the test the context has one")
	}
}
