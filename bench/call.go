package main

import (
	"context"
	"time"
)

func runCall(ctx context.Context, l *lab) (result, error) {
	c, err := l.contenders(ctx)
	if err != nil {
		return result{}, err
	}
	defer c.end()
	stdio, err := l.start(ctx, product, []string{"OUTLINE_API_URL=" + c.base, "OUTLINE_API_KEY=" + userKey(0)})
	if err != nil {
		return result{}, err
	}
	defer stdio.end()
	if _, err := stdio.ask(initialize); err != nil {
		return result{}, err
	}
	var (
		client   = newClient(1)
		onStdio  = toolsCall(2, "read_document", map[string]any{"document_id": smallDocument})
		ours     = c.ours.target("read_document")
		floor    = c.floor.target("title")
		contests = []func() error{
			func() error { return post(ctx, client, c.base) },
			func() error {
				answer, err := stdio.ask(onStdio)
				if err != nil {
					return err
				}
				return checkSmall(answer)
			},
			func() error { return ours.call(ctx, client, userKey(0)) },
			func() error { return floor.call(ctx, client, userKey(0)) },
		}
		took   [4]sample
		warmUp = 200
	)
	defer client.CloseIdleConnections()
	for turn := range pick(l, 5000, 1000) + warmUp {
		for i, contest := range contests {
			begin := time.Now()
			if err := contest(); err != nil {
				return result{}, err
			}
			if turn >= warmUp {
				took[i] = append(took[i], time.Since(begin).Seconds())
			}
		}
	}
	added := func(what string, measured sample, goal goal) row {
		p := pair{measured, took[0]}
		return row{what: what, ours: measured.figure(inSeconds), floor: took[0].figure(inSeconds), ratio: p.ratio(), goal: goal, judged: p.difference(), added: true, noise: p.differences().noise()}
	}
	own := pair{took[2], took[3]}
	return result{rows: []row{
		added("one call on stdio, added to the Outline call", took[1], atMost(0.25e-3, inSeconds)),
		added("one call over HTTP, added to the Outline call", took[2], goal{}),
		added("one call of the minimal server over HTTP, likewise", took[3], goal{}),
		{what: "one call over HTTP, above the minimal server's", ours: took[2].figure(inSeconds), floor: took[3].figure(inSeconds), goal: atMost(80e-6, inSeconds), judged: own.difference(), added: true, noise: own.differences().noise(),
			why: "In a profile, the handlers of the two servers differ by 130 µs: reading the whole document instead of its title 20 µs; the log line 25 µs, although it takes 1.5 µs when it is written again and again; the rest is spread over limits, arguments, the client and the answer. Between two calls three other processes run, so each step begins with code that is not in the processor's caches."},
	}}, nil
}
