// Package expiring provides a map whose entries expire. It is what everything in this
// module uses that keeps answers of servers, or what callers have done, for a while.
//
// It is written here because each entry has its own lifetime, such as the
// Cache-Control of a document, because tests set the clock, and because a map must not
// start a goroutine: hashicorp/golang-lru/v2/expirable has one lifetime for all entries,
// and a goroutine for each map, which never ends.
package expiring

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"
)

// mostEntries is how many entries a map holds unless it says otherwise.
const mostEntries = 1024

// fewEntries are so few that looking at all of them costs nothing.
const fewEntries = 100

// A Map is a map with a limited number of entries that expire. A further entry replaces
// the one that expires first, and in large maps a sixteenth of them, so that a flood of
// entries costs little each. Entries that have expired are removed once a second at most. The zero value is
// ready to use, and it is safe for concurrent use.
type Map[K comparable, V any] struct {
	Most int              // how many entries it holds; 0 means 1024
	Now  func() time.Time // time.Now if nil

	mu      sync.Mutex
	entries map[K]entry[V]
	swept   time.Time // when those that had expired were removed last
}

type entry[V any] struct {
	value V
	until time.Time
}

// Get returns the value of a key, and whether there is one.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.get(key, m.sweep())
}

// get returns the value of a key that has not expired.
func (m *Map[K, V]) get(key K, now time.Time) (value V, ok bool) {
	e, ok := m.entries[key]
	if !ok || !now.Before(e.until) {
		return value, false
	}
	return e.value, true
}

// Set sets the value of a key for a time from now on.
func (m *Map[K, V]) Set(key K, value V, lifetime time.Duration) {
	m.Update(key, func(V) (V, time.Duration) { return value, lifetime })
}

// Update sets the value of a key and its lifetime to what change returns for the present
// value, which is the zero value if there is none. change must not call methods of m.
func (m *Map[K, V]) Update(key K, change func(V) (V, time.Duration)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.sweep()
	before, _ := m.get(key, now)
	value, lifetime := change(before)
	if _, known := m.entries[key]; !known && len(m.entries) >= cmp.Or(m.Most, mostEntries) {
		first := slices.SortedFunc(maps.Keys(m.entries), func(a, b K) int { return m.entries[a].until.Compare(m.entries[b].until) })
		for _, key := range first[:max(1, (len(first)-fewEntries)/16)] {
			delete(m.entries, key)
		}
	}
	if m.entries == nil {
		m.entries = map[K]entry[V]{}
	}
	m.entries[key] = entry[V]{value, now.Add(lifetime)}
}

// Delete removes a key.
func (m *Map[K, V]) Delete(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, key)
}

// DeleteFunc removes the keys for which del returns true. del must not call methods of m.
func (m *Map[K, V]) DeleteFunc(del func(K, V) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.entries, func(key K, e entry[V]) bool { return del(key, e.value) })
}

// Len returns the number of entries, of which some may have expired within the last second.
func (m *Map[K, V]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	return len(m.entries)
}

// sweep removes the entries that have expired, if that was not done within the last
// second, and returns the time.
func (m *Map[K, V]) sweep() time.Time {
	now := time.Now
	if m.Now != nil {
		now = m.Now
	}
	at := now()
	if at.Sub(m.swept) >= time.Second {
		maps.DeleteFunc(m.entries, func(_ K, e entry[V]) bool { return !at.Before(e.until) })
		m.swept = at
	}
	return at
}
