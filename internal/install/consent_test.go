package install_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"outline-mcp/internal/install"
)

func TestCodexDoesMoreOnlyAfterTheUserAgrees(t *testing.T) {
	for _, test := range []struct{ answer, before, want string }{
		{"", "model = 'a'\n", "model = 'a'\n\n[mcp_servers.outline]\ncommand = '/opt/outline-mcp'\n"},
		{"Y ", "model = 'a'\n", "tool_output_token_limit = 30000\nmodel = 'a'\n\n[mcp_servers.outline]\ncommand = '/opt/outline-mcp'\ndefault_tools_approval_mode = 'approve'\n"},
		{"yes", "", "tool_output_token_limit = 30000\n[mcp_servers.outline]\ncommand = '/opt/outline-mcp'\ndefault_tools_approval_mode = 'approve'\n"},
		{"y", "tool_output_token_limit = 7\n\n[mcp_servers.outline]\ndefault_tools_approval_mode = 'prompt'\n", "tool_output_token_limit = 7\n\n[mcp_servers.outline]\ncommand = '/opt/outline-mcp'\ndefault_tools_approval_mode = 'approve'\n"},
	} {
		r := request(t, "codex")
		var asked []string
		r.Ask = func(_ context.Context, question string, _ bool, check func(string) (string, error)) (string, error) {
			asked = append(asked, question)
			return check(test.answer)
		}
		server, err := r.Decide(t.Context(), install.Server{Name: "outline", Command: "/opt/outline-mcp", Login: true})
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(asked, ""); len(asked) != 2 || !strings.Contains(all, "tool_output_token_limit") || !strings.Contains(all, "without asking you") {
			t.Errorf("asked %q", asked)
		}
		path := filepath.Join(t.TempDir(), "config.toml")
		if test.before != "" {
			write(t, path, test.before)
		}
		if _, err := install.Install(path, entryOf(t, r.Client, server)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); got != test.want {
			t.Errorf("after %q, the file is\n%s\nwant\n%s", test.answer, got, test.want)
		}
	}
}

func TestOnlyCodexIsAskedForMore(t *testing.T) {
	r := request(t, "gemini")
	r.Ask = func(context.Context, string, bool, func(string) (string, error)) (string, error) {
		t.Error("the user is asked")
		return "y", nil
	}
	server, err := r.Decide(t.Context(), install.Server{Name: "outline", Command: "/opt/outline-mcp"})
	if err != nil || server.AllowWrites || server.LongAnswers {
		t.Errorf("got %+v, %v", server, err)
	}
	server.AllowWrites = true
	if _, err := install.NewEntry(r.Client, server); err == nil || !strings.Contains(err.Error(), "--allow-writes") {
		t.Errorf("got %v", err)
	}
}

func TestStructuredOutputIsReportedWhereAClientLosesByIt(t *testing.T) {
	for name, want := range map[string]string{"codex": "no images", "copilot": "doubles answers", "claude-code": "JSON in place", "gemini": ""} {
		client := find(t, name)
		path := filepath.Join(t.TempDir(), "config")
		if _, err := install.Install(path, entryOf(t, client, local(client))); err != nil {
			t.Fatal(err)
		}
		text := read(t, path)
		on := strings.Replace(text, `"OUTLINE_API_KEY": `, `"OUTLINE_STRUCTURED_OUTPUT": "true", "OUTLINE_API_KEY": `, 1)
		on = strings.Replace(on, `{OUTLINE_API_KEY = `, `{OUTLINE_STRUCTURED_OUTPUT = "1", OUTLINE_API_KEY = `, 1)
		for content, want := range map[string]string{text: "", on: want} {
			write(t, path, content)
			problems := install.Read(path, client, "outline", func(string) string { return "" }).Problems
			if found := len(problems) == 1 && problems[0].Warning && strings.Contains(problems[0].Finding, want); found != (want != "") || want == "" && len(problems) > 0 {
				t.Errorf("%s: %+v", name, problems)
			}
		}
	}
}
