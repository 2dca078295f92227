package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/config"
)

// Tour shows what the server does: an MCP client in this process lists the
// tools of a server on the embedded workspace, searches, reads an outline and
// a section, first as text and then as structured content. It prints each call
// and its answer to w.
func Tour(ctx context.Context, w io.Writer, c config.Config, version string) error {
	print := &printer{w: w}
	print.line("outline-mcp %s: a tour of the embedded sample workspace. Nothing leaves this process.", version)
	for _, structured := range []bool{false, true} {
		c.StructuredOutput = structured
		server, err := New(Options{Config: c, Demo: true, Version: version})
		if err != nil {
			return err
		}
		mcpClient, err := server.Connect(ctx)
		if err != nil {
			return err
		}
		defer mcpClient.Close()
		if structured {
			print.line("\nThe same again with OUTLINE_STRUCTURED_OUTPUT=true, for scripts: each answer has structured content too.")
		} else if err := listTools(ctx, print, mcpClient); err != nil {
			return err
		}
		if err := tourCalls(ctx, print, mcpClient); err != nil {
			return err
		}
	}
	print.line("\nNext: outline-mcp --help, or outline-mcp call search_documents query=... --demo")
	return print.err
}

func listTools(ctx context.Context, print *printer, mcpClient *client.Client) error {
	list, err := mcpClient.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return fmt.Errorf("list the tools: %w", err)
	}
	print.line("\n> tools/list")
	for _, tool := range list.Tools {
		print.line("%-28s %s", tool.Name, tool.Description)
	}
	return nil
}

// The tour asks why an outage took a whole night.
const (
	tourQuery    = "expired certificate"
	tourDocument = "k7cHQqmWTH"
	tourHeading  = "why it took"
)

// tourCalls searches for something, and reads what it found.
func tourCalls(ctx context.Context, print *printer, mcpClient *client.Client) error {
	if _, err := print.call(ctx, mcpClient, "search_documents", argument{"query", tourQuery}, argument{"limit", 3}); err != nil {
		return err
	}
	if _, err := print.call(ctx, mcpClient, "get_document_outline", argument{"document_id", tourDocument}); err != nil {
		return err
	}
	_, err := print.call(ctx, mcpClient, "read_document_section", argument{"document_id", tourDocument}, argument{"heading", tourHeading})
	return err
}

type argument struct {
	name  string
	value any
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

func (p *printer) call(ctx context.Context, mcpClient *client.Client, tool string, arguments ...argument) (Answer, error) {
	given := map[string]any{}
	shown := "\n> " + tool
	for _, a := range arguments {
		given[a.name] = a.value
		shown += fmt.Sprintf(" %s=%v", a.name, a.value)
	}
	p.line("%s", shown)
	answer, err := Call(ctx, mcpClient, tool, given)
	if err != nil {
		return answer, err
	}
	if answer.Code != "" {
		return answer, fmt.Errorf("%s", answer.Text)
	}
	if len(answer.Structured) > 0 {
		return answer, p.json(answer.Structured)
	}
	p.excerpt(answer.Text)
	return answer, nil
}

// tourLines is how much of an answer the tour prints.
const tourLines = 24

// excerpt prints the beginning of a text.
func (p *printer) excerpt(text string) {
	lines := strings.Split(text, "\n")
	for _, line := range lines[:min(tourLines, len(lines))] {
		p.line("%s", line)
	}
	if len(lines) > tourLines {
		p.line("[the tour leaves out %d more lines]", len(lines)-tourLines)
	}
}

func (p *printer) json(raw json.RawMessage) error {
	var b strings.Builder
	if err := WriteJSON(&b, raw); err != nil {
		return err
	}
	p.excerpt(strings.TrimSuffix(b.String(), "\n"))
	return nil
}
