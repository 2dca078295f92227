package install

import (
	"strings"

	"outline-mcp/internal/clientfile"
)

// connector says how Claude Desktop reaches a server over HTTP. It connects to
// none that its file names, and a connector takes an address and OAuth, but no
// header of one's own
// (https://support.claude.com/en/articles/11503834). The header has no space
// after its colon because the one on Windows is lost
// (https://github.com/geelen/mcp-remote#readme).
func connector(name, url string) string {
	bridge := clientfile.Object{
		{Name: "command", Value: "npx"},
		{Name: "args", Value: []string{"-y", "mcp-remote", url, "--header", KeyHeader + ":${OUTLINE_API_KEY}"}},
		{Name: "env", Value: clientfile.Object{{Name: "OUTLINE_API_KEY", Value: "your-api-key"}}},
	}
	fragment, err := clientfile.JSON{}.SetMember(nil, "mcpServers", name, bridge)
	if err != nil {
		fragment = nil // which no text does
	}
	return "Claude Desktop's file holds only servers that it starts itself, so nothing was written.\n" +
		"A server that needs no key header is added in Claude Desktop under Settings, Connectors.\n" +
		"With a key header, let mcp-remote (it needs Node.js) reach it; put this into the file:\n\n" + strings.TrimRight(string(fragment), "\n")
}
