package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/config"
	"outline-mcp/internal/httpd"
	"outline-mcp/internal/mcp/wire"
	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/observe"
	"outline-mcp/views"
)

// ListenHTTP listens on the address of the settings.
func (a *App) ListenHTTP(ctx context.Context) (net.Listener, error) {
	return Listen(ctx, net.JoinHostPort(strings.Trim(a.config.Host, "[]"), strconv.Itoa(a.config.Port)), "MCP_PORT")
}

// ServeHTTP serves any number of clients on a listener until ctx is done and the
// calls in flight have ended, or the grace period of the settings is over. Each
// request acts with the Outline key that it brings.
func (a *App) ServeHTTP(ctx context.Context, listener net.Listener) error {
	server, err := httpd.New(a.httpOptions())
	if err != nil {
		return err
	}
	if a.outline.shared != nil {
		defer a.outline.shared.Close()
	}
	if a.config.MetricsAddr != "" {
		stop, err := a.serveMetrics(ctx)
		if err != nil {
			return err
		}
		defer stop()
	}
	a.log.Info("serving MCP over HTTP", "address", listener.Addr().String(), "path", a.config.Path, "tls", a.config.TLSCert != "")
	return server.Serve(ctx, listener)
}

// MemoryLimit returns the memory, in bytes, that a server over HTTP should stay
// below: what concurrent calls may take, and garbage that is not collected yet.
// Large requests account for most of it.
func (a *App) MemoryLimit() int64 { return 40<<20 + 8*int64(a.config.MaxBody) }

// metricsConnections is how many connections the metrics may have at their own address.
const metricsConnections = 64

// serveMetrics serves the metrics at their own address until stop is called.
func (a *App) serveMetrics(ctx context.Context) (stop func(), err error) {
	listener, err := Listen(ctx, a.config.MetricsAddr, "MCP_METRICS_ADDR")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", a.metrics.Handler())
	server := httpd.NewServer(mux, metricsConnections, a.log)
	server.WriteTimeout = 30 * time.Second
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			a.log.Error("metrics are no longer served", "error", err)
		}
	}()
	a.log.Info("serving metrics", "address", listener.Addr().String())
	return func() {
		_ = server.Close()
		<-done
	}, nil
}

func (a *App) httpOptions() httpd.Options {
	var fallback *auth.Principal
	if a.outline.Key != "" {
		fallback = &a.operator
	}
	var beside http.Handler // the metrics on the port of the MCP endpoint
	if a.config.MetricsAddr == "" {
		beside = a.metrics.Handler()
	}
	endpoint := wire.NewHTTP(a.server, a.log)
	endpoint.HoldArguments, endpoint.Methods, endpoint.Timeout = true, a.methods, a.config.CallTimeout
	if a.config.Views == "auto" {
		endpoint.Remember = views.Extension
	}
	return httpd.Options{
		Path:  a.config.Path,
		MCP:   endpoint.Serve,
		Ready: a.ready,

		Tokens:     reveal(a.config.AuthTokens),
		TokensFile: a.config.AuthTokensFile,
		ReadTokens: func() ([]string, error) {
			tokens, err := a.config.ReadTokens()
			return reveal(tokens), err
		},
		TokenOptional: a.demo, // there is nothing to guard
		Fallback:      fallback,

		Login:      a.login,
		Anonymous:  a.config.AllowAnonymous,
		PublicHost: hostOf(a.config.PublicURL),

		AllowedOrigins: a.config.AllowedOrigins,
		AllowedHosts:   a.config.AllowedHosts,
		Accepted:       a.accepted.has,
		MaxBody:        int64(a.config.MaxBody),
		MaxCalls:       a.config.MaxCalls,
		MaxCallsPerKey: a.config.MaxCallsPerKey,
		ShutdownGrace:  a.config.ShutdownGrace,
		CertFile:       a.config.TLSCert,
		KeyFile:        a.config.TLSKey,
		Files:          a.outline.files,
		Log:            a.log,
		Metrics:        beside,
		Refused:        a.metrics.Refused,
	}
}

// Reload reads the files again that the server has read: certificates, tokens, and the
// headers for Outline. A file that cannot be used is logged, and changes nothing.
func (a *App) Reload() { a.outline.files.Reload() }

func reveal(secrets config.Secrets) (all []string) {
	for _, secret := range secrets {
		all = append(all, secret.Reveal())
	}
	return all
}

// newMetrics returns counters for the given tools and, if people can log in, for logins.
func newMetrics(version string, offered []mcptool.Tool, login bool) *observe.Metrics {
	o := observe.Options{Version: version, Outcomes: mcptool.Outcomes(), Refusals: httpd.Reasons()}
	if login {
		o.LoginEvents, o.LoginRefusals = loginEvents()
	}
	for _, tool := range offered {
		o.Tools = append(o.Tools, tool.Info().Name)
	}
	return observe.New(o)
}

// A ListenError says why a server cannot listen on an address and what to do.
type ListenError struct {
	Finding, Advice string
	InUse           bool // another program, or another server of this kind, uses the port
}

func (e ListenError) Error() string { return e.Finding + "; " + e.Advice }

// Listen listens on an address. Setting is what the user chooses the port with,
// such as MCP_PORT; errors name it. They are of type [ListenError].
func Listen(ctx context.Context, address, setting string) (net.Listener, error) {
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", address)
	if err == nil {
		return listener, nil
	}
	cannot := "cannot listen on " + address
	switch reason := innermost(err); {
	case errors.Is(err, syscall.EADDRINUSE), strings.Contains(reason, "in use"), strings.Contains(reason, "Only one usage"):
		return nil, ListenError{cannot + ": another program uses the port", "find it with " + finder(address) + " and stop it, or choose another port with " + setting, true}
	case errors.Is(err, os.ErrPermission):
		return nil, ListenError{cannot + ": this user may not use the port", "choose a port from 1024 up with " + setting, false}
	case errors.As(err, new(*net.AddrError)):
		return nil, ListenError{fmt.Sprintf("cannot listen on %s: it is not an address with a port", address), "use one such as 127.0.0.1:3000 for " + setting, false}
	default:
		return nil, ListenError{fmt.Sprintf("%s (%s)", cannot, reason), "check the address; 0.0.0.0 stands for all addresses of this machine", false}
	}
}

// finder is the command that finds the program that listens on an address.
func finder(address string) string {
	_, port, _ := net.SplitHostPort(address)
	if runtime.GOOS == "windows" {
		return "netstat -ano | findstr :" + port
	}
	return "lsof -i :" + port
}

// innermost returns the text of the innermost error: those around it repeat the
// address.
func innermost(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}

// ServeStdio serves one client on in and out, who acts for the operator, until the input ends and all
// requests are answered, or ctx is done. Nothing else may write to out. It
// fails when requests are left without an answer at the end of input.
func (a *App) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return wire.Stdio{MCP: a.server, Log: a.log, CallTimeout: a.config.CallTimeout, HoldArguments: true, Methods: a.methods}.Serve(a.AsOperator(ctx), in, out)
}
