package mcptool_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/mcptool"
)

// roundTrip is a function as an http.RoundTripper.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// source returns the source of a server on an Outline behind a transport, and a
// context that acts with the admin's key.
func source(t testing.TB, outline http.RoundTripper) (context.Context, *mcptool.Suggestions) {
	t.Helper()
	settings, err := config.Load([]string{"OUTLINE_API_URL=" + fakeoutline.BaseURL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey})
	if err != nil {
		t.Fatal(err)
	}
	server, err := app.New(app.Options{Config: settings, Version: "test", Transport: outline})
	if err != nil {
		t.Fatal(err)
	}
	s := server.Suggestions()
	s.Within = time.Minute // the machine may be busy
	return server.AsOperator(t.Context()), s
}

func sample(t testing.TB) http.RoundTripper {
	t.Helper()
	sample, err := fakeoutline.New(fakeoutline.Options{Now: fakeoutline.SampleDay})
	if err != nil {
		t.Fatal(err)
	}
	return sample.Transport()
}

func uuid(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// wiki returns a workspace with documents, people and templates of these titles and
// names. The first person is the caller.
func wiki(t testing.TB, titles, names, templates []string) http.RoundTripper {
	t.Helper()
	text := strings.Repeat("The buoy is silent. ", 250)
	day := func(n int) time.Time { return time.Date(2026, 1, 1, 9, n, 0, 0, time.UTC) }
	seed := fakeoutline.Seed{
		Team: fakeoutline.Team{ID: uuid(1), Name: "Lights"},
		Keys: []fakeoutline.Key{{ID: uuid(2), Secret: fakeoutline.AdminKey, Name: "test", UserID: uuid(1000), CreatedAt: day(0)}},
		Collections: []fakeoutline.Collection{{
			ID: uuid(3), URLID: "xVj43W43Sy", Name: "Engineering", Permission: fakeoutline.ReadWrite, CreatedAt: day(0), UpdatedAt: day(0),
		}},
	}
	for i, name := range append([]string{"Hana Weissbach"}, names...) {
		seed.Users = append(seed.Users, fakeoutline.User{ID: uuid(1000 + i), Name: name, Email: fmt.Sprintf("u%d@lights.example", i), Role: fakeoutline.Admin, CreatedAt: day(i)})
	}
	for i, title := range titles {
		seed.Documents = append(seed.Documents, fakeoutline.Document{
			ID: uuid(100_000 + i), URLID: fmt.Sprintf("D%09d", i), Title: title, Text: text, CollectionID: uuid(3), CreatedBy: uuid(1000), UpdatedBy: uuid(1000),
			Revision: 1, CreatedAt: day(0), UpdatedAt: day(i), PublishedAt: day(0),
		})
	}
	for i, title := range templates {
		seed.Templates = append(seed.Templates, fakeoutline.Template{
			ID: uuid(200_000 + i), URLID: fmt.Sprintf("T%09d", i), Title: title, CollectionID: uuid(3), CreatedBy: uuid(1000), UpdatedBy: uuid(1000),
			CreatedAt: day(0), UpdatedAt: day(i), PublishedAt: day(0),
		})
	}
	built, err := fakeoutline.Empty(fakeoutline.Options{}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return built.Transport()
}

func TestWhatIsTypedFindsWhatIsMeant(t *testing.T) {
	ctx, s := source(t, sample(t))
	for _, test := range []struct {
		name  string
		kind  mcptool.ValueKind
		typed string
		want  []string // the first values; none for an empty completion
		total int      // of all values; 0 for as many as want has
	}{
		{"a title", mcptool.KindDocument, "On-call", []string{"on-call-lesdaiqkpT"}, 0},
		{"a title in another case, with spaces around", mcptool.KindDocument, "  friday SOUP ", []string{"friday-soup-1wPyxUCdt9"}, 0},
		{"the beginning of several titles", mcptool.KindDocument, "Runbook: ", []string{"runbook-"}, 2},
		{"a word within a title", mcptool.KindDocument, "backlog", []string{"runbook-ingest-backlog-cImbEqQG68"}, 0},
		{"words without what is between them", mcptool.KindDocument, "runbook ingest", []string{"runbook-ingest-backlog-cImbEqQG68"}, 0},
		{"the beginning of a slug", mcptool.KindDocument, "runbook-ingest-b", []string{"runbook-ingest-backlog-cImbEqQG68"}, 0},
		{"a slug", mcptool.KindDocument, "runbook-ingest-backlog-cImbEqQG68", []string{"runbook-ingest-backlog-cImbEqQG68"}, 0},
		{"the beginning of the UUID of a document that was changed lately", mcptool.KindDocument, "488d6e14-d", []string{"friday-soup-1wPyxUCdt9"}, 0},
		{"a title in another script", mcptool.KindDocument, "点検", []string{"44ow44kk54k55qsc44gu5oml5byv44gn-cNxGe4BDKs"}, 0},
		{"nothing", mcptool.KindDocument, "", []string{"service-levels-ABqfrOKwr2"}, 25},
		{"no title", mcptool.KindDocument, "submarine cables", nil, 0},
		{"only punctuation", mcptool.KindDocument, "~", nil, 0},
		{"a collection", mcptool.KindCollection, "eng", []string{"engineering-xVj43W43Sy"}, 0},
		{"a word of a collection", mcptool.KindCollection, "compliance", []string{"safety-compliance-bypsKSGPlS"}, 0},
		{"all collections by name", mcptool.KindCollection, "", []string{"customers-product-jXipYDGoQz", "engineering-xVj43W43Sy"}, 6},
		{"a first name", mcptool.KindPerson, "isla", []string{"Isla Renwick"}, 0},
		{"a surname", mcptool.KindPerson, "Osei", []string{"Marek Osei"}, 0},
		{"an e-mail address", mcptool.KindPerson, "renwick@ex", []string{"Isla Renwick"}, 0},
		{"a template", mcptool.KindTemplate, "meet", []string{"Meeting {date}"}, 0},
		{"all templates by name", mcptool.KindTemplate, "", []string{"Incident {date}", "Meeting {date}", "Runbook:"}, 0},
		{"a status", mcptool.KindStatus, "P", []string{"published"}, 0},
		{"all statuses", mcptool.KindStatus, "", []string{"draft", "published", "archived"}, 0},
		{"a kind that is unknown", "bicycle", "a", nil, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			completion, err := s.Complete(ctx, test.kind, test.typed)
			if err != nil {
				t.Fatal(err)
			}
			total := max(test.total, len(test.want))
			if len(completion.Values) != total || !slices.EqualFunc(completion.Values[:min(len(test.want), total)], test.want, strings.HasPrefix) {
				t.Errorf("%d values, want %d: %q", len(completion.Values), total, completion.Values)
			}
		})
	}
}

func TestTheBestMatchIsFirst(t *testing.T) {
	titles := []string{"Redeployment", "How we deploy", "Deploy guide", "Deploy", "Undeployable", "To deploy"}
	ctx, s := source(t, wiki(t, titles, []string{"Annabel Lee", "Joanna Reed", "Anna Blum", "Maria Anna Mozart", "Anna"}, nil))
	for kind, want := range map[mcptool.ValueKind][]string{
		mcptool.KindDocument: {"deploy-D000000003", "deploy-guide-D000000002", "to-deploy-D000000005", "how-we-deploy-D000000001", "undeployable-D000000004", "redeployment-D000000000"}, // of equal matches, the one that was changed last
		mcptool.KindPerson:   {"Anna", "Anna Blum", "Annabel Lee", "Maria Anna Mozart", "Joanna Reed"},
	} {
		typed := map[mcptool.ValueKind]string{mcptool.KindDocument: "deploy", mcptool.KindPerson: "anna"}[kind]
		completion, err := s.Complete(ctx, kind, typed)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(completion.Values, want) {
			t.Errorf("%s: %q, want %q", kind, completion.Values, want)
		}
	}
}

func TestValuesAreUniqueAndOnOneLine(t *testing.T) {
	ctx, s := source(t, wiki(t, []string{"Same", "Same", "", "a\nb\x1b[2J"}, []string{"Kim Lee", "KIM LEE", "Kim\nPark\a", "Kim Lee Jones"}, []string{"Kim", "kim", "Kim {date}", "Kim\r\nx"}))
	for kind, want := range map[mcptool.ValueKind][]string{
		mcptool.KindPerson:   {"Kim Lee Jones", "Kim Park\uFFFD", "u1@lights.example", "u2@lights.example"},
		mcptool.KindTemplate: {uuid(200_000), uuid(200_001), "Kim x", "Kim {date}"},
	} {
		completion, err := s.Complete(ctx, kind, "kim")
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(slices.Values(completion.Values)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
	completion, err := s.Complete(ctx, mcptool.KindDocument, "")
	if err != nil || len(completion.Values) != 4 {
		t.Fatal(err, completion)
	}
	for _, value := range completion.Values {
		if strings.ContainsAny(value, "\n\r\x1b") {
			t.Errorf("%+q", value)
		}
	}
}

func TestACompletionHasAtMostAHundredValues(t *testing.T) {
	var titles, names, long []string
	for n := range 120 {
		titles = append(titles, fmt.Sprintf("Anchor %d", n))
		names = append(names, fmt.Sprintf("Anchor %d", n))
		long = append(long, fmt.Sprintf("Anchor %s %d", strings.Repeat("é", 80), n))
	}
	for _, test := range []struct {
		name string
		wiki http.RoundTripper
		kind mcptool.ValueKind
		want int
	}{
		{"documents", wiki(t, titles, nil, nil), mcptool.KindDocument, 25},
		{"people", wiki(t, nil, names, nil), mcptool.KindPerson, 100},
		{"templates", wiki(t, nil, nil, titles), mcptool.KindTemplate, 100},
		{"long names", wiki(t, nil, long, nil), mcptool.KindPerson, 99},
	} {
		ctx, s := source(t, test.wiki)
		completion, err := s.Complete(ctx, test.kind, "anchor")
		if err != nil || len(completion.Values) != test.want || !completion.HasMore || completion.Total != 0 && completion.Total <= test.want {
			t.Errorf("%s: %v, %d values of %d, more %t", test.name, err, len(completion.Values), completion.Total, completion.HasMore)
		}
	}
}

func TestACompletionTakesAtMost300Milliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, s := source(t, roundTrip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}))
		s.Within = mcptool.NewSuggestions(nil, nil).Within
		for _, kind := range []mcptool.ValueKind{mcptool.KindDocument, mcptool.KindCollection, mcptool.KindPerson, mcptool.KindTemplate} {
			begun := time.Now()
			completion, err := s.Complete(ctx, kind, "a")
			if took := time.Since(begun); took > 300*time.Millisecond || err == nil && len(completion.Values) > 0 {
				t.Errorf("%s takes %s: %v %v", kind, took, completion, err)
			}
		}
		time.Sleep(3 * time.Second) // of the bubble's clock: what is asked for in the background ends
	})
}

func TestAKeyThatMayNotSearchTitlesFindsDocumentsByTheirText(t *testing.T) {
	inner := sample(t)
	ctx, s := source(t, roundTrip(func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/documents.search_titles") || strings.HasSuffix(r.URL.Path, "/users.list") || strings.HasSuffix(r.URL.Path, "/templates.list") {
			return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
				Body: io.NopCloser(bytes.NewReader([]byte(`{"ok":false,"error":"authorization_error","status":403,"message":"Authorization error"}`)))}, nil
		}
		return inner.RoundTrip(r)
	}))
	completion, err := s.Complete(ctx, mcptool.KindDocument, "ingest backlog")
	if err != nil || !slices.Equal(completion.Values, []string{"runbook-ingest-backlog-cImbEqQG68"}) {
		t.Errorf("%v %+v", err, completion)
	}
	for _, kind := range []mcptool.ValueKind{mcptool.KindPerson, mcptool.KindTemplate} {
		if completion, err := s.Complete(ctx, kind, ""); err != nil || len(completion.Values) != 0 {
			t.Errorf("%s: %v %+v", kind, err, completion)
		}
	}
}

func TestTheNameOfAnArgumentTellsWhatItIdentifies(t *testing.T) {
	for argument, want := range map[string]mcptool.ValueKind{
		"document": mcptool.KindDocument, "document_id": mcptool.KindDocument, "document_ids": mcptool.KindDocument, "parent_document_id": mcptool.KindDocument, "documents": mcptool.KindDocument,
		"collection": mcptool.KindCollection, "Collections": mcptool.KindCollection, "target_collection_id": mcptool.KindCollection,
		"template": mcptool.KindTemplate, "template_id": mcptool.KindTemplate, "status": mcptool.KindStatus,
		"person": mcptool.KindPerson, "author": mcptool.KindPerson, "collaborator": mcptool.KindPerson, "user_id": mcptool.KindPerson,
		"": "", "id": "", "question": "", "since": "", "notes": "", "predocument": "", "document_title": "",
	} {
		if got := mcptool.ValueKindOf(argument); got != want {
			t.Errorf("%q identifies a %q, want %q", argument, got, want)
		}
	}
}

func FuzzWhateverIsTypedIsAnswered(f *testing.F) {
	for _, typed := range []string{"", "-", "a-", "--", "\x00", "é\u0301", "00000000-0000", "D000000001", "x-D000000001", strings.Repeat("a ", 3000), "%_'\"\\", "\u202e"} {
		f.Add(typed)
	}
	ctx, s := source(f, wiki(f, []string{"Deploy guide", "", "%_'", "ünder"}, []string{"Kim"}, []string{"T"}))
	f.Fuzz(func(t *testing.T, typed string) {
		for _, kind := range []mcptool.ValueKind{mcptool.KindDocument, mcptool.KindCollection, mcptool.KindTemplate, mcptool.KindStatus} {
			completion, err := s.Complete(ctx, kind, typed)
			if err != nil {
				continue // Outline refuses some, such as text that is too long
			}
			for _, value := range completion.Values {
				if value == "" || strings.ContainsAny(value, "\n\r\x00") {
					t.Errorf("%s %q: %+q", kind, typed, value)
				}
			}
		}
	})
}

// remembered answers a request as the first time, at once, like an Outline that takes
// no time.
type remembered struct {
	of      http.RoundTripper
	answers map[string][]byte
}

// RoundTrip implements http.RoundTripper.
func (m remembered) RoundTrip(r *http.Request) (*http.Response, error) {
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	body, known := m.answers[r.URL.Path+string(asked)]
	if !known {
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(asked))
		answer, err := m.of.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		if body, err = io.ReadAll(answer.Body); err != nil {
			return nil, err
		}
		m.answers[r.URL.Path+string(asked)] = body
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}

// BenchmarkACompletion measures the server's own share of a completion, of which at
// most 5 ms are promised for 95 of 100: Outline's answers are ready, with 25 documents
// of 5 KB, 100 people or 100 templates.
func BenchmarkACompletion(b *testing.B) {
	var titles, names []string
	for n := range 120 {
		titles = append(titles, fmt.Sprintf("Anchor %d of the harbour", n))
		names = append(names, fmt.Sprintf("Ann %d", n))
	}
	outline := remembered{wiki(b, titles, names, titles), map[string][]byte{}}
	for name, typed := range map[mcptool.ValueKind]string{mcptool.KindDocument: "anchor", mcptool.KindCollection: "", mcptool.KindPerson: "ann", mcptool.KindTemplate: "anchor"} {
		b.Run(string(name), func(b *testing.B) {
			ctx, s := source(b, outline)
			var took []time.Duration
			for b.Loop() {
				begun := time.Now()
				if completion, err := s.Complete(ctx, name, typed); err != nil || len(completion.Values) == 0 {
					b.Fatal(err, completion)
				}
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}
