package resources

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcptool"
	"outline-mcp/output"
	"outline-mcp/tools"
	"outline-mcp/views"
)

// A Server lists and reads resources.
type Server struct {
	o      Options
	logged sync.Map // problems that were logged
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
		d := declarationOf(name)
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
		ctx, cancel := s.o.Pipeline.InTime(ctx)
		defer cancel()
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

// Read reads a resource through the pipeline. It implements
// server.ResourceHandlerFunc.
func (s *Server) Read(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	uri := request.Params.URI
	if v := s.view(uri); v != "" {
		return s.readView(ctx, v, request)
	}
	if strings.HasPrefix(uri, skillScheme) && !s.OnlyViews() {
		return s.readSkill(ctx, request)
	}
	u, malformed := Parse(uri)
	d := declarationOf(u.Name)
	return s.o.Pipeline.Resource(u.Item(), func(ctx context.Context, _ mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		if malformed != nil {
			return nil, malformed
		}
		env := s.o.Env
		env.Available = s.o.Pipeline.Names(ctx)
		result, err := d.read(ctx, source{env, s.tool(d.tool)}, u)
		if err != nil {
			return nil, err
		}
		return []mcp.ResourceContents{s.contents(d, uri, env.Available, result)}, nil
	})(ctx, request)
}

// readView reads the page of a view. It declares no domains, so that clients let it load
// nothing (SEP-1865, UI resource format).
func (s *Server) readView(ctx context.Context, v views.View, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	return s.o.Pipeline.Page(mcptool.Item{Name: "view_" + string(v)}, func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		html, err := v.HTML()
		return []mcp.ResourceContents{mcp.TextResourceContents{
			URI: v.URI(), MIMEType: views.MIMEType, Text: html, Meta: map[string]any{"ui": map[string]any{"prefersBorder": true}},
		}}, err
	})(ctx, request)
}

// contents returns what a URI shows: as much as fits into an answer, and the URI to
// go on at.
func (s *Server) contents(d declaration, uri string, available output.Available, result output.Result) mcp.ResourceContents {
	if f, ok := result.(file); ok {
		return mcp.BlobResourceContents{URI: uri, MIMEType: f.ContentType, Blob: base64.StdEncoding.EncodeToString(f.Data)}
	}
	contents := mcp.TextResourceContents{URI: uri, MIMEType: d.mimeType}
	render := output.Renderer{Available: available}
	address, _, _ := strings.Cut(uri, "?")
	const more = "\n\nMore: %s?start_line=%d"
	const moreInLine = more + "&start_char=%d"
	if s.o.MaxChars > 0 {
		render.MaxBytes = max(1, s.o.MaxChars-len(address)-len(moreInLine)-2*len("9999999"))
	}
	shown, text := render.Fit(result)
	contents.Text = text
	if l, ok := shown.(lines); ok {
		contents.MIMEType = l.mimeType
		if l.TotalLines == 0 {
			contents.Text = l.text // without a change at its end
		}
	} else if l, ok := shown.(*lines); ok {
		contents.MIMEType = l.mimeType
	}
	if part, ok := shown.(interface{ Next() (line, char int) }); ok {
		line, char := part.Next()
		if at := strings.LastIndex(contents.Text, "\n\nContinue with start_line "); line > 0 && at >= 0 {
			contents.Text = contents.Text[:at] // the tool's own words
		}
		switch {
		case char > 0:
			contents.Text += fmt.Sprintf(moreInLine, address, line, char)
		case line > 0:
			contents.Text += fmt.Sprintf(more, address, line)
		}
	}
	return contents
}

// inParts returns a function that reads with a tool that can begin at a line. idName
// is its argument for the ID.
func inParts(idName string) func(context.Context, source, URI) (output.Result, error) {
	return func(ctx context.Context, s source, u URI) (output.Result, error) {
		return mcptool.Run(ctx, s.tool, s.Env, map[string]any{idName: u.ID, "start_line": max(1, u.StartLine), "start_char": u.StartChar})
	}
}

// byLines returns a function that takes all that a tool answers, and shows it from a
// line of that on.
func byLines(idName string, arguments map[string]any) func(context.Context, source, URI) (output.Result, error) {
	return func(ctx context.Context, s source, u URI) (output.Result, error) {
		all := map[string]any{idName: u.ID}
		maps.Copy(all, arguments)
		result, err := mcptool.Run(ctx, s.tool, s.Env, all)
		if err != nil {
			return nil, err
		}
		_, text := output.Renderer{Available: s.Available}.Fit(result)
		return linesOf(text, markdown, u)
	}
}

// attachment reads a file.
func attachment(ctx context.Context, s source, u URI) (output.Result, error) {
	read, err := tools.ReadFile(ctx, s.Env, u.ID, maxFile)
	if err != nil || read.Data != nil {
		return file{read}, err
	}
	return linesOf(read.Text, read.ContentType, u)
}

// maxFile is the maximum length of a file, in bytes. The client gets it in base64,
// which is a third longer.
const maxFile = 5_000_000

// file is a file that is not text.
type file struct{ tools.File }

// WriteText implements output.Result.
func (file) WriteText(*output.Text) {}

// lines are the lines of a text from one on.
type lines struct {
	text, mimeType string
	output.Lines
}

func linesOf(text, mimeType string, u URI) (output.Result, error) {
	text, part, err := output.LinesOf(text, output.Window{StartLine: u.StartLine, StartChar: u.StartChar})
	return lines{text, mimeType, part}, err
}

// WriteText implements output.Result.
func (l lines) WriteText(t *output.Text) {
	l.Lines.Write(t)
	t.If(l.TotalLines > 0).Blank()
	t.Block(l.text)
}

// Cuts implements output.Cuttable.
func (l *lines) Cuts() []output.Cut { return l.CutText(&l.text) }
