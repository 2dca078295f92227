package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// handbook returns a document of about size bytes as an Outline workspace
// holds them: paragraphs of one line, lists, tables, code, notices and links.
func handbook(size int) string {
	var b strings.Builder
	for chapter := 1; b.Len() < size; chapter++ {
		fmt.Fprintf(&b, "## %d. Running **service %d** 🚀\n\n", chapter, chapter)
		for range 4 {
			b.WriteString("Every team keeps its runbooks next to the code they describe, so that a change of one reminds the author of the other. " +
				"See [the on-call guide](/doc/on-call-guide-hDYep1TPAM) and `make deploy`; *nobody* is paged for a **green** build.\n\n")
		}
		fmt.Fprintf(&b, "### Checklist for `service-%d`\n\n", chapter)
		b.WriteString("- [ ] announce it in the channel\n- [x] read the [dashboard](https://status.example.com/d/42)\n  * latency under 200 ms\n  * no errors for ten minutes\n- [ ] write down what happened\n\n" +
			"| Step | Owner | Minutes |\n|------|-------|---------|\n| Build | Ada | 12 |\n| Roll out | Max | 30 |\n\n" +
			"```sh\n# stop the old one first\nsystemctl stop service\n```\n\n:::info\nAsk before you roll back.\n\n:::\n\n")
	}
	return b.String()
}

const benchmarkSize = 1 << 20

func BenchmarkGoldmarkParserAlone(b *testing.B) {
	source := []byte(handbook(benchmarkSize))
	parser := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		parser.Parse(text.NewReader(source))
	}
}

func BenchmarkSections(b *testing.B) {
	source := handbook(benchmarkSize)
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		Sections(source)
	}
}

func BenchmarkWords(b *testing.B) {
	source := handbook(benchmarkSize)
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		Words(source)
	}
}

func BenchmarkWindow(b *testing.B) {
	source := handbook(benchmarkSize)
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		Window(source, 10_000, 200)
	}
}

func BenchmarkFind(b *testing.B) {
	headings := Headings(handbook(benchmarkSize))
	b.ReportMetric(float64(len(headings)), "headings")
	b.ReportAllocs()
	for b.Loop() {
		Find(headings, "## 100. Running service 100 🚀")
	}
}
