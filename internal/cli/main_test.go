package cli_test

import (
	"testing"

	"go.uber.org/goleak"

	"outline-mcp/test/fixtures"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, fixtures.ClosingConnections()) }
