package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/text"
)

// The tour demonstrates the server on the embedded sample workspace: a person and an
// assistant talk, and the assistant uses the tools.

// Demo connects an MCP client to a server in this process, has it make the calls
// of the conversation, and prints the conversation to w.
func Demo(ctx context.Context, w io.Writer, version string) error {
	var b strings.Builder
	b.WriteString("A user talks to an AI assistant that uses outline-mcp on a sample workspace.\n" +
		"The conversation is scripted; the tool calls and their results are real. Nothing leaves this machine.\n")
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
		"To see changes as panels:      connect a client with MCP Apps, such as Claude or VS Code (docs/views.md)\n")
	_, err = io.WriteString(w, b.String())
	return err
}

// DemoColors returns the colors of the conversation.
func DemoColors() []Color {
	return []Color{
		{"You:", ansi.Yellow, false}, {"Assistant:", ansi.Cyan, false}, {"  Source:", ansi.Cyan, false}, {"  > ", ansi.Blue, true},
		{"    -", ansi.Red, true}, {"    +", ansi.Green, true}, {"    ", ansi.BrightBlack, true},
	}
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
	return WriteJSON(w, raw)
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

func (c tourCall) make(ctx context.Context, connection *client.Client) (json.RawMessage, error) {
	answer, err := Call(ctx, connection, c.tool, c.named())
	if err == nil && answer.Code != "" {
		err = errors.New(answer.Text)
	}
	return answer.Structured, err
}

// named returns the arguments by name.
func (c tourCall) named() map[string]string {
	named := map[string]string{}
	for _, argument := range c.arguments {
		name, value, _ := strings.Cut(argument, "=")
		named[name] = value
	}
	return named
}

// String returns the call as outline-mcp call takes it in a shell.
func (c tourCall) String() string {
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
func (c tourCall) excerpt(result json.RawMessage) ([]string, error) {
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
	if err := WriteJSON(&indented, result); err != nil {
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

// A turn is what the user asks, the tools that the assistant calls, and what
// it answers.
type turn struct {
	question string
	calls    []tourCall
	answer   string // one sentence a line
	source   string // the document and section that the answer comes from
}

// A call is one call of a tool.
type tourCall struct {
	tool      string
	arguments []string // key=value
	// quotes are parts of the lines of the result that the tour prints. The
	// answer rests on them: the tour fails if one is missing.
	quotes []string
}

// story is the conversation. Its words are written down here; the tools answer
// from the sample workspace.
func story() []turn {
	const (
		expenses = "document_id=prpHvUKu5p"
		incident = "document_id=k7cHQqmWTH"
		soup     = "document_id=1wPyxUCdt9"
		// What the answer to the edit says to undo it with.
		beforeEdit = "revision_id=a790bb5b-d622-58af-8c7a-f577ac138608"
	)
	return []turn{{
		question: "Can I book a hotel abroad for €190 a night?",
		calls: []tourCall{
			{"search_documents", []string{"query=hotel abroad"}, []string{"Expenses and travel"}},
			{"read_document_section", []string{expenses, "heading=Hotels"}, []string{"| Abroad", "Above the limit"}},
		},
		answer: "In a capital city, yes: the limit there is €210.\n" +
			"Elsewhere abroad the limit is €170; above it, write one sentence that says why.",
		source: "Expenses and travel, section Hotels",
	}, {
		question: "Why did nobody notice the outage on 14 March during the night?",
		calls: []tourCall{
			{"search_documents", []string{"query=incident 2026-03-14", "limit=1"}, []string{"Incident 2026-03-14"}},
			{"read_document_section", []string{incident, "heading=Why it took so long"}, []string{"alarm limit", "mailing list"}},
		},
		answer: "The queue would have raised an alarm only at 20,000 frames, which is more than a day of data.\n" +
			"The warning about the certificate went to a mailing list that nobody reads.",
		source: "Incident 2026-03-14: no new values in Almanac, section Why it took so long",
	}, {
		question: "The soup budget goes up to €75 a pot. Please update the page.",
		calls: []tourCall{
			{"search_documents", []string{"query=soup budget"}, []string{"Friday soup"}},
			{"edit_document", []string{soup, `edits=[{"old_text":"€60","new_text":"€75"}]`, "dry_run=true"}, []string{"-* Budget", "+* Budget"}},
		},
		answer: `This line of "Friday soup" would change. Nothing has been written yet. Shall I save it?`,
	}, {
		question: "Yes.",
		calls: []tourCall{
			{"edit_document", []string{soup, `edits=[{"old_text":"€60","new_text":"€75"}]`}, []string{`"verified": true`}},
		},
		answer: "Saved. The server compared the stored page with this change: nothing else changed.",
	}, {
		question: "Sorry, that starts next year. Undo it.",
		calls: []tourCall{
			{"restore_document", []string{soup, beforeEdit}, []string{"-* Budget", "+* Budget", `"verified": true`}},
		},
		answer: "Undone: the page says €60 a pot again.",
	}}
}
