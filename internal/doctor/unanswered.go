package doctor

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"outline-mcp/outline/transport"
)

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
