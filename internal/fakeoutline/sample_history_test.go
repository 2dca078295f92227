package fakeoutline

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTheSampleHasPagesThatAreStaleAndPagesThatWereJustChanged(t *testing.T) {
	w := newSample(t)
	edited := func(operator, duration string) []string {
		return titles(t, call(t, w, MemberKey, "documents.list", fmt.Sprintf(
			`{"limit":100,"sort":"updatedAt","filters":[{"field":"updatedAt","operator":%q,"value":%q}]}`, operator, duration)))
	}
	if stale := edited("lt", "-P1Y"); len(stale) < 4 || len(stale) > 10 {
		t.Errorf("older than a year are %q", stale)
	}
	want := []string{"Service levels", "Customer: Hallinge Wind", "Foghorn alerting", "Semaphore ingest service"}
	if recent := edited("gt", "-P7D"); !slices.Equal(recent, want) {
		t.Errorf("changed in the last week are %q", recent)
	}
	for id, d := range w.store.documents {
		for _, revision := range w.store.history.of[id] {
			if revision.CreatedAt.Before(d.CreatedAt) || revision.CreatedAt.After(SampleDay()) {
				t.Errorf("%q has a revision of %s", d.Title, revision.CreatedAt)
			}
		}
	}
}

func TestTheSampleHasAHistoryOfSeveralPeopleAndOfPrograms(t *testing.T) {
	w := newSample(t)
	history := func(urlID string) (lines []string) {
		d, ok := w.store.findDocument(urlID)
		if !ok {
			t.Fatalf("%s is not there", urlID)
		}
		for _, r := range data[[]struct {
			Title          string
			CreatedAt      time.Time
			Collaborators  []struct{ Name string }
			SourceMetadata struct{ AuthType string }
		}](t, call(t, w, MemberKey, "revisions.list", fmt.Sprintf(`{"documentId":%q}`, d.ID))) {
			var names []string
			for _, who := range r.Collaborators {
				names = append(names, who.Name)
			}
			lines = append(lines, fmt.Sprintf("%s %s by %s, %s", r.CreatedAt.Format(time.DateOnly), r.Title, strings.Join(names, " and "), r.SourceMetadata.AuthType))
		}
		return lines
	}
	for urlID, want := range map[string][]string{
		"8aszjUHaM4": {
			"2026-10-29 Foghorn alerting by Ines Halloway, app",
			"2026-03-20 Foghorn alerting by Marek Osei, app",
			"2025-11-21 Foghorn alerting by Marek Osei and Ines Halloway, app",
			"2025-02-14 Foghorn alerting by Marek Osei, app",
			"2024-10-08 Foghorn alarms by Priya Lindqvist, app",
			"2024-02-06 Foghorn alarms by Marek Osei, app",
		},
		"ABqfrOKwr2": {
			"2026-11-01 Service levels by Duarte Kimani, api",
			"2026-10-06 Service levels by Duarte Kimani, app",
			"2026-10-01 Service levels by Duarte Kimani, api",
			"2026-09-01 Service levels by Duarte Kimani, api",
		},
		"ZiNhfoPBMb": {
			"2026-10-30 Customer: Hallinge Wind by Duarte Kimani, oauth",
			"2026-07-03 Customer: Hallinge Wind by Duarte Kimani, app",
		},
	} {
		if got := history(urlID); !slices.Equal(got, want) {
			t.Errorf("the history is\n%s", strings.Join(got, "\n"))
		}
	}
}

func TestTheClockOfTheSampleStartsAtItsDay(t *testing.T) {
	w := newSample(t)
	if late := w.Now().Sub(SampleDay()); late < 0 || late > time.Hour {
		t.Errorf("the clock is %s after the day of the sample", late)
	}
	res, err := w.Transport().RoundTrip(newCall(t, AdminKey, "auth.info", `{}`))
	if err != nil {
		t.Fatal(err)
	}
	if sent, err := http.ParseTime(res.Header.Get("Date")); err != nil || w.Now().Sub(sent) > time.Minute {
		t.Errorf("the answer is of %s: %v", sent, err)
	}
}
