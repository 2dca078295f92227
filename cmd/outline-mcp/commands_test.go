package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/tools"
)

func TestDoctorPrintsOneReportAsTextAndAsJSON(t *testing.T) {
	for _, test := range []struct {
		name    string
		environ []string
		args    []string
		code    int
		says    string
	}{
		{"what works", []string{"OUTLINE_API_URL=nonsense"}, []string{"--demo", "doctor"}, 0, "\nNo failures, "},
		{"what does not", []string{"OUTLINE_API_URL=nonsense"}, []string{"doctor"}, 1, "✗ OUTLINE_API_URL: "},
		{"a transport on the command line", nil, []string{"--demo", "doctor", "--transport", "sse"}, 1, "✗ MCP_TRANSPORT: sse (command line)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, text, stderr := command(t, test.environ, test.args...)
			if code != test.code || stderr != "" || !strings.Contains(text, test.says) {
				t.Errorf("exit code %d, standard error %q\n%s", code, stderr, text)
			}
			code, printed, stderr := command(t, test.environ, append(test.args, "--json")...)
			var report struct{ OK bool }
			if err := json.Unmarshal([]byte(printed), &report); err != nil || code != test.code || stderr != "" || report.OK != (code == 0) {
				t.Errorf("as JSON: exit code %d, standard error %q, %v\n%s", code, stderr, err, printed)
			}
		})
	}
	if code, _, _ := command(t, nil, "doctor", "--nothing"); code != 2 {
		t.Errorf("wrong use: exit code %d", code)
	}
}

func TestCommandsReachToolsThatAreNotOfferedByDefault(t *testing.T) {
	offered := func(environ ...string) map[string]bool {
		_, table, _ := command(t, environ, "tools")
		table, _, _ = strings.Cut(table, "\n\n")
		byDefault := map[string]bool{}
		for line := range strings.Lines(table) {
			fields := strings.Fields(line)
			byDefault[fields[0]] = fields[1] != "*"
		}
		return byDefault
	}
	everything, byDefault := offered(), offered("OUTLINE_TOOLS=default")
	for _, tool := range tools.All() {
		info := tool.Info()
		if everything[info.Name] == info.Optional {
			t.Errorf("%s: offered by default: %t", info.Name, everything[info.Name])
		}
		if _, listed := byDefault[info.Name]; listed == info.Optional {
			t.Errorf("OUTLINE_TOOLS=default: %s is listed: %t", info.Name, listed)
		}
		code, _, stderr := command(t, nil, "--demo", "call", info.Name, "no_such_argument=1")
		if code != exitUsage || strings.Contains(stderr, "there is no tool") || strings.Contains(stderr, "leaves the tool") {
			t.Errorf("call %s: exit code %d: %s", info.Name, code, stderr)
		}
	}
}

func TestWithoutATerminalNobodyConfirmsACall(t *testing.T) {
	code, stdout, stderr := command(t, []string{"OUTLINE_CONFIRM=deletes"}, "call", "delete_document", "document_id=1wPyxUCdt9", "--demo")
	if code != 3 || stdout != "" || !strings.Contains(stderr, "nothing was written: this server asks the user to confirm such calls") {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
}

// certify returns the files of a certificate for this machine.
func certify(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	public, err := x509.CreateCertificate(rand.Reader, &template, &template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certificate, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for file, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "PRIVATE KEY", Bytes: encoded}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key
}

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
