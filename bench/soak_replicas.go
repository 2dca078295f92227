package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A fleet is some replicas of the server behind one address, with a trail for each.
type fleet struct {
	lab       *lab
	environ   []string // but for what differs between the replicas
	listener  net.Listener
	address   string // of the balancer
	next      atomic.Int64
	client    *http.Client // opens a connection for each request
	replicas  []*replica
	connected sync.WaitGroup
}

// A replica is one server. All of its processes have the same port and trail.
type replica struct {
	port, trail string
	process     *process
}

// startFleet starts that many replicas. Only the first is never killed.
func (l *lab) startFleet(ctx context.Context, dir string, listener net.Listener, count int, environ []string) (*fleet, error) {
	f := &fleet{lab: l, listener: listener, address: listener.Addr().String()}
	f.environ = append(environ, "MCP_TRANSPORT=http")
	f.client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	for n := range count {
		port, err := freePort()
		if err != nil {
			return f, err
		}
		f.replicas = append(f.replicas, &replica{port: port, trail: filepath.Join(dir, fmt.Sprintf("audit-%d.jsonl", n))})
		if err := f.startReplica(ctx, n); err != nil {
			return f, err
		}
	}
	go f.balance()
	return f, nil
}

// startReplica starts a replica and returns when it serves.
func (f *fleet) startReplica(ctx context.Context, n int) error {
	r := f.replicas[n]
	p, err := f.lab.start(ctx, product, append([]string{"MCP_PORT=" + r.port, "MCP_AUDIT_LOG=" + r.trail}, f.environ...))
	if err != nil {
		return err
	}
	p.serves = true
	r.process = p
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		response, err := f.client.Get("http://127.0.0.1:" + r.port + "/health")
		if err == nil {
			return response.Body.Close()
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("replica %d does not serve: %w", n, err)
		}
	}
}

// kill ends a replica without a warning and starts it again.
func (f *fleet) kill(ctx context.Context, n int) error {
	p := f.replicas[n].process
	_ = p.cmd.Process.Kill()
	_ = p.end() // an error tells of the signal
	return f.startReplica(ctx, n)
}

// balance passes each connection to the replicas in turn, or to the next one while
// one is down.
func (f *fleet) balance() {
	for {
		from, err := f.listener.Accept()
		if err != nil {
			return
		}
		f.connected.Go(func() {
			defer from.Close()
			n := f.next.Add(1)
			for i := range int64(len(f.replicas)) {
				to, err := net.Dial("tcp", "127.0.0.1:"+f.replicas[(n+i)%int64(len(f.replicas))].port)
				if err != nil {
					continue
				}
				go func() {
					_, _ = io.Copy(to, from)
					_ = to.Close()
				}()
				_, _ = io.Copy(from, to)
				return
			}
		})
	}
}

// goroutines returns the number of goroutines of a replica, from its metrics.
func (f *fleet) goroutines(n int) (float64, error) {
	response, err := f.client.Get("http://127.0.0.1:" + f.replicas[n].port + "/metrics")
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), "go_goroutines "); found {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, errors.New("the metrics have no go_goroutines")
}

// end ends the replicas, so that their trails are complete.
func (f *fleet) end() error {
	var failures []error
	for _, r := range f.replicas {
		if r.process != nil {
			failures = append(failures, r.process.end())
		}
	}
	_ = f.listener.Close()
	f.connected.Wait()
	return errors.Join(failures...)
}
