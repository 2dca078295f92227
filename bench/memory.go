package main

import (
	"context"
	"fmt"
)

// runMemory measures the resident memory of a server on standard input and
// output before and after 10,000 calls in sequence.
func runMemory(ctx context.Context, l *lab) error {
	outline, base, err := l.workspace(ctx, 0)
	if err != nil {
		return err
	}
	defer func() { _ = outline.end() }()
	var idle, worked, floorIdle, floorWorked []float64
	for range l.turns(5) {
		before, after, err := l.memoryAfter(ctx, product, toolsCall(2, "read_document", arguments{"document_id": smallDocument}), "OUTLINE_API_URL="+base, "OUTLINE_API_KEY="+userKey(0))
		if err != nil {
			return err
		}
		idle, worked = append(idle, before), append(worked, after)
		before, after, err = l.memoryAfter(ctx, bare, toolsCall(2, "title", arguments{}))
		if err != nil {
			return err
		}
		floorIdle, floorWorked = append(floorIdle, before), append(floorWorked, after)
	}
	compare(l, "memory after initialize, beside the minimal server", idle, floorIdle, mebibytes)
	compare(l, "memory after 10,000 calls", worked, floorWorked, mebibytes)
	return nil
}

// memoryAfter returns the memory of a program after initialize and after 10,000
// calls, in MiB.
func (l *lab) memoryAfter(ctx context.Context, name, call string, environ ...string) (idle, worked float64, err error) {
	p, err := l.start(ctx, name, environ)
	if err != nil {
		return 0, 0, err
	}
	if _, err := p.ask(initialize); err != nil {
		return 0, 0, fmt.Errorf("initialize %s: %w", name, err)
	}
	if idle, err = p.resident(); err != nil {
		return 0, 0, err
	}
	for range 10_000 {
		answer, err := p.ask(call)
		if err == nil && name == product {
			err = checkSmall(answer)
		}
		if err != nil {
			return 0, 0, fmt.Errorf("call %s: %w", name, err)
		}
	}
	if worked, err = p.resident(); err != nil {
		return 0, 0, err
	}
	return idle, worked, p.end()
}
