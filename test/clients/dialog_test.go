package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestThePersonSeesTheChange draws the dialog of Claude Code for the documentation.
func TestThePersonSeesTheChange(t *testing.T) {
	suite(t)
	c := clients[0]
	c.files = map[string]string{".claude.json": `{"hasCompletedOnboarding":true,"theme":"dark","customApiKeyResponses":{"approved":["dummy"]},` +
		`"projects":{"$HOME/bin":{"hasTrustDialogAccepted":true,"hasCompletedProjectOnboarding":true}}}`}
	r := newRun(t, c, "stdio", "confirmation.json", "OUTLINE_CONFIRM=writes")
	s := startTerminal(t, r.command(t, "--allowedTools", "mcp__outline"))
	for _, typed := range [][2]string{
		{"for shortcuts", "/mcp"}, {"/mcp", "\r"}, {"connected", "\x1b"}, // it does not wait for servers by itself
		{"for shortcuts", "Raise the budget."}, {"Raise the budget.", "\r"},
	} {
		s.await(typed[0])
		s.write(typed[1])
	}
	_, dialog, _ := strings.Cut(s.await("Accept"), "requests your input")
	s.write("\r")
	s.await(`to Teo as`) // the second question
	if len(r.model.results) != 1 || !strings.Contains(textOf(r.model.results[0]), edited) {
		t.Fatalf("after the first question, the model got %s", textOf(r.model.results))
	}
	old, changed, found := strings.Cut(dialog, "→")
	if !found || !strings.Contains(old, "€60 a pot") || !strings.Contains(changed, "€75 a pot") {
		t.Errorf("the dialog shows %s", dialog)
	}
	lines := strings.Split("outline requests your input"+dialog, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	file := filepath.Join(t.TempDir(), "dialog.ansi")
	if err := os.WriteFile(file, []byte(strings.TrimSpace(strings.Join(lines, "\n"))+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	picture, err := filepath.Abs(filepath.Join("..", "..", "docs", "claude-code-confirmation.svg"))
	if err != nil {
		t.Fatal(err)
	}
	draw := exec.CommandContext(t.Context(), "go", "tool", "freeze", file, "--language", "ansi", "--output", picture,
		"--font.family", "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
		"--background", "#161b22", "--border.radius", "8", "--padding", "16,24", "--line-height", "1.3")
	draw.Dir = filepath.Join("..", "docs", "tour") // whose go.mod has the tool
	if out, err := draw.CombinedOutput(); err != nil {
		t.Fatalf("%s: %s\n%s", draw, err, out)
	}
}
