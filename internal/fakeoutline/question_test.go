package fakeoutline

import (
	"encoding/json"
	"io"
	"outline-mcp/internal/fakeoutline/api"
	"slices"
	"strings"
	"testing"
)

type answered struct {
	Status    int
	Documents []titled
	Search    struct {
		ID, Query, Source string
		Answer            *string
	}
}

func ask(t *testing.T, w *Workspace, key, body string) answered {
	t.Helper()
	res, err := w.Transport().RoundTrip(newCall(t, key, "documents.answerQuestion", body))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var a answered
	if err := json.Unmarshal(text, &a); err != nil || a.Status != 200 {
		t.Fatalf("answer is %s: %v", text, err)
	}
	return a
}

func TestAQuestionIsAnsweredWithSentencesOfDocuments(t *testing.T) {
	w := newSample(t)
	a := ask(t, w, MemberKey, `{"query":"How many days of paid leave does everyone have?"}`)
	if a.Search.Answer == nil || !strings.HasPrefix(*a.Search.Answer, "Everyone has 28 days of paid leave a year") {
		t.Fatalf("answer is %v", a.Search.Answer)
	}
	if a.Documents[0].Title != "Time off" || !api.IsUUID(a.Search.ID) {
		t.Errorf("sources are %+v", a.Documents)
	}
	again := ask(t, w, MemberKey, `{"query":"How many days of paid leave does everyone have?"}`)
	if *again.Search.Answer != *a.Search.Answer || again.Search.ID != a.Search.ID {
		t.Error("the same question has another answer")
	}
	if a := ask(t, w, MemberKey, `{"query":"xylophone quark"}`); a.Search.Answer != nil || len(a.Documents) != 0 {
		t.Errorf("to nonsense the answer is %q", *a.Search.Answer)
	}
}

func TestAnAnswerKeepsToWhatTheCallerMayRead(t *testing.T) {
	w := newTestWorkspace(t,
		Document{Title: "Open page", Text: "The harbour code is on the door."},
		Document{Title: "Closed page", Text: "The harbour code is four seven eleven.", CollectionID: closedID},
		Document{Title: "Draft", Text: "The harbour code of a draft is this.", Revision: draftRevision},
	)
	sources := func(who, body string) (list []string) {
		for _, d := range ask(t, w, keyOf(who), body).Documents {
			list = append(list, d.Title)
		}
		slices.Sort(list)
		return list
	}
	for _, test := range []struct {
		who, more string
		want      []string
	}{
		{"member", ``, []string{"Closed page", "Open page"}},
		{"other", ``, []string{"Open page"}},
		{"guest", ``, nil},
		{"member", `,"statusFilter":"draft"`, []string{"Draft"}},
		{"member", `,"collectionId":"` + closedID + `"`, []string{"Closed page"}},
		{"member", `,"documentId":"` + documentID(0) + `"`, []string{"Open page"}},
	} {
		if got := sources(test.who, `{"query":"harbour code"`+test.more+`}`); !slices.Equal(got, test.want) {
			t.Errorf("the %s with %s gets %q, want %q", test.who, test.more, got, test.want)
		}
	}
}

func TestQuestionsAreAnsweredOnlyWhereAskedFor(t *testing.T) {
	w, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	expectError(t, call(t, w, MemberKey, "documents.answerQuestion", `{"query":"x"}`), 404, "Resource not found")
}
