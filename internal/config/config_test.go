package config_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/config"
)

var update = flag.Bool("update", false, "rewrite docs/configuration.md and .env.example")

func TestTheGeneratedFilesAreUpToDate(t *testing.T) {
	for path, write := range map[string]func(io.Writer) error{
		"../../docs/configuration.md": writeMarkdown,
		"../../.env.example":          writeEnvExample,
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s is out of date; go generate ./... rewrites it:\n%s", path, diff)
		}
	}
}

func TestEachSettingIsDocumented(t *testing.T) {
	for _, setting := range config.Settings() {
		if !strings.HasSuffix(setting.Doc, ".") {
			t.Errorf("%s: %q is no sentence", setting.Name, setting.Doc)
		}
	}
	documented, err := os.ReadFile("settings.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(documented)) {
		name := strings.TrimSpace(line)
		if name != "" && !strings.HasPrefix(line, "\t") && !slices.ContainsFunc(config.Settings(), func(s config.Setting) bool { return s.Name == name }) {
			t.Errorf("settings.txt documents %s, which is no setting", name)
		}
	}
}

func TestDefaultsAreTheDocumentedOnes(t *testing.T) {
	got, err := config.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Config{
		APIURL: "https://app.getoutline.com/api", VerifySSL: true, MaxResponseChars: 38000, ClientLimits: true, AllowDrafts: true, Confirm: "off", ConfirmFallback: "refuse", Views: "auto", StructuredText: "auto", BatchConcurrency: 4, CallTimeout: 50 * time.Second,
		RequestTimeout: 20 * time.Second, MaxRetries: 3, MaxRetryWait: 20 * time.Second, MaxRequests: 32, MaxAnswerBytes: 32 << 20,
		Transport: config.Stdio, Host: "127.0.0.1", Port: 3000, Path: "/mcp", MaxBody: 8 << 20, MaxCalls: 256, MaxCallsPerKey: 64, OAuthCIMD: true, ShutdownGrace: 55 * time.Second,
		AuditRequired: true, AuditMaxSize: 64 << 20, AuditKeep: 20, LogLevel: slog.LevelInfo, LogFormat: "text",
		OTLPTimeout: 10000, OTLPProtocol: "http/protobuf", OTelTraces: "otlp",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestValuesAreReadAsPeopleWriteThem(t *testing.T) {
	get := func(read func(config.Config) any) func(config.Config) any { return read }
	verify := get(func(c config.Config) any { return c.VerifySSL })
	timeout := get(func(c config.Config) any { return c.CallTimeout })
	size := get(func(c config.Config) any { return int64(c.MaxAnswerBytes) })
	chars := get(func(c config.Config) any { return c.MaxResponseChars })
	url := get(func(c config.Config) any { return c.APIURL })
	level := get(func(c config.Config) any { return c.LogLevel })
	tools := get(func(c config.Config) any { return strings.Join(c.Tools, "+") })
	tests := []struct {
		variable string
		read     func(config.Config) any
		want     any
	}{
		{"OUTLINE_TOOLS= search, Read_Document,, ", tools, "search+read_document"}, {"OUTLINE_TOOLS=", tools, ""},
		{"OUTLINE_VERIFY_SSL=false", verify, false}, {"OUTLINE_VERIFY_SSL=No", verify, false}, {"OUTLINE_VERIFY_SSL=OFF", verify, false}, {"OUTLINE_VERIFY_SSL=0", verify, false},
		{"OUTLINE_VERIFY_SSL=TRUE", verify, true}, {"OUTLINE_VERIFY_SSL=1", verify, true}, {"OUTLINE_VERIFY_SSL=yes", verify, true}, {"OUTLINE_VERIFY_SSL=On", verify, true},
		{"OUTLINE_VERIFY_SSL=", verify, true}, {"OUTLINE_VERIFY_SSL=  ", verify, true}, {`OUTLINE_VERIFY_SSL=""`, verify, true},
		{"OUTLINE_CALL_TIMEOUT=30", timeout, 30 * time.Second}, {"OUTLINE_CALL_TIMEOUT=0.5", timeout, 500 * time.Millisecond}, {"OUTLINE_CALL_TIMEOUT=2m", timeout, 2 * time.Minute},
		{"OUTLINE_MAX_ANSWER_BYTES=1048576", size, int64(1 << 20)}, {"OUTLINE_MAX_ANSWER_BYTES=8MiB", size, int64(8 << 20)}, {"OUTLINE_MAX_ANSWER_BYTES=32 mb", size, int64(32e6)},
		{"OUTLINE_MAX_RESPONSE_CHARS=0", chars, 0}, {"OUTLINE_MAX_RESPONSE_CHARS=10000", chars, 10000}, {"OUTLINE_MAX_RESPONSE_CHARS=", chars, 38000},
		{`OUTLINE_API_URL= "https://wiki.example.com" `, url, "https://wiki.example.com"}, {"OUTLINE_API_URL=", url, "https://app.getoutline.com/api"},
		{"LOG_LEVEL=WARN", level, slog.LevelWarn}, {"LOG_LEVEL=debug", level, slog.LevelDebug},
	}
	for _, test := range tests {
		t.Run(test.variable, func(t *testing.T) {
			c, err := config.Load([]string{test.variable})
			if err != nil {
				t.Fatal(err)
			}
			if got := test.read(c); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestEachProblemNamesTheVariableAndWhatToWrite(t *testing.T) {
	tests := []struct{ variable, says string }{
		{"OUTLINE_VERIFY_SSL=maybe", `"maybe" is neither true nor false; use true or false`},
		{"OUTLINE_CALL_TIMEOUT=soon", `"soon" is not a duration; use a duration such as 50s`},
		{"OUTLINE_CALL_TIMEOUT=0", "more than 0"},
		{"OUTLINE_CALL_TIMEOUT=-5s", "more than 0"},
		{"OUTLINE_CALL_TIMEOUT=2h", "at most 1h"},
		{"OUTLINE_MAX_ANSWER_BYTES=big", "is not a size; use a size such as 32MiB"},
		{"OUTLINE_MAX_ANSWER_BYTES=1000", "at least 64KiB"},
		{"OUTLINE_MAX_RETRIES=11", "a whole number from 1 to 10, or 0"},
		{"OUTLINE_MAX_RETRIES=-1", "a whole number from 1 to 10, or 0"},
		{"OUTLINE_MAX_RETRIES=some", `"some" is not a whole number`},
		{"OUTLINE_MAX_RESPONSE_CHARS=100", "at least 5000, or 0"},
		{"OUTLINE_BATCH_CONCURRENCY=17", "a whole number from 1 to 16"},
		{"OUTLINE_BATCH_CONCURRENCY=0", "a whole number from 1 to 16"},
		{"MCP_TRANSPORT=sse", `"sse" is not a transport; use stdio or http`},
		{"MCP_HOST=0.0.0.0:3000", "set the port with MCP_PORT"},
		{"MCP_PORT=70000", "a whole number from 1 to 65535, or 0"},
		{"MCP_PATH=mcp", "is not a valid endpoint path"},
		{"MCP_PATH=/mcp/", "is not a valid endpoint path"},
		{"MCP_PATH=/health", "but not /health"},
		{"OUTLINE_TOOLS=,,", `",," is an empty list; use names separated by commas`},
		{"OUTLINE_EXCLUDE_TOOLS= , ", "an empty list"},
		{"MCP_ALLOWED_HOSTS=,", "an empty list"},
		{"MCP_AUTH_TOKENS=,", "an empty list"},
		{"MCP_AUTH_TOKENS=short", "fewer than 16"},
		{"MCP_AUTH_TOKENS=0123456789abcdef 0123456789abcdef", "cannot be sent"},
		{"MCP_AUTH_TOKENS=${TEAM_TOKEN_OF_THE_SERVER}", "replace it with the actual token"},
		{"MCP_AUTH_TOKENS_FILE=/nowhere/at/all", "/nowhere/at/all"},
		{"MCP_ALLOWED_ORIGINS=*", "is not an origin"},
		{"MCP_ALLOWED_ORIGINS=app.example.com", "is not an origin"},
		{"MCP_ALLOWED_ORIGINS=https://app.example.com/", "is not an origin"},
		{"MCP_ALLOWED_HOSTS=https://mcp.example.com", "is not a host"},
		{"OUTLINE_URL_ALIASES=https://wiki.example.com", "is not a host"},
		{"MCP_ALLOWED_HOSTS=*.example.com", "is not a host"},
		{"MCP_MAX_BODY=1", "at least 1KiB"},
		{"MCP_MAX_CALLS=0", "from 1 to"},
		{"MCP_MAX_CALLS_PER_KEY=none", "is not a whole number"},
		{"MCP_SHUTDOWN_GRACE=2h", "at most 1h, or 0"},
		{"MCP_METRICS_ADDR=9090", "such as 127.0.0.1:9090"},
		{"LOG_LEVEL=loud", "debug, info, warn or error"},
		{"LOG_FORMAT=xml", "text or json"},
		{"OUTLINE_API_KEY_FILE=/nowhere/at/all", "/nowhere/at/all"},
		{"OUTLINE_API_KEY=${OUTLINE_API_KEY}", "the client did not expand"},
		{"OUTLINE_API_KEY=your-api-key", "placeholder"},
		{"OUTLINE_API_KEY=<your key>", "placeholder"},
		{"OUTLINE_API_KEY=ol_api_...", "placeholder"},
		{"OUTLINE_API_KEY=ol_api_two words", "contains spaces"},
	}
	var all, names []string
	for _, test := range tests {
		name, _, _ := strings.Cut(test.variable, "=")
		t.Run(test.variable, func(t *testing.T) {
			_, err := config.Load([]string{test.variable})
			if err == nil {
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), name+": ") || !strings.Contains(err.Error(), test.says) {
				t.Errorf("does not say %s: … %s:\n%s", name, test.says, err)
			}
		})
		if !slices.Contains(names, name) {
			all, names = append(all, test.variable), append(names, name)
		}
	}
	_, err := config.Load(all)
	for _, name := range names {
		if name != "OUTLINE_API_KEY" && !strings.Contains(err.Error(), name) {
			t.Errorf("not all problems are reported at once, %s is missing:\n%s", name, err)
		}
	}
}

func TestAKeyComesFromAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	write := func(content string) {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("ol_api_from_a_file\r\n")
	c, err := config.Load([]string{"OUTLINE_API_KEY_FILE=" + path})
	if err != nil || c.APIKey.Reveal() != "ol_api_from_a_file" {
		t.Errorf("key %q, error %v", c.APIKey.Reveal(), err)
	}
	if _, err := config.Load([]string{"OUTLINE_API_KEY_FILE=" + path, "OUTLINE_API_KEY=ol_api_other"}); err == nil || !strings.Contains(err.Error(), "set only one of them") {
		t.Errorf("both set: %v", err)
	}
	if _, err := config.Load([]string{"OUTLINE_API_KEY_FILE=ol_api_very_secret_1234"}); err == nil || strings.Contains(err.Error(), "very_secret") {
		t.Errorf("a key in place of a path: %v", err)
	}
	if _, err := config.Load([]string{"OUTLINE_API_KEY_FILE=" + filepath.Dir(path)}); err == nil || !strings.Contains(err.Error(), filepath.Dir(path)) {
		t.Errorf("a directory: %v", err)
	}
	for content, says := range map[string]string{"\n": "is empty", strings.Repeat("x", 5000): "longer than 4096 bytes", "two words": "contains spaces"} {
		write(content)
		_, err := config.Load([]string{"OUTLINE_API_KEY_FILE=" + path})
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "OUTLINE_API_KEY_FILE: ") || strings.Contains(err.Error(), "two words") {
			t.Errorf("%.10q: %v", content, err)
		}
	}
}

func TestNoWayOfPrintingShowsASecret(t *testing.T) {
	const key = "ol_api_very_secret_1234"
	c, err := config.Load([]string{"OUTLINE_API_KEY=" + key})
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T %v", "%40s"} {
		shown = append(shown, c.APIKey.GoString(), fmt.Sprintf(verb, c.APIKey), fmt.Sprintf(verb, c), fmt.Sprintf(verb, &c))
	}
	encoded, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	for _, logger := range []*slog.Logger{slog.New(slog.NewTextHandler(&log, nil)), slog.New(slog.NewJSONHandler(&log, nil))} {
		logger.Info("settings", "key", c.APIKey, "all", c)
	}
	shown = append(shown, string(encoded), log.String())
	for _, s := range shown {
		if strings.Contains(s, "very_secret") || strings.Contains(s, fmt.Sprintf("%x", "very")) {
			t.Errorf("shows the key: %s", s)
		}
	}
	if got := c.APIKey.String(); got != "****1234" {
		t.Errorf("a key is shown as %q", got)
	}
	if got := config.Secret("short").String(); got != "****" {
		t.Errorf("a short key is shown as %q", got)
	}
	_, err = config.Load([]string{"OUTLINE_API_KEY=" + key + " x", "OUTLINE_MAX_RETRIES=x"})
	if strings.Contains(err.Error(), "very_secret") {
		t.Errorf("an error shows the key: %s", err)
	}
}

func TestWarnings(t *testing.T) {
	for variable, says := range map[string]string{
		"OUTLINE_VERIFY_SSL=no":      "certificates are not verified",
		"OUTLINE_API_TOKEN=x":        "did you mean OUTLINE_API_KEY?",
		"OUTLINE_URL=x":              "did you mean OUTLINE_API_URL?",
		"OUTLINE_API_KEYS=x":         "did you mean OUTLINE_API_KEY?",
		"OUTLINE_STRUCTURD_OUTPUT=x": "did you mean OUTLINE_STRUCTURED_OUTPUT?",
		"OUTLINE_API_UR=x":           "did you mean OUTLINE_API_URL?",
		publicURL:                    "nobody can log in on stdio; set MCP_TRANSPORT=http",
	} {
		c, err := config.Load([]string{variable})
		if err != nil || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0].Error(), says) {
			t.Errorf("%s: %v, %v", variable, c.Warnings, err)
		}
	}
	c, err := config.Load([]string{"OUTLINE_SOMETHING_ELSE=1", "PATH=/bin", "OUTLINE_API_KEY=ol_api_fake"})
	if err != nil || len(c.Warnings) > 0 {
		t.Errorf("%v, %v", c.Warnings, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"8MiB", "1e9", "NaN", "-1", "30s", "on", "999999999999GiB", "１"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if size, err := config.ParseBytes(s); err == nil && size < 0 {
			t.Errorf("ParseBytes(%q) = %d", s, size)
		}
		if d, err := config.ParseDuration(s); err == nil && d < 0 && !strings.Contains(s, "-") {
			t.Errorf("ParseDuration(%q) = %s", s, d)
		}
		_, _ = config.Load([]string{"OUTLINE_API_KEY=" + s, "OUTLINE_MAX_RETRIES=" + s, "OUTLINE_CALL_TIMEOUT=" + s, "OUTLINE_MAX_ANSWER_BYTES=" + s})
	})
}

func TestSettingsTellTheirTypeAndDefault(t *testing.T) {
	want := map[string]config.Setting{
		"OUTLINE_API_KEY":          {Type: "text", Secret: true},
		"OUTLINE_VERIFY_SSL":       {Type: "boolean", Default: "true"},
		"OUTLINE_CALL_TIMEOUT":     {Type: "duration", Default: "50s"},
		"OUTLINE_MAX_RETRIES":      {Type: "whole number", Default: "3"},
		"OUTLINE_MAX_ANSWER_BYTES": {Type: "size", Default: "32MiB"},
		"OUTLINE_TOOLS":            {Type: "list"},
		"LOG_LEVEL":                {Type: "level", Default: "info"},
		"MCP_TRANSPORT":            {Type: "transport", Default: "stdio"},
		"MCP_AUTH_TOKENS":          {Type: "list", Secret: true},
		"LOG_FORMAT":               {Type: "format", Default: "text"},
	}
	for _, got := range config.Settings() {
		name := got.Name
		got.Name, got.Doc = "", ""
		if expected, ok := want[name]; ok && got != expected {
			t.Errorf("%s is %+v, want %+v", name, got, expected)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}
