// Package tour demonstrates the server on the embedded sample workspace.
package tour

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/toolclient"
)

// Run connects an MCP client to a server in this process, lists the tools,
// searches, and reads an outline and a section. It does so once without and
// once with structured output, and prints each call and its answer to w.
func Run(ctx context.Context, w io.Writer, c config.Config, version string) error {
	p := &printer{w: w}
	p.line("outline-mcp %s: a tour of the embedded sample workspace. Nothing leaves this process.", version)
	for _, structured := range []bool{false, true} {
		c.StructuredOutput = structured
		server, err := app.New(app.Options{Config: c, Demo: true, Version: version})
		if err != nil {
			return err
		}
		connection, err := server.Connect(ctx)
		if err != nil {
			return err
		}
		defer connection.Close()
		if structured {
			p.line("\nThe same again with OUTLINE_STRUCTURED_OUTPUT=true, for scripts: each answer has structured content too.")
		} else if err := p.listTools(ctx, connection); err != nil {
			return err
		}
		if err := p.calls(ctx, connection); err != nil {
			return err
		}
	}
	p.line("\nNext: outline-mcp --help, or outline-mcp call search_documents query=... --demo")
	return p.err
}

// printer prints calls and answers, and keeps the first error of the writer.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) listTools(ctx context.Context, connection *client.Client) error {
	list, err := connection.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return fmt.Errorf("list the tools: %w", err)
	}
	p.line("\n> tools/list")
	for _, tool := range list.Tools {
		p.line("%-28s %s", tool.Name, tool.Description)
	}
	return nil
}

// calls finds out why an outage took a whole night.
func (p *printer) calls(ctx context.Context, connection *client.Client) error {
	const document = "k7cHQqmWTH"
	for _, call := range [][]string{
		{"search_documents", "query=expired certificate", "limit=3"},
		{"get_document_outline", "document_id=" + document},
		{"read_document_section", "document_id=" + document, "heading=why it took"},
	} {
		if err := p.call(ctx, connection, call[0], call[1:]); err != nil {
			return err
		}
	}
	return nil
}

func (p *printer) call(ctx context.Context, connection *client.Client, tool string, arguments []string) error {
	given := map[string]string{}
	for _, argument := range arguments {
		name, value, _ := strings.Cut(argument, "=")
		given[name] = value
	}
	p.line("\n> %s %s", tool, strings.Join(arguments, " "))
	answer, err := toolclient.Call(ctx, connection, tool, given)
	switch {
	case err != nil:
		return err
	case answer.Code != "":
		return errors.New(answer.Text)
	case len(answer.Structured) == 0:
		p.excerpt(answer.Text)
		return nil
	}
	var b strings.Builder
	if err := toolclient.WriteJSON(&b, answer.Structured); err != nil {
		return err
	}
	p.excerpt(strings.TrimSuffix(b.String(), "\n"))
	return nil
}

// maxLines is the number of lines of an answer that the tour prints.
const maxLines = 24

// excerpt prints the beginning of a text.
func (p *printer) excerpt(text string) {
	lines := strings.Split(text, "\n")
	for _, line := range lines[:min(maxLines, len(lines))] {
		p.line("%s", line)
	}
	if len(lines) > maxLines {
		p.line("[the tour leaves out %d more lines]", len(lines)-maxLines)
	}
}
