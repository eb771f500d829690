package soak

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

var (
	length   = flag.Duration("soak", 0, "how long TestSoak goes on; at least two rounds")
	document = flag.String("document", "../../examples/bookshop/openapi.yaml", "OpenAPI document to serve")
)

// TestSoakLeavesNothingBehind samples the server at rest after each round. What it
// has after the last one, it may have had after the first, but for some slack.
func TestSoakLeavesNothingBehind(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("loads a process for some seconds, and counts its descriptors in /proc")
	}
	d := readDocument(t)
	p := newProcess(t, d.version(0))
	l := &load{process: p}
	for cursor := ""; ; {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		m, _, err := p.call(t.Context(), quiet, "skills/list", params)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range m.Result.Skills {
			l.uris = append(l.uris, s.URI)
		}
		if cursor = m.Result.NextCursor; cursor == "" {
			break
		}
	}
	l.template = "skill://soak/{group}/{name}/SKILL.md"

	begin := time.Now()
	var first, last sample
	rounds := 0
	for round := 1; round <= 2 || time.Since(begin) < *length; round++ {
		l.round(d, round)
		last = p.sample()
		if round == 1 {
			first = last // what is made once is there now
		}
		if rounds++; round <= 2 || round%10 == 0 {
			t.Logf("round %d: %s; %d calls answered, %d told that the server is busy", round, last, l.answered.Load(), l.busy.Load())
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("after %d rounds: %s", rounds, last)
	if l.answered.Load() == 0 {
		t.Error("no call was answered")
	}
	for _, grown := range []struct {
		what               string
		first, last, limit int
	}{
		{"goroutines", first.goroutines, last.goroutines, first.goroutines + 10},
		{"descriptors", first.descriptors, last.descriptors, first.descriptors + 10},
		{"bytes of heap", first.heap, last.heap, first.heap + first.heap/2 + 8<<20},
		{"bytes resident", first.resident, last.resident, first.resident + first.resident/2 + 64<<20},
	} {
		if grown.last > grown.limit {
			t.Errorf("%d %s after the first round, %d after the last, which is more than %d", grown.first, grown.what, grown.last, grown.limit)
		}
	}
	l.restarts()
}

// round has clients of all kinds call while the document changes, and then has
// connections that say nothing take all there are.
func (l *load) round(d *source, n int) {
	t := l.t
	stop := l.begin()
	defer stop()
	for i, change := range changes {
		version := n*len(changes) + i
		change(l.process, d, version)
		served := fmt.Sprintf("version-%d", version)
		l.until(served+" is served", func() bool {
			m, _, err := l.call(t.Context(), quiet, "resources/read", map[string]any{"uri": l.uris[0]})
			return err == nil && len(m.Result.Contents) == 1 && strings.Contains(m.Result.Contents[0].Text, served+`"`)
		})
	}
	stop()

	hangUp := l.silent(1000)
	l.until("the connections are open", func() bool { return l.descriptors() >= maxConnections })
	if open := l.descriptors(); open > maxConnections+50 {
		t.Errorf("%d descriptors are open, with %d connections allowed", open, maxConnections)
	}
	hangUp()
	l.until("the connections are closed", func() bool { return l.ready() == "ready: soak" && l.descriptors() < maxConnections/2 })
}

// restarts ends the server under load, and starts it anew.
func (l *load) restarts() {
	l.restart.Store(true)
	stop := l.begin()
	defer stop()
	for range 3 {
		before := l.answered.Load()
		l.terminate()
		l.start()
		l.until("calls are answered again", func() bool {
			m, status, err := l.call(l.t.Context(), quiet, "skills/list", nil)
			return err == nil && status == http.StatusOK && len(m.Result.Skills) > 0 && l.answered.Load() >= before
		})
	}
	stop()
	l.terminate()
}

// A source makes versions of a document.
type source struct {
	t       *testing.T
	content map[string]any
}

func readDocument(t *testing.T) *source {
	t.Helper()
	data, err := os.ReadFile(*document)
	if err != nil {
		t.Fatal(err)
	}
	d := &source{t: t}
	if filepath.Ext(*document) == ".json" {
		err = json.Unmarshal(data, &d.content)
	} else {
		err = yaml.Unmarshal(data, &d.content)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// version returns a document that says which version it is, which the guide says
// too.
func (d *source) version(n int) []byte {
	d.content["info"].(map[string]any)["version"] = fmt.Sprintf("version-%d", n)
	data, err := json.Marshal(d.content)
	if err != nil {
		d.t.Fatal(err)
	}
	return data
}

// changes bring another version of the document, each in its way.
var changes = []func(p *process, d *source, version int){
	renamed, truncated, grown, removed, older, sameTime,
}

// renamed puts a file in the place of another.
func renamed(p *process, d *source, version int) {
	next := p.document() + ".next"
	check(p, os.WriteFile(next, d.version(version), 0o600))
	check(p, os.Rename(next, p.document()))
}

// truncated writes half of a document, and later all of it.
func truncated(p *process, d *source, version int) {
	data := d.version(version)
	check(p, os.WriteFile(p.document(), data[:len(data)/2], 0o600))
	p.until("half a document is refused", p.notTheLast)
	check(p, os.WriteFile(p.document(), data, 0o600))
}

// grown has a document that is larger than one may be, and later one that is not.
func grown(p *process, d *source, version int) {
	check(p, os.Truncate(p.document(), 300<<20)) // takes no room
	p.until("a document that grew past the limit is refused", p.notTheLast)
	renamed(p, d, version)
}

// removed has no document for a while.
func removed(p *process, d *source, version int) {
	check(p, os.Remove(p.document()))
	p.until("it is seen that the document is gone", p.notTheLast)
	check(p, os.WriteFile(p.document(), d.version(version), 0o600))
}

// older has the clock go back: the new document is older than the one before.
func older(p *process, d *source, version int) {
	renamed(p, d, version)
	check(p, os.Chtimes(p.document(), time.Time{}, time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)))
}

// sameTime writes a document of the same size into the same file, and sets the
// time of the one before, as tools do that want the same bytes on each machine.
func sameTime(p *process, d *source, version int) {
	info, err := os.Stat(p.document())
	check(p, err)
	data := d.version(version)
	data = append(data, bytes.Repeat([]byte(" "), max(0, int(info.Size())-len(data)))...)
	check(p, os.WriteFile(p.document(), data, 0o600))
	check(p, os.Chtimes(p.document(), time.Time{}, info.ModTime()))
}

// notTheLast reports whether the server says that it serves an older document.
func (p *process) notTheLast() bool { return p.ready() == "ready, but not its last change: soak" }

func check(p *process, err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}
