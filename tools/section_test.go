package tools_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools/search"
)

func TestASectionIsWritten(t *testing.T) {
	t.Parallel()
	const guide = "Lead.\n\n# Setup\n\nInstall it.\n\n## Steps\n\n* one\n* two\n\n# Use\n\n# Steps\n\n> ## Quoted\n>\n> Words.\n\nThe end."
	type args = map[string]any
	for name, test := range map[string]struct {
		arguments  args
		want, with string // what of the guide becomes what else; "" for a refusal
		code       output.Code
		says       string
	}{
		"appended behind subsections":  {args{"heading": "Setup", "text": "More.", "append": true}, "* two", "* two\n\nMore.", "", "Appended to the section \"Setup\" of"},
		"put below the heading":        {args{"heading": "Setup", "text": "First.", "prepend": true}, "# Setup\n", "# Setup\n\nFirst.\n", "", "Updated the section \"Setup\" of"},
		"replaced with subsections":    {args{"heading": "Setup", "text": "Nothing to do."}, "Install it.\n\n## Steps\n\n* one\n* two", "Nothing to do.", "", ""},
		"items go on with a list":      {args{"heading": "## Steps", "text": "- three", "append": true}, "", "", output.HeadingAmbiguous, "2 headings match. Give more of the text of one, or its anchor:\n- line 7: Steps, #h-steps\n- line 14: Steps, #h-steps-1"},
		"named by its anchor":          {args{"heading": "#h-steps", "text": "- three", "append": true}, "* two", "* two\n* three", "", ""},
		"named by its address":         {args{"heading": "https://wiki.example.com/doc/x-1#h-steps-1", "text": "- three", "append": true}, "> Words.\n\nThe end.", "> Words.\n\nThe end.\n\n* three", "", ""},
		"named by a part of its text":  {args{"heading": "set", "text": "More.", "prepend": true}, "# Setup\n", "# Setup\n\nMore.\n", "", ""},
		"tasks below a list":           {args{"heading": "#h-steps", "text": "- [ ] three", "append": true}, "* two", "* two\n\n- [ ] three", "", ""},
		"an empty section":             {args{"heading": "Use", "text": "Turn it on."}, "# Use", "# Use\n\nTurn it on.", "", ""},
		"in a quote":                   {args{"heading": "Quoted", "text": "More.\n\nAnd more.", "append": true}, "> Words.", "> Words.\n>\n> More.\n>\n> And more.", "", ""},
		"a heading that is repeated":   {args{"heading": "Use", "text": "# Use\n\nTurn it on.", "append": true}, "# Use", "# Use\n\nTurn it on.", "", "the first line, which repeats the heading, was left out"},
		"emptied":                      {args{"heading": "Setup", "text": "# Setup", "allow_shrink": true}, "\n\nInstall it.\n\n## Steps\n\n* one\n* two", "", "", ""},
		"emptied unasked":              {args{"heading": "Setup", "text": "# Setup"}, "", "", output.InvalidArguments, "would remove all that is below the heading"},
		"the same text":                {args{"heading": "#h-steps", "text": "- one\n- two"}, "Lead.", "Lead.", "", "Nothing changed"},
		"with a title":                 {args{"heading": "Use", "text": "Turn it on.", "title": "Guide"}, "# Use", "# Use\n\nTurn it on.", "", "\"Guide\""},
		"subsections":                  {args{"heading": "Use", "text": "## On\n\nTurn it.", "prepend": true}, "# Use", "# Use\n\n## On\n\nTurn it.", "", ""},
		"a new section behind it":      {args{"heading": "Use", "text": "# Care\n\nNone.", "append": true}, "# Use", "# Use\n\n# Care\n\nNone.", "", ""},
		"another heading in its place": {args{"heading": "Use", "text": "# Usage\n\nTurn it on."}, "", "", output.InvalidArguments, "the heading \"Use\" stays"},
		"a heading above what stays":   {args{"heading": "Setup", "text": "Words.\n\n# New", "prepend": true}, "", "", output.InvalidArguments, "the heading \"New\" in text"},
		"an open block":                {args{"heading": "Use", "text": "```\ncode", "append": true}, "", "", output.InvalidArguments, "leaves a code block open"},
		"text that only repeats":       {args{"heading": "Use", "text": "# Use", "append": true}, "", "", output.InvalidArguments, "text only repeats the heading"},
		"no such heading":              {args{"heading": "Steep", "text": "x"}, "", "", output.HeadingNotFound, "nothing was written: no heading contains \"Steep\". Use one of these.\n- line 7: Steps"},
		"no text":                      {args{"heading": "Use", "title": "Guide"}, "", "", output.InvalidArguments, "there is no text"},
		"a rest that is left out":      {args{"heading": "Setup", "text": "Install it.\n\n(rest unchanged)"}, "", "", output.InvalidArguments, "stands for text that is not repeated"},
		"a blank heading":              {args{"heading": " ", "text": "x"}, "", "", output.InvalidArguments, "heading is blank"},
		"both ends":                    {args{"heading": "Use", "text": "x", "append": true, "prepend": true}, "", "", output.InvalidArguments, "choose append or prepend, not both"},
		"of another revision":          {args{"heading": "Use", "text": "x", "expected_revision": 99}, "", "", output.Conflict, "nothing was written"},
		"the beginning of the text":    {args{"text": "First of all.", "prepend": true}, "Lead.", "First of all.\n\nLead.", "", ""},
		"a title that is repeated":     {args{"text": "# Under test\n\nFirst of all.", "prepend": true}, "Lead.", "First of all.\n\nLead.", "", "repeats the title"},
		"nothing at the beginning":     {args{"prepend": true}, "", "", output.InvalidArguments, "there is nothing to change"},
	} {
		t.Run(name, func(t *testing.T) {
			for version, options := range map[string]fakeoutline.Options{"newest": {}, "1.9.2": {Release: "1.9.2"}} {
				e := newEditing(t, guide, options)
				arguments := args{"document_id": e.id}
				maps.Copy(arguments, test.arguments)
				answer := call(t, e.c, "update_document", arguments)
				if answer.Code != test.code || !strings.Contains(answer.Text, test.says) {
					t.Errorf("%s: code %q: %s", version, answer.Code, answer.Text)
				}
				if got, want := e.text(t), strings.Replace(guide, test.want, test.with, 1); got != want {
					t.Errorf("%s: it says\n%s\nwant\n%s", version, got, want)
				}
			}
		})
	}
}

func TestAHeadingWithoutAccentsAndEmojiIsNotAPartOfAnother(t *testing.T) {
	t.Parallel()
	const page = "# Kubernetes\n\nSecret.\n\n# Protocol\n\nx\n\n# Café\n\ny\n\n# Cafe menu\n\nz"
	for heading, want := range map[string]string{"Über": "", "🚀 c": "", "ubernetes": "Kubernetes", "cafe": "Café", "☕ cafe": "Café", "CAFE M": "Cafe menu", "café m": ""} {
		e := newEditing(t, page, fakeoutline.Options{})
		arguments := map[string]any{"document_id": e.id, "heading": heading}
		read := call(t, e.c, "read_document_section", arguments)
		arguments["text"] = "New."
		written := call(t, e.c, "update_document", arguments)
		text := page
		if want == "" {
			for _, answer := range []cli.Answer{read, written} {
				if answer.Code != output.HeadingNotFound || !strings.Contains(answer.Text, "- line 1: Kubernetes") {
					t.Errorf("%s: code %q: %s", heading, answer.Code, answer.Text)
				}
			}
		} else {
			before, after, _ := strings.Cut(page, "# "+want+"\n\n")
			_, after, more := strings.Cut(after, "\n\n")
			if text = before + "# " + want + "\n\nNew."; more {
				text += "\n\n" + after
			}
			if !strings.Contains(read.Text, "Section \""+want+"\"") || written.Code != "" {
				t.Errorf("%s: %s; %s", heading, read.Text, written.Text)
			}
		}
		if got := e.text(t); got != text {
			t.Errorf("%s: it says\n%s", heading, got)
		}
	}
}

func TestASectionIsRefusedWithoutTheTreeOfItsDocument(t *testing.T) {
	const text = "# A\n\n* one\n\n# B"
	e := newEditing(t, text, fakeoutline.Options{NoTree: true})
	answer := call(t, e.c, "update_document", map[string]any{"document_id": e.id, "heading": "A", "text": "x", "append": true})
	if answer.Code != output.InvalidArguments || !strings.Contains(answer.Text, "does not return the document's tree") || e.text(t) != text {
		t.Errorf("code %q: %s\nThe text is\n%s", answer.Code, answer.Text, e.text(t))
	}
}

func TestMostOfALongSectionIsOnlyReplacedIfThatIsAllowed(t *testing.T) {
	long := strings.Repeat("Many words of a section. ", 200)
	e := newEditing(t, "# A\n\n"+long+"\n\n# B\n\n"+long, fakeoutline.Options{})
	arguments := map[string]any{"document_id": e.id, "heading": "A", "text": "Few words."}
	if answer := call(t, e.c, "update_document", arguments); answer.Code != output.InvalidArguments || !strings.Contains(answer.Text, "all that is below the heading (5001 characters)") {
		t.Error(answer.Text)
	}
	arguments["allow_shrink"] = true
	if answer := call(t, e.c, "update_document", arguments); answer.Code != "" {
		t.Error(answer.Text)
	}
	if got := e.text(t); !strings.HasPrefix(got, "# A\n\nFew words.\n\n# B\n\nMany") {
		t.Errorf("it says %q", got)
	}
}

func TestOnlyTheSectionIsGuardedAgainstOthers(t *testing.T) {
	t.Parallel()
	const text = "# A\n\nOne.\n\n# B\n\nTwo."
	for name, test := range map[string]struct {
		arguments      map[string]any
		theirs, becoms string
		code           output.Code
		want           string
	}{
		"text that is added where they write": {map[string]any{"append": true}, "One.", "Uno.", "", "# A\n\nUno.\n\nMine.\n\n# B\n\nTwo."},
		"text that is replaced elsewhere":     {nil, "Two.", "Duo.", "", "# A\n\nMine.\n\n# B\n\nDuo."},
		"text that they have changed":         {nil, "One.", "Uno.", output.Conflict, "# A\n\nUno.\n\n# B\n\nTwo."},
		"a heading that is gone":              {map[string]any{"append": true}, "# A", "# C", output.HeadingNotFound, "# C\n\nOne.\n\n# B\n\nTwo."},
		"a revision that was expected":        {map[string]any{"append": true, "expected_revision": 1}, "Two.", "Duo.", output.Conflict, "# A\n\nOne.\n\n# B\n\nDuo."},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditing(t, text, fakeoutline.Options{})
			e.update = func(n int, _ map[string]any) {
				if n == 1 {
					e.theirs(t, test.theirs, test.becoms)
				}
			}
			arguments := map[string]any{"document_id": e.id, "heading": "A", "text": "Mine."}
			maps.Copy(arguments, test.arguments)
			answer := call(t, e.c, "update_document", arguments)
			if answer.Code != test.code || test.code != "" && !strings.Contains(answer.Text, "nothing was written") {
				t.Errorf("code %q: %s", answer.Code, answer.Text)
			}
			if got := e.text(t); got != test.want {
				t.Errorf("it says %q, want %q", got, test.want)
			}
		})
	}
}

// recordedTrees are the recorded documents, each of which a real Outline stored.
func recordedTrees(t *testing.T) (trees []*prosemirror.Node) {
	type stored struct{ Data *prosemirror.Node }
	for _, file := range []string{"roundtrip", "patches", "gaps", "writes"} {
		for _, r := range fixtures.Recorded[struct {
			Data   *prosemirror.Node
			Before *stored
		}](t, file) {
			for _, s := range []*stored{{r.Data}, r.Before} {
				if s != nil && s.Data != nil {
					trees = append(trees, s.Data)
				}
			}
		}
	}
	for _, page := range fixtures.Recorded[struct{ Text string }](t, "wiki_pages") {
		trees = append(trees, prosemirror.Parse(page.Text))
	}
	return trees
}

// A sectionCase is a write of a section, and what the document is to be afterwards.
type sectionCase struct {
	anchor, mode string
	text         string
	want         string
}

// TestEverySectionOfTheRecordedDocumentsIsWrittenExactlyOrRefused writes to each section
// in each way, and compares the document with its lines before, between which the new text
// is put.
func TestEverySectionOfTheRecordedDocumentsIsWrittenExactlyOrRefused(t *testing.T) {
	t.Parallel()
	fixtures.InYear(t, func(t *testing.T) {
		var cases []sectionCase
		var trees []*prosemirror.Node // of each
		texts := []string{"New words.", "* a new item\n* another", "```\nnew code\n```\n\nAnd *marked* words."}
		seen := map[string]bool{}
		for _, tree := range fixtures.Some(recordedTrees(t), 60) {
			text := prosemirror.ToText(tree)
			if key := string(tree.AppendJSON(nil)); seen[key] {
				continue
			} else {
				seen[key] = true
			}
			sections := prosemirror.Sections(text)
			var headings []string
			for _, s := range sections {
				headings = append(headings, s.Slugged)
			}
			for i, s := range sections {
				for j, mode := range []string{"append", "prepend", "replace"} {
					c := sectionCase{anchor: "#" + search.AnchorOf(headings, i), mode: mode, text: texts[(i+j)%len(texts)]}
					c.want = sectionModel(text, s, mode, c.text)
					cases, trees = append(cases, c), append(trees, tree)
				}
			}
		}
		e := newEditingOn(t, storing(t, "", trees))
		refused := 0
		for i, one := range cases {
			arguments := map[string]any{"document_id": uuid(i), "heading": one.anchor, "text": one.text, "allow_shrink": true}
			if one.mode != "replace" {
				arguments[one.mode] = true
			}
			answer, err := cli.Call(t.Context(), e.c, "update_document", arguments)
			if err != nil {
				t.Fatal(err)
			}
			now, err := e.calm.DocumentWithTree(t.Context(), uuid(i))
			if err != nil {
				t.Fatal(err)
			}
			before := prosemirror.ToText(trees[i])
			switch {
			case answer.Code == output.InvalidArguments:
				refused++
				if now.Revision != 1 {
					t.Errorf("refused, and the document changed to %q", now.Text)
				}
				t.Logf("%s %s of %q: refused: %s", one.mode, one.anchor, before, answer.Text)
			case answer.Code != "":
				t.Errorf("%s %s of %q: %s", one.mode, one.anchor, before, answer.Text)
			case !sameLines(now.Text, one.want) || isFixed(trees[i]) && now.Text != prosemirror.ToText(prosemirror.Parse(one.want)):
				t.Errorf("%s %q to %s of\n%q\n got\n%q\nwant\n%q", one.mode, one.text, one.anchor, before, now.Text, one.want)
			}
		}
		if t.Logf("%d writes, %d refused", len(cases), refused); refused*100 > len(cases) {
			t.Error("more writes are refused than before")
		}
	})
}

// sameLines reports whether two texts have the same lines apart from blank ones and the
// length of fences.
func sameLines(a, b string) bool {
	filled := func(text string) (lines []string) {
		for line := range strings.Lines(text) {
			if line = strings.TrimRight(line, " \n>"); strings.Trim(line, "+") == "" {
				line = strings.Repeat("+", min(len(line), 3))
			}
			lines = append(lines, nonEmptyLine(line)...)
		}
		return lines
	}
	return slices.Equal(filled(a), filled(b))
}

func nonEmptyLine(line string) []string {
	if line == "" {
		return nil
	}
	return []string{line}
}

// sectionModel returns a text with lines added to a section or in its place.
func sectionModel(text string, s prosemirror.Section, mode, added string) string {
	lines := strings.Split(text, "\n")
	first, last := s.FirstLine, s.LastLine-s.Outside
	for last > first && strings.Trim(lines[last-1], "> \\") == "" {
		last--
	}
	prefix, _, _ := strings.Cut(lines[first-1], "#")
	for _, sign := range []string{"*", "-", "1.", "2."} {
		prefix = strings.ReplaceAll(prefix, sign, strings.Repeat(" ", len(sign)))
	}
	var with []string
	for _, line := range strings.Split("\n"+added, "\n") {
		if line == "" {
			with = append(with, strings.TrimRight(prefix, " "))
		} else {
			with = append(with, prefix+line)
		}
	}
	switch mode {
	case "append":
		first = last
	case "prepend":
		last = first
	}
	return strings.Join(slices.Concat(lines[:first], with, lines[last:]), "\n")
}

// TestHeadingsBelowHTMLAreFound begins a document with each kind of HTML block that
// CommonMark knows (https://spec.commonmark.org/0.31.2/#html-blocks). Outline has no
// HTML blocks: it stores the line as text, and what follows as the headings that they are.
func TestHeadingsBelowHTMLAreFound(t *testing.T) {
	c := as(t, newSample(t), fakeoutline.AdminKey)
	for kind, lines := range map[int][]string{
		1: {"<pre>", "<script>", "<style>", "<textarea>"},
		2: {"<!--", "<!-- a comment -->"},
		3: {"<?php"},
		4: {"<!DOCTYPE html>", "<!DOCTYPE"},
		5: {"<![CDATA["},
		6: {"<div>", "</div>", `<table class="a">`, "<h1>"},
		7: {"<x-note>", "</x-note>", "<b>"},
	} {
		for _, line := range lines {
			t.Run(fmt.Sprintf("%d %s", kind, line), func(t *testing.T) {
				filler := strings.Repeat("Every word of this paragraph makes the document longer. ", 20)
				text := line + "\n# Directly below\n\n" + filler + "\n\n## Further below\n\nThe needle."
				answer, _ := read[struct {
					DocumentID string `json:"document_id"`
				}](t, c, "create_document", map[string]any{"title": "HTML", "text": text, "collection_id": operations, "publish": true})
				id := answer.DocumentID

				stored, _ := read[struct{ Text string }](t, c, "read_document", map[string]any{"document_id": id})
				if want := line + "\n\n# Directly below\n\n" + filler[:len(filler)-1] + "\n\n## Further below\n\nThe needle."; stored.Text != want {
					t.Errorf("stored is %q", stored.Text)
				}
				type heading struct {
					Level int
					Text  string
					Line  int
				}
				headings, _ := read[struct{ Headings []heading }](t, c, "get_document_outline", map[string]any{"document_id": id})
				if want := []heading{{1, "Directly below", 3}, {2, "Further below", 7}}; !slices.Equal(headings.Headings, want) {
					t.Errorf("headings are %v, want %v", headings.Headings, want)
				}
				section, _ := read[struct{ Content string }](t, c, "read_document_section", map[string]any{"document_id": id, "heading": "Further below"})
				if section.Content != "## Further below\n\nThe needle." {
					t.Errorf("the section is %q", section.Content)
				}
				found, _ := read[foundMatches](t, c, "find_in_documents", map[string]any{"query": "needle", "document_id": id})
				if len(found.Matches) != 1 || found.Matches[0].Heading != "Further below" {
					t.Errorf("found are %+v", found.Matches)
				}
			})
		}
	}
}

func TestTheOutlineGivesAnchorsThatLeadToTheirHeadings(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "# a – b — c\n\n# a-b_c\n\n# a-b_c\n\n# A BC 1\n\n# :tea: 🍵 time\n\n# "+strings.Repeat("long ", 200)+"\n\n"+strings.Repeat("Words. ", 2000), fakeoutline.Options{})
	answer := e.call(t, "get_document_outline", map[string]any{"document_id": e.id})
	var got []string
	for _, line := range strings.Split(answer, "\n") {
		if _, anchor, is := strings.Cut(line, " #h-"); is {
			got = append(got, "h-"+anchor)
		}
	}
	// A BC 1 has the anchor of the second a-b_c, and the last is too long to show.
	if want := []string{"h-a-b-—-c", "h-a-bc", "h-a-bc-1", "h-🍵-time"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q:\n%s", got, want, answer)
	}
}
