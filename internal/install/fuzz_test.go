package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
)

// blank is white space, which an unusual layout may have more of afterwards.
var blank = regexp.MustCompile(`\s+`)

// FuzzJSON edits anything: it is refused, or what comes out can be read and
// differs by the member alone.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `{"servers":{}}`, "{\n  // c\n  \"servers\": {\n    \"a\": {}, // of a\n  }, // d\n}", `{"servers":{"outline":{"x":1,},"b":[1,],},}`,
		"{\"servers\":{/*a*/\"outline\"/*b*/:/*c*/1/*d*/,/*e*/}/*f*/,/*g*/}", "{\r\n\t\"servers\" : { \"a\" : 1 // x\r\n}\r\n}", `{"servers":[]}`, `{"servers":{"outline":1,"outline":2}}`,
		"{\"servers\":{\"a\":1 // x\n,\"outline\":1}}", "{\"servers\":{\"outline\":1}, \"inputs\":[{\"id\":\"k\"} // x\n,]}", "{} // x",
		"{\"servers\":{/*a*/\"b\":1/*d*/\n/*e*/}}", "{\"servers\":{\"b\":1/*d*/\n// e */\n}}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if !mustEdit(t, inJSON, readJSON, src) {
			return
		}
		item := Object{{Name: "id", Value: "k"}}
		listed, err := inJSON.change(src, place{"inputs", "k", true}, item)
		mustBeSafe(t, err)
		if err == nil {
			if _, err := readJSON(listed); err != nil {
				t.Fatalf("%q became %q: %s", src, listed, err)
			}
			_, err := inJSON.change(listed, place{"inputs", "k", true}, nil)
			mustBeSafe(t, err)
		}
	})
}

// FuzzTOML does the same with TOML.
func FuzzTOML(f *testing.F) {
	for _, seed := range []string{
		"", "x = 1", "[servers]\na.b = 1\noutline.x = 1\n", "[servers.outline]\nx = '''\n[servers.b]\n'''\n[z]\n", "[[servers.outline]]\n[[servers.outline.a]]\n",
		"[servers.outline.a]\n[servers.outline]\nx=1 # c\n\n# d\n[y]", "servers.outline.x = [\n1, # a\n]\r\n", "servers = {outline = {}}", "[servers.outline]", "['servers'.\"outline\"]\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) { mustEdit(t, inTOML, readTOML, src) })
}

// mustEdit adds an entry to a file, removes the one that is there, and fails where anything
// else changes. It reports whether the file can be read.
func mustEdit(t *testing.T, client Client, read func([]byte) (map[string]any, error), src []byte) bool {
	t.Helper()
	at := there
	before, err := read(src)
	set, setErr := client.change(src, at, entry())
	removed, removeErr := client.change(src, at, nil)
	if there, _, err := client.get(src, at); err == nil {
		if value, ok := there.(Object); ok {
			_, err := client.change(src, at, value)
			mustBeSafe(t, err)
		}
	}
	if err != nil {
		if setErr == nil || removeErr == nil {
			t.Fatalf("edited what cannot be read: %q", src)
		}
		return false
	}
	mustBeSafe(t, setErr, removeErr)
	if setErr == nil {
		after, err := read(set)
		if err != nil {
			t.Fatalf("%q became %q: %s", src, set, err)
		}
		mustDiffer(t, before, after, src, set)
		value, found, err := client.get(set, at)
		if err != nil || !found || !same(value, entry()) {
			t.Fatalf("%q became %q, which holds %v: %v", src, set, value, err)
		}
		servers, _ := before["servers"].(map[string]any)
		if _, had := servers["outline"]; !had && (client.TOML || len(servers) > 0) {
			back, err := client.change(set, at, nil)
			if err != nil || !bytes.Equal(back, src) && (client.TOML || !bytes.Equal(blank.ReplaceAll(back, nil), blank.ReplaceAll(src, nil))) {
				t.Fatalf("%q became %q and then %q: %v", src, set, back, err)
			}
		}
	}
	if removeErr == nil {
		after, err := read(removed)
		if err != nil && len(bytes.TrimSpace(src)) > 0 {
			t.Fatalf("%q became %q: %s", src, removed, err)
		}
		if servers, ok := after["servers"].(map[string]any); ok && servers["outline"] != nil {
			t.Fatalf("%q became %q", src, removed)
		}
		mustDiffer(t, before, after, src, removed)
	}
	return true
}

// mustBeSafe fails where an edit was given up because it came out wrong: that
// protects the user, and is a mistake all the same.
func mustBeSafe(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil && strings.Contains(err.Error(), "without risk") {
			t.Fatal(err)
		}
	}
}

// mustDiffer fails where two files differ in more than the member.
func mustDiffer(t *testing.T, before, after map[string]any, src, text []byte) {
	t.Helper()
	rest := func(root map[string]any) string {
		if servers, ok := root["servers"].(map[string]any); ok {
			kept := map[string]any{}
			for name, value := range servers {
				if name != "outline" {
					kept[name] = value
				}
			}
			root["servers"] = kept
			if len(kept) == 0 {
				delete(root, "servers")
			}
		}
		printed := fmt.Sprintf("%#v", root)
		return printed
	}
	copied := func(root map[string]any) map[string]any {
		other := map[string]any{}
		for name, value := range root {
			other[name] = value
		}
		return other
	}
	if a, b := rest(copied(before)), rest(copied(after)); a != b {
		t.Fatalf("%q became %q:\n%s\n%s", src, text, a, b)
	}
}

func readJSON(src []byte) (map[string]any, error) {
	root := map[string]any{}
	if len(bytes.TrimSpace(src)) == 0 {
		return root, nil
	}
	standard, err := hujson.Standardize(append(bytes.Clone(src), '\n'))
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(standard))
	decoder.UseNumber()
	return root, decoder.Decode(&root)
}

func readTOML(src []byte) (map[string]any, error) {
	root := map[string]any{}
	return root, toml.Unmarshal(src, &root)
}
