package edit

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"outline-mcp/test/fixtures"
)

// handbook returns a document of about size bytes as an Outline workspace
// holds them: paragraphs of one line, lists, tables, code and links.
func handbook(size int) string {
	var b strings.Builder
	for chapter := 1; b.Len() < size; chapter++ {
		fmt.Fprintf(&b, "## %d. Running **service %d** 🚀\n\n", chapter, chapter)
		for i := range 4 {
			fmt.Fprintf(&b, "Team %d keeps its runbooks “next” to the code they describe, so that a change of one reminds the author of the other. "+
				"See [the on-call guide](/doc/on-call-guide-hDYep1TPAM) and `make deploy`; *nobody* is paged for a **green** build.\n\n", chapter*4+i)
		}
		fmt.Fprintf(&b, "\n* [ ] announce service %d in the channel\n* [x] read the [dashboard](https://status.example.com/d/%d)\n"+
			"  * latency under 200 ms\n  * no errors for ten minutes\n\n\\\n"+
			"| Step | Owner | Minutes |\n|------|-------|---------|\n| Build | Ada | 12 |\n| Roll out | Max | 30 |\n\n"+
			"```sh\n# stop the old one first\nsystemctl stop service%d\n```\n\n", chapter, chapter, chapter)
	}
	return b.String()
}

const benchmarkSize = 1 << 20

// middle is the number of a chapter in the middle of the benchmarks' text.
const middle = 400

func benchmark(b *testing.B, text string, run func()) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
}

func BenchmarkFindExact(b *testing.B) {
	text := handbook(benchmarkSize)
	old := fmt.Sprintf("Team %d keeps its runbooks “next” to the code", middle*4)
	benchmark(b, text, func() {
		if m, err := Find(text, old); err != nil || m.Tolerant {
			b.Fatal(m, err)
		}
	})
}

func BenchmarkFindTolerant(b *testing.B) {
	text := handbook(benchmarkSize)
	old := fmt.Sprintf("- [ ] announce service %d in the channel\n- [x] read", middle)
	benchmark(b, text, func() {
		if m, err := Find(text, old); err != nil || !m.Tolerant {
			b.Fatal(m, err)
		}
	})
}

func BenchmarkFindLoosely(b *testing.B) {
	text := handbook(benchmarkSize)
	old := fmt.Sprintf("|Build|Ada|12|\n|Roll out|Max|30|\n\n```sh\n# stop the old one first\nsystemctl stop service%d\n", middle)
	benchmark(b, text, func() {
		if m, err := Find(text, old); err != nil || !m.Tolerant {
			b.Fatal(m, err)
		}
	})
}

func BenchmarkFindNearest(b *testing.B) {
	text := handbook(benchmarkSize)
	chapters := text[len(text)/2:]
	for name, old := range map[string]string{
		"Sentence": fmt.Sprintf("See the on-call guide and make deploy; nobody is paged for a blue build. Team %d", middle*4+2),
		"Word":     "dashbord",
		"Nothing":  "Quarterly revenue grew by seven percent in Norway",
		"100KB":    strings.Replace(chapters[:100_000], "Ada", "Ida", 1),
	} {
		b.Run(name, func(b *testing.B) {
			benchmark(b, text, func() {
				var none *NotFoundError
				if _, err := Find(text, old); !errors.As(err, &none) || (len(none.Nearest) == 0) != (name == "Nothing") {
					b.Fatal(err)
				}
			})
		})
	}
}

func BenchmarkFiftyEdits(b *testing.B) {
	text := handbook(benchmarkSize)
	exact, tolerant := make([]Edit, 50), make([]Edit, 50)
	for i := range exact {
		exact[i] = Edit{Old: fmt.Sprintf("Team %d keeps", 4*15*(i+1)), New: "All keep"}
		tolerant[i] = Edit{Old: fmt.Sprintf("- [ ] announce service %d in", 15*(i+1)), New: "* [x] told"}
	}
	for name, edits := range map[string][]Edit{"Exact": exact, "Tolerant": tolerant} {
		b.Run(name, func(b *testing.B) {
			benchmark(b, text, func() {
				if _, _, err := changesOf(text, edits); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

func BenchmarkWiden(b *testing.B) {
	text := handbook(benchmarkSize)
	at := strings.Index(text, fmt.Sprintf("service%d\n", middle))
	m := Match{Start: at, End: at + len("service")}
	benchmark(b, text, func() {
		if widen(text, m) == m {
			b.Fatal("not widened")
		}
	})
}

func BenchmarkUnified(b *testing.B) {
	text := handbook(benchmarkSize)
	one := strings.Replace(text, fmt.Sprintf("Team %d ", middle*4), "One ", 1)
	lines := splitLines(text)
	for i := 0; i < len(lines); i += len(lines) / 200 {
		lines[i] = "x" + lines[i]
	}
	other := strings.ReplaceAll(text, " ", " \u00a0")
	for name, after := range map[string]string{"OneLine": one, "200Lines": strings.Join(lines, ""), "Unrelated": other} {
		b.Run(name, func(b *testing.B) {
			benchmark(b, text, func() {
				if Unified(text, after, "a", "b").Text == "" {
					b.Fatal("no difference")
				}
			})
		})
	}
}

// patience is what a call may take here at most, on a slow machine and with the
// race detector, where quadratic work would take minutes.
const patience = 10 * time.Second

func TestHostileTextsTakeLinearTime(t *testing.T) {
	size := fixtures.Count(1<<14, 1<<18)
	as := strings.Repeat("a", size)
	texts := map[string]string{
		"one letter":             as,
		"blank lines":            strings.Repeat("\n", size),
		"carriage returns":       strings.Repeat("\r", size),
		"spaces":                 strings.Repeat(" ", size),
		"a line of words":        strings.Repeat("ab cd ", size/6),
		"short lines":            strings.Repeat("a\n", size/2),
		"backslashes":            strings.Repeat("\\\n\n", size/3),
		"quotes":                 strings.Repeat("> ", size/2),
		"bullets":                strings.Repeat("- ", size/2),
		"typographic quotes":     strings.Repeat("“”", size/6),
		"spaces within lines":    "a" + strings.Repeat(" ", size) + "b",
		"breaks":                 strings.Repeat(`\n`, size/2),
		"tags":                   strings.Repeat("a <br> ", size/7),
		"bars":                   strings.Repeat(" | ", size/3),
		"escapes":                strings.Repeat(`\*`, size/2),
		"fences":                 strings.Repeat("+++\n", size/4),
		"one fence":              strings.Repeat("+", size),
		"a passage almost there": strings.Repeat(strings.Repeat("a", 1000)+"b", size/1001),
	}
	passages := map[string]string{
		"a":                     "a",
		"many a":                as[:size/5],
		"many a and b":          as[:size/5] + "b",
		"many a and a space":    as[:size/5] + " ",
		"b and many a":          "b" + as[:size/5],
		"short lines":           strings.Repeat("a\n", 20_000) + "b",
		"words":                 strings.Repeat("ab cd ", 5_000) + "x",
		"blank lines around it": strings.Repeat("\n", 20_000) + "a\"" + strings.Repeat("\n", 20_000),
		"quotation marks":       strings.Repeat(`"`, 20_000),
		"breaks":                strings.Repeat("a\\\n", 20_000),
		"a fence":               "+++\na\n+++",
		"fences":                strings.Repeat("+++\n", 20_000),
		"bullets":               strings.Repeat("* ", 20_000) + "a",
	}
	for textName, text := range texts {
		t.Run(textName, func(t *testing.T) {
			for name, old := range passages {
				started := time.Now()
				_, err := Find(text, old)
				took := time.Since(started)
				if fixtures.Thorough() && took > patience {
					t.Errorf("%s: %v", name, took)
				}
				if testing.Verbose() && took > 100*time.Millisecond {
					t.Logf("%s: %v", name, took)
				}
				if err != nil && utf8.RuneCountInString(err.Error()) > 2500 {
					t.Errorf("%s: the error has %d bytes", name, len(err.Error()))
				}
			}
			started := time.Now()
			w := widen(text, Match{Start: len(text) / 2, End: len(text)/2 + 3})
			if !strings.HasPrefix(text[w.Start:], text[w.Start:w.End]) || fixtures.Thorough() && time.Since(started) > patience {
				t.Errorf("Widen: %+v, %v", w, time.Since(started))
			}
			if testing.Verbose() {
				t.Logf("Widen: %v", time.Since(started))
			}
			started = time.Now()
			checkDiff(t, text[:size/4], strings.ReplaceAll(as[:size/4], "aa", "ab\n"))
			if took := time.Since(started); fixtures.Thorough() && took > patience {
				t.Errorf("Unified: %v", took)
			} else if testing.Verbose() {
				t.Logf("Unified: %v", took)
			}
		})
	}
}

func TestOccurrencesAreCountedUpToAThousand(t *testing.T) {
	for _, n := range []int{999, 1000, 1001, 500_000} {
		text := strings.Repeat("a ’\n", n)
		for old, count := range map[string]int{"a": n, "a '": n, "a '\na '": n - 1} {
			want := fmt.Sprintf("occurs %d times.", count)
			if count > 1000 {
				want = "occurs more than 1,000 times."
			}
			_, err := Find(text, old)
			var several *AmbiguousError
			if !errors.As(err, &several) || !strings.Contains(err.Error(), want) || len(several.Places) != 10 {
				t.Errorf("%q, %d times: %v", old, count, err)
			}
		}
	}
}
