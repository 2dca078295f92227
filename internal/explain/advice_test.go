package explain_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"outline-mcp/internal/explain"
	"outline-mcp/outline"
)

func TestAFailureNamesTheSettingThatMendsIt(t *testing.T) {
	for remedy, want := range map[outline.Remedy]string{
		outline.NoRemedy:            "documents.info: it failed (503)",
		outline.SetCredential:       "documents.info: it failed: set OUTLINE_API_KEY (503)",
		outline.CheckCredential:     "documents.info: it failed: check OUTLINE_API_KEY (503)",
		outline.CheckAddress:        "documents.info: it failed: check OUTLINE_API_URL (503)",
		outline.CheckAddressNetwork: "documents.info: it failed: check OUTLINE_API_URL and the network (503)",
		outline.CheckAddressServer:  "documents.info: it failed: check OUTLINE_API_URL and whether Outline is running (503)",
		outline.CheckGateway:        "documents.info: it failed: if this goes on, check OUTLINE_API_URL and what is in front of Outline (503)",
		outline.CheckProxy:          "documents.info: it failed: check HTTPS_PROXY and HTTP_PROXY (503)",
		outline.TrustIssuer:         "documents.info: it failed: if its issuer is a private one, name the issuer's certificate in OUTLINE_CA_FILE (503)",
		outline.RaiseAnswerLimit:    "documents.info: it failed: raise OUTLINE_MAX_ANSWER_BYTES or ask for less (503)",
	} {
		cause := &outline.Error{Endpoint: "documents.info", Status: 503, Message: "it failed", Remedy: remedy}
		if got := explain.Advised(cause).Error(); got != want {
			t.Errorf("remedy %d: %q, want %q", remedy, got, want)
		}
		if cause.Message != "it failed" {
			t.Fatalf("the error itself was changed: %q", cause.Message)
		}
	}
	if explain.Advised(io.EOF) != io.EOF {
		t.Error("an error of another kind was changed")
	}
}

func TestAnAnswerThatIsCutOffIsNotAQuestionOfTime(t *testing.T) {
	client, err := outline.New(outline.Options{
		BaseURL: "https://wiki.example.com", Credentials: outline.StaticKey("ol_api_test"),
		Transport: answer(`{"ok":true,"data":{"id":`),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.AuthInfo(t.Context())
	if !errors.Is(err, outline.ErrBadAnswer) {
		t.Fatal(err)
	}
	sentence := explain.Error(err).Sentence
	if want := "auth.info: the JSON of the answer is cut off after 24 bytes: check OUTLINE_API_URL and what is in front of Outline."; sentence != want {
		t.Errorf("%q, want %q", sentence, want)
	}
}

// answer is a server in memory whose every answer is this JSON.
type answer string

// RoundTrip implements http.RoundTripper.
func (a answer) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(string(a))), Request: r,
	}, nil
}
