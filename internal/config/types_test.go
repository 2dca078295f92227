package config_test

import (
	"fmt"
	"io"
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

// writeMarkdown writes docs/configuration.md.
func writeMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Configuration\n\n" +
		"<!-- Generated from internal/config/config.go by go generate ./... -->\n\n" +
		"All settings are environment variables. An empty variable counts as unset. The program reports all problems with\n" +
		"them together and exits with code 2. With `outline-mcp install`, most users need none of them.\n")
	headings := map[string]string{ // each above its first setting
		"OUTLINE_API_KEY": "For everyone: connect to Outline", "OUTLINE_STRUCTURED_OUTPUT": "For everyone: tools and answers",
		"OUTLINE_CALL_TIMEOUT": "For everyone: time limits and retries", "MCP_TRANSPORT": "For HTTP servers: who can connect",
		"MCP_PUBLIC_URL": "For HTTP servers: login", "MCP_MAX_BODY": "For HTTP servers: limits, replicas, TLS and metrics",
		"MCP_AUDIT_LOG": "Audit trail", "LOG_LEVEL": "Logs and traces",
	}
	for _, s := range config.Settings() {
		if heading := headings[s.Name]; heading != "" {
			fmt.Fprintf(&b, "\n## %s\n\n", heading)
		}
		with := ""
		if s.Default != "" {
			with = " (default `" + s.Default + "`)"
		}
		fmt.Fprintf(&b, "- `%s`%s: %s\n", s.Name, with, s.Doc)
	}
	b.WriteString("\n## How values are written\n\n" +
		"- Booleans: `true`, `1`, `yes`, `on` and `false`, `0`, `no`, `off`, in upper or lower case.\n" +
		"- Durations: with a unit (`30s`, `2m`) or in seconds (`30`).\n" +
		"- Sizes: `32MiB`, `32MB` or in bytes.\n" +
		"- Quotes and spaces around a value are ignored.\n" +
		"- Proxies come from `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, as usual ([example](team/deployment.md#outline-behind-a-proxy-or-access-gateway)).\n\n" +
		"## Example\n\n" +
		"A self-hosted Outline with a certificate from a private authority and the key in a file:\n\n" +
		"```sh\nOUTLINE_API_URL=https://wiki.example.com\nOUTLINE_API_KEY_FILE=/run/secrets/outline-key\nOUTLINE_CA_FILE=/etc/ssl/example-ca.pem\n```\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// writeEnvExample writes .env.example.
func writeEnvExample(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Settings of outline-mcp, each with its default. Generated from internal/config/config.go.\n")
	for _, s := range config.Settings() {
		fmt.Fprintf(&b, "\n# %s\n# %s=%s\n", s.Doc, s.Name, s.Default)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

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
