// Package mcptool turns the declaration of a tool, a [Spec], into a tool of an MCP server:
// schemas, argument checks and both renderings of its answers. It carries out every
// request for something that the server offers, tools, resources, prompts and completions,
// in the same steps, which [Do] defines, and finds what completions suggest ([Suggestions]).
// Of individual tools it knows only which ones tell what a completion suggests.
//
// A handler may return any error. The client gets a sentence for it: an output.Failure
// as it is, an error of the Outline client with an explanation, and any other error as an
// internal failure without its text. Logs and metrics hold the name of the [Item], never a
// URI. An answer over the size limit becomes a failure, so that a handler that can shorten
// its answer does so first.
//
// The package adds a guard to the context of a call whose client can ask the user
// ([outline.BeforeCommands]): after a question, the Outline client sends no request that
// changes something, and after such a request, nothing is asked. With OUTLINE_CONFIRM, it
// sends none before the user has agreed. A tool asks when it knows all that it is going
// to do; if it does not ask, the guard does, with the arguments of the call. So a tool
// that forgets to ask cannot write.
package mcptool

import (
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/views"
)

// Spec declares one tool. In is a struct of its arguments, Out the result of a
// success; their fields and tags give the schemas (see output.SchemaOf).
// tools/list leaves out arguments tagged seldom: answers name them where they are needed.
type Spec[In any, Out output.Result] struct {
	Name        string // snake_case, at most 32 characters
	Title       string // for people
	Description string // for the model: what it returns, and when to use a similar tool instead; see output.Available.Advise
	// Endpoints are the Outline endpoints that a call needs. A credential must
	// have the scopes of all of them, or of one of them if AnyEndpoint is set.
	Endpoints   []string
	AnyEndpoint bool
	Effect      Effect
	Optional    bool // offered only if the operator asks for it; see DefaultTools
	// Structured adds the outputSchema and structured content even if the operator
	// has switched structured output off.
	Structured bool
	// View shows the answers to people; "" if none does.
	View       views.View
	AlwaysLoad bool // Claude Code loads it from the start; others when the model searches for them
	// Shapes lists a value of each type that a success can have, if Out is an
	// interface.
	Shapes []output.Result
	// Problems lists a value of each type of failure that has more fields than
	// output.Failure.
	Problems []output.Problem
	// Run does the work. An error that is an output.Problem is the answer, any
	// other is explained to the client.
	Run func(ctx context.Context, env Env, in In) (Out, error)
}

// IDToCreate returns the UUID for the document or the file that a call creates: the planned
// one, or else a new one.
func (e Env) IDToCreate() string {
	if e.PlannedID != nil {
		if id := e.PlannedID(); id != "" {
			return id
		}
	}
	return e.NewID()
}

// Env holds what a running tool may use. Progress and Person belong to one call.
type Env struct {
	Outline          *outline.Client  // acts for the caller of the context
	Collections      *Collections     // their names
	Readings         *Readings        // what callers have read; nil remembers nothing
	BatchConcurrency int              // items of a batch at a time; below 1 means 1
	RequestTimeout   time.Duration    // of one request to Outline
	NewID            func() string    // returns the UUID for something to create; nil means random UUIDs
	PlannedID        func() string    // returns the UUID that the program has chosen for what this call creates, or ""; may be nil
	DryRun           *bool            // whether create_document and update_document are to write nothing; may be nil
	Now              func() time.Time // what durations such as 7d count back from; nil means time.Now
	Available        output.Available // the tools that the answer may name
	Person           *elicit.Call     // asks whoever uses the client; nil asks nothing
	MaxImageBytes    int              // of an image in an answer, for clients that show it as text; 0 means no limit
	MaxBytes         int              // of text in an answer, in bytes; 0 means no limit
	// Files are those of this machine that a call may name by their paths; nil
	// where callers are elsewhere.
	Files *Folder
	// PDFText returns the text of a PDF, see pdftext.Process; nil reads none.
	PDFText func(ctx context.Context, data []byte) (string, error)
	// Progress reports progress to the client; nil if it did not ask for it.
	Progress func(ctx context.Context, done, total int)
}

// Deps hold what a server needs to offer tools.
type Deps struct {
	Env      // of all calls
	Pipeline Pipeline
	Desk     *elicit.Desk // asks the user for calls; nil asks nothing
	Render   output.Renderer
	Log      *slog.Logger // nil discards
	// Schemas holds recorded schemas: schemas/NAME.jsonl has the input schema of a
	// tool in its first line and the output schema in its second. Missing ones are
	// generated from the types, as are all if it is nil.
	Schemas fs.FS
	// Unlisted are arguments that tools take, but that tools/list leaves out, as it does
	// titles, and hints that say what their absence says; nil lists all.
	Unlisted []string
	// Icons returns the icons of the tools of a group; nil leaves them out.
	Icons func(Group) []mcp.Icon
	// ShowsViews reports whether the client of a request shows views; nil means that
	// none does.
	ShowsViews func(context.Context) bool
	// ClientLimits cuts answers to what a client is known to pass on, if that is less
	// than Render allows.
	ClientLimits bool
	// StructuredText is short or full, the text beside structured content. Otherwise it
	// depends on the client.
	StructuredText string
}

// shortText reports whether the text beside structured content is short: by the operator's
// choice, or if the client of a request passes structured content on to its model. Some were
// seen to pass on only the text, in November 2026; so may a client that does not say what it is.
func (d *Deps) shortText(ctx context.Context) bool {
	if d.StructuredText == "short" || d.StructuredText == "full" {
		return d.StructuredText == "short"
	}
	client := clientOf(ctx)
	return client != nil && !slices.ContainsFunc([]string{"outline-mcp", "ai-sdk-", "gemini-cli", "opencode", "qwen-", "cline", "@cline/", "continue-"}, func(prefix string) bool {
		return strings.HasPrefix(strings.ToLower(client.Name), prefix)
	})
}

// limits returns how long the text of an answer, and an image in it, may be for the client
// of a request, in bytes; 0 means no limit. The clients were measured in November 2026:
// Copilot CLI shows its model 500 characters of what is longer, Qwen Code and Cline cut the
// middle out; Cline, Continue and the AI SDK pass images as text in base64.
func (d *Deps) limits(ctx context.Context) (text, image int) {
	text = d.Render.MaxBytes
	client := clientOf(ctx)
	if client == nil {
		return text, 0
	}
	const most = 38_000
	for _, known := range []struct {
		prefix string // of the name
		text   int
		images bool // are text
	}{{"copilot-", 18_000, false}, {"github-copilot", 18_000, false}, {"qwen-", 24_000, false}, {"cline", 7_000, true}, {"@cline/", 7_000, true}, {"continue-", most, true}, {"ai-sdk-", most, true}} {
		if !strings.HasPrefix(strings.ToLower(client.Name), known.prefix) {
			continue
		}
		if known.images {
			image = known.text / 2 // in base64 it is a third longer, and the rest is text
		}
		if d.ClientLimits {
			text = min(text, known.text)
		}
	}
	return text, image
}

// Tool is a Spec without its type parameters.
type Tool interface {
	// Info describes the tool, without its schemas.
	Info() Info
	// declaration returns all of it, which the caller must not change. A Spec's own
	// methods are short, because the compiler generates them anew for each tool.
	declaration() *declaration
}

// declaration is a Spec whose type parameters have become values.
type declaration struct {
	Info
	arguments           reflect.Type
	successes, failures []reflect.Type
	// run is the Run of the Spec. It reads the checked arguments first.
	run func(ctx context.Context, env Env, arguments json.RawMessage) (output.Result, error)
}

// Info is what documentation and access rules need to know about a tool.
type Info struct {
	Name, Title, Description string
	Group                    Group
	Endpoints                []string
	AnyEndpoint              bool
	Effect                   Effect
	Optional, Structured     bool
	Sets                     []string // which of EssentialTools and CompactTools it is one of
	View                     views.View
	AlwaysLoad               bool // see Spec
}

// InGroup returns the tools as those of a group.
func InGroup(group Group, tools ...Tool) []Tool {
	for i, tool := range tools {
		d := tool.declaration()
		d.Group = group
		tools[i] = groupedTool{d}
	}
	return tools
}

// WithSet returns a list in which the tools with these names are those of a set.
func WithSet(set string, list []Tool, names ...string) []Tool {
	for _, tool := range list {
		if d := tool.declaration(); slices.Contains(names, d.Name) {
			d.Sets = append(d.Sets, set)
		}
	}
	return list
}

// A groupedTool has been declared once, however often it is asked for.
type groupedTool struct{ declared *declaration }

func (g groupedTool) Info() Info                { return g.declared.Info }
func (g groupedTool) declaration() *declaration { return g.declared }

// Bound is a tool ready for a server.
type Bound struct {
	Info
	Handler server.ToolHandlerFunc
	// InputSchema returns the schema of the arguments, with their order.
	InputSchema func() (*jsonschema.Schema, error)

	define  func() (mcp.Tool, error)
	schemas schemas
	call    *call
}

// Definition returns the tool as tools/list has it. It is made by the first call and
// shared by all, so it must not be changed.
func (b Bound) Definition() mcp.Tool {
	tool, _ := b.define() // fails only in Bind, if at all
	return tool
}

// DocumentedSchemas returns the schemas of the arguments and of the answers in
// full. Those of Definition are shorter.
func (b Bound) DocumentedSchemas() (input, output json.RawMessage, err error) {
	if input, err = b.schemas.documented(b.schemas.object); err != nil {
		return nil, nil, err
	}
	output, err = b.schemas.documented(b.schemas.contract)
	return input, output, err
}

// Names returns the names tag of an argument: what its value identifies, if the
// name of the argument does not say so. It is "" without a tag.
func (b Bound) Names(argument string) string {
	for _, field := range reflect.VisibleFields(b.schemas.arguments) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name == argument {
			return field.Tag.Get("names")
		}
	}
	return ""
}

// Item returns the tool as the pipeline knows it.
func (i Info) Item() Item {
	return Item{Method: mcp.MethodToolsCall, Name: i.Name, Group: string(i.Group), Writes: i.Effect != Reads, Effect: i.Effect.String()}
}

// Info implements Tool.
func (s Spec[In, Out]) Info() Info { return s.declaration().Info }

func (s Spec[In, Out]) declaration() *declaration {
	run := s.Run
	return declare(
		Info{
			Name: s.Name, Title: s.Title, Description: s.Description, Endpoints: s.Endpoints, AnyEndpoint: s.AnyEndpoint,
			Effect: s.Effect, Optional: s.Optional, Structured: s.Structured, View: s.View, AlwaysLoad: s.AlwaysLoad,
		},
		[2]reflect.Type{reflect.TypeFor[In](), reflect.TypeFor[Out]()}, s.Shapes, s.Problems,
		func(ctx context.Context, env Env, arguments json.RawMessage) (output.Result, error) {
			var in In
			if err := readArguments(arguments, &in); err != nil {
				return nil, err
			}
			return run(ctx, env, in)
		},
	)
}

// declare is the part of a declaration that needs no type parameters.
func declare(info Info, types [2]reflect.Type, shapes []output.Result, problems []output.Problem, run func(context.Context, Env, json.RawMessage) (output.Result, error)) *declaration {
	d := &declaration{Info: info, arguments: types[0], run: run}
	for _, value := range shapes {
		d.successes = append(d.successes, reflect.TypeOf(value))
	}
	if len(shapes) == 0 {
		d.successes = []reflect.Type{types[1]}
	}
	for _, value := range problems {
		d.failures = append(d.failures, reflect.TypeOf(value))
	}
	return d
}

// Effect says what a tool does to the workspace. The MCP hints derive from it.
type Effect int

// The effects, from the harmless to the dangerous.
const (
	Reads   Effect = iota // changes nothing
	Adds                  // creates something; calling twice creates twice
	Moves                 // changes where something is; can be undone
	Changes               // overwrites content
	Deletes               // removes
)

// String returns the effect as documentation names it.
func (e Effect) String() string {
	return [...]string{"reads", "adds", "moves", "changes", "deletes"}[e]
}

// hints returns the MCP annotations of an effect (specification 2025-11-25,
// ToolAnnotations). Tools reach nothing outside the workspace.
// With short, hints are left out that are the default, or mean nothing beside readOnlyHint.
func (e Effect) hints(short bool) mcp.ToolAnnotation {
	all := mcp.ToolAnnotation{
		ReadOnlyHint:    new(e == Reads),
		DestructiveHint: new(e == Changes || e == Deletes),
		IdempotentHint:  new(e == Reads || e == Moves || e == Deletes),
		OpenWorldHint:   new(false),
	}
	if short && (e == Reads || *all.DestructiveHint) {
		all.DestructiveHint = nil
	}
	if short && (e == Reads || !*all.IdempotentHint) {
		all.IdempotentHint = nil
	}
	if short && e != Reads {
		all.ReadOnlyHint = nil
	}
	return all
}

// Group is the chapter of the documentation that a tool belongs to. Operators
// can choose tools by group.
type Group string

// AI is the group of the tools that ask Outline's own AI. Operators switch it
// off as a whole.
const AI Group = "ai"
