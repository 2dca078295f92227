package doctor

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"outline-mcp/internal/netaddr"
)

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
		} else if address, err := netip.ParseAddrPort(j.connected); err == nil && (netaddr.IsLoopback(address.Addr().String()) || address.Addr().IsUnspecified()) {
			return // it does not leave the machine
		}
		e.add(Warning, "tls", "the key and the documents travel to "+to+" unencrypted", "write https:// in OUTLINE_API_URL, unless nobody else is on the network between")
		return
	}
	if j.secure == nil || len(j.secure.PeerCertificates) == 0 {
		return
	}
	leaf := j.secure.PeerCertificates[0]
	details := map[string]any{"version": tls.VersionName(j.secure.Version), "issuer": issuer(leaf), "until": leaf.NotAfter.UTC().Format(time.RFC3339)}
	finding := fmt.Sprintf("%s, certificate of %s, good until %s", tls.VersionName(j.secure.Version), issuer(leaf), leaf.NotAfter.UTC().Format(day))
	switch {
	case !e.settings.VerifySSL:
		e.add(OK, "tls", finding+", not checked (OUTLINE_VERIFY_SSL)", "", details)
	case time.Until(leaf.NotAfter) < soon:
		e.add(Warning, "tls", finding, "have it renewed", details)
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
		by := "somebody this machine does not trust"
		if unknown.Cert != nil {
			by = issuer(unknown.Cert) + ", whom this machine does not trust"
		}
		return failed(fmt.Sprintf("the certificate of %s is signed by %s", to.name, by), "if that is a private authority, name its certificate (PEM) in OUTLINE_CA_FILE")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil:
		if time.Now().Before(invalid.Cert.NotBefore) {
			return failed(fmt.Sprintf("the certificate of %s is not good before %s", to.name, invalid.Cert.NotBefore.UTC().Format(day)), "check the clock of this machine")
		}
		return failed(fmt.Sprintf("the certificate of %s expired on %s", to.name, invalid.Cert.NotAfter.UTC().Format(day)), "have it renewed; if it is new, check the clock of this machine")
	case errors.As(err, &host):
		return failed(fmt.Sprintf("the certificate of %s is not for %s but for %s", to.who, to.host, subjects(host.Certificate)), "write the host in "+to.setting+" as the certificate has it, or have a certificate made for it")
	case errors.As(err, &other):
		return failed(fmt.Sprintf("the certificate of %s cannot be trusted (%s)", to.name, cause(err)), "have it made anew, or name the certificate of its issuer in OUTLINE_CA_FILE")
	case errors.As(err, &header) && string(header.RecordHeader[:]) == "HTTP/":
		return failed(to.name+" speaks HTTP, and "+to.setting+" says https://", "write the port of HTTPS in "+to.setting+", or http:// if "+to.who+" has none")
	case errors.As(err, &header):
		return failed("what listens on "+to.address+" does not speak TLS", "check the port in "+to.setting)
	case errors.As(err, &alert) && strings.Contains(alert.Error(), "certificate required"), strings.Contains(err.Error(), "certificate required"):
		return failed(to.name+" asks clients for a certificate of their own", "have it ask for none (of Outline, under /api): outline-mcp has none to show")
	case errors.As(err, &alert), strings.Contains(err.Error(), "tls:"):
		return failed(fmt.Sprintf("no TLS handshake with %s comes about (%s)", to.name, cause(err)), "have the server speak TLS 1.2 or newer, with a certificate for this host")
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
