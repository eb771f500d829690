package skillsmcp

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// watch has the catalog of b be watched, so that it keeps pages.
func watch(t testing.TB, b *Binding) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	c := b.catalog.(interface {
		Watch(ctx context.Context) error
	})
	go c.Watch(ctx)
	for b.catalog.TTL() < 2*time.Minute {
		time.Sleep(time.Millisecond)
	}
}

// TestKeptPageIsTheSameBytesWithAnyID holds pages that are kept against those that
// are put together for one call.
func TestKeptPageIsTheSameBytesWithAnyID(t *testing.T) {
	kept, made := newServer(t, nil), newServer(t, &Options{TTL: new(time.Duration)})
	watch(t, kept)
	for _, make := range []func(method, params string) *http.Request{modern, legacy} {
		want, _ := do(t, made.Handler(), make("skills/list", ""))
		for i, id := range []string{"1", `"a"`, "1", "-7e2"} {
			r := make("skills/list", "")
			body, _ := io.ReadAll(r.Body)
			body = []byte(strings.Replace(string(body), `"id":1`, `"id":`+id, 1))
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(string(body))), int64(len(body))
			got, _ := do(t, kept.Handler(), r)
			expected := strings.Replace(want.Body.String(), `"id":1`, `"id":`+id, 1)
			if same := strings.Replace(got.Body.String(), `"ttlMs":300000`, `"ttlMs":0`, 1); same != expected {
				t.Errorf("call %d: %s\nwant %s", i, same, expected)
			}
			if n := got.Header().Get("Content-Length"); n == "" || n != got.Result().Header.Get("Content-Length") || got.Result().ContentLength != int64(got.Body.Len()) {
				t.Errorf("call %d: length %s of %d bytes", i, n, got.Body.Len())
			}
		}
	}
}

// TestWarmCallAllocatesLittle counts, beside what a handler needs that does nothing
// but read the body and write the answer.
func TestWarmCallAllocatesLittle(t *testing.T) {
	if racing {
		t.Skip("the race detector allocates too")
	}
	b := newServer(t, nil)
	watch(t, b)
	h := b.Handler()
	for _, test := range []struct {
		name, params string
		limit        float64
	}{
		{"skills/get", `"uri":"` + bookURI + `"`, 14},
		{"resources/read", `"uri":"` + bookURI + `"`, 15},
		{"skills/list", "", 13},
	} {
		template := modern(test.name, test.params)
		body, _ := io.ReadAll(template.Body)
		call := func() {
			r := *template
			r.Body, r.ContentLength = &replay{data: body}, int64(len(body))
			h.ServeHTTP(&recorder{header: http.Header{}}, &r)
		}
		bare := func() {
			r := *template
			r.Body = &replay{data: body}
			(&recorder{header: http.Header{}}).WriteHeader(int(r.ContentLength))
		}
		call()
		if n := testing.AllocsPerRun(200, call) - testing.AllocsPerRun(200, bare); n > test.limit {
			t.Errorf("a warm %s allocates %v times", test.name, n)
		} else {
			t.Logf("%s: %v allocations", test.name, n)
		}
	}
}
