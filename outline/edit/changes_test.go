package edit

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEditsOfTheSamePlaceBecomeOneChange(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		edits []Edit
		want  []string // old>new of each change
	}{
		"one":                           {"one two three", []Edit{{Old: "two", New: "2"}}, []string{"two>2"}},
		"apart":                         {"one two three", []Edit{{Old: "three", New: "3"}, {Old: "one", New: "1"}}, []string{"one>1", "three>3"}},
		"what an edit wrote":            {"one two three", []Edit{{Old: "two", New: "2b"}, {Old: "b", New: "c"}}, []string{"two>2c"}},
		"beside what an edit wrote":     {"one two three", []Edit{{Old: "two", New: "2"}, {Old: " three", New: ""}}, []string{"two three>2"}},
		"around what an edit wrote":     {"one two three", []Edit{{Old: "two", New: "2"}, {Old: "one 2 t", New: "x"}}, []string{"one two t>x"}},
		"across two":                    {"one two three four", []Edit{{Old: "one", New: "1"}, {Old: "three", New: "3"}, {Old: "1 two 3", New: "z"}}, []string{"one two three>z"}},
		"one in between":                {"one two three four", []Edit{{Old: "one", New: "1!"}, {Old: "four", New: "4"}, {Old: "1!", New: "1?"}}, []string{"one>1?", "four>4"}},
		"after one that got longer":     {"a b c d", []Edit{{Old: "a", New: "aaaa"}, {Old: "d", New: "dd"}, {Old: "c", New: "cc"}}, []string{"a>aaaa", "c>cc", "d>dd"}},
		"after one that is gone":        {"a b c d", []Edit{{Old: "a b", New: ""}, {Old: "d", New: "dd"}}, []string{"a b>", "d>dd"}},
		"in the middle of a longer one": {"one two", []Edit{{Old: "two", New: "2 x 3"}, {Old: "x", New: "y"}}, []string{"two>2 y 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, changes, err := changesOf(test.text, test.edits)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range changes {
				got = append(got, test.text[p.Start:p.End]+">"+p.New)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func FuzzAPlanHasTheSameResultAsTheEdits(f *testing.F) {
	f.Add("one two three four", "one", "1", "two", "", "1  ", "x y")
	f.Add("aaa", "aaa", "b", "b", "aaa", "aaa", "")
	f.Add("* a\n* b\n* c", "- a", "- x", "b\n- c", "z", "x\n* z", "q")
	f.Add("a.b.c", "a", "", ".b.", "", "c", "d")
	f.Fuzz(func(t *testing.T, text, old1, new1, old2, new2, old3, new3 string) {
		edits := []Edit{{Old: old1, New: new1}, {Old: old2, New: new2}, {Old: old3, New: new3}}
		for n := 1; n <= len(edits); n++ {
			after, changes, err := changesOf(text, edits[:n])
			if err != nil {
				var failed *EditError
				if !errors.As(err, &failed) {
					t.Fatal(err)
				}
				return
			}
			seen := map[int]bool{}
			made, end := "", 0
			for _, p := range changes {
				if p.Start < end {
					t.Fatalf("changes overlap: %+v", changes)
				}
				made += text[end:p.Start] + p.New
				end = p.End
				for _, e := range p.Edits {
					seen[e] = true
				}
			}
			made += text[end:]
			if made != after || len(seen) != n {
				t.Fatalf("changesOf(%q, %+v) = %+v, which makes %q, want %q", text, edits[:n], changes, made, after)
			}
		}
	})
}

func TestEachEditAppliesToTheResultOfThoseBefore(t *testing.T) {
	after, got, err := changesOf("* it’s one\n* two\n", []Edit{
		{Old: "- it's one\n", New: "* it’s a hundred\n"}, // found tolerantly, and put in as given
		{Old: "hundred", New: "thousand"},                // added by the edit before
		{Old: "\n* two", New: ""},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "* it’s a thousand\n"; after != want {
		t.Errorf("after the edits the text is %q, not %q", after, want)
	}
	want := []Change{{Match{0, 18, true}, "* it’s a thousand", []int{0, 1, 2}, 3}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Change{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNoEditsChangeNothing(t *testing.T) {
	after, changes, err := changesOf("a", nil)
	if after != "a" || changes != nil || err != nil {
		t.Errorf("%q, %v, %v", after, changes, err)
	}
}

func TestWhenAnEditFailsNoneIsApplied(t *testing.T) {
	for name, test := range map[string]struct {
		edit Edit
		as   any
		want string
	}{
		"not there":             {Edit{Old: "cat", New: "x"}, new(*NotFoundError), `edits[1]: the document has no passage "cat"`},
		"replaced before":       {Edit{Old: "one", New: "x"}, new(*NotFoundError), `edits[1]: the document has no passage "one"`},
		"twice since the first": {Edit{Old: "two", New: "x"}, new(*AmbiguousError), `edits[1]: old_text "two" occurs 2 times.`},
		"empty":                 {Edit{Old: "", New: "x"}, nil, `edits[1]: old_text is empty: `},
	} {
		t.Run(name, func(t *testing.T) {
			after, changes, err := changesOf("one two", []Edit{{Old: "one", New: "two"}, test.edit, {Old: "two", New: "x"}})
			if after != "" || changes != nil {
				t.Errorf("%q and %v are answered", after, changes)
			}
			var failed *EditError
			if !errors.As(err, &failed) || failed.Index != 1 {
				t.Fatalf("the error is %v", err)
			}
			if test.as != nil && !errors.As(err, test.as) {
				t.Errorf("the error is a %T", failed.Err)
			}
			if got := err.Error(); len(got) < len(test.want) || got[:len(test.want)] != test.want {
				t.Errorf("the error is %q", got)
			}
		})
	}
}

func TestAListKeepsItsBulletsWhateverBulletsTheEditUses(t *testing.T) {
	for name, test := range map[string]struct{ stored, old, new, want string }{
		"dashes for asterisks":       {"* a\n* b", "- a\n- b", "- a\n- c\n  - d", "* a\n* c\n  * d"},
		"boxes":                      {"* [ ] a", "- [ ] a", "- [x] a", "* [x] a"},
		"in a quote":                 {"> * a", "> - a", "> - b", "> * b"},
		"the same bullets":           {"* a", "* a", "* a\n- b", "* a\n- b"},
		"no bullets in the passage":  {"a", "a", "- b", "- b"},
		"code stays":                 {"* a", "- a", "- a\n\n```\n- x\n```\n\n- b", "* a\n\n```\n- x\n```\n\n* b"},
		"a rule stays":               {"* a", "- a", "- b\n\n- - -", "* b\n\n- - -"},
		"words with a dash stay":     {"* a - b", "- a - b", "- a - c", "* a - c"},
		"nothing is left":            {"* a", "- a", "", ""},
		"two forms in what is there": {"* a\n- b", "+ a\n+ b", "+ c", "+ c"},
	} {
		edit := Edit{Old: test.old, New: test.new}
		if got := edit.Replacement(test.stored); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestWhatAnEditKeepsStaysAsItIsStored(t *testing.T) {
	for name, test := range map[string]struct{ stored, old, new, want string }{
		"escapes":                {`2 \* 3 \* 4 is **24**.`, "2 * 3 * 4 is **24**.", "2 * 3 * 5 is **30**.", `2 \* 3 \* 5 is **30**.`},
		"breaks":                 {`one\ntwo\nthree`, "one  \ntwo  \nthree", "one  \ntoo  \nthree", `one\ntoo\nthree`},
		"a break that goes":      {`one\ntwo\nthree`, "one  \ntwo  \nthree", "one  \nthree", `one\nthree`},
		"a break that comes":     {`one\ntwo`, "one  \ntwo", "one  \nand  \ntwo", "one\\nand  \ntwo"},
		"the cells of a row":     {"| a   | b   |\n|-----|-----|\n| one | two |", "|a|b|\n|---|---|\n|one|two|", "|a|b|\n|---|---|\n|one|three|", "| a   | b   |\n|-----|-----|\n| one | three |"},
		"a word in a cell":       {"| a    | b |", "|a|b|", "|a x|b|", "| a x    | b |"},
		"words at its end":       {"| Foo 1 | Ana   |", "| Foo 1 | Ana |", "| Foo 1 | Ana Maria |", "| Foo 1 | Ana Maria |"},
		"words in an empty cell": {"|     | b   |", "| | b |", "| x | b |", "| x | b   |"},
		"the start":              {`\*one\* two`, "*one* two", "two", "two"},
		"the end":                {`one \*two\*`, "one *two*", "one", "one"},
		"bullets":                {"* one \\* 1\n* two", "- one * 1\n- two", "- one * 1\n- three\n- four", "* one \\* 1\n* three\n* four"},
		"a dash in a line":       {"* one \\* - 1", "- one * - 1", "- one * - 2", "* one \\* - 2"},
		"characters":             {`1 \* é`, "1 * é", "1 * è", `1 \* è`},
		"fences":                 {"+++++\none\n\n+++++", "+++\none\n+++", "+++\ntwo\n+++", "+++++\ntwo\n\n+++++"},
		"decomposed letters":     {"Zu\u0308rich is u\u0308ber", "Zürich is über", "Zürich is unter", "Zu\u0308rich is unter"},
		"full width":             {"Ｔｅｌ：１２", "Tel:12", "Tel:13", "Ｔｅｌ：１3"},
		"what shows nothing":     {"Donau\u00addampf ab", "Donaudampf ab", "Donaudampf an", "Donau\u00addampf an"},
		"quotation marks":        {"He said “it’s” – once", `He said "it's" - once`, `He said "it's" - twice`, "He said “it’s” – twice"},
		"a dash that is changed": {"It’s a test - really good", "It's a test - really good", "It's a test — really bad", "It’s a test — really bad"},
		"a part of a sign":       {"so…", "so...", "so..", "so.."},
		"nothing":                {`1 \* one`, "1 * one", "", ""},
		"nothing in common":      {`1 \* one`, "1 * one", "two", "two"},
		"all, with more":         {`a \* b`, "a * b", "a * b and c", `a \* b and c`},
		"all, behind another":    {`a \* b`, "a * b", "x a * b", `x a \* b`},
	} {
		edit := Edit{Old: test.old, New: test.new}
		if got := edit.Replacement(test.stored); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		if same := (Edit{Old: test.old, New: test.old}); same.Replacement(test.stored) != test.stored {
			t.Errorf("%s: an edit that changes nothing gives %q", name, same.Replacement(test.stored))
		}
	}
}

func TestWidenReachesAsFarAsTheFirstOccurrenceNeeds(t *testing.T) {
	long := strings.Repeat("word ", 2000)
	tests := []struct{ name, before, match, after, want string }{
		{"the first one stays", "x ", "a", " a", "a"},
		{"another one takes its line", "a\n\nthe b ", "a", " c\n\na\n", "a c"},
		{"on the side where it is shorter", "a long line of this\n\nx ", "a", " long line of that\n", "x a"},
		{"lines above tell two lines apart", "# A\n\n* x\n\n# B\n\n", "* x", "\n\n# Chapter\n", "# B\n\n* x"},
		{"lines below, if they are nearer", "0\n* x\n* z\n0\n", "* x", "\n* y\n", "* x\n* y"},
		{"but none if its own line is enough", "a b\nmany words here ", "a", "\nc\n", "many words here a"},
		{"both, if each alone is everywhere", strings.Repeat("a\nx\nc\nb\nx\nd\n", 2) + "a\n", "x", "\nd\na\nx\nd\n", "a\nx\nd"},
		{"the whole text, if it must be", "aa", "a", "", "aaa"},
		{"no character is split", "é ä\nè ", "ä", "", "è ä"},
		{"not the whole of a long line", long + "a word, then ", "a", " word " + long, "n a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := test.before + test.match + test.after
			m := Match{Start: len(test.before), End: len(test.before) + len(test.match), Tolerant: true}
			w := widen(text, m)
			if got := text[w.Start:w.End]; got != test.want {
				t.Errorf("widened to %q, not %q", got, test.want)
			}
			if w.Start > m.Start || w.End < m.End || strings.Index(text, text[w.Start:w.End]) != w.Start {
				t.Errorf("%+v does not occur first", w)
			}
			if !w.Tolerant {
				t.Error("how it was found is forgotten")
			}
		})
	}
}

func TestWordsThatAreDeletedTakeTheirMarksWithThem(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"A **Foo** b ==Foo== c `Foo` d __Foo__ e *Foo* f ~~Foo~~ $Foo$ g", "A  b  c  d  e  f   g"},
		{"**_Foo_** x ***Foo***", " x "},
		{"**Foo**", ""},
		{"| **Foo** | `Foo` |\n|---|---|\n| ==Foo== | b |", "|  |  |\n|---|---|\n|  | b |"},
		{"**a Foo** `**Foo**` x__Foo__y \\*Foo\\* Foo**b**", "**a**  `****` x____y \\*\\* **b**"}, // not on the word alone
		{"x **Foo a** y ==a Foo== `Foo a` **Foo a Foo**", "x  **a** y ==a==  ` a`  **a** "},
		{"x **Foo Foo a** y **b Foo Foo** z **Foo Foo** ~~FooFoo~~ **Foo**==Foo==", "x   **a** y **b**   z    "},
		{"**b**Foo*i* **b** Foo *i* $x Foo$", "**b***i* **b**  *i* $x $"},
		{"* a\n  * b\n    * c **Foo** d", "* a\n  * b\n    * c  d"},
		{"x **Foo\u3000a** y **Foo\u00a0a**", "x \u3000**a** y \u00a0**a**"},
		{"[x](https://e.example/img_Foo_2.png?q=Foo=1) ![a](/my_Foo_page.png) <https://e.example/_Foo_>", "[x](https://e.example/img__2.png?q==1) ![a](/my__page.png) <https://e.example/__>"},
		{"*==a Foo==* x_Foo a **a**==Foo b== **==Foo c==**", "*==a==*  x_ a **a** ==b==  **==c==**"},
		{"```\n`Foo` **Foo**\n\n**Foo**\n```\n\n**Foo** x", "```\n`` ****\n\n****\n```\n\n x"},
		{"$$\n_Foo_\n$$", "$$\n__\n$$"},
	} {
		after, _, err := changesOf(test.text, []Edit{{Old: "Foo", All: true}})
		if err != nil || after != test.want {
			t.Errorf("%q becomes %q, %v, want %q", test.text, after, err, test.want)
		}
	}
}

func TestOtherMarksBesideADeletionStay(t *testing.T) {
	for _, test := range []struct{ text, old, new, want string }{
		{"**a** Foo **b**", " Foo ", "", "**a****b**"},
		{"**a** Foo *b*", " Foo ", " ", "**a** *b*"},
		{"**Foo** a", "Foo", "bar", "**bar** a"}, // nothing is deleted
		{"x **Foo a** y", "Foo", " ", "x   **a** y"},
		{"x **a Foo** y", "Foo", " ", "x **a**   y"},
	} {
		after, _, err := changesOf(test.text, []Edit{{Old: test.old, New: test.new}})
		if err != nil || after != test.want {
			t.Errorf("%q becomes %q, %v, want %q", test.text, after, err, test.want)
		}
	}
}
