package outline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/outline"
)

// oauthCalls are the calls of the recordings of OAuth that the client makes.
var oauthCalls = map[string]func(context.Context, *outline.Client, map[string]any) (any, error){
	"oauthClients.create": func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		return c.CreateOAuthClient(ctx, text(body["name"]), texts(body["redirectUris"])[0])
	},
	"oauthClients.list": func(ctx context.Context, c *outline.Client, _ map[string]any) (any, error) {
		return c.OAuthClients(ctx)
	},
	"oauthClients.info": func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		return c.OAuthClient(ctx, text(body["clientId"]), text(body["redirectUri"]))
	},
	"oauthClients.delete": func(ctx context.Context, c *outline.Client, body map[string]any) (any, error) {
		return nil, c.DeleteOAuthClient(ctx, outline.OAuthClient{ID: text(body["id"])})
	},
}

func TestOAuthClientsAreRequestedAndReadAsRecorded(t *testing.T) {
	for _, number := range []string{
		"1795", "1797", "1804", "1805", "1806", "1808", "1810", "1811", "1812", "1813", "1814", "1972", "1973", "1974",
	} {
		rec := recordedIn(t, "oauth", number)
		t.Run(rec.Name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				var sent map[string]any
				if err != nil || json.Unmarshal(body, &sent) != nil || r.URL.Path != rec.Request.Path {
					t.Errorf("%s %s, %v", r.URL.Path, body, err)
				}
				for field, want := range object(rec.Request.Body) {
					if diff := cmp.Diff(want, sent[field]); diff != "" {
						t.Errorf("%s (-recorded +sent):\n%s", field, diff)
					}
				}
				reply(w, rec.Response.Status, jsonType, string(rec.Response.Body))
			}, nil)
			got, err := oauthCalls[strings.TrimPrefix(rec.Request.Path, "/api/")](t.Context(), c, object(rec.Request.Body))
			var answer map[string]any
			if err := json.Unmarshal(rec.Response.Body, &answer); err != nil {
				t.Fatal(err)
			}
			if rec.Response.Status != http.StatusOK {
				deleted := strings.Contains(rec.Name, "delete-again") // as intended
				if want := kinds[rec.Response.Status]; !errors.Is(err, want) && !deleted {
					t.Errorf("error %v, want %v", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			switch got := got.(type) {
			case outline.OAuthClient:
				sameOAuthClient(t, got, object(answer["data"]))
			case []outline.OAuthClient:
				want := objects(answer["data"])
				equal(t, "number", len(got), len(want))
				for i := range got {
					sameOAuthClient(t, got[i], want[i])
				}
			}
		})
	}
}

func sameOAuthClient(t *testing.T, got outline.OAuthClient, want map[string]any) {
	t.Helper()
	equal(t, "id", got.ID, text(want["id"]))
	equal(t, "name", got.Name, text(want["name"]))
	equal(t, "clientId", got.ClientID, text(want["clientId"]))
	equal(t, "clientSecret", string(got.Secret), text(want["clientSecret"]))
	equal(t, "clientType", got.Type, text(want["clientType"]))
	equal(t, "redirectUris", strings.Join(got.RedirectURIs, " "), strings.Join(texts(want["redirectUris"]), " "))
	equal(t, "lastActiveAt", moment(got.LastActiveAt), text(want["lastActiveAt"]))
}

func TestAnOAuthSecretIsNeverPrinted(t *testing.T) {
	client := outline.OAuthClient{ClientID: "id", Secret: "ol_sk_verysecret"}
	encoded, err := json.Marshal(client)
	for _, shown := range []string{fmt.Sprint(client), fmt.Sprintf("%+v %#v %q %x", client, client, client.Secret, client.Secret), string(encoded)} {
		if err != nil || strings.Contains(shown, "verysecret") || strings.Contains(shown, fmt.Sprintf("%x", "verysecret")) {
			t.Errorf("%s, %v", shown, err)
		}
	}
}

func TestALostAnswerAboutAnOAuthClientIsLookedUp(t *testing.T) {
	const client = `{"id":"d772ff8f-3777-4a8f-ac89-b0e80fe943d2","name":"a","clientId":"c","clientSecret":"%s","clientType":"confidential","redirectUris":["https://example.com/oauth/callback"]}`
	create := func(ctx context.Context, c *outline.Client) (outline.OAuthClient, error) {
		return c.CreateOAuthClient(ctx, "a", "https://example.com/oauth/callback")
	}
	for name, test := range map[string]struct {
		call    func(context.Context, *outline.Client) (outline.OAuthClient, error)
		read    string
		unknown bool
	}{
		"created":     {create, `[` + fmt.Sprintf(client, "new") + `]`, false},
		"not created": {create, `[]`, true},
	} {
		t.Run(name, func(t *testing.T) {
			commands := 0
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, ".create") {
					commands++
					reply(w, http.StatusGatewayTimeout, "text/html", "the proxy gave up")
					return
				}
				reply(w, http.StatusOK, jsonType, `{"ok":true,"data":`+test.read+`}`)
			}, func(o *outline.Options) { o.MaxRetries = 3 })
			got, err := test.call(t.Context(), c)
			if test.unknown != outline.OutcomeUnknown(err) || (err == nil) == test.unknown || !test.unknown && got.Secret != "new" || commands != 1 {
				t.Errorf("%v, %v, after %d commands", got, err, commands)
			}
		})
	}
}

func TestAllPagesOfOAuthClientsAreRead(t *testing.T) {
	one := `{"clientId":"c"}`
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		items := 1
		if !strings.Contains(string(body), "offset") {
			items = 100
		}
		reply(w, http.StatusOK, jsonType, `{"ok":true,"data":[`+strings.Repeat(one+",", items-1)+one+`]}`)
	}, nil)
	if got, err := c.OAuthClients(t.Context()); err != nil || len(got) != 101 {
		t.Errorf("%d, %v", len(got), err)
	}
}
