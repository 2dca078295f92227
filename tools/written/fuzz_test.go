package written_test

import (
	"runtime"
	"strings"
	"testing"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/tools/written"
)

// FuzzAdapt adapts a text with front matter and tags: what that takes grows with the text
// and its marks alone, and an adapted text stays as it is.
func FuzzAdapt(f *testing.F) {
	for _, seed := range []string{"a: b\na: c\n", "a: &a [*a, {b: *a}]\n", "a: |\n b\n? c\n: !!d e\n", "[a]: {{{{", "\"a\": \"\\x41\nb\"\n", "<<: {a: b}\n", "a = 1\n[b]\n"} {
		f.Add(seed, "<b>a</b> <details>\n<summary>b</summary>\n\nc\n</details> <img src=a> [^1] :x: [[a]] \\(x^2\\)")
	}
	f.Fuzz(func(t *testing.T, matter, text string) {
		text = "---\n" + matter + "---\n\n" + text
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		adapted, _, err := written.Adapt(text, written.Place{Parse: prosemirror.Parse})
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		if took := int(after.TotalAlloc - before.TotalAlloc); took > 4<<20+3000*len(text)+20_000*prosemirror.CountMarks(text)+100_000*strings.Count(text, "|") {
			t.Errorf("%d bytes are allocated for %d with %d marks", took, len(text), prosemirror.CountMarks(text))
		}
		if strings.HasPrefix(adapted, "---\n") && adapted != text && strings.Contains(adapted, "```yaml\n"+matter) {
			t.Errorf("the front matter is there twice: %q", adapted)
		}
	})
}
