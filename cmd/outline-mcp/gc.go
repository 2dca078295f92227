package main

import (
	"os"
	"runtime/debug"
	"time"
)

// How much the heap may grow before garbage is collected, in percent of what was left
// the time before. The variable GOGC takes precedence.
const (
	// A start allocates some 4 MB, nearly all of which stays. The runtime would
	// collect it just before initialize is answered, which takes 1.5 of 12 ms.
	gcPercentStart = 400
	// The server of one person idles most of the time, so memory matters more.
	gcPercentStdio = 100
	// For the server of a team, memory is cheaper than processor time: 49 MiB with 1,000
	// callers, and 100 MiB at 400 percent, for 5 percent more calls.
	gcPercentHTTP = 200
)

// setGCPercent sets when garbage is collected, unless the variable GOGC does.
func setGCPercent(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// setGCPercentAfterStart calls setGCPercent when initialize has usually been answered,
// but before the first call needs much memory, unless stop is called before.
func setGCPercentAfterStart(percent int) (stop func() bool) {
	return time.AfterFunc(100*time.Millisecond, func() { setGCPercent(percent) }).Stop
}

// setMemoryLimit sets the bytes from which on garbage is collected more often, unless
// the variable GOMEMLIMIT does.
func setMemoryLimit(bytes int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(bytes)
	}
}
