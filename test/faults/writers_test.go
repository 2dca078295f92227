package faults

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/cli"
	"outline-mcp/output"
)

var interleavings = flag.Int("interleavings", 2000, "how many times writers are let loose on one document")

// A token is a word that a writer adds to the document or removes from it.
type token struct {
	word    string
	added   output.Code  // the outcome of adding it; "" if it was accepted
	removed *output.Code // the outcome of removing it; nil if that was not tried

	replaces bool // adding it replaced the whole text
}

// occurrences returns how often a token may occur in the document at the end.
func (k token) occurrences() (least, most int) {
	switch k.added {
	case "":
		least, most = 1, 1
	case output.OutcomeUnknown:
		most = 1
	}
	if k.removed != nil {
		switch *k.removed {
		case "":
			return 0, 0
		case output.OutcomeUnknown:
			least = 0
		}
	}
	return least, most
}

// A writer changes the document repeatedly.
type writer struct {
	name   string
	bench  *bench
	random *rand.Rand
	tokens []token
	told   []string
	lost   lost // by the edits, according to their answers

	unguarded bool // one of the changes, according to its answer
}

// call calls a tool and returns its outcome.
func (w *writer) call(t *testing.T, tool string, arguments map[string]any, into any) output.Code {
	answer, err := cli.Call(t.Context(), w.bench.client, tool, arguments)
	if err != nil {
		t.Error(err)
	}
	w.told = append(w.told, fmt.Sprintf("%s: %s %v: %s %.900s", w.name, tool, arguments, answer.Code, answer.Text))
	var claims struct {
		Lost    lost
		Guarded *bool
	}
	if err := json.Unmarshal(answer.Structured, &claims); err != nil {
		t.Error(err)
	}
	w.lost.add(claims.Lost)
	w.unguarded = w.unguarded || claims.Guarded != nil && !*claims.Guarded
	if answer.Code == "" && into != nil {
		if err := json.Unmarshal(answer.Structured, into); err != nil {
			t.Error(err)
		}
	}
	if unconfirmed(answer.Text) {
		return output.OutcomeUnknown
	}
	return answer.Code
}

// act makes one change.
func (w *writer) act(t *testing.T) {
	word := fmt.Sprintf("%s%dx", w.name, len(w.tokens))
	edit := func(from, to string) output.Code {
		return w.call(t, "edit_document", map[string]any{"document_id": alpha, "edits": []any{map[string]any{"old_text": from, "new_text": to}}}, nil)
	}
	add := func(code output.Code) { w.tokens = append(w.tokens, token{word: word, added: code}) }
	switch w.random.IntN(6) {
	case 0:
		add(w.call(t, "update_document", map[string]any{"document_id": alpha, "text": word, "append": true}, nil))
	case 1:
		var read struct {
			Text     string
			Revision int
		}
		if w.call(t, "read_document", map[string]any{"document_id": alpha}, &read) != "" {
			return
		}
		time.Sleep(moment(w.random, 300*time.Millisecond)) // to think
		text := word + "\n\n" + read.Text
		add(w.call(t, "update_document", map[string]any{"document_id": alpha, "text": text, "expected_revision": read.Revision}, nil))
		w.tokens[len(w.tokens)-1].replaces = true
	case 2:
		add(edit("the one to change", "the one to change "+word))
	case 3:
		add(edit("Last paragraph.", "Last paragraph.\n\n"+word))
	default:
		i := slices.IndexFunc(w.tokens, func(k token) bool { return k.added == "" && k.removed == nil })
		if i < 0 {
			add(edit("another point", "another point, "+word))
			return
		}
		code := edit(w.tokens[i].word, "")
		w.tokens[i].removed = &code
	}
}

// person is a writer in Outline's own editor, who changes the current text.
func (w *writer) person() {
	word := fmt.Sprintf("%s%dx", w.name, len(w.tokens))
	arguments := map[string]any{"id": alpha, "text": "\n\n" + word, "editMode": "append"}
	if w.random.IntN(2) == 0 {
		arguments = map[string]any{"id": alpha, "text": word + " paragraph", "editMode": "patch", "findText": "paragraph"}
	}
	if err := direct(w.bench.wire.workspace, humanKey, "documents.update", arguments, nil); err != nil {
		panic(err)
	}
	w.told = append(w.told, fmt.Sprintf("%s: %v", w.name, arguments))
	w.tokens = append(w.tokens, token{word: word})
}

// jitter delays requests and answers, and loses some.
func jitter(random *rand.Rand, loss float64) func(*exchange) *fault {
	lossy := slices.DeleteFunc(faults(), func(f *fault) bool { return !f.stays })
	return func(x *exchange) *fault {
		there, back := moment(random, 200*time.Millisecond), moment(random, 200*time.Millisecond)
		f := &healthy
		if random.Float64() < loss {
			f = lossy[random.IntN(len(lossy))]
		}
		return &fault{name: f.name, lost: f.lost, unconnected: f.unconnected, breaks: func(p *passage) (*http.Response, error) {
			time.Sleep(there)
			response, err := f.breaks(p)
			time.Sleep(back)
			return response, err
		}}
	}
}

func TestWritersSideBySideLoseNothingUntold(t *testing.T) {
	const shards = 4
	list := versions()
	for shard := range shards {
		v := list[shard%len(list)]
		t.Run(fmt.Sprint(v.name(), " ", shard), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				accepted, rejected := 0, 0
				for n := range uint64(*interleavings / shards) {
					number := 1 + n*shards + uint64(shard)
					if *seed != 0 && number != *seed {
						continue
					}
					a, r := interleave(t, b, v, number)
					accepted, rejected = accepted+a, rejected+r
				}
				if *seed == 0 && (accepted == 0 || rejected == 0) {
					t.Errorf("%d changes were accepted and %d not: the writers did not meet", accepted, rejected)
				}
			})
		})
	}
}

// silentlyLost returns what is missing from the blocks of alpha although no answer
// says so.
func silentlyLost(blocks []string, told lost) (wrong string) {
	had, has := extrasOf(look(newWorkspace(version{})).blocks[alpha]), extrasOf(blocks)
	for what, gone := range map[string]bool{
		"a comment lost its passage":       !slices.Equal(had.anchors, has.anchors) && len(told.CommentAnchors) == 0,
		"a highlight lost its color":       has.colors < had.colors && told.HighlightColors == 0,
		"a column of a table has no width": has.widths < had.widths && told.ColumnWidths == 0,
	} {
		if gone {
			wrong += "\n" + what + ", and no answer says so"
		}
	}
	return wrong
}

// interleave runs writers concurrently on a new workspace. It returns how many of
// their changes were accepted and how many were not.
func interleave(t *testing.T, b *bench, v version, number uint64) (accepted, rejected int) {
	time.Sleep(time.Hour)
	space := newWorkspace(v.busied())
	b.wire.reset(space)
	random := func(n uint64) *rand.Rand { return rand.New(rand.NewPCG(number, n)) }
	loss := []float64{0, 0, 0.1, 0.3}[number%4]
	b.wire.plan = jitter(random(0), loss)
	writers := []*writer{
		{name: "agent", bench: b, random: random(1)},
		{name: "helper", bench: b, random: random(2)},
		{name: "person", bench: b, random: random(3)},
	}
	if number%3 == 0 {
		writers = slices.Delete(writers, 1, 2)
	}
	var group sync.WaitGroup
	for _, w := range writers {
		group.Go(func() {
			for range 2 {
				time.Sleep(moment(w.random, 500*time.Millisecond))
				if w.name == "person" {
					w.person()
				} else {
					w.act(t)
				}
			}
		})
	}
	group.Wait()
	time.Sleep(10 * time.Minute)

	blocks := look(space).blocks[alpha]
	text := strings.Join(blocks, "\n")
	wrong, replaced, doubtful := "", false, false
	unguarded := slices.ContainsFunc(writers, func(w *writer) bool { return w.unguarded })
	if unguarded && v.guards() {
		wrong += "\nan answer says that a change was not guarded, and all are"
	}
	// An answer that does not know whether a change was made says that it may have been. A
	// release that does not check revisions saves the change of the document as it was read:
	// it overwrites what was saved in between.
	mayOverwrite := unguarded || !v.guards() && slices.ContainsFunc(writers, func(w *writer) bool {
		return slices.ContainsFunc(w.tokens, func(k token) bool {
			return k.added == output.OutcomeUnknown || k.removed != nil && *k.removed == output.OutcomeUnknown
		})
	})
	var told lost
	for _, w := range writers {
		told.add(w.lost)
		for _, k := range w.tokens {
			if k.added == "" {
				accepted++
			} else {
				rejected++
			}
			replaced = replaced || k.replaces && k.added == ""
			doubtful = doubtful || k.added == output.OutcomeUnknown || k.removed != nil && *k.removed == output.OutcomeUnknown
			least, most := k.occurrences()
			if w.name == "person" && mayOverwrite {
				least = 0 // may be overwritten, according to an answer
			}
			if n := strings.Count(text, k.word); n < least || n > most {
				wrong += fmt.Sprintf("\n%s is there %d times, and should be %d to %d", k.word, n, least, most)
			}
			if k.added == output.WriteMismatch || k.added == output.Internal || k.removed != nil && (*k.removed == output.WriteMismatch || *k.removed == output.Internal) {
				wrong += fmt.Sprintf("\n%s is answered with %s", k.word, k.added)
			}
			if loss == 0 && (k.added == output.OutcomeUnknown || k.removed != nil && *k.removed == output.OutcomeUnknown) {
				wrong += fmt.Sprintf("\nthe outcome of %s is unknown, and nothing was lost", k.word)
			}
		}
	}
	if !replaced && !doubtful {
		wrong += silentlyLost(blocks, told)
	}
	for _, original := range []string{"of the guide", "Second", "a point", "another point", "Last"} {
		if !strings.Contains(text, original) {
			wrong += fmt.Sprintf("\n%q is not there any more", original)
		}
	}
	if wrong != "" {
		var told []string
		for _, w := range writers {
			told = append(told, w.told...)
		}
		for _, x := range b.wire.exchanges {
			told = append(told, x.String())
		}
		t.Errorf("%s\nthe blocks are\n%s\n%s\nTo see it alone: go test -run SideBySide -seed %d", wrong, text, strings.Join(told, "\n"), number)
	}
	return accepted, rejected
}

// moment returns a random duration below most.
func moment(random *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(random.Int64N(int64(most)))
}
