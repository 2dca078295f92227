package doctor

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/outline/transport"
)

// checkProgram reports the version of this program and how clients connect.
func checkProgram(_ context.Context, e *examination) {
	e.add(OK, "program", fmt.Sprintf("outline-mcp %s, %s, %s/%s", e.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH), "",
		map[string]any{"version": e.Version, "go": runtime.Version(), "system": runtime.GOOS + "/" + runtime.GOARCH})
	if e.Settings.Unusable("MCP_TRANSPORT") {
		e.skip("until MCP_TRANSPORT is valid", "transport")
		return
	}
	details := map[string]any{"transport": e.settings.Transport}
	if e.settings.Transport == config.HTTP {
		if e.Settings.Unusable("MCP_HOST", "MCP_PORT", "MCP_PATH", "MCP_TLS_CERT", "MCP_TLS_KEY") {
			e.skip("until the HTTP settings are valid", "transport")
			return
		}
		e.add(OK, "transport", "http: clients connect to "+scheme(e.settings)+"://"+e.listenAddress()+e.settings.Path, "", details)
		return
	}
	finding := "stdio: an AI client starts the program"
	var unused []string
	for _, s := range e.Settings.Settings {
		if onlyOverHTTP(s.Name) && s.Source != config.FromDefault && !e.Settings.Unusable(s.Name) {
			unused = append(unused, s.Name)
		}
	}
	if len(unused) > 0 {
		finding += " (not used with stdio: " + strings.Join(unused, ", ") + ")"
	}
	e.add(OK, "transport", finding, "", details)
}

// scheme returns the scheme that a server over HTTP speaks.
func scheme(c config.Config) string {
	if c.TLSCert != "" {
		return "https"
	}
	return "http"
}

func (e *examination) listenAddress() string {
	return net.JoinHostPort(strings.Trim(e.settings.Host, "[]"), strconv.Itoa(e.settings.Port))
}

// checkServing reports whether a server over HTTP can listen, and whether its
// certificate is valid.
func checkServing(ctx context.Context, e *examination) {
	if !e.Settings.Unusable("MCP_HOST", "MCP_PORT") {
		e.checkListen(ctx)
	} else {
		e.skip("until MCP_HOST and MCP_PORT are valid", "listen")
	}
	switch {
	case e.Settings.Unusable("MCP_TLS_CERT", "MCP_TLS_KEY"):
		e.skip("until MCP_TLS_CERT and MCP_TLS_KEY are valid", "certificate")
	case e.settings.TLSCert != "":
		e.checkCertificate("certificate", "MCP_TLS_CERT", "MCP_TLS_KEY", e.settings.TLSCert, e.settings.TLSKey, "clients reject it")
	}
}

func (e *examination) checkListen(ctx context.Context) {
	address := e.listenAddress()
	free := address + " is free"
	if e.settings.Port == 0 {
		free = "the server picks a free port (MCP_PORT=0)"
	}
	listener, err := app.Listen(ctx, address, "MCP_PORT")
	var problem app.ListenError
	switch {
	case err == nil:
		_ = listener.Close()
		e.add(OK, "listen", free, "")
	case errors.As(err, &problem) && problem.InUse && e.serves(ctx):
		e.add(OK, "listen", "an outline-mcp server is already running on "+address, "")
	default:
		e.add(Failure, "listen", problem.Finding, problem.Advice)
	}
}

// serves reports whether a server of this program answers at the address.
func (e *examination) serves(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	answer, err := AskHealth(ctx, e.settings)
	return err == nil && bytes.Contains(answer, []byte(`"status":"ok"`))
}

// AskHealth asks /health of the server that settings start over HTTP on this
// machine, and returns up to 1 KiB of the answer. It returns an error if the
// server does not answer with status 200. The certificate is not verified: it is
// issued for the name that clients use.
func AskHealth(ctx context.Context, c config.Config) (answer []byte, err error) {
	host := strings.Trim(c.Host, "[]")
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // it listens there too; a container may not resolve names
	}
	address := fmt.Sprintf("%s://%s/health", scheme(c), net.JoinHostPort(host, strconv.Itoa(c.Port)))
	// Not the default transport, which would use a proxy.
	way := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
	got := send(ctx, way, http.MethodGet, address, "", ofClients())
	switch {
	case got.status == 0:
		return nil, fmt.Errorf("the server does not answer: %w", got.err)
	case got.status != http.StatusOK:
		return nil, fmt.Errorf("the server answers %s with status %d", address, got.status)
	}
	return got.body[:min(len(got.body), 1<<10)], nil // without a body the status says enough
}

// checkCertificate reports whether a certificate is valid now, and for how long.
func (e *examination) checkCertificate(check, certSetting, keySetting, cert, key, otherwise string) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	leaf := pair.Leaf
	if err != nil {
		e.add(Failure, check, "it cannot be read with its key ("+cause(err)+")", "check "+certSetting+" and "+keySetting)
		return
	}
	until := leaf.NotAfter.UTC().Format(day)
	details := map[string]any{"until": leaf.NotAfter.UTC().Format(time.RFC3339)}
	switch now := time.Now(); {
	case now.After(leaf.NotAfter):
		e.add(Failure, check, certSetting+" expired on "+until, "renew it: "+otherwise, details)
	case now.Before(leaf.NotBefore):
		e.add(Failure, check, certSetting+" is not valid before "+leaf.NotBefore.UTC().Format(day), "check the clock of this machine", details)
	case leaf.NotAfter.Sub(now) < soon:
		e.add(Warning, check, certSetting+" is valid until "+until, "renew it", details)
	default:
		e.add(OK, check, certSetting+" is valid until "+until, "", details)
	}
}

// checkPublicURL reports whether the public URL leads to this server: the metadata that
// clients read, the pages of the login, and the challenge that sends clients there. The
// requests carry no key and no token.
func (e *examination) checkPublicURL(ctx context.Context) {
	const check = "login_url"
	way, err := transport.New(transport.Options{CAFile: e.settings.CAFile})
	if err != nil {
		e.skip("until the settings for Outline are valid", check)
		return
	}
	defer way.CloseIdleConnections()
	public, path := e.settings.PublicURL, e.settings.Path
	const wellKnown = "/.well-known/oauth-"
	metadata := public + wellKnown + "protected-resource" + path
	for _, step := range []struct {
		method, url, body string
		is                func(answer) bool // the answer of this server
		advice            string
	}{
		{http.MethodGet, metadata, "", func(a answer) bool { return a.says("resource", public+path) },
			"start it with the same MCP_PUBLIC_URL and MCP_PATH, and forward " + wellKnown + "* and /oauth/ to it in the reverse proxy, with the Host header"},
		{http.MethodGet, public + wellKnown + "authorization-server", "", func(a answer) bool { return a.says("issuer", public) },
			"forward " + wellKnown + "authorization-server to it in the reverse proxy"},
		{http.MethodGet, public + "/oauth/authorize", "", func(a answer) bool { return a.status < 500 && a.status != http.StatusNotFound },
			"forward /oauth/ to it in the reverse proxy"},
		{http.MethodPost, public + path, ping, func(a answer) bool {
			return a.status == http.StatusOK || a.status == http.StatusUnauthorized && strings.Contains(a.header.Get("WWW-Authenticate"), metadata)
		}, "forward it in the reverse proxy, with all headers of the answers: WWW-Authenticate tells clients where to log in"},
	} {
		got := send(ctx, way, step.method, step.url, step.body, ofClients())
		switch {
		case got.err != nil:
			e.add(Failure, check, step.url+" cannot be reached from here ("+cause(got.err)+")", "start the server, and check DNS, the certificate and the reverse proxy; if only this machine cannot reach it, check from another one")
			return
		case !step.is(got):
			why, advice := got.whyElsewhere()
			e.add(Failure, check, fmt.Sprintf("%s %s (status %s)", step.url, why, statusText(got.status)), cmp.Or(advice, step.advice))
			return
		case step.method == http.MethodPost && got.status == http.StatusOK:
			e.add(Warning, check, step.url+" answers without a login, so clients never ask people to log in", "leave out MCP_ALLOW_ANONYMOUS")
			return
		}
	}
	e.add(OK, check, public+" leads to this server, which sends clients to log in", "")
}

// whyElsewhere returns what is wrong with an answer at the public URL that is not of this
// server, as the second half of a sentence, and what to do if the status tells.
func (a answer) whyElsewhere() (why, advice string) {
	switch {
	case a.status/100 == 3:
		return "is redirected", "set MCP_PUBLIC_URL to the address that it redirects to"
	case a.status == http.StatusForbidden && strings.Contains(string(a.body), "MCP_ALLOWED_HOSTS"):
		return "is refused because the server rejects the host name", "pass on the Host header unchanged in the reverse proxy, and start the server with the same MCP_PUBLIC_URL, or with the host in MCP_ALLOWED_HOSTS"
	case a.status == http.StatusBadGateway, a.status == http.StatusServiceUnavailable, a.status == http.StatusGatewayTimeout:
		return "is answered by a proxy whose server does not answer", "start the server, and check its address in the reverse proxy"
	}
	return "is not answered by this server with these settings", ""
}

// says reports whether an answer is a JSON object in which a field has a value.
func (a answer) says(field, value string) bool {
	var object map[string]any
	return a.status == http.StatusOK && json.Unmarshal(a.body, &object) == nil && object[field] == value
}

// ping is a request that every MCP server answers, or rejects for want of credentials.
const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// ofClients returns the header of a request as clients send it, without a key.
func ofClients() http.Header {
	return http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream, text/html"}}
}
