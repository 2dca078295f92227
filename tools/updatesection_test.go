package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/outline/recorded"
	"outline-mcp/output"
	"outline-mcp/tools/names"
)

// recordedTrees are the recorded documents, each of which a real Outline stored.
func recordedTrees(t *testing.T) (trees []*prosemirror.Node) {
	type stored struct{ Data *prosemirror.Node }
	for _, file := range []string{"roundtrip", "patches", "gaps", "writes"} {
		for _, r := range recorded.Read[struct {
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
	for _, page := range recorded.Read[struct{ Text string }](t, "wiki_pages") {
		trees = append(trees, prosemirror.Parse(page.Text))
	}
	return trees
}

// A sectionCase is a write of a section, and what the document is to be afterwards.
type sectionCase struct {
	tree         *prosemirror.Node
	anchor, mode string
	text         string
	want         string
}

// TestEverySectionOfTheRecordedDocumentsIsWrittenExactlyOrRefused writes to each section
// in each way, and compares the document with its lines before, between which the new text
// is put.
func TestEverySectionOfTheRecordedDocumentsIsWrittenExactlyOrRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, one call after the other")
	}
	recorded.InYear(t, func(t *testing.T) {
		var cases []sectionCase
		texts := []string{"New words.", "* a new item\n* another", "```\nnew code\n```\n\nAnd *marked* words."}
		seen := map[string]bool{}
		for _, tree := range recordedTrees(t) {
			text := prosemirror.ToText(tree)
			if key := string(tree.AppendJSON(nil)); seen[key] {
				continue
			} else {
				seen[key] = true
			}
			sections := prosemirror.Sections(text)
			var headings []string
			for _, s := range sections {
				headings = append(headings, s.Heading)
			}
			for i, s := range sections {
				for j, mode := range []string{"append", "prepend", "replace"} {
					c := sectionCase{tree: tree, anchor: "#" + names.AnchorOf(headings, i), mode: mode, text: texts[(i+j)%len(texts)]}
					c.want = sectionModel(text, s, mode, c.text)
					cases = append(cases, c)
				}
			}
		}
		seed := fakeoutline.Seed{
			Team:  fakeoutline.Team{ID: uuid(90000), Name: "Test"},
			Users: []fakeoutline.User{{ID: uuid(90001), Name: "Ada", Role: fakeoutline.Admin}},
			Keys:  []fakeoutline.Key{{Name: "test", Secret: fakeoutline.AdminKey, UserID: uuid(90001)}},
		}
		for i, c := range cases {
			seed.Documents = append(seed.Documents, fakeoutline.Document{
				ID: uuid(i), URLID: fmt.Sprintf("record%04d", i), Title: "Recorded", Tree: c.tree, CreatedBy: uuid(90001), UpdatedBy: uuid(90001), Revision: 1,
			})
		}
		sample, err := fakeoutline.Empty(fakeoutline.Options{}, seed)
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := config.Load([]string{"OUTLINE_API_URL=" + fakeoutline.BaseURL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey, "OUTLINE_STRUCTURED_OUTPUT=on"})
		if err != nil {
			t.Fatal(err)
		}
		server, err := app.New(app.Options{Config: loaded, Version: "test", Transport: sample.Transport()})
		if err != nil {
			t.Fatal(err)
		}
		c, err := server.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		calm, err := outline.New(outline.Options{BaseURL: fakeoutline.BaseURL, Credentials: outline.StaticKey(fakeoutline.AdminKey), Transport: sample.Transport()})
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		for i, one := range cases {
			arguments := map[string]any{"document_id": uuid(i), "heading": one.anchor, "text": one.text, "allow_shrink": true}
			if one.mode != "replace" {
				arguments[one.mode] = true
			}
			answer, err := cli.Call(t.Context(), c, "update_document", arguments)
			if err != nil {
				t.Fatal(err)
			}
			now, err := calm.DocumentWithTree(t.Context(), uuid(i))
			if err != nil {
				t.Fatal(err)
			}
			before := prosemirror.ToText(one.tree)
			switch {
			case answer.Code == output.InvalidArguments:
				refused++
				if now.Revision != 1 {
					t.Errorf("refused, and the document changed to %q", now.Text)
				}
				t.Logf("%s %s of %q: refused: %s", one.mode, one.anchor, before, answer.Text)
			case answer.Code != "":
				t.Errorf("%s %s of %q: %s", one.mode, one.anchor, before, answer.Text)
			case !sameLines(now.Text, one.want) || isFixed(one.tree) && now.Text != prosemirror.ToText(prosemirror.Parse(one.want)):
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
