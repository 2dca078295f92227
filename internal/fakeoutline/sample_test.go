package fakeoutline

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func newSample(t testing.TB) *Workspace {
	t.Helper()
	w, err := New(Options{Answers: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestSampleContentIsThere(t *testing.T) {
	w := newSample(t)
	states := make(map[string]int)
	longest, deepest := 0, 0
	for _, d := range w.store.documents {
		switch {
		case !d.DeletedAt.IsZero():
			states["deleted"]++
		case !d.ArchivedAt.IsZero():
			states["archived"]++
		case d.isDraft():
			states["draft"]++
		default:
			states["published"]++
		}
		longest = max(longest, len(d.body.markdown().Text))
		depth := 1
		for p := d.ParentID; p != ""; p = w.store.documents[p].ParentID {
			depth++
		}
		deepest = max(deepest, depth)
	}
	if len(w.store.documents) < 40 || len(w.store.collections) < 5 {
		t.Errorf("%d documents in %d collections", len(w.store.documents), len(w.store.collections))
	}
	for _, state := range []string{"published", "draft", "archived", "deleted"} {
		if states[state] == 0 {
			t.Errorf("no document is %s", state)
		}
	}
	if longest < 90_000 {
		t.Errorf("the longest text has %d bytes", longest)
	}
	if deepest < 3 {
		t.Errorf("documents nest %d deep", deepest)
	}
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

func TestSampleHasFilesTemplatesMentionsAndResolvedThreads(t *testing.T) {
	w := newSample(t)
	file, mention := regexp.MustCompile(`/api/attachments\.redirect\?id=([0-9a-f-]{36})`), regexp.MustCompile(`@\[([^\]]+)\]\(mention://[0-9a-f-]{36}/user/([0-9a-f-]{36})\)`)
	types, mentions := map[string]int{}, 0
	for _, d := range w.store.documents {
		for _, match := range file.FindAllStringSubmatch(d.body.markdown().Text, -1) {
			a := w.store.attachments[match[1]]
			if a == nil || a.DocumentID != d.ID || len(a.Content) == 0 {
				t.Fatalf("%q refers to the file %s, which is %+v", d.Title, match[1], a)
			}
			types[a.ContentType]++
		}
		for _, match := range mention.FindAllStringSubmatch(d.body.markdown().Text, -1) {
			if user, ok := w.store.user(match[2]); !ok || user.Name != match[1] {
				t.Errorf("%q mentions %s as %s", d.Title, match[2], match[1])
			}
			mentions++
		}
	}
	for _, kind := range []string{"image/png", "image/jpeg", "application/pdf", "text/csv"} {
		if types[kind] == 0 {
			t.Errorf("no document has a file of type %s", kind)
		}
	}
	resolved := 0
	for _, c := range w.store.comments {
		if c.ParentID == "" && !c.ResolvedAt.IsZero() {
			resolved++
		}
	}
	if mentions < 2 || resolved == 0 || len(w.store.templates) < 3 {
		t.Errorf("%d mentions, %d resolved threads, %d templates", mentions, resolved, len(w.store.templates))
	}
}

func TestDemoKeys(t *testing.T) {
	w := newSample(t)
	who := func(key string) (name, role string) {
		user := data[struct{ User struct{ Name, Role string } }](t, call(t, w, key, "auth.info", `{}`)).User
		return user.Name, user.Role
	}
	for key, want := range map[string]string{
		AdminKey: "admin", MemberKey: "member", ViewerKey: "viewer", "ol_api_demo_user_1": "member", "ol_api_demo_user_999999999999": "member",
	} {
		if _, role := who(key); role != want {
			t.Errorf("%s is a %s, want %s", key, role, want)
		}
	}
	one, _ := who("ol_api_demo_user_1")
	two, _ := who("ol_api_demo_user_2")
	if one == two {
		t.Errorf("two demo users are both %s", one)
	}
	expectError(t, call(t, w, ScopedKey, "auth.info", `{}`), 403, "API key does not have access to this resource")
	if len(titles(t, call(t, w, ScopedKey, "documents.list", `{}`))) == 0 {
		t.Error("the scoped key lists no documents")
	}
	for key, message := range map[string]string{
		"ol_api_demo_expired":            "API key is expired",
		"ol_api_demo_user_":              "Invalid API key",
		"ol_api_demo_user_x":             "Invalid API key",
		"ol_api_demo_user_1234567890123": "Invalid API key",
		"ol_api_demo_somebody":           "Invalid API key",
	} {
		expectError(t, call(t, w, key, "auth.info", `{}`), 401, message)
	}
}

func TestKeysOfACaller(t *testing.T) {
	w := newSample(t)
	keys := data[[]struct {
		Name, Last4 string
		Scope       []string
	}](t, call(t, w, MemberKey, "apiKeys.list", `{}`))
	if len(keys) != 3 || keys[0].Last4 != "mber" || keys[0].Scope != nil || !slices.Equal(keys[1].Scope, []string{"documents:read", "collections:read"}) {
		t.Errorf("the member's keys are %+v", keys)
	}
	for _, number := range []string{"0", "7", "42"} {
		keys := data[[]struct{ Last4 string }](t, call(t, w, "ol_api_demo_user_"+number, "apiKeys.list", `{}`))
		if len(keys) != 1 || !strings.HasSuffix(keys[0].Last4, "_"+number) {
			t.Errorf("demo user %s has the keys %v", number, keys)
		}
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

func TestContentThatContradictsItselfIsRefused(t *testing.T) {
	const (
		user       = `{"id":"a0000000-0000-4000-8000-000000000001","name":"A","email":"a@example.com","role":"admin","key":"admin"}`
		member     = `{"id":"a0000000-0000-4000-8000-000000000002","name":"B","email":"b@example.com","role":"member","key":"member"}`
		viewer     = `{"id":"a0000000-0000-4000-8000-000000000003","name":"C","email":"c@example.com","role":"viewer","key":"viewer"}`
		collection = `{"id":"c0000000-0000-4000-8000-000000000001","urlId":"collectio1","name":"C","permission":"read_write","createdAt":"2026-01-01T00:00:00Z"}`
	)
	document := func(n int, more string) string {
		return fmt.Sprintf(`{"id":"d0000000-0000-4000-8000-%012d","urlId":"document%02d","title":"D%d","file":"d.md",
			"createdBy":"a0000000-0000-4000-8000-000000000001","state":"published","createdAt":"2026-01-01T00:00:00Z","collectionId":"c0000000-0000-4000-8000-000000000001"%s}`, n, n, n, more)
	}
	const users, collections = user + "," + member + "," + viewer, collection
	tests := []struct{ name, users, collections, documents, problem string }{
		{"nothing is wrong", users, collections, document(2, `,"parentId":"d0000000-0000-4000-8000-000000000001"`) + "," + document(1, ""), ""},
		{"no admin", member + "," + viewer, collections, "", "unknown user"},
		{"a user twice", users + "," + user, collections, "", "there twice"},
		{"an unknown parent", users, collections, document(1, `,"parentId":"d0000000-0000-4000-8000-000000000009"`), "parent"},
		{"an unknown collection", users, "", document(1, ""), "collection"},
		{"an unknown author", users, collections, document(1, `,"createdBy":"a0000000-0000-4000-8000-000000000009"`), "author"},
		{"an unknown file", users, collections, document(1, `,"file":"gone.md"`), "gone.md"},
		{"an unknown state", users, collections, document(1, `,"state":"lost"`), "lost"},
		{"no time of creation", users, collections, document(1, `,"createdAt":"0001-01-01T00:00:00Z"`), "createdAt"},
		{"an id twice", users, collections, document(1, "") + "," + document(1, ""), "taken"},
		{"a urlId twice", users, collections, document(1, "") + "," + document(2, `,"urlId":"document01"`), "taken"},
		{"a short urlId", users, collections, document(1, `,"urlId":"abc"`), "urlId"},
		{"an id that is none", users, collections, document(1, `,"id":"one"`), "UUID"},
		{"a published child of an archived parent", users, collections,
			document(1, `,"state":"archived","stateAt":"2026-01-02T00:00:00Z"`) + "," + document(2, `,"parentId":"d0000000-0000-4000-8000-000000000001"`), "archived"},
		{"a published document outside the collections", users, collections, document(1, `,"collectionId":""`), "outside"},
		{"a revision by an unknown author", users, collections, document(1, `,"updatedAt":"2026-01-03T00:00:00Z","before":[{"file":"d.md","createdBy":"x","createdAt":"2026-01-02T00:00:00Z"}]`), "authors"},
		{"a revision older than its document", users, collections, document(1, `,"updatedAt":"2026-01-03T00:00:00Z","before":[{"file":"d.md","createdAt":"2025-01-02T00:00:00Z"}]`), "earlier state"},
		{"a revision newer than its document", users, collections, document(1, `,"updatedAt":"2026-01-03T00:00:00Z","before":[{"file":"d.md","createdAt":"2026-01-03T00:00:00Z"}]`), "earlier state"},
		{"a revision in an unknown file", users, collections, document(1, `,"updatedAt":"2026-01-03T00:00:00Z","before":[{"file":"gone.md","createdAt":"2026-01-02T00:00:00Z"}]`), "gone.md"},
		{"broken JSON", users, collections, "{", "workspace.json"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := fstest.MapFS{
				"d.md": {Data: []byte("text\r\n")},
				"workspace.json": {Data: fmt.Appendf(nil, `{"team":{"id":"e0000000-0000-4000-8000-000000000001","name":"T"},"users":[%s],"collections":[%s],"documents":[%s]}`,
					test.users, test.collections, test.documents)},
			}
			var w *Workspace
			seed, err := readManifest(files)
			if err == nil {
				w, err = Empty(Options{}, seed)
			}
			switch {
			case test.problem == "" && err != nil:
				t.Error(err)
			case test.problem != "" && (err == nil || !strings.Contains(err.Error(), test.problem)):
				t.Errorf("the error is %v, want one about %q", err, test.problem)
			case test.problem == "":
				expectTitles(t, call(t, w, AdminKey, "collections.documents", `{"id":"collectio1"}`), "D1")
			}
		})
	}
	if _, err := readManifest(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), fs.ErrNotExist.Error()) {
		t.Errorf("without a manifest the error is %v", err)
	}
}

func TestTheClockIsTheWorkspaces(t *testing.T) {
	now := time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)
	w, err := New(Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	keys := data[[]struct{ LastActiveAt time.Time }](t, call(t, w, AdminKey, "apiKeys.list", `{}`))
	if len(keys) == 0 || !keys[0].LastActiveAt.Equal(now) {
		t.Errorf("the key was last used at %v", keys)
	}
}

func TestTheSampleHasPagesThatAreStaleAndPagesThatWereJustChanged(t *testing.T) {
	w := newSample(t)
	stale := 0
	for _, d := range data[[]struct{ UpdatedAt time.Time }](t, call(t, w, MemberKey, "documents.list", `{"limit":100}`)) {
		if d.UpdatedAt.Before(SampleDay().AddDate(-1, 0, 0)) {
			stale++
		}
	}
	if stale < 4 || stale > 10 {
		t.Errorf("%d pages are older than a year", stale)
	}
	want := []string{"Service levels", "Customer: Hallinge Wind", "Foghorn alerting", "Semaphore ingest service"}
	recent := titles(t, call(t, w, MemberKey, "documents.search", `{"statusFilter":["published"],"dateFilter":"week","sort":"updatedAt"}`))
	if !slices.Equal(recent, want) {
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
