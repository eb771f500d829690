package framework

import (
	"fmt"
	"testing"
)

func BenchmarkWarmGet(b *testing.B) {
	c := catalog(b, nil, Mount{"api", memoryOf("group/one")})
	for b.Loop() {
		if _, err := c.Get(b.Context(), "skill://api/group/one/SKILL.md"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWarmPage(b *testing.B) {
	var paths []string
	for i := range 1000 {
		paths = append(paths, fmt.Sprintf("g/s%04d", i))
	}
	c := catalog(b, &Options{Listing: ListAll, PageSize: 100}, Mount{"api", memoryOf(paths...)})
	for b.Loop() {
		if _, err := c.List(b.Context(), ""); err != nil {
			b.Fatal(err)
		}
	}
}

func TestWarmGetAllocatesLittle(t *testing.T) {
	c := catalog(t, nil, Mount{"api", memoryOf("group/one")})
	get := func() {
		if _, err := c.Get(t.Context(), "skill://api/group/one/SKILL.md"); err != nil {
			t.Fatal(err)
		}
	}
	get()
	if n := testing.AllocsPerRun(100, get); n > 2 {
		t.Errorf("a warm Get allocates %v times", n)
	}
}
