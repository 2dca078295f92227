package outline_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"outline-mcp/outline"
	"outline-mcp/outline/edit"
)

// A server that answers as Outline does, with one document.
func exampleServer() *httptest.Server {
	text, revision := "Deploy on Mondays.", 1
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch body, _ := io.ReadAll(r.Body); {
		case strings.Contains(string(body), `"lastRevision":"x"`): // asks which updates are rejected
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"ok":false,"message":"findText is required when using patch editMode"}`)
			return
		case strings.Contains(string(body), "Tuesdays"):
			text, revision = "Deploy on Tuesdays.", revision+1
		}
		fmt.Fprintf(w, `{"ok":true,"data":{"id":"00ed4f62-c550-4809-8176-61d3a749b928","url":"/doc/deploy-guide-1FF9VyHA4X","title":"Deploy guide","text":%q,"revision":%d}}`, text, revision)
	}))
}

func Example() {
	server := exampleServer()
	defer server.Close()

	client, err := outline.New(outline.Options{
		BaseURL:     server.URL, // or https://app.getoutline.com
		Credentials: outline.StaticKey("ol_api_..."),
		MaxRetries:  3,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	id, err := outline.ParseDocumentID("https://wiki.example.com/doc/deploy-guide-1FF9VyHA4X")
	if err != nil {
		fmt.Println(err)
		return
	}
	document, err := client.Document(context.Background(), id)
	switch {
	case errors.Is(err, outline.ErrNotFound):
		fmt.Println("there is no such document")
	case err != nil:
		fmt.Println(err)
	default:
		fmt.Printf("%s, revision %d: %s\n", document.Title, document.Revision, document.Text)
	}
	// Output: Deploy guide, revision 1: Deploy on Mondays.
}

// A plan is made again for the latest text if another user changes the document
// before it is written.
func Example_update() {
	server := exampleServer()
	defer server.Close()
	client, err := outline.New(outline.Options{BaseURL: server.URL, Credentials: outline.StaticKey("ol_api_...")})
	if err != nil {
		fmt.Println(err)
		return
	}
	update, err := edit.Update(context.Background(), client, edit.Params{
		ID: "1FF9VyHA4X",
		Plan: func(now outline.Document, change *edit.Params) error {
			text := strings.ReplaceAll(now.Text, "Mondays", "Tuesdays")
			change.Text = &text
			return nil
		},
	})
	if outline.OutcomeUnknown(err) {
		fmt.Println("the document may have been changed:", err)
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(update.Before.Text, "→", update.After.Text)
	// Output: Deploy on Mondays. → Deploy on Tuesdays.
}

// One client serves all callers: the context says whose token a call uses.
func ExampleCredentialSource() {
	type user struct{ name, token string }
	type key struct{}

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	client, err := outline.New(outline.Options{
		BaseURL:    server.URL,
		MaxRetries: 3,
		Credentials: func(ctx context.Context) (outline.Credential, error) {
			u, ok := ctx.Value(key{}).(user)
			if !ok {
				return outline.Credential{}, errors.New("nobody is signed in")
			}
			return outline.Credential{Token: u.token, Subject: u.name}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.WithValue(context.Background(), key{}, user{"ada", "token-of-ada"})
	ctx = outline.WithCallOptions(ctx, outline.NoRetries())
	_, err = client.AuthInfo(ctx)
	fmt.Println(errors.Is(err, outline.ErrUpstream))
	// Output:
	// Bearer token-of-ada
	// true
}
