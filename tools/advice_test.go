package tools_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app"
	"outline-mcp/internal/app/mcptool"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/tools"
)

// TestNothingNamesAToolThatIsNotOffered covers every way to leave out tools. The
// sample documents name no tools.
func TestNothingNamesAToolThatIsNotOffered(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, one call after the other")
	}
	choices := []string{"OUTLINE_READ_ONLY=true", "OUTLINE_DISABLE_DELETE=true", "OUTLINE_DISABLE_AI_TOOLS=true"}
	groups := map[mcptool.Group]bool{}
	for _, tool := range tools.All() {
		info := tool.Info()
		if info.HasOwnName() {
			choices = append(choices, "OUTLINE_TOOLS="+info.Name)
		}
		if !groups[info.Group] {
			choices = append(choices, "OUTLINE_EXCLUDE_TOOLS="+string(info.Group), "OUTLINE_TOOLS="+string(info.Group))
		}
		groups[info.Group] = true
	}
	for _, choice := range choices {
		t.Run(choice, func(t *testing.T) {
			t.Parallel()
			namesOnlyWhatIsOffered(t, choosing(t, choice))
		})
	}
}

func choosing(t *testing.T, choice string) *client.Client {
	t.Helper()
	settings, err := config.Load([]string{
		"OUTLINE_API_URL=" + fakeoutline.BaseURL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey, "OUTLINE_STRUCTURED_OUTPUT=true", choice})
	if err != nil {
		t.Fatal(err)
	}
	return connectTo(t, app.Options{Config: settings, Demo: true})
}

// namesOnlyWhatIsOffered checks all texts of a server: its instructions, its list
// of tools, and the answers to all recorded calls.
func namesOnlyWhatIsOffered(t *testing.T, c *client.Client) {
	t.Helper()
	listed := listTools(t, c)
	withheld := map[string]bool{}
	for _, tool := range tools.All() {
		withheld[tool.Info().Name] = true
	}
	for _, tool := range listed {
		delete(withheld, tool.Name)
	}
	if len(withheld) == 0 {
		t.Fatal("every tool is offered")
	}
	check := func(where, text string) {
		t.Helper()
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
			if withheld[word] && (mcptool.Info{Name: word}).HasOwnName() { // search is a word of texts, too
				t.Errorf("%s names %s: %s", where, word, text)
			}
		}
	}
	hello, err := c.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{ProtocolVersion: mcp.LATEST_PROTOCOL_VERSION}})
	if err != nil {
		t.Fatal(err)
	}
	check("instructions", hello.Instructions)
	for _, tool := range listed {
		check("tools/list", string(tool.raw))
		if tool.Description == "" {
			t.Errorf("nothing is left of the description of %s", tool.Name)
		}
		for _, call := range exampleCalls(t, tool.Name) {
			answer, err := cli.Call(t.Context(), c, tool.Name, decoded[map[string]any](t, call.Arguments))
			if err != nil {
				t.Fatal(err)
			}
			text, structured := answer.Text, string(answer.Structured)
			if tool.Name == "get_workspace" && answer.Code == "" {
				text, structured = withoutToolsNotOffered(t, text, structured, slices.Sorted(maps.Keys(withheld)))
			}
			check(tool.Name+"/"+call.Name, text)
			check(tool.Name+"/"+call.Name, structured)
		}
	}
}

// withoutToolsNotOffered checks that both renderings of get_workspace list the
// tools that are not offered, and returns the rest of them.
func withoutToolsNotOffered(t *testing.T, text, structured string, withheld []string) (restOfText, restOfStructured string) {
	t.Helper()
	before, after, found := strings.Cut(text, "Tools that are not offered here: ")
	line, after, _ := strings.Cut(after, "\n")
	if names := strings.Split(line, ", "); !found || !slices.Equal(slices.Sorted(slices.Values(names)), withheld) {
		t.Errorf("the text lists %s, want %s", names, withheld)
	}
	keys := decoded[map[string]json.RawMessage](t, []byte(structured))
	names := decoded[[]string](t, keys["tools_not_offered"])
	if !slices.Equal(slices.Sorted(slices.Values(names)), withheld) {
		t.Errorf("tools_not_offered is %s, want %s", names, withheld)
	}
	delete(keys, "tools_not_offered")
	rest, err := json.Marshal(keys)
	if err != nil {
		t.Fatal(err)
	}
	return before + after, string(rest)
}
