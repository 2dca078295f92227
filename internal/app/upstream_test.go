package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
)

func TestHealthSaysWhatAnswersInPlaceOfOutline(t *testing.T) {
	const unauthorized = `{"ok":false,"error":"authentication_required","status":401,"message":"Authentication required"}`
	for answer, says := range map[string]string{
		unauthorized:                            "",
		"{}":                                    "a gateway that refuses requests answers in place of Outline (status 401)",
		"<!doctype html><title>Sign in</title>": "a login page answers in place of Outline (status 200); check OUTLINE_API_URL",
		"hello":                                 "another server answers in place of Outline (status 200)",
	} {
		outline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if strings.HasPrefix(answer, "{") {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusUnauthorized)
			}
			fmt.Fprint(w, answer)
		}))
		settings, err := config.Load([]string{"OUTLINE_API_URL=" + outline.URL})
		if err != nil {
			t.Fatal(err)
		}
		server, err := app.New(app.Options{Config: settings})
		if err != nil {
			t.Fatal(err)
		}
		if err := server.Ready(t.Context()); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", answer, err, says)
		}
		outline.Close()
	}
}
