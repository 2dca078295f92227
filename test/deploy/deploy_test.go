// Package deploy checks the Dockerfile and the files in deploy with the
// libraries of the programs that read them. It is a separate module so that the
// product does not need those libraries.
package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// root is the top of the project.
const root = "../.."

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// settings returns the names of all settings, which .env.example has.
func settings(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^# ([A-Z_]+)=`).FindAllSubmatch(read(t, ".env.example"), -1) {
		known[string(match[1])] = true
	}
	if len(known) < 10 {
		t.Fatalf("only %d settings in .env.example", len(known))
	}
	return known
}

// environment checks the settings of a deployed server.
func environment(t *testing.T, environment map[string]string) {
	t.Helper()
	known := settings(t)
	for name := range environment {
		if !known[name] {
			t.Errorf("%s is no setting", name)
		}
	}
	for name, want := range map[string]string{"MCP_TRANSPORT": "http", "MCP_HOST": "0.0.0.0", "MCP_METRICS_ADDR": ":9090", "LOG_FORMAT": "json"} {
		if environment[name] != want {
			t.Errorf("%s is %q, want %q", name, environment[name], want)
		}
	}
	if environment["MCP_ALLOWED_HOSTS"] == "" {
		t.Error("MCP_ALLOWED_HOSTS is not set")
	}
	for _, name := range []string{"OUTLINE_API_KEY", "OUTLINE_API_KEY_FILE", "MCP_ALLOW_ANONYMOUS"} {
		if _, ok := environment[name]; ok {
			t.Errorf("%s is set: each caller brings a key", name)
		}
	}
}

func TestTheDocumentationNamesOnlySettingsThatExist(t *testing.T) {
	known := settings(t)
	for _, name := range regexp.MustCompile(`\b(MCP|OUTLINE|LOG)_[A-Z_]+\b`).FindAllString(string(read(t, "docs/team/deployment.md"))+string(read(t, "docs/team/operation.md")), -1) {
		if !known[name] {
			t.Errorf("%s is no setting", name)
		}
	}
}
