package skillsmcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestBeyondMaxInFlightARequestIsRefusedAndStreamsDoNotCount(t *testing.T) {
	g := newShelf()
	b := bind(t, newCatalog(t, g), &Options{MaxInFlight: 1})
	h := b.Handler()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	stream := make(chan struct{})
	go func() { // a stream, for as long as its context
		defer close(stream)
		h.ServeHTTP(httptest.NewRecorder(), modern("subscriptions/listen", `"notifications":{"resourcesListChanged":true}`).WithContext(ctx))
	}()
	hanging := make(chan struct{})
	go func() {
		defer close(hanging)
		for { // until there is room
			w := httptest.NewRecorder()
			h.ServeHTTP(w, modern("skills/get", `"uri":"skill://shelf/hangs/SKILL.md"`).WithContext(ctx))
			if w.Code != http.StatusServiceUnavailable || ctx.Err() != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	<-g.waiting
	w := httptest.NewRecorder()
	h.ServeHTTP(w, modern("skills/list", ""))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	cancel()
	<-stream
	<-hanging
	w = httptest.NewRecorder()
	h.ServeHTTP(w, modern("skills/list", ""))
	if w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
