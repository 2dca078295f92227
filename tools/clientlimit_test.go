package tools_test

import (
	"encoding/json"
	"testing"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/tools"
)

func TestToolsThatReadSayThatTheyAnswerWithMoreThanClientsShow(t *testing.T) {
	for _, test := range []struct{ limit, want int }{
		{10_000, 0}, {40_000, 0}, {50_000, 0}, {50_001, 50_001}, {200_000, 200_000}, {500_000, 500_000}, {2_000_000, 500_000}, {0, 500_000},
	} {
		effects := map[string]mcptool.Effect{}
		for _, tool := range tools.All() {
			effects[tool.Info().Name] = tool.Info().Effect
		}
		for _, tool := range listTools(t, limited(t, test.limit, false, wiki(t, emptySeed()))) {
			var definition struct {
				Meta map[string]int `json:"_meta"`
			}
			if err := json.Unmarshal(tool.raw, &definition); err != nil {
				t.Fatal(err)
			}
			want := 0
			if effects[tool.Name] == mcptool.Reads {
				want = test.want
			}
			if got := definition.Meta["anthropic/maxResultSizeChars"]; got != want || want == 0 && definition.Meta != nil {
				t.Errorf("limit %d: %s says %v, want %d", test.limit, tool.Name, definition.Meta, want)
			}
		}
	}
}
