package prompts_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"go.uber.org/goleak"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, fixtures.ClosingConnections()) }

// connect returns a client of a server on the embedded workspace, or on the given one.
func connect(t *testing.T, outline http.RoundTripper, settings ...string) *client.Client {
	t.Helper()
	c, _ := connectLogged(t, outline, settings...)
	return c
}

func connectLogged(t *testing.T, outline http.RoundTripper, settings ...string) (*client.Client, *strings.Builder) {
	t.Helper()
	if outline != nil {
		settings = append([]string{"OUTLINE_API_URL=" + fakeoutline.BaseURL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey}, settings...)
	}
	loaded, err := config.Load(settings, app.CheckTools)
	if err != nil {
		t.Fatal(err)
	}
	log := new(strings.Builder)
	o := app.Options{Config: loaded, Demo: outline == nil, Transport: outline, Log: slog.New(slog.NewTextHandler(log, nil))}
	if outline != nil {
		o.Now = func() time.Time { return day(60) }
	}
	server, err := app.New(o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := server.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, log
}

// list returns the prompts that a client sees.
func list(t *testing.T, c *client.Client) []mcp.Prompt {
	t.Helper()
	listed, err := c.ListPrompts(t.Context(), mcp.ListPromptsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return listed.Prompts
}

func names(prompts []mcp.Prompt) string {
	var all []string
	for _, p := range prompts {
		all = append(all, p.Name)
	}
	return strings.Join(all, " ")
}

// get returns the content of each message of a prompt. Arguments are NAME=VALUE.
func get(t *testing.T, c *client.Client, name string, arguments ...string) ([]content, error) {
	t.Helper()
	var request mcp.GetPromptRequest
	request.Params.Name, request.Params.Arguments = name, map[string]string{}
	for _, a := range arguments {
		name, value, _ := strings.Cut(a, "=")
		request.Params.Arguments[name] = value
	}
	got, err := c.GetPrompt(t.Context(), request)
	if err != nil {
		return nil, err
	}
	var all []content
	for _, m := range got.Messages {
		if m.Role != mcp.RoleUser {
			t.Errorf("%s has a message of the %s", name, m.Role)
		}
		switch c := m.Content.(type) {
		case mcp.TextContent:
			all = append(all, content{"", c.Text})
		case mcp.EmbeddedResource:
			r := c.Resource.(mcp.TextResourceContents)
			all = append(all, content{r.URI, r.Text})
		default:
			t.Errorf("%s contains %T", name, c)
		}
	}
	return all, nil
}

// content is that of a message. uri is "" for text that is no resource.
type content struct{ uri, text string }

// must is get without a failure.
func must(t *testing.T, c *client.Client, name string, arguments ...string) []content {
	t.Helper()
	all, err := get(t, c, name, arguments...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return all
}

func uuid(n int) string { return fmt.Sprintf("%08d-0000-4000-8000-000000000000", n) }

func day(n int) time.Time { return time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, n) }

const (
	ada   = 90 // the admin whose key connect uses
	ben   = 91
	wiki  = 10 // collections
	notes = 11
)

// workspace is a workspace of two users and two collections, with the given documents.
func workspace(t *testing.T, change func(*fakeoutline.Seed), documents ...fakeoutline.Document) http.RoundTripper {
	t.Helper()
	seed := fakeoutline.Seed{
		Team: fakeoutline.Team{ID: uuid(1), Name: "Lights"},
		Users: []fakeoutline.User{
			{ID: uuid(ada), Name: "Ada", Email: "ada@lights.example", Role: fakeoutline.Admin, CreatedAt: day(0)},
			{ID: uuid(ben), Name: "Ben", Email: "ben@lights.example", Role: fakeoutline.Member, CreatedAt: day(0)},
		},
		Keys: []fakeoutline.Key{
			{ID: uuid(80), Secret: fakeoutline.AdminKey, Name: "a", UserID: uuid(ada), CreatedAt: day(0)},
			{ID: uuid(81), Secret: "ol_api_test_ben", Name: "b", UserID: uuid(ben), CreatedAt: day(0)},
		},
		Collections: []fakeoutline.Collection{
			{ID: uuid(wiki), URLID: "C000000010", Name: "Wiki", Permission: fakeoutline.ReadWrite, CreatedAt: day(0), UpdatedAt: day(0)},
			{ID: uuid(notes), URLID: "C000000011", Name: "Notes", Permission: fakeoutline.ReadWrite, CreatedAt: day(0), UpdatedAt: day(0)},
		},
		Documents: documents,
	}
	if change != nil {
		change(&seed)
	}
	w, err := fakeoutline.Empty(fakeoutline.Options{Now: func() time.Time { return day(60) }}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return w.Transport()
}

// page is a published document of the collection wiki, created n minutes after the
// first day and changed n days later.
func page(n int, title, text string) fakeoutline.Document {
	at := day(1).Add(time.Duration(n) * time.Minute)
	return fakeoutline.Document{
		ID: uuid(n), URLID: fmt.Sprintf("D%09d", n), Title: title, Text: text, CollectionID: uuid(wiki),
		CreatedBy: uuid(ben), UpdatedBy: uuid(ben), Collaborators: []string{uuid(ben)}, Revision: 1, Opened: true,
		CreatedAt: at, UpdatedAt: at, PublishedAt: at,
	}
}

// in returns a document in another collection.
func in(collection int, d fakeoutline.Document) fakeoutline.Document {
	d.CollectionID = uuid(collection)
	return d
}
