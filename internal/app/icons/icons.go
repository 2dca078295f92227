// Package icons holds the icons of the server, of the groups of tools, and of
// resources. They were drawn for this project: lines in a colour that shows on light
// and dark backgrounds.
package icons

import (
	"embed"
	"encoding/base64"

	"github.com/mark3labs/mcp-go/mcp"
)

//go:embed svg/*.svg server.png
var files embed.FS

// Of returns the icon of a group of tools, such as documents, or of outline, the
// headings of a document. It is nil for any other name.
func Of(name string) []mcp.Icon {
	svg, err := files.ReadFile("svg/" + name + ".svg")
	if err != nil {
		return nil
	}
	return []mcp.Icon{iconOf("image/svg+xml", "any", svg)}
}

// Server returns the icon of the server in two formats: SVG, and PNG, which every
// client that shows icons has to support (MCP specification, basic, Icons).
func Server() []mcp.Icon {
	icons := Of("server")
	if png, err := files.ReadFile("server.png"); err == nil {
		icons = append(icons, iconOf("image/png", "48x48", png))
	}
	return icons
}

// iconOf returns an icon as a data URI, so that clients have nothing to fetch.
func iconOf(mimeType, size string, data []byte) mcp.Icon {
	return mcp.Icon{
		Src:      "data:" + mimeType + ";base64," + base64.StdEncoding.EncodeToString(data),
		MIMEType: mimeType,
		Sizes:    []string{size},
	}
}
