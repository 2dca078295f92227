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

// rootsField is the name of the client's roots, and the state with which they come: they
// decide nothing that the client could not do itself.
const rootsField = "roots"

// AskRoots asks a client of this machine for the folders in which it works. It returns nil
// for one that has declared none, and for a call that is continued.
func AskRoots(ctx context.Context, given mcp.MultiRoundTripParams) *Asked {
	if given.RequestState != "" || wire.ClientCapabilities(ctx).Roots == nil {
		return nil
	}
	return &Asked{state: rootsField, field: rootsField}
}

// TakeRoots returns the folders that the client has given, and removes them from what was
// given.
func TakeRoots(given *mcp.MultiRoundTripParams) (folders []string, ok bool) {
	result := server.RootsResponse(given.InputResponses, rootsField)
	if result == nil {
		return nil, false
	}
	*given = mcp.MultiRoundTripParams{}
	for _, root := range result.Roots {
		u, err := url.Parse(root.URI)
		if err != nil || u.Scheme != "file" {
			continue
		}
		folder := filepath.FromSlash(u.Path)
		if drive := strings.TrimPrefix(u.Path, "/"); filepath.VolumeName(drive) != "" {
			folder = filepath.FromSlash(drive)
		}
		if filepath.IsAbs(folder) {
			folders = append(folders, folder)
		}
	}
	return folders, true
}

// listRoots asks a client of a version before 2026-07-28. One that does not answer has none.
func listRoots(ctx context.Context) (result mcp.ListRootsResult) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithRoots); ok {
		request := mcp.ListRootsRequest{Request: mcp.Request{Method: string(mcp.MethodListRoots)}}
		if given, err := session.ListRoots(ctx, request); err == nil {
			result = *given
		}
	}
	return result
}
