package prosemirror_test

import (
	"encoding/json"
	"strings"
	"testing"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
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
	n, err := prosemirror.Decode(body)
	if err != nil {
		t.Fatal(err)
	}
	return prosemirror.CommentText(n)
}

func TestACommentIsShownAsDocumentsAre(t *testing.T) {
	for name, test := range map[string]struct {
		data node
		want string
	}{
		"nothing":                    {doc(), ""},
		"an empty paragraph":         {doc(p()), ""},
		"a paragraph":                {doc(p("Ship it.")), "Ship it."},
		"two paragraphs":             {doc(p("one"), p("two")), "one\n\ntwo"},
		"a line break":               {doc(p("one", br(), "two")), "one\\ntwo"},
		"several line breaks":        {doc(p("one", br(), br(), br(), "two")), "one\\n\\n\\ntwo"},
		"breaks at the ends":         {doc(p(br(), "one", br())), "\\none\\n"},
		"each mark":                  {doc(p(txt("a", "strong"), " ", txt("b", "em"), " ", txt("c", "strikethrough"), " ", txt("d", "underline"), " ", txt("e", "highlight"), " ", txt("f", "code_inline"))), "**a** *b* ~~c~~ __d__ ==e== `f`"},
		"a mark inside another":      {doc(p(txt("all ", "strong"), txt("of", "strong", "em"), txt(" it", "strong"))), "**all *of* it**"},
		"marks that overlap":         {doc(p(txt("a ", "strong"), txt("b", "strong", "em"), txt(" c", "em"))), "**a *b*** *c*"},
		"white space at a mark":      {doc(p("say", txt(" now ", "strong"), "please")), "say **now** please"},
		"only white space marked":    {doc(p("a", txt(" ", "strong"), "b")), "a b"},
		"marks over a break":         {doc(p(txt("one", "em"), br(), txt("two", "em"))), "*one*\\n*two*"},
		"a link":                     {doc(p("see ", txt("the guide", "link:/doc/guide-1FF9VyHA4X"), ".")), "see [the guide](/doc/guide-1FF9VyHA4X)."},
		"a link of several parts":    {doc(p(txt("see ", "link:https://a.example"), txt("this", "link:https://a.example", "strong"))), "[see **this**](https://a.example)"},
		"two links":                  {doc(p(txt("a", "link:/a"), txt("b", "link:/b"))), "[a](/a)[b](/b)"},
		"a link in strong text":      {doc(p(txt("see ", "strong"), txt("it", "strong", "link:/a"), txt(" now", "strong"))), "**see** [**it**](/a) **now**"},
		"an address":                 {doc(p("on ", txt("https://a.example/x_y?z=1&amp;b=*", "link:https://a.example/x_y?z=1&amp;b=*"))), "on <https://a.example/x_y?z=1&amp;b=\\*>"},
		"an address in two parts":    {doc(p(txt("https://a.example", "link:https://a.example"), txt("!", "link:https://a.example", "em"))), "[https://a.example*!*](https://a.example)"},
		"an address after its part":  {doc(p(txt("!", "link:https://a.example", "em"), txt("https://a.example", "link:https://a.example"))), "[*!*https://a.example](https://a.example)"},
		"a box in strong text":       {doc(ul(li(p(txt("[x] a", "strong"))))), "* **[x] a**"},
		"a path as its own text":     {doc(p(txt("/doc/a", "link:/doc/a"))), "[/doc/a](/doc/a)"},
		"code in a link":             {doc(p(txt("a[0]", "link:/a", "code_inline"))), "[`a[0]`](/a)"},
		"a user":                     {doc(p("hi ", node{"type": "mention"}.with("type", "user", "label", "Max_ Member", "modelId", uuid), "!")), "hi @Max_ Member!"},
		"a group":                    {doc(p(node{"type": "mention"}.with("type", "group", "label", "Ops"))), "@Ops"},
		"a mention of no kind":       {doc(p(node{"type": "mention"}.with("label", "Ada"))), "@Ada"},
		"a document":                 {doc(p("see ", node{"type": "mention"}.with("type", "document", "label", "Deploy guide", "modelId", uuid))), "see [Deploy guide](/doc/" + uuid + ")"},
		"a collection":               {doc(p(node{"type": "mention"}.with("type", "collection", "label", "Handbook", "modelId", uuid))), "[Handbook](/collection/" + uuid + ")"},
		"an issue":                   {doc(p(node{"type": "mention"}.with("type", "issue", "label", "Crash", "href", "https://a.example/1"))), "[Crash](https://a.example/1)"},
		"an address mentioned":       {doc(p(node{"type": "mention"}.with("type", "url", "href", "https://a.example/1"))), "[https://a.example/1](https://a.example/1)"},
		"an emoji":                   {doc(p("done ", node{"type": "emoji"}.with("data-name", "white_check_mark"))), "done :white_check_mark:"},
		"an emoji without name":      {doc(p("a", node{"type": "emoji"}, "b")), "ab"},
		"an image":                   {doc(p("look ", node{"type": "image"}.with("src", "/api/attachments.redirect?id="+uuid, "alt", "a [chart]\nof it"))), "look  ![a [chart]of it](/api/attachments.redirect?id=" + uuid + ")"},
		"a bullet list":              {doc(p("we need"), ul(li(p("a")), li(p("b")))), "we need\n\n* a\n* b"},
		"an ordered list":            {doc(ol(li(p("a")), li(p("b"))).with("order", 9)), "9. a\n10. b"},
		"a list of tasks":            {doc(el("checkbox_list", task(true, p("a")), task(false, p("b")))), "- [x] a\n- [ ] b"},
		"a task that is a list":      {doc(el("checkbox_list", task(true, ul(li(p("a")))))), "- [x] * a"},
		"lists in lists":             {doc(ul(li(p("a"), ul(li(p("b"), ol(li(p("c")), li(p("d")))))), li(p("e")))), "* a\n  * b\n\n    \n    1. c\n    2. d\n* e"},
		"a list at once in a list":   {doc(ul(li(ul(li(p("a")), li(p("b")))))), "* * a\n  * b"},
		"an item of two paragraphs":  {doc(ol(li(p("a"), p("b")), li(p("c")))), "1. a\n\n   b\n2. c"},
		"a later start in an item":   {doc(ul(li(p("a"), ol(li(p("b"))).with("order", 4)))), "* a\n\n  \n  4. b"},
		"two lists in a row":         {doc(ul(li(p("a"))), ul(li(p("b"))), ul(li(p("c")))), "* a\n\n\n* b\n\n\n* c"},
		"a code block":               {doc(node{"type": "code_block", "attrs": node{"language": "go"}, "content": []any{txt("func main() {\n\tx := \"`a`\"  \n\n}")}}), "```go\nfunc main() {\n\tx := \"`a`\"  \n\n}\n```"},
		"code with a fence in it":    {doc(el("code_fence", "```\n````\n")), "`````\n```\n````\n`````"},
		"an empty code block":        {doc(node{"type": "code_block"}), "```\n```"},
		"code in an item":            {doc(ul(li(el("code_block", "a\n\nb")))), "* ```\n  a\n  \n  b\n  ```"},
		"code with backticks":        {doc(p(txt("``a`", "code_inline"))), "``` ``a` ```"},
		"code with spaces":           {doc(p("a", txt(" b ", "code_inline"), "c")), "a` b `c"},
		"an unknown block":           {doc(el("mystery", p("a"), el("riddle", "b"))), "a\n\nb"},
		"an unknown node in a line":  {doc(p("a ", el("riddle", txt("b", "strong")), " c")), "a **b** c"},
		"no document":                {p("a"), "a"},
		"an empty paragraph between": {doc(p("one"), p(), p("two")), "one\n\n\ntwo"},
		"a date":                     {doc(p(node{"type": "mention"}.with("type", "date", "label", "May 1st", "modelId", "2026-05-01"))), "@May 1st"},
		"a star in a name":           {doc(p(node{"type": "mention"}.with("type", "user", "label", "A*b"))), "@A\\*b"},
		"a quote sign":               {doc(p("> said")), "> said"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := rendered(t, test.data); got != test.want {
				t.Errorf("shown as\n%s\nwant\n%s\n(%q)", got, test.want, got)
			}
		})
	}
}

func FuzzCommentText(f *testing.F) {
	f.Add(`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"a","marks":[{"type":"em"}]}]}]}`)
	f.Add(`{"type":"table","content":[{"type":"tr","content":[{"type":"td","attrs":{"colspan":1e99},"content":[{"type":"text","text":"|"}]}]}]}`)
	f.Add(`{"type":"ordered_list","attrs":{"order":-1},"content":[{"type":"x","content":[{"type":"hr"}]}]}`)
	f.Add(`{"type":"mention","attrs":{"type":"url"}}`)
	f.Fuzz(func(t *testing.T, data string) {
		n, err := prosemirror.Decode([]byte(data))
		if err != nil {
			return
		}
		if got := prosemirror.CommentText(n); len(got) > 100*(len(data)+10) {
			t.Errorf("shown as %.500q", got)
		}
	})
}

func TestNestingIsWrittenToADepthOf100AndBelowAsText(t *testing.T) {
	for _, kind := range []string{"blockquote", "bullet_list", "mystery", "span"} {
		deep := []any{p(txt("deep", "strong"), br(), "below"), p(), p("beside")}
		for range 450 {
			one := el(kind, deep...)
			if kind == "bullet_list" {
				one = ul(li(deep...))
			}
			if kind == "span" {
				one = p(node{"type": "span", "content": deep})
			}
			deep = []any{one}
		}
		got := rendered(t, doc(deep...))
		for _, word := range []string{"deep", "below", "beside"} {
			if !strings.Contains(got, word) {
				t.Errorf("%s: %q is missing from %.300q", kind, word, got)
			}
		}
		if n := strings.Count(got, ">"); kind == "blockquote" && n != 100 {
			t.Errorf("%d quotes in each other", n)
		}
	}
}

func TestLinesInDeepQuotesAreNotLong(t *testing.T) {
	var lines []any
	for range 2000 {
		lines = append(lines, p("a"))
	}
	deep := el("blockquote", lines...)
	for range 900 {
		deep = el("blockquote", deep)
	}
	if got := rendered(t, doc(deep)); len(got) > 100_000 {
		t.Errorf("%d bytes for 2,000 letters", len(got))
	}
}

// TestRenderingTakesTimeInProportionToTheText compares inputs of which the
// larger one is 16 times the smaller one: what grows with the square of the
// text takes 256 times as long.
func TestRenderingTakesTimeInProportionToTheText(t *testing.T) {
	many := func(n int, one any) []any {
		all := make([]any, n)
		for i := range all {
			all[i] = one
		}
		return all
	}
	for name, data := range map[string]func(n int) node{
		"small nodes":       func(n int) node { return doc(p(many(n, txt(strings.Repeat("a", 200)))...)) },
		"changing marks":    func(n int) node { return doc(p(many(n/2, p(txt("a", "strong"), txt("b", "em")))...)) },
		"breaks":            func(n int) node { return doc(p(append(many(n, br()), "a")...)) },
		"white space":       func(n int) node { return doc(p(append(many(n, txt(" ", "em")), "a")...)) },
		"stars":             func(n int) node { return doc(p(strings.Repeat("*a ", 20*n))) },
		"a run":             func(n int) node { return doc(p(strings.Repeat("~", 20*n))) },
		"ampersands":        func(n int) node { return doc(p(strings.Repeat("&a", 20*n))) },
		"backticks":         func(n int) node { return doc(p(many(n, txt("`", "code_inline"))...)) },
		"parentheses":       func(n int) node { return doc(p(txt("a", "link:"+strings.Repeat("(&", 20*n)))) },
		"links":             func(n int) node { return doc(p(many(n/2, p(txt("a", "link:/a"), "b"))...)) },
		"items":             func(n int) node { return doc(ul(many(n, li(p("a")))...)) },
		"empty items":       func(n int) node { return doc(ul(many(n, li())...), p("a")) },
		"rows":              func(n int) node { return doc(table(append(many(n, row(cell(p("a")))), row(many(n, cell())...))...)) },
		"lines of code":     func(n int) node { return doc(el("code_block", strings.Repeat("a\n", 20*n))) },
		"number signs":      func(n int) node { return doc(el("heading", strings.Repeat("# ", 20*n))) },
		"digits":            func(n int) node { return doc(p(strings.Repeat("1", 20*n))) },
		"quotes":            func(n int) node { return doc(many(n, el("blockquote", p("a")))...) },
		"brackets":          func(n int) node { return doc(p(strings.Repeat("[a](", 20*n))) },
		"equals with lines": func(n int) node { return doc(p(strings.Repeat("=\n", 20*n))) },
	} {
		t.Run(name, func(t *testing.T) {
			fixtures.TakesLinearTime(t, 2000, func(n int) {
				if rendered(t, data(n)) == "" {
					t.Fatal("nothing was rendered")
				}
			})
		})
	}
}

func BenchmarkMarkdown(b *testing.B) {
	data := doc(p("We should ", txt("really", "strong"), " say what `", txt("make", "code_inline"), "` does, see ", txt("the guide", "link:/doc/guide-1FF9VyHA4X"), "."),
		ul(li(p("first")), li(p("second_one"))))
	raw, err := json.Marshal(data)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		n, err := prosemirror.Decode(raw)
		if err != nil || prosemirror.CommentText(n) == "" {
			b.Fatal(err)
		}
	}
}
