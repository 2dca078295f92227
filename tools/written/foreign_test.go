package written_test

import (
	"strings"
	"testing"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/tools/written"
)

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
		if got, parts, _ := written.Adapt(text, document); got != text && parts == nil {
			t.Errorf("%q became %q, and nothing is told", text, got)
		}
	}
}
