package main

import (
	"context"
	"time"

	"github.com/apiskills/apiskills/internal/bench/proc"
)

// A row is one figure of the table. The measurement is taken once a round.
type row struct {
	number        string
	what          string
	in            quantity // compared with the anchor's figure in the same quantity
	goal, stretch string
	measure       func(context.Context, *bench) (float64, error)
}

var rows = []row{
	{"1", "process start to first skills/get answered", milliseconds, "0.10 ×", "0.05 ×", firstGet},
	{"3", "process start to first skills/list page of 100, listing all", milliseconds, "0.25 ×", "0.12 ×", firstPage},
	{"12", "resident memory, idle after start", megabytes, "40 MB", "25 MB", idleMemory},
	{"12", "resident memory, after a full listing and 10,000 reads", megabytes, "128 MB", "80 MB", usedMemory},
}

func firstGet(ctx context.Context, b *bench) (float64, error) {
	uri := b.skills[len(b.skills)/2]
	return b.timeToFirst(ctx, "guide", "skills/get", map[string]any{"uri": uri})
}

func firstPage(ctx context.Context, b *bench) (float64, error) {
	return b.timeToFirst(ctx, "all", "skills/list", map[string]any{})
}

// timeToFirst starts the command and asks until it answers.
func (b *bench) timeToFirst(ctx context.Context, listing, method string, params map[string]any) (float64, error) {
	start := time.Now()
	s, err := b.start(ctx, listing)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	if err := s.call(ctx, method, params, nil); err != nil {
		return 0, err
	}
	return float64(time.Since(start).Microseconds()) / 1000, nil
}

func idleMemory(ctx context.Context, b *bench) (float64, error) {
	s, err := b.start(ctx, "all")
	if err != nil {
		return 0, err
	}
	defer s.stop()
	return s.settledMemory(ctx)
}

func usedMemory(ctx context.Context, b *bench) (float64, error) {
	s, err := b.start(ctx, "all")
	if err != nil {
		return 0, err
	}
	defer s.stop()
	var files []string
	for cursor := ""; ; {
		var page struct {
			Skills     []struct{ Resources []struct{ URI string } }
			NextCursor string
		}
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		if err := s.call(ctx, "skills/list", params, &page); err != nil {
			return 0, err
		}
		for _, skill := range page.Skills {
			for _, r := range skill.Resources {
				files = append(files, r.URI)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	for i := range b.reads {
		if err := s.call(ctx, "resources/read", map[string]any{"uri": files[i%len(files)]}, nil); err != nil {
			return 0, err
		}
	}
	return s.settledMemory(ctx)
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
