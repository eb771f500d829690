package skillsmcp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
)

// recorder is a ResponseWriter that keeps nothing.
type recorder struct{ header http.Header }

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) Write(p []byte) (int, error) { return len(p), nil }
func (r *recorder) WriteHeader(int)             {}

// BenchmarkHandler measures warm calls without sockets. "bare" is a handler
// that reads the body and writes the same bytes; what lies between the two is
// the cost of this package and of the catalog.
func BenchmarkHandler(b *testing.B) {
	h := newServer(b, nil).Handler()
	book := `"uri":"` + bookURI + `"`
	for name, make := range map[string]func() *http.Request{
		"get/modern":        func() *http.Request { return modern("skills/get", book) },
		"get/legacy":        func() *http.Request { return legacy("skills/get", book) },
		"read/modern":       func() *http.Request { return modern("resources/read", book) },
		"list/modern":       func() *http.Request { return modern("skills/list", "") },
		"tools/list/modern": func() *http.Request { return modern("tools/list", "") },
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, make())
		answer := w.Body.Bytes()
		bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err != nil {
				b.Error(err)
			}
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
			w.WriteHeader(http.StatusOK)
			_, _ = w.Write(answer)
		})
		for which, handler := range map[string]http.Handler{"": h, "/bare": bare} {
			b.Run(name+which, func(b *testing.B) {
				template := make()
				body, _ := io.ReadAll(template.Body)
				b.ReportAllocs()
				for b.Loop() {
					r := *template
					r.Body = &replay{data: body}
					r.ContentLength = int64(len(body))
					handler.ServeHTTP(&recorder{header: http.Header{}}, &r)
				}
			})
		}
	}
}

// replay is a body.
type replay struct {
	data []byte
	pos  int
}

func (r *replay) Read(p []byte) (int, error) {
	n := copy(p, r.data[r.pos:])
	if r.pos += n; r.pos == len(r.data) {
		return n, io.EOF
	}
	return n, nil
}

func (*replay) Close() error { return nil }

func BenchmarkDecodeEnvelope(b *testing.B) {
	body, _ := io.ReadAll(modern("skills/get", `"uri":"`+bookURI+`"`).Body)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := decodeEnvelope(body); !ok {
			b.Fatal("not decoded")
		}
	}
}
