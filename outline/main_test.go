package outline_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"outline-mcp/outline"
	"outline-mcp/outline/transport"
)

// testKey is the key of every client under test.
const testKey = "ol_api_Test_Key_Of_Nobody"

// proxied, when set, makes the test binary a small program that makes one
// call: net/http reads the proxy settings of a process only once.
const proxied = "TEST_CALL_THROUGH_PROXY"

func TestMain(m *testing.M) {
	if base := os.Getenv(proxied); base != "" {
		c, err := outline.New(outline.Options{BaseURL: base, Credentials: outline.StaticKey(testKey)})
		if err == nil {
			_, err = c.AuthInfo(context.Background())
		}
		var e *outline.Error
		if errors.As(err, &e) && e.Remedy == outline.CheckProxy {
			fmt.Println("check the proxy")
		}
		fmt.Println(err)
		os.Exit(0)
	}
	_ = flag.Set("test.parallel", "16") // parallel tests wait, and hardly compute
	goleak.VerifyTestMain(m)
}

// as returns a context whose calls act with another key than testKey.
func as(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyOfCall{}, key)
}

type keyOfCall struct{}

// keyOf is the credential source of every client under test.
func keyOf(ctx context.Context) (outline.Credential, error) {
	if key, ok := ctx.Value(keyOfCall{}).(string); ok {
		return outline.Credential{Token: key}, nil
	}
	return outline.Credential{Token: testKey}, nil
}

// once returns a context whose calls make one attempt.
func once(ctx context.Context) context.Context {
	return outline.WithCallOptions(ctx, outline.NoRetries())
}

// roundTrip is a server in memory.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// newClient returns a client of base with the options changed by change, and
// closes its connections when the test ends.
func newClient(t testing.TB, base string, change func(*outline.Options)) *outline.Client {
	t.Helper()
	transport, err := transport.New(transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := outline.Options{BaseURL: base, Credentials: keyOf, UserAgent: "outline-test/1", Transport: transport, RequestTimeout: 10 * time.Second}
	if change != nil {
		change(&o)
	}
	c, err := outline.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// serve starts a server and returns a client of it.
func serve(t testing.TB, h http.HandlerFunc, change func(*outline.Options)) *outline.Client {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.Start()
	t.Cleanup(server.Close)
	return newClient(t, server.URL, change)
}

// reply writes an answer with a content type.
func reply(w http.ResponseWriter, status int, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

const jsonType = "application/json; charset=utf-8"

// answered is an answer in memory. Headers are name, value, name, value …
func answered(status int, contentType, body string, headers ...string) *http.Response {
	recorder := httptest.NewRecorder()
	for i := 0; i < len(headers); i += 2 {
		recorder.Header().Set(headers[i], headers[i+1])
	}
	reply(recorder, status, contentType, body)
	return recorder.Result()
}

// documentJSON is the answer of documents.info for a document with this text.
func documentJSON(text string) string {
	quoted, _ := json.Marshal(text) // a string always has a JSON form
	return `{"data":{"id":"00ed4f62-c550-4809-8176-61d3a749b928","url":"/doc/deploy-guide-1FF9VyHA4X","urlId":"1FF9VyHA4X","title":"Deploy guide","text":` + string(quoted) + `,"revision":3,"createdAt":"2026-11-20T10:09:14.753Z","updatedAt":"2026-11-20T10:09:14.753Z","publishedAt":"2026-11-20T10:09:14.765Z","collectionId":null},"status":200,"ok":true}`
}

const authJSON = `{"data":{"user":{"id":"1f63da76-8b6c-4175-ada4-8f67dce7c385","name":"Ada","role":"admin"},"team":{"id":"cec51765-6719-4239-92bd-0496fd057976","name":"Acme","url":"https://acme.example.com"}},"ok":true}`

// suggests checks that an error suggests a remedy.
func suggests(t testing.TB, err error, want outline.Remedy) {
	t.Helper()
	var e *outline.Error
	if !errors.As(err, &e) || e.Remedy != want {
		t.Errorf("error %#v, want remedy %d", err, want)
	}
}

// complete is what everything in an answer must have, and a document's text.
const complete = `"id":"00ed4f62-c550-4809-8176-61d3a749b928","url":"/doc/deploy-guide-1FF9VyHA4X","text":"words"`
