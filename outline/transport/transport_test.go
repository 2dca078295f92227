package transport_test

import (
	"crypto/tls"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/outline/transport"
)

func TestACAFileMustHoldCertificates(t *testing.T) {
	if _, err := transport.New(transport.Options{CAFile: filepath.Join(t.TempDir(), "none.pem")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want os.ErrNotExist", err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, []byte("not PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := transport.New(transport.Options{CAFile: file}); err == nil || !strings.Contains(err.Error(), file+" holds no certificate") {
		t.Errorf("error %v", err)
	}
}

func TestATransportIsReadyForManyCallers(t *testing.T) {
	made, err := transport.New(transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if made.MaxIdleConnsPerHost < 64 || made.MaxIdleConns != 0 && made.MaxIdleConns < 64 {
		t.Error("too few idle connections")
	}
	if made.TLSHandshakeTimeout == 0 || made.ResponseHeaderTimeout == 0 || made.DialContext == nil {
		t.Error("a step without a limit")
	}
	if made.TLSClientConfig.InsecureSkipVerify || made.TLSClientConfig.MinVersion < tls.VersionTLS12 {
		t.Error("TLS is not strict")
	}
}

func TestARateLimitLastsAsLongAsTheLongestWaitThatWasAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var limits transport.RateLimiter
		a, b := transport.Limit{Subject: "Ada", Endpoint: "x"}, transport.Limit{Subject: "Ada", Endpoint: "y"}
		limits.Block(a, 10*time.Second)
		limits.Block(a, 5*time.Second)
		limits.Block(b, 1000*time.Hour)
		time.Sleep(4 * time.Second)
		for what, want := range map[transport.Limit]time.Duration{a: 6 * time.Second, b: time.Hour - 4*time.Second, {Subject: "Bob", Endpoint: "x"}: 0} {
			if got := limits.Remaining(what); got != want {
				t.Errorf("%v: %v, want %v", what, got, want)
			}
		}
		time.Sleep(time.Minute)
		if got := limits.Remaining(a); got != 0 {
			t.Errorf("after it is over: %v", got)
		}
	})
}

func TestTheWaitThatAServerAsksForIsUnderstoodAndBounded(t *testing.T) {
	const date = "Sun, 22 Nov 2026 12:00:00 GMT"
	for name, test := range map[string]struct {
		header http.Header
		want   time.Duration
	}{
		"nothing":              {http.Header{}, 0},
		"seconds":              {http.Header{"Retry-After": {" 7 "}}, 7 * time.Second},
		"a date":               {http.Header{"Retry-After": {"Sun, 22 Nov 2026 12:00:09 GMT"}, "Date": {date}}, 9 * time.Second},
		"a date that is past":  {http.Header{"Retry-After": {"Sun, 22 Nov 2026 11:00:00 GMT"}, "Date": {date}}, 0},
		"less than nothing":    {http.Header{"Retry-After": {"-3"}}, 0},
		"a moment for seconds": {http.Header{"Retry-After": {"1795348800"}}, time.Hour},
		"more than fits":       {http.Header{"Retry-After": {"99999999999999999999"}}, time.Hour},
		"its own header":       {http.Header{"Ratelimit-Reset": {"3"}}, 3 * time.Second},
		"no words":             {http.Header{"Retry-After": {"soon"}, "Ratelimit-Reset": {"3"}}, 3 * time.Second},
	} {
		if got := transport.RetryAfter(test.header); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func TestIsLoopbackHoldsForThisMachineAlone(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost": true, "127.0.0.1": true, "127.1.2.3": true, "::1": true, "[::1]": true, "::ffff:127.0.0.1": true,
		"": false, "localhost.": false, "localhost.example.com": false, "localhost:80": false, "127.0.0.1:80": false,
		"0.0.0.0": false, "::": false, "10.0.0.1": false, "::2": false, "::ffff:10.0.0.1": false, "wiki": false, "[localhost]": false,
	} {
		if got := transport.IsLoopback(host); got != want {
			t.Errorf("IsLoopback(%q) = %t", host, got)
		}
	}
}

func TestParseOriginReturnsEqualStringsForEqualOrigins(t *testing.T) {
	for s, want := range map[string]string{
		"https://app.example.com": "https://app.example.com", "HTTPS://App.Example.Com": "https://app.example.com", "https://app.example.com:443": "https://app.example.com",
		"http://app.example.com:80": "http://app.example.com", "http://app.example.com:443": "http://app.example.com:443", "http://[::1]:6274": "http://[::1]:6274",
	} {
		if got, ok := transport.ParseOrigin(s); got != want || !ok {
			t.Errorf("ParseOrigin(%q) = %q, %t, want %q", s, got, ok, want)
		}
	}
}

func TestParseOriginRefusesWhatIsNoOrigin(t *testing.T) {
	for _, s := range []string{
		"", "null", "*", "app.example.com", "https://", "https://:443", "https://*.example.com", "https://app.example.com/", "https://app.example.com/path",
		"https://app.example.com?q", "https://app.example.com?q=1", "https://app.example.com#top", "https://robin@app.example.com", "ftp://app.example.com", " https://app.example.com", "https://[::1",
	} {
		if got, ok := transport.ParseOrigin(s); ok {
			t.Errorf("ParseOrigin(%q) = %q", s, got)
		}
	}
}
