package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// namespace is the prefix of the names of this server's metrics.
const namespace = "outline_mcp"

// other is the label of every unknown name.
const other = "other"

// buckets returns the upper bounds of the duration histograms in seconds: from an
// answer of the embedded workspace to the default timeout of a call.
func buckets() []float64 {
	return []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 50}
}

// A factory makes metrics and registers them.
type factory struct{ promauto.Factory }

func (f factory) counter(name, help string) prometheus.Counter {
	return f.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
}

func (f factory) counters(name, help string, labels ...string) *prometheus.CounterVec {
	return f.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func (f factory) durations(name, help string, labels ...string) *prometheus.HistogramVec {
	return f.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets()}, labels)
}

// names are the values that a label can have, beside other.
type names []string

func (n names) known(name string) string {
	if slices.Contains(n, name) {
		return name
	}
	return other
}
