package cli_test

import (
	"testing"

	"go.uber.org/goleak"

	"outline-mcp/internal/leaktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, leaktest.ClosingConnections()) }
