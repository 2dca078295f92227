package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
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

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func durations(name, help string, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets()}, labels)
}

// names are the values that a label can have.
type names map[string]struct{}

func namesOf(list []string) names {
	known := names{other: {}}
	for _, name := range list {
		known[name] = struct{}{}
	}
	return known
}

func (n names) known(name string) string {
	if _, ok := n[name]; ok {
		return name
	}
	return other
}
