package tools_test

import (
	"os"
	"path/filepath"
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

func TestPicturesBesideAnImportedFileAreUploadedAndLinked(t *testing.T) {
	outer := t.TempDir()
	folder := filepath.Join(outer, "files")
	const picture = "\x89PNG\r\n\x1a\n"
	for name, content := range map[string]string{
		"outside.png": picture, "files/docs/img/a dot.png": picture, "files/b.png": picture, "files/docs/.hidden.png": picture, "files/docs/text.png": "no picture",
		"files/docs/c.gif": "GIF89a", "files/docs/c.gif.png": picture,
		"files/docs/page.md": "![One](img/a%20dot.png)\n\n![Two](../b.png) and ![again](../b.png)\n\n![](.hidden.png)\n\n![](../../outside.png)\n\n![](text.png)\n\n![](gone.png)\n\n![C](c.gif)\n\n![D](c.gif.png)\n",
	} {
		name = filepath.Join(outer, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := withSettings(t, onePage(t), "OUTLINE_FILES_DIR="+folder)
	answer := call(t, c, "import_document", map[string]any{"path": "docs/page.md", "collection_id": wikiCollection})
	imported := decoded[struct {
		ID string `json:"document_id"`
	}](t, answer.Structured)
	text := decoded[documentPiece](t, call(t, c, "read_document", map[string]any{"document_id": imported.ID}).Structured).Text
	if !strings.Contains(answer.Text, `lead nowhere in Outline: ".hidden.png"; "../../outside.png"; "text.png"; "gone.png".`) || !strings.Contains(answer.Text, "pictures uploaded: 4") {
		t.Error(answer.Text)
	}
	if strings.Count(text, "](/api/attachments.redirect?id=") != 5 || !strings.Contains(text, "](../../outside.png)") || strings.Contains(text, "b.png") {
		t.Errorf("the document reads %s", text)
	}
	answer = call(t, c, "import_document", map[string]any{"text": "![](b.png)", "name": "page.md", "collection_id": wikiCollection})
	if !strings.Contains(answer.Text, `lead nowhere in Outline: "b.png"`) || strings.Contains(answer.Text, "uploaded:") {
		t.Errorf("of a text, the answer says %s", answer.Text)
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
