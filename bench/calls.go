package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"outline-mcp/internal/fakeoutline"
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

// runStart measures the time from the start of a process to its answer to
// initialize, and the size of the binaries.
func runStart(ctx context.Context, l *lab) error {
	var floor, plain, structured, demo []time.Duration
	for range l.turns(100) {
		for _, c := range []struct {
			took    *[]time.Duration
			program string
			environ []string
			args    []string
		}{
			{&floor, bare, nil, nil},
			{&plain, product, nil, nil},
			{&structured, product, []string{"OUTLINE_STRUCTURED_OUTPUT=true"}, nil},
			{&demo, product, nil, []string{"--demo"}},
		} {
			took, err := l.timeToInitialize(ctx, c.program, c.environ, c.args)
			if err != nil {
				return err
			}
			*c.took = append(*c.took, took)
		}
	}
	compare(l, "start to the answer of initialize, beside the minimal server", plain, floor, duration)
	compare(l, "the same with structured output", structured, floor, duration)
	compare(l, "the same with --demo", demo, floor, duration)
	var sizes [][]float64
	for _, name := range []string{product, bare} {
		info, err := os.Stat(l.binary(name))
		if err != nil {
			return err
		}
		sizes = append(sizes, []float64{float64(info.Size()) / (1 << 20)})
	}
	compare(l, "size of the binary, beside the minimal server over HTTP", sizes[0], sizes[1], mebibytes)
	return nil
}

func (l *lab) timeToInitialize(ctx context.Context, name string, environ, args []string) (time.Duration, error) {
	begin := time.Now()
	p, err := l.start(ctx, name, append(environ, "OUTLINE_API_KEY="+fakeoutline.AdminKey), args...)
	if err != nil {
		return 0, err
	}
	_, err = p.ask(initialize)
	took := time.Since(begin)
	if err != nil {
		return 0, err
	}
	return took, p.end()
}

// distance is how long Outline takes to answer a batch.
const distance = 50 * time.Millisecond

// runBatches works on 100 documents in one call, or in two where a tool takes 50.
// The floor is the round trips that must follow each other: of n requests, a
// quarter, as OUTLINE_BATCH_CONCURRENCY is 4. An update needs two requests for
// each document, as it reads before it writes.
func runBatches(ctx context.Context, l *lab) error {
	kinds := []struct {
		what  string
		trips int // that must follow each other
		calls func(ids []string) []batchCall
	}{
		{"100 documents read, beside the round trips", 26, func(ids []string) []batchCall {
			return []batchCall{
				{"batch_read_documents", arguments{"document_ids": ids[:50]}, "# 50 documents"},
				{"batch_read_documents", arguments{"document_ids": ids[50:]}, "# 50 documents"},
			}
		}},
		{"100 drafts created", 25, func(ids []string) []batchCall {
			return []batchCall{{"batch_create_documents", arguments{"documents": each(ids, func(id string) arguments {
				return arguments{"title": "After " + id, "text": "Ask the watch.", "collection_id": sampleCollection, "publish": false}
			})}, "100 of 100"}}
		}},
		{"100 documents updated", 50, func(ids []string) []batchCall {
			return []batchCall{{"batch_update_documents", arguments{"updates": each(ids, func(id string) arguments {
				return arguments{"document_id": id, "text": "Ask the watch."}
			})}, "100 of 100"}}
		}},
		{"100 documents archived", 25, func(ids []string) []batchCall {
			return []batchCall{{"batch_archive_documents", arguments{"document_ids": ids}, "100 of 100"}}
		}},
	}
	took := make([][]time.Duration, len(kinds))
	for range l.turns(5) {
		err := l.withHundred(ctx, func(p *process, ids []string) error {
			for n, kind := range kinds {
				begin := time.Now()
				for _, call := range kind.calls(ids) {
					answer, err := p.ask(toolsCall(2, call.tool, call.given))
					if err != nil {
						return err
					}
					if !strings.Contains(string(answer), call.want) {
						return fmt.Errorf("%s answers %.300s", call.tool, answer)
					}
				}
				took[n] = append(took[n], time.Since(begin))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for n, kind := range kinds {
		compare(l, kind.what, took[n], []time.Duration{time.Duration(kind.trips) * distance}, duration)
	}
	return nil
}

type batchCall struct {
	tool  string
	given arguments
	want  string // in the answer
}

func each(ids []string, item func(id string) arguments) []arguments {
	var items []arguments
	for _, id := range ids {
		items = append(items, item(id))
	}
	return items
}

// withHundred runs something with a server on standard input and output, and a
// hundred new documents in its own workspace.
func (l *lab) withHundred(ctx context.Context, run func(p *process, ids []string) error) error {
	outline, base, err := l.workspace(ctx, distance)
	if err != nil {
		return err
	}
	defer func() { _ = outline.end() }()
	client := newClient(25)
	defer client.CloseIdleConnections()
	ids := make([]string, 100)
	var all errgroup.Group
	for n := range ids {
		all.Go(func() error {
			var created struct{ Data struct{ ID string } }
			body := fmt.Sprintf(`{"title":"Document %d","text":"","publish":true,"collectionId":%q}`, n, sampleCollection)
			answer, err := askOutline(ctx, client, base, "documents.create", fakeoutline.AdminKey, body)
			if err == nil {
				err = json.Unmarshal(answer, &created)
			}
			ids[n] = created.Data.ID
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
	p, err := l.start(ctx, product, []string{"OUTLINE_API_URL=" + base, "OUTLINE_API_KEY=" + fakeoutline.AdminKey, "OUTLINE_BATCH_CONCURRENCY=4"})
	if err != nil {
		return err
	}
	defer func() { _ = p.end() }()
	if _, err := p.ask(initialize); err != nil {
		return err
	}
	return run(p, ids)
}
