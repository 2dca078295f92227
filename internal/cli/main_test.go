package cli_test

import (
	"testing"

	"go.uber.org/goleak"

	"outline-mcp/test/leaktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, leaktest.ClosingConnections()) }
