package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
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
	*httpServer
	port, trail string
}

// startFleet starts that many replicas. Only the first is never killed.
func (l *lab) startFleet(ctx context.Context, dir string, listener net.Listener, count int, environ []string) (*fleet, error) {
	f := &fleet{lab: l, environ: environ, listener: listener, address: listener.Addr().String()}
	f.client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	for n := range count {
		port, err := freePort()
		if err != nil {
			return f, err
		}
		f.replicas = append(f.replicas, &replica{port: port, trail: filepath.Join(dir, fmt.Sprintf("audit-%d.jsonl", n))})
		if err := f.start(ctx, f.replicas[n]); err != nil {
			return f, err
		}
	}
	go f.balance()
	return f, nil
}

func (f *fleet) start(ctx context.Context, r *replica) (err error) {
	r.httpServer, err = f.lab.serveHTTP(ctx, product, r.port, append([]string{"MCP_AUDIT_LOG=" + r.trail}, f.environ...)...)
	return err
}

// kill ends a replica without a warning and starts it again.
func (f *fleet) kill(ctx context.Context, r *replica) error {
	_ = r.cmd.Process.Kill()
	_ = r.process.end() // an error tells of the signal
	return f.start(ctx, r)
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

// end ends the replicas, so that their trails are complete.
func (f *fleet) end() error {
	var failures []error
	for _, r := range f.replicas {
		if r.httpServer != nil {
			failures = append(failures, r.process.end())
		}
	}
	_ = f.listener.Close()
	f.connected.Wait()
	return errors.Join(failures...)
}
