package doctor

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"slices"
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
		e.add(OK, "transport", "http: clients connect to "+e.endpoint(e.settings.Path), "", details)
		return
	}
	finding := "stdio: an AI client starts the program"
	var unused []string
	for _, s := range e.Settings.Settings {
		if onlyOverHTTP(s.Name) && s.Source == config.FromEnvironment && !slices.ContainsFunc(e.Settings.Problems, func(p config.Problem) bool { return p.Setting == s.Name }) {
			unused = append(unused, s.Name)
		}
	}
	if len(unused) > 0 {
		finding += " (not used with stdio: " + strings.Join(unused, ", ") + ")"
	}
	e.add(OK, "transport", finding, "", details)
}

// endpoint returns the URL of a path on the server.
func (e *examination) endpoint(path string) string {
	scheme := "http"
	if e.settings.TLSCert != "" {
		scheme = "https"
	}
	return scheme + "://" + e.listenAddress() + path
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
	scheme := "http"
	if c.TLSCert != "" {
		scheme = "https"
	}
	address := fmt.Sprintf("%s://%s/health", scheme, net.JoinHostPort(host, strconv.Itoa(c.Port)))
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
	way, err := transport.New(transport.Options{CAFile: e.settings.CAFile})
	if err != nil {
		e.skip("until the settings for Outline are valid", "login_url")
		return
	}
	defer way.CloseIdleConnections()
	public, path := e.settings.PublicURL, e.settings.Path
	metadata := public + "/.well-known/oauth-protected-resource" + path
	var got answer
	for _, step := range []struct {
		method, url, body string
		judge             func() (finding, advice string)
	}{
		{http.MethodGet, metadata, "", func() (string, string) { return got.notResource(public, path) }},
		{http.MethodGet, public + "/.well-known/oauth-authorization-server", "", func() (string, string) { return got.notIssuer(public) }},
		{http.MethodGet, public + "/oauth/authorize", "", func() (string, string) { return got.noPages() }},
		{http.MethodPost, public + path, ping, func() (string, string) { return got.noChallenge(metadata) }},
	} {
		got = send(ctx, way, step.method, step.url, step.body, ofClients())
		var finding, advice string
		switch {
		case got.err == nil:
			finding, advice = step.judge()
		case step.url != metadata:
			finding, advice = got.url+" does not answer ("+cause(got.err)+")", "check the reverse proxy"
		default:
			finding, advice = public+" cannot be reached from here ("+cause(got.err)+")", "start the server, and check DNS, the certificate and the reverse proxy; if only this machine cannot reach it, check from another one"
		}
		if finding != "" {
			e.add(Failure, "login_url", finding, advice)
			return
		}
	}
	switch ahead := got.ahead().Abs(); {
	case got.status == http.StatusOK:
		e.add(Warning, "login_url", got.url+" answers without a login, so clients never ask people to log in", "leave out MCP_ALLOW_ANONYMOUS")
	case ahead > askew:
		e.add(Warning, "login_url", fmt.Sprintf("%s leads to this server, but its clock differs from that of this machine by %s", public, ahead), "synchronize all clocks with a time server: the expiry of logins depends on them")
	default:
		e.add(OK, "login_url", public+" leads to this server, which sends clients to log in", "")
	}
}

// notResource returns what is wrong with the metadata of the MCP server, "" if nothing is.
func (a answer) notResource(public, path string) (finding, advice string) {
	var resource struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
	}
	finding, advice = a.notOurs()
	switch {
	case finding != "":
		return finding, advice
	case json.Unmarshal(a.body, &resource) != nil || resource.Resource == "":
		return a.url + " is not the metadata of an MCP server", "check where the reverse proxy sends it"
	case resource.Resource != public+path || !slices.Contains(resource.Servers, public):
		return fmt.Sprintf("the server there calls itself %s, not %s", tidy(resource.Resource, "", maxURL), public+path), "restart it with the same MCP_PUBLIC_URL and MCP_PATH, and check where the reverse proxy sends requests"
	}
	return "", ""
}

// notIssuer returns what is wrong with the metadata of the login, "" if nothing is.
func (a answer) notIssuer(public string) (finding, advice string) {
	var server struct {
		Issuer string `json:"issuer"`
	}
	if finding, advice = a.notOurs(); finding == "" && (json.Unmarshal(a.body, &server) != nil || server.Issuer != public) {
		return a.url + " is the metadata of another server", "forward /.well-known/oauth-authorization-server to this server in the reverse proxy"
	}
	return finding, advice
}

// noPages returns what is wrong with the pages of the login, "" if nothing is.
func (a answer) noPages() (finding, advice string) {
	if a.status == http.StatusNotFound {
		return a.url + " is not found (404)", "forward /oauth/ to this server in the reverse proxy"
	}
	return "", ""
}

// noChallenge returns why clients are not sent to the metadata, "" if they are, or if
// nobody has to log in.
func (a answer) noChallenge(metadata string) (finding, advice string) {
	challenge := a.header.Get("WWW-Authenticate")
	if a.status == http.StatusOK || a.status == http.StatusUnauthorized && strings.Contains(challenge, metadata) {
		return "", ""
	}
	said := "none"
	if challenge = short(challenge); challenge != "" {
		said = `"` + challenge + `"`
	}
	return fmt.Sprintf("%s does not tell clients where to log in (status %s, WWW-Authenticate: %s)", a.url, statusText(a.status), said), "forward it to this server in the reverse proxy, with all headers of the answers"
}

// notOurs returns what is wrong if something other than this program answered a request
// for metadata, "" if it may be this program.
func (a answer) notOurs() (finding, advice string) {
	switch {
	case a.status == http.StatusOK:
		return "", ""
	case a.status == http.StatusForbidden && strings.Contains(string(a.body), "MCP_ALLOWED_HOSTS"):
		return "the server rejects the host name in MCP_PUBLIC_URL (403)", "let the reverse proxy pass on the Host header unchanged, and start the server with the same MCP_PUBLIC_URL"
	case a.status == http.StatusBadGateway, a.status == http.StatusServiceUnavailable, a.status == http.StatusGatewayTimeout:
		return a.url + " is answered by a proxy whose server does not answer (" + statusText(a.status) + ")", "start the server, and check its address in the reverse proxy"
	case a.status/100 == 3:
		return a.url + " is redirected (" + statusText(a.status) + ")", "set MCP_PUBLIC_URL to the address that it redirects to"
	}
	return a.url + " is not answered by this server with these settings (status " + statusText(a.status) + ")", "start it with MCP_PUBLIC_URL, and forward /.well-known/oauth-* and /oauth/ to it in the reverse proxy"
}

// ping is a request that every MCP server answers, or rejects for want of credentials.
const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// ofClients returns the header of a request as clients send it, without a key.
func ofClients() http.Header {
	return http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream, text/html"}}
}
