package doctor_test

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"outline-mcp/internal/doctor"
	"outline-mcp/internal/install"
)

// entryReport returns the report on an entry for a server at a URL.
func entryReport(t *testing.T, url string) string {
	t.Helper()
	entry := doctor.Entry{Written: install.Written{Path: "mcp.json", Name: "outline", URL: url, Client: install.Client{Title: "Cursor"}}, Repair: "outline-mcp install cursor"}
	var text bytes.Buffer
	if err := doctor.Examine(t.Context(), doctor.Request{Version: "test", Entry: &entry}).WriteText(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// closedPort returns a port with 404 in its number that nothing listens on.
func closedPort(t *testing.T) int {
	t.Helper()
	var config net.ListenConfig
	for port := 40400; port < 40500; port++ {
		listener, err := config.Listen(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			listener.Close()
			return port
		}
	}
	t.Fatal("all ports are taken")
	return 0
}

func TestAServerThatIsNotThereIsNotMistakenForAWrongPath(t *testing.T) {
	url := fmt.Sprintf("http://127.0.0.1:%d/mcp", closedPort(t))
	if got := entryReport(t, url); !strings.Contains(got, url+" does not answer as an MCP server (connection refused)") {
		t.Errorf("it does not say that the connection is refused:\n%s", got)
	}
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	defer elsewhere.Close()
	if got := entryReport(t, elsewhere.URL+"/home"); !strings.Contains(got, "there is no MCP server at "+elsewhere.URL+"/home; check the path") {
		t.Errorf("it does not say that the path is wrong:\n%s", got)
	}
}
