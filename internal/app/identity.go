package app

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/icons"
	"outline-mcp/internal/mcptool"
)

// An identity is what clients show of the server.
type identity mcp.Implementation

// newIdentity returns the identity of a server. Its website is the wiki that it opens:
// the program has none. The embedded workspace has no pages.
func newIdentity(o Options, to upstream) identity {
	i := identity{Name: Name, Title: title, Version: o.Version}
	if !o.Demo {
		i.WebsiteURL = to.client.AbsoluteURL("/")
	}
	return i
}

// introduce makes the identity part of the first answer of the server. As options of
// the library, website and icons would be part of every answer from protocol version
// 2026-07-28 on.
func (i identity) introduce(hooks *server.Hooks) {
	hooks.AddAfterInitialize(func(_ context.Context, _ any, _ *mcp.InitializeRequest, result *mcp.InitializeResult) {
		result.ServerInfo = i.withIcons()
	})
	hooks.AddAfterDiscover(func(_ context.Context, _ any, _ *mcp.DiscoverRequest, result *mcp.DiscoverResult) {
		result.EnsureResultMeta().SetServerInfo(i.withIcons())
	})
}

// withIcons makes the icons when a client asks, not at every start.
func (i identity) withIcons() mcp.Implementation {
	i.Icons = icons.Server()
	return mcp.Implementation(i)
}

// iconsOf returns the function that gives each tool the icon of its group, or nil
// unless the operator asks for icons, which take up room in tools/list.
func iconsOf(wanted bool) func(mcptool.Group) []mcp.Icon {
	if !wanted {
		return nil
	}
	return func(group mcptool.Group) []mcp.Icon { return icons.Of(string(group)) }
}
