package doctor

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/outline"
	"outline-mcp/outline/transport"
	"outline-mcp/output"
)

// judge reports whether an answer to auth.info without a key is from Outline.
func (e *examination) judge(ctx context.Context, base *url.URL, got answer) {
	finding, elsewhere := e.notOutline(base, got)
	if finding == nil {
		e.reached = true
		if e.Demo {
			e.add(OK, "outline", "the sample workspace in this program", "")
			return
		}
		e.add(OK, "outline", "Outline's API answers at "+e.base, "", map[string]any{"url": e.base})
		return
	}
	if elsewhere {
		if right := e.findRoot(ctx, base); right != "" {
			e.add(Failure, "outline", fmt.Sprintf("Outline's API is at %s/api, not at %s", right, e.base), "set OUTLINE_API_URL="+right, map[string]any{"url": right + "/api"})
			return
		}
	}
	e.fail(finding.Name, finding.Finding, finding.Advice)
}

// notOutline returns what is wrong with an answer to auth.info, nil if nothing is, and
// whether Outline may be at the root of the host.
func (e *examination) notOutline(base *url.URL, got answer) (problem *Check, elsewhere bool) {
	const ofBrowser = "set OUTLINE_API_URL to the address of Outline in the browser, without the path of a page"
	found := got.foreign
	switch {
	case got.err != nil:
		return &Check{Name: "outline", Finding: "the answer to auth.info breaks off (" + cause(got.err) + ")", Advice: "try again, and check any proxy in front of Outline"}, false
	case found.Kind == "" && got.status == http.StatusNotFound:
		return &Check{Name: "outline", Finding: "Outline answers, but there is no API at " + e.base, Advice: ofBrowser}, true
	case found.Kind == "" && got.status >= 500:
		return &Check{Name: "outline", Finding: "Outline answers with an internal error (" + statusText(got.status) + ")", Advice: "check Outline's log"}, false
	case found.Kind == "":
		return nil, false
	}
	problem = &Check{Name: "outline", Finding: found.String(), Advice: output.Advice(found.Remedy)}
	if found.Kind == outline.LoginPage || found.Kind == outline.WebPage {
		problem.Finding = strings.TrimSuffix(problem.Finding, ")") + quoted(found.Title) + ")"
	}
	switch found.Kind {
	case outline.HTTPSRedirect:
		problem.Advice = "use https:// in OUTLINE_API_URL: " + found.Address
	case outline.HTTPRedirect:
		problem.Advice = "change that in the proxy in front of Outline"
	case outline.HostRedirect:
		problem.Advice = "if that is where Outline is, set OUTLINE_API_URL=" + found.Address + "; if it is a login, " + output.Advice(outline.PassGateway)
	case outline.ProxyLogin:
		problem.Name, problem.Advice = "proxy", "set "+e.proxyVariable(base.Scheme)+" to http://user:password@host:port"
	case outline.PlainHTTPRefused:
		check := httpsOnHTTP(outlineAt(base))
		return &check, false
	case outline.GatewayRateLimit:
		problem.Advice = "wait, and raise its limit for /api"
	case outline.Unavailable:
		if wait := transport.RetryAfter(got.header); wait > 0 {
			problem.Finding += fmt.Sprintf(", try again in %.0f s", wait.Seconds())
		}
		problem.Advice = "unless this is planned maintenance, check the logs of Outline and of the proxy in front of it"
	case outline.PathRedirect, outline.WebPage:
		problem.Advice, elsewhere = ofBrowser, true
	case outline.Nothing, outline.OtherAPI, outline.Other:
		problem.Advice, elsewhere = "check host and port in OUTLINE_API_URL, its path, and any proxy in front of Outline", true
	case outline.LoginPage, outline.Refusal:
		elsewhere = true
	}
	return problem, elsewhere
}

// findRoot returns the address of the host without a path if Outline answers there,
// else "". Outline cannot be hosted below a path
// (https://github.com/outline/outline/issues/9161). The request has no key.
func (e *examination) findRoot(ctx context.Context, base *url.URL) string {
	root := base.Scheme + "://" + base.Host
	if root+"/api" == e.base || !e.isOutline(ctx, root+"/api") {
		return ""
	}
	return root
}

// isOutline reports whether Outline's API answers at base, without the key.
func (e *examination) isOutline(ctx context.Context, base string) bool {
	got := e.request(ctx, base, "auth.info", "{}", "")
	return got.fromOutline() && got.status != http.StatusNotFound && got.status < 500
}

// quoted returns an untrusted text as an addition to a sentence.
func quoted(text string) string {
	if text = short(text); text == "" {
		return ""
	}
	return ", “" + text + "”"
}

// statusText returns a status code with its name.
func statusText(status int) string {
	if name := http.StatusText(status); name != "" {
		return fmt.Sprintf("%d %s", status, name)
	}
	return strconv.Itoa(status)
}

// Locate returns the address at which Outline's API answers: the given one, or that
// without the path, or the same with https://. It sends no key. If nothing
// answers, or only a proxy or a login in front of Outline, it returns the given
// address. If something else than Outline answers, it returns an error.
func Locate(ctx context.Context, environ []string, version, address string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*requestTimeout)
	defer cancel()
	// The other settings of the shell do not become part of an entry.
	settings := config.Examine(append(inherited(environ), "OUTLINE_API_URL="+address)).Config
	reached, err := app.Reach(app.Options{Config: settings, Version: version})
	if err != nil {
		return "", err
	}
	e := &examination{asker: newAsker(reached, settings.RequestTimeout)}
	defer e.close()
	base, err := url.Parse(e.base)
	if err != nil {
		return "", err
	}
	got := e.request(ctx, e.base, "auth.info", "{}", "")
	if got.status == 0 {
		return address, nil
	}
	problem, elsewhere := e.notOutline(base, got)
	if secured := "https" + strings.TrimPrefix(e.base, "http"); base.Scheme == "http" && got.status/100 == 3 && e.isOutline(ctx, secured) {
		return strings.TrimSuffix(secured, "/api"), nil
	}
	if !elsewhere {
		return address, nil
	}
	if right := e.findRoot(ctx, base); right != "" {
		return right, nil
	}
	return "", fmt.Errorf("there is no Outline at %s: %s; give the address that Outline has in the browser", address, problem.Finding)
}
