package doctor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	mcptransport "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/install"
)

// startTimeout is how long a program may take to start and list its tools.
const startTimeout = 15 * time.Second

// An Entry is the server in the configuration of an AI client.
type Entry struct {
	install.Written
	Repair string // the command that writes the entry again
}

// inherited returns the variables of an environment that every client passes to
// the programs that it starts, and those for proxies and certificates. The
// settings of the shell are not among them: a client is rarely started there.
func inherited(environ []string) []string {
	passed := []string{
		"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
		"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE",
		"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_DIR", "SSL_CERT_FILE",
	}
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return !slices.Contains(passed, strings.ToUpper(name))
	})
}

// start makes the examination one of the server that the entry starts.
func (e Entry) start(r Request) Request {
	r.Environ = slices.Concat(inherited(r.Environ), e.Env)
	r.Demo = slices.Contains(e.Args, "--demo")
	if i := slices.Index(e.Args, "--transport"); i >= 0 && i+1 < len(e.Args) {
		r.Transport = e.Args[i+1]
	}
	return r
}

// checkEntry reports what the entry is, and whether the program in it starts as
// the client starts it.
func checkEntry(ctx context.Context, e *examination) {
	e.addEntry()
	started, err := e.Entry.list(ctx, e.Environ, e.Version)
	switch {
	case err != nil:
		finding, advice, _ := strings.Cut(err.Error(), "; ")
		e.add(Failure, "start", finding, advice)
	case !filepath.IsAbs(e.Entry.Command):
		e.add(Warning, "start", started+", but "+e.Entry.Client.Title+" may have another PATH than this shell and not find it", "write the entry again, with the full path: "+e.Entry.Repair)
	default:
		e.add(OK, "start", started, "")
	}
}

// addEntry reports what the entry is, and what is wrong with it in its file.
func (e *examination) addEntry() {
	if len(e.Entry.Problems) == 0 {
		e.add(OK, "entry", fmt.Sprintf("%q in %s", e.Entry.Name, e.Entry.Path), "", map[string]any{"file": e.Entry.Path})
	}
	for _, problem := range e.Entry.Problems {
		status := Failure
		if problem.Warning {
			status = Warning
		}
		e.add(status, "entry", problem.Finding, problem.Advice)
	}
}

// unusable reports an entry that leaves its client without the server.
func (e *examination) unusable() Report {
	e.addEntry()
	if e.Entry.Unusable {
		e.skip("until the entry is corrected", "start")
	} else {
		e.add(Failure, "start", "the entry has neither a command nor a URL", "write it again: "+e.Entry.Repair)
	}
	e.skip("until the entry is corrected", "outline", "key", "tools")
	return reportOn(e.found, "")
}

// list starts the program as the client does, lets it list its tools, and returns
// what it is.
func (e Entry) list(ctx context.Context, environ []string, version string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, e.Command, e.Args...)
	cmd.Env = environ
	cmd.Dir = os.TempDir() // clients start programs in any folder
	cmd.Stderr, cmd.WaitDelay = &stderr, time.Second
	stdin, errIn := cmd.StdinPipe()
	stdout, errOut := cmd.StdoutPipe()
	err := cmp.Or(errIn, errOut)
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		connection := client.NewClient(mcptransport.NewIO(stdout, stdin, nil))
		offer, _, failed := listTools(ctx, connection, version)
		_ = connection.Close()
		err = cmd.Wait()
		if failed == nil {
			return e.Command + " starts " + offer, nil
		}
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s does not answer as an MCP server on standard input within %s; check the command and its arguments in the entry, or write it again: %s", e.Command, startTimeout, e.Repair)
	case errors.As(err, &exit):
		why := ""
		if said := strings.TrimSpace(stderr.String()); said != "" {
			why = ", “" + tidy(firstError(said), "", maxURL) + "”"
		}
		return "", fmt.Errorf("%s ends with exit code %d%s; correct that, or write the entry again: %s", e.Command, exit.ExitCode(), strings.ReplaceAll(why, "; ", ": "), e.Repair)
	case err != nil && (errors.Is(err, os.ErrNotExist) || errors.Is(err, exec.ErrNotFound)):
		return "", fmt.Errorf("there is no program at %s; write the entry again, for this program: %s", e.Command, e.Repair)
	case err != nil:
		return "", fmt.Errorf("%s cannot be started (%s); check the command in the entry, or write it again: %s", e.Command, cause(err), e.Repair)
	}
	return "", fmt.Errorf("%s ends without an answer on standard output; check its arguments and MCP_TRANSPORT in the entry, or write it again: %s", e.Command, e.Repair)
}

// firstError returns the line of a program's standard error that says what went wrong:
// the first that speaks of an error, else the last. What follows an error is often
// advice about logs and help.
func firstError(said string) string {
	lines := strings.Split(said, "\n")
	for _, line := range lines {
		if regexp.MustCompile(`(?i)\b(error|failed|cannot|denied|not found|no such)\b`).MatchString(line) {
			return line
		}
	}
	return lines[len(lines)-1]
}

// listTools begins a session with a server, and returns its tools and a text that
// says what it is and offers.
func listTools(ctx context.Context, connection *client.Client, version string) (offer string, tools []mcp.Tool, err error) {
	if err := connection.Start(ctx); err != nil {
		return "", nil, err
	}
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	request.Params.ClientInfo = mcp.Implementation{Name: "outline-mcp doctor", Version: version}
	server, err := connection.Initialize(ctx, request)
	if err != nil {
		return "", nil, err
	}
	listed, err := connection.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("(%s %s) and offers %s", short(server.ServerInfo.Name), short(server.ServerInfo.Version), count(len(listed.Tools), "tool")), listed.Tools, nil
}

// examineRemote examines an entry for a server over HTTP: it connects as the client
// does, and makes a call that only reads.
func examineRemote(ctx context.Context, r Request) Report {
	e := &examination{Request: r}
	e.addEntry()
	e.checkRemote(ctx)
	return reportOn(e.found, r.Entry.Headers[http.CanonicalHeaderKey(install.KeyHeader)])
}

func (e *examination) checkRemote(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	at := e.Entry.URL
	if u, err := url.Parse(at); err != nil || u.User != nil || u.RawQuery != "" {
		at = "the URL in the entry" // which may hold a secret
	}
	connection, err := client.NewStreamableHttpClient(e.Entry.URL, mcptransport.WithHTTPHeaders(e.Entry.Headers))
	var offer string
	var tools []mcp.Tool
	if err == nil {
		defer connection.Close()
		offer, tools, err = listTools(ctx, connection, e.Version)
	}
	unauthorized, _ := errors.AsType[*mcptransport.AuthorizationRequiredError](err)
	switch {
	case (unauthorized == nil || unauthorized.ResourceMetadataURL == "") && errors.Is(err, mcptransport.ErrAuthorizationRequired) && e.wantsToken(ctx):
		e.add(Failure, "server", at+" requires a token, and the entry has none that it accepts", "ask the operator of the server for a token, write it to a file, and run "+e.Entry.Repair+" --url "+at+" --token-file FILE")
		e.skip("until the entry has a token", "key")
	case unauthorized != nil && !e.hasKey():
		e.addUnauthorized(at, unauthorized.ResourceMetadataURL != "") // RFC 9728, section 5.1
	case err != nil:
		finding, advice := e.whyNoServer(at, err)
		e.add(Failure, "server", finding, advice)
		e.skip("until the server answers", "key")
	default:
		e.add(OK, "server", at+" answers "+offer, "")
		e.checkRemoteKey(ctx, connection, tools)
	}
}

// wantsToken reports whether the server rejects the entry's requests for want of a token.
func (e *examination) wantsToken(ctx context.Context) bool {
	header := ofClients()
	for name, value := range e.Entry.Headers {
		header.Set(name, value)
	}
	way := http.DefaultTransport.(*http.Transport).Clone()
	defer way.CloseIdleConnections()
	got := send(ctx, way, http.MethodPost, e.Entry.URL, "{}", header)
	return got.status == http.StatusUnauthorized && regexp.MustCompile("requires a token|unknown token").Match(got.body)
}

// hasKey reports whether the entry has a key in a header.
func (e *examination) hasKey() bool {
	return e.Entry.Headers[http.CanonicalHeaderKey(install.KeyHeader)] != "" || e.Entry.Headers["Authorization"] != ""
}

// addUnauthorized reports on a server that rejects requests without a key.
func (e *examination) addUnauthorized(at string, login bool) {
	switch {
	case e.Entry.AsksForKey:
		advice := ""
		if login {
			advice = "to log in with Outline instead, without a key, run " + e.Entry.Repair + " --url " + at + " --login"
		}
		e.add(OK, "server", at+" answers and asks for a key, for which "+e.Entry.Client.Title+" will ask you", advice)
		e.skip(e.Entry.Client.Title+" asks for the key and stores it", "key")
	case login:
		e.add(OK, "server", at+" answers, and asks users to log in", "")
		e.skip(e.Entry.Client.Title+" logs in and has no key", "key")
	default:
		e.add(Failure, "server", at+" answers and asks for a key, but the entry has none, and this server has no login with Outline", "write the entry again, without --login: "+e.Entry.Repair+" --url "+at)
		e.skip("until the entry has a key", "key")
	}
}

// checkRemoteKey makes a call that only reads, with the key in the entry.
func (e *examination) checkRemoteKey(ctx context.Context, connection *client.Client, tools []mcp.Tool) {
	const probe = "list_collections"
	switch {
	case e.Entry.AsksForKey:
		e.skip(e.Entry.Client.Title+" asks for the key and stores it", "key")
		return
	case !slices.ContainsFunc(tools, func(tool mcp.Tool) bool { return tool.Name == probe }):
		e.skip("the server does not offer "+probe+", which would check it", "key")
		return
	}
	answer, err := cli.Call(ctx, connection, probe, map[string]any{"limit": 1})
	switch {
	case err != nil:
		e.add(Failure, "key", "the server did not answer a call ("+cause(err)+")", "run it again; if it fails again, ask the operator of the server")
	case answer.Code != "":
		e.add(Failure, "key", "a call with the key failed: "+tidy(strings.TrimPrefix(answer.Text, probe+": "), "", maxText), "")
	case !e.hasKey():
		e.add(OK, "key", "the server needs none: a call without a key succeeded", "")
	default:
		e.add(OK, "key", "a call with the key in the entry succeeded", "")
	}
}

// whyNoServer returns why a server did not answer as an MCP server.
func (e *examination) whyNoServer(at string, err error) (finding, advice string) {
	switch {
	case errors.Is(err, mcptransport.ErrAuthorizationRequired):
		return at + " rejects the request (401)", "check the key header in the entry, and whether the server also requires a token in X-MCP-Token"
	case errors.Is(err, mcptransport.ErrLegacySSEServer): // a status such as 404 or 405
		return "there is no MCP server at " + at, "check the path of the URL; it usually ends in /mcp"
	case isTimeout(err):
		return fmt.Sprintf("%s does not answer within %s", at, startTimeout), "check host and port of the URL, and the network"
	}
	return at + " does not answer as an MCP server (" + cause(err) + ")", "check the URL in the entry, and whether the server is running"
}
