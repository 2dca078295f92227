package install_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"outline-mcp/internal/install"
)

// The links of docs/clients.md add what install writes for a login.
func TestTheInstallLinksHoldTheEntriesOfTheirClients(t *testing.T) {
	page, err := os.ReadFile("../../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	for client, prefix := range map[string]string{"vscode": "https://insiders.vscode.dev/", "cursor": "https://cursor.com/en/install-mcp"} {
		link, err := url.Parse(string(regexp.MustCompile(regexp.QuoteMeta(prefix) + `[^)\s]+`).Find(page)))
		if err != nil {
			t.Fatal(err)
		}
		config := link.Query().Get("config")
		if plain, err := base64.StdEncoding.DecodeString(config); err == nil {
			config = string(plain)
		}
		text, err := entryOf(t, find(t, client), install.Server{Name: link.Query().Get("name"), Command: "outline-mcp", Login: true}).Print()
		if err != nil {
			t.Fatal(err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(compact.String(), `"outline":`+config) || config == "" {
			t.Errorf("%s: %s is not in %s", client, config, compact.String())
		}
	}
}
