package app_test

import (
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/pipeline"
)

func TestTheChoiceOfToolsHoldsForWhatIsNoTool(t *testing.T) {
	resource := pipeline.Item{Method: mcp.MethodResourcesRead, Name: "collection", Group: "collections"}
	prompt := pipeline.Item{Method: mcp.MethodPromptsGet, Name: "tidy_up", Group: "documents", Writes: true}
	answer := pipeline.Item{Method: mcp.MethodPromptsGet, Name: "ask", Group: "ai"}
	for setting, want := range map[string][3]bool{ // which of the three are offered
		"OUTLINE_TOOLS=":                      {true, true, true},
		"OUTLINE_READ_ONLY=true":              {true, false, true},
		"OUTLINE_DISABLE_AI_TOOLS=true":       {true, true, false},
		"OUTLINE_TOOLS=collections":           {true, false, false},
		"OUTLINE_EXCLUDE_TOOLS=collections":   {false, true, true},
		"OUTLINE_EXCLUDE_TOOLS=read_document": {true, true, true},
	} {
		loaded, err := config.Load([]string{setting})
		if err != nil {
			t.Fatal(err)
		}
		p := app.PipelineOf(loaded)
		for i, item := range []pipeline.Item{resource, prompt, answer} {
			if got := p.Allows(t.Context(), item); got != want[i] {
				t.Errorf("%s: %s is offered: %t", setting, item.Name, got)
			}
		}
	}
}
