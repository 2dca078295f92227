package folder

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	bbolterrors "go.etcd.io/bbolt/errors"
	"golang.org/x/text/unicode/norm"
)

// awkward are titles that some file system does not take as names.
var awkward = []string{
	"", " ", ".", "..", "...", "a/b", `a\b`, "a:b", "a*b", "a?b", `a"b`, "a<b>", "a|b", "a\x00b", "a\tb", "a\nb", "tab\t", " leading", "trailing ",
	"trailing.", "trailing. .", "CON", "con", "Con.txt", "PRN", "aux", "NUL", "nul.md", "COM1", "com9.log", "LPT1", "LPT¹", "COM0", "CONIN$", "COM", "COM10",
	".hidden", "..hidden", "_files", "_", "page.md", "page.MD", "a.outline", "a.outline.md", "~", "-", "--help", "#1", "100%", "100%20", "a b", "a  b",
	"Jörn", norm.NFD.String("Jörn"), "ブイ点検", "دليل", "👩‍👩‍👧", "🇩🇪", "\u200bzero", "a\u202egnp.exe", "\u00a0", "Straße", "İstanbul", "ﬁle",
	strings.Repeat("long ", 60), strings.Repeat("ö", 200), strings.Repeat("👋", 80), "a\xffb", "$HOME", "`x`", "'quoted'", "(brackets)", "[x](y)", "Untitled",
	"CLAUDE", "Claude", "claude.local", "AGENTS", "Agents.override", "GEMINI", "SKILL", "Soul", "replit", "IFLOW", "LLXPRT", ".cursorrules", "copilot-instructions", "\u200dCLAUDE", "C\u200d\u200dLAUDE",
	"\u200d.git", "\ufeff.git", ".g\u200cit", ".git.", ".git::$INDEX_ALLOCATION", "git~1", "GIT~1", "GIT~1.x", "CLAUDE~2", "a~", "x~y", "👩\u200d💻",
}

func TestEveryTitleIsANameThatEveryFileSystemTakes(t *testing.T) {
	for _, title := range awkward {
		name := fileName(title)
		switch {
		case name == "", len(name) > maxName, !utf8.ValidString(name), !norm.NFC.IsNormalString(name):
			t.Errorf("%q: %q is no name", title, name)
		case strings.ContainsAny(name, "<>:\"/\\|?*"), strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
			t.Errorf("%q: %q has a sign that Windows refuses", title, name)
		case strings.HasSuffix(name, "."), strings.HasSuffix(name, " "), strings.HasPrefix(name, " "), strings.HasPrefix(name, "."), strings.HasPrefix(name, "_"):
			t.Errorf("%q: %q is changed, hidden or left out", title, name)
		case strings.HasSuffix(strings.ToLower(name), Extension), strings.HasSuffix(strings.ToLower(name), ".outline"):
			t.Errorf("%q: %q has the ending of a page", title, name)
		}
		stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
		for _, device := range []string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "COM1", "COM9", "COM0", "LPT1", "LPT¹"} {
			if strings.TrimSpace(stem) == device {
				t.Errorf("%q: %q is a device on Windows", title, name)
			}
		}
		if slices.Contains([]string{"GIT~1", "CLAUDE~2", "CLAUDE", "AGENTS", "GEMINI", "SKILL", "SOUL", "REPLIT", "IFLOW", "LLXPRT", "COPILOT-INSTRUCTIONS"}, stem) {
			t.Errorf("%q: %q is followed by agents, or a part of git", title, name)
		}
		if strings.Contains(title, "👩") != strings.Contains(name, "\u200d") {
			t.Errorf("%q: %q has a sign that HFS+ ignores, or lacks it in an emoji", title, name)
		}
		if again := fileName(name); again != name {
			t.Errorf("%q: the name %q has the name %q", title, name, again)
		}
	}
}

func TestATitleIsReadBackFromItsFile(t *testing.T) {
	for i, title := range awkward {
		if !utf8.ValidString(title) || strings.TrimSpace(title) != title || strings.ContainsAny(title, "\x00") {
			continue // Outline stores no such title
		}
		places := []*place{{ID: "a", URLID: "abcdefghij", Title: title, Collection: "c"}}
		if i%2 == 1 { // two of the same title
			places = append(places, &place{ID: "b", URLID: "bbbbbbbbbb", Title: title, Collection: "c"})
		}
		paths := layout(places, map[string]string{"c": "Handbook"})
		if len(places) == 2 && folded(paths["a"]) == folded(paths["b"]) {
			t.Errorf("%q: two documents have the file %q", title, paths["a"])
		}
		content := page{URLID: "abcdefghij", Title: titleField(paths["a"], "abcdefghij", title), Text: "x"}.bytes()
		read, err := parsePage(content)
		if err != nil {
			t.Errorf("%q: %v in\n%s", title, err, content)
			continue
		}
		r := record{place: *places[0], Path: paths["a"]}
		if got := (file{Path: paths["a"], page: read}).title(r); got != title {
			t.Errorf("%q is read back as %q from %q:\n%s", title, got, paths["a"], content)
		}
	}
}

func TestNamesThatAreOneOnSomeFileSystemAreApart(t *testing.T) {
	for _, titles := range [][]string{{"Plan", "plan"}, {"Straße", "STRASSE"}, {"Jörn", norm.NFD.String("Jörn")}, {"a:b", "a?b"}, {"a", "a."}, {"", "Untitled"}, {"page", "page.md"}} {
		var places []*place
		for i, title := range titles {
			places = append(places, &place{ID: fmt.Sprint(i), URLID: fmt.Sprintf("urlid00000%d", i), Title: title, Collection: "c"})
		}
		paths := layout(places, map[string]string{"c": "C"})
		if folded(paths["0"]) == folded(paths["1"]) || folded(paths["0"]) == folded(strings.TrimSuffix(paths["1"], Extension)) {
			t.Errorf("%q have %q", titles, paths)
		}
	}
}

func FuzzPagesAreReadAsTheyAreWritten(f *testing.F) {
	for _, title := range awkward {
		f.Add(title, "👋", "tags: [a]\n", "Text.\n\n---\n\nMore.")
	}
	f.Fuzz(func(t *testing.T, title, icon, extra, text string) {
		if len(title)+len(icon)+len(extra) > maxFrontMatter/8 || !utf8.ValidString(title) || !utf8.ValidString(icon) || !utf8.ValidString(extra) || !utf8.ValidString(text) || strings.ContainsRune(title+icon+extra+text, '\r') {
			t.Skip()
		}
		first, err := parsePage([]byte("---\n" + extra + "---\n\n" + text))
		if err != nil {
			return
		}
		whole := page{URLID: "abcdefghij", Title: title, Icon: icon, Text: first.Text}
		read, err := parsePage(whole.bytes())
		if err != nil || read.Title != title || read.Icon != icon || read.Text != strings.Trim(first.Text, "\n") || read.URLID != whole.URLID {
			t.Errorf("%+v is read back as %+v, %v:\n%s", whole, read, err, whole.bytes())
		}
	})
}

func FuzzLinksComeBackAsTheyWere(f *testing.F) {
	places := []*place{
		{ID: "1", URLID: "abcdefghij", URL: "/doc/one-abcdefghij", Title: "One (1)", Collection: "c"},
		{ID: "2", URLID: "bbcdefghij", URL: "/doc/two-bbcdefghij", Title: "Two", Collection: "c", Parent: "1"},
	}
	paths := layout(places, map[string]string{"c": "C [x]"})
	links := newPages("https://wiki.example.com", places, paths, &attachments{})
	for _, text := range []string{
		"[a](/doc/one-abcdefghij) and [b](https://wiki.example.com/doc/two-bbcdefghij#h-x \"t\")", "[a](/doc/abcdefghij)", "`[a](/doc/one-abcdefghij)`",
		"```\n[a](/doc/one-abcdefghij)\n```", "[a](Two.md)", "![i](/api/attachments.redirect?id=1)", "[a](</doc/one-abcdefghij>)", "[a](One%20(1)/Two.md)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, from := range paths {
			if back := links.absolute(links.relative(text, from), from, text); links.relative(text, from) != text && back != text {
				t.Errorf("%q becomes %q, and that %q", text, links.relative(text, from), back)
			}
		}
	})
}

func TestLinksBetweenPagesAreRelative(t *testing.T) {
	places := []*place{
		{ID: "1", URLID: "abcdefghij", URL: "/doc/one-abcdefghij", Title: "One (1)", Collection: "c"},
		{ID: "2", URLID: "bbcdefghij", URL: "/doc/two-bbcdefghij", Title: "Two", Collection: "c", Parent: "1"},
	}
	paths := layout(places, map[string]string{"c": "C"})
	links := newPages("https://wiki.example.com", places, paths, &attachments{})
	for _, test := range []struct{ from, text, want string }{
		{paths["1"], "[two](/doc/old-name-bbcdefghij#h-a)", "[two](One%20%281%29/Two.md#h-a)"},
		{paths["2"], "[one](https://wiki.example.com/doc/one-abcdefghij)", "[one](../One%20%281%29.md)"},
		{paths["2"], "[self](/doc/two-bbcdefghij)", "[self](Two.md)"},
		{paths["1"], "[else](/doc/else-cccccccccc), [out](https://other.example.com/doc/two-bbcdefghij)", "[else](/doc/else-cccccccccc), [out](https://other.example.com/doc/two-bbcdefghij)"},
		{paths["1"], "`[two](/doc/two-bbcdefghij)`", "`[two](/doc/two-bbcdefghij)`"},
		{paths["1"], "`` unclosed `[two](/doc/two-bbcdefghij)` x", "`` unclosed `[two](/doc/two-bbcdefghij)` x"},
		{paths["1"], "```md\n[two](/doc/two-bbcdefghij)\n```", "```md\n[two](/doc/two-bbcdefghij)\n```"},
	} {
		if got := links.relative(test.text, test.from); got != test.want {
			t.Errorf("%s in %s is %s, want %s", test.text, test.from, got, test.want)
		}
		if back := links.absolute(test.want, test.from, test.text); back != test.text {
			t.Errorf("%s comes back as %s, want %s", test.want, back, test.text)
		}
	}
}

func TestWikiLinksBecomeLinks(t *testing.T) {
	const link = "[Page](Page.md)"
	places := []*place{
		{ID: "1", URLID: "abcdefghij", URL: "/doc/page-abcdefghij", Title: "Page", Collection: "c"},
		{ID: "2", URLID: "bbcdefghij", URL: "/doc/untitled-bbcdefghij", Collection: "c"},
		{ID: "3", URLID: "cbcdefghij", URL: "/doc/readmemd-cbcdefghij", Title: "README.md", Collection: "c"},
		{ID: "4", URLID: "dbcdefghij", URL: "/doc/readme-dbcdefghij", Title: "README", Collection: "c"},
	}
	paths := layout(places, map[string]string{"c": "C"})
	links := newPages("https://wiki.example.com", places, paths, &attachments{})
	dir := t.TempDir()
	for name, text := range map[string]string{
		"C/Page.md": "# One\n\n## Follow-up & more\n\n## One\n\n# Step: 1\n\n## C# or #tag\n\n# Two\n\n## One\n", "C/manual/index.md": "# The manual\n",
		"C/pics/a b.png": "x", "C/pics/twice.png": "x", "C/twice.png": "x", "C/paper.pdf": "x", "C/.hidden/h.png": "x", "C/node_modules/i.png": "x", "C/credentials": "x",
	} {
		if err := os.MkdirAll(filepath.Join(dir, path.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Open(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	links.names = &pageNames{folder: f}
	links.fresh["C/guide/index.md"], links.fresh["C/handbook/index.md"], links.fresh["C/manual/index.md"] = "The guide", "handbook", "manual"
	for _, test := range []struct{ text, want, earlier string }{
		{"[[Page]], ([[ page.md ]]) and [[C/Page|these words]]", link + ", ([page.md](Page.md)) and [these words](Page.md)", ""},
		{"- [ ] $5 \\[ [[Page]], a < b\n- [x] (y) [[Page]]", "- [ ] $5 \\[ " + link + ", a < b\n- [x] (y) " + link, ""},
		{"[[The guide]] [[handbook]]", "[The guide](guide/index.md) [handbook](handbook/index.md)", ""},
		{"[[guide]], [[C/guide|it]], [[guide/index]], [[The manual]], [[manual]]", "[guide](guide/index.md), [it](guide/index.md), [guide/index](guide/index.md), [The manual](manual/index.md), [manual](manual/index.md)", ""},
		{"[[Page#Follow-up & more]] [[page#one#One|words]] [[#One]] [[C/Page#Not there]]", "[Page > Follow-up & more](Page.md#h-follow-up-and-more) [words](Page.md#h-one-1) [One](Page.md#h-one) [C/Page > Not there](Page.md#h-not-there)", ""},
		{"[[Page#Step 1]] [[Page#C or tag]] [[Page#Two#One]] [[Page#Nothing#Two#]]", "[Page > Step 1](Page.md#h-step-1) [Page > C or tag](Page.md#h-c-or-tag) [Page > Two > One](Page.md#h-one-2) [Page > Nothing > Two](Page.md#h-two)", ""},
		{"Do:\n\n    [[Page]]\n\n\t[[Page]]\n\n- a\n\n  [[Page]]\n\n      [[Page]]\n    - [[Page]]\n\nEnd", "Do:\n\n    [[Page]]\n\n\t[[Page]]\n\n- a\n\n  " + link + "\n\n      [[Page]]\n    - " + link + "\n\nEnd", ""},
		{"<!-- [[Page]]\n[[Page]]\n-->\n[[Page]]: x, $5 [[Page]] or $6", "<!-- [[Page]]\n[[Page]]\n-->\n" + link + ": x, $5 " + link + " or $6", ""},
		{"[[Nowhere#One]] [[Page#^block]] ![[Page#One]] [[#]]", "", ""},
		{"![[a b.png]] ![[pics/a b.png|300x200]] ![[A b.png|A dot]] [[a b.png]] ![[paper.pdf]]", "![](pics/a%20b.png) ![](pics/a%20b.png) ![A dot](pics/a%20b.png) [a b.png](pics/a%20b.png) [paper.pdf](paper.pdf)", ""},
		{"![[nope.png]] ![[twice.png]] ![[h.png]] ![[i.png]] [[credentials]]", "", ""},
		{"[r]: [[Page]]\n  [s]: [[Page]]\n[^1]: [[Page]]", "", ""},
		{"[[README.md]] [[README]]", "[README.md](README-md.md) [README](README.md)", ""},
		{"[[ ]] [[.md]] [[Page| ]] [[Page|foo\\]]", "", ""},
		{"* ```\n  [[Page]]\n  ```\n\n[[Page]]", "* ```\n  [[Page]]\n  ```\n\n" + link, ""},
		{"> 1. - ~~~\n[[Page]]\n>      ~~~\n\n[[Page]]", "> 1. - ~~~\n[[Page]]\n>      ~~~\n\n" + link, ""},
		{"```[[Page]]``` is code, [[Page]] not", "```[[Page]]``` is code, " + link + " not", ""},
		{"`` unclosed `[[Page]]` x", "", ""},
		{"a `b\n[[Page]]\nc` [[Page]]\n\n[[Page]]", "a `b\n[[Page]]\nc` [[Page]]\n\n" + link, ""},
		{"$[[Page]]$ [[Page]]\n$$\n[[Page]]\n$$\n[[Page]]", "$[[Page]]$ " + link + "\n$$\n[[Page]]\n$$\n" + link, ""},
		{"[see [[Page]] and [[Page]]](https://e.com) [[Page]]", "[see [[Page]] and [[Page]]](https://e.com) " + link, ""},
		{"[see `x` [[Page]] here](https://e.com)\n[[Page]]", "[see `x` [[Page]] here](https://e.com)\n" + link, ""},
		{"![a [[Page]] b](pic.png) ![[Page]] \\[[Page]] [[Page]](x) [[Page]][x]", "", ""},
		{"[x]([[Page]]) [a](b \"[[Page]]\") <a href=\"[[Page]]\"> <a href=[[Page]]> <[[Page]]>", "", ""},
		{"https://e.com/[[Page]] https://e.com?q=[[Page]]", "", ""},
		{"\"[[Page]]\" a/[[Page]]", "\"" + link + "\" a/" + link, ""},
		{"[[Page]]", "", "It stood: [[Page]]"},
		{"[[Page]]", link, "`[[Page]]`"},
	} {
		if test.want == "" {
			test.want = test.text
		}
		if got := links.withoutWikiLinks(test.text, paths["1"], test.earlier); got != test.want {
			t.Errorf("%s\nbecomes\n%s\nwant\n%s", test.text, got, test.want)
		}
	}
}

func TestAPushNamesTheLineThatContinuesAParagraph(t *testing.T) {
	for _, test := range []struct{ sent, stored, line string }{
		{"a\nb\n\nc", "a b\n\nc", "b"},
		{"- x\n- a\nb\nc", "* x\n* a b c", "b"},
		{"a\nb\n\nc", "a\nb\n\nc", ""},
		{"a\nb\n\na b", "a\nb\n\na b\n\n", ""},
	} {
		if got := joinedLine(test.sent, test.stored); test.line == "" && got != "" || !strings.Contains(got, test.line) {
			t.Errorf("of %q, stored as %q, it is said: %q", test.sent, test.stored, got)
		}
	}
}

func TestChangesOfDifferentBlocksAreMergedAndOthersAreNot(t *testing.T) {
	for _, test := range []struct {
		name, earlier, ours, theirs, want string // "" for a conflict
	}{
		{"one side", "a\n\nb", "a\n\nB", "a\n\nb", "a\n\nB"},
		{"far apart", "a\n\nb\n\nc", "A\n\nb\n\nc", "a\n\nb\n\nC", "A\n\nb\n\nC"},
		{"next to each other", "a\n\nb", "A\n\nb", "a\n\nB", "A\n\nB"},
		{"the same change", "a\n\nb", "A\n\nb", "A\n\nb", "A\n\nb"},
		{"the same block", "a\n\nb", "A\n\nb", "AA\n\nb", ""},
		{"deleted and changed", "a\n\nb", "b", "A\n\nb", ""},
		{"deleted beside a change", "a\n\nb\n\nc", "a\n\nc", "a\n\nb\n\nC", ""},
		{"added at the same place", "a", "a\n\nx", "a\n\ny", ""},
		{"added at both ends", "a", "x\n\na", "a\n\ny", "x\n\na\n\ny"},
		{"lines of one block of code", "```\na\n\nb\n```", "```\nA\n\nb\n```", "```\na\n\nB\n```", ""},
		{"from nothing", "", "a", "", "a"},
		{"everything deleted", "a\n\nb", "", "a\n\nb", ""},
	} {
		got, ok := merge(test.earlier, test.ours, test.theirs)
		if want := test.want != "" || test.name == "everything deleted"; ok != want || got != test.want {
			t.Errorf("%s: %q, %v; want %q", test.name, got, ok, test.want)
		}
		back, backOK := merge(test.earlier, test.theirs, test.ours)
		if back != got || backOK != ok {
			t.Errorf("%s: with the sides exchanged, %q, %v", test.name, back, backOK)
		}
	}
}

// TestAMergeLosesNoBlock changes blocks of a text at random on both sides.
func TestAMergeLosesNoBlock(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	merged := 0
	for range 5000 {
		var earlier []string
		for i := range 1 + random.IntN(8) {
			earlier = append(earlier, fmt.Sprintf("block %d", i))
		}
		change := func(side string) (text []string, added []string) {
			text = slices.Clone(earlier)
			for n := range random.IntN(4) {
				word := fmt.Sprintf("%s%d", side, n)
				switch at := random.IntN(len(text) + 1); {
				case random.IntN(2) == 0 || at == len(text):
					text, added = slices.Insert(text, at, word), append(added, word)
				default:
					text[at], added = word, append(added, word)
				}
			}
			return text, slices.DeleteFunc(added, func(word string) bool { return !slices.Contains(text, word) })
		}
		ours, addedHere := change("ours")
		theirs, addedThere := change("theirs")
		got, ok := merge(strings.Join(earlier, "\n\n"), strings.Join(ours, "\n\n"), strings.Join(theirs, "\n\n"))
		if !ok {
			continue
		}
		merged++
		result := strings.Split(got, "\n\n")
		for _, word := range slices.Concat(addedHere, addedThere) {
			if !slices.Contains(result, word) {
				t.Fatalf("%q, %q and %q give %q, without %q", earlier, ours, theirs, result, word)
			}
		}
		for _, block := range result {
			if slices.Contains(earlier, block) && (!slices.Contains(ours, block) || !slices.Contains(theirs, block)) {
				t.Fatalf("%q, %q and %q give %q: %q comes back", earlier, ours, theirs, result, block)
			}
		}
	}
	if merged < 1000 {
		t.Errorf("only %d of 5,000 are merged", merged)
	}
}

func TestAFolderThatIsReadOnlyIsNotTakenForADamagedOne(t *testing.T) {
	for err, says := range map[error]string{
		&fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS}:  "Make the folder writable",
		&fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}: "Make the folder writable",
		bbolterrors.ErrTimeout: "another command",
		bbolterrors.ErrInvalid: "move it away and pull again",
		errDamaged:             "move it away and pull again",
	} {
		if got := notOpened(err).Error(); !strings.Contains(got, says) || strings.Contains(got, "move it away") != strings.Contains(says, "move it away") {
			t.Errorf("%v: %s", err, got)
		}
	}
}
