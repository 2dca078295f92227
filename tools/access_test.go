package tools_test

import (
	"slices"
	"testing"

	"outline-mcp/internal/mcptool"
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

func TestAChoiceThatLeavesNothingIsRefused(t *testing.T) {
	access := mcptool.Access{Only: []string{"delete_document"}, ReadOnly: true}
	if list, err := access.Choose(tools.All()); err == nil {
		t.Errorf("%d tools are chosen", len(list))
	}
}

func TestInstructionsStayShort(t *testing.T) {
	if n := len(tools.Instructions(nil)); n >= 2048 {
		t.Errorf("%d bytes", n)
	}
}
