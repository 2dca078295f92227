package mcptool

import (
	"cmp"
	"context"
	"embed"
	"encoding/base64"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/output"
)

// Bind prepares tools for a server and reports every broken one at once. AI
// clients wait for it at every start, so whatever only lists or calls need is made
// by the first of them.
func Bind(list []Tool, d Deps) ([]Bound, error) {
	if d.NewID == nil {
		d.NewID = uuid.NewString
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	d.Log = cmp.Or(d.Log, slog.New(slog.DiscardHandler))
	d.BatchConcurrency = max(1, d.BatchConcurrency)
	available := d.Pipeline.Names(context.Background())
	bound, broken := make([]Bound, len(list)), make([]error, len(list))
	for i, tool := range list {
		bound[i], broken[i] = bind(*tool.declaration(), &d, available)
	}
	return bound, errors.Join(broken...)
}

func bind(tool declaration, d *Deps, available output.Available) (Bound, error) {
	schemas := schemasOf(tool, d.Schemas, available, d.Unlisted)
	define := sync.OnceValues(func() (mcp.Tool, error) { return define(tool, schemas, d) })
	if !schemas.recorded() { // those of the program are tested
		if _, err := define(); err != nil {
			return Bound{}, err
		}
	}
	c := &call{
		declaration: tool,
		deps:        d,
		schema:      schemas.object,
		contract:    output.NewContract(tool.Name, tool.Effect != Reads, schemas.contract),
	}
	return Bound{
		Info:        tool.Info,
		Handler:     c.handle,
		InputSchema: schemas.object,
		define:      define,
		schemas:     schemas,
		call:        c,
	}, nil
}

// define returns a tool as tools/list has it.
func define(tool declaration, schemas schemas, d *Deps) (mcp.Tool, error) {
	input, err := schemas.input()
	if err != nil {
		return mcp.Tool{}, err
	}
	definition := mcp.Tool{
		Name:           tool.Name,
		Title:          tool.Title,
		Description:    schemas.available.Advise(tool.Description),
		Annotations:    tool.Effect.hints(d.Unlisted != nil),
		RawInputSchema: input,
		Meta:           tool.meta(d.Render.MaxBytes),
	}
	if d.Unlisted != nil {
		definition.Title = ""
	}
	if d.Icons != nil {
		definition.Icons = d.Icons(tool.Group)
	}
	if d.Render.Structured || tool.Structured {
		definition.RawOutputSchema, err = schemas.output()
	}
	return definition, err
}

// Words that stand for several tools in [Access].Only.
const (
	AllTools       = "all"
	DefaultTools   = "default"   // all but the optional ones
	EssentialTools = "essential" // few, for clients with little room for definitions
	CompactTools   = "compact"   // all abilities, without tools that others stand in for
)

// Access is the operator's choice of tools. The zero value offers all.
type Access struct {
	ReadOnly bool // only tools that read
	NoDelete bool // no tools that delete
	NoAI     bool // no tools of the group AI
	// Withheld are endpoints of Outline that cannot be called because the server shows
	// only some collections: no tools that need one of them.
	Withheld []string
	// Only and Except hold names of tools or groups: those to offer, if any are
	// named, and those to leave out. Only may also hold AllTools, DefaultTools
	// [EssentialTools] and [CompactTools].
	// Except wins.
	Only, Except []string
}

// Choose returns the tools to offer, in their order. A choice that leaves
// nothing is an error.
func (a Access) Choose(list []Tool) ([]Tool, error) {
	chosen := slices.DeleteFunc(slices.Clone(list), func(tool Tool) bool { return !a.Allows(tool.Info()) })
	if len(chosen) == 0 {
		return nil, errors.New("no tool is left to offer")
	}
	return chosen, nil
}

// Available returns the tools of a list that texts may name.
func (a Access) Available(list []Tool) output.Available {
	withheld := map[string]bool{}
	for _, tool := range list {
		if info := tool.Info(); !a.Allows(info) {
			withheld[info.Name] = true
		}
	}
	if len(withheld) == 0 {
		return nil
	}
	return func(word string) bool { return !withheld[word] }
}

// Short reports whether definitions are to be short: the operator has chosen one of the sets
// that exist for that, and not one that has all of its tools at full length.
func (a Access) Short() bool {
	has := func(set string) bool { return slices.Contains(a.Only, set) }
	return (has(EssentialTools) || has(CompactTools)) && !has(DefaultTools) && !has(AllTools)
}

// Allows reports whether the choice leaves a tool in, by its name, group and
// effect.
func (a Access) Allows(tool Info) bool { return a.ExcludedBy(tool) == "" }

// HasOwnName reports whether operators can choose the tool by its name. The name of the
// tool search is that of a group, too, and means the group.
func (i Info) HasOwnName() bool { return i.Name != "search" }

// MissingName returns the name, or the group, that has to be added to the default tools to
// offer a tool that is left out, or "" if that is not all.
func (a Access) MissingName(tool Info) string {
	byDefault := slices.Contains(a.Only, DefaultTools)
	a.Only = nil
	switch {
	case !byDefault || a.ExcludedBy(tool) != "":
		return ""
	case !tool.HasOwnName():
		return string(tool.Group)
	}
	return tool.Name
}

// ExcludedBy names the settings that leave a tool out. It returns "" if none
// does.
func (a Access) ExcludedBy(tool Info) string {
	named := func(names []string) bool {
		return tool.HasOwnName() && slices.Contains(names, tool.Name) || slices.Contains(names, string(tool.Group))
	}
	only := len(a.Only) == 0 || named(a.Only) || slices.Contains(a.Only, AllTools) ||
		!tool.Optional && slices.Contains(a.Only, DefaultTools) || slices.ContainsFunc(tool.Sets, func(set string) bool { return slices.Contains(a.Only, set) })
	switch {
	case a.ReadOnly && tool.Effect != Reads:
		return "the setting OUTLINE_READ_ONLY"
	case a.NoDelete && tool.Effect == Deletes:
		return "the setting OUTLINE_DISABLE_DELETE"
	case a.NoAI && tool.Group == AI:
		return "the setting OUTLINE_DISABLE_AI_TOOLS"
	case slices.ContainsFunc(tool.Endpoints, func(endpoint string) bool { return slices.Contains(a.Withheld, endpoint) }):
		return "a setting that limits the server to some collections"
	case !only, named(a.Except):
		return "one of the settings OUTLINE_TOOLS and OUTLINE_EXCLUDE_TOOLS"
	}
	return ""
}

// The number of characters of an answer that Claude Code shows. It writes a
// longer answer to a file, of which the model sees only the beginning, unless
// the definition of the tool asks for more, up to the second number
// (github.com/anthropics/claude-code, issues 45766 and 42869).
const (
	clientShows     = 50_000
	clientShowsMost = 500_000
)

// meta returns what Claude Code reads of a tool. It shows answers of one that reads in
// full, up to maxBytes, if that is more than it shows by default; 0 means no limit. It
// loads most tools only when the model searches for them.
func (d declaration) meta(maxBytes int) *mcp.Meta {
	fields := map[string]any{}
	if d.Effect == Reads && (maxBytes == 0 || maxBytes > clientShows) {
		fields["anthropic/maxResultSizeChars"] = min(clientShowsMost, cmp.Or(maxBytes, clientShowsMost))
	}
	if d.AlwaysLoad {
		fields["anthropic/alwaysLoad"] = true
	}
	if len(fields) == 0 {
		return nil
	}
	return &mcp.Meta{AdditionalFields: fields}
}

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
