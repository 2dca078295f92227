//go:build !linux

package pdftext

import "time"

func limitData(uint64) {}

// processorTime is not known; maxTime holds.
func processorTime() time.Duration { return 0 }
