package faults

import (
	"fmt"
	"strings"
	"testing"
)

// fullWriters is how many writers each process has for the documentation. A bare
// client is measured only then.
const fullWriters = 25

// The markers between which the contention measurement is written.
const (
	beginContention = "<!-- The test writes this table: go -C test/faults test -run ServersSideBySide -writers 25 -update -->"
	endContention   = "<!-- End of the table of contention -->"
)

// A contention is one measurement of contention.
type contention struct {
	version    version
	replaces   bool
	ours, bare tally
}

func (c contention) changes() string {
	if c.replaces {
		return "whole texts"
	}
	return "edits and appends"
}

// writeContention writes the measurements to the documentation.
func writeContention(t *testing.T, rows []contention) {
	var b strings.Builder
	b.WriteString("\n| Outline | changes | made | reported as not made | reported as unknown | silently lost | made, but reported as failed | made twice | other user's changes lost | with a bare client: silently lost | other user's changes lost |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %d | %d | %d of %d | %d | %d of %d |\n", r.version.name(), r.changes(),
			r.ours.present, r.ours.refused, r.ours.unknown, r.ours.untold, r.ours.falseAlarms, r.ours.doubled, r.ours.humanLost, r.ours.human,
			r.bare.untold, r.bare.humanLost, r.bare.human)
	}
	b.WriteString("\n")
	_, replace := section(t, promises, beginContention, endContention)
	replace(b.String())
}
