package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outline-mcp/internal/install"
)

// request returns a request for an entry of a client, with a program that is
// not this test and the environment given as NAME=value.
func request(t *testing.T, client string, environ ...string) install.Request {
	t.Helper()
	found, ok := install.Find(client)
	if !ok {
		t.Fatalf("there is no client %q", client)
	}
	return install.Request{Client: found, Name: "outline", Command: "/opt/outline-mcp", Getenv: func(name string) string {
		for _, variable := range environ {
			if value, ok := strings.CutPrefix(variable, name+"="); ok {
				return value
			}
		}
		return ""
	}}
}

// complete returns the server of a request, with address and key.
func complete(t *testing.T, r install.Request) (install.Server, error) {
	t.Helper()
	server, err := r.Server()
	if err != nil {
		return server, err
	}
	return r.Complete(t.Context(), server)
}

func TestTheSourcesOfAddressAndKey(t *testing.T) {
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte("ol_api_fake_file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name                  string
		environ               []string
		url, outline, keyFile string
		want                  install.Server // with Login if it is asked for
	}{
		{"the environment", []string{"OUTLINE_API_KEY= \"ol_api_fake\" ", "OUTLINE_API_URL=https://wiki.example.com/below/"}, "", "", "", install.Server{Outline: "https://wiki.example.com/below", Key: "ol_api_fake"}},
		{"the address that is the default", []string{"OUTLINE_API_KEY=ol_api_fake", "OUTLINE_API_URL=https://app.getoutline.com/api/"}, "", "", "", install.Server{Key: "ol_api_fake"}},
		{"a key file", []string{"OUTLINE_API_KEY=ol_api_fake"}, "", "", keyFile, install.Server{KeyFile: keyFile}},
		{"a key file of the environment", []string{"OUTLINE_API_KEY_FILE=" + keyFile}, "", "", "", install.Server{KeyFile: keyFile}},
		{"an address on the command line", []string{"OUTLINE_API_KEY=ol_api_fake", "OUTLINE_API_URL=https://other.example.com"}, "", "https://wiki.example.com", "", install.Server{Outline: "https://wiki.example.com", Key: "ol_api_fake"}},
		{"a team's server", []string{"OUTLINE_API_KEY=ol_api_fake", "OUTLINE_API_URL=nonsense"}, "https://mcp.example.com/mcp", "", "", install.Server{URL: "https://mcp.example.com/mcp", Key: "ol_api_fake"}},
		{"a team's server and a key file", nil, "http://127.0.0.1:3000/mcp", "", keyFile, install.Server{URL: "http://127.0.0.1:3000/mcp", Key: "ol_api_fake_file"}},
		{"a server to log in to", []string{"OUTLINE_API_KEY=ol_api_fake", "OUTLINE_API_KEY_FILE=/nowhere"}, "https://mcp.example.com/mcp", "", "", install.Server{URL: "https://mcp.example.com/mcp", Login: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := request(t, "cursor", test.environ...)
			r.URL, r.Outline, r.KeyFile, r.Login = test.url, test.outline, test.keyFile, test.want.Login
			test.want.Name = "outline"
			if test.url == "" {
				test.want.Command = r.Command
			} else {
				r.Command = ""
			}
			if got, err := complete(t, r); err != nil || got != test.want {
				t.Errorf("got %+v, %v, want %+v", got, err, test.want)
			}
		})
	}
}

func TestRequestsThatCannotWorkAreRefused(t *testing.T) {
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const key = "OUTLINE_API_KEY=ol_api_fake"
	plain := func(environ ...string) install.Request { return request(t, "cursor", environ...) }
	keyIn := func(path string) install.Request {
		r := plain()
		r.KeyFile = path
		return r
	}
	serverAt := func(client, url string) install.Request {
		r := request(t, client, key)
		r.Command, r.URL = "", url
		return r
	}
	with := func(r install.Request, change func(*install.Request)) install.Request {
		change(&r)
		return r
	}
	for _, test := range []struct {
		name    string
		request install.Request
		says    string
	}{
		{"a key file that is a folder", keyIn(folder), "it is not a regular file"},
		{"a key file of this process", keyIn("/dev/stdin"), "it is not a regular file"},
		{"a key file for a client that asks", with(serverAt("vscode", "https://mcp.example.com/mcp"), func(r *install.Request) { r.KeyFile = file("asked", "ol_api_fake") }), "VS Code asks for the key of such a server itself; leave out --key-file"},
		{"a key file that does not exist", keyIn("/nowhere"), "no such file"},
		{"a key file with a bad key", keyIn(file("bad", "a b")), "spaces"},
		{"an empty key file", keyIn(file("empty", "\n")), "is empty"},
		{"a key of two lines", plain("OUTLINE_API_KEY=ol_api_fake\nol_api_fake"), "the key contains spaces"},
		{"a key that was not expanded", plain("OUTLINE_API_KEY=${KEY}"), "did not expand"},
		{"a placeholder", plain("OUTLINE_API_KEY=<your key>"), "placeholder"},
		{"a key and its file", plain(key, "OUTLINE_API_KEY_FILE=/x"), "both set"},
		{"an address without a scheme", plain(key, "OUTLINE_API_URL=wiki"), "no scheme; write https://"},
		{"an address with a password", plain(key, "OUTLINE_API_URL=https://u:secret@wiki.example.com"), "user name or password"},
		{"a port of Outline that does not exist", with(plain(key), func(r *install.Request) { r.Outline = "https://wiki.example.com:0" }), "ports range from 1 to 65535"},
		{"a server's port that does not exist", serverAt("cursor", "https://mcp.example.com:99999/mcp"), "ports range from 1 to 65535"},
		{"a server's address without a scheme", serverAt("cursor", "mcp.example.com"), "--url: the address has no scheme"},
		{"a server's address with a password", serverAt("cursor", "https://u:secret@mcp.example.com/mcp"), "user name or password"},
		{"a server's address in clear", serverAt("cursor", "http://mcp.example.com/mcp"), "begins with https://"},
		{"a command and a server's address", with(plain(key), func(r *install.Request) { r.URL = "https://mcp.example.com/mcp" }), "leave out --outline-url and --command"},
		{"a login without a server", with(plain(key), func(r *install.Request) { r.Login = true }), "name it with --url"},
		{"a login and a key file", with(serverAt("cursor", "https://mcp.example.com/mcp"), func(r *install.Request) { r.Login, r.KeyFile = true, "/x" }), "leave out --key-file"},
		{"the demo and a key file", with(plain(key), func(r *install.Request) { r.Demo, r.KeyFile = true, "/x" }), "leave out"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := complete(t, test.request)
			if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "ol_api_fake") {
				t.Errorf("got %v, want %q", err, test.says)
			}
		})
	}
}

func TestTheReportWarnsOfAnOutlineWithoutEncryption(t *testing.T) {
	for outline, want := range map[string]bool{"https://wiki.example.com": false, "http://wiki.example.com": true, "http://127.0.0.1:3000": false, "http://localhost:3000": false} {
		r := request(t, "cursor", "OUTLINE_API_KEY=ol_api_fake")
		r.Outline = outline
		server, err := complete(t, r)
		if err != nil {
			t.Fatal(err)
		}
		entry, err := install.NewEntry(r.Client, server)
		if err != nil {
			t.Fatal(err)
		}
		var report strings.Builder
		install.Result{Outcome: install.Added}.WriteInstalled(&report, entry)
		if says := report.String(); strings.Contains(says, "others on the network can read the key") != want {
			t.Errorf("%s:\n%s", outline, says)
		}
	}
}
