package oauth

import (
	"net/http"
	"strings"
	"testing"
)

func TestRegistrationsAreCountedByAddressOrNetwork(t *testing.T) {
	for from, want := range map[string]string{
		"192.0.2.7:4711":              "192.0.2.7",
		"[2001:db8:1:2:3:4:5:6]:4711": "2001:db8:1:2::",
		"[2001:db8:1:2:ffff::1]:1":    "2001:db8:1:2::",
		"[fe80::1%eth0]:4711":         "fe80::",
		"[::ffff:192.0.2.7]:4711":     "192.0.2.7",
		"@":                           "@", // a Unix socket
	} {
		if got := (Proxies{}).network(&http.Request{RemoteAddr: from}); got != want {
			t.Errorf("%s counts as %s, want %s", from, got, want)
		}
	}
}

func TestOnlyWhatProxiesHaveAddedSaysWhereARequestCameFrom(t *testing.T) {
	for _, test := range []struct{ proxies, from, forwarded, want string }{
		{"", "10.0.0.1:1", "192.0.2.7", "10.0.0.1"},
		{"0", "10.0.0.1:1", "192.0.2.7", "10.0.0.1"},
		{"1", "10.0.0.1:1", "198.51.100.1, 192.0.2.7", "192.0.2.7"},
		{"2", "10.0.0.1:1", "198.51.100.1, 192.0.2.7,10.0.0.2", "192.0.2.7"},
		{"2", "10.0.0.1:1", "192.0.2.7", "192.0.2.7"},
		{"1", "10.0.0.1:1", "", "10.0.0.1"},
		{"1", "10.0.0.1:1", "192.0.2.7, unknown", "10.0.0.1"},
		{"10.0.0.0/8", "10.0.0.1:1", "198.51.100.1, 192.0.2.7, 10.0.0.2", "192.0.2.7"},
		{"10.0.0.1", "10.0.0.1:1", "192.0.2.7, 10.0.0.2", "10.0.0.2"},
		{"10.0.0.0/8", "192.0.2.9:1", "192.0.2.7", "192.0.2.9"},
		{"10.0.0.0/8,fd00::/8", "[fd00::1]:1", "2001:db8::7, [::ffff:10.1.1.1]:80", "2001:db8::"},
	} {
		var list []string
		if test.proxies != "" {
			list = strings.Split(test.proxies, ",")
		}
		proxies, err := ParseProxies(list)
		if err != nil {
			t.Fatal(err)
		}
		r := &http.Request{RemoteAddr: test.from, Header: http.Header{"X-Forwarded-For": {test.forwarded}}}
		if got := proxies.network(r); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
	for _, wrong := range []string{"-1", "11", "proxy.example.com", "10.0.0.0/33", "1,2"} {
		if _, err := ParseProxies(strings.Split(wrong, ",")); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
}
