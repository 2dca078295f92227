package written_test

import (
	"fmt"
	"strings"
	"testing"

	"outline-mcp/tools/written"
)

// table returns a page with a table of n rows.
func table(n int) string {
	var b strings.Builder
	b.WriteString("Intro\n\n| Name | Place |\n| --- | --- |\n")
	for i := range n {
		fmt.Fprintf(&b, "| lamp %d | shelf %d |\n", i+1, i+1)
	}
	return b.String() + "\nThe end\n"
}

func TestALineInPlaceOfOthersIsFound(t *testing.T) {
	old := table(100)
	before, rest, _ := strings.Cut(old, "| lamp 10 |")
	_, after, _ := strings.Cut(rest, "| lamp 91 |")
	after = "| lamp 91 |" + after
	for _, line := range []string{
		"… (rows 10 to 90 unchanged) …", "...", "…", "[...]", "[…]", "(...)", ". . .", "| ... | ... |", "| … | |", "| … (rows 10 to 90 unchanged) … | |",
		"<!-- unchanged -->", "<!-- ... rows ... -->", "<!-- rest of the table -->", "// ... existing code ...", "// existing code", "# ... existing code ...",
		"rest unchanged", "Rest unchanged.", "(rest unchanged)", "*(remaining rows unchanged)*", "[rows 10–90 omitted for brevity]", "- ...", "> …",
		"_[Previous content]_", "/* unchanged */", "{/* existing content */}", "The remaining rows stay the same", "[rest of the document unchanged]", "**[... same as before ...]**",
		"(Rest unverändert)", "… übrige Zeilen unverändert …", "(reste inchangé)", "[...] le reste est inchangé", "(sin cambios)", "… resto sin cambios …", "(sem alterações)",
		"[resto invariato]", "(rest ongewijzigd)", "… bez zmian …", "(без изменений)", "… остальное без изменений …", "（以下省略）", "……（其余不变）……", "(변경 없음)", "(oförändrat)",
		"# existing code", "--- unchanged ---", "[snip]", `\[...\]`, "~~~ rows 10 to 90 unchanged ~~~",
	} {
		text := before + line + "\n" + after
		e, found := written.FindElision(old, text, old)
		if !found || e.Text != line || e.Line != strings.Count(before, "\n")+1 || e.Lost < 80 {
			t.Errorf("%s: %+v, %v", line, e, found)
		}
		if e, found := written.FindElision("", text, ""); found {
			t.Errorf("%s in new text: %+v", line, e)
		}
		if e, found := written.FindElision(old, text, text); found {
			t.Errorf("%s of the stored document: %+v", line, e)
		}
		if e, found := written.FindElision(old, strings.Replace(old, "The end", line, 1)+"The end\n", old); found && !strings.Contains(e.Text, line) {
			t.Errorf("%s beside all rows: %+v", line, e)
		}
	}
}

func TestALineBesideWhatItStandsForIsFoundWhereMoreHasChanged(t *testing.T) {
	const code = "```go\nfunc a() {\n\tx := 1\n\ty := 2\n\treturn x\n}\n```\n"
	for _, text := range []string{
		"```go\nfunc a() {\n\t// existing code\n\treturn y\n}\n```\n",
		"```python\n# rest of the code\n```",
		"```sql\n-- unchanged\n```",
		"New intro\n\n... [rest of document unchanged]",
		"New intro. [The rest of the document remains unchanged]",
		"# New\n\nThe first part is new.\n\n(rest of the page as before)",
		"...\n\nNew end",
	} {
		if _, found := written.FindElision(code, text, code); !found {
			t.Errorf("%q", text)
		}
	}
}

func TestALineThatSaysSomethingStandsForNothing(t *testing.T) {
	old := table(30)
	for _, line := range []string{
		"The API stays unchanged.", "## Remaining items", "# Other sections", "- [Existing content](https://example.com/x)", "See the previous section…", "And then... silence",
		"- [ ] no changes in the plan", "Wait…", "Unchanged prices attract customers, and the rest of the market follows a little later.", "| Rest | unchanged since the last time that we met |",
		"The configuration (see above) stays as it is", "The text is the same as above in most respects, but shorter", "Price: 3...5 €", "`...args` collects the rest of the arguments",
		"1. Snip the wire", "The word [sic] was left out of the quotation", "---", "***", "* * *", "No changes are planned for this year", "Existing code",
	} {
		if e, found := written.FindElision(old, "Intro\n\n"+line+"\n", old); found {
			t.Errorf("%s: %+v", line, e)
		}
	}
	quoted := "A new page.\n\nHe said:\n\n> First\n>\n> [...]\n>\n> Last\n\nAnd more.\n\nOf the same length."
	if e, found := written.FindElision("One\n\nTwo\n\nThree\n\nFour", quoted, ""); found {
		t.Errorf("a quotation in a new text: %+v", e)
	}
}
