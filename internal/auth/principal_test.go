package auth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"outline-mcp/internal/auth"
)

func TestPrintingAPrincipalShowsItsSubjectAndNoSecret(t *testing.T) {
	one, other, operator := auth.ForAPIKey("ol_api_test_key_1"), auth.ForAPIKey("ol_api_test_key_2"), auth.ForOperator("ol_api_test_key_1")
	if one.Subject == other.Subject || len(one.Subject) != 64 || len(one.ID()) != 8 || one.ID() == other.ID() {
		t.Errorf("subjects are %s and %s", one.Subject, other.Subject)
	}
	if operator.Subject != one.Subject || operator.Kind == one.Kind {
		t.Errorf("the operator is %s, whose key as a caller's is %s", operator, one)
	}
	key, _ := one.APIKey()
	var log bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(handler).Info("call", "principal", one, "pointer", &one, "key", key)
	}
	encoded, err := json.Marshal(map[string]any{"principal": one, "key": key})
	if err != nil {
		t.Fatal(err)
	}
	shown := log.String() + string(encoded)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		shown += fmt.Sprintf(verb, one) + fmt.Sprintf(verb, []auth.Principal{one}) + fmt.Sprintf(verb, key)
	}
	if strings.Contains(shown, "test_key") || strings.Contains(shown, fmt.Sprintf("%x", "test_key")) {
		t.Errorf("the key is shown: %s", shown)
	}
	if printed := fmt.Sprint(one); printed != "API key "+one.ID() {
		t.Errorf("it is printed as %s", printed)
	}
}

// renewed is a source whose credential is another one each time.
type renewed struct{ times *int }

func (r renewed) Credential(context.Context) (string, error) {
	if *r.times++; *r.times > 2 {
		return "", errors.New("the login has expired")
	}
	return fmt.Sprint("token ", *r.times), nil
}

func TestAPrincipalKeepsItsSubjectWhenItsCredentialIsRenewed(t *testing.T) {
	user := auth.New("login", "user-1", renewed{new(int)})
	ctx := auth.NewContext(t.Context(), user)
	for _, want := range []string{"token 1", "token 2"} {
		p, ok := auth.FromContext(ctx)
		if token, err := p.Credential(ctx); err != nil || token != want || !ok || p.Subject != "user-1" {
			t.Errorf("%v: %s has %s, want %s", err, p, token, want)
		}
	}
	if token, err := user.Credential(ctx); err == nil || token != "" {
		t.Errorf("after its end it has %q", token)
	}
	if _, ok := user.APIKey(); ok {
		t.Error("it has an API key")
	}
}

func TestWithoutAPrincipalThereIsNoCredential(t *testing.T) {
	p, ok := auth.FromContext(t.Context())
	if token, err := p.Credential(t.Context()); ok || token != "" || err != nil || p.Subject != "" || p.ID() != "" || fmt.Sprint(p) != "" {
		t.Errorf("%t %q %v %q", ok, token, err, p.Subject)
	}
	if nobody := auth.ForOperator(""); nobody.Subject != "" {
		t.Errorf("an operator without a key is %s", nobody.Subject)
	}
}
