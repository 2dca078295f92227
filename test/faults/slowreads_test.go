package faults

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/outline/transport"
	"outline-mcp/output"
	"outline-mcp/test/fixtures"
)

// delays are how long an Outline takes that is slow in reading documents.
var delays = []time.Duration{0, 300 * time.Millisecond, 700 * time.Millisecond, 2 * time.Second}

// slowReads delays reading documents, before and after what is read.
func slowReads(random *rand.Rand, by time.Duration) func(*exchange) *fault {
	return func(x *exchange) *fault {
		if x.endpoint != "documents.info" {
			return nil
		}
		there := moment(random, by+1)
		return &fault{breaks: func(p *passage) (*http.Response, error) {
			if err := transport.Pause(p.request.Context(), there); err != nil {
				return nil, err
			}
			response := p.handle()
			if err := transport.Pause(p.request.Context(), by-there); err != nil {
				return nil, err
			}
			return response, nil
		}}
	}
}

// TestNoChangeIsSaidToBeMadeThatIsGoneWhenReadingIsSlow lets four processes write to a
// document while a user whose client sends no revisions appends to it five times a second.
func TestNoChangeIsSaidToBeMadeThatIsGoneWhenReadingIsSlow(t *testing.T) {
	for _, v := range versions() {
		for _, delay := range delays {
			t.Run(fmt.Sprint(v.name(), " ", delay), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					writers := writeBeside(t, v.busied(), delay, processes, fixtures.Count(4, 25), humanPause)
					made := 0
					for _, w := range writers {
						for _, k := range w.tokens {
							if k.code == "" {
								made++
							}
						}
					}
					if delay == 0 && made == 0 || made == len(writers)*len(writers[0].tokens) {
						t.Errorf("%d were made: the writers did not meet", made)
					}
				})
			})
		}
	}
}

// TestALoneWriterIsNotAlarmedWhenReadingIsSlow has nobody else at work.
func TestALoneWriterIsNotAlarmedWhenReadingIsSlow(t *testing.T) {
	for _, v := range versions() {
		for _, delay := range delays {
			t.Run(fmt.Sprint(v.name(), " ", delay), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := writeBeside(t, v, delay, 1, fixtures.Count(4, 25), 0)[0]
					for i, k := range w.tokens {
						if told := w.told[i]; k.code != "" || changed.MatchString(told) {
							t.Errorf("nobody else wrote: %s", told)
						}
					}
				})
			})
		}
	}
}

// writeBeside lets processes write to a document, several times each, beside another user
// who writes with pauses, or nobody if there is none. It checks each answer against what is there
// in the end, and returns the writers of the processes.
func writeBeside(t *testing.T, v version, delay time.Duration, processes, times int, humanPause time.Duration) (writers []*writer) {
	space := newWorkspace(v)
	random := func(n uint64) *rand.Rand { return rand.New(rand.NewPCG(uint64(delay), n)) }
	for n := range processes {
		b := newBench(t)
		b.wire.reset(space)
		b.wire.plan = slowReads(random(100+uint64(n)), delay)
		writers = append(writers, &writer{name: fmt.Sprintf("process%dw", n), bench: b, random: random(uint64(n))})
	}
	ended := make(chan struct{})
	var person, group sync.WaitGroup
	if humanPause > 0 {
		other := &writer{name: "person", bench: writers[0].bench, random: random(99)}
		person.Go(func() {
			for {
				other.person()
				select {
				case <-ended:
					return
				case <-time.After(humanPause):
				}
			}
		})
	}
	for _, w := range writers {
		group.Go(func() {
			for range times {
				time.Sleep(moment(w.random, 500*time.Millisecond))
				w.act(t)
			}
		})
	}
	group.Wait()
	close(ended)
	person.Wait()
	time.Sleep(time.Minute)
	text := strings.Join(look(space).blocks[alpha], "\n")
	counts := map[output.Code]int{}
	for _, w := range writers {
		for i, k := range w.tokens {
			counts[k.code]++
			there := strings.Count(text, k.word)
			if k.code == "" && there != 1 || k.code == output.Conflict && there != 0 || there > 1 {
				t.Errorf("%s is there %d times: %s", k.word, there, w.told[i])
			}
		}
	}
	t.Log(counts)
	return writers
}
