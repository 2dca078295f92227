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
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"outline-mcp/outline/transport"
)

// whyUnanswered returns why a request got no answer.
func (e *examination) whyUnanswered(base *url.URL, via *proxy, j *trace, got answer) Check {
	var lookup *net.DNSError
	var operation *net.OpError
	timeout := isTimeout(got.err)
	to, through := outlineAt(base), ""
	between := via != nil && !via.connected(base, j, e.proxyAnswer.Load())
	switch {
	case between:
		to = via.destination
	case via != nil:
		through = " through " + via.name
	}
	switch {
	case timeout && j.resolving:
		return Check{Name: "dns", Finding: fmt.Sprintf("the DNS server did not answer for %s within %s", to.host, e.timeout), Advice: "check the network and the DNS server of this machine"}
	case errors.As(got.err, &lookup):
		return Check{Name: "dns", Finding: fmt.Sprintf("the host %s cannot be found (%s)", to.host, lookup.Err), Advice: "check the spelling in " + to.setting + ", and whether this machine can resolve the name: another network or a container may not"}
	case timeout && j.connected == "":
		return Check{Name: "connect", Finding: fmt.Sprintf("%s does not respond within %s", to.address, e.timeout), Advice: "check host and port in " + to.setting + ", and firewalls or a VPN in between"}
	case errors.As(got.err, &operation) && (operation.Op == "dial" || operation.Op == "proxyconnect") && j.connected == "":
		return whyNoConnection(to, got.err)
	case between:
		return e.whyUnconnected(base, via, got)
	case timeout && j.handshaking:
		return Check{Name: "tls", Finding: fmt.Sprintf("%s accepts the connection%s, but the TLS handshake does not finish within %s", to.address, through, e.timeout), Advice: "check whether this port speaks HTTPS"}
	case timeout:
		return Check{Name: "outline", Finding: fmt.Sprintf("%s accepts the connection%s, but does not answer within %s", to.address, through, e.timeout), Advice: "check whether Outline is overloaded, and whether OUTLINE_API_URL has the port of Outline"}
	}
	if to.scheme == "https" {
		if check, is := whyNoTLS(to, got.err); is {
			return check
		}
	}
	return e.whyNoHTTP(to, via == nil, got.err)
}

func whyNoConnection(to destination, err error) Check {
	check := Check{Name: "connect", Advice: "check host and port in " + to.setting + ", and the network"}
	reason := cause(err)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED), strings.Contains(reason, "refused"):
		check.Finding = "nothing listens on " + to.address + " (connection refused)"
		check.Advice = "check the port in " + to.setting + ", and whether " + to.who + " is running"
		if transport.IsLoopback(to.host) {
			check.Advice += "; in a container, this address is the container itself"
		}
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH), strings.Contains(reason, "unreachable"):
		check.Finding = "there is no route to " + to.address + " (" + reason + ")"
		check.Advice = "check the network and the VPN of this machine, and the host in " + to.setting
	default:
		check.Finding = "no connection to " + to.address + " (" + reason + ")"
	}
	return check
}

// whyNoHTTP returns why what was received is not an HTTP response. Direct tells
// that no proxy is between this machine and the destination.
func (e *examination) whyNoHTTP(to destination, direct bool, err error) Check {
	if direct && to.scheme == "http" && e.speaksTLS(to.address) {
		return httpsOnHTTP(to)
	}
	check := Check{Name: "outline", Finding: "the server on " + to.address + " is not a web server: it does not speak HTTP", Advice: "check the port in " + to.setting}
	// For a server that sends data first, the error is one or the other by chance.
	if text := err.Error(); !strings.Contains(text, "malformed HTTP") && !strings.Contains(text, "readLoopPeekFail") {
		check.Finding = fmt.Sprintf("%s closes the connection without an answer (%s)", to.name, cause(err))
		check.Advice = "check the port in " + to.setting + ", and any proxy in front of " + to.who
	}
	return check
}

func httpsOnHTTP(to destination) Check {
	return Check{Name: "tls", Finding: to.name + " speaks HTTPS, but " + to.setting + " says http://", Advice: "use https:// in " + to.setting}
}

// speaksTLS reports whether a port answers a TLS handshake.
func (e *examination) speaksTLS(address string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), min(e.timeout, 2*time.Second))
	defer cancel()
	// Only the handshake takes place, so the certificate does not matter.
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
	connection, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	_ = connection.Close()
	return true
}

// soon is the remaining validity of a certificate or key that causes a warning.
const soon = 14 * 24 * time.Hour

// day is the layout of dates in findings.
const day = time.DateOnly

// checkEncryption reports how the connection of an answer is encrypted.
func (e *examination) checkEncryption(base *url.URL, via *proxy, j *trace, got answer) {
	if base.Scheme != "https" {
		if got.status == http.StatusBadRequest && !got.fromOutline() && strings.Contains(string(got.body), "HTTPS") {
			return // the verdict on the answer says it
		}
		to := base.Host
		if via != nil {
			to += ", and to " + via.name + ","
		} else if address, err := netip.ParseAddrPort(j.connected); err == nil && (transport.IsLoopback(address.Addr().String()) || address.Addr().IsUnspecified()) {
			return // it does not leave the machine
		}
		e.add(Warning, "tls", "the key and the documents are sent to "+to+" unencrypted", "use https:// in OUTLINE_API_URL, unless the network between is private")
		return
	}
	if j.secure == nil || len(j.secure.PeerCertificates) == 0 {
		return
	}
	leaf := j.secure.PeerCertificates[0]
	details := map[string]any{"version": tls.VersionName(j.secure.Version), "issuer": issuer(leaf), "until": leaf.NotAfter.UTC().Format(time.RFC3339)}
	finding := fmt.Sprintf("%s, certificate by %s, valid until %s", tls.VersionName(j.secure.Version), issuer(leaf), leaf.NotAfter.UTC().Format(day))
	switch {
	case !e.settings.VerifySSL:
		e.add(OK, "tls", finding+", not verified (OUTLINE_VERIFY_SSL)", "", details)
	case time.Until(leaf.NotAfter) < soon:
		e.add(Warning, "tls", finding, "renew it", details)
	default:
		e.add(OK, "tls", finding, "", details)
	}
}

// issuer returns the name of who signed a certificate.
func issuer(c *x509.Certificate) string {
	return short(cmp.Or(c.Issuer.CommonName, strings.Join(c.Issuer.Organization, " "), "an issuer without a name"))
}

// whyNoTLS returns a check that explains a failed request, if TLS was the cause.
func whyNoTLS(to destination, err error) (Check, bool) {
	var (
		unknown x509.UnknownAuthorityError
		invalid x509.CertificateInvalidError
		host    x509.HostnameError
		other   *tls.CertificateVerificationError
		header  tls.RecordHeaderError
		alert   tls.AlertError
	)
	failed := func(finding, advice string) (Check, bool) {
		return Check{Name: "tls", Finding: finding, Advice: advice}, true
	}
	switch {
	case errors.As(err, &unknown):
		by := "an authority that this machine does not trust"
		if unknown.Cert != nil {
			by = issuer(unknown.Cert) + ", which this machine does not trust"
		}
		return failed(fmt.Sprintf("the certificate of %s is signed by %s", to.name, by), "if that is a private authority, set OUTLINE_CA_FILE to its certificate (PEM)")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil:
		if time.Now().Before(invalid.Cert.NotBefore) {
			return failed(fmt.Sprintf("the certificate of %s is not valid before %s", to.name, invalid.Cert.NotBefore.UTC().Format(day)), "check the clock of this machine")
		}
		return failed(fmt.Sprintf("the certificate of %s expired on %s", to.name, invalid.Cert.NotAfter.UTC().Format(day)), "renew it, or if it is new, check the clock of this machine")
	case errors.As(err, &host):
		return failed(fmt.Sprintf("the certificate of %s is not for %s but for %s", to.who, to.host, subjects(host.Certificate)), "use the host of the certificate in "+to.setting+", or get a certificate for this host")
	case errors.As(err, &other):
		return failed(fmt.Sprintf("the certificate of %s cannot be trusted (%s)", to.name, cause(err)), "get a new certificate, or set OUTLINE_CA_FILE to the certificate of its issuer")
	case errors.As(err, &header) && string(header.RecordHeader[:]) == "HTTP/":
		return failed(to.name+" speaks HTTP, but "+to.setting+" says https://", "use the HTTPS port in "+to.setting+", or http:// if "+to.who+" has no HTTPS")
	case errors.As(err, &header):
		return failed("the server on "+to.address+" does not speak TLS", "check the port in "+to.setting)
	case errors.As(err, &alert) && strings.Contains(alert.Error(), "certificate required"), strings.Contains(err.Error(), "certificate required"):
		return failed(to.name+" requires a client certificate", "set OUTLINE_CLIENT_CERT and OUTLINE_CLIENT_KEY to one that it accepts, or configure it not to require one (for Outline, under /api)")
	case strings.Contains(err.Error(), "remote error: tls:") && strings.Contains(err.Error(), "certificate"):
		return failed(fmt.Sprintf("%s does not accept the client certificate (%s)", to.name, cause(err)), "set OUTLINE_CLIENT_CERT and OUTLINE_CLIENT_KEY to one of an authority that it trusts")
	case errors.As(err, &alert), strings.Contains(err.Error(), "tls:"):
		return failed(fmt.Sprintf("the TLS handshake with %s fails (%s)", to.name, cause(err)), "configure the server for TLS 1.2 or newer, with a certificate for this host")
	}
	return Check{}, false
}

// subjects returns the hosts that a certificate is for.
func subjects(c *x509.Certificate) string {
	if c == nil {
		return "another host"
	}
	names := c.DNSNames
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	return short(cmp.Or(strings.Join(names, ", "), c.Subject.CommonName, "another host"))
}
