package tools_test

import (
	"strings"
	"testing"
)

func TestLinksToFilesOnAComputerAreNamed(t *testing.T) {
	const dead = "![Shot](./img/a.png)\n\n[Other](other-page.md#part) and [sheet](file:///C:/x.xlsx) and ![old](img/old.jpeg)"
	const alive = "[a](https://example.com/a.md) [b](/doc/lamps-x) `[c](c.md)` [d](mailto:a@example.com) [e](#h-e) [f](example.com) ![g](/api/attachments.redirect?id=x)"
	for tool, arguments := range map[string]map[string]any{
		"create_document": {"title": "New", "collection_id": wikiCollection, "text": dead},
		"update_document": {"document_id": uuid(1), "text": dead, "append": true},
		"import_document": {"name": "New.md", "collection_id": wikiCollection, "text": dead},
	} {
		c := withSettings(t, onePage(t))
		answer := call(t, c, tool, arguments)
		want := `lead nowhere in Outline: "./img/a.png"; "other-page.md#part"; "file:///C:/x.xlsx"; "img/old.jpeg". Put files there with upload_attachment (insert replace)`
		if answer.Code != "" || !strings.Contains(answer.Text, want) {
			t.Errorf("%s says %s", tool, answer.Text)
		}
		arguments["text"] = alive
		if answer := call(t, c, tool, arguments); answer.Code != "" || strings.Contains(answer.Text, "lead nowhere") {
			t.Errorf("%s says of other links: %s", tool, answer.Text)
		}
	}
}

func TestPlaceholdersThatATemplateLeavesAreNamed(t *testing.T) {
	c := withSettings(t, onePage(t), "OUTLINE_TOOLS=all")
	answer := call(t, c, "create_template", map[string]any{"title": "Meeting", "text": "With {{name}} on {date} about `{{ topic }}`."})
	template := decoded[struct {
		ID string `json:"template_id"`
	}](t, answer.Structured).ID
	answer = call(t, c, "create_document", map[string]any{"template_id": template, "title": "Meeting of May", "collection_id": wikiCollection})
	if !strings.Contains(answer.Text, "fill in {{name}}, {{ topic }}") {
		t.Error(answer.Text)
	}
}
