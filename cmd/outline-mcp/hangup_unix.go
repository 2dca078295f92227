//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// onHangup calls reload for each SIGHUP, which then does not end the program, until stop
// is called.
func onHangup(reload func()) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case <-signals:
				reload()
			case <-ended:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(ended)
	}
}
