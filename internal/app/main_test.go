package app_test

import (
	"testing"

	"go.uber.org/goleak"

	"outline-mcp/test/fixtures"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, fixtures.ClosingConnections(),
		// Connections to Outline are kept for the next call, by design.
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}
