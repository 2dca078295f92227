package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const batchCalls = 64 // as many as one key may have under way

// runFair measures the reads of one caller, while another has as many calls under way as
// it may.
func runFair(ctx context.Context, l *lab) (result, error) {
	workspace, base, err := l.workspace(ctx, 50*time.Millisecond)
	if err != nil {
		return result{}, err
	}
	defer func() { _ = workspace.end() }()
	server, err := l.serveHTTP(ctx, product, base, nil)
	if err != nil {
		return result{}, err
	}
	defer func() { _ = server.end() }()
	client := newClient(batchCalls + 1)
	defer client.CloseIdleConnections()
	read := server.target("read_document")
	small := func() (sample, error) {
		var took sample
		for range pick(l, 200, 20) {
			start := time.Now()
			if err := read.call(ctx, client, userKey(1)); err != nil {
				return nil, err
			}
			took = append(took, time.Since(start).Seconds())
		}
		return took, nil
	}
	if _, err := small(); err != nil { // warms up
		return result{}, err
	}
	idle, err := small()
	if err != nil {
		return result{}, err
	}
	busy, stop := context.WithCancel(ctx)
	defer stop()
	var batch sync.WaitGroup
	for range batchCalls {
		batch.Go(func() {
			for busy.Err() == nil {
				_ = read.call(ctx, client, userKey(2))
			}
		})
	}
	beside, err := small()
	stop()
	batch.Wait()
	if err != nil {
		return result{}, fmt.Errorf("a read beside a batch: %w", err)
	}
	return result{rows: []row{
		compared("a read beside another caller's batch", pair{ours: beside, floor: idle}, inSeconds, ratioAtMost(2)),
	}}, nil
}
