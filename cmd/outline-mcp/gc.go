package main

import (
	"os"
	"runtime/debug"
	"time"
)

// How much the heap may grow before garbage is collected, as a percentage of what was
// live after the previous collection. The variable GOGC takes precedence.
const (
	// A start allocates some 4 MB, nearly all of which stays. The runtime would
	// collect it just before initialize is answered, which takes 1.5 of 12 ms.
	gcPercentStart = 400
	// A server for one person idles most of the time, so memory matters more.
	gcPercentStdio = 100
	// For the server of a team, memory is cheaper than processor time. With 1,000 callers
	// it uses 49 MiB, and would use 100 MiB at 400 percent for only 5 percent more calls.
	gcPercentHTTP = 200
	// A wiki of 10,000 pages leaves much to collect, and the time goes into requests.
	gcPercentFolder = 20
)

// setGCPercent sets when garbage is collected, unless the variable GOGC does.
func setGCPercent(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// setGCPercentAfterStart calls setGCPercent once initialize has usually been answered,
// but before the first call needs much memory, unless stop is called first.
func setGCPercentAfterStart(percent int) (stop func() bool) {
	return time.AfterFunc(100*time.Millisecond, func() { setGCPercent(percent) }).Stop
}

// setMemoryLimit sets the memory use, in bytes, above which garbage is collected more
// often, unless the variable GOMEMLIMIT does.
func setMemoryLimit(bytes int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(bytes)
	}
}
