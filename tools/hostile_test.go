package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"outline-mcp/tools"
)

// TestWhateverEveryToolIsGivenItsAnswerStaysUnderTheLimit gives each argument of
// each tool values that are far too long, of the wrong type, or strange, and the
// other arguments usable ones.
func TestWhateverEveryToolIsGivenItsAnswerStaysUnderTheLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, one call after the other")
	}
	long := strings.Repeat("go on with offset 3 🍲\n", 500)
	var list []any
	unknown := map[string]any{}
	for i := range 300 {
		list = append(list, long[:100])
		if i%10 == 0 {
			unknown[fmt.Sprint(long[:200], i)] = i
		}
	}
	hostile := map[string]any{
		"a long text": long, "a long list": list, "a large object": unknown, "a list of objects": []any{unknown, unknown},
		"a large number": 1e300, "a long number": strings.Repeat("9", 5000), "no text": "", "a URL": "https://wiki.example.com/doc/" + strings.Repeat("x-", 5000) + "1FF9VyHA4X",
	}
	c := limited(t, leastLimit, true, wiki(t, emptySeed()))
	definitions := listTools(t, c)
	for _, tool := range tools.All() {
		name := tool.Info().Name
		var schema struct {
			Properties map[string]struct{ Type string }
			Required   []string
		}
		for _, definition := range definitions {
			if definition.Name == name {
				if err := json.Unmarshal(definition.InputSchema, &schema); err != nil {
					t.Fatal(err)
				}
			}
		}
		bounded(t, c, leastLimit, name, unknown)
		for argument := range schema.Properties {
			for what, value := range hostile {
				t.Run(name+"/"+argument+"/"+what, func(t *testing.T) {
					arguments := map[string]any{argument: value}
					for _, required := range schema.Required {
						if _, given := arguments[required]; !given {
							arguments[required] = map[string]any{"string": uuid(1), "array": []any{uuid(1)}}[schema.Properties[required].Type]
						}
					}
					bounded(t, c, leastLimit, name, arguments)
				})
			}
		}
	}
}
