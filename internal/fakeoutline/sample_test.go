package fakeoutline

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func newSample(t testing.TB) *Workspace {
	t.Helper()
	w, err := New(Options{Answers: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestSampleLinksLeadToDocumentsByTheirOwnAddress(t *testing.T) {
	w := newSample(t)
	link := regexp.MustCompile(`\]\((/doc/[^)\s#]*)`)
	links := 0
	for _, d := range w.store.documents {
		for _, match := range link.FindAllStringSubmatch(d.body.markdown().Text, -1) {
			links++
			target, ok := w.store.findDocument(strings.TrimPrefix(match[1], "/doc/"))
			switch {
			case !ok:
				t.Errorf("%q links to %s, which does not exist", d.Title, match[1])
			case target.path != match[1]:
				t.Errorf("%q links to %s, the address is %s", d.Title, match[1], target.path)
			}
		}
	}
	if links < 20 {
		t.Errorf("only %d links", links)
	}
}

// TestSampleObjectsHaveTheRecordedForm compares every document, collection
// and user of the sample content with all of those recorded.
func TestSampleObjectsHaveTheRecordedForm(t *testing.T) {
	form := make(map[string]map[string]map[string]bool) // kind → key → types
	counts := make(map[string]int)
	for _, r := range firstSeries(t) {
		var body any
		decode(t, r.Response.Body, &body)
		eachObject(body, func(kind string, object map[string]any) {
			counts[kind]++
			if form[kind] == nil {
				form[kind] = make(map[string]map[string]bool)
			}
			for key, value := range object {
				if form[kind][key] == nil {
					form[kind][key] = make(map[string]bool)
				}
				form[kind][key][typeName(value)] = true
			}
		})
	}
	// The sample may lack what not every recorded object has.
	optional := map[string][]string{
		"document":   {"lastViewedAt", "sourceMetadata"},
		"collection": {"archivedBy"},
		"user":       {"email", "language", "preferences", "notificationSettings"},
	}

	w := newSample(t)
	seen := make(map[string]int)
	for _, key := range []string{AdminKey, MemberKey, ViewerKey} {
		for _, c := range [][2]string{
			{"documents.list", `{"limit":100}`}, {"documents.search", `{"query":"the buoy","limit":100}`}, {"documents.search", `{"limit":100}`},
			{"documents.archived", `{}`}, {"documents.deleted", `{}`}, {"documents.drafts", `{}`}, {"collections.list", `{}`},
			{"users.list", `{}`}, {"auth.info", `{}`},
		} {
			res, err := w.Transport().RoundTrip(newCall(t, key, c[0], c[1]))
			if err != nil {
				t.Fatal(err)
			}
			var body any
			if err := json.NewDecoder(res.Body).Decode(&body); err != nil {
				t.Fatal(err)
			}
			eachObject(body, func(kind string, object map[string]any) {
				seen[kind]++
				for key, value := range object {
					if types := form[kind][key]; !types[typeName(value)] {
						t.Errorf("%s: %s.%s is %s, recorded %v", c[0], kind, key, typeName(value), slices.Sorted(maps.Keys(types)))
					}
				}
				for key := range form[kind] {
					if _, ok := object[key]; !ok && !slices.Contains(optional[kind], key) {
						t.Errorf("%s: a %s has no %s", c[0], kind, key)
					}
				}
			})
		}
	}
	for _, kind := range []string{"document", "collection", "user"} {
		if seen[kind] == 0 || counts[kind] == 0 {
			t.Errorf("%d objects of kind %s compared with %d", seen[kind], kind, counts[kind])
		}
	}
}

// eachObject calls visit for the documents, collections and users in a JSON value.
func eachObject(value any, visit func(kind string, object map[string]any)) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			eachObject(item, visit)
		}
	case map[string]any:
		has := func(key string) bool { _, ok := value[key]; return ok }
		switch {
		case has("isSuspended"):
			visit("user", value)
		case has("templateManagement"):
			visit("collection", value)
		case has("revision") && has("text"): // not in the form of version 3
			visit("document", value)
		}
		for _, item := range value {
			eachObject(item, visit)
		}
	}
}
