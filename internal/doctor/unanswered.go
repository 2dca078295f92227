package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"

	"outline-mcp/internal/netaddr"
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
		return e.whyUnconnected(base, via, j, got)
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
		if netaddr.IsLoopback(to.host) {
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
