package edit

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// patience is what a call may take here at most, on a slow machine and with the
// race detector, where quadratic work would take minutes.
const patience = 10 * time.Second

func TestHostileTextsTakeLinearTime(t *testing.T) {
	const size = 1 << 18
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
		"many a":                as[:50_000],
		"many a and b":          as[:50_000] + "b",
		"many a and a space":    as[:50_000] + " ",
		"b and many a":          "b" + as[:50_000],
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
				if took > patience {
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
			if !strings.HasPrefix(text[w.Start:], text[w.Start:w.End]) || time.Since(started) > patience {
				t.Errorf("Widen: %+v, %v", w, time.Since(started))
			}
			if testing.Verbose() {
				t.Logf("Widen: %v", time.Since(started))
			}
			started = time.Now()
			checkDiff(t, text[:size/4], strings.ReplaceAll(as[:size/4], "aa", "ab\n"))
			if took := time.Since(started); took > patience {
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
