//go:build !race

package budget_test

import (
	"runtime"
	"testing"
)

func TestTheServerKeepsItsBudgetOfMemoryHoweverManyCallsItHasAnswered(t *testing.T) {
	outline := &remembered{of: sampleWorkspace(t), answers: map[string]rememberedAnswer{}}
	ask := request{outline, "read_document", map[string]any{"document_id": "1wPyxUCdt9"}}
	newSession(t, outline).ask(ask.line()) // for what all servers of a process share
	before := liveHeap()
	s, line := newSession(t, outline), ask.line()
	answer := func(calls int) {
		for range calls {
			s.ask(line)
		}
	}
	answer(200)
	early := liveHeap()
	answer(2000)
	late := liveHeap()
	check(t, "bytes of live heap, the server after 2,200 calls", late-before)
	if grown := late - early; grown > 64<<10 {
		t.Errorf("2,000 calls leave %d bytes behind", grown)
	}
}

// liveHeap returns the bytes that are in use. What is in pools goes with the second
// collection.
func liveHeap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
