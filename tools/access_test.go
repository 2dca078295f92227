package tools_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/mcptool"
	"outline-mcp/output"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools"
)

func chosen(t *testing.T, access mcptool.Access) []string {
	t.Helper()
	list, err := access.Choose(tools.All())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list {
		names = append(names, tool.Info().Name)
	}
	return names
}

func TestTheOperatorChoosesTheTools(t *testing.T) {
	all := chosen(t, mcptool.Access{})
	if len(all) != len(tools.All()) {
		t.Fatalf("%d tools of %d", len(all), len(tools.All()))
	}
	effects := func(allowed ...mcptool.Effect) []string {
		var names []string
		for _, tool := range tools.All() {
			if slices.Contains(allowed, tool.Info().Effect) {
				names = append(names, tool.Info().Name)
			}
		}
		return names
	}
	without := func(left ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(left, name) })
	}
	group := func(group mcptool.Group) []string {
		var names []string
		for _, tool := range tools.All() {
			if tool.Info().Group == group {
				names = append(names, tool.Info().Name)
			}
		}
		return names
	}
	search := group(tools.Search)
	searchWithout := func(left string) []string {
		return slices.DeleteFunc(slices.Clone(search), func(name string) bool { return name == left })
	}
	tests := []struct {
		name   string
		access mcptool.Access
		want   []string
	}{
		{"read-only leaves what reads", mcptool.Access{ReadOnly: true}, effects(mcptool.Reads)},
		{"no delete leaves the rest", mcptool.Access{NoDelete: true}, effects(mcptool.Reads, mcptool.Adds, mcptool.Moves, mcptool.Changes)},
		{"read-only wins over no delete", mcptool.Access{ReadOnly: true, NoDelete: true}, effects(mcptool.Reads)},
		{"no AI", mcptool.Access{NoAI: true}, without("ask_ai_about_documents")},
		{"only a group and a tool", mcptool.Access{Only: []string{"search", "read_document"}}, append(slices.Clone(search), "read_document")},
		{"all but a group and a tool", mcptool.Access{Except: []string{"search", "ask_ai_about_documents"}}, without(append(search, "ask_ai_about_documents")...)},
		{"except wins over only", mcptool.Access{Only: []string{"search"}, Except: []string{"list_collections"}}, searchWithout("list_collections")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := chosen(t, test.access); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestOptionalToolsAreOfferedOnlyIfTheyAreAskedFor(t *testing.T) {
	type none struct{}
	tool := func(name string, optional bool) mcptool.Tool {
		return mcptool.Spec[none, output.Result]{Name: name, Optional: optional}
	}
	list := slices.Concat(
		mcptool.InGroup("search", tool("find_pages", false), tool("rank_hits", true)),
		mcptool.InGroup("people", tool("list_people", true), tool("invite_person", true)))
	for only, want := range map[string]string{
		"default":                         "find_pages",
		"all":                             "find_pages rank_hits list_people invite_person",
		"default,all":                     "find_pages rank_hits list_people invite_person",
		"search":                          "find_pages rank_hits", // a group that is named is offered as a whole
		"people":                          "list_people invite_person",
		"default,people":                  "find_pages list_people invite_person",
		"default,invite_person,rank_hits": "find_pages rank_hits invite_person",
		"invite_person":                   "invite_person",
	} {
		left, err := mcptool.Access{Only: strings.Split(only, ",")}.Choose(list)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range left {
			names = append(names, tool.Info().Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s offers %s, want %s", only, got, want)
		}
	}
	left, err := mcptool.Access{Only: []string{"all"}, Except: []string{"people"}}.Choose(list)
	if err != nil || len(left) != 2 {
		t.Errorf("%d tools are left when a group is excluded, %v", len(left), err)
	}
}

// TestTheListOfToolsStaysShort holds the number of tools, because a model pays for
// each of them in every session.
func TestTheListOfToolsStaysShort(t *testing.T) {
	for only, limit := range map[string]int{mcptool.DefaultTools: 42, mcptool.AllTools: 56} {
		if n := len(chosen(t, mcptool.Access{Only: []string{only}})); n > limit {
			t.Errorf("%s: %d tools, more than %d; declare a tool as Optional, or make it an argument of another", only, n, limit)
		}
	}
}

func TestAChoiceThatLeavesNothingIsRefused(t *testing.T) {
	access := mcptool.Access{Only: []string{"delete_document"}, ReadOnly: true}
	if list, err := access.Choose(tools.All()); err == nil {
		t.Errorf("%d tools are chosen", len(list))
	}
}

func TestInstructionsStayShort(t *testing.T) {
	if n := len(tools.Instructions(nil)); n > 1100 {
		t.Errorf("%d bytes", n)
	}
}

func TestADocumentIsNamedByItsTitleBesideOneThatMayNotBeChanged(t *testing.T) {
	seed := emptySeed()
	open, other := seed.Collections[0], seed.Collections[0]
	open.ID, open.URLID, open.Name = uuid(50), "wVj43W43Sy", "Open"
	other.ID, other.URLID, other.Name = uuid(51), "wVj43W43Sz", "Other"
	locked, free := wikiPage(1, "", "Lamp plan of the north", "Words."), wikiPage(3, "", "Lamp plan", "Words.")
	free.CollectionID = open.ID
	seed.Collections, seed.Documents = append(seed.Collections, open, other), append(seed.Documents, locked, free)
	c := limited(t, defaultLimit, false, wiki(t, seed), "OUTLINE_WRITE_COLLECTIONS=Open", "OUTLINE_EXCLUDE_COLLECTIONS=Other")
	for _, tool := range []string{"archive_document", "unarchive_document"} {
		if answer := bounded(t, c, defaultLimit, tool, map[string]any{"document_id": "Lamp plan"}); answer.Code != "" {
			t.Errorf("%s: %s", tool, answer.Text)
		}
	}
}

// TestAChangeThatIsNotAllowedHereSaysSoBeforeAnythingElse calls tools with arguments that
// are wrong, too, for what is in a collection where nothing may be changed.
func TestAChangeThatIsNotAllowedHereSaysSoBeforeAnythingElse(t *testing.T) {
	seed := emptySeed()
	open := seed.Collections[0]
	open.ID, open.URLID, open.Name = uuid(50), "wVj43W43Sy", "Open"
	seed.Collections = append(seed.Collections, open)
	long := wikiPage(1, "", "Locked", strings.Repeat("All lamps are lit at dusk.\n\n", 400))
	archived := wikiPage(2, "", "Archived", "Old.")
	archived.ArchivedAt = wikiDay(3)
	free := wikiPage(3, "", "Free", "Words.")
	free.CollectionID = open.ID
	seed.Documents = append(seed.Documents, long, archived, free)
	c := limited(t, defaultLimit, false, wiki(t, seed), "OUTLINE_WRITE_COLLECTIONS=Open")
	edits := []any{map[string]any{"old_text": "nowhere", "new_text": "x"}}
	for _, test := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"edit_document", map[string]any{"document_id": uuid(1), "edits": edits}},
		{"edit_document", map[string]any{"document_id": long.URLID, "edits": edits}},
		{"edit_document", map[string]any{"document_id": uuid(1), "edits": edits, "dry_run": true}},
		{"edit_document", map[string]any{"document_id": uuid(1), "edits": edits, "expected_revision": 7}},
		{"edit_document", map[string]any{"document_id": uuid(1), "edits": []any{map[string]any{"old_text": "lamps", "new_text": "@[nobody]"}}}},
		{"edit_document", map[string]any{"document_id": uuid(2), "edits": edits}},
		{"update_document", map[string]any{"document_id": uuid(1), "text": "short"}},
		{"update_document", map[string]any{"document_id": uuid(1), "text": "x", "append": true, "expected_revision": 7}},
		{"update_document", map[string]any{"document_id": uuid(2), "title": "x"}},
		{"update_document", map[string]any{"document_id": uuid(2), "publish": false}},
		{"archive_document", map[string]any{"document_id": uuid(1)}},
		{"unarchive_document", map[string]any{"document_id": uuid(1)}},
		{"move_document", map[string]any{"document_id": uuid(1), "collection_id": wikiCollection}},
		{"move_document", map[string]any{"document_id": uuid(3), "parent_document_id": uuid(2)}},
		{"create_document", map[string]any{"title": "x", "parent_document_id": uuid(2)}},
		{"delete_document", map[string]any{"document_id": uuid(1)}},
		{"add_comment", map[string]any{"document_id": uuid(1), "text": "x", "anchor_text": "lamps"}},
		{"add_comment", map[string]any{"document_id": uuid(2), "text": "x", "anchor_text": "nowhere"}},
		{"upload_attachment", map[string]any{"document_id": uuid(2), "text": "x", "name": "a.txt"}},
		{"update_collection", map[string]any{"collection_id": wikiCollection, "name": "x"}},
		{"delete_collection", map[string]any{"collection_id": wikiCollection}},
	} {
		if answer := bounded(t, c, defaultLimit, test.tool, test.arguments); answer.Code == "" || !strings.Contains(answer.Text, "this server shows that collection, but does not write in it") ||
			!strings.Contains(answer.Text, `"Open"`) {
			t.Errorf("%s %v: %s", test.tool, test.arguments, answer.Text)
		}
	}
	for tool, arguments := range map[string]map[string]any{
		"edit_document":      {"document_id": uuid(3), "edits": []any{map[string]any{"old_text": "Words", "new_text": "Letters"}}},
		"duplicate_document": {"document_id": uuid(1), "collection_id": open.ID},
		"read_document":      {"document_id": uuid(1)},
	} {
		if answer := bounded(t, c, defaultLimit, tool, arguments); answer.Code != "" {
			t.Errorf("%s: %s", tool, answer.Text)
		}
	}
}

func TestAListThatIsTooLongToLimitNamesOnlyWhatItsToolTakes(t *testing.T) {
	seed := emptySeed()
	for i := range 11 { // more than are asked one by one
		other := seed.Collections[0]
		other.ID, other.URLID, other.Name = uuid(50+i), fmt.Sprintf("wVj43W43%02d", i), fmt.Sprint("Open ", i)
		seed.Collections = append(seed.Collections, other)
	}
	for i := range 5001 {
		gone := wikiPage(1000+i, "", "Gone", "x")
		gone.UpdatedAt, gone.DeletedAt = wikiDay(3), wikiDay(3)
		archived := wikiPage(10_000+i, "", "Old", "x")
		archived.UpdatedAt, archived.ArchivedAt = wikiDay(3), wikiDay(3)
		seed.Documents = append(seed.Documents, gone, archived)
	}
	c := limited(t, defaultLimit, false, wiki(t, seed), "OUTLINE_EXCLUDE_COLLECTIONS="+wikiCollection)
	for tool, takes := range map[string]bool{"list_trash": false, "list_archived_documents": true} {
		answer := bounded(t, c, defaultLimit, tool, nil)
		if !strings.Contains(answer.Text, "too long to find that part") || strings.Contains(answer.Text, "collection_id") != takes || !strings.Contains(answer.Text, "less") {
			t.Errorf("%s: %s", tool, answer.Text)
		}
	}
}

// TestNothingNamesAToolThatIsNotOffered covers every way to leave out tools. The
// sample documents name no tools.
func TestNothingNamesAToolThatIsNotOffered(t *testing.T) {
	t.Parallel()
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
	for _, choice := range fixtures.Some(choices, 12) {
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

func TestEachUnlistedArgumentIsThatOfATool(t *testing.T) {
	listed := map[string]bool{}
	for _, tool := range listTools(t, connect(t, false)) {
		var schema struct{ Properties map[string]any }
		if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		for name := range schema.Properties {
			listed[name] = true
		}
	}
	for _, name := range tools.Unlisted() {
		if !listed[name] {
			t.Errorf("no tool takes %s", name)
		}
	}
}

func TestAShortDefinitionLeavesOutArgumentsThatTheToolStillTakes(t *testing.T) {
	c := limited(t, defaultLimit, false, wiki(t, emptySeed()), "OUTLINE_TOOLS=compact")
	for _, tool := range listTools(t, c) {
		if strings.Contains(string(tool.InputSchema), `"direction"`) || tool.Title != "" {
			t.Errorf("%s: %s", tool.Title, tool.InputSchema)
		}
	}
	if answer := bounded(t, c, defaultLimit, "list_documents", map[string]any{"direction": "asc"}); answer.Code != "" {
		t.Error(answer.Text)
	}
}
