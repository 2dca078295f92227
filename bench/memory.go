package main

import (
	"context"
	"fmt"
)

func runMemory(ctx context.Context, l *lab) (result, error) {
	workspace, base, err := l.workspace(ctx, 0)
	if err != nil {
		return result{}, err
	}
	defer workspace.end()
	var after, before pair
	for range 5 {
		idle, worked, err := l.memoryAfter(ctx, product, toolsCall(2, "read_document", map[string]any{"document_id": smallDocument}), "OUTLINE_API_URL="+base, "OUTLINE_API_KEY="+userKey(0))
		if err != nil {
			return result{}, err
		}
		floorIdle, floor, err := l.memoryAfter(ctx, bareStdio, toolsCall(2, "title", map[string]any{}))
		if err != nil {
			return result{}, err
		}
		after.add(worked, floor)
		before.add(idle, floorIdle)
	}
	return result{rows: []row{
		compared("memory after 10,000 calls", after, inMiB, ratioAtMost(1.65)).because("Most of it is pages of the binary that have been used, about 19 MiB, which the system can drop; of the minimal server's binary it is 5.5 MiB. What both programs allocate differs by about 1 MiB."),
		compared("memory after initialize", before, inMiB, goal{}),
	}}, nil
}

// memoryAfter returns the memory of a program after initialize and after 10,000
// more calls.
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
		if err != nil {
			return 0, 0, fmt.Errorf("call %s: %w", name, err)
		}
		if name == product {
			if err := checkSmall(answer); err != nil {
				return 0, 0, err
			}
		}
	}
	if worked, err = p.resident(); err != nil {
		return 0, 0, err
	}
	return idle, worked, p.end()
}
