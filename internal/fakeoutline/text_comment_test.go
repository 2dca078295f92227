package fakeoutline

import "testing"

func TestOnlyCommentsAreTakenAsData(t *testing.T) {
	paragraph := func(content string) string {
		return `{"type":"doc","content":[{"type":"paragraph","content":[` + content + `]}]}`
	}
	tests := []struct {
		name, data string
		want       bool
	}{
		{"a text", paragraph(`{"type":"text","text":"a"}`), true},
		{"a mention alone", paragraph(`{"type":"mention","attrs":{"label":"Ada"}}`), true},
		{"a block without its document", `{"type":"paragraph","content":[{"type":"text","text":"a"}]}`, true},
		{"a code fence", `{"type":"doc","content":[{"type":"code_fence","content":[{"type":"text","text":"a"}]}]}`, true},
		{"a heading", `{"type":"doc","content":[{"type":"heading","content":[{"type":"text","text":"a"}]}]}`, false},
		{"a highlight", paragraph(`{"type":"text","text":"a","marks":[{"type":"highlight"}]}`), false},
		{"white space", paragraph(`{"type":"text","text":" "}`), false},
		{"an empty document", `{"type":"doc"}`, false},
		{"a string", `"a"`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := isComment([]byte(test.data)); got != test.want {
				t.Errorf("IsComment is %t", got)
			}
		})
	}
}

func FuzzCommentText(f *testing.F) {
	for _, text := range []string{"a **b**", "- a\n  1. b", "@[A](mention://x/user/y)", "![a](b)", "`", "<https://a.b>", "__*a*__", "# a\n> b", "&#0;", "==a== $b$ !!c!!", "|a|\n|-|\n|b|", "a\n===", "---", "+++\na\n+++", ":::info\na\n:::"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		data := parseComment(text)
		if !isComment(data) && len(text) < 2*maxNesting && commentLength(data) > len("\u00a0") {
			t.Errorf("%q becomes %s", text, data)
		}
	})
}
