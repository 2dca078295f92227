package outline_test

import (
	"errors"
	"testing"

	"outline-mcp/outline"
)

func TestWhoMayCommentIsReadFromTheTeamsPreferences(t *testing.T) {
	for preferences, want := range map[string]outline.Commenting{
		`{"commenting":"everyone"}`: "everyone",
		`{"commenting":"none"}`:     "none",
		`{"commenting":true}`:       "everyone",
		`{"commenting":false}`:      "none",
		`{"commenting":null}`:       "",
		`{"commenting":{}}`:         "",
		`{"mcp":true}`:              "",
		`null`:                      "",
	} {
		info, err := answer(t, `%s`, `{"user":{"id":"u","role":"guest"},"team":{"id":"t","preferences":`+preferences+`}}`).AuthInfo(t.Context())
		if err != nil || info.Team.Preferences.Commenting != want {
			t.Errorf("%s: %q, want %q (%v)", preferences, info.Team.Preferences.Commenting, want, err)
		}
	}
}

func TestAMissingScopeIsToldFromAMissingRight(t *testing.T) {
	for message, want := range map[string]bool{
		"API key does not have access to this resource":      true,
		"Access token does not have access to this resource": true,
		"Authorization error":                                false,
	} {
		c, _ := ordered(t, "", nil, gives(403, jsonType, `{"ok":false,"error":"authorization_error","status":403,"message":"`+message+`"}`))
		_, err := c.AuthInfo(t.Context())
		if outline.OutOfScope(err) != want || !errors.Is(err, outline.ErrForbidden) {
			t.Errorf("%s: out of scope is %t (%v)", message, !want, err)
		}
	}
	if outline.OutOfScope(nil) {
		t.Error("no error is out of scope")
	}
}

func TestASuspendedUserIsToldFromOneWithoutTheRight(t *testing.T) {
	for code, want := range map[string]bool{"user_suspended": true, "authorization_error": false} {
		c, _ := ordered(t, "", nil, gives(403, jsonType, `{"ok":false,"error":"`+code+`","status":403,"message":"x"}`))
		_, err := c.AuthInfo(t.Context())
		if outline.Suspended(err) != want || !errors.Is(err, outline.ErrForbidden) {
			t.Errorf("%s: suspended is %t (%v)", code, !want, err)
		}
	}
	if outline.Suspended(nil) {
		t.Error("no error is a suspension")
	}
}
