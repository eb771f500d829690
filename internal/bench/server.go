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
	"strings"
	"syscall"
	"time"
)

// A server is a running apiskills serve.
type server struct {
	cmd    *exec.Cmd
	url    string
	exited chan struct{} // closed when the process has ended
	log    bytes.Buffer  // read only then
}

// start starts the command on a free port, with nothing cached. It does not
// wait until it listens: the first call does.
func (b *bench) start(ctx context.Context, listing string) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := l.Addr().String()
	l.Close()
	home, err := os.MkdirTemp(b.dir, "home-*")
	if err != nil {
		return nil, err
	}
	s := &server{url: "http://" + addr + "/mcp", exited: make(chan struct{})}
	s.cmd = exec.CommandContext(ctx, b.binary, "serve", b.document, "--transport", "http", "--addr", addr, "--listing", listing)
	s.cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+filepath.Join(home, "cache"), "APISKILLS_PAGE_SIZE=100")
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

func (s *server) stop() {
	s.cmd.Process.Kill()
	<-s.exited
}

const protocolVersion = "2026-07-28"

// call sends one request of the current protocol revision and decodes its
// result into result, unless that is nil. While nobody listens yet, it tries
// again every half millisecond, until the process ends.
func (s *server) call(ctx context.Context, method string, params map[string]any, result any) error {
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion":    protocolVersion,
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "apiskills-bench", "version": "1.0.0"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	var response *http.Response
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		request.Header.Set("MCP-Protocol-Version", protocolVersion)
		request.Header.Set("Mcp-Method", method)
		if uri, ok := params["uri"].(string); ok {
			request.Header.Set("Mcp-Name", uri)
		}
		response, err = http.DefaultClient.Do(request)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.ECONNREFUSED) {
			return err
		}
		select {
		case <-s.exited:
			return fmt.Errorf("the server ended before it listened:\n%s", s.log.Bytes())
		case <-time.After(500 * time.Microsecond):
		}
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var message struct {
		Result json.RawMessage
		Error  json.RawMessage
	}
	if err := json.Unmarshal(data, &message); err != nil || message.Result == nil {
		return fmt.Errorf("%s answered %s: %.300s", method, response.Status, data)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(message.Result, result)
}

// listSkills returns the URIs of the document's skills, in their order.
func (b *bench) listSkills(ctx context.Context) ([]string, error) {
	cmd := exec.CommandContext(ctx, b.binary, "list", b.document)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the skills of %s: %w", b.document, err)
	}
	var uris []string
	for line := range strings.Lines(string(out)) {
		uri, _, _ := strings.Cut(line, "\t")
		uris = append(uris, uri)
	}
	if len(uris) == 0 {
		return nil, fmt.Errorf("%s has no skills", b.document)
	}
	return uris, nil
}
