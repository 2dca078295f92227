package app_test

import (
	"encoding/pem"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/toolclient"
	"outline-mcp/output"
)

func TestACertificateIsTrustedAsTheSettingsSay(t *testing.T) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	outline := httptest.NewUnstartedServer(sample)
	outline.Config.ErrorLog = log.New(io.Discard, "", 0) // of refused handshakes
	outline.StartTLS()
	defer outline.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: outline.Certificate().Raw})
	if err := os.WriteFile(file, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, setting string
		code          output.Code
	}{
		{"an unknown authority is refused", "OUTLINE_VERIFY_SSL=true", output.Unreachable},
		{"one of OUTLINE_CA_FILE is trusted", "OUTLINE_CA_FILE=" + file, ""},
		{"any is trusted with OUTLINE_VERIFY_SSL off", "OUTLINE_VERIFY_SSL=false", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connect(t, io.Discard, "OUTLINE_API_URL="+outline.URL, "OUTLINE_API_KEY="+fakeoutline.AdminKey, "OUTLINE_MAX_RETRIES=0", "OUTLINE_STRUCTURED_OUTPUT=true", test.setting)
			answer, err := toolclient.Call(t.Context(), c, "list_collections", nil)
			if err != nil || answer.Code != test.code {
				t.Errorf("code %q, want %q: %v: %s", answer.Code, test.code, err, answer.Text)
			}
		})
	}
}
