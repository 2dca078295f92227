package written_test

import (
	"testing"

	"outline-mcp/tools/written"
)

func TestLineBreaksWrittenAsTwoCharactersBecomeReal(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`# Plan\n\nWe begin.\n\n- one\n- two`, "# Plan\n\nWe begin.\n\n- one\n- two"},
		{`First paragraph.\n\nSecond paragraph.`, "First paragraph.\n\nSecond paragraph."},
		{`first\n\nsecond`, "first\n\nsecond"},
		{`Steps:\n1. Stop\n2. Look`, "Steps:\n1. Stop\n2. Look"},
		{`- a\n\t- b\n\t- c`, "- a\n\t- b\n\t- c"},
		{`| a | b |\n|---|---|\n| 1 | 2 |`, "| a | b |\n|---|---|\n| 1 | 2 |"},
		{`Title\r\n\r\nText`, "Title\n\nText"},
		{`# Title\r\nText`, "# Title\nText"},
		{"Use:\\n\\n```go\\nfmt.Println(\\\"a\\\\n\\\")\\n```\\nDone", "Use:\n\n```go\nfmt.Println(\\\"a\\n\\\")\n```\nDone"},
		{"# A\\n\\nThe sign `\\n` ends a line.", "# A\n\nThe sign `\\n` ends a line."},
		{`# A\n\nIn C:\new\temp there is $\nabla f$.`, "# A\n\nIn C:\\new\\temp there is $\\nabla f$."},
		{`见下文。\n\n第二段。`, "见下文。\n\n第二段。"},
		{`# A\n\nB\n` + "\n", "# A\n\nB\n"},
		{`> quote\n\n*emphasis*`, "> quote\n\n*emphasis*"},
		{`\n\n# A\n\nText`, "\n\n# A\n\nText"},
	} {
		if got, ok := written.Unescape(test.text, "Another text"); got != test.want || !ok {
			t.Errorf("%s: %q, %v", test.text, got, ok)
		}
	}
}

func TestBackslashesThatAreMeantStay(t *testing.T) {
	for _, text := range []string{
		`Use \n to break a line`, "`a\\n\\nb`", "Split at `\\n\\n` and at `\\n- `", `C:\new\temp`, `The file is C:\notes\name.txt`, `$\nabla \nu \theta$`,
		`fmt.Printf("Name: %s\nAge: %d\n")`, `the characters \n, \t and \r`, "# A\n\nSplit at \\n\\nParagraph", `print("a\n\nb")`, `re: [^\n]+`, `a\tb`, `One line.\nAnother line.`,
		`Split on \n\n to get paragraphs`, `Use \n- as separator`, `echo -e 'a\nB'`, `\n`, `\n\n`, `regex \n\n+`,
		"```\nfoo\\n\\n# bar\n```", `sed 's/a/\n/'`, `\newcommand{a}`, `tr '\n' ' '`, `{"text":"one\ntwo"}`,
	} {
		if got, ok := written.Unescape(text, ""); got != text || ok {
			t.Errorf("%s became %q", text, got)
		}
	}
	const stored = `Steps:\n1. Stop\n2. Look`
	if got, ok := written.Unescape(stored+" closely", "# A\n\n"+stored); ok {
		t.Errorf("a paragraph with breaks became %q", got)
	}
}

func TestACodeFenceAroundAWholeTextIsLeftOut(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"```markdown\n# Plan\n\nWe begin.\n```", "# Plan\n\nWe begin.\n"},
		{"\n````md\n- one\n\n```go\nx\n```\n````\n\n", "- one\n\n```go\nx\n```\n"},
		{"```markdown\n# Plan\n\n```sh\nls\n```\n\nEnd\n```", "# Plan\n\n```sh\nls\n```\n\nEnd\n"},
		{"~~~ markdown\r\n## A\r\n~~~", "## A\r\n"},
	} {
		if got, ok := written.Unfence(test.text, "Another text"); got != test.want || !ok {
			t.Errorf("%q: %q, %v", test.text, got, ok)
		}
		if got, ok := written.Unfence(test.text, "Before\n\n"+test.text); ok {
			t.Errorf("%q, which the document has, became %q", test.text, got)
		}
	}
	for _, text := range []string{
		"```markdown\n# A\n```\n\nand\n\n```markdown\n# B\n```", "```markdown\n# A\n```\n\n# B\n\n```", "```go\n# A\n```", "```markdown\nwords\n```",
		"Look:\n\n```markdown\n# A\n```", "```mdx\n# A\n```", "```markdown\n# A\n~~~", "```markdown\n```",
	} {
		if got, ok := written.Unfence(text, ""); got != text || ok {
			t.Errorf("%q became %q", text, got)
		}
	}
}
