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
		"# Top\n\n[here](%s) and [heading](%s#h-here)\n\n* [no heading](%s#h-gone)\n* [old](%s), [thrown](%s)\n* [nowhere](/doc/never-was-abcdefghij)\n* [top](#h-top) [elsewhere](https://example.com/doc/x-abcdefghij)\n",
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
		{map[string]any{"document_id": ids[3], "outgoing": true}, []string{"here 3 ok", "heading 3 ok", "no heading 5 anchor_missing", "old 6 archived", "thrown 6 in_trash", "nowhere 7 not_found", "top 8 ok", "elsewhere 8 "}},
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
