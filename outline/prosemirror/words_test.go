package prosemirror

import "testing"

func TestWordsAreThoseAReaderCounts(t *testing.T) {
	tests := []struct {
		name, source string
		want         int
	}{
		{"an empty document", "", 0},
		{"a sentence", "It's a well-known e-mail address, isn't it?", 7},
		{"headings and marks", "# One\n\n**two** _three_ `four`\n\n---\n", 4},
		{"lists", "- one\n* two\n  + three\n1. four\n12) five\n- [ ] six\n- [x] seven\n", 7},
		{"quotes", "> one\n> > two\n", 2},
		{"a number that begins a sentence", "2026 was fine. 1.5 is not a list.\n", 8},
		{"tables", "| a | b |\n|---|:-:|\n|one|two|\n", 4},
		{"link targets", "[one two](https://example.com/a/b) ![](/image.png) [three](/x \"not read\")\n", 3},
		{"addresses that are text", "https://example.com/a <https://example.com> <a@example.com>\n", 3},
		{"HTML is text, but for line breaks", "one<br>two <b>three</b> <!-- four -->", 4},
		{"comparisons", "a < b and c > d", 5},
		{"code without its language", "```go\nfunc main() {}\n```\n", 2},
		{"notices and toggles", ":::info\none\n:::\n+++ dropped\ntwo\n+++\n", 2},
		{"hard breaks of Outline", `one\ntwo a\\nb`, 3},
		{"numbers", "42 3.14 2026-01-02 $5", 4},
		{"emoji and punctuation alone", "🚀 — … & * one", 1},
		{"dashes between words", "one—two", 2},
		{"other alphabets", "Привет мир שלום עולם", 4},
		{"Chinese and Japanese", "你好世界 カタカナ API 文档", 4 + 4 + 1 + 2},
		{"Korean", "안녕 세계", 2},
		{"carriage returns", "one\r\ntwo\r\n", 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Words(test.source); got != test.want {
				t.Errorf("Words(%q) = %d, want %d", test.source, got, test.want)
			}
		})
	}
}
