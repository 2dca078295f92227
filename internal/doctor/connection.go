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

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/outline/transport"
)

// checkOutline makes one request without the key and reports what answered, or why
// nothing did.
func checkOutline(ctx context.Context, e *examination) {
	base, err := url.Parse(e.base)
	if err != nil {
		e.add(Failure, "outline", "the address cannot be used for requests", "check OUTLINE_API_URL")
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

// expiryWarning is the remaining validity of a certificate or key that causes a warning.
const expiryWarning = 14 * 24 * time.Hour

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
	case time.Until(leaf.NotAfter) < expiryWarning:
		status, advice = Warning, "renew it"
	}
	e.add(status, "tls", finding, advice, map[string]any{"version": tls.VersionName(got.secure.Version), "issuer": issuer(leaf), "until": leaf.NotAfter.UTC().Format(time.RFC3339)})
}

// issuer returns the name of who signed a certificate.
func issuer(c *x509.Certificate) string {
	return short(cmp.Or(c.Issuer.CommonName, strings.Join(c.Issuer.Organization, " "), "an issuer without a name"))
}

// whyUnanswered returns why a request got no answer. Connecting tells that it never had
// a connection to Outline, or to the proxy that answers in its place; accepted, that a
// TLS handshake began.
func (e *examination) whyUnanswered(base *url.URL, via *destination, connecting, accepted bool, err error) Check {
	to := outlineAt(base)
	if via != nil && e.proxyAnswer.Load() != http.StatusOK {
		if check, is := e.whyUnconnected(base, *via, err); is {
			return check
		}
		to = *via
	}
	problem, _ := transport.Diagnose(err)
	check := Check{Name: "connect", Advice: "check host and port in " + to.setting + ", and whether " + to.who + " is running"}
	lookup, unknown := errors.AsType[*net.DNSError](err)
	switch late := isTimeout(err); {
	case unknown:
		return Check{Name: "dns", Finding: fmt.Sprintf("the host %s cannot be found (%s)", to.host, lookup.Err), Advice: "check the spelling in " + to.setting + ", and whether this machine can resolve the name: another network or a container may not"}
	case late && connecting && accepted:
		check.Name, check.Finding = "tls", fmt.Sprintf("%s accepts the connection, but the TLS handshake does not end within %s", to.name, e.timeout)
		check.Advice = "check whether the port in " + to.setting + " speaks HTTPS, and whether " + to.who + " is overloaded"
	case late && connecting:
		check.Finding = fmt.Sprintf("no connection to %s within %s", to.address, e.timeout)
		check.Advice = "check host and port in " + to.setting + ", and firewalls or a VPN in between"
	case late:
		check.Name, check.Finding = "outline", fmt.Sprintf("%s accepts the connection, but does not answer within %s", to.name, e.timeout)
		check.Advice = "check whether " + to.who + " is overloaded, and whether " + to.setting + " has its port"
	case problem == transport.Unreachable, problem == transport.NoProxy:
		check.Finding = "no connection to " + to.address + " (" + cause(err) + ")"
		if transport.IsLoopback(to.host) {
			check.Advice += "; in a container, this address is the container itself"
		}
	case problem == transport.Untrusted:
		return untrustedCertificate(to, err)
	case to.scheme == "https" && (connecting || strings.Contains(err.Error(), "tls:")):
		return noHandshake(to, err)
	case speaksTLS(err):
		return httpsOnHTTP(to)
	default:
		check.Name, check.Finding = "outline", fmt.Sprintf("%s does not answer as a web server (%s)", to.name, cause(err))
		check.Advice = "check scheme and port in " + to.setting + ", any firewall in between, and any proxy in front of " + to.who
		if to.scheme == "http" {
			check.Advice += "; if the port speaks HTTPS, use https://"
		}
	}
	return check
}

// whyUnconnected returns why a proxy that accepted a connection does not connect
// to Outline, and whether that is the problem.
func (e *examination) whyUnconnected(base *url.URL, via destination, err error) (Check, bool) {
	check := Check{Name: "proxy", Advice: "check scheme, host and port in " + via.setting + ", and whether the proxy accepts this machine"}
	problem, dialing := transport.Diagnose(err)
	switch answered := int(e.proxyAnswer.Load()); {
	case answered == http.StatusProxyAuthRequired:
		check.Finding = via.name + " asks for a user name and password (407)"
		check.Advice = fmt.Sprintf("set %s to %s://user:password@%s", via.setting, via.scheme, via.address)
	case answered != 0:
		check.Finding = fmt.Sprintf("%s does not connect to %s (status %s)", via.name, base.Host, statusText(answered))
		check.Advice = "allow it in the proxy, or add the host to NO_PROXY"
	case problem == transport.Untrusted && via.scheme == "https":
		check = untrustedCertificate(via, err)
		check.Name = "proxy"
	case problem == transport.Untrusted:
		return untrustedCertificate(outlineAt(base), err), true
	case dialing:
		return check, false
	case isTimeout(err):
		check.Finding = fmt.Sprintf("%s does not connect to %s, or does not answer, within %s", via.name, base.Host, e.timeout)
	default:
		check.Finding = fmt.Sprintf("%s does not connect to %s (%s)", via.name, base.Host, cause(err))
	}
	return check, true
}

// httpsOnHTTP says that a port that is named with http:// speaks HTTPS.
func httpsOnHTTP(to destination) Check {
	return Check{Name: "tls", Finding: to.name + " speaks HTTPS, but " + to.setting + " says http://", Advice: "use https:// in " + to.setting}
}

// speaksTLS reports whether an answer that is not HTTP is an alert of TLS.
func speaksTLS(err error) bool {
	return strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`)
}

// untrustedCertificate says what is wrong with the certificate of a server.
func untrustedCertificate(to destination, err error) Check {
	var (
		unknown x509.UnknownAuthorityError
		invalid x509.CertificateInvalidError
		host    x509.HostnameError
	)
	advice := "get a new certificate, or set OUTLINE_CA_FILE to the certificate of its issuer"
	switch {
	case errors.As(err, &unknown) && unknown.Cert != nil:
		return Check{Name: "tls", Finding: fmt.Sprintf("the certificate of %s is signed by %s, which this machine does not trust", to.name, issuer(unknown.Cert)), Advice: "if that is a private authority, set OUTLINE_CA_FILE to its certificate (PEM)"}
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		advice = "renew it, or if it is new, check the clock of this machine"
	case errors.As(err, &host):
		names := host.Certificate.DNSNames
		for _, ip := range host.Certificate.IPAddresses {
			names = append(names, ip.String())
		}
		err = fmt.Errorf("it is for %s, not for %s", cmp.Or(short(strings.Join(names, ", ")), "no host"), host.Host)
		advice = "use the host of the certificate in " + to.setting + ", or get a certificate for this host"
	}
	return Check{Name: "tls", Finding: fmt.Sprintf("the certificate of %s cannot be trusted (%s)", to.name, cause(err)), Advice: advice}
}

// noHandshake says why TLS cannot be spoken with a server.
func noHandshake(to destination, err error) Check {
	check := Check{Name: "tls", Finding: fmt.Sprintf("the TLS handshake with %s fails (%s)", to.name, cause(err)), Advice: "configure the server for TLS 1.2 or newer, with a certificate for this host"}
	var header tls.RecordHeaderError
	switch text := err.Error(); {
	case errors.As(err, &header) && string(header.RecordHeader[:]) == "HTTP/":
		check.Finding, check.Advice = to.name+" speaks HTTP, but "+to.setting+" says https://", "use the HTTPS port in "+to.setting+", or http:// if "+to.who+" has no HTTPS"
	case errors.As(err, &header):
		check.Finding, check.Advice = "the server on "+to.address+" does not speak TLS", "check the port in "+to.setting
	case !strings.Contains(text, "tls:"):
		check.Finding = fmt.Sprintf("%s accepts the connection, but closes it before the TLS handshake ends (%s)", to.name, cause(err))
		check.Advice = "check the port in " + to.setting + ", any firewall in between, and any proxy in front of " + to.who
	case strings.Contains(text, "remote error: tls:") && strings.Contains(text, "certificate"):
		check.Finding = fmt.Sprintf("%s does not accept the client certificate, or asks for one (%s)", to.name, cause(err))
		check.Advice = "set OUTLINE_CLIENT_CERT and OUTLINE_CLIENT_KEY to one of an authority that it trusts, or configure it not to require one (for Outline, under /api)"
	}
	return check
}

// Locate returns the address at which Outline's API answers: the given one, or that
// without the path, or the same with https://. It sends no key. If nothing
// answers, or only a proxy or a login in front of Outline, it returns the given
// address. If something else than Outline answers, it returns an error.
func Locate(ctx context.Context, environ []string, version, address string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*requestTimeout)
	defer cancel()
	// The other settings of the shell do not become part of an entry.
	settings := config.Examine(append(inherited(environ), "OUTLINE_API_URL="+address)).Config
	reached, err := app.Reach(app.Options{Config: settings, Version: version})
	if err != nil {
		return "", err
	}
	e := &examination{asker: newAsker(reached, settings.RequestTimeout)}
	defer e.close()
	base, err := url.Parse(e.base)
	if err != nil {
		return "", err
	}
	got := e.request(ctx, e.base, "auth.info", "{}", "")
	if got.status == 0 {
		return address, nil
	}
	problem, elsewhere := e.notOutline(base, got)
	if secured := "https" + strings.TrimPrefix(e.base, "http"); base.Scheme == "http" && got.status/100 == 3 && e.isOutline(ctx, secured) {
		return strings.TrimSuffix(secured, "/api"), nil
	}
	if !elsewhere {
		return address, nil
	}
	if right := e.findRoot(ctx, base); right != "" {
		return right, nil
	}
	return "", fmt.Errorf("there is no Outline at %s: %s; give the address that Outline has in the browser", address, problem.Finding)
}
