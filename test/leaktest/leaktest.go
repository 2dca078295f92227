// Package leaktest contains what the tests share to check for goroutine leaks.
package leaktest

import "go.uber.org/goleak"

// ClosingConnections ignores connections that a net/http server is closing: it
// waits half a second before it does, longer than goleak does.
func ClosingConnections() goleak.Option {
	return goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait")
}
