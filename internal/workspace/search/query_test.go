package search

import (
	"slices"
	"strings"
	"testing"
)

func TestParseQuery(t *testing.T) {
	tests := []struct {
		text   string
		want   []string // the words of each phrase, with their offsets as dots
		prefix bool
	}{
		{`deploy`, []string{"deploy"}, true},
		{`deploy guides`, []string{"deploy", "guide"}, false},
		{`"deploy guide"`, []string{"deploy.guide"}, false},
		{`"guide to the deploy" now x`, []string{"guide...deploy", "x"}, false},
		{`"the guide"`, []string{"guide"}, false},
		{`on-call`, []string{"call"}, true},
		{`"a"b"c`, []string{"b", "c"}, false},
		{`"`, nil, false},
		{`""`, nil, false},
	}
	for _, test := range tests {
		q := ParseQuery(test.text)
		var got []string
		for _, p := range q.phrases {
			text := ""
			at := 0
			for _, word := range p {
				text += strings.Repeat(".", word.offset-at) + word.term
				at = word.offset
			}
			got = append(got, text)
		}
		if !slices.Equal(got, test.want) || q.prefix != test.prefix {
			t.Errorf("%s is %q %v, want %q %v", test.text, got, q.prefix, test.want, test.prefix)
		}
	}
}

func TestFoldUnitesPluralsAndSingulars(t *testing.T) {
	for plural, singular := range map[string]string{
		"Expenses": "expense", "policies": "policy", "addresses": "address", "boxes": "box",
		"branches": "branch", "dishes": "dish", "guides": "guide", "status": "status",
		"analysis": "analysis", "glass": "glass", "bus": "bus", "ÄPFELS": "äpfel",
	} {
		for _, word := range []string{plural, singular} {
			if got, _ := fold(word); got != singular {
				t.Errorf("%s is compared as %q, want %q", word, got, singular)
			}
		}
	}
	if _, ok := fold("Does"); ok {
		t.Error("a stop word is looked for")
	}
}
