package tools_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestATextIsFoundWithoutItsAccentsCaseAndEmojiIfThereIsNoOther(t *testing.T) {
	t.Parallel()
	seed := emptySeed()
	seed.Documents = append(seed.Documents,
		wikiPage(1, "", "Tea time 🍵", "The Übung is at 5.\n\nÜBUNG 🎉 Montag"),
		wikiPage(2, "", "Café au lait", "See https://lights.example/wharf"),
		wikiPage(3, "", "Cafe", "# Straße nach Łódź\n\nExact"))
	seed.Collections[0].Name = "Fïndings 🍵"
	c := limited(t, defaultLimit, true, wiki(t, seed))
	const alike = "Note: no exact match; these are the same without accents, case and emoji."
	for _, test := range []struct {
		tool, argument, value string
		want                  []string
	}{
		{"find_in_documents", "query", "ubung", []string{"2 matches", alike}},
		{"find_in_documents", "query", "übung", []string{"2 matches", "  1:5: The Übung is at 5."}},
		{"find_in_documents", "query", "zyzzyva", []string{"0 matches"}},
		{"find_in_documents", "query", "Cafe", []string{`- "Cafe"`, "1 match "}},
		{"get_document_id_from_title", "query", "cafe AU lait", []string{`"Café au lait"`, alike}},
		{"get_document_id_from_title", "query", "fe au LAIT", []string{`"Café au lait"`, alike}},
		{"list_documents", "title_contains", "cafe AU", []string{`"Café au lait"`, alike}},
		{"list_documents", "title_contains", "café", []string{"Café au lait"}},
		{"list_documents", "title_contains", "☕", []string{"0 documents"}},
		{"list_documents", "collection_id", "findings", []string{"3 documents"}},
		{"find_in_documents", "query", "strasse NACH lodz", []string{"  1:3: # Straße nach Łódź", alike}},
		{"find_in_documents", "query", "Łodź", []string{"1 match ", alike}},
		{"read_document", "document_id", "Tea time", []string{"Tea time 🍵"}},
		{"read_document", "document_id", "cafe au lait", []string{"Café au lait"}},
		{"search_documents", "query", "zyzzyva", []string{"find_in_documents also looks inside URLs"}},
	} {
		answer := success(t, c, defaultLimit, test.tool, map[string]any{test.argument: test.value})
		for _, want := range test.want {
			if !strings.Contains(answer.Text, want) {
				t.Errorf("%s %q has no %q:\n%s", test.tool, test.value, want, answer.Text)
			}
		}
		if len(test.want) == 1 && strings.Contains(answer.Text, alike) {
			t.Errorf("%s %q: %s", test.tool, test.value, answer.Text)
		}
	}
	if answer := success(t, c, defaultLimit, "find_in_documents", map[string]any{"query": "ubung", "case_sensitive": true}); strings.Contains(answer.Text, alike) {
		t.Error(answer.Text)
	}
	const near = `no collection that you can see is called "finding". Nearest names: "Fïndings 🍵" xVj43W43Sy.`
	if answer := call(t, c, "list_documents", map[string]any{"collection_id": "finding"}); !strings.Contains(answer.Text, near) {
		t.Error(answer.Text)
	}
}

func TestAPartOfATitleWithoutItsAccentsNamesNoDocument(t *testing.T) {
	t.Parallel()
	seed := emptySeed()
	seed.Documents = append(seed.Documents, wikiPage(1, "", "Café au lait ☕", "Words."))
	c := limited(t, defaultLimit, true, wiki(t, seed))
	for _, part := range []string{"cafe au", "fe au lait"} {
		arguments := map[string]any{"document_id": part, "text": "More.", "append": true}
		if answer := call(t, c, "update_document", arguments); answer.Code == "" || !strings.Contains(answer.Text, "Café au lait") {
			t.Errorf("%s: code %q: %s", part, answer.Code, answer.Text)
		}
	}
	if answer := success(t, c, defaultLimit, "read_document", map[string]any{"document_id": uuid(1)}); strings.Contains(answer.Text, "More.") {
		t.Error(answer.Text)
	}
	success(t, c, defaultLimit, "update_document", map[string]any{"document_id": "cafe au lait", "text": "More.", "append": true})
}

func TestATitleWithoutItsAccentsIsHeldAgainstTheWholeFilter(t *testing.T) {
	t.Parallel()
	seed := emptySeed()
	seed.Documents = append(seed.Documents, wikiPage(1, "", "Café au lait", "Words."), wikiPage(9, "", "Café crème", "Words."))
	c := limited(t, defaultLimit, true, wiki(t, seed))
	arguments := map[string]any{"title_contains": "cafe", "updated_after": wikiDay(5).Format(time.RFC3339)}
	if answer := success(t, c, defaultLimit, "list_documents", arguments); !strings.Contains(answer.Text, "Café crème") || strings.Contains(answer.Text, "Café au lait") {
		t.Error(answer.Text)
	}
}

func TestACollectionIsFoundWithoutItsAccentsIfTheArchivedOnesCannotBeListed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusForbidden, http.StatusNotFound} {
		seed := emptySeed()
		seed.Documents = append(seed.Documents, wikiPage(1, "", "A page", "Words."))
		seed.Collections[0].Name = "Fïndings 🍵"
		c := limited(t, defaultLimit, true, withoutArchive{wiki(t, seed), status})
		success(t, c, defaultLimit, "list_documents", map[string]any{"collection_id": "findings"})
		if answer := call(t, c, "list_documents", map[string]any{"collection_id": "finding"}); !strings.Contains(answer.Text, "no collection that you can see") {
			t.Error(answer.Text)
		}
	}
}

// withoutArchive is an Outline that refuses to list the archived collections.
type withoutArchive struct {
	http.RoundTripper
	status int
}

func (w withoutArchive) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, "/collections.list") {
		return w.RoundTripper.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(body), "archived") {
		answer := httptest.NewRecorder()
		answer.Header().Set("Content-Type", "application/json")
		answer.WriteHeader(w.status)
		fmt.Fprintf(answer, `{"ok":false,"status":%d,"error":"refused","message":"Refused"}`, w.status)
		return answer.Result(), nil
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	return w.RoundTripper.RoundTrip(r)
}
