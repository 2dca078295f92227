package text

import (
	"slices"
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
			if got := Parse(test.markdown).Plain; got != test.want {
				t.Errorf("text is %q, want %q", got, test.want)
			}
		})
	}
}

func TestTasksAndLinksAreCollected(t *testing.T) {
	p := Parse("- [ ] a\n- [x] b\n- [X] c\n\n```\n- [ ] no\n```\n\n[x](/doc/a-title-abcdefghij) [y](https://example.com/doc/other-0123456789#h) [z](/collection/c-0123456789) [w](/doc/short)")
	if p.Tasks != (Tasks{Completed: 2, Total: 3}) {
		t.Errorf("tasks are %+v", p.Tasks)
	}
	if !slices.Equal(p.Links, []string{"abcdefghij", "0123456789"}) {
		t.Errorf("links are %q", p.Links)
	}
}

func FuzzText(f *testing.F) {
	for _, text := range []string{"", "# a\n\nb", "a\\nb", "```\n\\n", ":::info\nx\n:::", "[a](/doc/b-0123456789)", "\\", "a\\", "`\\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := Parse(text)
		if p.Tasks.Completed > p.Tasks.Total {
			t.Errorf("tasks are %+v", p.Tasks)
		}
		ToCommonMark(text)
		FromCommonMark(text)
	})
}
