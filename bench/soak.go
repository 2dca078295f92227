package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"outline-mcp/internal/observe/audit"
	"outline-mcp/output"
)

// Who calls during a soak.
const (
	soakReaders   = 6
	soakWriters   = 4
	soakListeners = 8
	soakLookers   = 2 // at pictures
	soakSlow      = 16

	soakCallTimeout = 10 * time.Second
)

// runSoak lets callers work for a long time while everything around the server fails,
// and compares what they were told with what is true.
func runSoak(ctx context.Context, l *lab) error {
	f, err := soakFor(ctx, l)
	if err != nil {
		return err
	}
	for _, r := range []struct {
		what  string
		value any
	}{
		{"length", f.length},
		{"reads that succeeded", fmt.Sprintf("%d, %s (p99 %s)", len(f.reads), duration(quantile(f.reads, 0.5)), duration(quantile(f.reads, 0.99)))},
		{"writes that succeeded", fmt.Sprintf("%d, %s (p99 %s)", len(f.writes), duration(quantile(f.writes, 0.5)), duration(quantile(f.writes, 0.99)))},
		{"pictures answered", fmt.Sprintf("%d, %s (p99 %s)", len(f.pictures), duration(quantile(f.pictures, 0.5)), duration(quantile(f.pictures, 0.99)))},
		{"the slowest call, at a limit of " + soakCallTimeout.String(), duration(f.slowest)},
		{"bytes that slow readers have read", f.slow},
		{"changes told to listeners", f.notices},
		{"calls that got no answer", f.lost},
		{"calls that failed, by code", f.codes},
		{"requests that the upstream failed", f.proxy.failures.Load()},
		{"outages of three seconds", f.outages},
		{"replicas killed", f.kills},
		{"calls and changes in the audit trails", f.trail.lines},
	} {
		l.row(r.what, r.value, "", "")
	}
	compare(l, "memory at the end, beside that after the warm-up", f.late, f.early, mebibytes)
	return f.faults()
}

// A soaked is what a soak found.
type soaked struct {
	*soaking
	*chaos
	trail  trail
	length time.Duration
}

// faults returns an error if something happened that may not happen, whatever fails.
func (f *soaked) faults() error {
	var faults []error
	for what, count := range map[string]int{
		"answered calls and changes that no audit trail has":  f.trail.missing,
		"lines that are missing or damaged in an audit trail": f.trail.damage.Missing + f.trail.damage.Unreadable,
		"wrong answers": len(f.wrong),
	} {
		if count > 0 {
			faults = append(faults, fmt.Errorf("%d %s", count, what))
		}
	}
	if f.slowest > soakCallTimeout+time.Second {
		faults = append(faults, fmt.Errorf("a call took %s", duration(f.slowest)))
	}
	for _, wrong := range f.wrong[:min(len(f.wrong), 20)] {
		faults = append(faults, errors.New(wrong))
	}
	return errors.Join(faults...)
}

// soakFor runs a soak of the lab's length.
func soakFor(ctx context.Context, l *lab) (*soaked, error) {
	dir, err := os.MkdirTemp(l.dir, "soak-")
	if err != nil {
		return nil, err
	}
	var listen net.ListenConfig
	balancer, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	outline, base, err := l.workspace(ctx, 10*time.Millisecond)
	if err != nil {
		return nil, err
	}
	defer func() { _ = outline.end() }()
	front, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	proxy := startUpstream(front, strings.TrimSuffix(base, "/api"))
	defer proxy.end()
	fleet, err := l.startFleet(ctx, dir, balancer, 3, []string{
		"OUTLINE_API_URL=" + proxy.url + "/api", "OUTLINE_REQUEST_TIMEOUT=1s", "OUTLINE_CALL_TIMEOUT=" + soakCallTimeout.String(), "OUTLINE_MAX_RETRIES=2",
		"OUTLINE_STRUCTURED_OUTPUT=true", "MCP_AUDIT_MAX_SIZE=4MiB", "MCP_AUDIT_KEEP=0",
	})
	if err != nil {
		return nil, errors.Join(err, fleet.end())
	}
	s := &soaking{fleet: fleet, base: base, codes: map[output.Code]int{}, answered: map[string]int{}}
	c := &chaos{fleet: fleet, proxy: proxy, length: l.length}
	failure := s.run(ctx, c, l.length)
	if err := errors.Join(failure, fleet.end()); err != nil {
		return nil, err
	}
	done, err := s.checkMarks(ctx)
	if err != nil {
		return nil, err
	}
	t, err := s.checkTrails(done)
	return &soaked{s, c, t, l.length}, err
}

// recovery is how long callers continue without failures, if some had no success before.
const recovery = time.Minute

// run runs all callers, and for a length of time the chaos and the measurement. Then
// nothing fails any more, and the callers continue until each kind had a success.
func (s *soaking) run(ctx context.Context, c *chaos, length time.Duration) error {
	ctx, stop := context.WithTimeout(ctx, length+recovery)
	defer stop()
	all, ctx := errgroup.WithContext(ctx)
	failing, calm := context.WithTimeout(ctx, length)
	defer calm()
	for n := range int64(soakListeners) {
		all.Go(func() error { s.listen(ctx, n); return nil })
	}
	for n := range int64(soakLookers) {
		all.Go(func() error { s.look(ctx, n); return nil })
	}
	for n := range int64(soakSlow) {
		all.Go(func() error { s.readSlowly(ctx, n); return nil })
	}
	var caller atomic.Int64
	for range soakReaders {
		all.Go(func() error {
			for ctx.Err() == nil {
				s.read(ctx, userKey(caller.Add(1)))
				pause(ctx, 200*time.Millisecond)
			}
			return nil
		})
	}
	for n := range int64(soakWriters) {
		all.Go(func() error { return s.write(ctx, n) })
	}
	all.Go(func() error { return c.run(failing) })
	all.Go(func() error { return c.watch(failing) })
	all.Go(func() error {
		<-failing.Done()
		c.proxy.works.Store(true)
		for ctx.Err() == nil && !s.everyoneServed() {
			pause(ctx, 100*time.Millisecond)
		}
		stop()
		return nil
	})
	return all.Wait()
}

// Chaos is what happens around the callers, and the measurement of the first replica,
// which it does not kill.
type chaos struct {
	fleet  *fleet
	proxy  *upstream
	length time.Duration

	kills, outages int
	early, late    []float64 // memory in a minute after the first five, and in the last one; in shorter soaks, after the first half
}

// run kills a replica and takes the upstream away, in turn.
func (c *chaos) run(ctx context.Context) error {
	pace := min(20*time.Second, c.length/8)
	for n := 0; ; n++ {
		pause(ctx, pace)
		if ctx.Err() != nil {
			return nil
		}
		if n%2 == 0 {
			c.kills++
			if err := c.fleet.kill(context.WithoutCancel(ctx), c.fleet.replicas[1+n/2%2]); err != nil {
				return err
			}
			continue
		}
		c.outages++
		c.proxy.outage.Store(true)
		pause(ctx, min(3*time.Second, pace))
		c.proxy.outage.Store(false)
	}
}

// watch measures once a second.
func (c *chaos) watch(ctx context.Context) error {
	warm, window := min(5*time.Minute, c.length/2), min(time.Minute, c.length/6)
	begin := time.Now()
	for ctx.Err() == nil {
		resident, err := c.fleet.replicas[0].resident()
		if err != nil {
			return err
		}
		switch at := time.Since(begin); {
		case at >= warm && at < warm+window:
			c.early = append(c.early, resident)
		case at >= c.length-window:
			c.late = append(c.late, resident)
		}
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
