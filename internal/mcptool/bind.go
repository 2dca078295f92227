package mcptool

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
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
	offers := d.Pipeline.Names(context.Background())
	bound, broken := make([]Bound, len(list)), make([]error, len(list))
	for i, tool := range list {
		bound[i], broken[i] = bind(*tool.declaration(), &d, offers)
	}
	return bound, errors.Join(broken...)
}

func bind(tool declaration, d *Deps, offers output.Offers) (Bound, error) {
	schemas := schemasOf(tool, d.Schemas, offers)
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
		Description:    schemas.offers.Advise(tool.Description),
		Annotations:    tool.Effect.hints(),
		RawInputSchema: input,
		Meta:           tool.Effect.showingWhole(d.Render.MaxChars),
	}
	if d.Icons != nil {
		definition.Icons = d.Icons(tool.Group)
	}
	if d.Render.Structured || tool.Structured {
		definition.RawOutputSchema, err = schemas.output()
	}
	return definition, err
}
