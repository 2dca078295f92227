package bounds

import (
	"encoding/json"
	"maps"
	"strings"
	"time"
)

// A place is where a page of a merged list begins.
type place struct {
	positions []int // in each source; nil if it is not known
	total     *int  // of the whole list; nil if it is not known
}

// places are those of one list, by offset, so that the next page goes on where the last
// one ended.
type places struct {
	subject string
	at      time.Time
	begins  map[int][]int
	total   *int
}

const (
	keepPlaces = 10 * time.Second
	mostLists  = 512
)

// listKey identifies a list without its page.
func (e *exchange) listKey() string {
	params := maps.Clone(e.params)
	delete(params, "limit")
	delete(params, "offset")
	asked, _ := json.Marshal(params) // raw JSON, in the order of the names
	return strings.Join([]string{e.principal.View(), e.Endpoint, string(asked)}, "\n")
}

// recall returns where a page begins. What others change in the meantime can move items,
// as it can between any two pages of Outline.
func (b *Bounds) recall(list string, offset, sources int) place {
	b.mu.Lock()
	defer b.mu.Unlock()
	known, ok := b.lists[list]
	if !ok || offset == 0 || time.Since(known.at) >= keepPlaces || len(known.begins[offset]) != sources {
		return place{}
	}
	return place{known.begins[offset], known.total}
}

// remember keeps where the page after one begins.
func (b *Bounds) remember(list string, offset int, positions []int, total *int) {
	subject, _, _ := strings.Cut(list, "\n")
	if subject == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	known, ok := b.lists[list]
	if !ok || time.Since(known.at) >= keepPlaces {
		if len(b.lists) >= mostLists {
			clear(b.lists)
		}
		known = places{subject: subject, begins: map[int][]int{}}
	}
	known.at, known.total = time.Now(), total
	known.begins[offset] = positions
	b.lists[list] = known
}

// forgetPlaces drops the places of a subject, which has changed something.
func (b *Bounds) forgetPlaces(subject string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.lists, func(_ string, known places) bool { return known.subject == subject })
}
