package prosemirror

import (
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"outline-mcp/test/fixtures"
)

// TestNothingButMarksMakesParsingTakeMuchMemory parses repeated combinations of all signs,
// and the hostile texts.
func TestNothingButMarksMakesParsingTakeMuchMemory(t *testing.T) {
	signs := append(strings.Split("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \n\r\t1aé", ""), "\r\n", "a\u0301", "👨‍👩‍👧", "&amp;", "<br>", ":x:", "- ", "1. ", "[ ] ", "[a](b)", "<a:b>", "<a@b>",
		"http://a.b", "[^1]", "[[a]]", "mention://user/a", "/api/attachments.redirect?id=a", "\n\n", "\n    ", "|-", "```\n", ":::a\n", "+++\n", "$$")
	r := rand.New(rand.NewPCG(1, 1))
	texts := map[string]string{}
	for range fixtures.Count(100, 10_000) {
		unit := ""
		for range 1 + r.IntN(4) {
			unit += signs[r.IntN(len(signs))]
		}
		texts[unit] = strings.Repeat(unit, 1<<13/len(unit))
	}
	for name, text := range hostile {
		texts[name] = text(1 << 13)
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Parse(text)
		runtime.ReadMemStats(&after)
		most := 100*len(text) + 2500*CountMarks(text) + 2000*min(TableCells(text), maxFilledCells) + 1<<16
		if took := int(after.TotalAlloc - before.TotalAlloc); took > most {
			t.Errorf("%q: %d bytes for %d marks, at most %d expected", name, took, CountMarks(text), most)
		}
	}
}

func TestATextIsParsedUpToALimit(t *testing.T) {
	for text, want := range map[string]int{
		strings.Repeat("*", MaxMarks+1):                    1,
		strings.Repeat("a\n\n", MaxMarks):                  MaxMarks / 2,
		strings.Repeat("word ", MaxMarks):                  1,
		strings.Repeat("a\r\r", MaxMarks/2) + "\n\nb\n\nc": MaxMarks / 2,
		shortRows(1 << 16):                                 1,
	} {
		if got := len(Parse(text).Content); got > want+1 || got < want-1 {
			t.Errorf("%.20q: %d blocks, want %d", text, got, want)
		}
	}
}
