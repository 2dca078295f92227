package edit_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
)

// change replaces the only occurrence of a text.
func change(t *testing.T, s *edit.Source, old, text string) edit.Change {
	t.Helper()
	if strings.Count(s.Markdown.Text, old) != 1 {
		t.Fatalf("%q is not in %q once", old, s.Markdown.Text)
	}
	at := strings.Index(s.Markdown.Text, old)
	return edit.Change{Match: edit.Match{Start: at, End: at + len(old)}, New: text}
}

func TestEditsThatPatchesDamageAreMadeExactly(t *testing.T) {
	for _, test := range []struct{ name, before, old, text, after string }{
		{"code that looks like a mark", "Run:\n\n```\nx = 1\n```", "x = 1", "x = self.__init__", "Run:\n\n```\nx = self.__init__\n```"},
		{"words after inline math", "Math $E = mc^2$ sits here.", "sits", "stands", "Math $E = mc^2$ stands here."},
		{"words after an emoji", "Hello :tada: inside words.", "words", "WORDS", "Hello :tada: inside WORDS."},
		{"words behind a mention", "See @[Ann](mention://11111111-1111-4111-8111-111111111111/user/22222222-2222-4222-8222-222222222222) inside.", " inside.", " outside.",
			"See @[Ann](mention://11111111-1111-4111-8111-111111111111/user/22222222-2222-4222-8222-222222222222) outside."},
		{"a paragraph in a list", "* a\n* b\n* c", "* a", "* a\n\nPara\n", "* a\n\nPara\n\n* b\n* c"},
		{"words in bold", "Some **bold words** here.", "words", "letters", "Some **bold letters** here."},
		{"text after a table", "| a |\n|---|\n| b |\n\nEnd.", "| b   |", "| b   |\n\nMore.", "| a   |\n|-----|\n| b   |\n\nMore.\n\nEnd."},
		{"a paragraph that goes", "One.\n\nTwo.\n\nThree.", "Two.", "", "One.\n\nThree."},
		{"a paragraph between lists that goes", "* a\n\nPara\n\n* b", "\n\nPara", "", "* a\n* b"},
		{"a checkbox and its label", "- [ ] a **b**\n- [ ] c", "- [ ] a **b**", "- [x] a b", "- [x] a b\n- [ ] c"},
		{"an escape", "The brown fox.", "brown", `\*x\*`, `The \*x\* fox.`},
		{"the second of two equal words", "fox\n\nthe fox.", "the fox", "the cat", "fox\n\nthe cat."},
		{"a blank at the end of bold", "a **b** c", "b", "b ", "a \\*\\*b \\*\\* c"},
		{"words beside an image", "Before ![a](https://example.com/a.png) after.", "after", "**after**", "Before  ![a](https://example.com/a.png) **after**."},
		{"words behind an empty paragraph", "One.\n\n\\\n\nTwo &.", "Two", "**2**", "One.\n\n\n**2** &."},
		{"the only block", "Only $x$ one.", "one", "two", "Only $x$ two."},
		{"an empty document", "", "", "First.", "First."},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := edit.NewSource(prosemirror.Parse(test.before))
			c := edit.Change{New: test.text}
			if test.old != "" {
				c = change(t, s, test.old, test.text)
			}
			r, err := s.Request([]edit.Change{c})
			if err != nil {
				t.Fatal(err)
			}
			got := carryOut(t, s, r)
			if text := prosemirror.ToText(got); text != test.after {
				t.Errorf("%q → %q gives %q, want %q", r.FindText, r.Text, text, test.after)
			}
			if !r.Verify(got) || !r.Lost.IsZero() {
				t.Errorf("verified %v, lost %+v", r.Verify(got), r.Lost)
			}
		})
	}
}

func TestSeveralChangesAreOneRequest(t *testing.T) {
	s := edit.NewSource(prosemirror.Parse("# One\n\nTwo two.\n\n* three\n* four"))
	r, err := s.Request([]edit.Change{change(t, s, "One", "1"), change(t, s, "two", "2"), change(t, s, "four", "**4**")})
	if err != nil {
		t.Fatal(err)
	}
	if text := prosemirror.ToText(carryOut(t, s, r)); text != "# 1\n\nTwo 2.\n\n* three\n* **4**" {
		t.Errorf("got %q", text)
	}
}

func TestEmptyParagraphsOfAPassageStay(t *testing.T) {
	s := edit.NewSource(prosemirror.Parse("One.\n\n\\\n\nTwo.\n\nThree."))
	if s.Markdown.Text != "One.\n\n\nTwo.\n\nThree." {
		t.Fatalf("text is %q", s.Markdown.Text)
	}
	r, err := s.Request([]edit.Change{change(t, s, "One.\n\n\nTwo.", "Eins.\n\n\nZwei.")})
	if err != nil {
		t.Fatal(err)
	}
	got := carryOut(t, s, r)
	if want := prosemirror.Parse("Eins.\n\n\\\n\nZwei.\n\nThree."); !prosemirror.Equal(got, want) {
		t.Errorf("got %q", prosemirror.Main.Serialize(got))
	}
}

func TestImagesOfAPassageStay(t *testing.T) {
	s := edit.NewSource(prosemirror.Parse("One.\n\nBefore ![a](https://example.com/a.png) after.\n\nThree.\n\nFour."))
	r, err := s.Request([]edit.Change{change(t, s, "One.\n\nBefore  ![a](https://example.com/a.png) after.\n\nThree.",
		"1.0\n\nBefore  ![a](https://example.com/a.png) after.\n\n**3**")})
	if err != nil {
		t.Fatal(err)
	}
	got := carryOut(t, s, r)
	if want := prosemirror.Parse("1.0\n\nBefore ![a](https://example.com/a.png) after.\n\n**3**\n\nFour."); !prosemirror.Equal(got, want) {
		t.Errorf("got %q", prosemirror.Main.Serialize(got))
	}
}

func TestTheFormThatLosesLeastIsTaken(t *testing.T) {
	const text = "First words.\n\nThe quick brown fox.\n\nLast words."
	for _, test := range []struct {
		name, anchor, old, text string
		lost                    []string
	}{
		{"plain words beside the anchor", "brown fox", "quick", "slow", nil},
		{"plain words in the anchor", "brown fox", "fox", "bear", nil},
		{"marks beside the anchor", "brown fox", "quick", "**slow**", nil},
		{"the anchor's text itself", "quick", "quick", "", nil},
		{"an anchor in the next block", "Last", "fox", "&amp;", nil},
		{"an anchor in the block before", "First", "fox.", "&amp;.\n\nMore.", nil},
		{"an escape beside the anchor", "brown fox", "quick", `\*`, []string{"c1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := edit.NewSource(commented(text, test.anchor, "c1"))
			r, err := s.Request([]edit.Change{change(t, s, test.old, test.text)})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(r.Lost.CommentAnchors, test.lost) {
				t.Errorf("%q → %q loses %v, want %v", r.FindText, r.Text, r.Lost.CommentAnchors, test.lost)
			}
		})
	}
}

func TestAPieceThatAloneBeginsAListIsSentWithWordsAroundIt(t *testing.T) {
	for _, anchor := range []string{"brown fox", "Use", "VLAN", "; the", "the"} {
		for _, to := range []string{"Use VLAN 12. DHCP;", "Use VLAN 13. DHCP;", "Use VLAN 12) DHCP;", "Use VLAN 12 - DHCP;"} {
			if anchor == "VLAN" && strings.Contains(to, "13.") {
				continue // it is the word before the number, and the only one that can go with it
			}
			s := edit.NewSource(commented("First words; more.\n\nUse VLAN 12; the quick brown fox.\n\nLast words.", anchor, "c1"))
			r, err := s.Request([]edit.Change{change(t, s, "Use VLAN 12;", to)})
			if err != nil {
				t.Fatal(err)
			}
			got := carryOut(t, s, r)
			want := strings.Replace(s.Markdown.Text, "Use VLAN 12;", to, 1)
			if len(r.Lost.CommentAnchors) > 0 || prosemirror.Main.ToMarkdown(got).Text != want {
				t.Errorf("%q, comment on %q: %q → %q loses %v and makes\n%s", to, anchor, r.FindText, r.Text, r.Lost.CommentAnchors, prosemirror.Main.ToMarkdown(got).Text)
			}
		}
	}
}

func TestColorsAndWidthsThatGoAreCounted(t *testing.T) {
	s := edit.NewSource(decode(t, `{"type":"doc","content":[
		{"type":"paragraph","content":[
			{"type":"text","text":"red","marks":[{"type":"highlight","attrs":{"color":"#f00"}}]},
			{"type":"text","text":" and math "},
			{"type":"math_inline","content":[{"type":"text","text":"x"}]},
			{"type":"text","text":" end."}]},
		{"type":"table","attrs":{"layout":null},"content":[{"type":"tr","content":[
			{"type":"th","attrs":{"colspan":1,"rowspan":1,"alignment":null,"colwidth":[90]},"content":[{"type":"paragraph","content":[{"type":"text","text":"a"}]}]}]}]}]}`))
	for _, test := range []struct {
		old, text      string
		colors, widths int
	}{
		{"end", `\*`, 1, 0},
		{"red", "", 0, 0},
		{"|\n|--", "| b |\n|-----|--", 0, 1},
	} {
		r, err := s.Request([]edit.Change{change(t, s, test.old, test.text)})
		if err != nil {
			t.Fatal(err)
		}
		if r.Lost.HighlightColors != test.colors || r.Lost.ColumnWidths != test.widths {
			t.Errorf("lost %+v by %q → %q", r.Lost, r.FindText, r.Text)
		}
	}
}

func TestRefusalsSayWhy(t *testing.T) {
	const mention = "See [Plan](/doc/44444444-4444-4444-8444-444444444444#h-goals) now."
	for _, test := range []struct {
		name, before, old, text, reason string
	}{
		{"code block", "One.\n\nTwo.\n\nThree.", "Two.", "```\ncode", "leaves a code block open"},
		{"code block over a file", "One.\n\nTwo.\n\n[a 12](/api/attachments.redirect?id=44444444-4444-4444-8444-444444444444)", "Two.", "```\ncode", "leaves a code block open"},
		{"callout", "One.\n\nTwo.\n\nThree.", "Two.", ":::info\nx", "leaves a callout open"},
		{"callout without its end", ":::info\nOne.\n\n:::\n\nTwo.", "One.\n\n:::", "Three.", "leaves a callout open"},
		{"callout in a callout", ":::info\nOne.\n\n:::\n\nTwo.", "One.", "One.\n\n:::tip\nx\n\n:::", "closes the callout around it"},
		{"callout in an item of one", ":::info\nOne.\n\n:::\n\nTwo.", "One.", "* One.\n\n  :::tip\n  x\n\n  :::", "closes the callout around it"},
		{"new callout in a callout", "One.\n\nTwo.", "One.", "::::info\nx\n\n:::tip\ny\n\n:::\n\n::::", "(callout that holds a callout)"},
		{"toggle", "One.\n\nTwo.\n\nThree.", "Two.", "+++\nx", "leaves a toggle open"},
		{"math", "One.\n\nTwo.\n\nThree.", "Two.", "$$\nx", "leaves a math block open"},
		{"mention", "", "now", `\*`, "mention of a document"},
		{"link to a file", "One.\n\nTwo.", "One", "See [notes](/api/attachments.redirect?id=44444444-4444-4444-8444-444444444444) of one", "Put the link to the file into a paragraph of its own"},
		{"dropped list", "* a\n* b\n\nEnd.", "* a", "* a\n* b [x] c", "silently drop"},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc := prosemirror.Parse(test.before)
			if test.before == "" {
				doc = decode(t, `{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"See "},
					{"type":"mention","attrs":{"type":"document","label":"Plan","modelId":"44444444-4444-4444-8444-444444444444","id":"11111111-1111-4111-8111-111111111111","anchorId":"h-goals"}},
					{"type":"text","text":" now."}]}]}`)
				if prosemirror.ToText(doc) != mention {
					t.Fatalf("text is %q", prosemirror.ToText(doc))
				}
			}
			s := edit.NewSource(doc)
			_, err := s.Request([]edit.Change{change(t, s, test.old, test.text)})
			var refused *edit.RefusedError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.reason) || refused.Instead == "" {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestADocumentWithoutBlocksIsReplaced(t *testing.T) {
	s := edit.NewSource(decode(t, `{"type":"doc"}`))
	r, err := s.Request([]edit.Change{{New: "# Title"}})
	if err != nil || r.EditMode != edit.ModeReplace || r.Text != "# Title" || !r.Verify(prosemirror.Parse("# Title")) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestNothingIsSentForNoChange(t *testing.T) {
	s := edit.NewSource(prosemirror.Parse("Some *text*.\n\nEnd."))
	for _, text := range []string{"*text*", "_text_"} {
		r, err := s.Request([]edit.Change{change(t, s, "*text*", text)})
		if err != nil || r.EditMode != "" || !r.Verify(s.Doc) {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	}
}

func decode(t *testing.T, data string) *prosemirror.Node {
	t.Helper()
	doc, err := prosemirror.Decode([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestWhiteSpaceThatIsNotShownGivesWayToTheNewText has documents whose raw form
// begins or ends with white space, which the text does not show.
func TestWhiteSpaceThatIsNotShownGivesWayToTheNewText(t *testing.T) {
	const file = "[a 12](/api/attachments.redirect?id=44444444-4444-4444-8444-444444444444)"
	for _, test := range []struct{ before, old, text, after string }{
		{`![a](https://e.com/b.png "right-50")`, "![a]", "   ![a]", `![a](https://e.com/b.png "right-50")`},
		{"```\nb\n```\n\n" + file, "b\n```\n\n" + file, "c", "```\nc\n```"},
	} {
		s := edit.NewSource(prosemirror.Parse(test.before))
		r, err := s.Request([]edit.Change{change(t, s, test.old, test.text)})
		if err != nil {
			t.Fatal(err)
		}
		if !prosemirror.Equal(r.Result, prosemirror.Parse(test.after)) {
			t.Errorf("%q → %q in %q makes %q", test.old, test.text, test.before, prosemirror.Main.Serialize(r.Result))
		}
	}
}
