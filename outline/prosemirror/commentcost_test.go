package prosemirror_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"outline-mcp/outline/prosemirror"
)

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
			measure := func(n int) time.Duration {
				body := data(n)
				best := time.Duration(1 << 62)
				for range 5 {
					start := time.Now()
					if rendered(t, body) == "" {
						t.Fatal("nothing was rendered")
					}
					best = min(best, time.Since(start))
				}
				return best
			}
			small, large := measure(500), measure(8_000)
			if times := float64(large) / float64(small); times > 160 {
				t.Errorf("16 times the text took %.0f times as long (%v, %v)", times, small, large)
			}
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
