package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outline-mcp/internal/config"
)

func TestOneSettingIsCheckedAsAllAre(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	for key, says := range map[string]string{
		"ol_api_fake": "", " 'ol_api_fake'\n": "", "": "is empty", `""`: "is empty",
		"ol api": "spaces", "ol_api_\nfake": "spaces", "${KEY}": "variable", "<key>": "placeholder",
	} {
		got, err := config.CheckKey(key)
		if says == "" && (err != nil || got.Reveal() != "ol_api_fake") || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("key %q: %q, %v, want %q", key, got.Reveal(), err, says)
		}
		if strings.ContainsAny(key, `"'`) {
			continue // quotes in a file are not dropped
		}
		if err := os.WriteFile(file, []byte(key), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := config.ReadKey(file); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("key %q in a file: %v, want %q", key, err, says)
		}
	}
	for address, says := range map[string]string{
		" “https://wiki.example.com/below/” ": "", "wiki.example.com": "https://", "https://u:secret@wiki.example.com": "password", "": "scheme",
		"https://wiki.example.com:99999": "ports range from 1 to 65535", "http://[::1]:0": "ports range from 1 to 65535",
	} {
		got, err := config.CheckURL(address)
		if says == "" && (err != nil || got != "https://wiki.example.com/below/") || says != "" && (err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("address %q: %q, %v, want %q", address, got, err, says)
		}
	}
}

func TestOnlyThisMachineAndEncryptionKeepAnAddressPrivate(t *testing.T) {
	for address, want := range map[string]bool{
		"https://wiki.example.com": false, "HTTPS://wiki.example.com": false, "http://localhost:3000": false, "http://127.1.2.3": false, "http://[::1]:3000/mcp": false,
		"http://wiki.example.com": true, "http://localhost.example.com": true, "http://10.0.0.1": true, "http://[::2]": true, "http://%": true,
	} {
		if got := config.TravelsInClear(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}
