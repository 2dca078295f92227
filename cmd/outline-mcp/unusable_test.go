package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outline-mcp/internal/config"
)

// unusable returns for each setting that can be refused variables that make it
// so, with | between them.
func unusable(t *testing.T) map[string]string {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, []byte("two words\nhunter2hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{
		"OUTLINE_API_KEY": "OUTLINE_API_KEY=<hunter2 key>", "OUTLINE_API_URL": "OUTLINE_API_URL=wiki.example.com",
		"OUTLINE_URL_ALIASES": "OUTLINE_URL_ALIASES=https://a b", "OUTLINE_CLIENT_CERT": "OUTLINE_CLIENT_CERT=" + file + "|OUTLINE_CLIENT_KEY=" + file,
		"OUTLINE_CLIENT_KEY": "OUTLINE_CLIENT_CERT=" + file, "OUTLINE_HEADERS": "OUTLINE_HEADERS=hunter2",
		"OUTLINE_TOOLS": "OUTLINE_TOOLS=serch", "OUTLINE_EXCLUDE_TOOLS": "OUTLINE_EXCLUDE_TOOLS=fly",
		"OUTLINE_FILES_DIR": "OUTLINE_FILES_DIR=/nowhere/at/all", "MCP_AUDIT_LOG": "MCP_AUDIT_LOG=" + folder,
		"MCP_PATH": "MCP_PATH=/health", "MCP_AUTH_TOKENS": "MCP_AUTH_TOKENS=hunter2", "MCP_ALLOWED_ORIGINS": "MCP_ALLOWED_ORIGINS=example",
		"MCP_ALLOWED_HOSTS": "MCP_ALLOWED_HOSTS=https://a/b", "MCP_HOST": "MCP_HOST=a b", "MCP_METRICS_ADDR": "MCP_METRICS_ADDR=nine",
		"MCP_REDIS_URL": "MCP_REDIS_URL=hunter2", "MCP_TLS_KEY": "MCP_TLS_CERT=" + file, "MCP_TLS_CERT": "MCP_TLS_CERT=" + file + "|MCP_TLS_KEY=" + file,
		"OTEL_EXPORTER_OTLP_ENDPOINT": "OTEL_EXPORTER_OTLP_ENDPOINT=collector",
	}
	for _, setting := range config.Settings() {
		switch {
		case strings.HasSuffix(setting.Name, "_FILE"), setting.Name == "OTEL_EXPORTER_OTLP_CERTIFICATE":
			all[setting.Name] = setting.Name + "=/nowhere/at/all"
		case all[setting.Name] == "" && setting.Type != "text" && setting.Type != "list":
			all[setting.Name] = setting.Name + "=maybe-so"
		}
	}
	delete(all, "OTEL_EXPORTER_OTLP_CERTIFICATE") // only beside an endpoint
	return all
}

func TestOnStdioAMalformedSettingLeavesTheToolsListedAndEachCallSaysWhatIsWrong(t *testing.T) {
	for name, settings := range unusable(t) {
		t.Run(name, func(t *testing.T) {
			cmd := program(t.Context(), strings.Split(settings, "|"))
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			cmd.Stdin = strings.NewReader(strings.Join([]string{initialize, initialized, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
				toolsCall(3, "list_collections", `{}`), `{"jsonrpc":"2.0","id":4,"method":"prompts/list"}`}, "\n"))
			output, _ := cmd.Output()
			if code := cmd.ProcessState.ExitCode(); code != exitUsage || !strings.Contains(stderr.String(), name) {
				t.Errorf("exit code %d: %s", code, &stderr)
			}
			answers := messages(t, output)
			if !bytes.Contains(answers["2"].Result, []byte(`"search_documents"`)) || answers["4"].Result == nil {
				t.Errorf("lists: %.300s %.300s", answers["2"].Result, answers["4"].Result)
			}
			answer := string(answers["3"].Result)
			if !strings.Contains(answer, `"isError":true`) || !strings.Contains(answer, name) || !strings.Contains(answer, "cannot be used") {
				t.Errorf("tools/call: %s", answer)
			}
			if strings.Contains(answer+stderr.String(), "hunter2") {
				t.Errorf("a secret is shown: %s %s", answer, &stderr)
			}
		})
	}
}

func TestOverHTTPAMalformedSettingIsRefusedAtTheStart(t *testing.T) {
	code, stdout, stderr := command(t, []string{"MCP_TRANSPORT=http", "MCP_PORT=0", "OUTLINE_MAX_RETRIES=many"})
	if code != exitUsage || stdout != "" || !strings.Contains(stderr, "OUTLINE_MAX_RETRIES") {
		t.Errorf("exit code %d: %s %s", code, stdout, stderr)
	}
}
