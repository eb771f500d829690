package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/apiskills/apiskills/internal/bench/proc"
)

func prepareDocument(ctx context.Context, b *bench) (err error) {
	if b.skills == nil {
		b.skills, err = b.listSkills(ctx, b.document)
	}
	return err
}

// measureDocument measures, beside one load of the whole document by kin-openapi,
// what the command needs to start, to make every skill, and to stay.
func measureDocument(ctx context.Context, b *bench) ([]sample, error) {
	var load struct{ Milliseconds, PeakMB float64 }
	if err := output(ctx, &load, b.kinload, b.document); err != nil {
		return nil, err
	}
	get, err := b.firstGet(ctx, "", b.document)
	if err != nil {
		return nil, err
	}
	page, err := b.timeToFirst(ctx, "", b.document, "all", "skills/list", map[string]any{})
	if err != nil {
		return nil, err
	}
	export, err := b.export(ctx)
	if err != nil {
		return nil, err
	}
	idle, used, err := b.memory(ctx)
	if err != nil {
		return nil, err
	}
	return []sample{
		over(get, load.Milliseconds), over(page, load.Milliseconds), over(export, load.Milliseconds),
		{value: idle}, {value: used},
	}, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (b *bench) firstGet(ctx context.Context, home, document string) (float64, error) {
	return b.timeToFirst(ctx, home, document, "guide", "skills/get", map[string]any{"uri": b.skills[len(b.skills)/2]})
}

// timeToFirst starts the command and asks until it answers.
func (b *bench) timeToFirst(ctx context.Context, home, document, listing, method string, params map[string]any) (float64, error) {
	start := time.Now()
	s, err := b.start(ctx, home, document, listing)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	if _, err := s.call(ctx, method, params, nil); err != nil {
		return 0, err
	}
	return ms(time.Since(start)), nil
}

// cachedStart measures the second start with one cache folder, beside the start
// of a server that does nothing.
func cachedStart(ctx context.Context, b *bench) ([]sample, error) {
	home, err := os.MkdirTemp(b.dir, "home-*")
	if err != nil {
		return nil, err
	}
	s, err := b.start(ctx, home, b.document, "guide")
	if err != nil {
		return nil, err
	}
	if _, err := s.call(ctx, "skills/get", map[string]any{"uri": b.skills[0]}, nil); err != nil {
		s.stop()
		return nil, err
	}
	cached := wroteCache(home)
	s.stop()
	if !cached {
		fmt.Fprintln(b.log, "skipped: row 2: the command wrote no cache")
		return []sample{{none: true}}, nil
	}
	get, err := b.firstGet(ctx, home, b.document)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	empty, err := launch(ctx, addr, "/", nil, b.bareserver, addr)
	if err != nil {
		return nil, err
	}
	defer empty.stop()
	if _, err := empty.get(ctx, "/"); err != nil {
		return nil, err
	}
	return []sample{over(get, ms(time.Since(start)))}, nil
}

// wroteCache reports whether the command left something in its cache, which it does
// before it answers.
func wroteCache(home string) bool {
	files := 0
	_ = filepath.WalkDir(filepath.Join(home, "cache"), func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files++
		}
		return nil
	})
	return files > 0
}

// export writes every skill to a folder.
func (b *bench) export(ctx context.Context) (float64, error) {
	out, err := os.MkdirTemp(b.dir, "export-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(out)
	home := filepath.Join(out, "home")
	cmd := exec.CommandContext(ctx, b.binary, "export", b.document, "--out", filepath.Join(out, "skills"))
	cmd.Env = append(environ(), "HOME="+home, "XDG_CACHE_HOME="+filepath.Join(home, "cache"))
	start := time.Now()
	if text, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("exporting %s: %w\n%.1000s", b.document, err, text)
	}
	return ms(time.Since(start)), nil
}

// coldGets measures the first request of each of many skills.
func coldGets(ctx context.Context, b *bench) ([]sample, error) {
	var result struct{ Get, Kin struct{ P50, P95 float64 } }
	if err := output(ctx, &result, b.coldget, b.document); err != nil {
		return nil, err
	}
	if result.Kin.P50 == 0 || result.Kin.P95 == 0 {
		return nil, nil // a document of Swagger 2.0, whose parts kin-openapi's loader does not load
	}
	return []sample{over(result.Get.P50, result.Kin.P50), over(result.Get.P95, result.Kin.P95)}, nil
}

// memory is what the server keeps once it has started, and once it was used.
func (b *bench) memory(ctx context.Context) (idle, used float64, err error) {
	s, err := b.start(ctx, "", b.document, "all")
	if err != nil {
		return 0, 0, err
	}
	defer s.stop()
	if _, err := s.get(ctx, "/healthz"); err != nil {
		return 0, 0, err
	}
	if idle, err = s.settledMemory(ctx); err != nil {
		return 0, 0, err
	}
	var files []string
	err = s.list(ctx, func(page []skill) error {
		for _, skill := range page {
			for _, r := range skill.Resources {
				files = append(files, r.URI)
			}
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	for i := range b.times(10_000) {
		if _, err := s.call(ctx, "resources/read", map[string]any{"uri": files[i%len(files)]}, nil); err != nil {
			return 0, 0, err
		}
	}
	used, err = s.settledMemory(ctx)
	return idle, used, err
}

// settledMemory reads the memory once it has stopped changing by more than a
// hundredth in a fifth of a second, or after two seconds.
func (s *server) settledMemory(ctx context.Context) (float64, error) {
	last := 0.0
	for range 10 {
		u, err := proc.Memory(s.cmd.Process.Pid)
		if err != nil {
			return 0, err
		}
		if last != 0 && max(u.MB, last)-min(u.MB, last) < last/100 {
			return u.MB, nil
		}
		last = u.MB
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return last, nil
}
