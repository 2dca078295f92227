package markdown

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// fill repeats s up to about size bytes.
func fill(s string, size int) string { return strings.Repeat(s, size/len(s)) }

// hostile are documents of a given size, each made to cost as much as possible.
// A parser without limits takes seconds or gigabytes for most of them.
var hostile = []struct {
	name  string
	write func(size int) string
}{
	{"nested quotes", func(n int) string { return fill(">", n) }},
	{"nested quotes with tabs", func(n int) string { return fill(">\t", n) }},
	{"nested lists", func(n int) string { return fill("- ", n) + "x" }},
	{"nested lists with tabs", func(n int) string { return fill("-\t", n) + "x" }},
	{"nested numbered lists", func(n int) string { return fill("1. ", n) + "x" }},
	{"nested quotes and lists", func(n int) string { return fill("> - ", n) + "x" }},
	{"lines of nested quotes", func(n int) string { return fill(fill(">", 2*maxNesting)+"a\n", n) }},
	{"lists ever deeper", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(strings.Repeat(" ", i*2) + "- a\n")
		}
		return b.String()
	}},
	{"blank lines", func(n int) string { return fill("\n", n) }},
	{"blank lines in a deep list", func(n int) string {
		return fill("- ", maxNesting-2) + "a\n" + fill("\n", n) + fill(" ", maxNesting) + "b"
	}},
	{"blank lines of spaces in a deep list", func(n int) string {
		return fill("- ", maxNesting-2) + "a\n" + fill(" \n", n) + fill(" ", maxNesting) + "b"
	}},
	{"short lines", func(n int) string { return fill("a\n", n) }},
	{"short items", func(n int) string { return fill("-\n", n) }},
	{"empty headings", func(n int) string { return fill("#\n", n) }},
	{"underlined headings", func(n int) string { return fill("a\n=\n", n) }},
	{"one long underlined heading", func(n int) string { return fill("a\n", n) + "===" }},
	{"one long heading of brackets", func(n int) string { return "# " + fill("[](", n) }},
	{"brackets", func(n int) string { return fill("[", n) }},
	{"headings of brackets", func(n int) string { return fill("# "+fill("[](", maxHeadingBytes-9)+"\n", n) }},
	{"headings of open images", func(n int) string { return fill("# "+fill("![a](<b", maxHeadingBytes-9)+"\n", n) }},
	{"headings of emphasis", func(n int) string {
		half := maxHeadingBytes/2 - 9
		return fill("# a"+fill("**b", half)+fill("c* ", half)+"\n", n)
	}},
	{"headings of highlights", func(n int) string {
		half := maxHeadingBytes/2 - 9
		return fill("# a"+fill("~~b==", half)+fill("c~~c== ", half)+"\n", n)
	}},
	{"headings of code marks", func(n int) string {
		return fill("# "+fill("` `` ``` ```` ````` ", maxHeadingBytes-9)+"\n", n)
	}},
	{"headings of entities", func(n int) string { return fill("# "+fill("&a", maxHeadingBytes-9)+";\n", n) }},
	{"definitions", func(n int) string { return fill("[a]: b\n", n) }},
	{"definitions with open titles", func(n int) string { return fill("[a]: b\n(\n", n) }},
	{"paragraphs of definitions with open titles", func(n int) string {
		return fill(fill("[a]: b\n(\n", maxReferenceText-9)+"\n", n)
	}},
	{"a wide table of short rows", func(n int) string {
		return "|" + fill("a|", 200) + "\n|" + fill("-|", 200) + "\n" + fill("a\n", n)
	}},
	{"delimiter rows", func(n int) string { return fill("|-\n", n) }},
	{"tags in a line", func(n int) string { return fill("<a", n) }},
	{"link targets in a line", func(n int) string { return fill("](", n) }},
	{"notices", func(n int) string { return fill(":::a\n", n) }},
}

func TestHostileDocumentsCostLittleMoreThanOthers(t *testing.T) {
	const size = 256 << 10
	cost := func(source string) (time.Duration, uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		Sections(source)
		Words(source)
		elapsed := time.Since(start)
		runtime.ReadMemStats(&after)
		return elapsed, after.TotalAlloc - before.TotalAlloc
	}
	ordinary, _ := cost(handbook(size))
	for _, document := range hostile {
		t.Run(document.name, func(t *testing.T) {
			elapsed, memory := cost(document.write(size))
			// The dearest of them takes 25 times as long and allocates 350 bytes
			// for a byte. Growth that is not linear is far beyond at this size.
			if elapsed > 150*ordinary {
				t.Errorf("took %v, an ordinary document of the size %v", elapsed, ordinary)
			}
			if memory > 1000*size {
				t.Errorf("allocated %d bytes for each of the document", memory/size)
			}
		})
	}
}
