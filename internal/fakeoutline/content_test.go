package fakeoutline

import (
	"slices"
	"testing"

	"outline-mcp/outline/prosemirror"
)

func TestTextWithoutMarkdown(t *testing.T) {
	tests := []struct{ name, markdown, want string }{
		{"headings, emphasis and code spans", "# A *head*\n\nSome **bold** and `co*de*`.", "A head\nSome bold and co*de*."},
		{"lists", "* one\n* two\n  * three\n\n1. four", "one\ntwo\nthree\nfour"},
		{"task lists", "- [ ] open\n- [x] done", "open\ndone"},
		{"tables", "| a | b |\n|---|---|\n| 1 | 2 |", "a\nb\n1\n2"},
		{"code blocks", "```sh\n# comment\nls *.go\n```\n\nafter", "# comment\nls *.go\nafter"},
		{"links and images", "[text](https://example.com) ![alt](/a.png) <https://go.dev>", "text alt https://go.dev"},
		{"emoji, mentions and mathematics", "a :tada: @[Ann](mention://user/22222222-2222-4222-8222-222222222222) $x$", "a :tada: @Ann x"},
		{"files", "a\n\n[f.pdf 12](/api/attachments.redirect?id=aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa)", "a\nf.pdf"},
		{"rules", "a\n\n---\n\nb", "a\nb"},
		{"quotes", "> said\n> so", "said so"},
		{"notices", ":::info\nMind this\n\n:::\n\nend", "Mind this\nend"},
		{"hard breaks", "one\\ntwo\nthree", "one\ntwo three"},
		{"escapes and entities", "\\*star\\* &amp; \\\\n", "*star* & \\n"},
		{"HTML", "a <b>c</b>", "a <b>c</b>"},
		{"empty paragraphs", "a\n\n\\\n\nb", "a\n\nb"},
		{"nothing", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := readContent(prosemirror.Parse(test.markdown)).Plain; got != test.want {
				t.Errorf("text is %q, want %q", got, test.want)
			}
		})
	}
}

func TestTasksAndLinksAreCollected(t *testing.T) {
	p := readContent(prosemirror.Parse("- [ ] a\n- [x] b\n- [X] c\n\n```\n- [ ] no\n```\n\n[x](/doc/a-title-abcdefghij) [y](https://example.com/doc/other-0123456789#h) [z](/collection/c-0123456789) [w](/doc/short) @[v](mention://00000000-0000-4000-8000-000000000001/document/00000000-0000-4000-8000-000000000002)"))
	if p.Tasks != (taskCounts{Completed: 2, Total: 3}) {
		t.Errorf("tasks are %+v", p.Tasks)
	}
	if !slices.Equal(p.Links, []string{"abcdefghij", "0123456789", "00000000-0000-4000-8000-000000000002"}) {
		t.Errorf("links are %q", p.Links)
	}
}
