package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// longTable is a document with a table of 100 rows.
func longTable() string {
	var b strings.Builder
	b.WriteString("# Stock\n\n| Name | Place |\n|----|----|\n")
	for i := range 100 {
		fmt.Fprintf(&b, "| lamp %d | shelf %d |\n", i+1, i+1)
	}
	return b.String() + "\nThe end"
}

func TestAnElisionIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	e := newEditing(t, longTable(), fakeoutline.Options{})
	stored := e.text(t)
	head, rest, _ := strings.Cut(stored, "| lamp 10 |")
	_, tail, _ := strings.Cut(rest, "| lamp 91 |")
	elided := strings.Replace(head, "lamp 1 ", "lantern 1 ", 1) + "… (rows 10 to 90 unchanged) …\n| lamp 91 |" + tail
	rows := stored[strings.Index(stored, "| lamp 20 "):strings.Index(stored, "| lamp 30 ")]
	for tool, arguments := range map[string]map[string]any{
		"update_document":        {"document_id": e.id, "text": elided},
		"batch_update_documents": {"updates": []any{map[string]any{"document_id": e.id, "text": elided}}},
		"edit_document": {"document_id": e.id, "edits": []any{map[string]any{
			"old_text": rows, "new_text": "| lamp 20 | shelf 0 |\n| ... | ... |\n",
		}}},
	} {
		answer, err := cli.Call(t.Context(), e.c, tool, arguments)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Code != output.InvalidArguments || !strings.Contains(answer.Text, "nothing was written: line ") || !strings.Contains(answer.Text, "would be lost") || e.text(t) != stored {
			t.Errorf("%s: %s %s", tool, answer.Code, answer.Text)
		}
		if tool == "update_document" && (!strings.Contains(answer.Text, "edit_document") || !strings.Contains(answer.Text, `line 14 of text, "… (rows 10 to 90 unchanged) …"`) || !strings.Contains(answer.Text, "81 lines")) {
			t.Error(answer.Text)
		}
	}
	for tool, arguments := range map[string]map[string]any{
		"create_document": {"title": "New", "publish": false, "text": elided},
		"edit_document":   {"document_id": e.id, "edits": []any{map[string]any{"old_text": "The end", "new_text": "The end\n\n[...]\n\n(rest unchanged)"}}},
		"update_document": {"document_id": e.id, "text": "More:\n\n…\n\n// existing code", "append": true},
	} {
		if answer, err := cli.Call(t.Context(), e.c, tool, arguments); err != nil || answer.Code != "" {
			t.Errorf("%s with new text: %v, %s", tool, err, answer.Text)
		}
	}
	// What the document has may stay, and what the caller insists on is written.
	for _, arguments := range []map[string]any{
		{"document_id": e.id, "text": strings.Replace(e.text(t), rows, "", 1)},
		{"document_id": e.id, "text": elided, "allow_shrink": true},
	} {
		if answer, err := cli.Call(t.Context(), e.c, "update_document", arguments); err != nil || answer.Code != "" {
			t.Errorf("%v, %s", err, answer.Text)
		}
	}
}

func TestEscapedLineBreaksAndAFenceAroundAllAreUndone(t *testing.T) {
	const escaped, want, note = `## Plan\n\nFirst.\n\n- one\n- two`, "## Plan\n\nFirst.\n\n- one\n- two", `was written as two characters`
	e := newEditing(t, "Old text.\n\nSecond text.\n\n```\nprint(\"a\\nb\")\n```", fakeoutline.Options{})
	same := func(text, want string) bool {
		return prosemirror.Equal(prosemirror.Parse(text), prosemirror.Parse(want))
	}
	for tool, arguments := range map[string]map[string]any{
		"create_document":        {"title": "New", "publish": false, "text": escaped},
		"batch_create_documents": {"documents": []any{map[string]any{"title": "New", "publish": false, "text": escaped}}},
		"create_template":        {"title": "New", "text": escaped},
		"add_comment":            {"document_id": e.id, "text": escaped},
	} {
		answer, err := cli.Call(t.Context(), e.c, tool, arguments)
		if err != nil || answer.Code != "" || !strings.Contains(answer.Text, note) {
			t.Errorf("%s: %v, %s", tool, err, answer.Text)
		}
	}
	answer, err := cli.Call(t.Context(), e.c, "create_document", map[string]any{"title": "New", "publish": false, "text": "```markdown\n# New\n\n- one\n```"})
	if err != nil || !strings.Contains(answer.Text, "code fence around the whole text was left out") || !strings.Contains(answer.Text, "repeats the title") {
		t.Errorf("%v, %s", err, answer.Text)
	}
	_, answer = e.edit(t, nil, `Old text.\n\nSecond text.`, `New text.\nOf two lines.`)
	if !strings.Contains(answer.Text, note) || !same(e.text(t), "New text.\nOf two lines.\n\n```\nprint(\"a\\nb\")\n```") {
		t.Errorf("%s: %q", answer.Text, e.text(t))
	}
	_, answer = e.edit(t, nil, "Of two lines.", `Of two lines.\n\n- one`)
	if !strings.Contains(answer.Text, note) || !strings.Contains(e.text(t), "Of two lines.\n\n") {
		t.Errorf("%s: %q", answer.Text, e.text(t))
	}
	_, answer = e.edit(t, nil, `print("a\nb")`, `print("a\n\n- b\n\nC")`)
	if strings.Contains(answer.Text, note) || !strings.Contains(e.text(t), `print("a\n\n- b\n\nC")`) {
		t.Errorf("%s: %q", answer.Text, e.text(t))
	}
	answer, err = cli.Call(t.Context(), e.c, "update_document", map[string]any{"document_id": e.id, "text": escaped})
	if err != nil || !strings.Contains(answer.Text, note) || !same(e.text(t), want) {
		t.Errorf("%v, %s: %q", err, answer.Text, e.text(t))
	}
}

func TestACommentIsOnThePassageInWhateverFormItsCharactersAre(t *testing.T) {
	for _, test := range []struct{ document, anchor, prefix, suffix, want string }{
		{"It’s “ready” – now.", `It's "ready" - now.`, "", "", "It’s “ready” – now."},
		{"Cafe\u0301 in Zu\u0308rich", "Café in Zürich", "", "", "Cafe\u0301 in Zu\u0308rich"},
		{"Café", "Cafe\u0301", "", "", "Café"},
		{"10\u00a0km and\u2009more", "10 km and more", "", "", "10\u00a0km and\u2009more"},
		{"Donau\u00addampf…", "Donaudampf...", "", "", "Donau\u00addampf…"},
		{"A **bold “word”** here", `**bold "word"**`, "", "", "bold “word”"},
		{"It’s one. It’s two. It’s three.", "It's", "one. ", " two", "It’s"},
	} {
		e := newEditing(t, test.document, fakeoutline.Options{})
		arguments := map[string]any{"document_id": e.id, "text": "Really?", "anchor_text": test.anchor, "anchor_prefix": test.prefix, "anchor_suffix": test.suffix}
		answer, err := cli.Call(t.Context(), e.c, "add_comment", arguments)
		if err != nil || answer.Code != "" {
			t.Errorf("%q: %v, %s", test.anchor, err, answer.Text)
			continue
		}
		var marked strings.Builder
		prosemirror.Walk(e.tree(t), func(n *prosemirror.Node) bool {
			if _, on := n.Mark(prosemirror.Comment); on {
				marked.WriteString(n.Text)
			}
			return true
		})
		if marked.String() != test.want {
			t.Errorf("%q: the comment is on %q, want %q", test.anchor, marked.String(), test.want)
		}
	}
	e := newEditing(t, "It’s one. It‘s two.", fakeoutline.Options{})
	answer, err := cli.Call(t.Context(), e.c, "add_comment", map[string]any{"document_id": e.id, "text": "Really?", "anchor_text": "It's"})
	if err != nil || answer.Code != output.Conflict || !strings.Contains(answer.Text, "occurs 2 times") {
		t.Errorf("%v, %s", err, answer.Text)
	}
}

func TestAPassageOfAnotherFormIsEditedAndFound(t *testing.T) {
	e := newEditing(t, "In Zu\u0308rich stands a Cafe\u0301.\n\nDonau\u00addampf", fakeoutline.Options{})
	if _, answer := e.edit(t, nil, "Zürich stands a Café", "Zürich stands a house"); e.text(t) != "In Zu\u0308rich stands a house.\n\nDonau\u00addampf" {
		t.Errorf("%s: %q", answer.Text, e.text(t))
	}
	for _, query := range []string{"Zürich", "Zu\u0308rich", "Donaudampf"} {
		answer, err := cli.Call(t.Context(), e.c, "find_in_documents", map[string]any{"query": query, "document_id": e.id})
		if err != nil || !strings.Contains(answer.Text, "1 match") {
			t.Errorf("%s: %v, %s", query, err, answer.Text)
		}
	}
}

func TestAnIconIsTakenByAnyOfItsNames(t *testing.T) {
	e := newEditing(t, "Old text.", fakeoutline.Options{})
	for given, want := range map[string]string{
		":rocket:": "🚀", "rocket": "rocket", "Book": "book", "fire": "🔥", ":Fire:": "🔥", "🔥": "🔥", "academic cap": "academicCap", "Academic-Cap": "academicCap",
		"bag_shopping": "bag-shopping", "CompactDisc": "compact-disc", " book ": "book", "green book": "📗", ":book:": "📖", "1️⃣": "1️⃣",
	} {
		if answer, err := cli.Call(t.Context(), e.c, "update_document", map[string]any{"document_id": e.id, "icon": given}); err != nil || answer.Code != "" {
			t.Errorf("%s: %v, %s", given, err, answer.Text)
		}
		if document, err := e.calm.Document(t.Context(), e.id); err != nil || document.Icon != want {
			t.Errorf("%s: %v, the icon is %q, want %q", given, err, document.Icon, want)
		}
	}
	for tool, arguments := range map[string]map[string]any{
		"create_document": {"title": "New", "publish": false}, "update_document": {"document_id": e.id},
		"create_collection": {"name": "New"}, "update_collection": {"collection_id": operations},
	} {
		arguments["icon"] = "rokets"
		answer, err := cli.Call(t.Context(), e.c, tool, arguments)
		if err != nil || answer.Code != output.InvalidArguments || !strings.Contains(answer.Text, "The nearest are ") || !strings.Contains(answer.Text, "rocket, ") {
			t.Errorf("%s: %v, %s", tool, err, answer.Text)
		}
		arguments["icon"] = ":rocket:"
		if answer, err := cli.Call(t.Context(), e.c, tool, arguments); err != nil || answer.Code != "" {
			t.Errorf("%s: %v, %s", tool, err, answer.Text)
		}
	}
}

func TestBlocksOfOtherProgramsAreStoredAsThoseOfOutline(t *testing.T) {
	e := newEditing(t, "Old text.", fakeoutline.Options{})
	answer, err := cli.Call(t.Context(), e.c, "update_document", map[string]any{
		"document_id": e.id, "text": "> [!WARNING]\n> Hot.\n\n<details>\n<summary>More</summary>\n\nHidden.\n\n</details>",
	})
	if want := ":::warning\nHot.\n\n:::\n\n+++\nMore\n\nHidden.\n\n+++"; err != nil || !strings.Contains(answer.Text, "line 1, alert as a callout; line 4, details as a toggle") ||
		!prosemirror.SameContent(e.text(t), want) {
		t.Errorf("%v, %s: %q", err, answer.Text, e.text(t))
	}
}

func TestACalloutBesideAParagraphOfAnEditIsNoPlainText(t *testing.T) {
	for _, test := range []struct{ old, new, want, note string }{
		{"more.", "more.\n\n:::tip\nCareful.\n:::", "First.\n\nSecond, more.\n\n:::tip\nCareful.\n:::\n\nThird.", ""},
		{"Second", ":::tip\nCareful.\n:::\n\nSecond", "First.\n\n:::tip\nCareful.\n:::\n\nSecond, more.\n\nThird.", ""},
		{"more.", "more.\n\n:::caution\nCareful.\n:::", "First.\n\nSecond, more.\n\n:::warning\nCareful.\n:::\n\nThird.", "line 3, admonition as a callout"},
		{"more.", "more :::tip", "First.\n\nSecond, more :::tip\n\nThird.", ""},
		{"more.", "more.\n> [!TIP]\n> Careful.", "First.\n\nSecond, more.\n\n> [!TIP]\n> Careful.\n\nThird.", "stored as plain text"},
	} {
		e := newEditing(t, "First.\n\nSecond, more.\n\nThird.", fakeoutline.Options{})
		_, answer := e.edit(t, nil, test.old, test.new)
		told := strings.Contains(answer.Text, "new_text of edits[0]")
		if answer.Code != "" || !prosemirror.Equal(e.tree(t), prosemirror.Parse(test.want)) || told != (test.note != "") || !strings.Contains(answer.Text, test.note) {
			t.Errorf("%q becomes %q\n%s", test.new, e.text(t), answer.Text)
		}
	}
}

func TestARefusalOfWhatOutlineDropsSaysHowToWriteIt(t *testing.T) {
	e := newEditing(t, "Old text.", fakeoutline.Options{})
	for text, says := range map[string]string{
		"| a |\n|---|\n| b<br>[x] c |": "a checkbox at the start or none",
		"```js title=\"a.js\"\nx\n```": "put the words above the code",
		"1. [ ] one":                   "write - in place of the numbers",
		"+++ More\nHidden\n+++":        "put them on the next line",
		"| a |\n|---|\n| 1 | 2 |":      "give the header as many cells",
	} {
		answer, err := cli.Call(t.Context(), e.c, "create_document", map[string]any{"title": "New", "publish": false, "text": text})
		if err != nil || answer.Code != output.InvalidArguments || !strings.Contains(answer.Text, says) {
			t.Errorf("%q: %v, %s", text, err, answer.Text)
		}
	}
}

func TestWhatOutlineDoesNotReadIsToldWithItsLine(t *testing.T) {
	const text = "First.\n\nH<sub>2</sub>O and a[^1]"
	for tool, arguments := range map[string]map[string]any{
		"create_document": {"title": "New", "publish": false, "text": text},
		"update_document": {"text": text, "append": true},
		"edit_document":   {"edits": []any{map[string]any{"old_text": "Old text.", "new_text": text}}},
		"add_comment":     {"text": text},
		"import_document": {"collection_id": operations, "name": "a.md", "text": text},
	} {
		e := newEditing(t, "Old text.", fakeoutline.Options{})
		if tool != "create_document" && tool != "import_document" {
			arguments["document_id"] = e.id
		}
		answer, err := cli.Call(t.Context(), e.c, tool, arguments)
		if err != nil || answer.Code != "" || !strings.Contains(answer.Text, `line 3, HTML: "<sub>"; line 3, footnote: "[^1]"`) {
			t.Errorf("%s: %v, %s", tool, err, answer.Text)
		}
	}
}
