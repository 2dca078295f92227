package doctor

import (
	"context"
	"slices"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
)

// Request names the server to examine.
type Request struct {
	Environ   []string // the settings, and the proxies
	Demo      bool     // the server uses the embedded workspace
	Transport string   // replaces MCP_TRANSPORT, unless it is ""
	Version   string   // of this program
}

// Examine makes all checks on the server that a request names, on the way that
// this server takes to Outline. It ends when ctx does, or after a minute.
func Examine(ctx context.Context, r Request) Report {
	environ := slices.Clone(r.Environ)
	if r.Demo {
		environ = config.WithoutOutline(environ)
	}
	if r.Transport != "" {
		environ = append(environ, "MCP_TRANSPORT="+r.Transport)
	}
	settings := config.Examine(environ, app.CheckTools)
	for i := range settings.Settings {
		if one := &settings.Settings[i]; r.Transport != "" && one.Name == "MCP_TRANSPORT" {
			one.Source = config.FromOption
		}
	}
	reached, err := app.Reach(app.Options{Config: settings.Config, Demo: r.Demo, Version: r.Version})
	return Run(ctx, Options{
		Settings: settings, Environ: environ, Demo: r.Demo, Version: r.Version, Access: app.AccessOf(settings.Config),
		BaseURL: reached.BaseURL, Key: reached.Key, UserAgent: reached.UserAgent, Transport: reached.Transport, Err: err,
	})
}
