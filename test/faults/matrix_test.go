package faults

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/cli"
	"outline-mcp/output"
)

// A position says which of a call's requests a fault hits.
type position struct {
	name     string
	title    string // in the documentation
	optional bool   // a call may have no such request
	plan     func(w write, f *fault) func(*exchange) *fault
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
		{name: "first", title: "Once", plan: at(1)},
		{name: "second", plan: at(2)},
		{name: "last", plan: at(retries + 1)},
		{name: "every", title: "At every attempt", plan: func(w write, f *fault) func(*exchange) *fault {
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
		{name: "later step", optional: true, title: "At a later step", plan: func(w write, f *fault) func(*exchange) *fault {
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
		{name: "from then on", title: "From then on", plan: func(w write, f *fault) func(*exchange) *fault {
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

var (
	mixtures = flag.Int("mixtures", 1400, "how many mixtures of faults are tried")
	seed     = flag.Uint64("seed", 0, "of the only mixture to try; 0: all of them")
)

// A setting is a possible configuration of a server and the Outline behind it.
type setting struct {
	name      string
	variables []string
	version   version
}

func settings() []setting {
	return []setting{
		{"as it comes", nil, version{}},
		{"as it comes, with a moment between publishing and its end", nil, of("").busied()},
		{"without repetition", []string{"OUTLINE_MAX_RETRIES=0"}, version{}},
		{"in a hurry", []string{"OUTLINE_CALL_TIMEOUT=8s", "OUTLINE_REQUEST_TIMEOUT=3s", "OUTLINE_MAX_RETRIES=1", "OUTLINE_BATCH_CONCURRENCY=1"}, version{}},
		{"stubborn", []string{"OUTLINE_CALL_TIMEOUT=10m", "OUTLINE_MAX_RETRIES=10", "OUTLINE_MAX_RETRY_WAIT=1h", "OUTLINE_BATCH_CONCURRENCY=16"}, version{}},
		{"Outline 1.9.2", nil, of("1.9.2")},
		{"Outline 1.8", nil, of("1.8")},
	}
}

// mixture returns a plan that breaks requests at random: each with the same
// probability, or all from a certain one on.
func mixture(random *rand.Rand) func(*exchange) *fault {
	all := faults()
	chance := []float64{0.1, 0.3, 0.5, 0.8}[random.IntN(4)]
	var staying *fault
	from := -1
	if random.IntN(6) == 0 {
		from = random.IntN(6)
		for staying == nil || !staying.stays {
			staying = all[random.IntN(len(all))]
		}
	}
	n := 0
	return func(x *exchange) *fault {
		n++
		if staying != nil && n > from {
			return staying
		}
		if random.Float64() >= chance {
			return nil
		}
		f := all[random.IntN(len(all))]
		if !x.writes && !f.stays {
			return nil
		}
		return f
	}
}

func TestNoMixtureOfFaultsMakesAnAnswerUntrue(t *testing.T) {
	for i, s := range settings() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, s.variables...)
				models := map[string]run{}
				list := writesOn(s.version)
				for n := range uint64(*mixtures / len(settings())) {
					number := 1 + n*uint64(len(settings())) + uint64(i)
					if *seed != 0 && number != *seed {
						continue
					}
					random := rand.New(rand.NewPCG(number, 0x66617561))
					w := list[random.IntN(len(list))]
					if _, known := models[w.name]; !known {
						models[w.name] = b.model(t, s.version, w)
					}
					r := b.do(t.Context(), s.version, w, mixture(random))
					if _, wrong := judge(models[w.name], r); wrong != "" {
						t.Errorf("%s\n%s\nTo see it alone: go test -run '%s' -seed %d", wrong, r.report(), "NoMixture", number)
					}
				}
				if *seed == 0 && len(models) < len(list)/2 {
					t.Error(fmt.Sprint("only ", len(models), " kinds of writes were tried"))
				}
			})
		})
	}
}

func TestWhatOutlineDoesAfterPublishingIsNoConflict(t *testing.T) {
	changes := map[string]map[string]any{
		"update_document": {"text": "Wholly new."},
		"edit_document":   {"edits": []any{map[string]any{"old_text": "Hello", "new_text": "Good day"}}},
	}
	for _, meanwhile := range []string{"nothing", "another user's edit"} {
		for tool, arguments := range changes {
			for _, read := range []time.Duration{5 * time.Millisecond, 350 * time.Millisecond, 700 * time.Millisecond} {
				for written := time.Duration(0); written <= 700*time.Millisecond; written += 350 * time.Millisecond {
					t.Run(fmt.Sprintf("%s after %s, read after %s, %s", tool, read+written, read, meanwhile), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							b := newBench(t)
							space := newWorkspace(of(""))
							b.wire.reset(space)
							call := func(tool string, arguments map[string]any, into any) output.Code {
								answer, err := cli.Call(t.Context(), b.client, tool, arguments)
								if err != nil {
									t.Fatal(err)
								}
								if answer.Code == "" {
									if err := json.Unmarshal(answer.Structured, into); err != nil {
										t.Fatal(err)
									}
								}
								return answer.Code
							}
							var seen struct {
								DocumentID string `json:"document_id"`
								Revision   int
							}
							call("create_document", map[string]any{"title": "New", "text": "Hello.", "collection_id": handbook}, &seen)
							time.Sleep(read)
							call("read_document", map[string]any{"document_id": seen.DocumentID}, &seen)
							if meanwhile != "nothing" {
								if err := appendTo(space, seen.DocumentID, "HUMAN-1"); err != nil {
									t.Fatal(err)
								}
							}
							time.Sleep(written)
							arguments["document_id"], arguments["expected_revision"] = seen.DocumentID, seen.Revision
							var want output.Code
							if meanwhile != "nothing" {
								want = output.Conflict
							}
							if code := call(tool, arguments, &seen); code != want {
								t.Errorf("it ends with code %q, not %q", code, want)
							}
							if marks := look(space).human; meanwhile != "nothing" && marks["HUMAN-1"] != 1 {
								t.Error("the edit is lost")
							}
						})
					})
				}
			}
		}
	}
}
