package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
)

func TestLinksOfADocumentAndOfACollectionHaveTheirStates(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "elsewhere", fakeoutline.Options{})
	collection, ids := e.collectionOf(t, "# Here\n\ntext", "archived", "in the trash", "to be replaced")
	var addresses []string
	for _, id := range ids {
		document, err := e.calm.Document(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, document.URL)
	}
	linking, err := e.calm.Document(t.Context(), ids[3])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.calm.UpdateDocument(t.Context(), linking, outline.UpdateDocumentParams{ID: linking.ID, Text: new(fmt.Sprintf(
		"# Top\n\n[here](%s) and [heading](%s#h-here)\n\n* [no heading](%s#h-gone)\n* [old](%s), [thrown](%s)\n* [nowhere](/doc/never-was-abcdefghij)\n* [top](#h-top) [elsewhere](https://example.com/doc/x-abcdefghij)\n\n```\n/a/b.md /a/bc\n```\n\n[longer](/a/b#c) and https://wiki.example/a/b\n\n[part](/a/b), /a/b.\n",
		addresses[0], addresses[0], addresses[0], addresses[1], addresses[2]))}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.calm.ArchiveDocument(t.Context(), ids[1]); err != nil {
		t.Fatal(err)
	}
	if err := e.calm.DeleteDocument(t.Context(), ids[2], false); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		arguments map[string]any
		want      []string
	}{
		{map[string]any{"document_id": ids[3], "outgoing": true}, []string{"here 3 ok", "heading 3 ok", "no heading 5 anchor_missing", "old 6 archived", "thrown 6 in_trash", "nowhere 7 not_found", "top 8 ok", "elsewhere 8 ", "longer 14 ", "part 16 "}},
		{map[string]any{"document_id": collection, "broken": true}, []string{"no heading 5 anchor_missing", "old 6 archived", "thrown 6 in_trash", "nowhere 7 not_found"}},
		{map[string]any{"document_id": ids[0], "outgoing": true}, nil},
	} {
		answer, err := cli.Call(t.Context(), e.c, "get_document_backlinks", test.arguments)
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			Links []struct {
				Text, State string
				Line        int
			}
		}
		if err := json.Unmarshal(answer.Structured, &list); err != nil {
			t.Fatalf("%v: %s", err, answer.Text)
		}
		var got []string
		for _, link := range list.Links {
			got = append(got, fmt.Sprintf("%s %d %s", link.Text, link.Line, link.State))
			if !strings.Contains(answer.Text, `"`+link.Text+`"`) {
				t.Errorf("the text does not have %q:\n%s", link.Text, answer.Text)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v: %q, want %q\n%s", test.arguments, got, test.want, answer.Text)
		}
	}
}

func TestALinkToAHeadingIsOKOnlyWithItsExactAnchor(t *testing.T) {
	t.Parallel()
	page := "# One\n\n# Кириллица\n\n# i18n ♥ love\n\n# 🍵 tea\n\n# :tea: ![cup](/api/attachments.redirect?id=1) time\n\n# a – b — c\n\n# a-b_c\n\n# Übung A\n\n"
	for _, anchor := range []string{"h-one", "h-kirillica", "h-i18n-love-love", "h-🍵-tea", "h-%F0%9F%8D%B5-tea", "h-time", "h-a-b-%E2%80%94-c", "h-a-bc", "h-ubung-a", "comment-1", ":~:text=One", "h-one:~:text=a", ""} {
		page += fmt.Sprintf("[sound](#%s)\n", anchor)
	}
	for _, anchor := range []string{"h-tea", "h-a-bc-1", "h-кириллица", "one", "H-One", "übung-a", "h-tea-time", "h-one-1"} {
		page += fmt.Sprintf("[dead](#%s)\n", anchor)
	}
	e := newEditing(t, page, fakeoutline.Options{})
	answer, err := cli.Call(t.Context(), e.c, "get_document_backlinks", map[string]any{"document_id": e.id, "outgoing": true})
	if err != nil {
		t.Fatal(err)
	}
	for state, link := range map[string]string{"ok": "sound", "anchor_missing": "dead"} {
		if found, all := strings.Count(answer.Text+"\n", ", "+state+"\n"), strings.Count(answer.Text, ": \""+link+"\" "); found != all || all < 8 {
			t.Errorf("%d of %d links are %s:\n%s", found, all, state, answer.Text)
		}
	}
}
