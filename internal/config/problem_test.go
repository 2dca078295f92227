package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outline-mcp/internal/config"
)

func TestNoProblemShowsAKeyInTheWrongVariable(t *testing.T) {
	for _, key := range []string{"ol_api_very_secret_1234", "OL_API_very_secret_1234", "ol_api_secret", `Bearer ol_api_a"very_secret`} {
		for _, setting := range config.Settings() {
			_, err := config.Load([]string{setting.Name + "=" + key})
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("%s shows the key: %s", setting.Name, err)
			}
			switch setting.Type {
			case "boolean", "whole number", "duration", "size", "level", "format", "choice":
				if err == nil || !strings.Contains(err.Error(), `****" is n`) {
					t.Errorf("%s says of the key: %v", setting.Name, err)
				}
			}
		}
	}
	// The keys of older versions of Outline are mere letters and numbers.
	const old = "veryV3rySecretLettersAndNumbers"
	for _, name := range []string{"OUTLINE_API_KEY_FILE", "OUTLINE_CA_FILE"} {
		_, err := config.Load([]string{name + "=" + old})
		if err == nil || strings.Contains(err.Error(), old) || !strings.Contains(err.Error(), "no such file") {
			t.Errorf("%s says of an old key: %v", name, err)
		}
	}
	if _, err := config.Load([]string{"OUTLINE_CA_FILE=ca.pem"}); err == nil || !strings.Contains(err.Error(), "ca.pem") {
		t.Errorf("a file that is none: %v", err)
	}
}

func TestAnAddressThatCannotWorkIsRefusedWithoutShowingIt(t *testing.T) {
	for address, says := range map[string]string{
		"foo":                                    "write https://",
		"wiki.example.com:443":                   "write https://",
		"ftp://wiki.example.com":                 "begin with https://",
		"https://":                               "no host",
		"https://user:secret@wiki.example.com":   "user name or password",
		"https://wiki.example.com/?token=secret": "query",
		"https://wiki.example.com/#secret":       "fragment",
		"https://wiki.example.com/%secret":       "not a valid URL",
	} {
		_, err := config.Load([]string{"OUTLINE_API_URL=" + address})
		if err == nil || !strings.Contains(err.Error(), "OUTLINE_API_URL: ") || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"HTTP://localhost:3000", "https://wiki.example.com/outline/api/", "“https://wiki.example.com”", "https://[::1]:3000"} {
		if _, err := config.Load([]string{"OUTLINE_API_URL=" + address}); err != nil {
			t.Errorf("%s: %s", address, err)
		}
	}
}

func TestAFileOfCertificatesThatCannotWorkIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load([]string{"OUTLINE_CA_FILE=" + path}); err == nil || !strings.Contains(err.Error(), path+" contains no PEM certificate") {
		t.Errorf("no certificate: %v", err)
	}
}

func TestProblemsWithAddressCertificatesAndTheRestAreReportedAtOnce(t *testing.T) {
	_, err := config.Load([]string{"OUTLINE_API_URL=foo", "OUTLINE_CA_FILE=/nope", "OUTLINE_MAX_RETRIES=99"})
	for _, name := range []string{"OUTLINE_API_URL: ", "OUTLINE_CA_FILE: ", "OUTLINE_MAX_RETRIES: "} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is missing: %v", name, err)
		}
	}
}
