package workspace

import (
	"slices"
	"strings"
	"testing"
)

func TestTextWithoutMarkdown(t *testing.T) {
	tests := []struct{ name, markdown, want string }{
		{"headings, emphasis and code spans", "# A *head*\n\nSome **bold** and `co*de*`.", "A head\nSome bold and co*de*."},
		{"lists", "* one\n* two\n  * three\n\n1. four", "one\ntwo\nthree\nfour"},
		{"task lists", "- [ ] open\n- [x] done", "open\ndone"},
		{"tables", "| a | b |\n|---|---|\n| 1 | 2 |", "a\nb\n1\n2"},
		{"code blocks", "```sh\n# comment\nls *.go\n```\n\nafter", "# comment\nls *.go\nafter"},
		{"links and images", "[text](https://example.com) ![alt](/a.png) <https://go.dev>", "text alt https://go.dev"},
		{"quotes", "> said\n> so", "said so"},
		{"notices", ":::info\nMind this\n\n:::\n\nend", "Mind this\nend"},
		{"hard breaks", "one\\ntwo\nthree", "one\ntwo three"},
		{"escapes and entities", "\\*star\\* &amp; \\\\n", "*star* & \\n"},
		{"no HTML", "a <b>c</b>\n\n<div>\nx\n</div>", "a c"},
		{"nothing", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := parseText(test.markdown).plain; got != test.want {
				t.Errorf("text is %q, want %q", got, test.want)
			}
		})
	}
}

func TestTasksAndLinksAreCollected(t *testing.T) {
	p := parseText("- [ ] a\n- [x] b\n- [X] c\n\n```\n- [ ] no\n```\n\n[x](/doc/a-title-abcdefghij) [y](https://example.com/doc/other-0123456789#h) [z](/collection/c-0123456789) [w](/doc/short)")
	if p.tasks != (tasks{Completed: 2, Total: 3}) {
		t.Errorf("tasks are %+v", p.tasks)
	}
	if !slices.Equal(p.links, []string{"abcdefghij", "0123456789"}) {
		t.Errorf("links are %q", p.links)
	}
}

func TestBacklinks(t *testing.T) {
	w := newTestWorkspace(t,
		Document{Title: "Target"},
		Document{Title: "Source", Text: "see [it](/doc/target-document00)"},
		Document{Title: "Neither", Text: "/doc/target-document00"},
	)
	expectTitles(t, call(t, w, keyOf("member"), "documents.list", `{"backlinkDocumentId":"`+documentID(0)+`"}`), "Source")
	expectTitles(t, call(t, w, keyOf("member"), "documents.list", `{"backlinkDocumentId":"`+documentID(77)+`"}`))
}

func TestHardBreaksInBothForms(t *testing.T) {
	tests := []struct{ name, commonMark, outline string }{
		{"two spaces", "one  \ntwo", `one\ntwo`},
		{"several", "one  \ntwo  \nthree\n\nfour", "one\\ntwo\\nthree\n\nfour"},
		{"not in fenced code", "```\na  \nb\n```", "```\na  \nb\n```"},
		{"not in code with a backslash and n", "```\nprintf(\"\\n\")\n```\n\nand `\\n`", "```\nprintf(\"\\n\")\n```\n\nand `\\n`"},
		{"not in indented code", "    a  \n    b\\n", "    a  \n    b\\n"},
		{"an escaped backslash is none", `path\\name`, `path\\name`},
		{"behind an open tilde fence", "~~~ text\n```\na  \nb\n~~~\nc  \nd", "~~~ text\n```\na  \nb\n~~~\nc\\nd"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := outlineText(test.commonMark); got != test.outline {
				t.Errorf("Outline's form is %q, want %q", got, test.outline)
			}
			if got := commonMark(test.outline); got != test.commonMark {
				t.Errorf("CommonMark is %q, want %q", got, test.commonMark)
			}
		})
	}
	if got := outlineText("a\\\nb\\\\\nc\n\n"); got != "a\\nb\\\\\nc" {
		t.Errorf("a backslash at the end of a line becomes %q", got)
	}
}

func TestExport(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: `Q"uote é`, Text: `a\nb`})
	if got := data[string](t, call(t, w, keyOf("member"), "documents.export", `{"id":"document00"}`)); got != "# Q\"uote é\n\na  \nb" {
		t.Errorf("export is %q", got)
	}
	req := newCall(t, keyOf("member"), "documents.export", `{"id":"document00"}`)
	req.Header.Set("Accept", "text/markdown")
	res, err := w.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Header.Get("Content-Disposition"); got != `attachment; filename="quote-e.md"` {
		t.Errorf("the file is %s", got)
	}
	expectError(t, call(t, w, keyOf("member"), "documents.export", `{"id":"document00","includeChildDocuments":"yes"}`), 400,
		"includeChildDocuments: Invalid input: expected boolean, received string")
}

func TestInstallationInfo(t *testing.T) {
	got := data[map[string]any](t, call(t, newTestWorkspace(t), keyOf("viewer"), "installation.info", `{}`))
	if !strings.HasPrefix(got["version"].(string), "1.") || got["versionsBehind"] != 0.0 {
		t.Errorf("installation is %v", got)
	}
}
