package doctor

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
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
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", address, err)
	}
	client := &http.Client{
		// Not the default transport, which would use a proxy.
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("the server does not answer: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers %s with status %d", address, response.StatusCode)
	}
	answer, _ = io.ReadAll(io.LimitReader(response.Body, 1<<10)) // without a body the status says enough
	return answer, nil
}

// checkCertificate reports whether a certificate is valid now, and for how long.
func (e *examination) checkCertificate(check, certSetting, keySetting, cert, key, otherwise string) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		e.add(Failure, check, "it cannot be read with its key ("+cause(err)+")", "check "+certSetting+" and "+keySetting)
		return
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		e.add(Failure, check, "it cannot be read ("+cause(err)+")", "check "+certSetting)
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
