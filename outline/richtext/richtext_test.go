package richtext_test

import (
	"encoding/json"
	"strings"
	"testing"

	"outline-mcp/outline/richtext"
)

// uuid is the ID of something that is mentioned.
const uuid = "00ed4f62-c550-4809-8176-61d3a749b928"

// node is a node of ProseMirror as the API sends it.
type node map[string]any

// el is a node with content, strings among which are text.
func el(kind string, content ...any) node {
	var nodes []any
	for _, c := range content {
		if s, ok := c.(string); ok {
			c = txt(s)
		}
		nodes = append(nodes, c)
	}
	return node{"type": kind, "content": nodes}
}

// with adds attributes: name, value, name, value …
func (n node) with(attrs ...any) node {
	all := map[string]any{}
	for i := 0; i < len(attrs); i += 2 {
		all[attrs[i].(string)] = attrs[i+1]
	}
	n["attrs"] = all
	return n
}

// txt is text with marks.
func txt(s string, marks ...string) node {
	n := node{"type": "text", "text": s}
	var list []any
	for _, m := range marks {
		list = append(list, markNode(m))
	}
	if list != nil {
		n["marks"] = list
	}
	return n
}

// markNode is a mark; link:address is a link.
func markNode(m string) node {
	if href, ok := strings.CutPrefix(m, "link:"); ok {
		return node{"type": "link", "attrs": map[string]any{"href": href}}
	}
	return node{"type": m}
}

func p(content ...any) node    { return el("paragraph", content...) }
func doc(content ...any) node  { return el("doc", content...) }
func br() node                 { return node{"type": "br"} }
func li(content ...any) node   { return el("list_item", content...) }
func ul(items ...any) node     { return el("bullet_list", items...) }
func ol(items ...any) node     { return el("ordered_list", items...) }
func table(rows ...any) node   { return el("table", rows...) }
func row(cells ...any) node    { return el("tr", cells...) }
func cell(content ...any) node { return el("td", content...) }
func task(done bool, content ...any) node {
	return el("checkbox_item", content...).with("checked", done)
}

// rendered is the Markdown of this data.
func rendered(t testing.TB, data any) string {
	t.Helper()
	body, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	var n richtext.Node
	if err := json.Unmarshal(body, &n); err != nil {
		t.Fatal(err)
	}
	return n.Markdown()
}

func TestACommentReadsInMarkdownAsItReadsInOutline(t *testing.T) {
	for name, test := range map[string]struct {
		data node
		want string
	}{
		"nothing":                    {doc(), ""},
		"an empty paragraph":         {doc(p()), ""},
		"a paragraph":                {doc(p("Ship it.")), "Ship it."},
		"two paragraphs":             {doc(p("one"), p("two")), "one\n\ntwo"},
		"empty paragraphs around":    {doc(p(), p("one"), p(), p(" "), p("two"), p()), "one\n\ntwo"},
		"a line break":               {doc(p("one", br(), "two")), "one  \ntwo"},
		"a line break of text":       {doc(p("one\ntwo\r\nthree\rfour")), "one  \ntwo  \nthree  \nfour"},
		"several line breaks":        {doc(p("one", br(), br(), br(), "two")), "one  \n\\\n\\\ntwo"},
		"breaks at the ends":         {doc(p(br(), "one", br())), "one"},
		"white space around":         {doc(p("  one ", br(), "  two ")), "one  \ntwo"},
		"a break of another name":    {doc(p("one", node{"type": "hard_break"}, "two")), "one  \ntwo"},
		"each mark":                  {doc(p(txt("a", "strong"), " ", txt("b", "em"), " ", txt("c", "strikethrough"), " ", txt("d", "underline"), " ", txt("e", "highlight"), " ", txt("f", "code_inline"))), "**a** *b* ~~c~~ __d__ ==e== `f`"},
		"a mark inside another":      {doc(p(txt("all ", "strong"), txt("of", "strong", "em"), txt(" it", "strong"))), "**all *of* it**"},
		"marks that overlap":         {doc(p(txt("a ", "strong"), txt("b", "strong", "em"), txt(" c", "em"))), "**a *b*** *c*"},
		"white space at a mark":      {doc(p("say", txt(" now ", "strong"), "please")), "say **now** please"},
		"only white space marked":    {doc(p("a", txt(" ", "strong"), "b")), "a b"},
		"marks over a break":         {doc(p(txt("one", "em"), br(), txt("two", "em"))), "*one  \ntwo*"},
		"marks of no consequence":    {doc(p(txt("a", "comment"), txt("b*", "placeholder"), txt("c"))), "ab\\*c"},
		"a link":                     {doc(p("see ", txt("the guide", "link:/doc/guide-1FF9VyHA4X"), ".")), "see [the guide](/doc/guide-1FF9VyHA4X)."},
		"a link of several parts":    {doc(p(txt("see ", "link:https://a.example"), txt("this", "link:https://a.example", "strong"))), "[see **this**](https://a.example)"},
		"two links":                  {doc(p(txt("a", "link:/a"), txt("b", "link:/b"))), "[a](/a)[b](/b)"},
		"a link in strong text":      {doc(p(txt("see ", "strong"), txt("it", "strong", "link:/a"), txt(" now", "strong"))), "**see [it](/a) now**"},
		"an address":                 {doc(p("on ", txt("https://a.example/x_y?z=1&amp;b=*", "link:https://a.example/x_y?z=1&amp;b=*"))), "on <https://a.example/x_y?z=1&amp;b=*>"},
		"an address in two parts":    {doc(p(txt("https://a.example", "link:https://a.example"), txt("!", "link:https://a.example", "em"))), "[https://a.example*!*](https://a.example)"},
		"an address after its part":  {doc(p(txt("!", "link:https://a.example", "em"), txt("https://a.example", "link:https://a.example"))), "[*!*https://a.example](https://a.example)"},
		"a box in strong text":       {doc(ul(li(p(txt("[x] a", "strong"))))), "- **[x] a**"},
		"a path as its own text":     {doc(p(txt("/doc/a", "link:/doc/a"))), "[/doc/a](/doc/a)"},
		"a link without address":     {doc(p(txt("a", "link:"))), "a"},
		"code in a link":             {doc(p(txt("a[0]", "link:/a", "code_inline"))), "[`a[0]`](/a)"},
		"a user":                     {doc(p("hi ", node{"type": "mention"}.with("type", "user", "label", "Max_ Member", "modelId", uuid), "!")), "hi @Max\\_ Member!"},
		"a group":                    {doc(p(node{"type": "mention"}.with("type", "group", "label", "Ops"))), "@Ops"},
		"a mention of no kind":       {doc(p(node{"type": "mention"}.with("label", "Ada"))), "@Ada"},
		"a document":                 {doc(p("see ", node{"type": "mention"}.with("type", "document", "label", "Deploy guide", "modelId", uuid))), "see [Deploy guide](/doc/" + uuid + ")"},
		"a collection":               {doc(p(node{"type": "mention"}.with("type", "collection", "label", "Handbook", "modelId", uuid))), "[Handbook](/collection/" + uuid + ")"},
		"an issue":                   {doc(p(node{"type": "mention"}.with("type", "issue", "label", "Crash", "href", "https://a.example/1"))), "[Crash](https://a.example/1)"},
		"an address mentioned":       {doc(p(node{"type": "mention"}.with("type", "url", "href", "https://a.example/1"))), "<https://a.example/1>"},
		"an emoji":                   {doc(p("done ", node{"type": "emoji"}.with("data-name", "white_check_mark"))), "done :white_check_mark:"},
		"an emoji of odd name":       {doc(p(node{"type": "emoji"}.with("data-name", "a*b"))), ":a\\*b:"},
		"an emoji without name":      {doc(p("a", node{"type": "emoji"}, "b")), "ab"},
		"an image":                   {doc(p("look ", node{"type": "image"}.with("src", "/api/attachments.redirect?id="+uuid, "alt", "a [chart]\nof it"))), "look ![a \\[chart\\] of it](/api/attachments.redirect?id=" + uuid + ")"},
		"an image without words":     {doc(p(node{"type": "image"}.with("src", "/a b(c", "alt", nil))), "![](/a%20b%28c)"},
		"an attachment":              {doc(p("x"), node{"type": "attachment"}.with("title", "plan.pdf", "href", "/api/x?id=1")), "x\n\n[plan.pdf](/api/x?id=1)"},
		"a video without title":      {doc(node{"type": "video"}.with("src", "/v.mp4")), "[/v.mp4](/v.mp4)"},
		"an embed":                   {doc(node{"type": "embed"}.with("href", "https://a.example/e")), "<https://a.example/e>"},
		"a bullet list":              {doc(p("we need"), ul(li(p("a")), li(p("b")))), "we need\n\n- a\n- b"},
		"an ordered list":            {doc(ol(li(p("a")), li(p("b"))).with("order", 9)), "9. a\n10. b"},
		"an ordered list from 0":     {doc(ol(li(p("a"))).with("order", 0)), "0. a"},
		"an order out of range":      {doc(ol(li(p("a")), li(p("b"))).with("order", 1e300)), "999999999. a\n999999999. b"},
		"an order of wrong type":     {doc(ol(li(p("a"))).with("order", "many")), "0. a"},
		"a list of tasks":            {doc(el("checkbox_list", task(true, p("a")), task(false, p("b")))), "- [x] a\n- [ ] b"},
		"a task that is a list":      {doc(el("checkbox_list", task(true, ul(li(p("a")))))), "- [x]\n\n  - a"},
		"lists in lists":             {doc(ul(li(p("a"), ul(li(p("b"), ol(li(p("c")), li(p("d")))))), li(p("e")))), "- a\n  - b\n    1. c\n    2. d\n- e"},
		"a list at once in a list":   {doc(ul(li(ul(li(p("a")), li(p("b")))))), "- * a\n  * b"},
		"an item of two paragraphs":  {doc(ol(li(p("a"), p("b")), li(p("c")))), "1. a\n\n   b\n2. c"},
		"a later start in an item":   {doc(ul(li(p("a"), ol(li(p("b"))).with("order", 4)))), "- a\n\n  4. b"},
		"two lists in a row":         {doc(ul(li(p("a"))), ul(li(p("b"))), ul(li(p("c")))), "- a\n\n* b\n\n- c"},
		"two ordered lists in a row": {doc(ol(li(p("a"))), p(), ol(li(p("b")))), "1. a\n\n1) b"},
		"empty items":                {doc(ol(li(p("a")), li(p()), li(), li(p("d")))), "1. a\n4. d"},
		"a list of nothing":          {doc(ul(li(p())), p("x")), "x"},
		"a code block":               {doc(node{"type": "code_block", "attrs": node{"language": "go"}, "content": []any{txt("func main() {\n\tx := \"`a`\"  \n\n}")}}), "```go\nfunc main() {\n\tx := \"`a`\"  \n\n}\n```"},
		"code with a fence in it":    {doc(el("code_fence", "```\n````\n")), "`````\n```\n````\n\n`````"},
		"an empty code block":        {doc(node{"type": "code_block"}), "```\n\n```"},
		"a language of two words":    {doc(el("code_block", "x").with("language", "go `rm`\n# h")), "```go\nx\n```"},
		"code in an item":            {doc(ul(li(el("code_block", "a\n\nb")))), "- ```\n  a\n\n  b\n  ```"},
		"code with backticks":        {doc(p(txt("``a`", "code_inline"))), "``` ``a` ```"},
		"code with spaces":           {doc(p("a", txt(" b ", "code_inline"), "c")), "a `b` c"},
		"code of two lines":          {doc(p(txt("a\nb", "code_inline"))), "`a b`"},
		"code in two nodes":          {doc(p(txt("a", "code_inline"), txt("b", "code_inline", "comment"))), "`ab`"},
		"a quote":                    {doc(el("blockquote", p("a", br(), "b"), p("c"))), "> a  \n> b\n>\n> c"},
		"a quote in a quote":         {doc(el("blockquote", el("blockquote", p("a")), p("b"))), "> > a\n>\n> b"},
		"two quotes":                 {doc(el("blockquote", p("a")), el("blockquote", p("b"))), "> a\n\n> b"},
		"a list in a quote":          {doc(el("blockquote", ul(li(p("a"), p("b"))))), "> - a\n>\n>   b"},
		"a quote in an item":         {doc(ul(li(el("blockquote", p("a")), p("b")))), "- > a\n\n  b"},
		"headings":                   {doc(el("heading", "One").with("level", 1), el("heading", "Two # ", br(), "x ##").with("level", 2)), "# One\n\n## Two # x \\##"},
		"a heading of odd level":     {doc(el("heading", "a").with("level", 17), el("heading", "b").with("level", "x"), el("heading", "# c")), "###### a\n\n# b\n\n# # c"},
		"a heading of signs":         {doc(el("heading", "#")), "# \\#"},
		"a rule":                     {doc(p("a"), node{"type": "hr"}, p("b")), "a\n\n---\n\nb"},
		"a rule in an item":          {doc(ul(li(node{"type": "hr"}))), "- ___"},
		"a table":                    {doc(table(row(cell(p("a")), cell(p(txt("b", "strong")))), row(cell(p("c|d")), cell(p(txt("e|f", "code_inline")))))), "| a | **b** |\n| --- | --- |\n| c\\|d | `e\\|f` |"},
		"a table of odd rows":        {doc(table(row(cell(p("a"))), row(cell(p("b")), cell(), cell(p("c"))))), "| a |  |  |\n| --- | --- | --- |\n| b |  | c |"},
		"a cell of several lines":    {doc(table(row(cell(p("a"), p("b", br(), "c"))))), "| a<br>b<br>c |\n| --- |"},
		"a wide cell":                {doc(table(row(cell(p("a")).with("colspan", 2), cell(p("b"))))), "| a |  | b |\n| --- | --- | --- |"},
		"a table of nothing":         {doc(table(row()), p("a")), "a"},
		"a notice":                   {doc(el("container_notice", p("Mind the gap."))), "Mind the gap."},
		"an unknown block":           {doc(el("mystery", p("a"), el("riddle", "b"))), "a\n\nb"},
		"an unknown node in a line":  {doc(p("a ", el("riddle", txt("b", "strong")), " c")), "a **b** c"},
		"a formula":                  {doc(p(el("math_inline", "x_1 < y"))), "x_1 < y"},
		"text without a paragraph":   {doc("a ", txt("b", "em"), p("c")), "a *b*\n\nc"},
		"a paragraph in a paragraph": {doc(p("a", p("b"))), "a  \nb"},
		"no document":                {p("a"), "a"},
		"nothing known":              {node{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := rendered(t, test.data); got != test.want {
				t.Errorf("rendered as\n%s\nwant\n%s\n(%q)", got, test.want, got)
			}
		})
	}
}

func TestTextIsEscapedOnlyWhereItWouldBeMarkup(t *testing.T) {
	for in, want := range map[string]string{
		`C:\Users\ada and \*`:       `C:\Users\ada and \\\*`,
		"2 * 3 = 6":                 "2 * 3 = 6",
		"2*3*4":                     `2\*3\*4`,
		"snake_case_name":           "snake_case_name",
		"__init__ and _x_":          `\_\_init\_\_ and \_x\_`,
		"a ~5 minute ~~walk~~":      `a ~5 minute \~\~walk\~\~`,
		"a == b, a==b, a=b":         `a == b, a\=\=b, a=b`,
		"`code`":                    "\\`code\\`",
		"if a < b && c > d":         "if a < b && c > d",
		"<b>bold</b> <3 <!-- x -->": `\<b>bold\</b> <3 \<!-- x -->`,
		"&amp; &#35; &x AT&T;":      `\&amp; \&#35; &x AT\&T;`,
		"[y](z) [1] a[0]":           `[y\](z) [1] a[0]`,
		"[note]: text":              `[note\]: text`,
		"![x](y)":                   `![x\](y)`,
		"# not a heading":           `\# not a heading`,
		"#channel":                  "#channel",
		"###### six":                `\###### six`,
		"####### seven":             "####### seven",
		"> not a quote":             `\> not a quote`,
		"- not an item":             `\- not an item`,
		"-5 degrees":                "-5 degrees",
		"+ more":                    `\+ more`,
		"+1":                        "+1",
		"1. first":                  `1\. first`,
		"2) second":                 `2\) second`,
		"3.14 and 1234567890. x":    "3.14 and 1234567890. x",
		"1.":                        `1\.`,
		"---":                       `\---`,
		"--flag":                    "--flag",
		"===":                       `\=\=\=`,
		"* * *":                     `\* * \*`,
		"*** ***":                   `\*\*\* \*\*\*`,
		"___":                       `\_\_\_`,
		"| --- |":                   `\| --- |`,
		"a | b":                     "a | b",
		"~~~ sh":                    `\~\~\~ sh`,
		"::: info":                  `\::: info`,
		"[ ] todo":                  `\[ ] todo`,
		"[x] done":                  `\[x] done`,
		"[WIP] draft":               "[WIP] draft",
		"$$ x $$ costs $5":          `\$\$ x $$ costs $5`,
		"\x00 a\vb\fc":              "\uFFFD a b c",
		"Zürich, 東京 & 🎉 – “quoted”…": "Zürich, 東京 & 🎉 – “quoted”…",
		"at the end \\": `at the end \\`,
		"wow!":          "wow!",
	} {
		if got := rendered(t, doc(p(in))); got != want {
			t.Errorf("%q is rendered as %q, want %q", in, got, want)
		}
	}
	// What stands next to it counts, too.
	for name, test := range map[string]struct {
		data node
		want string
	}{
		"a sign before a link":        {p("wow!", txt("a", "link:/a")), `wow\![a](/a)`},
		"brackets in a link":          {p(txt("a]b[c", "link:/a")), `[a\]b\[c](/a)`},
		"a marker before strong text": {p("#", txt(" a", "strong")), `\# **a**`},
		"a marker on a later line":    {p("a", br(), "# b", br(), "- c", br(), "==="), "a  \n\\# b  \n\\- c  \n\\=\\=\\="},
		"a marker in a heading":       {el("heading", "1. a"), "# 1. a"},
		"an address that ends early":  {p(txt("a", "link:a) b<c>`d`\\|\n&copy;(")), "[a](a%29%20b%3Cc%3E%60d%60%5C%7C%0A\\&copy;%28)"},
		"parentheses in pairs":        {p(txt("a", "link:/x_(y)")), "[a](/x_(y))"},
		"a border in an address":      {table(row(cell(p(txt("https://a/|", "link:https://a/|"))))), "| [https://a/\\|](https://a/%7C) |\n| --- |"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := rendered(t, doc(test.data)); got != test.want {
				t.Errorf("rendered as %q, want %q", got, test.want)
			}
		})
	}
}
