package release

import (
	"encoding/json"
	"os"
	"testing"
)

func TestThePluginHasTheSkillOfTheProgram(t *testing.T) {
	skill, err := os.ReadFile("../resources/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile("../plugins/claude-code/skills/outline-wiki/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(packed) != string(skill) {
		t.Error("cp resources/SKILL.md plugins/claude-code/skills/outline-wiki/SKILL.md")
	}
}

func TestThePluginAndTheExtensionStartTheProgram(t *testing.T) {
	for _, file := range []string{"claude-code/.mcp.json", "gemini-cli/gemini-extension.json"} {
		content, err := os.ReadFile("../plugins/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var entry struct {
			MCPServers map[string]struct{ Command string } `json:"mcpServers"`
		}
		if err := json.Unmarshal(content, &entry); err != nil || entry.MCPServers["outline"].Command != "outline-mcp" {
			t.Errorf("%s: %+v, %v", file, entry, err)
		}
	}
}
