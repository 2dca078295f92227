package faults

import (
	"cmp"
	"strings"
	"testing"
	"testing/synctest"
)

// A position says which of a call's requests a fault hits.
type position struct {
	name        string
	title, text string // in the documentation
	optional    bool   // a call may have no such request
	plan        func(w write, f *fault) func(*exchange) *fault
}

// retries is the maximum number of retries of a request, the default.
const retries = 3

// positions are where the matrix injects its faults. Attempts before the intended
// one get no connection, so the server retries.
func positions() []position {
	no, delayed := faultNamed("connection refused"), faultNamed("reset, carried out 3s later")
	at := func(n int) func(w write, f *fault) func(*exchange) *fault {
		return func(w write, f *fault) func(*exchange) *fault {
			if n > 1 && w.once() {
				return nil
			}
			return func(x *exchange) *fault {
				switch {
				case !w.hits(x) || x.attempt > n:
					return nil
				case x.attempt < n:
					return no
				}
				return f
			}
		}
	}
	return []position{
		{name: "first", title: "Once", text: "The first attempt at a request that writes is broken; what follows works.", plan: at(1)},
		{name: "second", plan: at(2)},
		{name: "last", plan: at(retries + 1)},
		{name: "every", title: "At every attempt", text: "Every request that writes is broken; reads work.", plan: func(w write, f *fault) func(*exchange) *fault {
			return func(x *exchange) *fault {
				if w.hits(x) {
					return f
				}
				return nil
			}
		}},
		{name: "after a late one", optional: true, plan: func(w write, f *fault) func(*exchange) *fault {
			return func(x *exchange) *fault {
				switch {
				case w.hits(x) && x.attempt == 1:
					return delayed
				case w.hits(x) && x.attempt == 2:
					return f
				}
				return nil
			}
		}},
		{name: "later step", optional: true, title: "At a later step", text: "Some calls write more than once. What they write first works; each request that writes after that is broken.", plan: func(w write, f *fault) func(*exchange) *fault {
			first := ""
			return func(x *exchange) *fault {
				if !w.hits(x) || x.keeps {
					return nil
				}
				if first = cmp.Or(first, x.step); x.step != first {
					return f
				}
				return nil
			}
		}},
		{name: "from then on", title: "From then on", text: "The first request that writes is broken, and all requests after it.", plan: func(w write, f *fault) func(*exchange) *fault {
			if !f.stays {
				return nil
			}
			broken := false
			return func(x *exchange) *fault {
				if broken = broken || w.hits(x); broken {
					return f
				}
				return nil
			}
		}},
	}
}

// hits reports whether the matrix breaks a request: a write or the request that
// prepares its undoing, and in a batch those of the second item.
func (w write) hits(x *exchange) bool {
	if !x.writes && !x.keeps || len(w.items) == 0 {
		return x.writes || x.keeps
	}
	return strings.TrimPrefix(w.items[1], "document ") == x.target
}

func TestNoFaultMakesAnAnswerUntrue(t *testing.T) {
	var seen table
	t.Run("writes", func(t *testing.T) { seen.fill(t) })
	all := 0
	for _, v := range versions() {
		all += len(writesOn(v))
	}
	if !t.Failed() && seen.writes == all {
		seen.compare(t)
	}
}

// fill tries every fault at every position on every write, with every version.
func (seen *table) fill(t *testing.T) {
	for _, v := range versions() {
		for _, w := range writesOn(v) {
			t.Run(v.name()+"/"+w.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { seen.try(t, v, w) })
			})
		}
	}
}

// try tries every fault at every position on a write.
func (seen *table) try(t *testing.T, v version, w write) {
	// One item of a batch at a time, so that all runs are the same.
	b := newBench(t, "OUTLINE_BATCH_CONCURRENCY=1")
	model := b.model(t, v, w)
	for _, f := range faults() {
		if !v.guards() && !w.updates() && !f.human {
			continue // releases behave like the newest source here
		}
		if f.overlaps && w.name == "comment on a passage" {
			continue // an update that has read the document before erases the anchor, and no answer tells
		}
		for _, at := range positions() {
			plan := at.plan(w, f)
			if plan == nil {
				continue
			}
			on := v
			if f.human {
				on = v.busied()
			}
			r := b.do(t.Context(), on, w, plan)
			outcomes, wrong := judge(model, r)
			if wrong == "" && !r.struck(f) {
				if at.optional {
					continue
				}
				wrong = "the fault did not come to pass"
			}
			if wrong != "" {
				t.Errorf("%s, %s: %s\n%s", f.name, at.name, wrong, r.report())
				continue
			}
			seen.add(v, at, f, w, outcomes)
		}
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	seen.writes++
}
