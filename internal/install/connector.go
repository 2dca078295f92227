package install

import (
	"strings"

	"outline-mcp/internal/clientfile"
)

// connector says how Claude Desktop reaches a server over HTTP. Its file can
// name none, and its connectors take an address and OAuth, but no custom header
// (https://support.claude.com/en/articles/11503834). The header has no space
// after the colon because it would be lost on Windows
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
	return "Claude Desktop's file can hold only servers that it starts itself, so nothing was written.\n" +
		"To add a server that needs no key header, open Settings → Connectors in Claude Desktop.\n" +
		"To reach one with a key header, use mcp-remote, which needs Node.js. Add this to the file:\n\n" + strings.TrimRight(string(fragment), "\n")
}
