package outline_test

import (
	"net/http"
	"testing"

	"outline-mcp/outline"
)

func TestWhatAnswersInPlaceOfOutlineIsIdentified(t *testing.T) {
	for _, test := range []struct {
		status int
		header map[string]string
		body   string
		want   outline.Foreign
	}{
		{302, map[string]string{"Location": "https://team.cloudflareaccess.com/cdn-cgi/access/login"}, "", outline.CloudflareAccess},
		{403, map[string]string{"Content-Type": "text/html"}, "<title>Sign in ・ Cloudflare Access</title>", outline.CloudflareAccess},
		{403, map[string]string{"Cf-Mitigated": "challenge"}, "<!DOCTYPE html>", outline.CloudflareChallenge},
		{302, map[string]string{"Location": "https://login.example.com/x"}, "", outline.LoginRedirect},
		{302, map[string]string{"Location": "/users/sign_in"}, "", outline.LoginRedirect},
		{301, map[string]string{"Location": "https://wiki.example.com/api/auth.info"}, "", outline.Redirect},
		{407, nil, "", outline.ProxyLogin},
		{400, nil, "The plain HTTP request was sent to HTTPS port", outline.PlainHTTPRefused},
		{401, map[string]string{"Www-Authenticate": `Basic realm="wiki"`}, "", outline.BasicLogin},
		{502, map[string]string{"Content-Type": "text/html"}, "<h1>Bad Gateway</h1>", outline.Unavailable},
		{522, nil, "", outline.Unavailable},
		{429, nil, "", outline.GatewayRateLimit},
		{200, map[string]string{"Content-Type": "text/html"}, `<input type="password">`, outline.LoginPage},
		{200, map[string]string{"Content-Type": "text/html; charset=utf-8"}, "<title>Log in</title>", outline.LoginPage},
		{200, nil, " <!doctype html><title>The blogging site</title>", outline.WebPage},
		{404, map[string]string{"Content-Type": "application/problem+json"}, "{}", outline.OtherAPI},
		{404, map[string]string{"Content-Type": "text/plain"}, "404 page not found", outline.Nothing},
		{418, nil, "", outline.Other},
	} {
		header := http.Header{}
		for name, value := range test.header {
			header.Set(name, value)
		}
		if got := outline.Identify(test.status, header, []byte(test.body)); got != test.want {
			t.Errorf("%d %v %q: %s, want %s", test.status, test.header, test.body, got, test.want)
		}
	}
}
