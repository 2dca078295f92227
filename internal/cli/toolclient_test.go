package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"go.uber.org/goleak"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/output"
	"outline-mcp/test/fixtures"
)

// connect returns a client of a server that works on the items of a batch one
// after the other.
func connect(t *testing.T, demo bool, settings ...string) *client.Client {
	t.Helper()
	loaded, err := config.Load(append(settings, "OUTLINE_BATCH_CONCURRENCY=1"))
	if err != nil {
		t.Fatal(err)
	}
	server, err := app.New(app.Options{Config: loaded, Demo: demo})
	if err != nil {
		t.Fatal(err)
	}
	connection, err := server.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

func TestAFailureIsAnAnswerWithACode(t *testing.T) {
	missing := map[string]any{"document_id": "00000000-0000-4000-8000-000000000000"}
	for setting, code := range map[string]output.Code{
		"OUTLINE_STRUCTURED_OUTPUT=true":  output.NotFound,
		"OUTLINE_STRUCTURED_OUTPUT=false": output.Internal, // the text has no code to read
	} {
		answer, err := cli.Call(t.Context(), connect(t, true, setting), "read_document", missing)
		if err != nil || answer.Code != code || answer.Text == "" {
			t.Errorf("%s: %+v, %v", setting, answer, err)
		}
	}
	if answer, err := cli.Call(t.Context(), connect(t, true), "no_such_tool", nil); err == nil {
		t.Errorf("an unknown tool is answered with %+v", answer)
	}
}

func TestProgressIsReportedToTheCallThatMakesIt(t *testing.T) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The second item waits until the first is reported.
	reported := make(chan struct{})
	var archived atomic.Int32
	outline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/documents.archive" && archived.Add(1) == 2 {
			select {
			case <-reported:
			case <-r.Context().Done():
			}
		}
		sample.ServeHTTP(w, r)
	}))
	defer outline.Close()
	connection := connect(t, false, "OUTLINE_API_URL="+outline.URL, "OUTLINE_API_KEY="+fakeoutline.AdminKey)
	var reports []string
	documents := map[string]any{"document_ids": []string{"1wPyxUCdt9", "k7cHQqmWTH"}}
	answer, err := cli.CallWithProgress(t.Context(), connection, "batch_archive_documents", documents, func(done, total int) {
		if len(reports) == 0 {
			close(reported)
		}
		reports = append(reports, fmt.Sprintf("%d of %d", done, total))
	})
	if err != nil || answer.Code != "" {
		t.Fatalf("%+v, %v", answer, err)
	}
	first := slices.Clone(reports)
	if _, err := cli.CallWithProgress(t.Context(), connection, "batch_archive_documents", documents, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(first, "1 of 2") || !slices.Equal(reports, first) {
		t.Errorf("the first call is told %q, and %q after the second", first, reports)
	}
}

func TestJSONIsIndentedWithReadableTextAndItsOrder(t *testing.T) {
	var b strings.Builder
	if err := cli.WriteJSON(&b, []byte(`{"b":"\u003ca\u003e \u0026 \\u003c \u00e9","a":[]}`)); err != nil {
		t.Fatal(err)
	}
	if want := "{\n  \"b\": \"<a> & \\\\u003c \\u00e9\",\n  \"a\": []\n}\n"; b.String() != want {
		t.Errorf("got %s, want %s", b.String(), want)
	}
	if err := cli.WriteJSON(&b, []byte(`{`)); err == nil {
		t.Error("broken JSON is written")
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, fixtures.ClosingConnections()) }
