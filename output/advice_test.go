package output_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"outline-mcp/outline"
	"outline-mcp/output"
)

func TestAFailureNamesTheSettingThatMendsIt(t *testing.T) {
	for remedy, want := range map[outline.Remedy]string{
		outline.NoRemedy:              "documents.info: it failed (503)",
		outline.SetCredential:         "documents.info: it failed; set OUTLINE_API_KEY (503)",
		outline.CheckCredential:       "documents.info: it failed; check OUTLINE_API_KEY (503)",
		outline.CheckAddress:          "documents.info: it failed; check OUTLINE_API_URL, or run outline-mcp doctor (503)",
		outline.CheckAddressOrGateway: "documents.info: it failed; check OUTLINE_API_URL, or run outline-mcp doctor; if a gateway answers, let this server in with OUTLINE_HEADERS (503)",
		outline.PassGateway:           "documents.info: it failed; configure it to pass /api without a login (Outline checks the key itself), let this server in with OUTLINE_HEADERS or OUTLINE_CLIENT_CERT, or set OUTLINE_API_URL to an address of Outline behind it (503)",
		outline.ExemptAPI:             "documents.info: it failed; add an exception for /api there, or let this server in with OUTLINE_HEADERS (503)",
		outline.CheckAddressNetwork:   "documents.info: it failed; check OUTLINE_API_URL and the network (503)",
		outline.CheckAddressServer:    "documents.info: it failed; check OUTLINE_API_URL and whether Outline is running (503)",
		outline.CheckGateway:          "documents.info: it failed; if this continues, check OUTLINE_API_URL and what is in front of Outline, or run outline-mcp doctor (503)",
		outline.CheckProxy:            "documents.info: it failed; check HTTPS_PROXY and HTTP_PROXY (503)",
		outline.TrustIssuer:           "documents.info: it failed; if its issuer is a private one, name the issuer's certificate in OUTLINE_CA_FILE (503)",
		outline.RaiseAnswerLimit:      "documents.info: it failed; raise OUTLINE_MAX_ANSWER_BYTES or ask for less (503)",
	} {
		cause := &outline.Error{Endpoint: "documents.info", Status: 503, Message: "it failed", Remedy: remedy}
		if got := output.Advised(cause).Error(); got != want {
			t.Errorf("remedy %d: %q, want %q", remedy, got, want)
		}
		if cause.Message != "it failed" {
			t.Fatalf("the error itself was changed: %q", cause.Message)
		}
	}
	if output.Advised(io.EOF) != io.EOF {
		t.Error("an error of another kind was changed")
	}
}

func TestAnAnswerThatIsCutOffIsNotAQuestionOfTime(t *testing.T) {
	client, err := outline.New(outline.Options{
		BaseURL: "https://wiki.example.com", Credentials: outline.StaticKey("ol_api_test"),
		Transport: answer{http.StatusOK, "application/json", `{"ok":true,"data":{"id":`},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.AuthInfo(t.Context())
	if !errors.Is(err, outline.ErrBadAnswer) {
		t.Fatal(err)
	}
	sentence := output.Error(err).Sentence
	if want := "auth.info: the JSON of the answer is cut off after 24 bytes; check OUTLINE_API_URL and what is in front of Outline, or run outline-mcp doctor."; sentence != want {
		t.Errorf("%q, want %q", sentence, want)
	}
}

func TestAWrongAddressIsNotMistakenForAWrongID(t *testing.T) {
	for _, test := range []struct {
		name string
		answer
	}{
		{"Outline's answer for an unknown path", notFound},
		{"a page", answer{http.StatusNotFound, "text/html", "<!doctype html>"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			client, err := outline.New(outline.Options{
				BaseURL: "https://wiki.example.com/home", Credentials: outline.StaticKey("ol_api_test"),
				Transport: test.answer,
			})
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Collections(t.Context(), outline.ListParams{})
			failure := output.Error(err)
			for _, says := range []string{"there is no Outline API at https://wiki.example.com/home/api", "; check OUTLINE_API_URL, or run outline-mcp doctor."} {
				if failure.Code != output.BadAnswer || !strings.Contains(failure.Sentence, says) {
					t.Errorf("%s: %q does not say %q", failure.Code, failure.Sentence, says)
				}
			}
		})
	}
}

func TestAFailureNamesDoctorOnce(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	speaksHTTP := strings.Replace(server.URL, "http:", "https:", 1)
	refuses := httptest.NewServer(http.NotFoundHandler())
	refuses.Close()
	t.Cleanup(server.Close)
	for name, base := range map[string]string{"HTTP instead of HTTPS": speaksHTTP, "no server": refuses.URL} {
		t.Run(name, func(t *testing.T) {
			client, err := outline.New(outline.Options{BaseURL: base, Credentials: outline.StaticKey("ol_api_test")})
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Collections(t.Context(), outline.ListParams{})
			if failure := output.Error(err); failure.Code != output.Unreachable || strings.Count(failure.Sentence, "outline-mcp doctor") != 1 {
				t.Errorf("%s: %q", failure.Code, failure.Sentence)
			}
		})
	}
}

func TestAnUnknownIDIsNotMistakenForAWrongAddress(t *testing.T) {
	client, err := outline.New(outline.Options{BaseURL: "https://wiki.example.com", Credentials: outline.StaticKey("ol_api_test"), Transport: notFound})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Document(t.Context(), "1wPyxUCdt9")
	if failure := output.Error(err); failure.Code != output.NotFound || strings.Contains(failure.Sentence, "OUTLINE_API_URL") {
		t.Errorf("%s: %q", failure.Code, failure.Sentence)
	}
}

func TestAMissingScopeIsNamed(t *testing.T) {
	for name, ask := range map[string]func(*outline.Client) error{
		"auth.info":      func(c *outline.Client) error { _, err := c.AuthInfo(t.Context()); return err },
		"users.list":     func(c *outline.Client) error { _, err := c.Users(t.Context(), outline.UserListParams{}); return err },
		"documents.info": func(c *outline.Client) error { _, err := c.Document(t.Context(), "1wPyxUCdt9"); return err },
	} {
		client, err := outline.New(outline.Options{BaseURL: "https://wiki.example.com", Credentials: outline.StaticKey("ol_api_test"),
			Transport: answer{http.StatusForbidden, "application/json", `{"ok":false,"error":"authorization_error","status":403,"message":"API key does not have access to this resource"}`}})
		if err != nil {
			t.Fatal(err)
		}
		failure := output.Error(ask(client)).Advised(nil)
		if failure.Code != output.Forbidden || !strings.Contains(failure.Sentence, "Use a key with the scope "+name+", or one without scopes.") || strings.Contains(failure.Sentence, "Check the ID") {
			t.Errorf("%s: %s: %q", name, failure.Code, failure.Sentence)
		}
	}
}

func TestAGuestIsToldAboutTheHistory(t *testing.T) {
	client, err := outline.New(outline.Options{BaseURL: "https://wiki.example.com", Credentials: outline.StaticKey("ol_api_test"),
		Transport: answer{http.StatusForbidden, "application/json", `{"ok":false,"error":"authorization_error","status":403,"message":"Authorization error"}`}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.RevisionText(t.Context(), "a790bb5b-d622-58af-8c7a-f577ac138608")
	if failure := output.Error(err); failure.Code != output.Forbidden || !strings.Contains(failure.Sentence, "guests may not see the history of documents") {
		t.Errorf("%s: %q", failure.Code, failure.Sentence)
	}
}

// notFound is what Outline answers for an unknown ID, and for an unknown path.
var notFound = answer{http.StatusNotFound, "application/json", `{"ok":false,"error":"not_found","status":404,"message":"Resource not found"}`}

// answer is a server in memory whose every answer is this one.
type answer struct {
	status            int
	contentType, body string
}

// RoundTrip implements http.RoundTripper.
func (a answer) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: a.status, Header: http.Header{"Content-Type": {a.contentType}},
		Body: io.NopCloser(strings.NewReader(a.body)), Request: r,
	}, nil
}

func TestAdviceNamesOnlyToolsThatAreOffered(t *testing.T) {
	only := func(names ...string) output.Available {
		return func(word string) bool {
			for _, withheld := range []string{"read_document", "list_trash", "search_documents"} {
				if word == withheld {
					for _, name := range names {
						if name == word {
							return true
						}
					}
					return false
				}
			}
			return true
		}
	}
	none := only()
	for _, test := range []struct {
		name      string
		available output.Available
		text      string
		want      string
	}{
		{"nil available every tool", nil, "Look[ with list_trash] [a|b].", "Look with list_trash a."},
		{"a text that names none is kept", none, "Set start_line to 5.", "Set start_line to 5."},
		{"a text that names one not offered is dropped", none, "Read it with read_document.", ""},
		{"a part in brackets is dropped alone", none, "Read it again[ with read_document].", "Read it again."},
		{"a part in brackets is kept if it can be followed", only("read_document"), "Read it again[ with read_document].", "Read it again with read_document."},
		{"an alternative takes the place", none, "Look [with list_trash|in Outline] first.", "Look in Outline first."},
		{"the first alternative is preferred", only("list_trash"), "Look [with list_trash|in Outline] first.", "Look with list_trash first."},
		{"a list loses what is not offered", only("read_document", "list_trash"), "Use read_document, search_documents or list_trash.", "Use read_document or list_trash."},
		{"a list can lose all but one", only("search_documents"), "Use read_document, search_documents or list_trash.", "Use search_documents."},
		{"a list of which nothing is left is dropped", none, "Wait.[ Use read_document or list_trash.]", "Wait."},
		{"all tools joined by and are needed", only("read_document"), "Use search_documents and read_document.", ""},
		{"a name that is emphasized is a tool", none, "Read it with _read_document_.", ""},
		{"a longer name is another tool", none, "Use batch_read_document or read_document.", "Use batch_read_document."},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.available.Advise(test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
