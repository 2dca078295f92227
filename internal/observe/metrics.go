// Package observe shows operators what the server does: counters in the text format
// of Prometheus, and traces for an OpenTelemetry collector, sent by OTLP over HTTP.
package observe

import (
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// maxScrapes limits concurrent answers of Handler, which needs no key, so that
// it cannot be used to overload the server.
const maxScrapes = 4

// Options name what can be counted. A name that is not in these lists is counted
// as "other", because each combination of label values is kept as long as the
// process lives, and callers can send any name.
type Options struct {
	Version  string   // of this program
	Tools    []string // names of tools
	Outcomes []string // of requests: "ok", or the code of the failure
	Refusals []string // reasons of the HTTP server to refuse a request

	// Without a login, both are empty.
	LoginEvents   []string // what happens when people log in, such as login and refresh
	LoginRefusals []string // reasons to refuse a step of a login
}

// Metrics are the counters of one server. All methods are safe for concurrent use
// and do nothing on a nil Metrics.
type Metrics struct {
	registry *prometheus.Registry

	tools, outcomes, refusals  names
	loginEvents, loginRefusals names

	calls, others               *prometheus.CounterVec // others: requests for anything but tools
	callDuration, otherDuration *prometheus.HistogramVec
	inFlight                    prometheus.Gauge

	requests, retries *prometheus.CounterVec
	requestDuration   *prometheus.HistogramVec
	waits, waited     prometheus.Counter

	refused, logins, loginsRefused, answered *prometheus.CounterVec
	auditLines, auditFailures, redisFailures prometheus.Counter
}

// New returns counters at zero.
func New(o Options) *Metrics {
	registry := prometheus.NewRegistry()
	f := factory{promauto.With(registry)}
	m := &Metrics{
		registry: registry,
		tools:    o.Tools, outcomes: o.Outcomes, refusals: o.Refusals,
		loginEvents: o.LoginEvents, loginRefusals: o.LoginRefusals,

		calls:        f.counters("tool_calls_total", "Tool calls that ended, by how: ok or the code of the failure.", "tool", "outcome"),
		callDuration: f.durations("tool_call_duration_seconds", "How long tool calls took.", "tool"),
		inFlight: f.NewGauge(prometheus.GaugeOpts{
			Namespace: namespace, Name: "tool_calls_in_flight", Help: "Tool calls that are running.",
		}),

		others:        f.counters("requests_total", "Requests for resources, prompts and completions that ended, by how: ok or the code of the failure.", "kind", "name", "outcome"),
		otherDuration: f.durations("request_duration_seconds", "How long requests for resources, prompts and completions took.", "kind", "name"),

		requests:        f.counters("outline_requests_total", "Requests to Outline, repeated ones included, by status; 0 is no answer.", "endpoint", "status"),
		requestDuration: f.durations("outline_request_duration_seconds", "How long requests to Outline took, each attempt by itself.", "endpoint"),
		retries:         f.counters("outline_retries_total", "Requests to Outline that repeated another.", "endpoint"),
		waits:           f.counter("rate_limit_waits_total", "Requests to Outline that waited first because of a rate limit or OUTLINE_MAX_REQUESTS."),
		waited:          f.counter("rate_limit_wait_seconds_total", "How long those waited."),

		refused: f.counters("http_refusals_total", "HTTP requests that were refused before the protocol saw them, by reason.", "reason"),

		logins:        f.counters("login_events_total", "What happened in logins with Outline: clients that registered, people who logged in, tokens that were renewed or revoked.", "event"),
		loginsRefused: f.counters("login_refusals_total", "Steps of logins with Outline that were refused, by reason.", "reason"),
		answered:      f.counters("answered_tokens_total", "Text in answers, in tokens: about one for four characters.", "kind", "name"),

		auditLines:    f.counter("audit_lines_total", "Lines of the audit trail that are stored."),
		redisFailures: f.counter("redis_failures_total", "Attempts to use Redis that failed; limits were those of this replica."),
		auditFailures: f.counter("audit_failures_total", "Lines of the audit trail that could not be stored."),
	}
	f.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "1; the labels say what is running.",
		ConstLabels: prometheus.Labels{"version": o.Version, "go_version": runtime.Version()},
	}).Set(1)
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	// Shown at 0, so that the first one is an increase.
	zero(m.refused, slices.Concat(m.refusals, names{other}))
	zero(m.logins, m.loginEvents)
	zero(m.loginsRefused, m.loginRefusals)
	return m
}

func zero(counters *prometheus.CounterVec, labels names) {
	for _, label := range labels {
		counters.WithLabelValues(label)
	}
}

// Handler serves all counters. It needs no key.
func (m *Metrics) Handler() http.Handler {
	if m == nil {
		return http.NotFoundHandler()
	}
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes})
}

// tool is the kind of requests whose metrics have their own names.
const tool = "tool"

// RequestStarted counts a request as running until RequestEnded, if it is for a
// tool.
func (m *Metrics) RequestStarted(kind string) {
	if m != nil && kind == tool {
		m.inFlight.Inc()
	}
}

// RequestEnded counts a request that RequestStarted has counted: its kind, such
// as tool, resource or prompt, the name of what it asked for, its outcome, which
// is "ok" or the code of the failure, and how long it took. A name of any kind
// but tool must come from this program.
func (m *Metrics) RequestEnded(kind, name, outcome string, took time.Duration) {
	if m == nil {
		return
	}
	outcome = m.outcomes.known(outcome)
	if kind != tool {
		m.others.WithLabelValues(kind, name, outcome).Inc()
		m.otherDuration.WithLabelValues(kind, name).Observe(took.Seconds())
		return
	}
	name = m.tools.known(name)
	m.inFlight.Dec()
	m.calls.WithLabelValues(name, outcome).Inc()
	m.callDuration.WithLabelValues(name).Observe(took.Seconds())
}

// charactersPerToken estimates the tokens of a text.
const charactersPerToken = 4

// Answered counts the characters of text in an answer to a request that RequestEnded
// counts.
func (m *Metrics) Answered(kind, name string, characters int) {
	if m == nil {
		return
	}
	if kind == tool {
		name = m.tools.known(name)
	}
	m.answered.WithLabelValues(kind, name).Add(float64(characters) / charactersPerToken)
}

// CountSubjects shows a number of callers that count returns.
func (m *Metrics) CountSubjects(count func() int) {
	if m == nil {
		return
	}
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: namespace, Name: "subjects", Help: "Callers whose credential Outline has accepted in the last hour, at most 4096.",
	}, func() float64 { return float64(count()) }))
}

// OutlineRequest counts one attempt of one request to Outline. The endpoint, such
// as documents.info, must come from this program. The status is that of HTTP, or 0
// without an answer. retry reports whether the attempt repeats another, and waited
// how long it was held back by a rate limit.
func (m *Metrics) OutlineRequest(endpoint string, status int, took time.Duration, retry bool, waited time.Duration) {
	if m == nil {
		return
	}
	m.requests.WithLabelValues(endpoint, statusLabel(status)).Inc()
	m.requestDuration.WithLabelValues(endpoint).Observe(took.Seconds())
	if retry {
		m.retries.WithLabelValues(endpoint).Inc()
	}
	if waited > 0 {
		m.waits.Inc()
		m.waited.Add(waited.Seconds())
	}
}

// Refused counts an HTTP request that was refused.
func (m *Metrics) Refused(reason string) {
	if m != nil {
		m.refused.WithLabelValues(m.refusals.known(reason)).Inc()
	}
}

// Login counts an event of a login with Outline or, if there is a reason, that it was
// refused.
func (m *Metrics) Login(event, reason string) {
	switch {
	case m == nil:
	case reason != "":
		m.loginsRefused.WithLabelValues(m.loginRefusals.known(reason)).Inc()
	default:
		m.logins.WithLabelValues(m.loginEvents.known(event)).Inc()
	}
}

// AuditLine counts a line of the audit trail, which is stored or could not be.
func (m *Metrics) AuditLine(stored bool) {
	switch {
	case m == nil:
	case stored:
		m.auditLines.Inc()
	default:
		m.auditFailures.Inc()
	}
}

// RedisFailed counts an attempt to use Redis that failed.
func (m *Metrics) RedisFailed() {
	if m != nil {
		m.redisFailures.Inc()
	}
}

// statusLabel returns an HTTP status as a label, or 0 without an answer. A server
// that is not Outline may send any number.
func statusLabel(status int) string {
	if status != 0 && (status < 100 || status > 599) {
		return other
	}
	return strconv.Itoa(status)
}

// namespace is the prefix of the names of this server's metrics.
const namespace = "outline_mcp"

// other is the label of every unknown name.
const other = "other"

// A factory makes metrics and registers them.
type factory struct{ promauto.Factory }

func (f factory) counter(name, help string) prometheus.Counter {
	return f.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
}

func (f factory) counters(name, help string, labels ...string) *prometheus.CounterVec {
	return f.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func (f factory) durations(name, help string, labels ...string) *prometheus.HistogramVec {
	// From an answer of the embedded workspace to the default timeout of a call, in seconds.
	buckets := []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 50}
	return f.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
}

// names are the values that a label can have, beside other.
type names []string

func (n names) known(name string) string {
	if slices.Contains(n, name) {
		return name
	}
	return other
}
