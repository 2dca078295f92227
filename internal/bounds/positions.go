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
	begins  map[int][]int
	total   *int
}

// keepPlaces is how long places are kept after the last page.
const keepPlaces = 10 * time.Second

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
	known, _ := b.lists.Get(list)
	if offset == 0 || len(known.begins[offset]) != sources {
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
	b.lists.Update(list, func(known places) (places, time.Duration) {
		begins := map[int][]int{offset: positions}
		for at, known := range known.begins {
			if at != offset {
				begins[at] = known
			}
		}
		return places{subject, begins, total}, keepPlaces
	})
}

// forgetPlaces drops the places of a subject, which has changed something.
func (b *Bounds) forgetPlaces(subject string) {
	b.lists.DeleteFunc(func(_ string, known places) bool { return known.subject == subject })
}
