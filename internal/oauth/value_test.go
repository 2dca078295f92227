package oauth

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

const testURL = "https://mcp.example.com"

func testServer(public string, now func() time.Time, secrets ...string) *Server {
	o := Options{PublicURL: public, Path: "/mcp", Secret: "a secret of at least thirty-two bytes", Outline: Outline{Origin: "https://wiki.example.com"}, Now: now}
	if len(secrets) > 0 {
		o.Secret, o.Previous = secrets[0], secrets[1]
	}
	return New(o)
}

// sample is a sealed value of each kind, and opener what opens it.
type sample struct {
	kind, prefix, sealed string
	lasts                time.Duration
}

func samples(s *Server) []sample {
	asked := request{s.expires(loginLifetime), "client", "https://app.example/callback", "state", "challenge", Write}
	return []sample{
		{"client", clientPrefix, s.values.client.seal(registeredClient{s.expires(clientLifetime), "Claude", []string{"https://app.example/callback"}}), clientLifetime},
		{"consent", "", s.values.consent.seal(asked), loginLifetime},
		{"state", "", s.values.state.seal(login{asked, "nonce", "verifier"}), loginLifetime},
		{"code", codePrefix, s.values.code.seal(code{s.expires(codeLifetime), "client", "https://app.example/callback", "challenge", Write, "ol_ac_1", "verifier", "network"}), codeLifetime},
		{"access", accessPrefix, s.values.access.seal(token{s.expires(time.Hour), "client", "subject", Write, "ol_at_1"}), time.Hour},
		{"refresh", refreshPrefix, s.values.refresh.seal(token{s.expires(refreshLifetime), "client", "subject", Write, "ol_rt_1"}), refreshLifetime},
	}
}

// openers open a sealed value as each kind.
func openers(s *Server) map[string]func(string) error {
	return map[string]func(string) error{
		"client":  func(v string) error { _, err := s.values.client.open(v); return err },
		"consent": func(v string) error { _, err := s.values.consent.open(v); return err },
		"state":   func(v string) error { _, err := s.values.state.open(v); return err },
		"code":    func(v string) error { _, err := s.values.code.open(v); return err },
		"access":  func(v string) error { _, err := s.values.access.open(v); return err },
		"refresh": func(v string) error { _, err := s.values.refresh.open(v); return err },
	}
}

func prefixOf(kind string) string {
	return map[string]string{"client": clientPrefix, "code": codePrefix, "access": accessPrefix, "refresh": refreshPrefix}[kind]
}

func TestASealedValueOpensAsItsOwnKindOnly(t *testing.T) {
	s := testServer(testURL, time.Now)
	for _, one := range samples(s) {
		for kind, open := range openers(s) {
			err := open(prefixOf(kind) + strings.TrimPrefix(one.sealed, one.prefix))
			if kind == one.kind && err != nil || kind != one.kind && !errors.Is(err, ErrToken) {
				t.Errorf("%s as %s: %v", one.kind, kind, err)
			}
			if kind != one.kind && open(one.sealed) == nil {
				t.Errorf("%s as %s, with its own prefix", one.kind, kind)
			}
		}
	}
}

func TestAnotherDeploymentWithTheSameSecretOpensNothing(t *testing.T) {
	for _, other := range []string{"https://other.example.com", "http://mcp.example.com", "https://mcp.example.com:8443"} {
		open := openers(testServer(other, time.Now))
		for _, one := range samples(testServer(testURL, time.Now)) {
			if err := open[one.kind](one.sealed); !errors.Is(err, ErrToken) {
				t.Errorf("%s at %s: %v", one.kind, other, err)
			}
		}
	}
}

func TestEverySealedValueExpires(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	s := testServer(testURL, clock)
	made, start := samples(s), now
	for _, one := range made {
		open := openers(s)[one.kind]
		now = start.Add(one.lasts - time.Second)
		if err := open(one.sealed); err != nil {
			t.Errorf("%s, a second before its time: %v", one.kind, err)
		}
		now = start.Add(one.lasts)
		if err := open(one.sealed); !errors.Is(err, ErrExpired) {
			t.Errorf("%s, after its time: %v", one.kind, err)
		}
	}
}

func TestAValueWithAnyBitChangedIsRefused(t *testing.T) {
	s := testServer(testURL, time.Now)
	for _, one := range samples(s) {
		open := openers(s)[one.kind]
		raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(one.sealed, one.prefix))
		if err != nil {
			t.Fatal(err)
		}
		for bit := range 8 * len(raw) {
			raw[bit/8] ^= 1 << (bit % 8)
			if err := open(one.prefix + base64.RawURLEncoding.EncodeToString(raw)); !errors.Is(err, ErrToken) {
				t.Errorf("%s, bit %d: %v", one.kind, bit, err)
			}
			raw[bit/8] ^= 1 << (bit % 8)
		}
		for i := range one.sealed { // of the text, too
			changed := []byte(one.sealed)
			changed[i] ^= 1
			if err := open(string(changed)); !errors.Is(err, ErrToken) {
				t.Errorf("%s, character %d: %v", one.kind, i, err)
			}
		}
	}
}

func TestAfterARotationTheOldSecretOpensAndTheNewOneSeals(t *testing.T) {
	const oldest, newest = "the old secret, of thirty-two bytes or more", "the new secret, of thirty-two bytes or more"
	before, during, after := testServer(testURL, time.Now, oldest, ""), testServer(testURL, time.Now, newest, oldest), testServer(testURL, time.Now, newest, "")
	for _, one := range samples(before) {
		if err := openers(during)[one.kind](one.sealed); err != nil {
			t.Errorf("%s of the old secret: %v", one.kind, err)
		}
		if err := openers(after)[one.kind](one.sealed); !errors.Is(err, ErrToken) {
			t.Errorf("%s of a secret that is gone: %v", one.kind, err)
		}
	}
	for _, one := range samples(during) {
		if openers(after)[one.kind](one.sealed) != nil || openers(before)[one.kind](one.sealed) == nil {
			t.Errorf("%s is not sealed with the new secret", one.kind)
		}
	}
}

// Whatever arrives in the place of a sealed value opens as what was sealed, or not at all.
func FuzzOpen(f *testing.F) {
	noon := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	s := testServer(testURL, func() time.Time { return noon })
	for _, one := range samples(s) {
		f.Add(one.sealed)
		f.Add(strings.TrimPrefix(one.sealed, one.prefix))
	}
	f.Add("")
	// What was sealed for the seeds, and for those that earlier runs have left, is always
	// the same.
	accessToken := token{expiry{noon.Add(time.Hour).Unix()}, "client", "subject", Write, "ol_at_1"}
	f.Fuzz(func(t *testing.T, sealed string) {
		for kind, open := range openers(s) {
			if open(sealed) == nil && open(sealed+"A") == nil {
				t.Errorf("%q opens as %s in two spellings", sealed, kind)
			}
			_ = open(prefixOf(kind) + sealed)
		}
		for _, text := range []string{sealed, accessPrefix + sealed} {
			if got, err := s.values.access.open(text); err == nil && got != accessToken {
				t.Errorf("%q opens as %v", text, got)
			}
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	s := testServer(testURL, time.Now)
	sealed := s.values.access.seal(token{s.expires(time.Hour), markOf("client"), "403bdc74-ad71-47a7-b882-a10a643fd03e", Write, "ol_at_" + strings.Repeat("0", 64)})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Open(sealed); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(sealed)), "characters")
}

func TestRegistrationsAreCountedByAddressOrNetwork(t *testing.T) {
	for from, want := range map[string]string{
		"192.0.2.7:4711":              "192.0.2.7",
		"[2001:db8:1:2:3:4:5:6]:4711": "2001:db8:1::",
		"[2001:db8:1:2:ffff::1]:1":    "2001:db8:1::",
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
