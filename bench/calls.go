package main

import (
	"context"
	"fmt"
	"time"
)

// runCalls reads a small document on standard input and output, over HTTP, and
// over HTTP from the minimal server, each in turn with a plain POST of net/http
// for the same document. The difference is what the server adds.
func runCalls(ctx context.Context, l *lab) error {
	c, err := l.contenders(ctx)
	if err != nil {
		return err
	}
	defer c.end()
	stdio, err := l.start(ctx, product, []string{"OUTLINE_API_URL=" + c.base, "OUTLINE_API_KEY=" + userKey(0)})
	if err != nil {
		return err
	}
	defer func() { _ = stdio.end() }()
	if _, err := stdio.ask(initialize); err != nil {
		return err
	}
	client := newClient(1)
	defer client.CloseIdleConnections()
	onStdio, ours, floor := toolsCall(2, "read_document", arguments{"document_id": smallDocument}), c.ours.target("read_document"), c.floor.target("title")
	contests := []struct {
		what string
		call func() error
	}{
		{"the raw call: POST documents.info", func() error { return post(ctx, client, c.base) }},
		{"read_document on stdio, beside the raw call", func() error { return answered(stdio.ask(onStdio)) }},
		{"read_document over HTTP", func() error { return ours.call(ctx, client, userKey(0)) }},
		{"the minimal server over HTTP", func() error { return floor.call(ctx, client, userKey(0)) }},
	}
	const warmUp = 200
	took := make([][]time.Duration, len(contests))
	for turn := range l.turns(5000) + warmUp {
		for i, contest := range contests {
			begin := time.Now()
			if err := contest.call(); err != nil {
				return err
			}
			if turn >= warmUp {
				took[i] = append(took[i], time.Since(begin))
			}
		}
	}
	raw := took[0]
	for i, contest := range contests {
		figure := fmt.Sprintf("%s (p99 %s)", duration(quantile(took[i], 0.5)), duration(quantile(took[i], 0.99)))
		if i == 0 {
			l.row(contest.what, "", figure, "")
			continue
		}
		added := make([]time.Duration, len(raw))
		for turn := range raw {
			added[turn] = took[i][turn] - raw[turn]
		}
		l.row(contest.what, figure, duration(quantile(raw, 0.5)), "+ "+duration(quantile(added, 0.5)))
	}
	return nil
}
