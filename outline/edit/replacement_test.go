package edit

import "testing"

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
