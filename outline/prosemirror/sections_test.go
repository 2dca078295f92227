package prosemirror

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSectionsReachToTheNextHeadingOfTheirLevel(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"text before the first heading is in none", "a\n\n# b\n", "b 3-3\n"},
		{"subsections are inside", "# a\n\n## b\n\nx\n\n### c\n\n## d\n\n# e\n", "a 1-9\nb 3-7\nc 7-7\nd 9-9\ne 11-11\n"},
		{"levels may be skipped", "### a\n# b\n#### c\n## d\n", "a 1-1\nb 2-4\nc 3-3\nd 4-4\n"},
		{"blank lines at the end are left out", "# a\n\nx\n\n \n\t\n# b\n\n\n", "a 1-3\nb 7-7\n"},
		{"runs of blank lines count in full", "# a\n\n\n\n\n\nx\n\n\n\n## b\n\n\ny\n\n\n", "a 1-14\nb 11-14\n"},
		{"an underline belongs to its heading", "a\nb\n===\nc\n---\n", "a b 1-5\nc 4-5\n"},
		{"headings inside code end nothing", "# a\n```\n# b\n```\nx\n", "a 1-5\n"},
		{"the section of a quoted heading ends with the quote", "## a\nx\n\n> # b\n> y\n\nz\n\n## c\n", "a 1-7\nb 4-5\nc 9-9\n"},
		{"quoted headings end each other", "> # a\n> x\n> # b\n> ## c\n> y\n\nz\n", "a 1-2\nb 3-5\nc 4-5\n"},
		{"the section of a heading in an item ends with the item", "# a\n- ## b\n\n  x\n\n- ## c\n\ny\n", "a 1-8\nb 2-4\nc 6-6\n"},
		{"so it does in items of items", "1. ## a\n   - # b\n     x\n   - y\n2. z\n\nw\n", "a 1-4\nb 2-3\n"},
		{"an item that ends the document ends with it", "# a\n- # b\n  x", "a 1-3\nb 2-3\n"},
		{"lazy lines belong to the quote", "> # a\n> x\ny\n\nz\n", "a 1-3\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, source := range []string{test.source, strings.ReplaceAll(test.source, "\n", "\r\n")} {
				var got strings.Builder
				for _, s := range Sections(source) {
					fmt.Fprintf(&got, "%s %d-%d\n", s.Heading, s.FirstLine, s.LastLine)
				}
				if diff := cmp.Diff(test.want, got.String()); diff != "" {
					t.Errorf("Sections(%q) (-want +got):\n%s", source, diff)
				}
			}
		})
	}
}

func TestASectionTellsWhatOfItIsOutsideOfACallout(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"a section beside one", "# a\n:::info\nx\n:::\ny\n", "a 1-5, 0\n"},
		{"a section that fills one", ":::info\n# a\nx\n:::\n", "a 2-4, 1\n"},
		{"a section that fills two", "++++\n:::info\n# a\nx\n:::\n\n++++\n", "a 3-7, 3\n"},
		{"one that goes on behind it", "+++\n# a\nx\n+++\ny\n\n# b\n", "a 2-5, 2, torn\nb 7-7, 0\n"},
		{"one that ends where it begins", "# a\nx\n\n+++\n# b\ny\n+++\n", "a 1-4, 2\nb 5-7, 1\n"},
		{"one that ends within it", "# a\n+++\nx\n# b\n+++\n", "a 1-3, 2, torn\nb 4-5, 1\n"},
		{"from one to the next", "+++\n# a\n+++\n\n+++\n# b\n+++\n", "a 2-5, 3\nb 6-7, 1\n"},
		{"a subsection within it", "# a\n:::info\n## b\n:::\nx\n", "a 1-5, 0\nb 3-5, 2, torn\n"},
		{"a quote within it", ":::info\n> # a\n> x\n:::\ny\n", "a 2-3, 0\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got strings.Builder
			for _, s := range Sections(test.source) {
				fmt.Fprintf(&got, "%s %d-%d, %d", s.Heading, s.FirstLine, s.LastLine, s.Outside)
				if s.Torn {
					got.WriteString(", torn")
				}
				got.WriteByte('\n')
			}
			if diff := cmp.Diff(test.want, got.String()); diff != "" {
				t.Errorf("Sections(%q) (-want +got):\n%s", test.source, diff)
			}
		})
	}
}

func TestNestingIsReadAsDeepAsAnyDocumentGoes(t *testing.T) {
	const quotes, lists = maxNesting - 1, (maxNesting - 1) / 2
	quoted := strings.Repeat("> ", quotes) + "# a\n"
	if got := headings(quoted); got != "1: # a\n" {
		t.Errorf("a heading in %d quotes gives %q", quotes, got)
	}
	if got := headings("> " + quoted); got != "" {
		t.Errorf("a heading in one quote more gives %q", got)
	}
	listed := strings.Repeat("- ", lists) + "# a\n"
	if got := headings(listed); got != "1: # a\n" {
		t.Errorf("a heading in %d lists gives %q", lists, got)
	}
	if got := headings("- " + listed); got != "" {
		t.Errorf("a heading in one list more gives %q", got)
	}

	// Outline drops what follows as well.
	if got := headings("- " + listed + "\n# b\n"); got != "" {
		t.Errorf("after a list that is too deep, got %q", got)
	}
}

// headings writes headings as "line: ## text", one a line.
func headings(source string) string {
	var b strings.Builder
	for _, s := range Sections(source) {
		fmt.Fprintf(&b, "%d: %s %s\n", s.FirstLine, strings.Repeat("#", s.Level), s.Heading)
	}
	return b.String()
}

func TestHeadingsAreThoseThatOutlineStores(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"an empty document has none", "", ""},
		{"blank lines hold none", "\n \n\t\n", ""},
		{"one to six marks set the level", "# a\n## b\n### c\n#### d\n##### e\n###### f", "1: # a\n2: ## b\n3: ### c\n4: #### d\n5: ##### e\n6: ###### f\n"},
		{"seven marks are text", "####### a\n", ""},
		{"a hashtag is text", "#hashtag\n\n#5 bolt\n", ""},
		{"an escaped mark is text", "\\# a\n", ""},
		{"closing marks are dropped", "## a ##\n### b ##########   \n# c#\n# d \\#\n", "1: ## a\n2: ### b\n3: # c#\n4: # d #\n"},
		{"a heading may be empty", "#\n\n## \n### ###\n", "1: # \n3: ## \n4: ### \n"},
		{"empty headings follow each other", "#\n#\n#", "1: # \n2: # \n3: # \n"},
		{"up to three spaces may stand before", " # a\n  # b\n   # c\n", "1: # a\n2: # b\n3: # c\n"},
		{"a tab stands for a space", "#\ta\t#\t\n", "1: # a\n"},
		{"a heading interrupts a paragraph", "text\n# a\ntext", "2: # a\n"},
		{"the last line needs no end", "text\n\n# a", "3: # a\n"},
		{"blank lines before count", "\n\n\n\n# a\n\n\n\n\n## b", "5: # a\n10: ## b\n"},

		{"an underline of equals signs is level one", "a\n===\n", "1: # a\n"},
		{"an underline of dashes is level two", "a\n---\n\nb\n-\n", "1: ## a\n4: ## b\n"},
		{"a whole paragraph is underlined", "x\n\na *b\nc* d\n====\n", "3: # a b c d\n"},
		{"dashes under nothing are a rule", "---\n\n---\na\n", ""},
		{"dashes under a heading are a rule", "# a\n---\n", "1: # a\n"},
		{"front matter is a rule and an underlined paragraph", "---\ntitle: x\n---\n# a\n", "2: ## title: x\n4: # a\n"},
		{"an underline broken by spaces is a rule", "a\n- - -\n", ""},
		{"an underline after definitions has no paragraph", "[a]: /b\n===\n", ""},
		{"definitions above are not in the heading", "[a]: /b\n[c]: /d\nx\n===\n", "3: # x\n"},
		{"a line below a list item is not underlined with it", "- a\n---\n", ""},

		{"backtick fences hold none", "```\n# a\n```\n# b\n", "4: # b\n"},
		{"tilde fences hold none", "~~~ sh\n# a\n```\n# b\n~~~\n# c\n", "6: # c\n"},
		{"a longer fence is closed by one as long", "`````\n```\n# a\n````\n# b\n``````\n# c\n", "7: # c\n"},
		{"an open fence goes on to the end", "# a\n```\n# b\n\n# c\n", "1: # a\n"},
		{"an open fence in a quote ends with the quote", "> ```\n> # a\n\n# b\n", "4: # b\n"},
		{"a fence with a backtick in its language is text", "``` a`b\n# c\n", "2: # c\n"},
		{"code within a line is no fence", "``` a ``` b\n# c\n", "2: # c\n"},
		{"four spaces make code", "text\n\n    # a\n\n# b", "5: # b\n"},
		{"a tab makes code", "\t# a\n", ""},
		{"a tab in a list item makes code", "-\t\t# a\n", ""},
		{"four spaces after a paragraph go on with it", "text\n    # a\n", ""},

		{"HTML blocks are text", "<div>\n# a\n</div>\n\n# b\n", "2: # a\n5: # b\n"},
		{"HTML comments are text", "<!--\n# a\n\n# b\n-->\n# c\n", "2: # a\n4: # b\n6: # c\n"},
		{"HTML headings are no headings", "<h1>a</h1>\n", ""},
		{"scripts are text", "<script>\n\n# a\n\n</script>\n# b", "3: # a\n6: # b\n"},

		{"a quote may hold headings", "> # a\n>\n> b\n> -\n\n>> ## c\n", "1: # a\n3: ## b\n6: ## c\n"},
		{"a list item may hold headings", "- # a\n- b\n\n  ## c\n1. d\n   ===\n", "1: # a\n4: ## c\n5: # d\n"},
		{"a heading need not be indented to end a list", "- a\n# b\n", "2: # b\n"},
		{"an item may begin with a blank line", "-\n  # a\n", "2: # a\n"},
		{"items may begin with a blank line and go on with code", "-\n  a\n-\n  ```\n  # b\n  ```\n-\n      # c\n", ""},
		{"tabs may indent quotes and items", ">\t# a\n\n-\t# b\n\n\t# c\n", "1: # a\n3: # b\n5: # c\n"},
		{"an empty heading after a tab keeps its line", ">\t#\n\n-\t#\n\n#\n", "1: # \n3: # \n5: # \n"},
		{"a task may hold a heading", "- [ ] # a\n- [x] b\n", ""},

		{"a table of one column is no heading", "| a |\n|---|\n", ""},
		{"a rule below a table is no underline", "| a |\n|---|\n---\n# b\n", "4: # b\n"},
		{"a rule below rows is no underline", "a | b\n- | :-:\n1 | 2\n---\n", ""},
		{"a table may follow a line of text", "text\na | b\n--|--\n1 | 2\n---\n", ""},
		{"escaped bars part no cells", "a \\| b\n:-\n---\n", ""},
		{"a bar escaped at the end ends no cell", "a | b \\|\n- | -\n---\n", ""},
		{"a header of another length makes no table", "a | b | c\n--|--\n---\n", "1: ## a | b | c --|--\n"},
		{"a row of dashes alone is an underline", "a\n--\n", "1: ## a\n"},
		{"a heading ends a table", "| a |\n|---|\n| b |\n# c\n", "4: # c\n"},
		{"cells hold none", "| # a |\n|-----|\n| # b |\n", ""},

		{"a notice may hold headings", ":::info\n## a\n\n:::\n\n# b\n", "2: ## a\n6: # b\n"},
		{"the line that opens a notice is not underlined", ":::warning\n---\n", ""},
		{"the line that closes a notice is not underlined", ":::tip\na\n:::\n---\n\n# b\n", "6: # b\n"},
		{"text below the line of a notice is", ":::info\na\n===\n:::\n", "2: # a\n"},
		{"a toggle may hold headings", "+++ More\n\n## a\n\n+++\n---\n", "3: ## a\n"},
		{"a colon after tabs in a quote is text", "a\n> \t:\n\n-\n  \t+\n", ""},
		{"a notice may be named by a sentence", "::: a, b\n===\n", ""},
		{"an empty paragraph in a heading leaves none", "a\n\\\n===\n", ""},
		{"a carriage return alone ends no line", "a\rb\n\n# c\rd\n", "3: # c d\n"},

		{"a hard break of Outline ends no line", "a\\nb\n\n# c\\nd\n", "3: # c d\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, headings(test.source)); diff != "" {
				t.Errorf("Sections(%q) (-want +got):\n%s", test.source, diff)
			}
			source := strings.ReplaceAll(test.source, "\n", "\r\n")
			if diff := cmp.Diff(test.want, headings(source)); diff != "" {
				t.Errorf("Sections(%q) (-want +got):\n%s", source, diff)
			}
		})
	}
}

func TestHeadingTextIsWhatAReaderSees(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"emphasis", "*a* **b** ***c*** _d_ __e__", "a b c d e"},
		{"emphasis inside words", "un*frigging*believable snake_case_name", "unfriggingbelievable snake_case_name"},
		{"struck text", "~~old~~ new", "old new"},
		{"text struck with one sign or three", "~old~ a ~ b ~~~c~~~", "~old~ a ~ b ~c~"},
		{"highlighted text", "==bright== a == b ===c===", "bright a == b =c="},
		{"code", "`go test ./...` and ``a`b``", "go test ./... and a`b"},
		{"marks inside code", "`*a* &amp; \\* <b>`", `*a* &amp; \* <b>`},
		{"a link", "[the *guide*](https://example.com/a_(b) \"title\") x", "the guide x"},
		{"a reference link", "[the guide][ref] and [ref] and [other]", "the guide and ref and [other]"},
		{"a mention", "@[Ada Admin](mention://1/user/2)", "@Ada Admin"},
		{"an image", "![a cat](/api/attachments.redirect?id=1) b", "a cat b"},
		{"an automatic link", "<https://example.com/?a=b&c> <a@example.com>", "https://example.com/?a=b&c a@example.com"},
		{"HTML tags", "a<br>b <b>c</b> H<sub>2</sub>O", "a b <b>c</b> H<sub>2</sub>O"},
		{"placeholders and mathematics", "!!name!! $x_1$", "name x_1"},
		{"escapes", `1\. \*a\* \[b\] C:\\dir \q`, `1. *a* [b] C:\dir \q`},
		{"entities", "R&amp;D &copy; &#35; &#x1F680; &nope; AT&T; a & b", "R&D © # 🚀 &nope; AT&T; a & b"},
		{"an escaped entity", `\&amp;`, "&amp;"},
		{"an entity is not expanded twice", "&amp;amp; &amp;#35;", "&amp; &#35;"},
		{"white space", "a \t  b\u00a0 c", "a b c"},
		{"emoji", "🚀 Launch 👩‍👩‍👧 ⚙️ :custom:", "🚀 Launch 👩‍👩‍👧 ⚙️ :custom:"},
		{"emoji by name", ":tea: time", ":tea: time"},
		{"right to left", "שלום **עולם** مرحبا", "שלום עולם مرحبا"},
		{"numbers", "1. First - second", "1. First - second"},
		{"what would open a block", "- > 1. a", "- > 1. a"},
		{"a quote mark", "> a", "> a"},
		{"unmatched marks", "2 * 3 ** 4 [a `b", "2 * 3 ** 4 [a `b"},
	}
	notInSlugs := strings.NewReplacer("a cat", "", ":tea:", "") // Outline skips images and emoji
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Sections("# " + test.source + "\n\n[ref]: /somewhere\n")
			want := []Section{{Level: 1, Heading: test.want, FirstLine: 1, LastLine: 3, Slugged: notInSlugs.Replace(test.want)}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Sections(%q) (-want +got):\n%s", test.source, diff)
			}
		})
	}
}
