package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"outline-mcp/internal/observe/audit"
)

func TestAnAuditTrailIsReadAsATable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	environ := []string{"MCP_AUDIT_LOG=" + file}
	code, created, stderr := command(t, environ, "--demo", "call", "create_document", "--json", "title=Tides", "text=x", "publish=false")
	var document struct {
		ID string `json:"document_id"`
	}
	if code != 0 || json.Unmarshal([]byte(created), &document) != nil || document.ID == "" {
		t.Fatal(code, created, stderr)
	}
	if code, _, stderr := command(t, environ, "--demo", "call", "list_collections"); code != 0 {
		t.Fatal(stderr)
	}
	for _, test := range []struct {
		args  string
		calls []string
	}{
		{"", []string{"create_document", "list_collections"}},
		{"--document " + document.ID, []string{"create_document"}},
		{"--document " + strings.ToUpper(document.ID), []string{"create_document"}},
		{"--tool list_collections", []string{"list_collections"}},
		{"--subject nobody", nil},
		{"--since 1h", []string{"create_document", "list_collections"}},
		{"--until 1h", nil},
		{"--since 2020-01-01 --until 2021-01-01", nil},
	} {
		code, stdout, stderr := command(t, nil, append([]string{"audit", file}, strings.Fields(test.args)...)...)
		lines := strings.Split(strings.TrimSpace(stdout), "\n")
		if code != 0 || stderr != "" || len(lines) != len(test.calls)+1 || !strings.HasPrefix(lines[0], "TIME ") {
			t.Errorf("%s: exit code %d: %s%s", test.args, code, stdout, stderr)
			continue
		}
		for i, name := range test.calls {
			if !strings.Contains(lines[i+1], ` "Isla Renwick"  outline-mcp  `+name) {
				t.Errorf("%s: %s", test.args, lines[i+1])
			}
		}
	}
	_, stdout, _ := command(t, nil, "audit", file, "--subject", "isla renwick", "--document", document.ID)
	if want := "document " + document.ID + " written, revision 1"; !strings.Contains(stdout, want) {
		t.Errorf("no %s in %s", want, stdout)
	}
	_, stdout, _ = command(t, nil, "audit", file, "--json", "--tool", "create_document")
	var r audit.Record
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || r.Name != "create_document" || r.Event != audit.EventCall {
		t.Errorf("%v: %s", err, stdout)
	}
}

func TestATrailThatIsDamagedIsReadAsFarAsItGoes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	line := func(seq, call int, event, rest string) string {
		return fmt.Sprintf(`{"time":"2026-11-23T10:00:00Z","process":"p","seq":%d,"event":%q,"call":%d,"kind":"tool",%s}`+"\n", seq, event, call, rest)
	}
	content := line(1, 1, "write", `"name":"delete_document"`) +
		line(2, 2, "call", `"name":"read_document","outcome":"ok","user":{"id":"1","name":"Eve\"  outline-mcp  read_document  ok\n2026"},"client":{"name":"a b\tc"}`) +
		"time=2026 level=INFO msg=x\n" + strings.Repeat("x", 3<<20) + "\n" + `{"seq":1}` + "\n" +
		line(6, 3, "call", `"name":"read_document","outcome":"ok"`) + `{"time":"2026-11-`
	writeFile(t, file, content)
	code, stdout, stderr := command(t, nil, "audit", file)
	if lines := strings.Split(strings.TrimSpace(stdout), "\n"); code != 0 || len(lines) != 4 || !strings.Contains(lines[3], "delete_document  unfinished") {
		t.Errorf("exit code %d:\n%s", code, stdout)
	}
	if !strings.Contains(stdout, `"Eve\"  outline-mcp  read_document  ok\n2026"`) || !strings.Contains(stdout, `"a b\tc"`) {
		t.Errorf("names look like columns:\n%s", stdout)
	}
	if want := "outline-mcp: 3 lines are missing: they could not be written, or were removed\noutline-mcp: 4 lines are not lines of an audit trail\n"; stderr != want {
		t.Errorf("%s, want %s", stderr, want)
	}
}

func TestAServerDoesNotStartWithoutItsTrail(t *testing.T) {
	folder := t.TempDir()
	for _, file := range []string{filepath.Join(folder, "missing", "audit.jsonl"), folder} {
		for _, transport := range []string{"stdio", "http"} {
			code, _, stderr := command(t, []string{"MCP_AUDIT_LOG=" + file, "MCP_PORT=0"}, "--demo", "serve", "--transport", transport)
			if code != 2 || !strings.Contains(stderr, "MCP_AUDIT_LOG: cannot write "+file+": ") {
				t.Errorf("%s: exit code %d: %s", transport, code, stderr)
			}
		}
	}
}
