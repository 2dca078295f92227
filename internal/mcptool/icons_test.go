package mcptool_test

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/mcptool"
	"outline-mcp/tools"
)

func TestEachGroupOfToolsHasAnIcon(t *testing.T) {
	for _, tool := range tools.All() {
		if group := tool.Info().Group; len(mcptool.Icons(string(group))) != 1 {
			t.Errorf("the group %s has no icon", group)
		}
	}
	for _, name := range []string{"", "nothing", "../server", "server.svg"} {
		if mcptool.Icons(name) != nil {
			t.Errorf("%q has an icon", name)
		}
	}
}

func TestIconsAreSmallDataURIsThatDraw(t *testing.T) {
	all := mcptool.ServerIcons()
	if len(all) != 2 {
		t.Errorf("the server has %d icons", len(all))
	}
	for _, name := range []string{"ai", "batch", "chatgpt", "collections", "comments", "documents", "files", "history", "lifecycle", "outline", "people", "reading", "search", "templates"} {
		all = append(all, mcptool.Icons(name)...)
	}
	if len(all) != 16 {
		t.Fatalf("%d icons", len(all))
	}
	seen := map[string]bool{}
	for _, icon := range all {
		data := decode(t, icon)
		switch icon.MIMEType {
		case "image/svg+xml":
			checkSVG(t, data)
		case "image/png":
			size, err := png.DecodeConfig(bytes.NewReader(data))
			if err != nil || size.Width != 48 || size.Height != 48 || icon.Sizes[0] != "48x48" {
				t.Errorf("PNG %dx%d: %v", size.Width, size.Height, err)
			}
		default:
			t.Errorf("an icon is %s", icon.MIMEType)
		}
		if len(icon.Src) > 2048 || seen[icon.Src] {
			t.Errorf("an icon of %d bytes, or the same twice: %s", len(icon.Src), data)
		}
		seen[icon.Src] = true
	}
}

func decode(t *testing.T, icon mcp.Icon) []byte {
	t.Helper()
	encoded, ok := strings.CutPrefix(icon.Src, "data:"+icon.MIMEType+";base64,")
	data, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil {
		t.Fatalf("not a data URI of its type: %.60s %v", icon.Src, err)
	}
	return data
}

// checkSVG fails for anything but well-formed shapes: clients need not run or fetch
// anything to draw an icon.
func checkSVG(t *testing.T, data []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v: %s", err, data)
		}
		if start, ok := token.(xml.StartElement); ok && !strings.Contains(" svg path rect circle ", " "+start.Name.Local+" ") {
			t.Errorf("an icon has the element %s", start.Name.Local)
		}
	}
}
