package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/apiskills/apiskills/internal/bench/proc"
)

// A server is a process that listens on addr.
type server struct {
	cmd    *exec.Cmd
	addr   string
	path   string        // of its endpoint
	exited chan struct{} // closed when the process has ended
	log    bytes.Buffer  // read only then
}

// freeAddr returns an address of the loopback interface that nobody listens on.
func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// launch starts a server. It does not wait until it listens: the first call does.
func launch(ctx context.Context, addr, path string, env []string, binary string, args ...string) (*server, error) {
	s := &server{addr: addr, path: path, exited: make(chan struct{})}
	s.cmd = exec.CommandContext(ctx, binary, args...)
	s.cmd.Env = append(environ(), env...)
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		s.cmd.Wait()
		close(s.exited)
	}()
	return s, nil
}

// environ is the environment without what would configure the command.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "APISKILLS_") })
}

// start starts apiskills serve. What it caches on disk is in the folder home; ""
// is an empty one.
func (b *bench) start(ctx context.Context, home, document, listing string, more ...string) (*server, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	if home == "" {
		if home, err = os.MkdirTemp(b.dir, "home-*"); err != nil {
			return nil, err
		}
	}
	env := []string{"HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(home, "cache"), "APISKILLS_PAGE_SIZE=100"}
	args := append([]string{"serve", document, "--transport", "http", "--addr", addr, "--listing", listing}, more...)
	return launch(ctx, addr, "/mcp", env, b.binary, args...)
}

func (s *server) stop() {
	s.cmd.Process.Kill()
	<-s.exited
}

// cpu is the processor time that the server and the processes that it started
// have had.
func (s *server) cpu() (time.Duration, error) {
	total, err := proc.CPU(s.cmd.Process.Pid)
	if err != nil {
		return 0, err
	}
	children, err := proc.Children(s.cmd.Process.Pid)
	for _, pid := range children {
		if t, err := proc.CPU(pid); err == nil {
			total += t
		}
	}
	return total, err
}

const protocolVersion = "2026-07-28"

// message is a request of the current protocol revision.
func message(method string, params map[string]any) ([]byte, error) {
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion":    protocolVersion,
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "apiskills-bench", "version": "1.0.0"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}
	return json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

// request makes an HTTP request of a message.
func (s *server) request(ctx context.Context, method string, params map[string]any) (*http.Request, error) {
	body, err := message(method, params)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.addr+s.path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", protocolVersion)
	r.Header.Set("Mcp-Method", method)
	if uri, ok := params["uri"].(string); ok {
		r.Header.Set("Mcp-Name", uri)
	}
	return r, nil
}

// do sends a request. While nobody listens yet, it tries again every half
// millisecond, until the process ends.
func (s *server) do(make func() (*http.Request, error)) ([]byte, error) {
	for {
		r, err := make()
		if err != nil {
			return nil, err
		}
		response, err := http.DefaultClient.Do(r)
		if err == nil {
			defer response.Body.Close()
			data, err := io.ReadAll(response.Body)
			if err == nil && response.StatusCode >= 300 {
				err = fmt.Errorf("%s answered %s: %.300s", r.URL, response.Status, data)
			}
			return data, err
		}
		if !errors.Is(err, syscall.ECONNREFUSED) {
			return nil, err
		}
		select {
		case <-s.exited:
			return nil, fmt.Errorf("the server ended before it listened:\n%s", s.log.Bytes())
		case <-r.Context().Done():
			return nil, r.Context().Err()
		case <-time.After(500 * time.Microsecond):
		}
	}
}

// get sends a GET.
func (s *server) get(ctx context.Context, path string) ([]byte, error) {
	return s.do(func() (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+path, nil)
	})
}

// call sends a message and decodes its result into result, unless that is nil. It
// returns the response as it came.
func (s *server) call(ctx context.Context, method string, params map[string]any, result any) ([]byte, error) {
	data, err := s.do(func() (*http.Request, error) { return s.request(ctx, method, params) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	var m struct{ Result json.RawMessage }
	if err := json.Unmarshal(data, &m); err != nil || m.Result == nil {
		return nil, fmt.Errorf("%s answered %.300s", method, data)
	}
	if result == nil {
		return data, nil
	}
	return data, json.Unmarshal(m.Result, result)
}

// A skill is an entry of a listing.
type skill struct {
	URI         string
	Frontmatter json.RawMessage
	Resources   []struct{ URI, Digest string }
}

// list calls f with each page of the listing.
func (s *server) list(ctx context.Context, f func(page []skill) error) error {
	for cursor := ""; ; {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		var page struct {
			Skills     []skill
			NextCursor string
		}
		if _, err := s.call(ctx, "skills/list", params, &page); err != nil {
			return err
		}
		if err := f(page.Skills); err != nil {
			return err
		}
		if cursor = page.NextCursor; cursor == "" {
			return nil
		}
	}
}
