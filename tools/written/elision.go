// Package written looks at text before it is sent to Outline, and finds what its author
// did not mean: lines that stand for text left out, line breaks written as two characters,
// Markdown of other programs, and signs of text that Outline reads as its own forms. Text
// that has none of these stays as it is.
package written

import (
	"regexp"
	"strings"
	"sync"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// An Elision is a line of a text that stands for lines of the text that it replaces.
type Elision struct {
	Line int    // from 1
	Text string // the line, without blanks around it
	Lost int    // lines of the old text that are missing there
}

// FindElision returns the first line of a text that stands for lines of the old text, such
// as "…", "[...]", "// existing code" or "(rest unchanged)". A line does so only where
// lines of the old text are missing, and not if the stored document has it.
func FindElision(old, text, stored string) (Elision, bool) {
	before, after := linesOf(old), linesOf(text)
	var known map[string]bool
	for _, d := range lcs.DiffLines(contents(before), contents(after)) {
		lost := d.End - d.Start
		if lost == 0 {
			continue
		}
		others, first, sure := 0, -1, kind(0)
		for i := d.ReplStart; i < d.ReplEnd; i++ {
			kind := after[i].kind()
			if kind != 0 && known == nil {
				known = map[string]bool{}
				for _, line := range append(linesOf(stored), before...) {
					known[line.plain()] = true
				}
			}
			if kind == 0 || known[after[i].plain()] {
				others++
			} else if kind > sure {
				first, sure = i, kind
			}
		}
		// Dots may be part of a new text: at its edge they stand for what is beside it.
		edge := first == d.ReplStart || first == d.ReplEnd-1
		if sure == named || sure == partial && lost > others || sure == dots && (lost > others+1 || lost > others && edge) {
			return Elision{after[first].number, after[first].text, max(lost-others, 1)}, true
		}
	}
	return Elision{}, false
}

// A line is a line that is not blank, without blanks around it.
type line struct {
	text   string
	number int  // from 1
	code   bool // whether it is in a code block
}

func linesOf(text string) (lines []line) {
	number, code := 0, false
	for s := range strings.Lines(text) {
		number++
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		if strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~") {
			code = !code
		}
		lines = append(lines, line{s, number, code})
	}
	return lines
}

func contents(lines []line) []string {
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = line.text
	}
	return texts
}

// plain returns the line without the escapes that Outline adds.
func (l line) plain() string { return strings.ReplaceAll(l.text, `\`, "") }

// A kind tells how sure it is that a line stands for others; 0: it does not.
type kind int

const (
	dots    kind = iota + 1 // it has dots only
	partial                 // a part of it says that something is left out, or it may be a heading
	named                   // all of it says so
)

// longestElision is the maximum length of a line that stands for others, in bytes.
const longestElision = 200

// kind looks at the words of the line, without the signs around them: those of items,
// cells, quotes, comments and emphasis, brackets and dots.
func (l line) kind() kind {
	if len(l.text) > longestElision {
		return 0
	}
	core := strings.Trim(l.text, signs)
	if core == "" {
		if hasDots(l.text) {
			return dots
		}
		return 0
	}
	start := strings.Index(l.text, core)
	before, after := l.text[:start], l.text[start+len(core):]
	comment := strings.HasPrefix(before, "<!--") || strings.HasPrefix(before, "//") || strings.Contains(before, "/*") ||
		l.code && strings.ContainsAny(before, "#-;%")
	led, trailed := hasDots(before), hasDots(after)
	core = strings.ToLower(core)
	stays, begins := core == "snip" || containsAny(core, unchanged), beginsRest(core)
	switch {
	case !stays && !(comment && led) && !namesRest(core):
		return 0
	case strings.Count(core, " ") > 12, strings.Contains(core, "]("):
	case comment && (begins || stays && strings.Count(core, " ") <= 3), led, trailed && (stays || begins), stays && begins && !strings.Contains(core, "|"),
		strings.ContainsAny(before, openings) && strings.ContainsAny(after, closings):
		return named
	case strings.HasPrefix(before, "# ") && begins && strings.HasPrefix(l.text[start:], core):
		return partial // a heading would begin with a capital
	}
	if stays {
		for _, part := range inBrackets().FindAllString(strings.ToLower(l.text), -1) {
			if containsAny(part, unchanged) && (hasDots(part) || beginsRest(strings.Trim(part, signs))) {
				return partial
			}
		}
	}
	return 0
}

const (
	openings, closings = "([{<（【〔［", ")]}>）】〕］"
	signs              = " \t\\.…⋯⋮。|*#/_~:;,!+%0123456789-\"'`‹›«»" + openings + closings
)

// inBrackets matches a part of a line that is in brackets or between dots.
var inBrackets = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[` + regexp.QuoteMeta(openings) + `][^\[\](){}（）【】<>]{3,120}[` + regexp.QuoteMeta(closings) + `]` +
		`|(?:\.{3}|…)[^.…]{3,120}(?:\.{3}|…)`)
})

func hasDots(text string) bool {
	return strings.Contains(text, "...") || strings.ContainsAny(text, "…⋯⋮") || strings.Contains(text, ". . .") || strings.Contains(text, "[..]")
}

func containsAny(text, phrases string) bool {
	for phrase := range strings.SplitSeq(phrases, "|") {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}

// unchanged is how languages say that text stays or is left out, in lower case.
const unchanged = "unchanged|unmodified|unaltered|untouched|not changed|no change|same as |the same|as before|as is|as-is|omitted|truncated|elided|snipped|left out|for brevity|continue|" +
	"unverändert|ungeändert|bleibt gleich|bleiben gleich|wie bisher|wie oben|wie zuvor|wie vorher|ausgelassen|weggelassen|gekürzt|" + // German
	"inchang|sans changement|sans modification|comme avant|omis|sin cambio|sin modific|igual que antes|sem alteraç|sem mudança|inalterad|invariat|immutat|senza modifiche|omess|neschimbat|" + // Romance languages
	"ongewijzigd|onveranderd|weggelaten|oförändra|utelämna|uændre|uendre|utelatt|udeladt|ennallaan|muuttumat|változatlan|" + // Dutch, Nordic languages, Hungarian
	"bez zmian|pominięt|beze změn|vynechán|bez zmeny|непромен|без изменени|не изменен|пропущен|опущен|без змін|αμετάβλητ|" + // Slavic languages, Greek
	"değişme|değişiklik yok|aynı kal|ללא שינוי|دون تغيير|بدون تغيير|अपरिवर्तित|" +
	"変更な|変更無|省略|以下略|以下同|中略|不变|不變|未更改|未修改|未变|未變|无更改|无变化|无变更|无修改|無變更|無修改|相同|변경 없음|변경없음|그대로|생략|동일"

// beginsRest reports whether words begin like those for what is left of a text.
func beginsRest(words string) bool {
	for _, article := range []string{"the ", "all ", "and ", "keep ", "le ", "el ", "il ", "o ", "de ", "der ", "die ", "das ", "i "} {
		words = strings.TrimPrefix(words, article)
	}
	for begin := range strings.SplitSeq("rest|remain|other|everything else|existing|previous|unchanged|same as|rows |lines |sections |übrige|unverändert|inchang|sin cambio|sem alteraç|zbytek|остал|без измен|решта|以下|其余|其餘|나머지", "|") {
		if strings.HasPrefix(words, begin) {
			return true
		}
	}
	return false
}

// namesRest reports whether words name text that is there already, such as "existing code".
func namesRest(words string) bool {
	fields := strings.Fields(words)
	for i, word := range fields {
		if strings.Contains("|existing|previous|original|remaining|other|same|more|rest|", "|"+word+"|") {
			for _, noun := range fields[i+1 : min(i+4, len(fields))] {
				if strings.Contains("|code|content|text|row|line|section|item|entrie|paragraph|document|page|file|table|list|body|step|function|method|import|", "|"+strings.TrimSuffix(noun, "s")+"|") {
					return true
				}
			}
		}
	}
	return false
}
