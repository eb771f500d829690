package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// connections is the number of connections that send requests at once.
const connections = 64

// A shot is a request as it goes over the wire, and the length of the body that
// must come back; -1 for any.
type shot struct {
	request []byte
	length  int
}

// wire writes a request down.
func wire(r *http.Request, length int) (shot, error) {
	var b bytes.Buffer
	r.Header.Set("User-Agent", "apiskills-bench")
	err := r.Write(&b)
	return shot{b.Bytes(), length}, err
}

// A salvo is what became of many requests.
type salvo struct {
	sent    int
	elapsed time.Duration
	p99     time.Duration
	cpu     time.Duration // of the server
	failed  int
	failure error // one of them
}

func (s *salvo) perSecond() float64 { return float64(s.sent) / s.elapsed.Seconds() }

// micros is the processor time of a request, in microseconds.
func (s *salvo) micros() float64 { return float64(s.cpu.Nanoseconds()) / 1000 / float64(s.sent) }

// fire sends n requests, each of shots in turn, over 64 connections that are kept.
// It fails if a request does.
func (s *server) fire(ctx context.Context, shots []shot, n int) (salvo, error) {
	// The connections are made, and the server warmed up, before anything counts.
	if _, err := s.volley(ctx, shots, 2*connections+len(shots), connections, 0); err != nil {
		return salvo{}, err
	}
	before, err := s.cpu()
	if err != nil {
		return salvo{}, err
	}
	result, err := s.volley(ctx, shots, n, connections, 0)
	if err != nil {
		return salvo{}, err
	}
	after, err := s.cpu()
	result.cpu = after - before
	if err == nil && result.failed > 0 {
		err = fmt.Errorf("%d of %d requests failed: %w", result.failed, result.sent, result.failure)
	}
	return result, err
}

// volley sends n requests over some connections, with a pause after each, until
// ctx ends. An end of ctx is no failure.
func (s *server) volley(ctx context.Context, shots []shot, n, conns int, pause time.Duration) (salvo, error) {
	var next atomic.Int64
	var mu sync.Mutex
	var result salvo
	var times []time.Duration
	var group sync.WaitGroup
	start := time.Now()
	for range min(conns, n) {
		group.Go(func() {
			var own []time.Duration
			var failed int
			var failure error
			g := &gun{addr: s.addr}
			defer g.close()
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				begin := time.Now()
				if err := g.fire(shots[i%int64(len(shots))]); err != nil {
					failed, failure = failed+1, err
					g.close()
				}
				own = append(own, time.Since(begin))
				if pause > 0 {
					time.Sleep(pause)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			times = append(times, own...)
			result.failed += failed
			result.failure = errors.Join(result.failure, failure)
		})
	}
	group.Wait()
	result.elapsed = time.Since(start)
	if len(times) == 0 {
		return result, ctx.Err()
	}
	slices.Sort(times)
	result.sent, result.p99 = len(times), times[(len(times)-1)*99/100]
	return result, nil
}

// A gun is a connection. It reads no more of an answer than it must: what the
// client costs is missing to the server, on a machine of few cores.
type gun struct {
	addr string
	conn net.Conn
	in   *bufio.Reader
}

func (g *gun) close() {
	if g.conn != nil {
		g.conn.Close()
		g.conn = nil
	}
}

// patience bounds one request.
const patience = 30 * time.Second

func (g *gun) fire(s shot) error {
	if g.conn == nil {
		conn, err := net.DialTimeout("tcp", g.addr, patience)
		if err != nil {
			return err
		}
		g.conn, g.in = conn, bufio.NewReaderSize(conn, 64<<10)
	}
	if err := g.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := g.conn.Write(s.request); err != nil {
		return err
	}
	status, length, err := g.head()
	if err != nil {
		return err
	}
	if length < 0 {
		if length, err = g.chunks(); err != nil {
			return err
		}
	} else if _, err := g.in.Discard(length); err != nil {
		return err
	}
	if status != "200" {
		return fmt.Errorf("status %s", status)
	}
	if s.length >= 0 && length != s.length {
		return fmt.Errorf("a body of %d bytes, not %d", length, s.length)
	}
	return nil
}

// head reads the status and the header fields. The length is -1 if the body comes
// in chunks.
func (g *gun) head() (status string, length int, err error) {
	line, err := g.in.ReadSlice('\n')
	if err != nil {
		return "", 0, err
	}
	if len(line) < 12 {
		return "", 0, fmt.Errorf("status line %q", line)
	}
	status = string(line[9:12])
	for {
		line, err := g.in.ReadSlice('\n')
		if err != nil {
			return "", 0, err
		}
		name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
		switch {
		case len(name) == 0:
			return status, length, nil
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil || length < 0 {
				return "", 0, fmt.Errorf("length %q", value)
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			length = -1
		}
	}
}

// chunks passes over a body in chunks and returns its length.
func (g *gun) chunks() (total int, err error) {
	for {
		line, err := g.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		n, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 31)
		if err != nil {
			return 0, err
		}
		total += int(n)
		if _, err := g.in.Discard(int(n) + len("\r\n")); err != nil {
			return 0, err
		}
		if n == 0 {
			return total, nil
		}
	}
}

// reach tries until the server takes a connection.
func (s *server) reach(ctx context.Context) error {
	for {
		conn, err := net.DialTimeout("tcp", s.addr, patience)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-s.exited:
			return fmt.Errorf("the server ended before it listened:\n%s", s.log.Bytes())
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Microsecond):
		}
	}
}
