package oauth

import (
	"net/http"
	"testing"
)

func TestRegistrationsAreCountedByAddressOrNetwork(t *testing.T) {
	for from, want := range map[string]string{
		"192.0.2.7:4711":              "192.0.2.7",
		"[2001:db8:1:2:3:4:5:6]:4711": "2001:db8:1:2::",
		"[2001:db8:1:2:ffff::1]:1":    "2001:db8:1:2::",
		"[fe80::1%eth0]:4711":         "fe80::",
		"[::ffff:192.0.2.7]:4711":     "::ffff:192.0.2.7",
		"@":                           "@", // a Unix socket
	} {
		if got := network(&http.Request{RemoteAddr: from}); got != want {
			t.Errorf("%s counts as %s, want %s", from, got, want)
		}
	}
}
