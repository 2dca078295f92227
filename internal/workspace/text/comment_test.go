package text

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
)

func TestCommentTextBecomesTheEditorsDocument(t *testing.T) {
	paragraph := func(content string) string { return `{"type":"paragraph","content":[` + content + `]}` }
	plain := func(text string) string { return `{"type":"text","text":"` + text + `"}` }
	tests := []struct{ name, text, want string }{
		{"marks", "a **b** *c* `d` ~~e~~ __f__", paragraph(plain("a ") + `,{"type":"text","text":"b","marks":[{"type":"strong"}]},` + plain(" ") +
			`,{"type":"text","text":"c","marks":[{"type":"em"}]},` + plain(" ") + `,{"type":"text","text":"d","marks":[{"type":"code_inline"}]},` + plain(" ") +
			`,{"type":"text","text":"e","marks":[{"type":"strikethrough"}]},` + plain(" ") + `,{"type":"text","text":"f","marks":[{"type":"underline"}]}`)},
		{"links", "[a](https://b.c)", paragraph(`{"type":"text","text":"a","marks":[{"type":"link","attrs":{"href":"https://b.c"}}]}`)},
		{"nested marks", "***a***", paragraph(`{"type":"text","text":"a","marks":[{"type":"em"},{"type":"strong"}]}`)},
		{"paragraphs and breaks", "a\nb\\\nc\n\nd", paragraph(plain("a b")+`,{"type":"br"},`+plain("c")) + "," + paragraph(plain("d"))},
		{"a numbered list", "2. a", `{"type":"ordered_list","attrs":{"order":2},"content":[{"type":"list_item","content":[` + paragraph(plain("a")) + `]}]}`},
		{"no headings", "# a", paragraph(plain("# a"))},
		{"no quotes", "> a", paragraph(plain("> a"))},
		{"no tables", "|a|\n|-|\n|b|", paragraph(plain("|a| |-| |b|"))},
		{"escapes and entities", `\*a\* &amp;`, paragraph(plain("*a* &"))},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := json.Marshal(NewCommentParser().Parse(test.text))
			if err != nil {
				t.Fatal(err)
			}
			var have, want any
			if err := errors.Join(json.Unmarshal(got, &have), json.Unmarshal([]byte(`{"type":"doc","content":[`+test.want+`]}`), &want)); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(have, want) {
				t.Errorf("parsed as %v, want %v", have, want)
			}
			if !IsComment(got) {
				t.Errorf("%s is refused as data", got)
			}
		})
	}
}

func FuzzCommentText(f *testing.F) {
	for _, text := range []string{"a **b**", "- a\n  1. b", "@[A](mention://x/user/y)", "![a](b)", "`", "<https://a.b>", "__*a*__", "# a\n> b", "&#0;"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root := NewCommentParser().Parse(text)
		if len(root.Content) > 0 && !root.conforms(commentBlocks, -1000) {
			t.Errorf("%q becomes %v", text, root)
		}
	})
}
