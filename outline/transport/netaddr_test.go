package transport_test

import (
	"testing"

	"outline-mcp/outline/transport"
)

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
