// Package expiring provides a map whose entries expire. It is what everything in this
// module uses that keeps answers of servers, or what callers have done, for a while.
//
// It is written here because each entry has a lifetime of its own, such as the
// Cache-Control of a document, because tests set the clock, and because a map must not
// start a goroutine: hashicorp/golang-lru/v2/expirable has one lifetime for all entries,
// and a goroutine for each map, which never ends.
package expiring

import (
	"cmp"
	"container/heap"
	"sync"
	"time"
)

// mostEntries is how many entries a map holds unless it says otherwise.
const mostEntries = 1024

// A Map is a map with a limited number of entries that expire. Expired entries are
// removed by the next call of any method. The zero value is ready to use, and it is safe
// for concurrent use.
type Map[K comparable, V any] struct {
	Most int              // how many entries it holds; 0 means 1024. A further one replaces the one that expires first
	Now  func() time.Time // time.Now if nil

	mu      sync.Mutex
	entries map[K]*entry[K, V]
	order   queue[K, V]
}

// Get returns the value of a key, and whether there is one.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	if e := m.entries[key]; e != nil {
		return e.value, true
	}
	return value, false
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
	now := m.expire()
	var before V
	if e := m.entries[key]; e != nil {
		before = e.value
	}
	value, lifetime := change(before)
	m.set(key, value, now.Add(lifetime))
}

// Add sets the value of a key that has none, and reports whether it did. If the map is
// full, Add replaces no other entry.
func (m *Map[K, V]) Add(key K, value V, lifetime time.Duration) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.expire()
	if m.entries[key] != nil || m.full() {
		return false
	}
	m.set(key, value, now.Add(lifetime))
	return true
}

// Delete removes a key.
func (m *Map[K, V]) Delete(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.entries[key]; e != nil {
		m.remove(e)
	}
}

// DeleteFunc removes the keys for which del returns true. del must not call methods of m.
func (m *Map[K, V]) DeleteFunc(del func(K, V) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, e := range m.entries {
		if del(key, e.value) {
			m.remove(e)
		}
	}
}

// Len returns the number of entries that have not expired.
func (m *Map[K, V]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	return len(m.entries)
}

func (m *Map[K, V]) full() bool { return len(m.entries) >= cmp.Or(m.Most, mostEntries) }

// expire removes the entries that have expired, and returns the time.
func (m *Map[K, V]) expire() time.Time {
	now := time.Now
	if m.Now != nil {
		now = m.Now
	}
	at := now()
	for len(m.order) > 0 && !at.Before(m.order[0].until) {
		m.remove(m.order[0])
	}
	return at
}

func (m *Map[K, V]) set(key K, value V, until time.Time) {
	if e := m.entries[key]; e != nil {
		e.value, e.until = value, until
		heap.Fix(&m.order, e.index)
		return
	}
	if m.full() {
		m.remove(m.order[0])
	}
	if m.entries == nil {
		m.entries = map[K]*entry[K, V]{}
	}
	e := &entry[K, V]{key: key, value: value, until: until}
	m.entries[key] = e
	heap.Push(&m.order, e)
}

func (m *Map[K, V]) remove(e *entry[K, V]) {
	heap.Remove(&m.order, e.index)
	delete(m.entries, e.key)
}

type entry[K comparable, V any] struct {
	key   K
	value V
	until time.Time
	index int // in the queue
}

// A queue holds entries, as a heap by when they expire.
type queue[K comparable, V any] []*entry[K, V]

func (q queue[K, V]) Len() int { return len(q) }

func (q queue[K, V]) Less(i, j int) bool { return q[i].until.Before(q[j].until) }

func (q queue[K, V]) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

// Push implements [heap.Interface].
func (q *queue[K, V]) Push(x any) {
	e := x.(*entry[K, V])
	e.index = len(*q)
	*q = append(*q, e)
}

// Pop implements [heap.Interface].
func (q *queue[K, V]) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return e
}
