package doctor

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	samples = 5           // number of requests that the latency is measured with
	slow    = time.Second // the latency that causes a warning
	askew   = time.Minute // the difference of clocks that causes a warning
)

// checkRateLimit reports whether a request of this run hit a rate limit. Outline
// does not announce its limits in any other way.
func checkRateLimit(_ context.Context, e *examination) {
	e.asked.mu.Lock()
	defer e.asked.mu.Unlock()
	refusals := e.asked.limited
	details := map[string]any{"requests": e.asked.answers, "refused": len(refusals)}
	if len(refusals) == 0 {
		e.add(OK, "rate_limit", "not reached in "+count(e.asked.answers, "request"), "", details)
		return
	}
	var endpoints []string
	for _, one := range refusals {
		if !slices.Contains(endpoints, one.endpoint) {
			endpoints = append(endpoints, one.endpoint)
		}
	}
	wait := "without Retry-After"
	if last := short(refusals[len(refusals)-1].header.Get("Retry-After")); last != "" {
		wait = "Retry-After: " + last
		details["retry_after"] = last
	}
	e.add(Warning, "rate_limit", fmt.Sprintf("reached by %d of %s (429 to %s, %s)", len(refusals), count(e.asked.answers, "request"), strings.Join(endpoints, ", "), wait),
		"wait and try again; other programs may use the same key or address. The operator of Outline can raise the limit (RATE_LIMITER_MULTIPLIER)", details)
}

// checkLatency reports the median latency of a few small requests.
func checkLatency(ctx context.Context, e *examination) {
	var took []time.Duration
	for range samples {
		got := e.small(ctx)
		if !got.fromOutline() || got.status == http.StatusTooManyRequests {
			break
		}
		took = append(took, got.took)
		e.timed = append(e.timed, got)
	}
	if len(took) == 0 {
		e.skip("no small request was answered", "latency")
		return
	}
	slices.Sort(took)
	median := took[len(took)/2]
	finding := fmt.Sprintf("%s, the median of %s (%s to %s)", rounded(median), count(len(took), "small request"), rounded(took[0]), rounded(took[len(took)-1]))
	details := map[string]any{"median_ms": float64(median.Microseconds()) / 1000, "requests": len(took)}
	// A tool call makes several requests, and some take far longer than these.
	if limit := e.settings.RequestTimeout; median > slow || median > limit/4 {
		e.add(Warning, "latency", finding, fmt.Sprintf("if calls time out, raise OUTLINE_REQUEST_TIMEOUT (%s) and OUTLINE_CALL_TIMEOUT (%s), or run this program closer to Outline", limit, e.settings.CallTimeout), details)
		return
	}
	e.add(OK, "latency", finding, "", details)
}

// small makes a request that is cheap for Outline.
func (e *examination) small(ctx context.Context) answer {
	key := e.key
	if !e.valid {
		key = ""
	}
	return e.request(ctx, e.base, "auth.info", "{}", key)
}

// checkClock compares the clocks, using the fastest answer. The Date header has
// a precision of one second.
func checkClock(_ context.Context, e *examination) {
	if len(e.timed) == 0 {
		e.skip("no small request was answered", "clock")
		return
	}
	if e.Demo {
		e.skip("the clock of the sample workspace starts in November 2026", "clock")
		return
	}
	got := slices.MinFunc(e.timed, func(a, b answer) int { return cmp.Compare(a.took, b.took) })
	theirs, err := http.ParseTime(got.header.Get("Date"))
	if err != nil {
		e.skip("the answer has no Date header", "clock")
		return
	}
	ahead := theirs.Add(time.Second / 2).Sub(got.sent.Add(got.took / 2)).Round(time.Second)
	details := map[string]any{"difference_seconds": int(ahead / time.Second)}
	if ahead.Abs() < askew {
		finding := "the same as Outline's"
		if ahead.Abs() > time.Second {
			finding = "within " + ahead.Abs().String() + " of Outline's"
		}
		e.add(OK, "clock", finding, "", details)
		return
	}
	direction := "behind"
	if ahead < 0 {
		direction = "ahead of"
	}
	e.add(Warning, "clock", fmt.Sprintf("this machine's is %s %s Outline's", ahead.Abs(), direction), "synchronize both clocks with a time server: certificates, the expiry of keys and dates in answers depend on them", details)
}
