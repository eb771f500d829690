package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// misses asks for one skill that is not known yet, 64 times at once, and counts
// how often it is made.
func misses(ctx context.Context, b *bench) ([]sample, error) {
	s, err := b.start(ctx, "", b.synthetic, "guide")
	if err != nil {
		return nil, err
	}
	defer s.stop()
	before, err := s.metric(ctx, "apiskills_renders_total")
	if err != nil {
		return nil, err
	}
	r, err := s.request(ctx, "skills/get", map[string]any{"uri": "skill://synthetic/shelf-03/replace-book0090/SKILL.md"})
	if err != nil {
		return nil, err
	}
	one, err := wire(r, -1)
	if err != nil {
		return nil, err
	}
	result, err := s.volley(ctx, []shot{one}, connections, connections, 0)
	if err := errors.Join(err, result.failure); err != nil {
		return nil, err
	}
	after, err := s.metric(ctx, "apiskills_renders_total")
	return []sample{{value: after - before}}, err
}

// metric reads a figure that the server has for Prometheus.
func (s *server) metric(ctx context.Context, name string) (float64, error) {
	text, err := s.get(ctx, "/metrics")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("there is no metric %s", name)
}

// reload edits one operation of a document that is served while requests go on.
type reload struct{}

const (
	reloadConnections = 8
	reloadPause       = 2 * time.Millisecond
	reloadPatience    = time.Minute
)

func (*reload) measure(ctx context.Context, b *bench) ([]sample, error) {
	original := b.document
	if original == "" {
		original = b.synthetic
	}
	data, err := os.ReadFile(original)
	if err != nil {
		return nil, err
	}
	edited, pointer, err := edit(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSkip, err)
	}
	document := filepath.Join(b.dir, "reload", filepath.Base(original))
	if err := os.MkdirAll(filepath.Dir(document), 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(document, data, 0o600); err != nil {
		return nil, err
	}
	s, err := b.start(ctx, "", document, "all", "--watch")
	if err != nil {
		return nil, err
	}
	defer s.stop()
	before, target, guide, err := s.digests(ctx, pointer)
	if err != nil {
		return nil, err
	}
	var uris []string
	for uri := range before {
		uris = append(uris, uri)
	}
	slices.Sort(uris)
	var shots []shot
	for i := 0; i < len(uris); i += max(1, len(uris)/50) {
		r, err := s.request(ctx, "skills/get", map[string]any{"uri": uris[i]})
		if err != nil {
			return nil, err
		}
		one, err := wire(r, -1)
		if err != nil {
			return nil, err
		}
		shots = append(shots, one)
	}
	calm, err := s.volley(ctx, shots, b.times(4_000), reloadConnections, reloadPause)
	if err != nil {
		return nil, err
	}

	loading, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan salvo, 1)
	go func() {
		result, _ := s.volley(loading, shots, 1<<40, reloadConnections, reloadPause)
		done <- result
	}()
	time.Sleep(200 * time.Millisecond)
	// As an editor does: a new file in the place of the old one.
	if err := os.WriteFile(document+".new", edited, 0o600); err != nil {
		return nil, err
	}
	if err := os.Rename(document+".new", document); err != nil {
		return nil, err
	}
	if err := s.awaitChange(ctx, target, before[target]); err != nil {
		return nil, err
	}
	time.Sleep(200 * time.Millisecond)
	stop()
	busy := <-done
	if busy.failure != nil {
		fmt.Fprintf(b.log, "row 15: %v\n", busy.failure)
	}
	after, _, _, err := s.digests(ctx, pointer)
	if err != nil {
		return nil, err
	}
	wrong := 0
	for _, uri := range uris {
		if (before[uri] != after[uri]) != (uri == target || uri == guide) {
			fmt.Fprintf(b.log, "row 15: %s changed: %v\n", uri, before[uri] != after[uri])
			wrong++
		}
	}
	wrong += len(after) - len(before)
	return []sample{{value: float64(calm.failed + busy.failed)}, {value: float64(wrong)}, over(ms(busy.p99), ms(calm.p99))}, nil
}

// digests returns those of the files of each skill, and the URIs of the skill
// that is made from pointer and of the guide.
func (s *server) digests(ctx context.Context, pointer string) (of map[string]string, target, guide string, err error) {
	of = make(map[string]string)
	err = s.list(ctx, func(page []skill) error {
		for _, skill := range page {
			var f struct{ Metadata struct{ Pointer string } }
			if err := json.Unmarshal(skill.Frontmatter, &f); err != nil {
				return err
			}
			switch f.Metadata.Pointer {
			case pointer:
				target = skill.URI
			case "":
				guide = skill.URI
			}
			var all strings.Builder
			for _, r := range skill.Resources {
				fmt.Fprintln(&all, r.URI, r.Digest)
			}
			of[skill.URI] = all.String()
		}
		return nil
	})
	if err == nil && (target == "" || guide == "") {
		err = fmt.Errorf("the listing does not have the skill of %s, or no guide", pointer)
	}
	return of, target, guide, err
}

// awaitChange waits until a skill has other digests than those of before.
func (s *server) awaitChange(ctx context.Context, uri, before string) error {
	deadline := time.Now().Add(reloadPatience)
	for time.Now().Before(deadline) {
		var got struct{ Skill skill }
		if _, err := s.call(ctx, "skills/get", map[string]any{"uri": uri}, &got); err != nil {
			return err
		}
		var now strings.Builder
		for _, r := range got.Skill.Resources {
			fmt.Fprintln(&now, r.URI, r.Digest)
		}
		if now.String() != before {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("%s is still as it was, %v after the document changed", uri, reloadPatience)
}

// edit changes the summary of one operation of a JSON document, and returns the
// pointer to that. It takes one whose summary is written once in the whole
// document.
func edit(data []byte) (edited []byte, pointer string, err error) {
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, "", fmt.Errorf("only a document in JSON is edited: %w", err)
	}
	var paths []string
	for path := range doc.Paths {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths[len(paths)/2:] {
		for _, method := range []string{"get", "put"} {
			var op struct{ Summary string }
			if json.Unmarshal(doc.Paths[path][method], &op) != nil || len(op.Summary) < 8 {
				continue
			}
			literal := []byte(`"` + op.Summary + `"`)
			if bytes.Count(data, literal) != 1 {
				continue
			}
			pointer := "/paths/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(path) + "/" + method
			return bytes.Replace(data, literal, []byte(`"`+op.Summary+` anew"`), 1), pointer, nil
		}
	}
	return nil, "", errors.New("no operation has a summary of its own")
}
