package client

// builtIn returns the client with a well-known metadata document. Some of these documents
// are served from behind a bot check that refuses addresses of data centers, so they could
// not be fetched; others need not be. The copies were taken from surveys that fetched them
// between 2026-09-24 and 2026-10-01 (fruggr/zendesk-mcp-server, issue 127; for Claude and
// VS Code, agreeing with others).
//
// The document of ChatGPT names private_key_jwt as its way to authenticate, and none
// besides; it uses this ID only with servers that send iss (RFC 9207).
func builtIn(id string) (Client, bool) {
	c := Client{ID: id, Source: BuiltIn}
	switch id {
	case "https://claude.ai/oauth/mcp-oauth-client-metadata":
		c.Name = "Claude"
		c.RedirectURIs = []string{"https://claude.ai/api/mcp/auth_callback"}
	case "https://claude.ai/oauth/claude-code-client-metadata":
		c.Name = "Claude Code"
		c.RedirectURIs = []string{"http://localhost/callback", "http://127.0.0.1/callback"}
	case "https://chatgpt.com/oauth/client.json":
		c.Name = "ChatGPT"
		c.RedirectURIs = []string{"https://chatgpt.com/connector_platform_oauth_redirect"}
	case "https://chatgpt.com/oauth/codex/client.json":
		c.Name = "Codex"
		c.RedirectURIs = []string{"http://127.0.0.1/callback", "http://localhost/callback"}
	case "https://vscode.dev/oauth/client-metadata.json":
		c.Name = "Visual Studio Code"
		c.RedirectURIs = []string{"http://127.0.0.1:33418/", "https://vscode.dev/redirect"}
	case "https://zed.dev/oauth/client-metadata.json":
		c.Name = "Zed"
		c.RedirectURIs = []string{"http://127.0.0.1/callback"}
	case "https://opencode.ai/oauth/opencode/client.json":
		c.Name = "OpenCode"
		c.RedirectURIs = []string{"http://127.0.0.1/callback", "http://localhost/callback"}
	default:
		return Client{}, false
	}
	return c, true
}
