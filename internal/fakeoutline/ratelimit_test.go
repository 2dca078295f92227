package fakeoutline_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/fakeoutline"
)

// As in recordings 902, 903, 913 and 2014.
func TestAKeyAndAnAddressMaySendSoManyRequestsToAnEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outline, err := fakeoutline.New(fakeoutline.Options{RateLimit: fakeoutline.RateLimit{Requests: 2}})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(key, endpoint string) *http.Response {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fakeoutline.BaseURL+"/"+endpoint, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Authorization", "Bearer "+key)
			answer, err := outline.Transport().RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			return answer
		}
		status := func(key, endpoint string, want int) {
			t.Helper()
			if got := ask(key, endpoint).StatusCode; got != want {
				t.Errorf("%s with %s answers %d, want %d", endpoint, key, got, want)
			}
		}
		status(fakeoutline.AdminKey, "auth.info", 200)
		time.Sleep(9 * time.Second)
		status(fakeoutline.AdminKey, "auth.info", 200)
		status(fakeoutline.AdminKey, "auth.info", 429)
		status(fakeoutline.MemberKey, "auth.info", 429)
		status(fakeoutline.AdminKey, "collections.list", 200)

		refusal := ask(fakeoutline.AdminKey, "auth.info")
		body, err := io.ReadAll(refusal.Body)
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"ok":false,"error":"rate_limit_exceeded","status":429,"message":"Rate limit exceeded for this operation"}`; string(body) != want {
			t.Errorf("body %s", body)
		}
		for name, want := range map[string]string{"Retry-After": "51", "RateLimit-Reset": "51", "RateLimit-Limit": "2", "RateLimit-Remaining": "0"} {
			if got := refusal.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		time.Sleep(51 * time.Second)
		status(fakeoutline.MemberKey, "auth.info", 200)
	})
}
