package main

import (
	"testing"
	"time"
)

func TestNobodyIsToldAnythingWrongWhileEverythingFails(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	l := &lab{dir: t.TempDir(), length: 25 * time.Second}
	if err := l.build(t.Context(), product, "..", "./cmd/outline-mcp"); err != nil {
		t.Fatal(err)
	}
	f, err := soakFor(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d reads, %d writes, %d changes told, %d requests failed by the upstream; codes %v", len(f.reads), len(f.writes), f.notices, f.proxy.failures.Load(), f.codes)
	if err := f.faults(); err != nil {
		t.Error(err)
	}
	if !f.everyoneServed() {
		t.Error("some callers had no success, even after the failures")
	}
}
