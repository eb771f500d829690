package framework

import "testing"

func TestStatsCountWhatWasDone(t *testing.T) {
	g := memoryOf("a", "b")
	g.skills["broken"] = &Skill{}
	c := catalog(t, nil, Mount{"x", g})
	for range 3 {
		_, _ = c.Get(t.Context(), "skill://x/a/SKILL.md")
		_, _ = c.Get(t.Context(), "skill://x/broken/SKILL.md")
		_, _ = c.Get(t.Context(), "skill://x/none/SKILL.md")
		_, _ = c.Read(t.Context(), "skill://x/a/SKILL.md")
	}
	s := c.Stats()
	if s.Renders != 1 || s.Failures != 1 || s.RenderTime <= 0 || s.Abandoned != 0 {
		t.Errorf("%+v", s)
	}
	if s.Entries.Len != 1 || s.Entries.Bytes <= 0 || s.Entries.Hits < 5 || s.Entries.Misses == 0 || s.Contents.Hits != 3 {
		t.Errorf("%+v", s)
	}
}
