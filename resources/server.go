package resources

import (
	"context"
	"encoding/base64"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/pipeline"
)

// A Server lists and reads resources.
type Server struct {
	env       mcptool.Env
	pipeline  pipeline.Pipeline
	maxChars  int
	tools     map[string]mcptool.Tool // that are offered, by name
	permitted func(context.Context) func(tool string) bool
	byName    map[string]declaration
}

// New returns the server of the resources that options offer.
func New(o Options) *Server {
	s := &Server{
		env: o.Env, pipeline: o.Pipeline, maxChars: o.MaxChars, permitted: o.Permitted,
		tools: map[string]mcptool.Tool{}, byName: map[string]declaration{},
	}
	for _, tool := range o.Tools {
		s.tools[tool.Info().Name] = tool
	}
	for _, d := range declarations() {
		s.byName[d.name] = d
	}
	return s
}

// Offered reports whether the operator's choice leaves any resource.
func (s *Server) Offered() bool {
	for _, d := range declarations() {
		if s.tools[d.tool] != nil {
			return true
		}
	}
	return false
}

// offered returns which resources, by their names, a request finds in lists.
func (s *Server) offered(ctx context.Context) func(name string) bool {
	permitted := func(string) bool { return true }
	if s.permitted != nil {
		permitted = s.permitted(ctx)
	}
	return func(name string) bool {
		d := s.byName[name]
		return s.pipeline.Allows(ctx, d.item()) && permitted(d.tool)
	}
}

const (
	listTTL      = 60_000    // of resources/list, in milliseconds: as long as names of collections are kept
	templatesTTL = 3_600_000 // of resources/templates/list
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
// its own. So it knows a single template, which any URI fits that inbound has
// encoded, and lists are replaced when it has made its own.
const inbound = "outline-mcp-resource:"

func encoded(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// Listen adds to hooks what lists resources and encodes URIs and cursors.
func (s *Server) Listen(hooks *server.Hooks) {
	hooks.AddBeforeReadResource(func(_ context.Context, _ any, request *mcp.ReadResourceRequest) {
		request.Params.URI = inbound + encoded(request.Params.URI)
	})
	hooks.AddBeforeListResources(func(_ context.Context, _ any, request *mcp.ListResourcesRequest) {
		request.Params.Cursor = mcp.Cursor(base64.StdEncoding.EncodeToString([]byte(request.Params.Cursor)))
	})
	hooks.AddAfterListResources(func(ctx context.Context, _ any, request *mcp.ListResourcesRequest, result *mcp.ListResourcesResult) {
		given, _ := base64.StdEncoding.DecodeString(string(request.Params.Cursor)) // encoded above
		*result = s.pipeline.ResourceList(ctx, pipeline.Item{Name: "list"}, request, func(ctx context.Context) (mcp.ListResourcesResult, error) {
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
	m.AddResourceTemplate(mcp.NewResourceTemplate(inbound+"{uri}", "resource"), func(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		uri, _ := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(request.Params.URI, inbound)) // encoded above
		request.Params.URI = string(uri)
		return s.Read(ctx, request)
	})
}
