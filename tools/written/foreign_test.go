package written_test

import (
	"strings"
	"testing"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/tools/written"
)

func TestBlocksOfOtherProgramsBecomeThoseOfOutline(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"> [!WARNING]\n> Hot.\n> Very.\n\nText", ":::warning\nHot.\nVery.\n:::\n\nText"},
		{"> [!note]- Read this\n> Now.", ":::info\n**Read this**\n\nNow.\n:::"},
		{"Text\n\n> [!TIP]\n> * one\n>\n> two", "Text\n\n:::tip\n* one\n\ntwo\n:::"},
		{"<details>\n<summary>More</summary>\n\nHidden *text*.\n\n</details>\n\nEnd", "+++\nMore\n\nHidden *text*.\n\n+++\n\nEnd"},
		{"<details><summary>A</summary>B</details>", "+++\nA\n\nB\n\n+++"},
		{"A\n\n<details open><summary>More</summary>Hidden</details>", "A\n\n+++\nMore\n\nHidden\n\n+++"},
	} {
		got, ok := written.Adapt(test.text)
		if got != test.want || !ok {
			t.Errorf("%q became %q, want %q", test.text, got, test.want)
		}
		if holds := prosemirror.Dropped(got); len(holds) > 0 {
			t.Errorf("%q: %v would be dropped", got, holds)
		}
		found := false
		prosemirror.Walk(prosemirror.Parse(got), func(n *prosemirror.Node) bool {
			found = found || n.Type == prosemirror.Notice || n.Type == prosemirror.Toggle
			return true
		})
		if !found {
			t.Errorf("%q has no callout and no toggle", got)
		}
	}
	for _, text := range []string{"```\n> [!NOTE]\n> x\n```", "> [!wiki] x", "The sign [!NOTE] in a line", "> [!NOTE]\n> ```\n> :::\n> ```", "```\n```go\n> [!NOTE]\n> x\n```", strings.Repeat("<details\n", 20_000) + "</details>", "<details> without an end", "~~~~\n<details><summary>x</summary>y</details>\n~~~~"} {
		if got, ok := written.Adapt(text); ok || got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	for _, text := range corpus(t) {
		if got, ok := written.Adapt(text); ok && !strings.Contains(text, "<details>") {
			t.Errorf("%q became %q", text, got)
		}
	}
}
