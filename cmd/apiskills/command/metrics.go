package command

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/skillsmcp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// A monitor counts calls and samples the catalog, for Prometheus.
type monitor struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	// known has what each call of a method needs, found by one look.
	known map[string]*methodMonitor
}

// A methodMonitor has the series of one method. They are there from the first
// call that they count.
type methodMonitor struct {
	ok       func() prometheus.Counter
	duration func() prometheus.Observer
}

func (m *monitor) method(name string) *methodMonitor {
	return &methodMonitor{
		ok:       sync.OnceValue(func() prometheus.Counter { return m.requests.WithLabelValues(name, "ok") }),
		duration: sync.OnceValue(func() prometheus.Observer { return m.duration.WithLabelValues(name) }),
	}
}

// otherMethods is the label of all methods that have none of their own.
const otherMethods = "other"

// methods are those that have a label of their own. A client can send any name.
var methods = []string{
	"skills/list", "skills/get", "resources/directory/read", "resources/list", "resources/read", "resources/templates/list",
	"completion/complete", "server/discover", "initialize", "ping", "subscriptions/listen", "tools/list", "tools/call",
	"prompts/list", "prompts/get", "notifications/initialized", "notifications/cancelled",
}

func newMonitor(catalog *framework.Catalog) *monitor {
	m := &monitor{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "apiskills_requests_total", Help: "Messages answered, by method and outcome: ok, the code of the JSON-RPC error, or the status of the HTTP response.",
		}, []string{"method", "outcome"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "apiskills_request_duration_seconds", Help: "Time from the decoded message to the response.",
			Buckets: []float64{.00001, .0001, .001, .01, .1, 1, 10},
		}, []string{"method"}),
	}
	m.known = map[string]*methodMonitor{otherMethods: m.method(otherMethods)}
	for _, name := range methods {
		m.known[name] = m.method(name)
	}
	m.registry.MustRegister(m.requests, m.duration, catalogCollector{catalog}, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// handler serves the figures.
func (m *monitor) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}

// observe counts a call.
func (m *monitor) observe(_ context.Context, c *skillsmcp.Call) {
	name := c.Method
	method := m.known[name]
	if method == nil {
		name, method = otherMethods, m.known[otherMethods]
	}
	switch {
	case c.Code != 0:
		m.requests.WithLabelValues(name, strconv.Itoa(c.Code)).Inc()
	case c.Status >= 400:
		m.requests.WithLabelValues(name, strconv.Itoa(c.Status)).Inc()
	default:
		method.ok().Inc()
	}
	if name != "subscriptions/listen" { // how long somebody listened is no duration of the server's
		method.duration().Observe(c.Duration.Seconds())
	}
}

// A catalogCollector samples the counts of a catalog.
type catalogCollector struct{ *framework.Catalog }

var (
	rendersDesc    = prometheus.NewDesc("apiskills_renders_total", "Skills that were made.", nil, nil)
	renderTimeDesc = prometheus.NewDesc("apiskills_render_seconds_total", "Time that making skills took.", nil, nil)
	failuresDesc   = prometheus.NewDesc("apiskills_render_failures_total", "Skills that could not be made.", nil, nil)
	abandonedDesc  = prometheus.NewDesc("apiskills_abandoned_calls", "Calls of generators that ran past their deadline and have not returned.", nil, nil)
	lookupsDesc    = prometheus.NewDesc("apiskills_cache_lookups_total", "Lookups in a cache.", []string{"cache", "result"}, nil)
	cacheBytesDesc = prometheus.NewDesc("apiskills_cache_bytes", "Bytes that a cache holds.", []string{"cache"}, nil)
)

func (c catalogCollector) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, ch) }

func (c catalogCollector) Collect(ch chan<- prometheus.Metric) {
	s := c.Stats()
	counter := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	counter(rendersDesc, float64(s.Renders))
	counter(renderTimeDesc, s.RenderTime.Seconds())
	counter(failuresDesc, float64(s.Failures))
	ch <- prometheus.MustNewConstMetric(abandonedDesc, prometheus.GaugeValue, float64(s.Abandoned))
	for _, cache := range []struct {
		name string
		framework.CacheStats
	}{{"entries", s.Entries}, {"contents", s.Contents}, {"pages", s.Pages}} {
		counter(lookupsDesc, float64(cache.Hits), cache.name, "hit")
		counter(lookupsDesc, float64(cache.Misses), cache.name, "miss")
		ch <- prometheus.MustNewConstMetric(cacheBytesDesc, prometheus.GaugeValue, float64(cache.Bytes), cache.name)
	}
}
