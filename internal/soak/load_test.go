package soak

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A load is clients of all kinds.
type load struct {
	*process
	uris     []string // of skills that are there in each version of the document
	template string   // of resources, for completion
	answered atomic.Int64
	busy     atomic.Int64
	restart  atomic.Bool // the server may be away
}

// begin has all kinds of clients call until what it returns is called.
func (l *load) begin() (stop func()) {
	end := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() { l.run(end) })
	group.Go(func() { l.deaf(8, end) })
	return sync.OnceFunc(func() {
		close(end)
		group.Wait()
	})
}

// clients is how many call at once.
const clients = 12

// run calls until stop is closed.
func (l *load) run(stop <-chan struct{}) {
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			transport := &http.Transport{MaxIdleConnsPerHost: 2}
			defer transport.CloseIdleConnections()
			client := &http.Client{Transport: transport}
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for {
				select {
				case <-stop:
					return
				default:
					if l.t.Failed() {
						return
					}
					kinds[r.IntN(len(kinds))](l, client, r)
				}
			}
		})
	}
	group.Wait()
}

// kinds are what clients do.
var kinds = []func(*load, *http.Client, *rand.Rand){
	(*load).walk, (*load).getAndRead, (*load).directory, (*load).complete, (*load).bad, (*load).giveUp, (*load).endless, (*load).subscribe,
}

// ok calls, and wants a result or, where the server may be busy or away, a refusal.
func (l *load) ok(client *http.Client, method string, params map[string]any) (message, bool) {
	m, status, err := l.call(context.Background(), client, method, params)
	switch {
	case l.restart.Load():
		return m, false
	case err != nil:
		l.t.Errorf("%s %v: %v", method, params, err)
	case status == http.StatusServiceUnavailable:
		l.busy.Add(1)
	case status != http.StatusOK || m.Error != nil:
		l.t.Errorf("%s %v: status %d, error %v", method, params, status, m.Error)
	default:
		l.answered.Add(1)
		return m, true
	}
	return m, false
}

func (l *load) any(r *rand.Rand) string { return l.uris[r.IntN(len(l.uris))] }

func (l *load) walk(client *http.Client, _ *rand.Rand) {
	params := map[string]any{}
	for range 100 {
		m, ok := l.ok(client, "skills/list", params)
		if !ok || m.Result.NextCursor == "" {
			return
		}
		params = map[string]any{"cursor": m.Result.NextCursor}
	}
	l.t.Error("a listing has more pages than it may have")
}

func (l *load) getAndRead(client *http.Client, r *rand.Rand) {
	uri := l.any(r)
	if _, ok := l.ok(client, "skills/get", map[string]any{"uri": uri}); ok {
		m, ok := l.ok(client, "resources/read", map[string]any{"uri": uri})
		if ok && (len(m.Result.Contents) != 1 || !strings.HasPrefix(m.Result.Contents[0].Text, "---\n")) {
			l.t.Errorf("%s is read as %.100v", uri, m.Result.Contents)
		}
	}
}

func (l *load) directory(client *http.Client, r *rand.Rand) {
	l.ok(client, "resources/directory/read", map[string]any{"uri": strings.TrimSuffix(l.any(r), "/SKILL.md")})
}

func (l *load) complete(client *http.Client, r *rand.Rand) {
	l.ok(client, "completion/complete", map[string]any{
		"ref":      map[string]any{"type": "ref/resource", "uri": l.template},
		"argument": map[string]any{"name": "name", "value": string(rune('a' + r.IntN(26)))},
	})
}

// bad sends what must be refused, and looks that it is.
func (l *load) bad(client *http.Client, r *rand.Rand) {
	requests := []*http.Request{
		l.request(context.Background(), "skills/get", map[string]any{"uri": fmt.Sprintf("skill://soak/absent-%d/SKILL.md", r.Uint64())}),
		l.request(context.Background(), "skills/list", map[string]any{"cursor": strings.Repeat("x", 1+r.IntN(5000))}),
		l.request(context.Background(), fmt.Sprintf("no/such-%d", r.Uint64()), nil),
		l.request(context.Background(), "skills/get", map[string]any{"uri": strings.Repeat("y", 100_000)}),
		l.request(context.Background(), "resources/read", map[string]any{"uri": fmt.Sprintf("file:///%d", r.Uint64())}),
		{Method: http.MethodPost},
		{Method: http.MethodDelete},
	}
	i := r.IntN(len(requests))
	req := requests[i]
	if req.URL == nil {
		body := [][]byte{[]byte("{"), []byte("[]"), bytes.Repeat([]byte("["), 10_000), {}, {0xff, 0xfe}}[r.IntN(5)]
		var err error
		if req, err = http.NewRequest(req.Method, "http://"+l.addr+"/mcp", bytes.NewReader(body)); err != nil {
			panic(err)
		}
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := client.Do(req)
	if err != nil {
		// A body that is too large may be refused before it was sent.
		if !l.restart.Load() && i != 3 {
			l.t.Errorf("bad request %d: %v", i, err)
		}
		return
	}
	defer resp.Body.Close()
	var body bytes.Buffer
	body.ReadFrom(resp.Body)
	if resp.StatusCode >= 500 && resp.StatusCode != http.StatusServiceUnavailable || resp.StatusCode == http.StatusOK && bytes.Contains(body.Bytes(), []byte(`"result"`)) && req.Method != http.MethodDelete {
		l.t.Errorf("bad request %d was answered with %s: %.200s", i, resp.Status, body.Bytes())
	}
}

// giveUp leaves before the answer comes, or in the middle of it.
func (l *load) giveUp(client *http.Client, r *rand.Rand) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(3000))*time.Microsecond)
	defer cancel()
	l.call(ctx, client, "skills/list", nil)
}

// endless goes on from a page that does not exist, with a cursor that is made by
// the server's own rule, and goes round and round in a listing.
func (l *load) endless(client *http.Client, r *rand.Rand) {
	payload := fmt.Sprintf("skills/list\x00%d\x00%s\x00%s", 1_000_000+r.IntN(1000), "r", "")
	sum := sha256.Sum256([]byte(payload))
	cursor := base64.RawURLEncoding.EncodeToString(append(sum[:6:6], payload...))
	m, status, err := l.call(context.Background(), client, "skills/list", map[string]any{"cursor": cursor})
	if !l.restart.Load() && (err != nil || status == http.StatusOK && m.Result.NextCursor != "") {
		l.t.Errorf("page 1,000,000 has a page after it, or %v", err)
	}
	first, ok := l.ok(client, "skills/list", nil)
	for range 30 {
		if ok {
			_, ok = l.ok(client, "skills/list", map[string]any{"cursor": first.Result.NextCursor})
		}
	}
}

// subscribe listens for changes, for a short time.
func (l *load) subscribe(client *http.Client, r *rand.Rand) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(20))*time.Millisecond)
	defer cancel()
	l.call(ctx, client, "subscriptions/listen", map[string]any{"notifications": map[string]any{"resourcesListChanged": true}})
}

// deaf are clients that ask and do not read: each sends requests, one after the
// other, on a connection of its own, until stop is closed.
func (l *load) deaf(n int, stop <-chan struct{}) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			conn, err := net.Dial("tcp", l.addr)
			if err != nil {
				return
			}
			defer conn.Close()
			context.AfterFunc(contextOf(stop), func() { conn.Close() })
			for { // until nothing more fits in
				if err := l.request(context.Background(), "resources/read", map[string]any{"uri": l.uris[i%len(l.uris)]}).Write(conn); err != nil {
					return
				}
			}
		})
	}
	group.Wait()
}

// contextOf is done when stop is closed.
func contextOf(stop <-chan struct{}) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-stop
		cancel()
	}()
	return ctx
}

// silent opens n connections that say nothing, and returns what closes them.
func (l *load) silent(n int) (hangUp func()) {
	var conns []net.Conn
	for range n {
		conn, err := net.DialTimeout("tcp", l.addr, time.Second)
		if err != nil {
			var timeout net.Error
			if errors.As(err, &timeout) && timeout.Timeout() { // the system's queue is full
				break
			}
			l.t.Error(err)
			break
		}
		conns = append(conns, conn)
	}
	return func() {
		for _, c := range conns {
			c.Close()
		}
	}
}
