//go:build !unix

package main

// onHangup does nothing: this system has no SIGHUP.
func onHangup(func()) (stop func()) { return func() {} }
