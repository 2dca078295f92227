package search_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	forms "outline-mcp/internal/text"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools/search"
)

// found returns the places of the matches as line:column:text.
func found(t *testing.T, pattern, text string, o search.Options) []string {
	t.Helper()
	p, err := search.Compile(pattern, o)
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	for m := range p.Matches(t.Context(), text) {
		places = append(places, fmt.Sprintf("%d:%d:%s", m.Line, m.Column, m.Text[m.Start:m.End]))
	}
	return places
}

func TestMatches(t *testing.T) {
	regex, exact, word := search.Options{Regex: true}, search.Options{CaseSensitive: true}, search.Options{WholeWord: true}
	for _, test := range []struct {
		name, pattern, text string
		options             search.Options
		want                []string
	}{
		{"every place of a text", "fog", "fog and Fog\n\nno\nFOGfog", search.Options{}, []string{"1:1:fog", "1:9:Fog", "4:1:FOG", "4:4:fog"}},
		{"a text in its case", "Fog", "fog Fog", exact, []string{"1:5:Fog"}},
		{"columns count code points", "o", "äöo", exact, []string{"1:3:o"}},
		{"a text is no expression", "a.c", "abc a.c", search.Options{}, []string{"1:5:a.c"}},
		{"case by Unicode", "straẞe", "STRAßE", search.Options{}, []string{"1:1:STRAßE"}},
		{"forms of other lengths", "kelvin", "\u212aelvin \u212aelvin", search.Options{}, []string{"1:1:\u212aelvin", "1:8:\u212aelvin"}},
		{"no place overlaps another", "aa", "aaaaa", exact, []string{"1:1:aa", "1:3:aa"}},
		{"line ends of Windows", "b$", "ab\r\nb\r\n", regex, []string{"1:2:b", "2:1:b"}},
		{"an expression sees one line", `a\s*b`, "a\nb a b", regex, []string{"2:3:a b"}},
		{"the edges of lines", "^x|x$", "xax\nx", regex, []string{"1:1:x", "1:3:x", "2:1:x"}},
		{"an empty match is none", "x*", "axx", regex, []string{"1:2:xx"}},
		{"an expression without case", "f[o]g", "FOG", regex, []string{"1:1:FOG"}},
		{"an expression in its case", "f[o]g", "FOG fog", search.Options{Regex: true, CaseSensitive: true}, []string{"1:5:fog"}},
		{"quoted to the end", `a\Qb.`, "ab.", regex, []string{"1:1:ab."}},
		{"a whole word", "fog", "foghorn fog_ fog1 (fog) fög fog", word, []string{"1:20:fog", "1:29:fog"}},
		{"a whole word beside letters of any script", "fog", "жfog fogж fog\u0301 fog", word, []string{"1:16:fog"}},
		{"a whole word that another overlaps", "a a", "ba a a", word, []string{"1:4:a a"}},
		{"a whole word of an expression", "fo.", "foghorn fog", search.Options{Regex: true, WholeWord: true}, []string{"1:9:fog"}},
		{"escapes of Markdown", "0.75 GB", `| Disk | 0\.75 GB |`, search.Options{}, []string{`1:10:0\.75 GB`}},
		{"a backslash is one", `0\.75`, `0.75 and 0\.75`, search.Options{}, []string{`1:10:0\.75`}},
		{"decomposed letters", "Zürich Café", "In Zu\u0308rich Cafe\u0301s", exact, []string{"1:4:Zu\u0308rich Cafe\u0301"}},
		{"composed letters", "zu\u0308rich", "ZÜRICH", search.Options{}, []string{"1:1:ZÜRICH"}},
		{"behind marks at the beginning of a line", "foo", "ab\n\u0301\u0323foo", exact, []string{"2:3:foo"}},
		{"no part of a letter", "Cafe", "Cafe\u0301 cafe", search.Options{}, []string{"1:7:cafe"}},
		{"other blanks", "10 km", "10\u00a0km 10\u202fkm 10 km", exact, []string{"1:1:10\u00a0km", "1:7:10\u202fkm", "1:13:10 km"}},
		{"what shows nothing", "Donaudampf", "\ufeffDonau\u00addampf\nDonau\u200bdampf", exact, []string{"1:2:Donau\u00addampf", "2:1:Donau\u200bdampf"}},
		{"full width", "ABC 12", "ＡＢＣ　１２", exact, []string{"1:1:ＡＢＣ　１２"}},
		{"half width", "ガイド", "ｶﾞｲﾄﾞ", exact, []string{"1:1:ｶﾞｲﾄﾞ"}},
		{"typographic signs", `"it's" - so...`, "“it’s” – so…", exact, []string{"1:1:“it’s” – so…"}},
		{"a sign alone is that sign", "–", "a - b – c", exact, []string{"1:7:–"}},
		{"a blank alone is that blank", "\u00a0", "a b\u00a0c", exact, []string{"1:4:\u00a0"}},
		{"an expression with decomposed letters", "[uü\u0308]+rich", "Zu\u0308rich", regex, []string{"1:2:u\u0308rich"}},
		{"an expression for typographic signs", "[“”]", "\"a\" “b”", regex, []string{"1:5:“", "1:7:”"}},
		{"an expression for marks", `\p{Mn}`, "e\u0301", regex, []string{"1:2:\u0301"}},
		{"a whole word with a soft hyphen", "dampf", "Donau\u00addampf dampf", word, []string{"1:13:dampf"}},
		{"columns after other forms", "x", "e\u0301e\u0301x\u00adx", exact, []string{"1:5:x", "1:7:x"}},
		{"nothing", "x", "", search.Options{}, nil},
	} {
		if got := found(t, test.pattern, test.text, test.options); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// plain finds exact text by comparing it at every place.
func plain(pattern, text string, o search.Options) (places []string) {
	isWord := func(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.N, unicode.M) }
	pattern = norm.NFC.String(pattern)
	want := []rune(pattern)
	for number, line := range strings.Split(text, "\n") {
		runes := []rune(strings.TrimSuffix(line, "\r"))
		for i := 0; i+len(want) <= len(runes); i++ {
			part := string(runes[i : i+len(want)])
			if o.CaseSensitive && norm.NFC.String(part) != pattern || !strings.EqualFold(part, pattern) {
				continue
			}
			if end := i + len(want); o.WholeWord && (i > 0 && isWord(runes[i-1]) || end < len(runes) && isWord(runes[end])) {
				continue
			}
			places = append(places, fmt.Sprintf("%d:%d:%s", number+1, i+1, part))
			i += len(want) - 1
		}
	}
	return places
}

func TestExactTextIsFoundAtAllPlaces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := func(alphabet string, most int) string {
		letters := []rune(alphabet)
		n := random.IntN(most + 1)
		var b strings.Builder
		for range n {
			b.WriteRune(letters[random.IntN(len(letters))])
		}
		return b.String()
	}
	for range 20_000 {
		pattern := "a" + words("aAkK\u212asSſßẞéÉ _", 3)
		if random.IntN(2) == 0 {
			pattern = words("kKſ", 1) + pattern
		}
		text := words("aAkK\u212asSſßẞéÉ _\n\r.", 40)
		text = strings.ReplaceAll(text, "\r", "\r\n")
		o := search.Options{CaseSensitive: random.IntN(2) == 0, WholeWord: random.IntN(2) == 0}
		if got, want := found(t, pattern, text, o), plain(pattern, text, o); !slices.Equal(got, want) {
			t.Fatalf("%q in %q, %+v: %q, want %q", pattern, text, o, got, want)
		}
	}
}

func TestALineFullOfMatchesTakesLinearTime(t *testing.T) {
	for _, o := range []search.Options{{}, {WholeWord: true}, {Regex: true}, {Regex: true, CaseSensitive: true}} {
		p, err := search.Compile("a", o)
		if err != nil {
			t.Fatal(err)
		}
		fixtures.TakesLinearTime(t, 8_000, func(size int) {
			n := 0
			for m := range p.Matches(t.Context(), strings.Repeat("a.", size)) {
				if n++; m.Column != 2*n-1 {
					t.Fatalf("match %d is in column %d", n, m.Column)
				}
			}
			if n != size {
				t.Errorf("%+v: %d matches, want %d", o, n, size)
			}
		})
	}
}

func FuzzMatchesAreWhatThePatternSays(f *testing.F) {
	f.Add("fog", "fog\r\nFOG", true, false, false)
	f.Add("f(o|g)*$", "foggo", true, true, true)
	f.Fuzz(func(t *testing.T, pattern, text string, regex, sensitive, word bool) {
		if !utf8.ValidString(pattern) || !utf8.ValidString(text) {
			t.Skip() // Outline sends JSON
		}
		p, err := search.Compile(pattern, search.Options{Regex: regex, CaseSensitive: sensitive, WholeWord: word})
		if err != nil {
			return
		}
		quoted := forms.Compose(pattern).Text
		if !regex {
			quoted = regexp.QuoteMeta(forms.Fold(pattern).Text)
		}
		if !sensitive {
			quoted = "(?i)" + quoted
		}
		lines := strings.Split(text, "\n")
		line, end := 0, 0
		for m := range p.Matches(t.Context(), text) {
			if m.Line < line || m.Line == line && m.Start < end || m.Start >= m.End {
				t.Fatalf("%+v is out of order", m)
			}
			line, end = m.Line, m.End
			if m.Text != strings.TrimSuffix(lines[m.Line-1], "\r") {
				t.Fatalf("line %d is %q", m.Line, m.Text)
			}
			if folded := forms.Fold(m.Text).Text; !regex && m.Text != pattern && !regexp.MustCompile(quoted).MatchString(folded) ||
				regex && !regexp.MustCompile(quoted).MatchString(m.Text) && !regexp.MustCompile(quoted).MatchString(forms.Compose(m.Text).Text) {
				t.Fatalf("%q does not match %q", m.Text, quoted)
			}
		}
	})
}

func TestAPatternMadeAgainstBacktrackingTakesLinearTime(t *testing.T) {
	for _, pattern := range []string{"(a+)+$", "(a|aa)+$", "(a?){30}a{30}$", "(.*a){10}$"} {
		p, err := search.Compile(pattern, search.Options{Regex: true})
		if err != nil {
			t.Fatal(err)
		}
		fixtures.TakesLinearTime(t, 8_000, func(size int) {
			for range p.Matches(t.Context(), strings.Repeat("a", size)+"!") { // an engine that backtracks would not come to the end
				t.Errorf("%s matches", pattern)
			}
		})
	}
}

func TestAnExpressionHasTheMatchesOfPackageRegexp(t *testing.T) {
	text := "fog ab\u0301 foofog, abab_x fo\u00f6g aab. ab"
	for _, pattern := range []string{"^fog|fog$", `\bfo+`, `\Bo|b\b`, "a*", "(a|ab)(b?)", "x*?", `(?m:^a)|b$`, "(?U)a+b", `(?P<first>a)|(?i:FO)`, "fo+?", `\Aab|ab\z`, `b\Q.`, "[^a]{1,3}", "(?s).a"} {
		for _, o := range []search.Options{{Regex: true}, {Regex: true, CaseSensitive: true}} {
			p, err := search.Compile(pattern, o)
			if err != nil {
				continue // it matches empty text alone
			}
			if !o.CaseSensitive {
				pattern = "(?i)" + pattern
			}
			for _, line := range []string{text, strings.Repeat(text, 10_000)} { // the second one is read piece by piece
				want := slices.DeleteFunc(regexp.MustCompile(pattern).FindAllStringIndex(line, 20), func(place []int) bool { return place[0] == place[1] })
				var got [][]int
				for m := range p.Matches(t.Context(), line) {
					if len(got) == len(want) {
						break
					}
					got = append(got, []int{m.Start, m.End})
				}
				if !slices.EqualFunc(got, want, slices.Equal) {
					t.Errorf("%q in %d bytes: %v, want %v", pattern, len(line), got, want)
				}
			}
		}
	}
}

func TestAnExpressionEndsWithTheTimeOfTheCall(t *testing.T) {
	for _, test := range []struct{ name, pattern, text string }{
		{"one line", "a.{0,900}[^a]", strings.Repeat("a", 1<<15)},
		{"many lines", "a.{0,900}[^a]", strings.Repeat(strings.Repeat("a", 200)+"\n", 50)},
		{"a line with many matches", "a.*b|a", strings.Repeat("a", 1<<10)},
	} {
		p, err := search.Compile(test.pattern, search.Options{Regex: true, WholeWord: true})
		if err != nil {
			t.Fatal(err)
		}
		const looks = 20
		ctx := &fixtures.Ending{Context: t.Context(), Left: looks}
		for m := range p.Matches(ctx, test.text) {
			t.Errorf("%s: found %v", test.name, m)
		}
		if after := -1 - ctx.Left; after < 0 || after > 2 {
			t.Errorf("%s: asked %d times after the end", test.name, after)
		}
	}
}

func BenchmarkMatches(b *testing.B) {
	text := strings.Repeat("The quick brown fox keeps watch over the harbour, and the kettle sings in the keeper's house.\n", 11_000)
	for _, bench := range []struct {
		name, pattern string
		options       search.Options
	}{
		{"exact", "foghorn", search.Options{CaseSensitive: true}},
		{"exact without case", "foghorn", search.Options{}},
		{"exact of common letters without case", "the horn", search.Options{}},
		{"an expression", "fog ?horns?", search.Options{Regex: true}},
		{"an expression against backtracking", "(a+)+x", search.Options{Regex: true}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			p, err := search.Compile(bench.pattern, bench.options)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for range p.Matches(b.Context(), text) {
				}
			}
		})
	}
}

func TestABrokenPatternIsExplained(t *testing.T) {
	for _, test := range []struct{ pattern, want string }{
		{"a(b)c(d", "at character 6: missing closing )"},
		{"a)b", "at character 2: unexpected )"},
		{"foo[abc", `at character 4: missing closing ] "[abc"`},
		{"a**", `at character 2: invalid nested repetition operator "**"`},
		{"*a", `at character 1: missing argument to repetition operator "*"`},
		{"a|*", `at character 3: missing argument to repetition operator "*"`},
		{`ü\p{Foo}x`, `at character 2: invalid character class range "\\p{Foo}"`},
		{"x{2001}", `at character 2: invalid repeat count "{2001}"`},
		{`a\`, "at character 2: trailing backslash at end of expression"},
		{"[b-a]", `at character 2: invalid character class range "b-a"`},
		{"x(?=y)", `at character 2: invalid or unsupported Perl syntax "(?="; RE2 has no lookahead`},
		{`(x)\1`, `at character 4: invalid escape sequence "\\1"`},
		{"(x{100}){100}", `at character 9: invalid repeat count "{100}"`},
		{"(?:(?:a{10}b{10}){10}c{30}){9}", "too large: use fewer or smaller repetitions"},
		{"^", "can only match empty text"},
		{`(\b|$)*`, "can only match empty text"},
		{"", "1 to 500 characters, not 0"},
		{strings.Repeat("ü", 501), "1 to 500 characters, not 501"},
	} {
		_, err := search.Compile(test.pattern, search.Options{Regex: true})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.pattern, err, test.want)
		}
	}
	if _, err := search.Compile("two\nlines", search.Options{}); err == nil || !strings.Contains(err.Error(), "one line") {
		t.Error(err)
	}
	if _, err := search.Compile("a**", search.Options{}); err != nil {
		t.Errorf("exact text is taken for an expression: %v", err)
	}
}
