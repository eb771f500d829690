package skillsmcp

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// admit checks who a request says it comes from and goes to, before anything
// else looks at it. It reports false where it has written the response: a
// refusal, or the answer to a browser's preflight.
func (o *Options) admit(w http.ResponseWriter, r *http.Request) bool {
	loopback := overLoopback(r)
	if !o.hostAllowed(r.Host, loopback) {
		http.Error(w, "Forbidden: this server does not answer to the name in the Host header", http.StatusForbidden)
		return false
	}
	origin, listed, allowed := o.originAllowed(r, loopback)
	if !allowed {
		http.Error(w, "Forbidden: web pages of this origin may not call this server", http.StatusForbidden)
		return false
	}
	if len(o.AllowedOrigins) == 0 {
		return true
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	if !listed {
		return true
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", mcp.HeaderSessionID)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return true
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS")
	h.Set("Access-Control-Allow-Headers", strings.Join([]string{
		"Authorization", "Content-Type", mcp.HeaderProtocolVersion, mcp.HeaderSessionID,
		mcp.HeaderMethod, mcp.HeaderName, mcp.HeaderLastEventID,
	}, ", "))
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return false
}

// Admits reports whether a request names a host, and comes from an origin if it
// comes from a web page, for which the endpoint answers too. It is for what stands
// beside the endpoint and tells something.
func (b *Binding) Admits(r *http.Request) bool {
	loopback := overLoopback(r)
	_, _, allowed := b.opts.originAllowed(r, loopback)
	return allowed && b.opts.hostAllowed(r.Host, loopback)
}

// originAllowed returns the origin that a request comes from, "" if from none,
// whether it is listed, and whether it may call.
func (o *Options) originAllowed(r *http.Request, loopback bool) (origin string, listed, allowed bool) {
	origins := r.Header["Origin"]
	if len(origins) == 0 {
		return "", false, true
	}
	origin = origins[0]
	listed = origin != "" && (slices.Contains(o.AllowedOrigins, origin) || slices.Contains(o.AllowedOrigins, "*"))
	return origin, listed, listed || len(origins) == 1 && ownOrigin(origin, r.Host, loopback)
}

func (o *Options) hostAllowed(host string, loopback bool) bool {
	if len(o.AllowedHosts) == 0 {
		return !loopback || isLoopback(host)
	}
	name := hostname(host)
	return slices.ContainsFunc(o.AllowedHosts, func(allowed string) bool { return strings.EqualFold(allowed, name) })
}

// ownOrigin reports whether the page at origin is served by the host it calls,
// or is as local as the connection.
func ownOrigin(origin, host string, loopback bool) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return strings.EqualFold(u.Host, host) || loopback && isLoopback(u.Host)
}

// overLoopback reports whether the connection does not leave the machine.
func overLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || addr == nil {
		return false
	}
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.IP.IsLoopback()
	}
	return isLoopback(addr.String())
}

func isLoopback(host string) bool {
	name := hostname(host)
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback()
}

// hostname returns host without its port and brackets.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}
