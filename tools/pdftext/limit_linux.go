package pdftext

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// limitData limits the memory that the process can write to, to some bytes more than it has
// mapped. At its start, a Go program has mapped far more than it uses.
func limitData(more uint64) {
	var size, resident, shared, code, libraries, data uint64
	statm, _ := os.ReadFile("/proc/self/statm") // in pages
	if _, err := fmt.Sscan(string(statm), &size, &resident, &shared, &code, &libraries, &data); err != nil {
		return
	}
	limit := data*uint64(os.Getpagesize()) + more
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: limit, Max: limit})
}

// processorTime returns how long the process has run.
func processorTime() time.Duration {
	var used unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
