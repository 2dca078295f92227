package resources

import (
	"context"
	"encoding/base64"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/views"
)

// A Server lists and reads resources.
type Server struct {
	o    Options
	told sync.Map // problems that were logged
}

// New returns the server of the resources that options offer.
func New(o Options) *Server { return &Server{o: o} }

// tool returns an offered tool, or nil.
func (s *Server) tool(name string) mcptool.Tool {
	for _, tool := range s.o.Tools {
		if tool.Info().Name == name {
			return tool
		}
	}
	return nil
}

// view returns the view with a URI, or "".
func (s *Server) view(uri string) views.View {
	if v, ok := views.At(uri); ok && slices.Contains(s.o.Views, v) {
		return v
	}
	return ""
}

// Offered reports whether the operator's choice leaves any resource or view.
func (s *Server) Offered() bool {
	return len(s.o.Views) > 0 || !s.OnlyViews()
}

// OnlyViews reports whether the operator's choice leaves no resource that people pick.
func (s *Server) OnlyViews() bool {
	return !slices.ContainsFunc(declarations(), func(d declaration) bool { return s.tool(d.tool) != nil })
}

// offered returns which resources, by their names, a request finds in lists.
func (s *Server) offered(ctx context.Context) func(name string) bool {
	permitted := func(string) bool { return true }
	if s.o.Permitted != nil {
		permitted = s.o.Permitted(ctx)
	}
	return func(name string) bool {
		d := named(name)
		return s.o.Pipeline.Allows(ctx, d.item()) && permitted(d.tool)
	}
}

const (
	listTTL      = 60_000    // of resources/list, in milliseconds: as long as names of collections are kept
	templatesTTL = 3_600_000 // of resources/templates/list
	viewsTTL     = 3_600_000 // of views, which change with the program
)

// CacheHints tell clients of MCP 2026-07-28 and later how long lists stay true. They
// belong to one caller. What a resource shows may change at any time.
func CacheHints() []server.ServerOption {
	return []server.ServerOption{
		server.WithMethodCacheHints(mcp.MethodResourcesList, listTTL, mcp.CacheScopePrivate),
		server.WithMethodCacheHints(mcp.MethodResourcesTemplatesList, templatesTTL, mcp.CacheScopePrivate),
		server.WithMethodCacheHints(mcp.MethodResourcesRead, 0, mcp.CacheScopePrivate),
	}
}

// The library matches URIs with templates in an order that changes, gives their
// variables as lists, and has one list of resources for all callers, with cursors of
// its own. So it knows a single resource, which stands for all, and lists are replaced
// when it has made its own.
const placeholder = "outline:"

// Listen adds to hooks what finds and lists resources.
func (s *Server) Listen(hooks *server.Hooks) {
	hooks.AddBeforeReadResource(func(_ context.Context, _ any, request *mcp.ReadResourceRequest) {
		request.Params.Arguments = map[string]any{"uri": request.Params.URI}
		request.Params.URI = placeholder
	})
	hooks.AddAfterReadResource(func(ctx context.Context, _ any, request *mcp.ReadResourceRequest, result *mcp.ReadResourceResult) {
		if uri, _ := request.Params.Arguments["uri"].(string); server.IsModernRequest(ctx) && s.view(uri) != "" {
			result.SetCacheHints(viewsTTL, mcp.CacheScopePublic) // the same for all callers of this server
		}
	})
	hooks.AddBeforeListResources(func(_ context.Context, _ any, request *mcp.ListResourcesRequest) {
		request.Params.Cursor = mcp.Cursor(base64.StdEncoding.EncodeToString([]byte(request.Params.Cursor)))
	})
	hooks.AddAfterListResources(func(ctx context.Context, _ any, request *mcp.ListResourcesRequest, result *mcp.ListResourcesResult) {
		given, _ := base64.StdEncoding.DecodeString(string(request.Params.Cursor)) // encoded above
		*result = s.o.Pipeline.ResourceList(ctx, mcptool.Item{Name: "list"}, request, func(ctx context.Context) (mcp.ListResourcesResult, error) {
			return s.list(ctx, mcp.Cursor(given))
		})
	})
	hooks.AddAfterListResourceTemplates(func(ctx context.Context, _ any, _ *mcp.ListResourceTemplatesRequest, result *mcp.ListResourceTemplatesResult) {
		result.ResourceTemplates, result.NextCursor = s.templates(ctx), ""
	})
}

// AddTo lets the library's server read resources. Its hooks must be those that
// Listen was given.
func (s *Server) AddTo(m *server.MCPServer) {
	m.AddResource(mcp.NewResource(placeholder, "resource"), func(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		request.Params.URI, _ = request.Params.Arguments["uri"].(string) // as Listen has put it there
		return s.Read(ctx, request)
	})
}
