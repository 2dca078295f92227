// Package tour demonstrates the server on the embedded sample workspace: a
// person and an assistant talk, and the assistant uses the tools.
package tour

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/text"
	"outline-mcp/internal/toolclient"
)

// Run connects an MCP client to a server in this process, has it make the calls
// of the conversation, and prints the conversation to w.
func Run(ctx context.Context, w io.Writer, version string) error {
	var b strings.Builder
	b.WriteString("A person talks to an AI assistant that uses outline-mcp on a sample workspace.\n" +
		"The words are scripted, the tool calls and their results are real. Nothing leaves this machine.\n")
	err := play(ctx, version, func(t turn, results []json.RawMessage) error {
		fmt.Fprintf(&b, "\nYou: %s\n", t.question)
		for i, call := range t.calls {
			fmt.Fprintf(&b, "  > %s\n", call)
			quoted, err := call.excerpt(results[i])
			if err != nil {
				return err
			}
			for _, line := range quoted {
				fmt.Fprintf(&b, "    %s\n", line)
			}
		}
		fmt.Fprintf(&b, "Assistant: %s\n", strings.ReplaceAll(t.answer, "\n", "\n  "))
		if t.source != "" {
			fmt.Fprintf(&b, "  Source: %s\n", t.source)
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.WriteString("\nTo see the complete results:   outline-mcp demo --json\n" +
		"To connect your own assistant: outline-mcp install claude-desktop (or claude-code, vscode, cursor and others)\n" +
		"To see changes as pages:       connect a client with MCP Apps, such as Claude or VS Code (docs/views.md)\n")
	_, err = io.WriteString(w, b.String())
	return err
}

// RunJSON writes the conversation to w as JSON, with the complete structured
// content of each result.
func RunJSON(ctx context.Context, w io.Writer, version string) error {
	type made struct {
		Tool      string            `json:"tool"`
		Arguments map[string]string `json:"arguments"`
		Result    json.RawMessage   `json:"result"`
	}
	type said struct {
		Question string `json:"question"`
		Calls    []made `json:"calls"`
		Answer   string `json:"answer"`
		Source   string `json:"source,omitempty"`
	}
	var conversation []said
	err := play(ctx, version, func(t turn, results []json.RawMessage) error {
		s := said{Question: t.question, Answer: strings.ReplaceAll(t.answer, "\n", " "), Source: t.source}
		for i, call := range t.calls {
			s.Calls = append(s.Calls, made{call.tool, call.named(), results[i]})
		}
		conversation = append(conversation, s)
		return nil
	})
	if err != nil {
		return err
	}
	raw, err := json.Marshal(conversation)
	if err != nil {
		return err
	}
	return toolclient.WriteJSON(w, raw)
}

// play makes the calls of the story and passes each turn on with the results.
// It runs with the default settings, so that it is the same for everybody.
func play(ctx context.Context, version string, tell func(t turn, results []json.RawMessage) error) error {
	settings, err := config.Load([]string{"OUTLINE_STRUCTURED_OUTPUT=true"})
	if err != nil {
		return err
	}
	server, err := app.New(app.Options{Config: settings, Demo: true, Version: version})
	if err != nil {
		return err
	}
	connection, err := server.Connect(ctx)
	if err != nil {
		return err
	}
	defer connection.Close()
	for _, t := range story() {
		var results []json.RawMessage
		for _, call := range t.calls {
			result, err := call.make(ctx, connection)
			if err != nil {
				return err
			}
			results = append(results, result)
		}
		if err := tell(t, results); err != nil {
			return err
		}
	}
	return nil
}

func (c call) make(ctx context.Context, connection *client.Client) (json.RawMessage, error) {
	answer, err := toolclient.Call(ctx, connection, c.tool, c.named())
	if err == nil && answer.Code != "" {
		err = errors.New(answer.Text)
	}
	return answer.Structured, err
}

// named returns the arguments by name.
func (c call) named() map[string]string {
	named := map[string]string{}
	for _, argument := range c.arguments {
		name, value, _ := strings.Cut(argument, "=")
		named[name] = value
	}
	return named
}

// String returns the call as outline-mcp call takes it in a shell.
func (c call) String() string {
	words := []string{c.tool}
	for _, argument := range c.arguments {
		name, value, _ := strings.Cut(argument, "=")
		switch {
		case strings.Contains(value, `"`):
			value = "'" + value + "'"
		case strings.Contains(value, " "):
			value = `"` + value + `"`
		}
		words = append(words, name+"="+value)
	}
	return strings.Join(words, " ")
}

// excerpt returns the lines of a result that the call quotes: of what was
// found, of a document's text, of a diff, or else of the JSON itself.
func (c call) excerpt(result json.RawMessage) ([]string, error) {
	var content struct {
		Results []struct {
			Title   string `json:"title"`
			Context string `json:"context"`
		} `json:"results"`
		Content string `json:"content"`
		Diff    string `json:"diff"`
	}
	if err := json.Unmarshal(result, &content); err != nil {
		return nil, fmt.Errorf("read the result of %s: %w", c, err)
	}
	var lines []string
	for _, found := range content.Results {
		lines = append(lines, found.Title+": "+strings.Join(strings.Fields(found.Context), " "))
	}
	lines = append(lines, strings.Split(content.Content+"\n"+content.Diff, "\n")...)
	var indented strings.Builder
	if err := toolclient.WriteJSON(&indented, result); err != nil {
		return nil, err
	}
	for line := range strings.Lines(indented.String()) {
		lines = append(lines, strings.Trim(line, " ,\n"))
	}
	const width = 96
	var quoted []string
	for _, quote := range c.quotes {
		found := false
		for _, line := range lines {
			if found = strings.Contains(line, quote); found {
				quoted = append(quoted, text.Truncate(line, width))
				break
			}
		}
		if !found {
			return nil, fmt.Errorf("the result of %s has no line with %q", c, quote)
		}
	}
	return quoted, nil
}
