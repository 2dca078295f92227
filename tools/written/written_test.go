package written_test

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
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

// table returns a page with a table of n rows.
func table(n int) string {
	var b strings.Builder
	b.WriteString("Intro\n\n| Name | Place |\n| --- | --- |\n")
	for i := range n {
		fmt.Fprintf(&b, "| lamp %d | shelf %d |\n", i+1, i+1)
	}
	return b.String() + "\nThe end\n"
}

func TestALineInPlaceOfOthersIsFound(t *testing.T) {
	old := table(100)
	before, rest, _ := strings.Cut(old, "| lamp 10 |")
	_, after, _ := strings.Cut(rest, "| lamp 91 |")
	after = "| lamp 91 |" + after
	for _, line := range []string{
		"… (rows 10 to 90 unchanged) …", "...", "…", "[...]", "[…]", "(...)", ". . .", "| ... | ... |", "| … | |", "| … (rows 10 to 90 unchanged) … | |",
		"<!-- unchanged -->", "<!-- ... rows ... -->", "<!-- rest of the table -->", "// ... existing code ...", "// existing code", "# ... existing code ...",
		"rest unchanged", "Rest unchanged.", "(rest unchanged)", "*(remaining rows unchanged)*", "[rows 10–90 omitted for brevity]", "- ...", "> …",
		"_[Previous content]_", "/* unchanged */", "{/* existing content */}", "The remaining rows stay the same", "[rest of the document unchanged]", "**[... same as before ...]**",
		"(Rest unverändert)", "… übrige Zeilen unverändert …", "(reste inchangé)", "[...] le reste est inchangé", "(sin cambios)", "… resto sin cambios …", "(sem alterações)",
		"[resto invariato]", "(rest ongewijzigd)", "… bez zmian …", "(без изменений)", "… остальное без изменений …", "（以下省略）", "……（其余不变）……", "(변경 없음)", "(oförändrat)",
		"# existing code", "--- unchanged ---", "[snip]", `\[...\]`, "~~~ rows 10 to 90 unchanged ~~~",
	} {
		text := before + line + "\n" + after
		e, found := written.FindElision(old, text, old)
		if !found || e.Text != line || e.Line != strings.Count(before, "\n")+1 || e.Lost < 80 {
			t.Errorf("%s: %+v, %v", line, e, found)
		}
		if e, found := written.FindElision("", text, ""); found {
			t.Errorf("%s in new text: %+v", line, e)
		}
		if e, found := written.FindElision(old, text, text); found {
			t.Errorf("%s of the stored document: %+v", line, e)
		}
		if e, found := written.FindElision(old, strings.Replace(old, "The end", line, 1)+"The end\n", old); found && !strings.Contains(e.Text, line) {
			t.Errorf("%s beside all rows: %+v", line, e)
		}
	}
}

func TestALineBesideWhatItStandsForIsFoundWhereMoreHasChanged(t *testing.T) {
	const code = "```go\nfunc a() {\n\tx := 1\n\ty := 2\n\treturn x\n}\n```\n"
	for _, text := range []string{
		"```go\nfunc a() {\n\t// existing code\n\treturn y\n}\n```\n",
		"```python\n# rest of the code\n```",
		"```sql\n-- unchanged\n```",
		"New intro\n\n... [rest of document unchanged]",
		"New intro. [The rest of the document remains unchanged]",
		"# New\n\nThe first part is new.\n\n(rest of the page as before)",
		"...\n\nNew end",
	} {
		if _, found := written.FindElision(code, text, code); !found {
			t.Errorf("%q", text)
		}
	}
}

func TestALineThatSaysSomethingStandsForNothing(t *testing.T) {
	old := table(30)
	for _, line := range []string{
		"The API stays unchanged.", "## Remaining items", "# Other sections", "- [Existing content](https://example.com/x)", "See the previous section…", "And then... silence",
		"- [ ] no changes in the plan", "Wait…", "Unchanged prices attract customers, and the rest of the market follows a little later.", "| Rest | unchanged since the last time that we met |",
		"The configuration (see above) stays as it is", "The text is the same as above in most respects, but shorter", "Price: 3...5 €", "`...args` collects the rest of the arguments",
		"1. Snip the wire", "The word [sic] was left out of the quotation", "---", "***", "* * *", "No changes are planned for this year", "Existing code",
	} {
		if e, found := written.FindElision(old, "Intro\n\n"+line+"\n", old); found {
			t.Errorf("%s: %+v", line, e)
		}
	}
	quoted := "A new page.\n\nHe said:\n\n> First\n>\n> [...]\n>\n> Last\n\nAnd more.\n\nOf the same length."
	if e, found := written.FindElision("One\n\nTwo\n\nThree\n\nFour", quoted, ""); found {
		t.Errorf("a quotation in a new text: %+v", e)
	}
}

// document is a place for the whole text of a document, beside one page called Page.
var document = written.Place{Parse: prosemirror.Parse, Page: func(title, label string) (string, error) {
	if title != "Page" {
		return "", nil
	}
	return "[" + label + "](/doc/page)", nil
}}

// TestFormsOfOtherProgramsAreAdapted: what a text becomes, and the forms that stay as they
// are and are told, if any. What Outline makes of each was looked up in a real one.
func TestFormsOfOtherProgramsAreAdapted(t *testing.T) {
	for _, test := range []struct{ text, want, told string }{
		{"Run kill $$ and then echo $$ again", "Run kill $$ and then echo $$ again", ""},
		{"> [!tip] **Heads up** do this", ":::tip\n**Heads up** do this\n\n:::", ""},
		{"---\nNote: read this\n---\ntext", "", "front matter"},
		{"> [!WARNING]\n> Hot.\n> Very.\n\nText", ":::warning\nHot.\nVery.\n:::\n\nText", ""},
		{"> [!note]- Read this\n> Now.", ":::info\n**Read this**\n\nNow.\n:::", ""},
		{"- a\n\n  > [!NOTE]\n  > x", "", "alert"},
		{"> [!wiki] x", "", "alert"},
		{"> [!NOTE]\n> x\nmore", "", "alert"},
		{"<details>\n<summary>More</summary>\n\nHidden *text*.\n\n</details>\n\nEnd", "+++\nMore\n\nHidden *text*.\n\n+++\n\nEnd", ""},
		{"<details><summary>A</summary>B</details>", "+++\nA\n\nB\n\n+++", ""},
		{"<details>\n<summary>A</summary>\n\nB\n\n<details><summary>C</summary>D</details>\n\n</details>", "++++\nA\n\nB\n\n+++\nC\n\nD\n\n+++\n\n++++", ""},
		{"<details> without an end", "", "details"},
		{"a[^1]\n\n[^1]: One\n[^2]: https://x.y", "a[^1]\n\n\\[^1]: One\n\n\\[^2]: https://x.y", "footnote"},
		{"---\ntitle: Hello\ntags: [a, b]\n---\n\n# Head", "```yaml\ntitle: Hello\ntags: [a, b]\n```\n\n# Head", ""},
		{"+++\ntitle = \"x\"\n+++\n\nText", "```toml\ntitle = \"x\"\n```\n\nText", ""},
		{"---\n\ntitle: x\n\n---", "---\n\ntitle: x\n\n---", ""},
		{`Where \(x\) is \( \frac{a}{b} \).`, `Where $x$ is $\frac{a}{b}$.`, ""},
		{`Brackets \(of text\), \\(x\\) and \(a`, `Brackets \(of text\), \\(x\\) and \(a`, ""},
		{`person\(s\), \(c\) 2024, \(1\) x^2, foo\(C:\Users\me\)`, `person\(s\), \(c\) 2024, \(1\) x^2, foo\(C:\Users\me\)`, ""},
		{`see \(path\to\file\), a_\(\alpha\) and \(\text{a} \(x\) \)`, `see \(path\to\file\), a_\(\alpha\) and \(\text{a} \(x\) \)`, ""},
		{"See [[Page|this]].", "See [this](/doc/page).", ""},
		{"See [[Nothing]] and [[Page#Head]].", "", "wiki link"},
		{"[[1]](https://x.y)", "[[1]](https://x.y)", ""},
		{"![[image.png]]", "", "embed"},
		{"text ^abc123", "", "block ID"},
		{"<b>bold</b> <i>i</i> <u>u</u> <mark>m</mark> <del>d</del> <code>&lt;c&gt;</code> <a href=\"https://x.y\">l</a>", "**bold** *i* __u__ ==m== ~~d~~ `<c>` [l](https://x.y)", ""},
		{"**a <b>x</b> b**", "", "HTML"},
		{"H<sub>2</sub>O <kbd>Ctrl</kbd>", "", "HTML"},
		{"A<br>B", "A<br>B", ""},
		{"<img src=\"https://x.y/a.png\" width=\"100\" alt=\"al\">", "![al](https://x.y/a.png \" =100x\")", ""},
		{"<!-- hidden -->\n\ntext", "", "comment"},
		{"<div align=\"center\">\n\n# Hi\n\n</div>", "", "HTML"},
		{"| a |\n|---|\n| - [ ] one |", "| a |\n|---|\n| - [ ] one |", ""},
		{"Term\n: Definition", "", "definition list"},
		{"==high== $x^2$", "==high== $x^2$", ""},
		{"H~2~O and x^2^", "", "subscript superscript"},
		{"\\[\n\\frac{1}{2}\n\\]", "$$\n\\frac{1}{2}\n$$\n", ""},
		{":::danger\nHi\n:::", ":::warning\nHi\n:::", ""},
		{":::note[Title]\nHi\n:::", ":::info\n**Title**\n\nHi\n:::", ""},
		{":::foo\nHi\n:::", "", "admonition"},
		{"!!! warning \"Title\"\n    One\n\n    Two <b>x</b>\n\nAfter", ":::warning\n**Title**\n\nOne\n\nTwo **x**\n:::\n\n\nAfter", ""},
		{"??? note\n    Text", "+++\nnote\n\nText\n+++\n", ""},
		{"<aside>\nhi\n</aside>", ":::info\nhi\n:::", ""},
		{"{% hint style=\"warning\" %}\nHot\n{% endhint %}", ":::warning\nHot\n:::", ""},
		{":rocket: :+1: :octocat:", ":rocket: :thumbs_up: :octocat:", "emoji"},
		{"Intro:\n• one\n•\ttwo\n  ◦ below\n\nEnd", "Intro:\n* one\n* two\n  * below\n\nEnd", ""},
		{"a • b\n\n| • x |\n|---|", "a • b\n\n| • x |\n|---|", ""},
		{"<Callout type=\"warning\">\nHot\n</Callout>", "", "HTML"},
		{"Dear <Name>, a List<String>", "Dear <Name>, a List<String>", ""},
		{"h2. Setup\n\n{code:java}\nint a;\n{code}", "", "wiki markup"},
		{"GET /users/{code}", "GET /users/{code}", ""},
		{"= Title\n\n== Section ==", "", "heading"},
		{".. note::\n   careful", "", "directive"},
		{"#+TITLE: x", "", "directive"},
		{"It holds【4†source】 and :contentReference[oaicite:0]{index=0} [cite: 1, 2]", "", "citation mark"},
		{"[TOC]", "", "table of contents"},
		{"```\n> [!NOTE]\n> x\n[[Page]] <b>x</b>\n```", "```\n> [!NOTE]\n> x\n[[Page]] <b>x</b>\n```", ""},
		{"`<b>x</b>` and \\<b>", "`<b>x</b>` and \\<b>", ""},
		{"**Owner:** Ada\n**Status:** open\n**Due**: Friday\n\nStatus: Open\nOwned by: Ada\nand more", "**Owner:** Ada\\\n**Status:** open\\\n**Due**: Friday\n\nStatus: Open\\\nOwned by: Ada\nand more", ""},
		{"> **Subject:** Renewal\n> Hi,\n>\n> **To:** x\n> **Cc:** y\n>\n> a", "> **Subject:** Renewal\\\n> Hi,\n>\n> **To:** x\\\n> **Cc:** y\n>\n> a", ""},
		{"**Note:** this is\na paragraph.\n\n* **A:** b\n* **C:** d\n\nA: b\\\nC: d", "**Note:** this is\na paragraph.\n\n* **A:** b\n* **C:** d\n\nA: b\\\nC: d", ""},
		{"```\nName: x\nSize: y\n```\n\n| A: b |\n|---|\n| C: d |", "```\nName: x\nSize: y\n```\n\n| A: b |\n|---|\n| C: d |", ""},
		{"Inline $$x$$, $$\\alpha + 1$$ and\n\n$$y^2$$ begins.\n\n$$\nz\n$$\n\n$$z$$", "Inline $x$, $\\alpha + 1$ and\n\n$y^2$ begins.\n\n$$\nz\n$$\n\n$$z$$", ""},
		{"Costs $$five words$$ here", "", "double dollar signs"},
		{"```mermaid\ngraph TD\n```", "```mermaid\ngraph TD\n```", ""},
		{strings.Repeat("<details\n", 20_000) + "</details>", "", "details"},
	} {
		if test.want == "" {
			test.want = test.text
		}
		got, parts, err := written.Adapt(test.text, document)
		if got != test.want || err != nil {
			t.Errorf("%.200q became %.200q, want %.200q (%v)", test.text, got, test.want, err)
		}
		told := map[string]bool{}
		for _, part := range parts {
			told[part.Name] = told[part.Name] || part.As == ""
		}
		for name := range told {
			if told[name] != strings.Contains(test.told, name) {
				t.Errorf("%.200q: %s told: %v, want %q", test.text, name, told[name], test.told)
			}
		}
		if test.told != "" && parts == nil {
			t.Errorf("%.200q: nothing is told", test.text)
		}
		if drops := prosemirror.Dropped(got); len(drops) > 0 {
			t.Errorf("%.200q: %v would be dropped", got, drops)
		}
	}
}

func TestBulletsAreToldOnce(t *testing.T) {
	got, parts, err := written.Adapt("• one\n• two\n• three", document)
	if got != "* one\n* two\n* three" || len(parts) != 1 || parts[0].As != "a list" || err != nil {
		t.Errorf("%q, %v, %v", got, parts, err)
	}
}

func TestLinesThatADocumentHasStayAsTheyAre(t *testing.T) {
	for _, text := range corpus(t) {
		got, parts, err := written.Adapt(text, written.Place{Parse: prosemirror.Parse, Stored: text})
		if got != text || parts != nil || err != nil {
			t.Errorf("%q became %q: %v, %v", text, got, parts, err)
		}
	}
}

// corpus returns the texts that a real Outline stored, what was sent to it for them, and
// the documents of the sample workspace.
func corpus(t *testing.T) []string {
	t.Helper()
	var texts []string
	for _, r := range fixtures.Recorded[struct{ Markdown, Text, Export string }](t, "roundtrip") {
		texts = append(texts, r.Markdown, r.Text, r.Export)
	}
	type state struct{ Text string }
	for _, file := range []string{"patches", "writes"} {
		for _, r := range fixtures.Recorded[struct {
			Request       state
			Before, After state
		}](t, file) {
			texts = append(texts, r.Before.Text, r.Request.Text, r.After.Text)
		}
	}
	sample := os.DirFS("../../internal/fakeoutline/content")
	err := fs.WalkDir(sample, ".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			text, err := fs.ReadFile(sample, path)
			texts = append(texts, string(text))
			return err
		}
		return err
	})
	if err != nil || len(texts) < 5000 {
		t.Fatalf("%d texts: %v", len(texts), err)
	}
	return texts
}

func TestRecordedTextsStayAsTheyAre(t *testing.T) {
	for i, text := range corpus(t) {
		if got, changed := written.Unescape(text, ""); changed || got != text {
			t.Errorf("unescaped: %q", text)
		}
		if e, found := written.FindElision(text, text+"\n\nMore", text); found {
			t.Errorf("%d: %+v", i, e)
		}
		if text == "…" {
			continue
		}
		if e, found := written.FindElision("Some old text\n\nof three\n\nparagraphs", text, ""); found {
			t.Errorf("%d: %+v in %q", i, e, text)
		}
	}
}
