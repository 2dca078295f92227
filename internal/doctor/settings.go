package doctor

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/observe/audit"
)

// checkSettings reports the value and the source of each setting. It omits
// defaults, except the address of Outline and the transport, and settings for
// HTTP if the transport is stdio.
func checkSettings(_ context.Context, e *examination) {
	problems := e.Settings.Problems
	var unreachable config.Problem
	if errors.As(e.Err, &unreachable) {
		problems = append(slices.Clone(problems), unreachable)
	}
	known := map[string]bool{}
	for _, s := range e.Settings.Settings {
		known[s.Name] = true
		details := map[string]any{"value": s.Value, "source": s.Source}
		value := fmt.Sprintf("%s (%s)", s.Value, s.Source)
		if s.Value == "" {
			value = "not set"
		}
		if !e.addProblems(Failure, s.Name, value+": ", problems, details) && !e.addProblems(Warning, s.Name, value+": ", e.settings.Warnings, details) && !e.needless(s) {
			e.add(OK, s.Name, value, "", details)
		}
	}
	for _, warning := range e.settings.Warnings {
		if !known[warning.Setting] {
			e.addProblems(Warning, warning.Setting, "", []config.Problem{warning})
		}
	}
	if e.Err != nil && unreachable.Setting == "" {
		e.add(Failure, "settings", e.Err.Error(), "")
	}
}

// addProblems adds a check for each of the problems with a setting, and reports
// whether there are any. Value is the start of each finding.
func (e *examination) addProblems(status Status, setting, value string, problems []config.Problem, details ...map[string]any) bool {
	found := false
	for _, problem := range problems {
		if problem.Setting == setting {
			finding, advice, _ := strings.Cut(problem.Text, "; ")
			e.add(status, setting, value+finding, advice, details...)
			found = true
		}
	}
	return found
}

// onlyOverHTTP reports whether a setting is not used with stdio.
func onlyOverHTTP(setting string) bool {
	return strings.HasPrefix(setting, "MCP_") && setting != "MCP_TRANSPORT" && !strings.HasPrefix(setting, "MCP_AUDIT_")
}

// needless reports whether a setting can be left out of the report.
func (e *examination) needless(s config.Reported) bool {
	return onlyOverHTTP(s.Name) && e.settings.Transport != config.HTTP ||
		s.Source == config.FromDefault && s.Name != "MCP_TRANSPORT" && (s.Name != "OUTLINE_API_URL" || e.Demo)
}

// checkAudit reports whether the audit trail can be written, and whether others can
// read it. It leaves no file behind.
func checkAudit(_ context.Context, e *examination) {
	const check = "audit"
	path := e.settings.AuditLog
	if path == audit.Stderr {
		e.add(OK, check, "calls are recorded on standard error", "")
		return
	}
	info, err := os.Stat(path)
	isNew := errors.Is(err, fs.ErrNotExist)
	switch {
	case isNew:
		var trial *os.File
		if trial, err = os.CreateTemp(filepath.Dir(path), ".outline-mcp-doctor-*"); err == nil {
			_ = trial.Close()
			_ = os.Remove(trial.Name())
		}
	case err == nil:
		var opened *os.File
		if opened, err = audit.OpenTrail(path, 0); err == nil { // never created: its owner would be who runs this
			_ = opened.Close()
		}
	}
	switch {
	case err != nil:
		e.add(Failure, check, fmt.Sprintf("%s cannot be written (%s): the server does not start", path, cause(err)), "set MCP_AUDIT_LOG to a file that the server may create or add to, in a folder that exists, or to stderr")
	case isNew:
		e.add(OK, check, path+" will be created", "")
	case info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/':
		e.add(Warning, check, fmt.Sprintf("others on this machine can read %s (mode %04o)", path, info.Mode().Perm()), "chmod 600 "+path+", unless that is intended")
	default:
		e.add(OK, check, "calls are recorded in "+path, "")
	}
}

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
	case leaf.NotAfter.Sub(now) < expiryWarning:
		e.add(Warning, check, certSetting+" is valid until "+until, "renew it", details)
	default:
		e.add(OK, check, certSetting+" is valid until "+until, "", details)
	}
}
