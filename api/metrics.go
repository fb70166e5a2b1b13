package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Measure is a number that the service reads when somebody asks for GET /metrics.
type Measure struct {
	Name  string         // such as termbay_entries_running
	Help  string         // one sentence
	Total bool           // it only grows: a counter, whose name ends in _total
	Read  func() float64 // called from any goroutine
}

// metrics counts requests and holds what GET /metrics tells; its registry is its own.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
}

func newMetrics(measures []Measure) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "termbay_http_request_seconds",
			Help:    "How long requests took, by operation and status; waits included.",
			Buckets: []float64{.001, .005, .025, .1, .5, 2, 10, 30, 120, 300},
		}, []string{"operation", "status"}),
	}
	m.registry.MustRegister(m.requests,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, measure := range measures {
		m.registry.MustRegister(collectorOf(measure))
	}
	return m
}

func collectorOf(m Measure) prometheus.Collector {
	if m.Total {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: m.Name, Help: m.Help}, m.Read)
	}
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: m.Name, Help: m.Help}, m.Read)
}

// count counts one request; operation is empty for one that reached none.
func (m *metrics) count(operation string, status int, took time.Duration) {
	if operation == "" {
		operation = "none"
	}
	m.requests.WithLabelValues(operation, strconv.Itoa(status)).Observe(took.Seconds())
}

// handler tells the metrics, as text whatever else promhttp could send. It panics when they contradict each other; its
// own answer would be no problem.
func (m *metrics) handler() http.Handler {
	text := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.PanicOnError})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept")
		text.ServeHTTP(w, r)
	})
}
