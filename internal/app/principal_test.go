package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/auth"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
)

// onWorkspace returns an app on a sample workspace, which counts what it asks
// and with which token, and its log.
func onWorkspace(t *testing.T, settings ...string) (*app.App, *counting, *bytes.Buffer) {
	t.Helper()
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	asked := &counting{asked: map[string]int{}, inner: sample.Transport()}
	loaded, err := config.Load(append([]string{"OUTLINE_API_URL=" + fakeoutline.BaseURL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey}, settings...))
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	server, err := app.New(app.Options{Config: loaded, Version: "test", Transport: asked, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return server, asked, &log
}

// ask has the server of an app answer one request.
func ask(ctx context.Context, t *testing.T, server *app.App, method, params string) string {
	t.Helper()
	request := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	encoded, err := json.Marshal(app.MCPOf(server).HandleMessage(ctx, json.RawMessage(request)))
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

func TestARequestWithoutAPrincipalHasNoCredential(t *testing.T) {
	server, asked, _ := onWorkspace(t)
	if answer := ask(t.Context(), t, server, "tools/call", listCollections); !strings.Contains(answer, "no_key") || asked.total() != 0 {
		t.Errorf("%d requests to Outline: %s", asked.total(), answer)
	}
	if answer := ask(server.AsOperator(t.Context()), t, server, "tools/call", listCollections); strings.Contains(answer, "no_key") || asked.total() == 0 {
		t.Errorf("the operator: %d requests to Outline: %s", asked.total(), answer)
	}
}

// A login is a kind of credential that the program does not know: each request
// to Outline gets another token.
type login struct{ renewals *atomic.Int64 }

func (l login) Credential(context.Context) (string, error) {
	return fmt.Sprint("ol_api_demo_user_", l.renewals.Add(1)), nil
}

func TestAnotherKindOfCredentialIsRenewedWithoutLosingItsSubject(t *testing.T) {
	server, asked, log := onWorkspace(t, "OUTLINE_DYNAMIC_TOOL_LIST=true")
	ctx := auth.NewContext(t.Context(), auth.New("login", "user-0001-and-more", login{new(atomic.Int64)}))
	for range 2 { // what the subject may do is asked once
		if answer := ask(ctx, t, server, "tools/list", `{}`); !strings.Contains(answer, "list_collections") || asked.total() != 1 {
			t.Errorf("%d requests to Outline: %s", asked.total(), answer)
		}
	}
	for range 2 {
		if answer := ask(ctx, t, server, "tools/call", `{"name":"list_collections","arguments":{"include_document_count":false}}`); strings.Contains(answer, "isError") {
			t.Errorf("a call is answered with %s", answer)
		}
	}
	want := []string{"/api/auth.info Bearer ol_api_demo_user_1", "/api/collections.list Bearer ol_api_demo_user_2", "/api/collections.list Bearer ol_api_demo_user_3"}
	if got := slices.Sorted(maps.Keys(asked.asked)); !slices.Equal(got, want) {
		t.Errorf("Outline is asked %v", got)
	}
	if logged := log.String(); strings.Count(logged, "key=user-000 ") != 2 && strings.Count(logged, "key=user-000\n") != 2 || strings.Contains(logged, "ol_api") {
		t.Error(logged)
	}
}
