package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"outline-mcp/internal/audit"
	"outline-mcp/output"
)

// Who calls during a soak.
const (
	soakReaders   = 6
	soakWriters   = 4
	soakListeners = 8
)

// runSoak lets callers work for a long time while everything around the server fails,
// and compares what they were told with what is true.
func runSoak(ctx context.Context, l *lab) (result, error) {
	dir, err := os.MkdirTemp(l.dir, "soak-")
	if err != nil {
		return result{}, err
	}
	var listen net.ListenConfig
	balancer, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return result{}, err
	}
	workspace, settings, err := l.workspaceWithLogin(ctx, "https://"+balancer.Addr().String())
	if err != nil {
		return result{}, err
	}
	defer func() { _ = workspace.end() }()
	front, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return result{}, err
	}
	base := settings["OUTLINE_API_URL"]
	proxy := startUpstream(front, strings.TrimSuffix(base, "/api"))
	defer proxy.end()
	fleet, err := l.startFleet(ctx, dir, balancer, 3, []string{
		"OUTLINE_API_URL=" + proxy.url + "/api", "OUTLINE_REQUEST_TIMEOUT=1s", "OUTLINE_CALL_TIMEOUT=10s", "OUTLINE_MAX_RETRIES=2",
		"OUTLINE_STRUCTURED_OUTPUT=true", "OUTLINE_TOOLS=default,get_workspace", "MCP_AUDIT_MAX_SIZE=4MiB", "MCP_AUDIT_KEEP=0",
		"MCP_OAUTH_CLIENT_ID=" + settings["MCP_OAUTH_CLIENT_ID"], "MCP_OAUTH_CLIENT_SECRET=" + settings["MCP_OAUTH_CLIENT_SECRET"],
		"MCP_OAUTH_SECRET=a secret for a soak of 32 bytes or more", "MCP_OAUTH_CIMD=false",
	})
	if err != nil {
		return result{}, errors.Join(err, fleet.end())
	}
	s := &soaking{fleet: fleet, base: base, codes: map[output.Code]int{}, answered: map[string]int{}}
	length := pick(l, l.length, min(l.length, 30*time.Second))
	c := &chaos{fleet: fleet, proxy: proxy, pace: min(20*time.Second, length/8)}
	failure := s.run(ctx, c, length)
	if err := errors.Join(failure, fleet.end()); err != nil {
		return result{}, err
	}
	done, err := s.checkMarks(ctx)
	if err != nil {
		return result{}, err
	}
	trail, err := s.checkTrails(done)
	if err != nil {
		return result{}, err
	}
	for _, wrong := range s.wrong[:min(len(s.wrong), 20)] {
		fmt.Fprintln(l.log, "wrong:", wrong)
	}
	return s.result(c, trail, length), nil
}

// workspaceWithLogin starts the workspace with an OAuth application for the server at
// a public URL, and returns the settings that it prints.
func (l *lab) workspaceWithLogin(ctx context.Context, publicURL string) (*process, map[string]string, error) {
	p, err := l.start(ctx, product, nil, "workspace", "--listen", "127.0.0.1:0", "--latency", "10ms", "--oauth-redirect", publicURL+"/oauth/callback")
	if err != nil {
		return nil, nil, err
	}
	p.serves = true
	settings := map[string]string{}
	for settings["MCP_OAUTH_CLIENT_SECRET"] == "" {
		line, err := p.out.ReadString('\n')
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("start the workspace: %w", err), p.end())
		}
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		settings[name] = value
	}
	return p, settings, nil
}

// run runs all callers, the chaos and the measurement for a length of time.
func (s *soaking) run(ctx context.Context, c *chaos, length time.Duration) error {
	ctx, stop := context.WithTimeout(ctx, length)
	defer stop()
	var (
		all     sync.WaitGroup
		failure = make(chan error, soakWriters+2)
		one     = func(run func() error) {
			all.Go(func() {
				if err := run(); err != nil && ctx.Err() == nil {
					failure <- err
					stop()
				}
			})
		}
	)
	for n := range int64(soakListeners) {
		all.Go(func() { s.listen(ctx, n) })
	}
	var caller atomic.Int64
	for range soakReaders {
		all.Go(func() {
			for ctx.Err() == nil {
				s.read(ctx, keyHeader, userKey(caller.Add(1)))
				pause(ctx, 200*time.Millisecond)
			}
		})
	}
	for n := range int64(soakWriters) {
		one(func() error { return s.write(ctx, n) })
	}
	all.Go(func() { s.logIn(ctx) })
	one(func() error { return c.run(ctx) })
	one(func() error { return c.watch(ctx) })
	all.Wait()
	select {
	case err := <-failure:
		return err
	default:
		return nil
	}
}

// Chaos is what happens around the callers, and the measurement of the first replica,
// which it does not kill.
type chaos struct {
	fleet *fleet
	proxy *upstream
	pace  time.Duration // of events

	kills, renewals, outages, stale int
	memory, goroutines              []point
}

// run renews the certificate, kills a replica, and takes the upstream away, in turn.
func (c *chaos) run(ctx context.Context) error {
	for n := 0; ; n++ {
		pause(ctx, c.pace)
		if ctx.Err() != nil {
			return nil
		}
		switch n % 3 {
		case 0:
			if err := c.fleet.renew(); err != nil {
				return err
			}
			c.renewals++
			for i := range c.fleet.replicas {
				if c.fleet.presents(i) != nil {
					c.stale++
				}
			}
		case 1:
			c.kills++
			if err := c.fleet.kill(context.WithoutCancel(ctx), 1+n/3%2); err != nil {
				return err
			}
		case 2:
			c.outages++
			c.proxy.outage.Store(true)
			pause(ctx, min(3*time.Second, c.pace))
			c.proxy.outage.Store(false)
		}
	}
}

// watch measures once a second.
func (c *chaos) watch(ctx context.Context) error {
	begin := time.Now()
	for ctx.Err() == nil {
		resident, err := c.fleet.replicas[0].process.resident()
		if err != nil {
			return err
		}
		running, err := c.fleet.goroutines(0)
		if err != nil {
			return err
		}
		at := time.Since(begin).Minutes()
		c.memory, c.goroutines = append(c.memory, point{at, resident}), append(c.goroutines, point{at, running})
		pause(ctx, time.Second)
	}
	return nil
}

// A trail is what the files of all replicas have together.
type trail struct {
	lines, missing int
	damage         audit.Damage
}

// checkTrails counts answered calls and writes that were done which have no line.
func (s *soaking) checkTrails(done []string) (trail, error) {
	var t trail
	calls, writes := map[string]int{}, map[string]int{}
	for _, r := range s.fleet.replicas {
		reader := audit.Reader{Found: func(r audit.Record, _ []byte) error {
			t.lines++
			if r.Event == audit.EventCall {
				calls[r.RequestID]++
			}
			if r.Event == audit.EventWrite || r.Effect != "reads" {
				writes[r.RequestID]++ // found has the last line of a call, which ends one with changes
			}
			return nil
		}}
		if err := reader.ReadFile(r.trail); err != nil {
			return t, err
		}
		damage, err := reader.End()
		if err != nil {
			return t, err
		}
		t.damage.Missing += damage.Missing
		t.damage.Unreadable += damage.Unreadable
	}
	for id, answers := range s.answered {
		if calls[id] != answers {
			t.missing++
		}
	}
	for _, id := range done {
		if writes[id] == 0 {
			t.missing++
		}
	}
	return t, nil
}

// result returns the figures. Memory and goroutines are compared with those after
// five minutes, or half of a shorter soak.
func (s *soaking) result(c *chaos, t trail, length time.Duration) result {
	warm := min(5*time.Minute, length/2).Minutes()
	window := min(time.Minute, length/6).Minutes()
	grown := func(points []point) (before, after float64) {
		var first, last sample
		for _, p := range points {
			switch {
			case p.size >= warm && p.size < warm+window:
				first = append(first, p.cost)
			case p.size >= length.Minutes()-window:
				last = append(last, p.cost)
			}
		}
		return median(first), median(last)
	}
	memoryBefore, memoryAfter := grown(c.memory)
	runningBefore, runningAfter := grown(c.goroutines)
	none := func(what string, count int) row {
		return row{what: what, ours: single(float64(count), plain), goal: atMost(0, plain), judged: float64(count)}
	}
	count := func(what string, n int) row { return row{what: what, ours: single(float64(n), plain)} }
	codes := make([]string, 0, len(s.codes))
	for code, n := range s.codes {
		codes = append(codes, fmt.Sprintf("%s %d", code, n))
	}
	slices.SortFunc(codes, cmp.Compare[string])
	return result{
		rows: []row{
			{what: "length", ours: single(length.Seconds(), inSeconds)},
			{what: "a read that succeeds", ours: s.reads.figure(inSeconds)},
			{what: "a write that succeeds", ours: s.writes.figure(inSeconds)},
			count("logins", s.logins),
			count("logins that failed with Outline or a replica", s.failed),
			count("changes told to listeners", s.notices),
			count("requests that the upstream failed", int(c.proxy.failures.Load())),
			count("outages of three seconds", c.outages),
			count("replicas killed", c.kills),
			count("certificates renewed", c.renewals),
			none("certificates that a replica did not take up", c.stale),
			none("wrong answers", len(s.wrong)),
			count("calls and changes in the audit trails", t.lines),
			none("answered calls and changes without a line", t.missing),
			none("lines missing or damaged in a trail", t.damage.Missing+t.damage.Unreadable),
			{what: "memory at the end, to that after the warm-up", ours: single(memoryAfter, inMiB), floor: single(memoryBefore, inMiB), ratio: memoryAfter / memoryBefore, goal: ratioAtMost(1.1), judged: memoryAfter / memoryBefore},
			{what: "goroutines at the end, likewise", ours: single(runningAfter, plain), floor: single(runningBefore, plain), ratio: runningAfter / runningBefore, goal: ratioAtMost(1.1), judged: runningAfter / runningBefore},
		},
		notes: []string{fmt.Sprintf("%d calls got no answer. Calls that failed, by code: %s.", s.lost, cmp.Or(strings.Join(codes, ", "), "none"))},
		charts: []chart{
			{file: "performance-soak-memory", title: "Memory of a replica during a soak", x: "minutes", y: "MiB", lines: []line{{"outline-mcp", thin(c.memory)}}},
			{file: "performance-soak-goroutines", title: "Goroutines of a replica during a soak", x: "minutes", y: "goroutines", lines: []line{{"outline-mcp", thin(c.goroutines)}}},
		},
	}
}

// thin leaves at most about a hundred points for a chart.
func thin(points []point) []point {
	step := 1 + len(points)/100
	var kept []point
	for i := 0; i < len(points); i += step {
		kept = append(kept, points[i])
	}
	return kept
}
