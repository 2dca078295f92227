package doctor

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	mcptransport "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/toolclient"
	"outline-mcp/outline/transport"
)

// examineRemote examines an entry for a server over HTTP: it connects as the client
// does, and makes a call that only reads.
func examineRemote(ctx context.Context, r Request) Report {
	e := &examination{Request: r}
	e.addEntry()
	e.checkRemote(ctx)
	report := Report{OK: true, Checks: e.found}
	for name, value := range r.Entry.Headers {
		if strings.EqualFold(name, "X-Outline-API-Key") {
			report.key = value
		}
	}
	report.tidy()
	return report
}

func (e *examination) checkRemote(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	at := e.Entry.URL
	if u, err := url.Parse(at); err != nil || u.User != nil || u.RawQuery != "" {
		at = "the URL in the entry" // which may hold a secret
	}
	failed := func(err error) {
		finding, advice := e.whyNoServer(at, err)
		e.add(Failure, "server", finding, advice)
		e.skip("until the server answers", "key")
	}
	if e.Entry.AsksForKey || len(e.Entry.Headers) == 0 {
		if login, key := e.withoutKey(ctx); login || key {
			e.addUnauthorized(at, login)
			return
		}
	}
	connection, err := client.NewStreamableHttpClient(e.Entry.URL, mcptransport.WithHTTPHeaders(e.Entry.Headers))
	if err != nil {
		failed(err)
		return
	}
	defer connection.Close()
	if err := connection.Start(ctx); err != nil {
		failed(err)
		return
	}
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	request.Params.ClientInfo = mcp.Implementation{Name: "outline-mcp doctor", Version: e.Version}
	server, err := connection.Initialize(ctx, request)
	if err != nil {
		failed(err)
		return
	}
	listed, err := connection.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		failed(err)
		return
	}
	e.add(OK, "server", fmt.Sprintf("%s answers (%s %s) and offers %s", at, short(server.ServerInfo.Name), short(server.ServerInfo.Version), count(len(listed.Tools), "tool")), "")
	e.checkRemoteKey(ctx, connection, listed.Tools)
}

// withoutKey reports what the server does with a request without a key: whether it
// tells clients where to log in (RFC 9728, section 5.1), or asks for a key.
func (e *examination) withoutKey(ctx context.Context) (login, key bool) {
	way, err := transport.New(transport.Options{})
	if err != nil {
		return false, false
	}
	defer way.CloseIdleConnections()
	got, err := publicRequest(ctx, way, http.MethodPost, e.Entry.URL, ping)
	if err != nil || got.status != http.StatusUnauthorized {
		return false, false
	}
	login = strings.Contains(got.header.Get("WWW-Authenticate"), "resource_metadata=")
	return login, !login
}

// addUnauthorized reports on a server that rejects requests without a key.
func (e *examination) addUnauthorized(at string, login bool) {
	switch {
	case e.Entry.AsksForKey:
		e.add(OK, "server", at+" answers and asks for a key, for which "+e.Entry.Client+" will ask you", "")
		e.skip(e.Entry.Client+" asks for the key and stores it", "key")
	case login:
		e.add(OK, "server", at+" answers, and asks people to log in", "")
		e.skip(e.Entry.Client+" logs in and has no key", "key")
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
		e.skip(e.Entry.Client+" asks for the key and stores it", "key")
		return
	case !slices.ContainsFunc(tools, func(tool mcp.Tool) bool { return tool.Name == probe }):
		e.skip("the server does not offer "+probe+", which would check it", "key")
		return
	}
	answer, err := toolclient.Call(ctx, connection, probe, map[string]any{"limit": 1})
	switch {
	case err != nil:
		e.add(Failure, "key", "the server did not answer a call ("+cause(err)+")", "run it again; if it fails again, ask the operator of the server")
	case answer.Code != "":
		e.add(Failure, "key", "a call with the key failed: "+tidy(strings.TrimPrefix(answer.Text, probe+": "), "", maxText), "")
	default:
		e.add(OK, "key", "a call with the key in the entry succeeded", "")
	}
}

// whyNoServer returns why a server did not answer as an MCP server.
func (e *examination) whyNoServer(at string, err error) (finding, advice string) {
	text := err.Error()
	switch {
	case strings.Contains(text, "401"):
		return at + " rejects the request (401)", "check the key header in the entry, and whether the server also requires a token in X-MCP-Token"
	case strings.Contains(text, "404"), strings.Contains(text, "405"), strings.Contains(text, "4xx"):
		return "there is no MCP server at " + at, "check the path of the URL; it usually ends in /mcp"
	case isTimeout(err):
		return fmt.Sprintf("%s does not answer within %s", at, startTimeout), "check host and port of the URL, and the network"
	}
	return at + " does not answer as an MCP server (" + cause(err) + ")", "check the URL in the entry, and whether the server is running"
}
