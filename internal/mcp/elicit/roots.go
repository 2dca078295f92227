package elicit

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcp/wire"
)

// rootsField is the name of the client's roots, and the state with which they come. It is
// not sealed: the client runs on the same machine and can open the files itself.
const rootsField = "roots"

// rootsWithin is how long a client may take to name its roots, which takes no person.
const rootsWithin = 5 * time.Second

// Roots returns the folders in which the client works, or what asks it for them. Each call
// asks anew; a call that continues after a question to the user keeps what was learned.
func (d *Desk) Roots(ctx context.Context, given *mcp.MultiRoundTripParams) (folders []string, asked *Asked) {
	if d == nil {
		return nil, nil
	}
	if result := server.RootsResponse(given.InputResponses, rootsField); result != nil {
		*given = mcp.MultiRoundTripParams{}
		d.roots.Store(result)
	} else if given.RequestState == "" && wire.ClientCapabilities(ctx).Roots != nil {
		return nil, &Asked{state: rootsField, field: rootsField}
	}
	known := d.roots.Load()
	if known == nil {
		return nil, nil
	}
	for _, root := range known.Roots {
		u, err := url.Parse(root.URI)
		if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
			continue
		}
		folder := filepath.FromSlash(u.Path)
		if drive := strings.TrimPrefix(folder, `\`); filepath.VolumeName(drive) != "" {
			folder = drive
		}
		if filepath.IsAbs(folder) {
			folders = append(folders, folder)
		}
	}
	return folders, nil
}
