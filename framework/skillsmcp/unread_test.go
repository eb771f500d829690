package skillsmcp

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/apiskills/apiskills/framework"
)

// A smallListener makes connections that keep little of what their client does
// not read.
type smallListener struct{ net.Listener }

func (l smallListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		err = conn.(*net.TCPConn).SetWriteBuffer(4096)
	}
	return conn, err
}

// serveSmall serves h without deadlines of the server's, and tells of each request
// that is done.
func serveSmall(t *testing.T, h http.Handler) (addr string, done <-chan struct{}) {
	t.Helper()
	finished := make(chan struct{}, 16)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { finished <- struct{}{} }()
		h.ServeHTTP(w, r)
	}))
	s.Listener = smallListener{s.Listener}
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String(), finished
}

// sendOnly sends a request on a connection of its own, whose answer is not read.
func sendOnly(t *testing.T, addr string, r *http.Request) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	r.Host = addr
	if err := r.Write(conn); err != nil {
		t.Fatal(err)
	}
	return conn
}

// encyclopedia has one skill, of a file that fits into no buffer of the network.
type encyclopedia struct{}

const encyclopediaURI = "skill://shelf/encyclopedia/SKILL.md"

func (encyclopedia) Skill(context.Context, string) (*framework.Skill, error) {
	return &framework.Skill{Version: "1", Files: []framework.File{
		framework.TextFile("SKILL.md", "---\nname: encyclopedia\ndescription: All there is\n---\n"+strings.Repeat("Knowledge.\n", 80_000)),
	}}, nil
}

func TestAResponseThatItsClientDoesNotReadIsCut(t *testing.T) {
	opts := &Options{WriteTimeout: 20 * time.Millisecond}
	for _, tt := range []struct {
		name    string
		binding *Binding
		request *http.Request
	}{
		{"of this package", bind(t, newCatalog(t, encyclopedia{}), opts), modern("resources/read", fmt.Sprintf(`"uri":%q`, encyclopediaURI))},
		{"of mcp-go", newServer(t, opts), greeting(strings.Repeat("you", 300_000))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr, done := serveSmall(t, tt.binding.Handler())
			sendOnly(t, addr, tt.request)
			<-done // or the test does not end
		})
	}
}

// greeting calls the tool greet.
func greeting(name string) *http.Request {
	r := modern("tools/call", fmt.Sprintf(`"name":"greet","arguments":{"name":%q}`, name))
	r.Header.Set("Mcp-Name", "greet")
	return r
}

func TestAStreamThatItsClientDoesNotReadIsCut(t *testing.T) {
	g := newShelf()
	c := newCatalog(t, g)
	b := bind(t, c, &Options{WriteTimeout: 20 * time.Millisecond})
	addr, done := serveSmall(t, b.Handler())
	sendOnly(t, addr, modern("subscriptions/listen", `"notifications":{"resourcesListChanged":true}`))
	for { // until what the network keeps is full
		b.mcp.SendNotificationToAllClients("notifications/resources/list_changed", nil)
		select {
		case <-done:
			return
		case <-time.After(50 * time.Microsecond):
		}
	}
}

func TestAQuietStreamIsNotCut(t *testing.T) {
	g := newShelf()
	b := bind(t, newCatalog(t, g), &Options{WriteTimeout: time.Millisecond})
	s := httptest.NewServer(b.Handler())
	defer s.Close()
	r := modern("subscriptions/listen", `"notifications":{"resourcesListChanged":true}`)
	r.RequestURI = ""
	r.URL.Scheme, r.URL.Host, r.Host = "http", s.Listener.Addr().String(), ""
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp, err := http.DefaultClient.Do(r.WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("X-Accel-Buffering"); got != "no" {
		t.Errorf("X-Accel-Buffering is %q: a proxy may keep events back", got)
	}
	time.Sleep(20 * time.Millisecond) // the deadline of a piece, many times over
	read := make(chan string, 1)
	go func() {
		var all strings.Builder
		buf := make([]byte, 4096)
		for !strings.Contains(all.String(), "list_changed") {
			n, err := resp.Body.Read(buf)
			all.Write(buf[:n])
			if err != nil {
				read <- fmt.Sprintf("%s: %v", all.String(), err)
				return
			}
		}
		read <- ""
	}()
	for {
		b.mcp.SendNotificationToAllClients("notifications/resources/list_changed", nil)
		select {
		case fault := <-read:
			if fault != "" {
				t.Error(fault)
			}
			return
		case <-time.After(time.Millisecond):
		}
	}
}

func TestResponsesThatNobodyReadsAreBoundedTogether(t *testing.T) {
	b := bind(t, newCatalog(t, encyclopedia{}), &Options{MaxUnread: 1 << 20, WriteTimeout: time.Hour})
	addr, done := serveSmall(t, b.Handler())
	read := func() (int, string) {
		r := modern("resources/read", fmt.Sprintf(`"uri":%q`, encyclopediaURI))
		r.RequestURI = ""
		r.URL.Scheme, r.URL.Host, r.Host = "http", addr, ""
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		<-done
		return resp.StatusCode, string(body)
	}
	if status, body := read(); status != http.StatusOK || len(body) < 800_000 {
		t.Fatalf("%d, %d bytes", status, len(body))
	}
	conn := sendOnly(t, addr, modern("resources/read", fmt.Sprintf(`"uri":%q`, encyclopediaURI)))
	for b.http.unread.Load() == 0 { // not before: the second of two is refused
		time.Sleep(time.Millisecond)
	}
	if status, body := read(); status != http.StatusServiceUnavailable || !strings.Contains(body, "too many responses wait to be read") {
		t.Errorf("%d %.100s", status, body)
	}
	conn.Close()
	<-done
	if status, _ := read(); status != http.StatusOK {
		t.Errorf("%d, though nothing is waiting", status)
	}
}
