package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
)

// startWorkspace serves a workspace and returns the settings that it prints. The
// workspace ends with the test.
func startWorkspace(t *testing.T, flags ...string) (settings []string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	printed, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		args := append([]string{"workspace", "--listen", "127.0.0.1:0"}, flags...)
		code := run(ctx, args, process{stdin: strings.NewReader(""), stdout: out, stderr: io.Discard})
		out.Close()
		ended <- code
	}()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
	expected := 2
	if slices.Contains(flags, "--oauth-redirect") {
		expected = 4 // with those of the application
	}
	for lines := bufio.NewScanner(printed); len(settings) < expected && lines.Scan(); {
		settings = append(settings, lines.Text())
	}
	return settings
}

func TestTheWorkspaceAnswersAsLateAsItIsTold(t *testing.T) {
	const latency = 100 * time.Millisecond
	settings := startWorkspace(t, "--latency", latency.String())
	start := time.Now()
	code, _, stderr := command(t, settings, "call", "list_collections")
	if took := time.Since(start); code != 0 || took < latency {
		t.Errorf("exit code %d after %s: %s", code, took, stderr)
	}
}

func TestTheWorkspaceIsTheReleaseThatItIsTold(t *testing.T) {
	for version, flags := range map[string][]string{"1.9.1": nil, "1.8.1": {"--like", "1.8"}} {
		address := strings.TrimPrefix(startWorkspace(t, flags...)[0], "OUTLINE_API_URL=")
		if answer := post(t, address+"/installation.info", `{}`); !strings.Contains(answer, `"version":"`+version+`"`) {
			t.Errorf("%q answers %s", flags, answer)
		}
	}
}

func TestTheWorkspaceUpdatesAsSlowlyAsItIsTold(t *testing.T) {
	const wait = 100 * time.Millisecond
	address := strings.TrimPrefix(startWorkspace(t, "--update-time", wait.String(), "--revision-time", "1h")[0], "OUTLINE_API_URL=")
	id := regexp.MustCompile(`[0-9a-f-]{36}`).FindString(post(t, address+"/documents.create", `{"title":"New"}`))
	start := time.Now()
	post(t, address+"/documents.update", `{"id":"`+id+`","text":"x","done":true}`)
	if took := time.Since(start); took < wait {
		t.Errorf("the update took %s", took)
	}
	if revisions := post(t, address+"/revisions.list", `{"documentId":"`+id+`"}`); !strings.Contains(revisions, `"data":[]`) {
		t.Errorf("the revisions are %s", revisions)
	}
}

func TestTheWorkspaceLogsPeopleInToTheApplicationThatItIsTold(t *testing.T) {
	const redirect = "http://127.0.0.1:4000/oauth/callback"
	settings := startWorkspace(t, "--oauth-redirect", redirect)
	origin := strings.TrimSuffix(strings.TrimPrefix(settings[0], "OUTLINE_API_URL="), "/api")
	id := strings.TrimPrefix(settings[2], "MCP_OAUTH_CLIENT_ID=")
	asked := url.Values{"client_id": {id}, "redirect_uri": {redirect}, "response_type": {"code"}, "state": {"x"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, origin+"/oauth/authorize?"+asked.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if page, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(page), "Who are you?") {
		t.Errorf("the login page is %d %s: %v", res.StatusCode, page, err)
	}
	if secret := strings.TrimPrefix(settings[3], "MCP_OAUTH_CLIENT_SECRET="); secret != fakeoutline.ClientSecret {
		t.Errorf("the secret is %q", secret)
	}
}

// post sends an admin's request to the workspace and returns the answer.
func post(t *testing.T, url, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+fakeoutline.AdminKey)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %d %s: %v", url, res.StatusCode, answer, err)
	}
	return string(answer)
}
