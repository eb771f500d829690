package command

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"

	"github.com/apiskills/apiskills/config"
	"github.com/bmatcuk/doublestar/v4"
)

// A caller is the holder of a token.
type caller struct {
	name  string
	allow []string // globs of paths; none: all
}

// callers are those who may call, by the digest of their token: a lookup takes
// no time that depends on how much of a guess is right.
type callers map[[sha256.Size]byte]*caller

// Bounds of a token, in bytes. A shorter one can be guessed.
const (
	minToken = 16
	maxToken = 4096
)

// loadCallers reads the tokens of the configuration; nil if there are none.
func loadCallers(tokens []config.Token) (callers, error) {
	var all callers
	for _, t := range tokens {
		token, err := readToken(t)
		if err != nil {
			return nil, fmt.Errorf("token of %q: %w", t.Name, err)
		}
		if len(token) < minToken || len(token) > maxToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return nil, fmt.Errorf("token of %q: it must be %d to %d printable ASCII characters without spaces; \"openssl rand -hex 32\" makes one", t.Name, minToken, maxToken)
		}
		for _, pattern := range t.Allow {
			if !doublestar.ValidatePattern(pattern) {
				return nil, fmt.Errorf("token of %q: allow: %q is not a glob", t.Name, pattern)
			}
		}
		digest := sha256.Sum256([]byte(token))
		if other := all[digest]; other != nil {
			return nil, fmt.Errorf("%q and %q have the same token", other.name, t.Name)
		}
		if all == nil {
			all = callers{}
		}
		all[digest] = &caller{t.Name, t.Allow}
	}
	return all, nil
}

func readToken(t config.Token) (string, error) {
	if t.Env != "" {
		token := os.Getenv(t.Env)
		if token == "" {
			return "", fmt.Errorf("the environment variable %s is empty or not set", t.Env)
		}
		return token, nil
	}
	// Looked at before it is opened: to open a pipe can take for ever.
	if info, err := os.Stat(t.File); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", t.File)
	}
	f, err := os.Open(t.File)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	// Windows says who may read a file elsewhere.
	if mode := info.Mode(); runtime.GOOS != "windows" && mode.Perm()&0o007 != 0 {
		return "", fmt.Errorf("every user of this machine can read %s; run \"chmod o= %s\"", t.File, t.File)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxToken+2))
	if err != nil {
		return "", err
	}
	token := strings.TrimRight(string(data), "\r\n")
	if token == "" {
		return "", fmt.Errorf("%s is empty", t.File)
	}
	return token, nil
}

type callerKey struct{}

// callerOf returns the caller that a request belongs to, nil if nobody was asked.
func callerOf(ctx context.Context) *caller {
	c, _ := ctx.Value(callerKey{}).(*caller)
	return c
}

// only lets a request pass that has one of the tokens. Without tokens it lets all
// pass.
func (all callers) only(next http.Handler) http.Handler {
	if all == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// What a browser asks before a call has no token, and the answer is the same
		// for all.
		if r.Method == http.MethodOptions && r.Header.Get("Origin") != "" && r.Header.Get("Access-Control-Request-Method") != "" {
			next.ServeHTTP(w, r)
			return
		}
		c := all.of(r)
		if c == nil {
			challenge := `Bearer realm="apiskills"`
			if r.Header.Get("Authorization") != "" {
				challenge += `, error="invalid_token"`
			}
			w.Header().Set("WWW-Authenticate", challenge)
			http.Error(w, "Unauthorized: send a token that this server knows, as in \"Authorization: Bearer TOKEN\"", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
	})
}

// of returns the caller whose token a request has, nil if there is none. Two
// tokens are none: a proxy may have looked at the other one.
func (all callers) of(r *http.Request) *caller {
	values := r.Header["Authorization"]
	if len(values) != 1 {
		return nil
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return nil
	}
	return all[sha256.Sum256([]byte(strings.TrimSpace(token)))]
}

// seesAll reports whether a request is of a caller who may see all skills.
func (all callers) seesAll(r *http.Request) bool {
	if all == nil {
		return true
	}
	c := all.of(r)
	return c != nil && len(c.allow) == 0
}

// allow reports whether the caller of a request may see the skill at path.
func (all callers) allow(ctx context.Context, path string) bool {
	c := callerOf(ctx)
	if c == nil {
		return false
	}
	if len(c.allow) == 0 {
		return true
	}
	for _, pattern := range c.allow {
		if doublestar.MatchUnvalidated(pattern, path) {
			return true
		}
	}
	return false
}

// restricted reports whether some caller may not see all.
func (all callers) restricted() bool {
	for _, c := range all {
		if len(c.allow) > 0 {
			return true
		}
	}
	return false
}

// everywhere returns a context of nobody's call in which all skills are seen.
func everywhere(ctx context.Context) context.Context {
	return context.WithValue(ctx, callerKey{}, &caller{name: "apiskills"})
}

// checkExposure refuses to serve other machines without asking who calls.
func checkExposure(s *session, loopback bool, addr string) error {
	if loopback || s.Insecure {
		return nil
	}
	if len(s.Tokens) == 0 {
		return unusable(fmt.Errorf("other machines can reach %s, and nobody is asked who calls; give tokens in the configuration (\"%s help config\"), or allow everybody with --insecure", addr, s.program))
	}
	if s.HTTP.TLSCert == "" {
		return unusable(errors.New("tokens would cross the network in the clear; serve HTTPS with --tls-cert and --tls-key, or, behind a proxy that does, give --insecure"))
	}
	return nil
}
