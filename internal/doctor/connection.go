package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"outline-mcp/internal/config"
	"outline-mcp/outline/transport"
)

// checkOutline makes one request without the key and reports what answered, or why
// nothing did.
func checkOutline(ctx context.Context, e *examination) {
	base, err := url.Parse(e.base)
	if err != nil {
		e.add(Failure, "outline", "no request can be made to the address", "check OUTLINE_API_URL")
		return
	}
	if e.settings.ClientCert != "" && !e.Demo {
		e.checkCertificate("client_certificate", "OUTLINE_CLIENT_CERT", "OUTLINE_CLIENT_KEY", e.settings.ClientCert, e.settings.ClientKey, "the gateway in front of Outline rejects it")
	}
	via, valid := e.checkProxy(base)
	if !valid {
		e.skip("until the proxy setting is valid", "outline")
		return
	}
	connecting, traced := transport.TraceConnecting(ctx)
	var accepted atomic.Bool // what it connects to
	traced = httptrace.WithClientTrace(traced, &httptrace.ClientTrace{TLSHandshakeStart: func() { accepted.Store(true) }})
	got := e.request(traced, e.base, "auth.info", "{}", "")
	if got.status == 0 {
		check := e.whyUnanswered(base, via, connecting.Load(), accepted.Load(), got.err)
		e.fail(check.Name, check.Finding, check.Advice)
		return
	}
	if !e.Demo {
		e.checkEncryption(base, via, got)
	}
	e.judge(ctx, base, got)
}

// A destination is the end of a connection: Outline, or a proxy in front of it.
type destination struct {
	scheme, host, address string
	name                  string // in sentences
	setting, who          string // the setting that names it, and what it is
}

// outlineAt returns the destination for the address of Outline.
func outlineAt(base *url.URL) destination {
	return destination{scheme: base.Scheme, host: base.Hostname(), address: hostPort(base), name: base.Host, setting: "OUTLINE_API_URL", who: "Outline"}
}

// hostPort returns the host and port of an address.
func hostPort(u *url.URL) string {
	port := map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port))
}

// isTimeout reports whether an error is a timeout.
func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

// cause returns the reason for an error of a connection as a short text.
func cause(err error) string {
	return tidy(transport.Cause(err, func(text string) string { return text }).Error(), "", maxURL)
}

// checkProxy reports and returns the proxy for requests to Outline, nil if there
// is none. It is not valid if the variable does not hold the address of a proxy.
func (e *examination) checkProxy(base *url.URL) (via *destination, valid bool) {
	own := e.connections
	if own == nil || own.Proxy == nil {
		return nil, true
	}
	variable := e.proxyVariable(base.Scheme)
	u, err := own.Proxy(&http.Request{URL: base})
	switch {
	case err != nil, u != nil && (u.Hostname() == "" || strings.HasSuffix(u.Host, ":")):
		e.add(Failure, "proxy", variable+" is not the address of a proxy", "use one such as http://proxy.example.com:3128, or unset it")
		return nil, false
	case u != nil:
		e.add(OK, "proxy", fmt.Sprintf("requests to Outline go through %s://%s (%s)", u.Scheme, u.Host, variable), "")
		return &destination{scheme: u.Scheme, host: u.Hostname(), address: hostPort(u), name: "the proxy " + u.Host, setting: variable, who: "the proxy"}, true
	case config.Lookup(e.Environ, variable) != "":
		e.add(OK, "proxy", fmt.Sprintf("not used for %s although %s is set (NO_PROXY excludes it, or it is this machine)", base.Hostname(), variable), "")
	}
	return nil, true
}

// proxyVariable returns the name of the variable that sets the proxy for a
// scheme.
func (e *examination) proxyVariable(scheme string) string {
	upper := strings.ToUpper(scheme) + "_PROXY"
	if lower := strings.ToLower(upper); config.Lookup(e.Environ, upper) == "" && config.Lookup(e.Environ, lower) != "" {
		return lower
	}
	return upper
}

// soon is the remaining validity of a certificate or key that causes a warning.
const soon = 14 * 24 * time.Hour

// day is the layout of dates in findings.
const day = time.DateOnly

// checkEncryption reports how the connection of an answer is encrypted.
func (e *examination) checkEncryption(base *url.URL, via *destination, got answer) {
	if base.Scheme != "https" {
		to, ip := base.Host, net.ParseIP(base.Hostname())
		switch {
		case via != nil:
			to += ", and to " + via.name + ","
		case transport.IsLoopback(base.Hostname()), ip != nil && ip.IsUnspecified():
			return // it does not leave the machine
		}
		e.add(Warning, "tls", "the key and the documents are sent to "+to+" unencrypted", "use https:// in OUTLINE_API_URL, unless the network between is private")
		return
	}
	if got.secure == nil || len(got.secure.PeerCertificates) == 0 {
		return
	}
	leaf := got.secure.PeerCertificates[0]
	finding := fmt.Sprintf("%s, certificate by %s, valid until %s", tls.VersionName(got.secure.Version), issuer(leaf), leaf.NotAfter.UTC().Format(day))
	status, advice := OK, ""
	switch {
	case !e.settings.VerifySSL:
		finding += ", not verified (OUTLINE_VERIFY_SSL)"
	case time.Until(leaf.NotAfter) < soon:
		status, advice = Warning, "renew it"
	}
	e.add(status, "tls", finding, advice, map[string]any{"version": tls.VersionName(got.secure.Version), "issuer": issuer(leaf), "until": leaf.NotAfter.UTC().Format(time.RFC3339)})
}

// issuer returns the name of who signed a certificate.
func issuer(c *x509.Certificate) string {
	return short(cmp.Or(c.Issuer.CommonName, strings.Join(c.Issuer.Organization, " "), "an issuer without a name"))
}
