package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"outline-mcp/internal/config"
)

func TestHeadersForOutline(t *testing.T) {
	for _, test := range []struct {
		name, written string
		file          bool
		want          map[string]string
		refused       string
	}{
		{"a service token, separated by a semicolon", "CF-Access-Client-Id: abc.access; CF-Access-Client-Secret: 0123:4567", false, map[string]string{"Cf-Access-Client-Id": "abc.access", "Cf-Access-Client-Secret": "0123:4567"}, ""},
		{"on lines", "x-one: 1\r\nx-two:2\n", false, map[string]string{"X-One": "1", "X-Two": "2"}, ""},
		{"a semicolon in the value, in a file", "X-Gate: a; b=$c\n\nX-Two: 2\n", true, map[string]string{"X-Gate": "a; b=$c", "X-Two": "2"}, ""},
		{"a semicolon in the value, in the setting", "X-Gate: one; hunter2", false, nil, "entry 2 is not a header"},
		{"a value alone", "hunter2", true, nil, "entry 1 is not a header"},
		{"a name with a space", "X Gate: hunter2", false, nil, "entry 1 is not a header"},
		{"the key", "authorization: Basic hunter2", false, nil, "Authorization cannot be set"},
		{"a cookie", "Cookie: session=hunter2", false, nil, "Cookie cannot be set"},
		{"the host", "Host: hunter2", false, nil, "Host cannot be set"},
		{"the length of the body", "Content-Length: 2", false, nil, "Content-Length cannot be set"},
		{"one of the connection", "Transfer-Encoding: hunter2", false, nil, "Transfer-Encoding cannot be set"},
		{"the password of a proxy", "Proxy-Authorization: Basic hunter2", false, nil, "Proxy-Authorization cannot be set"},
		{"a token of this server", "X-MCP-Token: hunter2", false, nil, "X-Mcp-Token cannot be set"},
		{"one twice", "X-Gate: hunter2; x-gate: 3", false, nil, "X-Gate is there twice"},
		{"no value", "X-Gate:", false, nil, "X-Gate has no value"},
		{"an unexpanded variable", "X-Gate: ${hunter2}", false, nil, "placeholder"},
		{"a placeholder", "X-Gate: <hunter2>", false, nil, "placeholder"},
		{"a carriage return in a value", "X-Gate: hunter2\rX-Other: 1", true, nil, "contains a character"},
		{"a letter outside ASCII", "X-Gate: hunter2é", false, nil, "contains a character"},
		{"too many", strings.Repeat("X-Gate: hunter2;", 1) + manyHeaders(20), false, nil, "more than 20"},
		{"an empty file", "\n", true, nil, "is empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			setting := "OUTLINE_HEADERS=" + test.written
			if test.file {
				path := filepath.Join(t.TempDir(), "headers")
				if err := os.WriteFile(path, []byte(test.written), 0o600); err != nil {
					t.Fatal(err)
				}
				setting = "OUTLINE_HEADERS_FILE=" + path
			}
			c, err := config.Load([]string{setting})
			if test.refused != "" {
				if err == nil || !strings.Contains(err.Error(), test.refused) || strings.Contains(err.Error(), "hunter2") {
					t.Errorf("error %v, want %s", err, test.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, again := range []bool{false, true} {
				headers, err := c.OutlineHeaders(again)
				got := map[string]string{}
				for name := range headers {
					got[name] = headers.Get(name)
				}
				if err != nil || !reflect.DeepEqual(got, test.want) {
					t.Errorf("read again %t: %q, %v; want %q", again, got, err, test.want)
				}
			}
		})
	}
	if _, err := config.Load([]string{"OUTLINE_HEADERS=X-Gate: 1", "OUTLINE_HEADERS_FILE=/nowhere"}); err == nil || !strings.Contains(err.Error(), "set only one of them") {
		t.Errorf("both set: %v", err)
	}
}

func manyHeaders(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("X-" + strings.Repeat("a", i+1) + ": 1;")
	}
	return b.String()
}

func TestHeadersAreNotShown(t *testing.T) {
	for _, one := range config.Examine([]string{"OUTLINE_HEADERS=X-Gate: correct-horse-battery"}).Settings {
		if one.Name == "OUTLINE_HEADERS" && one.Value != "****tery" {
			t.Errorf("shown as %q", one.Value)
		}
	}
}
