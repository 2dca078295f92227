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

// A token is a word that a writer adds to the document.
type token struct {
	word string
	code output.Code // of the answer; "" if it was accepted
}

// A writer changes the document repeatedly.
type writer struct {
	name   string
	bench  *bench
	random *rand.Rand
	tokens []token
	told   []string

	unguarded bool // one of the changes, according to its answer
}

// call calls a tool and returns its outcome.
func (w *writer) call(t *testing.T, tool string, arguments map[string]any, into any) output.Code {
	arguments["document_id"] = alpha
	answer, err := cli.Call(t.Context(), w.bench.client, tool, arguments)
	if err != nil {
		t.Error(err)
	}
	w.told = append(w.told, fmt.Sprintf("%s: %s %v: %s %.900s", w.name, tool, arguments, answer.Code, answer.Text))
	var claims struct{ Guarded *bool }
	if err := json.Unmarshal(answer.Structured, &claims); err != nil {
		t.Error(err)
	}
	w.unguarded = w.unguarded || claims.Guarded != nil && !*claims.Guarded
	if answer.Code == "" && into != nil {
		if err := json.Unmarshal(answer.Structured, into); err != nil {
			t.Error(err)
		}
	}
	return answer.Code
}

// act makes one change, which adds a word.
func (w *writer) act(t *testing.T) {
	word := fmt.Sprintf("%s%dx", w.name, len(w.tokens))
	edit := func(from, to string) output.Code {
		return w.call(t, "edit_document", map[string]any{"edits": []any{map[string]any{"old_text": from, "new_text": to}}}, nil)
	}
	var code output.Code
	switch w.random.IntN(5) {
	case 0:
		code = w.call(t, "update_document", map[string]any{"text": word, "append": true}, nil)
	case 1:
		var read struct {
			Text     string
			Revision int
		}
		if w.call(t, "read_document", map[string]any{}, &read) != "" {
			return
		}
		time.Sleep(moment(w.random, 300*time.Millisecond)) // to think
		code = w.call(t, "update_document", map[string]any{"text": word + "\n\n" + read.Text, "expected_revision": read.Revision}, nil)
	case 2:
		code = edit("the one to change", "the one to change "+word)
	case 3:
		code = edit("Last paragraph.", "Last paragraph.\n\n"+word)
	default:
		code = edit("another point", "another point, "+word)
	}
	w.tokens = append(w.tokens, token{word, code})
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

	text := strings.Join(look(space).blocks[alpha], "\n")
	wrong := ""
	unguarded := slices.ContainsFunc(writers, func(w *writer) bool { return w.unguarded })
	if unguarded && v.guards() {
		wrong += "\nan answer says that a change was not guarded, and all are"
	}
	// A release that does not check revisions saves the change of the document as it was
	// read: it overwrites what was saved in between. So may a change of which the answer
	// does not know whether it was made.
	mayOverwrite := unguarded || !v.guards() && slices.ContainsFunc(writers, func(w *writer) bool {
		return slices.ContainsFunc(w.tokens, func(k token) bool { return k.code != "" })
	})
	for _, w := range writers {
		for _, k := range w.tokens {
			least, most := 0, 0
			switch k.code {
			case "":
				accepted++
				least, most = 1, 1
			case output.OutcomeUnknown:
				rejected++
				most = 1
			case output.WriteMismatch, output.Internal:
				wrong += fmt.Sprintf("\n%s is answered with %s", k.word, k.code)
			default:
				rejected++
			}
			if w.name == "person" && mayOverwrite {
				least = 0
			}
			if n := strings.Count(text, k.word); n < least || n > most {
				wrong += fmt.Sprintf("\n%s is there %d times, and should be %d to %d", k.word, n, least, most)
			}
		}
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
