package mcptool

import (
	"embed"
	"encoding/base64"

	"github.com/mark3labs/mcp-go/mcp"
)

// iconFiles were drawn for this project: lines in a colour that shows on light and dark
// backgrounds.
//
//go:embed icons/*.svg icons/server.png
var iconFiles embed.FS

// Icons returns the icon of a group of tools, such as documents, or of outline, the
// headings of a document. It is nil for any other name.
func Icons(name string) []mcp.Icon {
	svg, err := iconFiles.ReadFile("icons/" + name + ".svg")
	if err != nil {
		return nil
	}
	return []mcp.Icon{iconOf("image/svg+xml", "any", svg)}
}

// ServerIcons returns the icon of the server in two formats: SVG, and PNG, which every
// client that shows icons has to support (MCP specification, basic, Icons).
func ServerIcons() []mcp.Icon {
	icons := Icons("server")
	if png, err := iconFiles.ReadFile("icons/server.png"); err == nil {
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
