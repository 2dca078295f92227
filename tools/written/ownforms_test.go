package written_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools/written"
)

// TestWhatWasMeantIsWrittenOrTold: what a text becomes, the forms that are told, and, if it
// is not the text itself, what the page then shows. Texts that are told and not changed are
// read by Outline as they are.
func TestWhatWasMeantIsWrittenOrTold(t *testing.T) {
	for _, test := range []struct{ text, want, told, shows string }{
		// Written so that the page shows what was written.
		{`C:\new`, `C:\\new`, "", `C:\new`},
		{`Open C:\dir\new, \\host\name and src\new\a.go`, `Open C:\dir\\new, \\host\\name and src\\new\a.go`, "", ""},
		{`Call printf("a\n") and match [^\n]+`, `Call printf("a\\n") and match [^\\n]+`, "", `Call printf("a\n") and match [^\n]+`},
		{`see \next`, `see \\next`, "", `see \next`},
		{"a:b:c, key:v:value, 1:100:1, urn:x:y", `a\:b:c, key\:v:value, 1\:100:1, urn\:x:y`, "", "a:b:c, key:v:value, 1:100:1, urn:x:y"},
		{"id:bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb:x", `id\:bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb:x`, "", "id:bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb:x"},
		{"__init__ and __my_name__ and a.__foo__()", `\_\_init\_\_ and \_\_my_name\_\_ and a.\_\_foo\_\_()`, "", "__init__ and __my_name__ and a.__foo__()"},
		{"A. Smith wrote", `A\. Smith wrote`, "", "A. Smith wrote"},
		{"I. Introduction\nII. Body", "I\\. Introduction\nII. Body", "", "I. Introduction II. Body"},
		{"10$-20$, $5 and 6$, a$b$c, $HOME/bin:$PATH", `10\$-20\$, \$5 and 6\$, a\$b\$c, \$HOME/bin:\$PATH`, "", "10$-20$, $5 and 6$, a$b$c, $HOME/bin:$PATH"},
		{"a!!b!!c", `a\!\!b\!\!c`, "", "a!!b!!c"},
		{"a ==> b <== c", `a \=\=> b <\=\= c`, "", "a ==> b <== c"},
		{`- \[ ] a`, `- \[ \] a`, "", "[ ] a"},
		{"- a [ ] b\n- see [x] here", "- a [ \\] b\n- see [x\\] here", "", "a [ ] bsee [x] here"},
		{"- a\n  b [x] c", "- a\n  b [x\\] c", "", "a b [x] c"},
		{"- write `- [ ] a`", "", "checkbox in code", ""},
		{`- [ ] \*a`, `- [ ] *a`, "", "*a"},
		{`- [x] &amp; a`, `- [x] & a`, "", "& a"},
		// Emphasis of which CommonMark shows the signs.
		{"**重要：**これは", "**重要：**&#12371;れは", "", "重要：これは"},
		{"**Wichtig:**Text", "**Wichtig:**&#84;ext", "", "Wichtig:Text"},
		{"a**(b)**c", "&#97;**(b)**&#99;", "", "a(b)c"},
		{"**50%**です", "**50%**&#12391;す", "", "50%です"},
		{"**「A」**と**「B」**", "**「A」**&#12392;**「B」**", "", "「A」と「B」"},
		{"**`x`**を", "**`x`**&#12434;", "", "xを"},
		{"~~旧：~~新", "~~旧：~~&#26032;", "", "旧：新"},
		{"**a\u00a0**b", "", "emphasis", "**a\u00a0**b"},
		{"*a *b* c*", "", "emphasis in emphasis", ""},
		// Both may be meant.
		{"a==b and c==d", "", "highlight", "ab and cd"},
		{"x==1 || y==2", "", "highlight", ""},
		{"$a and b$", "", "formula", ""},
		{`Use \n to break`, "", "line break", "Use to break"},
		{`dir\name`, "", "line break", ""},
		{`%APPDATA%\npm`, "", "line break", ""},
		{`log in as DOMAIN\nina`, "", "line break", ""},
		{`D:\data\new folder\n1`, `D:\data\\new folder\n1`, "line break", ""},
		{"A $20 note. $a and $b. A$B$C", "", "formula", ""},
		{"0. a\n1. b", "", "list from 0", ""},
		{"- [ ]", "", "task without text", "[ ]"},
		{"| A |\n|---|\n| - [ ] **a** |", "", "task in a table", "A**a**"},
		// What would take in the rest, or be lost.
		{"a\n\n:::\n\nb", "a\n\n\\:::\n\nb", "block without its end", "a:::b"},
		{":::x", `\:::x`, "block without its end", ":::x"},
		{"a\n\n+++\n\nb", "a\n\n\\+++\n\nb", "block without its end", "a+++b"},
		{"a\n\n$$\n\nb", "a\n\n\\$\\$\n\nb", "block without its end", "a$$b"},
		{"- $$\n- next", "- \\$\\$\n- next", "block without its end", "$$next"},
		{"$$x$$ is a word\n\nb", `\$\$x\$\$ is a word` + "\n\nb", "block without its end", "$$x$$ is a wordb"},
		{"```\na\n\nb", "", "block without its end", ""},
		{":::info\na\n\nb", "", "block without its end", ""},
		{"- a\n- [ ] b", "- a\n* [ ] b", "list of tasks and plain items", "ab"},
		{"- [ ] b\n- a\n* c", "- [ ] b\n* a\n* c", "list of tasks and plain items", "bac"},
		{"1. x\n   - a\n   - [x] b\n   - c", "1. x\n   - a\n   * [x] b\n   - c", "list of tasks and plain items", "xabc"},
		// Outline's own forms, and what it and CommonMark read alike.
		{"==x== __x__ $x$ $E = mc^2$ !!x!! :tada:", "", "", ""},
		{"我==x==的 是$x$的 完成:tada:了", "", "", ""},
		{`First.\nSecond, third.\n\nFourth`, "", "", ""},
		{"| a |\n|---|\n| b\\nC |", "", "", ""},
		{"a. one\nb. two\n\nText\n\nA. one\nB. two", "", "", ""},
		{"1. one\n   a. two", "", "", ""},
		{":::info\nx\n:::\n\n+++\nh\n\nb\n+++\n\n$$\nx\n$$", "", "", ""},
		{"- [ ] a\n- [x] b [x] c\n  - d", "", "", ""},
		{"2**(n-1) + 3**k, 5*(3*2), x==[1], f(*args, **kw), *.go and *.md", "", "", ""},
		{"__Note__: __a b__. __Wichtig__.", "", "", ""},
		{"Copy *.txt and foo.*bar, .*? and x.*y, *.txt和foo.*文, **/*.go and a/**b, 2**(3)**4", "", "", ""},
		{"**a\u00a0**", "", "emphasis", ""},
		{"<https://example.com/a:100:b>", "", "", ""},
		{"| a |\n|---|\n| Ports:\\n80 |\n| Steps:\\nfirst |", "", "", ""},
		{"at 10:30:45, `a:b:c`, `C:\\new`, [a](https://example.com/__init__)", "", "", ""},
		{"```\nC:\\new a:b:c __init__\n```", "", "", ""},
		{"**a** *b* ~~c~~ **重要**：これは **Note**: x", "", "", ""},
		{"costs $5 and $6", "", "", ""},
		{`C:\\new a\:b:c \_\_init\_\_ A\. Smith`, "", "", ""},
	} {
		if test.want == "" {
			test.want = test.text
		}
		got, parts, err := written.Adapt(test.text, document)
		if got != test.want || err != nil {
			t.Errorf("%q became %q, want %q (%v)", test.text, got, test.want, err)
		}
		var told []string
		for _, part := range parts {
			told = append(told, part.Name)
		}
		if told = slices.Compact(told); strings.Join(told, " ") != test.told {
			t.Errorf("%q: told %q, want %q", test.text, told, test.told)
		}
		if shown := shownBy(prosemirror.Parse(got)); test.shows != "" && shown != test.shows {
			t.Errorf("%q shows %q, want %q", test.text, shown, test.shows)
		}
		if drops := prosemirror.Dropped(got); len(drops) > 0 {
			t.Errorf("%q: %v would be dropped", test.text, drops)
		}
		if again, parts, _ := written.Adapt(got, document); again != got && len(parts) == 0 {
			t.Errorf("%q becomes %q when it is adapted again", got, again)
		}
	}
}

// shownBy returns the words of a page without its line breaks.
func shownBy(doc *prosemirror.Node) string {
	var b strings.Builder
	prosemirror.Walk(doc, func(n *prosemirror.Node) bool {
		b.WriteString(n.Text)
		if n.Type == prosemirror.Emoji {
			b.WriteString(":" + n.Attrs.String("data-name") + ":")
		}
		return true
	})
	return strings.ReplaceAll(b.String(), "  ", " ")
}

// ownForm matches the forms that Outline has and CommonMark has not, where they are meant.
var ownForm = regexp.MustCompile(`(?mi)^[ \t>]*(?:[-*+] |\d+\. )?(?::::|\+\+\+|\$\$|[A-Z]\. |\\$)|\[[ x_-]\]\s|mention://|==\S|__\S|!!\S|\$\S|<br|\\n|:[\w+-]+:|attachments.redirect|^#.*\\$`)

// storedAlike are recorded texts that count as stored otherwise than CommonMark says although
// only attributes differ or nothing does, or although create looks at an address alone.
var storedAlike = regexp.MustCompile(`^(?:corpus/p/(?:only-.*|empty)|corpus/l/(?:img|youtube|vimeo|gist)|corpus/i/data|corpus/li/empty|corpus/q/empty|corpus/esc/start-5c|code/lang/tilde/tick|marks/.*/u2a|lists/l(?:-after)?/3[03]|inline/x(?:-list)?/(?:113|140|25[56]))$`)

// TestRecordedTextsAreStoredAsWrittenOrTold: a text is changed or told only where Outline
// does not store what CommonMark says, apart from emphasis and the forms of other programs;
// and what it stores otherwise in silence are its own forms.
func TestRecordedTextsAreStoredAsWrittenOrTold(t *testing.T) {
	counts := map[string]int{}
	for _, r := range fixtures.Recorded[struct {
		ID, Sent   string
		CommonMark *bool
	}](t, "whole") {
		got, parts, err := written.Adapt(r.Sent, document)
		got = prosemirror.IsolateFileLinks(got)
		own := slices.ContainsFunc(parts, func(p written.Part) bool {
			return p.Own && !strings.HasPrefix(p.Name, "emphasis") && p.Name != "block without its end"
		})
		switch {
		case err != nil:
			t.Errorf("%s: %v", r.ID, err)
		case len(prosemirror.Dropped(got)) > 0:
			counts["refused"]++
		case parts != nil:
			counts["told"]++
		case got != r.Sent:
			counts["written otherwise"]++
		case r.CommonMark != nil && !*r.CommonMark:
			counts["own forms"]++
			if !ownForm.MatchString(r.Sent) && !storedAlike.MatchString(r.ID) {
				t.Errorf("%s: %q is stored otherwise in silence", r.ID, r.Sent)
			}
		default:
			counts["as it is"]++
		}
		if (r.CommonMark == nil || *r.CommonMark) && (own || parts == nil && got != r.Sent && !strings.Contains(got, "&#")) {
			t.Errorf("%s: %q became %q without need: %v", r.ID, r.Sent, got, parts)
		}
	}
	t.Log(counts)
}

// TestRandomTextsShowWhatWasWrittenOrAreTold: pieces that Outline reads otherwise than they
// look, in the blocks and between the words where they may stand.
func TestRandomTextsShowWhatWasWrittenOrAreTold(t *testing.T) {
	pieces := []struct{ text, shows, told string }{
		{`C:\new\dir`, `C:\new\dir`, ""}, {"key:v:value", "key:v:value", ""}, {"ratio 1:100:1", "ratio 1:100:1", ""}, {"__init__", "__init__", ""},
		{"10$-20$", "10$-20$", ""}, {"a!!b!!c", "a!!b!!c", ""}, {"a ==> b <== c", "a ==> b <== c", ""}, {`print("a\n")`, `print("a\n")`, ""},
		{"**重要：**これは", "重要：これは", ""}, {"**Note:**text", "Note:text", ""}, {"~~「a」~~と~~「b」~~", "「a」と「b」", ""},
		{"x==1 or y==2", "x1 or y2", "highlight"}, {"$a and b$", "a and b", "formula"},
		{"**bold** and *x*", "bold and x", ""}, {":tada:", ":tada:", ""}, {"==mark==", "mark", ""}, {"`a:b:c`", "a:b:c", ""}, {"[link](https://example.com)", "link", ""},
		{"plain words", "plain words", ""}, {"snake_case_word", "snake_case_word", ""}, {"5 < 6 & 7", "5 < 6 & 7", ""}, {`\*kept\*`, "*kept*", ""},
	}
	blocks := []string{"%s", "## %s", "- %s\n- next", "1. %s", "> %s", "- [ ] say %s", "| H |\n|---|\n| %s |", ":::info\n%s\n:::", "- a\n  - %s"}
	random := rand.New(rand.NewPCG(1, 2))
	for range fixtures.Count(300, 2000) {
		var sent, shows, told []string
		for range 1 + random.IntN(4) {
			var words, shown []string
			for range 1 + random.IntN(3) {
				p := pieces[random.IntN(len(pieces))]
				words, shown = append(words, p.text), append(shown, p.shows)
				if p.told != "" {
					told = append(told, p.told)
				}
			}
			block := blocks[random.IntN(len(blocks))]
			sent = append(sent, fmt.Sprintf(block, strings.Join(words, " and ")))
			shows = append(shows, shownBy(prosemirror.Parse(fmt.Sprintf(block, "Zq")))) // of the block alone
			shows[len(shows)-1] = strings.Replace(shows[len(shows)-1], "Zq", strings.Join(shown, " and "), 1)
		}
		text := strings.Join(sent, "\n\nBetween.\n\n")
		got, parts, err := written.Adapt(text, document)
		var names []string
		for _, part := range parts {
			names = append(names, part.Name)
		}
		slices.Sort(names)
		slices.Sort(told)
		if shown := shownBy(prosemirror.Parse(got)); err != nil || shown != strings.Join(shows, "Between.") || !slices.Equal(slices.Compact(names), slices.Compact(told)) {
			t.Errorf("%q\nbecame %q\nshows %q\nwant  %q, told %v", text, got, shown, strings.Join(shows, "Between."), parts)
		}
	}
}
