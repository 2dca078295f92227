package mcptool

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/output"
)

// Bind prepares tools for a server and reports every broken one at once. AI
// clients wait for it at every start, so whatever only calls need is made by
// the first call.
func Bind(list []Tool, d Deps) ([]Bound, error) {
	if d.NewID == nil {
		d.NewID = uuid.NewString
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	d.Log = cmp.Or(d.Log, slog.New(slog.DiscardHandler))
	d.BatchConcurrency = max(1, d.BatchConcurrency)
	offers := d.Pipeline.Names(context.Background())
	bound, broken := make([]Bound, len(list)), make([]error, len(list))
	for i, tool := range list {
		bound[i], broken[i] = bind(*tool.declaration(), &d, offers)
	}
	return bound, errors.Join(broken...)
}

func bind(tool declaration, d *Deps, offers output.Offers) (Bound, error) {
	tool.Description = offers.Advise(tool.Description)
	schemas := schemasOf(tool, d.Schemas, offers)
	input, err := schemas.input()
	if err != nil {
		return Bound{}, err
	}
	definition := mcp.Tool{
		Name:           tool.Name,
		Title:          tool.Title,
		Description:    tool.Description,
		Annotations:    tool.Effect.hints(),
		RawInputSchema: input,
		Meta:           tool.Effect.showingWhole(d.Render.MaxChars),
	}
	if d.Icons != nil {
		definition.Icons = d.Icons(tool.Group)
	}
	if d.Render.Structured || tool.Structured {
		if definition.RawOutputSchema, err = schemas.output(); err != nil {
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
		ServerTool:  server.ServerTool{Tool: definition, Handler: c.handle},
		InputSchema: schemas.object,
		schemas:     schemas,
		call:        c,
	}, nil
}
