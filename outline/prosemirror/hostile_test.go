package prosemirror

import (
	"runtime"
	"strings"
	"testing"

	"outline-mcp/test/fixtures"
)

// hostile are texts that make a careless parser take quadratic time or overrun
// its stack.
var hostile = map[string]func(n int) string{
	"open brackets":            func(n int) string { return strings.Repeat("[", n) },
	"brackets with text":       func(n int) string { return strings.Repeat("[a](", n/4) },
	"images in images":         func(n int) string { return strings.Repeat("![", n/2) },
	"closed brackets":          func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) },
	"nested links":             func(n int) string { return strings.Repeat("[a", n/10) + strings.Repeat("](b)", n/10) },
	"open emphasis":            func(n int) string { return strings.Repeat("*a ", n/3) },
	"closed emphasis":          func(n int) string { return strings.Repeat("a* ", n/3) },
	"mixed emphasis":           func(n int) string { return strings.Repeat("*a_", n/3) },
	"long run of stars":        func(n int) string { return strings.Repeat("*", n) + "a" },
	"runs of stars":            func(n int) string { return strings.Repeat("a**b", n/4) + strings.Repeat("c* ", n/4) },
	"strike runs":              func(n int) string { return strings.Repeat("~~a", n/3) },
	"highlight runs":           func(n int) string { return strings.Repeat("==a ", n/4) },
	"placeholder runs":         func(n int) string { return strings.Repeat("!!a", n/3) },
	"backticks of all lengths": func(n int) string { return ticks(n) },
	"dollars":                  func(n int) string { return strings.Repeat("$a ", n/3) },
	"escaped dollars":          func(n int) string { return "$" + strings.Repeat(`\$`, n/2) },
	"dollars and slashes":      func(n int) string { return strings.Repeat(`$\\`, n/3) },
	"angle brackets":           func(n int) string { return strings.Repeat("<", n) },
	"autolinks":                func(n int) string { return strings.Repeat("<a:", n/3) },
	"ampersands":               func(n int) string { return strings.Repeat("&", n) },
	"colons":                   func(n int) string { return strings.Repeat(":a", n/2) },
	"custom emoji":             func(n int) string { return strings.Repeat(":11111111-1111-4111-8111-111111111111", n/37) },
	"backslashes":              func(n int) string { return strings.Repeat(`\`, n) },
	"breaks":                   func(n int) string { return strings.Repeat(`\n`, n/2) },
	"break tags":               func(n int) string { return "| a |\n|---|\n| " + strings.Repeat("<br>", n/4) + " |" },
	"open break tags":          func(n int) string { return "| a |\n|---|\n| " + strings.Repeat("<br", n/3) + " |" },
	"blank break tags":         func(n int) string { return strings.Repeat("<br"+strings.Repeat(" ", 40), n/43) },
	"quotes":                   func(n int) string { return strings.Repeat("> ", n/2) + "a" },
	"lazy quotes":              func(n int) string { return strings.Repeat("> ", 200) + "a\n" + strings.Repeat("b\n", n/2) },
	"quoted lines":             func(n int) string { return strings.Repeat(strings.Repeat(">", 90)+"a\n", n/92) },
	"nested lists":             func(n int) string { return strings.Repeat("* ", n/2) + "a" },
	"lists in items":           func(n int) string { return strings.Repeat(strings.Repeat("- ", 40)+"a\n", n/82) },
	"indented lists":           func(n int) string { return stairs(n) },
	"many items":               func(n int) string { return strings.Repeat("* a\n", n/4) },
	"checkboxes":               func(n int) string { return strings.Repeat("- [ ] a\n", n/8) },
	"callouts":                 func(n int) string { return strings.Repeat(":::a\n", n/5) },
	"toggles":                  func(n int) string { return strings.Repeat("+++\n", n/4) },
	"callouts in items":        func(n int) string { return strings.Repeat("* :::a\n", n/7) },
	"callouts in quotes":       func(n int) string { return strings.Repeat("> :::a\n", n/7) },
	"fences":                   func(n int) string { return strings.Repeat("```\n~~~\n", n/8) },
	"math":                     func(n int) string { return strings.Repeat("$$a\n\n", n/5) },
	"references":               func(n int) string { return strings.Repeat("[a]: b\n", n/7) },
	"open reference":           func(n int) string { return strings.Repeat("[a\n", n/3) },
	"long label":               func(n int) string { return "[" + strings.Repeat("a\n", n/2) },
	"open reference title":     func(n int) string { return "[a]: b '" + strings.Repeat("c\n", n/2) },
	"reference paragraphs":     func(n int) string { return strings.Repeat("[a]: b '\n", n/9) },
	"many definitions":         func(n int) string { return strings.Repeat("[a]: <b> 'c\n\n", n/13) },
	"setext lines":             func(n int) string { return strings.Repeat("a\n", n/2) + "===" },
	"short rows":               func(n int) string { return shortRows(n) },
	"table lookalikes":         func(n int) string { return strings.Repeat("|-\n", n/3) },
	"escaped bars":             func(n int) string { return "| a |\n|---|\n| " + strings.Repeat(`\|`, n/2) },
	"empty paragraphs":         func(n int) string { return strings.Repeat("\\\n", n/2) },
	"blank lines":              func(n int) string { return strings.Repeat(" \n", n/2) },
	"tabs":                     func(n int) string { return strings.Repeat("\t", n) + "a" },
	"letters":                  func(n int) string { return strings.Repeat("a. b\n", n/5) },
	"titles":                   func(n int) string { return strings.Repeat(`[a](b "`, n/7) },
	"parentheses":              func(n int) string { return "[a](" + strings.Repeat("(", n) },
	"destinations":             func(n int) string { return strings.Repeat("[a](<b", n/6) },
	"mentions":                 func(n int) string { return strings.Repeat("@[a](mention://a/b/c)", n/20) },
	"attachments":              func(n int) string { return strings.Repeat("[a](/api/files.get)", n/19) },
	"invalid UTF-8":            func(n int) string { return strings.Repeat("\xff*", n/2) },
	"NUL":                      func(n int) string { return strings.Repeat("\x00", n) },
	"isolated links":           func(n int) string { return strings.Repeat("- [a](/api/files.get) **", n/24) },
	"lists ever deeper":        func(n int) string { return deepening(n) },
	"blank lines in a list":    func(n int) string { return strings.Repeat("- ", 49) + "# a\n" + strings.Repeat(" \n", n/2) + "b" },
	"headings in quotes":       func(n int) string { return strings.Repeat(strings.Repeat("> ", 90)+"# a\n\n", n/185) },
	"empty headings":           func(n int) string { return strings.Repeat("#\n", n/2) },
	"ever deeper headings":     func(n int) string { return strings.Repeat("# a\n## b\n### c\n#### d\n", n/22) },
	"underlined headings":      func(n int) string { return strings.Repeat("a\n=\n", n/4) },
	"a heading of brackets":    func(n int) string { return "# " + strings.Repeat("[](", n/3) },
	"a heading of images":      func(n int) string { return "# " + strings.Repeat("![a](<b", n/7) },
	"a heading of emphasis":    func(n int) string { return "# a" + strings.Repeat("**b", n/6) + strings.Repeat("c* ", n/6) },
	"a heading of highlights":  func(n int) string { return "# a" + strings.Repeat("~~b==", n/10) + strings.Repeat("c~~c== ", n/14) },
	"a heading of code signs":  func(n int) string { return "# " + ticks(n) },
	"a heading of entities":    func(n int) string { return "# " + strings.Repeat("&a", n/2) + ";" },
	"long URLs":                func(n int) string { return "[a](http://" + strings.Repeat("é.", n/3) + ")" },
}

func ticks(n int) string {
	var b strings.Builder
	for length := 1; b.Len() < n; length++ {
		b.WriteString(strings.Repeat("`", length) + " ")
	}
	return b.String()
}

func stairs(n int) string {
	var b strings.Builder
	for indent := 0; b.Len() < n; indent++ {
		b.WriteString(strings.Repeat("  ", indent%300) + "* a\n")
	}
	return b.String()
}

func deepening(n int) string {
	var b strings.Builder
	for indent := 0; b.Len() < n; indent++ {
		b.WriteString(strings.Repeat("  ", indent) + "- a\n")
	}
	return b.String()
}

func shortRows(n int) string {
	return strings.Repeat("a|", 200) + "\n" + strings.Repeat("-|", 200) + "\n" + strings.Repeat("a\n", n/2)
}

func TestHostileTextTakesLinearTime(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			fixtures.TakesLinearTime(t, 1<<14, func(size int) {
				markdown := text(size)
				Parse(Main.Serialize(Parse(markdown)))
				Dropped(IsolateFileLinks(markdown))
				Sections(markdown)
				Words(markdown)
			})
		})
	}
}

func TestReadingHostileTextTakesMemoryInProportionToIt(t *testing.T) {
	size := fixtures.Count(4<<10, 64<<10)
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			source := text(size)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			Sections(source)
			Words(source)
			runtime.ReadMemStats(&after)
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 2000*uint64(size) {
				t.Errorf("allocated %d bytes for each of the text", allocated/uint64(size))
			}
		})
	}
}
