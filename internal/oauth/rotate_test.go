package oauth_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/oauth"
)

const present = "0123456789abcdef0123456789abcdef"

// secrets is a folder with the secret of a server.
type secrets struct {
	t      *testing.T
	folder string
}

func newSecrets(t *testing.T) secrets {
	t.Helper()
	s := secrets{t, t.TempDir()}
	s.write("secret", present)
	return s
}

func (s secrets) path(name string) string { return filepath.Join(s.folder, name) }

func (s secrets) write(name, content string) {
	s.t.Helper()
	if err := os.WriteFile(s.path(name), []byte(content+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// read returns the secret in a file, "" if there is none.
func (s secrets) read(name string) string {
	s.t.Helper()
	content, err := os.ReadFile(s.path(name))
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(string(content))
}

// names returns the files in the folder.
func (s secrets) names() string {
	s.t.Helper()
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return strings.Join(names, " ")
}

func (s secrets) rotate(change func(*oauth.Secret)) (string, error) {
	rotation := oauth.Secret{File: s.path("secret"), PreviousFile: s.path("previous"), Now: time.Now()}
	if change != nil {
		change(&rotation)
	}
	var said bytes.Buffer
	err := rotation.Rotate(&said)
	return said.String(), err
}

func prepare(r *oauth.Secret) { r.Prepare = true }

func TestARotationKeepsThePresentSecretAsThePreviousOne(t *testing.T) {
	s := newSecrets(t)
	said, err := s.rotate(nil)
	if err != nil || s.read("previous") != present || s.read("secret") == present || len(s.read("secret")) != 64 || s.names() != "previous secret" {
		t.Errorf("%v; %s, previous %q, new %q", err, s.names(), s.read("previous"), s.read("secret"))
	}
	for _, want := range []string{"MCP_OAUTH_SECRET_PREVIOUS_FILE=" + s.path("previous"), "stop all before you start them again", time.Now().Add(30 * 24 * time.Hour).Format("January 2, 2006")} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if strings.Contains(said, s.read("secret")) || strings.Contains(said, present) {
		t.Error("it prints a secret")
	}
}

// Of several servers, each accepts what the others seal in every step, if no more than
// one step lies between them.
func TestAPreparedRotationNeverSplitsTheServers(t *testing.T) {
	s := newSecrets(t)
	before := []string{s.read("secret"), s.read("previous")}
	agree := func(step string) {
		t.Helper()
		now := []string{s.read("secret"), s.read("previous")}
		if now[0] != before[0] && now[0] != before[1] {
			t.Errorf("%s: servers that were not restarted reject what the others seal", step)
		}
		if before[0] != now[0] && before[0] != now[1] {
			t.Errorf("%s: servers that were restarted reject what the others seal", step)
		}
		before = now
	}
	if said, err := s.rotate(prepare); err != nil || !strings.Contains(said, "MCP_OAUTH_SECRET_PREVIOUS_FILE="+s.path("previous")) {
		t.Fatalf("%v: %s", err, said)
	}
	agree("prepared")
	if _, err := s.rotate(prepare); err == nil || !strings.Contains(err.Error(), "already been prepared") {
		t.Errorf("prepared twice: %v", err)
	}
	said, err := s.rotate(nil)
	if err != nil || !strings.Contains(said, "Restart all servers one after the other") {
		t.Fatalf("%v: %s", err, said)
	}
	agree("rotated")
	if s.names() != "previous secret" || s.read("previous") != present {
		t.Errorf("%s, previous %q", s.names(), s.read("previous"))
	}
}

func TestAPreviousSecretThatLoginsMayNeedIsNotLost(t *testing.T) {
	for _, change := range []func(*oauth.Secret){nil, prepare} {
		s := newSecrets(t)
		s.write("previous", "an older secret")
		if _, err := s.rotate(change); err == nil || !strings.Contains(err.Error(), "--force") || s.read("previous") != "an older secret" || s.read("secret") != present {
			t.Errorf("%v; previous %q", err, s.read("previous"))
		}
		for name, mend := range map[string]func(*oauth.Secret){
			"forced":  func(r *oauth.Secret) { r.Force = true },
			"expired": func(r *oauth.Secret) { r.Now = r.Now.Add(31 * 24 * time.Hour) },
		} {
			s := newSecrets(t)
			s.write("previous", "an older secret")
			if _, err := s.rotate(mend); err != nil || s.read("previous") != present {
				t.Errorf("%s: %v; previous %q", name, err, s.read("previous"))
			}
		}
	}
}

func TestARotationThatFailsLosesNoSecret(t *testing.T) {
	for name, test := range map[string]struct {
		arrange func(secrets)
		change  func(*oauth.Secret)
		says    string
	}{
		"no secret":               {func(s secrets) { os.Remove(s.path("secret")) }, nil, "--secret-file"},
		"an empty secret":         {func(s secrets) { s.write("secret", "") }, nil, "is empty"},
		"a folder as secret":      {func(s secrets) { os.Remove(s.path("secret")); os.Mkdir(s.path("secret"), 0o700) }, nil, "cannot read the current secret"},
		"one file for both":       {nil, func(r *oauth.Secret) { r.PreviousFile = r.File }, "name a file for each"},
		"no folder for the other": {nil, func(r *oauth.Secret) { r.PreviousFile += "/x/y" }, "make its folder"},
		"a folder as the other":   {func(s secrets) { os.Mkdir(s.path("previous"), 0o700) }, func(r *oauth.Secret) { r.Force = true }, "is not a file"},
		"an empty next secret":    {func(s secrets) { s.write("secret.next", "") }, nil, "prepared"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSecrets(t)
			if test.arrange != nil {
				test.arrange(s)
			}
			before := s.names()
			if _, err := s.rotate(test.change); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %v, want one that says %q", err, test.says)
			}
			if s.names() != before || !strings.Contains(name, "secret") && s.read("secret") != present {
				t.Errorf("%s, before %s", s.names(), before)
			}
		})
	}
}

func TestSecretsKeepModeAndLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	s := newSecrets(t)
	if err := os.Rename(s.path("secret"), s.path("elsewhere")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("elsewhere", s.path("secret")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.path("elsewhere"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := s.rotate(nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"elsewhere", "previous"} {
		if info, err := os.Lstat(s.path(name)); err != nil || info.Mode() != 0o640 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if info, err := os.Lstat(s.path("secret")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if s.read("previous") != present || s.read("secret") != s.read("elsewhere") || s.read("elsewhere") == present {
		t.Error("the file behind the link was not rotated")
	}
}

func TestASealedValueOpensWhereItWasMadeFor(t *testing.T) {
	box, value := oauth.NewBox("code", "secret"), []byte("value")
	sealed := box.Seal(value, []byte("here"))
	if opened, err := oauth.NewBox("code", "secret").Open(sealed, []byte("here")); err != nil || !bytes.Equal(opened, value) {
		t.Errorf("%q, %v", opened, err)
	}
	if again := box.Seal(value, []byte("here")); again == sealed {
		t.Error("two seals of a value are the same")
	}
	for name, refused := range map[string]struct {
		box     *oauth.Box
		context string
	}{
		"for another purpose":   {oauth.NewBox("state", "secret"), "here"},
		"with another secret":   {oauth.NewBox("code", "another"), "here"},
		"with another context":  {box, "there"},
		"without a context":     {box, ""},
		"with an older secret":  {oauth.NewBox("code", "another", "older"), "here"},
		"with an empty earlier": {oauth.NewBox("code", "another", ""), "here"},
	} {
		if opened, err := refused.box.Open(sealed, []byte(refused.context)); !errors.Is(err, oauth.ErrSealed) || opened != nil {
			t.Errorf("%s: %q, %v", name, opened, err)
		}
	}
}

func TestAPreviousSecretOpensButDoesNotSeal(t *testing.T) {
	old, rotated := oauth.NewBox("code", "old"), oauth.NewBox("code", "new", "old")
	if opened, err := rotated.Open(old.Seal([]byte("value"), nil), nil); err != nil || string(opened) != "value" {
		t.Errorf("%q, %v", opened, err)
	}
	sealed := rotated.Seal([]byte("value"), nil)
	if _, err := old.Open(sealed, nil); err == nil {
		t.Error("the previous secret seals")
	}
	if _, err := oauth.NewBox("code", "new").Open(sealed, nil); err != nil {
		t.Error(err)
	}
}

func TestEveryChangeOfASealedValueIsRefused(t *testing.T) {
	box := oauth.NewBox("code", "new", "old")
	sealed := box.Seal([]byte(`{"a":"value"}`), nil)
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(raw) {
		changed := bytes.Clone(raw)
		changed[bit/8] ^= 1 << (bit % 8)
		if _, err := box.Open(base64.RawURLEncoding.EncodeToString(changed), nil); !errors.Is(err, oauth.ErrSealed) {
			t.Errorf("bit %d: %v", bit, err)
		}
	}
	for end := range len(sealed) {
		if _, err := box.Open(sealed[:end], nil); !errors.Is(err, oauth.ErrSealed) {
			t.Errorf("the first %d characters: %v", end, err)
		}
	}
	for _, text := range []string{sealed + "=", sealed + "A", " " + sealed, sealed + "\n", sealed[:9] + "\r\n" + sealed[9:], strings.Repeat("A", oauth.Longest+1)} {
		if _, err := box.Open(text, nil); !errors.Is(err, oauth.ErrSealed) {
			t.Errorf("%.20q…: %v", text, err)
		}
	}
}

// Only what was sealed opens, and in one spelling.
func FuzzOpen(f *testing.F) {
	box := oauth.NewBox("code", "new", "old")
	f.Add("", []byte(nil))
	f.Add(box.Seal([]byte("value"), nil), []byte(nil))
	f.Add(oauth.NewBox("code", "old").Seal([]byte("value"), []byte("here")), []byte("here"))
	f.Fuzz(func(t *testing.T, sealed string, context []byte) {
		value, err := box.Open(sealed, context)
		if err != nil {
			return
		}
		// A value that the fuzzer has not been given cannot be made without the key.
		if string(value) != "value" {
			t.Errorf("%q opens as %q", sealed, value)
		}
	})
}
