// Package clients runs the AI clients that people use, with a scripted model in place of a
// real one, and checks what reaches the model.
package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// suite skips a test that needs the clients, unless OUTLINE_MCP_CLIENTS is set.
func suite(t *testing.T) {
	if os.Getenv("OUTLINE_MCP_CLIENTS") == "" {
		t.Skip("set OUTLINE_MCP_CLIENTS=1 to install and run AI clients")
	}
}

// An answer of a tool, with the call.
type answer struct {
	name    string
	args    map[string]any
	content []struct{ Type, Text, Data string }
	failed  bool
}

// passed returns what client and server said.
func (r *run) passed(t *testing.T) (list []passed) {
	text, err := os.ReadFile(r.record)
	if err != nil {
		t.Fatalf("the client has not spoken to the server: %s", err)
	}
	for line := range bytes.Lines(text) {
		var p passed
		_ = json.Unmarshal(line, &p)
		list = append(list, p)
	}
	return list
}

// answers returns what the server answered to calls, and its tools.
func (r *run) answers(t *testing.T) (calls []answer, tools []tool) {
	pending := map[string]answer{}
	for _, p := range r.passed(t) {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments map[string]any
			}
			Result struct {
				Content []struct{ Type, Text, Data string }
				IsError bool
				Tools   []struct {
					Name        string
					InputSchema any
				}
			}
		}
		_ = json.Unmarshal(p.Message, &m)
		id := string(m.ID)
		if !p.Out && m.Method == "tools/call" {
			maps.DeleteFunc(m.Params.Arguments, func(name string, _ any) bool { return name == "wait_for_previous" })
			pending[id] = answer{name: m.Params.Name, args: m.Params.Arguments}
		}
		if call, ok := pending[id]; p.Out && ok && m.Method == "" && m.Result.Content != nil {
			delete(pending, id)
			call.content, call.failed = m.Result.Content, m.Result.IsError
			calls = append(calls, call)
		}
		for _, found := range m.Result.Tools {
			tools = append(tools, tool{Name: found.Name, Schema: found.InputSchema})
		}
	}
	return calls, tools
}

func TestClientsPassOnWhatTheServerSays(t *testing.T) {
	suite(t)
	rows := map[string]string{}
	for _, c := range clients {
		left := 4 // parts, unless -run leaves some out
		row := []string{"", c.title, c.version(), "not tried", "", "", "", "", "", ""}
		passed := t.Run(c.title, func(t *testing.T) {
			left = 0
			installed(t, c)
			left = 4
			row = []string{"", c.title, c.version(), time.Now().UTC().Format(time.DateOnly), "yes", cmp.Or(c.loginBy, "not tried"), c.limit, c.asks, c.know, ""}
			for _, mode := range []string{"stdio", "http"} {
				t.Run(mode, func(t *testing.T) {
					left--
					r := newRun(t, c, mode, "conversation.json")
					r.converse(t)
					r.check(t)
					if os.Getenv("OUTLINE_MCP_CLIENTS") == "record" {
						r.keep(t)
					}
				})
			}
			t.Run("confirmation", func(t *testing.T) {
				left--
				r := newRun(t, c, "stdio", "confirmation.json", "OUTLINE_CONFIRM=writes")
				r.converse(t, c.confirms...)
				results := r.model.results[max(0, len(r.model.results)-2):]
				for i, result := range results {
					if seen := textOf(result); !strings.Contains(seen, c.confirmation[i]) {
						t.Errorf("after question %d, the model got %s, want %s", i+1, seen, c.confirmation[i])
					}
				}
				if len(results) != 2 {
					t.Errorf("the model got %d answers", len(results))
				}
			})
			t.Run("login", func(t *testing.T) {
				left--
				if c.login != nil {
					r := newRun(t, c, "login", "login.json")
					r.logIn(t)
					r.converse(t)
					if said, _ := r.answers(t); len(said) != 1 || said[0].failed {
						t.Errorf("the call after the login: %v", said)
					}
				}
			})
		})
		if left == 0 && passed {
			rows[c.title] = strings.TrimSpace(strings.Join(row, " | ")) + "\n"
		}
	}
	document(t, rows)
}

// logIn lets the user log in with the client.
func (r *run) logIn(t *testing.T) {
	s := startTerminal(t, r.command(t, r.login...))
	for _, typed := range r.typed {
		s.await(typed[0])
		s.write(typed[1])
	}
	s.await(r.entered)
}

// check compares what the server said with what the model got.
func (r *run) check(t *testing.T) {
	t.Helper()
	said, tools := r.answers(t)
	for _, wanted := range tools {
		if got := offered(r.model.tools, wanted.Name); !slices.Equal(arguments(got.Schema), arguments(wanted.Schema)) {
			t.Errorf("%s: the model sees the arguments %q of %s, but the server has %q", r.mode, arguments(got.Schema), wanted.Name, arguments(wanted.Schema))
		}
	}
	if len(tools) < 42 {
		t.Errorf("%s: the server listed %d tools", r.mode, len(tools))
	}
	made, next := r.model.walk(r.model.results)
	if len(next) > 0 {
		t.Errorf("%s: the conversation ended before %s", r.mode, next[0].Tool)
	}
	pages := map[string][]string{}
	for i, call := range made {
		if call.Tool == r.search {
			continue
		}
		at := slices.IndexFunc(said, func(a answer) bool { return a.name == call.Tool && inJSON(a.args) == inJSON(call.Args) })
		if at < 0 {
			if len(call.Args) > 0 || call.Tool == "list_collections" { // some clients refuse a missing argument themselves
				t.Errorf("%s: the call %s %s did not arrive as the model made it; the model got %.500s", r.mode, call.Tool, inJSON(call.Args), textOf(r.model.results[i]))
			}
			continue
		}
		a := said[at]
		said = slices.Delete(said, at, at+1)
		if id := call.Args["document_id"]; a.failed != (call.Tool == "read_document" && (id == nil || id == "00000000-0000-4000-8000-000000000000")) {
			t.Errorf("%s: %s %v: %s", r.mode, call.Tool, call.Args, a.content[0].Text)
		}
		seen := textOf(r.model.results[i])
		for _, block := range a.content {
			if r.hides != nil {
				block.Text = r.hides.ReplaceAllString(block.Text, "Authorization: ******")
			}
			if escaped := inJSON(block.Text); !strings.Contains(seen, block.Text) && !strings.Contains(seen, escaped[1:len(escaped)-1]) {
				t.Errorf("%s: %s answered %d bytes that did not reach the model whole: it got %d bytes, %.300s ... %s", r.mode, call.Tool, len(block.Text), len(seen), seen, seen[max(0, len(seen)-200):])
			}
			if block.Type == "image" && strings.Contains(r.model.longest, block.Data) == r.blind {
				t.Errorf("%s: the image reached the model: %t", r.mode, r.blind)
			}
		}
		if id, _ := call.Args["document_id"].(string); call.Tool == "read_document" && id != "" && !strings.HasPrefix(id, "00000000") {
			_, body, _ := strings.Cut(a.content[0].Text, "\n\n")
			if cut := strings.LastIndex(body, "\n\nContinue with start_line "); cut > 0 {
				body = body[:cut]
			}
			pages[id] = append(pages[id], lines(body)...)
		}
	}
	for id, page := range pages {
		if whole := lines(r.call(t, "read_document", "document_id="+id, "--jq", ".text")); !slices.Equal(page, whole) {
			t.Errorf("%s: %d lines of %d of the page %s arrived", r.mode, len(page), len(whole), id)
		}
	}
	if len(pages) != 2 {
		t.Errorf("%s: %d pages were read", r.mode, len(pages))
	}
}

// lines returns the lines of a page that have text. Between two parts of a page, an empty line
// is lost.
func lines(page string) []string {
	return slices.DeleteFunc(strings.Split(page, "\n"), func(line string) bool { return line == "" })
}

// document writes the rows of clients in the documentation. Others stay.
func document(t *testing.T, rows map[string]string) {
	page := filepath.Join("..", "..", "docs", "clients.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), "|---|---|---|---|---|---|---|---|\n")
	table, after, found := strings.Cut(rest, "<!-- end of the clients -->")
	if !found {
		t.Fatalf("%s has no table of clients", page)
	}
	for line := range strings.Lines(table) {
		if title := strings.Split(line, "|")[1]; rows[strings.TrimSpace(title)] == "" {
			rows[strings.TrimSpace(title)] = line
		}
	}
	table = ""
	for _, c := range clients {
		table += rows[c.title]
	}
	text = []byte(before + "|---|---|---|---|---|---|---|---|\n" + table + "<!-- end of the clients -->" + after)
	if err := os.WriteFile(page, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// arguments returns the names in a schema, without what clients add, and what is required.
func arguments(schema any) []string {
	var s struct {
		Properties map[string]any
		Required   []string
	}
	_ = json.Unmarshal([]byte(inJSON(schema)), &s)
	var names []string
	for name := range s.Properties {
		if name != "wait_for_previous" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
