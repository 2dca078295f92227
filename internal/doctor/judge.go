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
)

// A verdict says what answers instead of Outline, and what to do about it.
type verdict struct {
	check, finding, advice string
	elsewhere              bool // Outline may be at another path of the host
}

func (e *examination) judgeDemo(got answer) {
	if !got.fromOutline() {
		e.add(Failure, "outline", "the sample workspace does not answer", "")
		return
	}
	e.reached = true
	e.add(OK, "outline", "the sample workspace in this program", "")
}

// judge reports whether an answer to auth.info without a key is from Outline.
func (e *examination) judge(ctx context.Context, base *url.URL, got answer) {
	found := e.verdict(base, got)
	if found.finding == "" {
		e.reached = true
		e.add(OK, "outline", "Outline's API answers at "+e.base, "", map[string]any{"url": e.base})
		return
	}
	if found.elsewhere {
		if path, is := e.findPath(ctx, base, got); is {
			right := base.Scheme + "://" + base.Host + path
			e.add(Failure, "outline", fmt.Sprintf("Outline's API is at %s/api, not at %s", right, e.base), "set OUTLINE_API_URL="+right, map[string]any{"url": right + "/api"})
			return
		}
	}
	e.fail(found.check, found.finding, found.advice)
}

// pastLogin is the advice for a login in front of Outline.
const pastLogin = "configure it to pass /api without a login (Outline checks the key itself), let this server in with OUTLINE_HEADERS or OUTLINE_CLIENT_CERT, or use an address of Outline behind it"

// verdict returns what is wrong with an answer. Its finding is "" if nothing is.
func (e *examination) verdict(base *url.URL, got answer) verdict {
	status := statusText(got.status)
	failed := func(finding, advice string) verdict { return verdict{"outline", finding, advice, false} }
	switch {
	case got.fromOutline() && got.status == http.StatusNotFound:
		return verdict{"outline", "Outline answers, but there is no API at " + e.base, "set OUTLINE_API_URL to the address of Outline in the browser, without the path of a page", true}
	case got.fromOutline() && got.status >= 500:
		return failed("Outline answers with an internal error ("+status+")", "check Outline's log")
	case got.fromOutline():
		return verdict{}
	}
	notHere := func(finding, advice string) verdict { return verdict{"outline", finding, advice, true} }
	const ofBrowser = "set OUTLINE_API_URL to the address of Outline in the browser, without the path of a page"
	switch kind := outline.Identify(got.status, got.header, got.body); kind {
	case outline.CloudflareAccess:
		return failed("Cloudflare Access in front of Outline requires a login (status "+status+")", pastLogin)
	case outline.CloudflareChallenge:
		return failed("Cloudflare in front of Outline blocks programs (status "+status+", a challenge for browsers)", "add an exception for /api there")
	case outline.Redirect, outline.LoginRedirect:
		return e.redirected(base, got, kind)
	case outline.ProxyLogin:
		return verdict{"proxy", "the proxy asks for a user name and password (407)", "write them into " + e.proxyVariable(base.Scheme) + " to http://user:password@host:port", false}
	case outline.PlainHTTPRefused:
		check := httpsOnHTTP(outlineAt(base))
		return verdict{check.Name, check.Finding, check.Advice, false}
	case outline.BasicLogin:
		return failed("a proxy in front of Outline asks for a user name and password (status "+status+", Basic)", pastLogin)
	case outline.Unavailable:
		return failed(unavailable(got), "unless this is planned maintenance, check the logs of Outline and of the proxy in front of it")
	case outline.GatewayRateLimit:
		return failed("a proxy in front of Outline limits the rate of requests (429)", "wait, and raise its limit for /api")
	case outline.LoginPage:
		return notHere("a login page answers instead of Outline (status "+status+quoted(outline.PageTitle(got.body))+")", pastLogin)
	case outline.WebPage:
		return notHere("a web page answers instead of Outline's API (status "+status+quoted(outline.PageTitle(got.body))+")", ofBrowser)
	case outline.OtherAPI:
		return notHere("the server at "+e.base+" answers with JSON, but is not Outline (status "+status+")", "check host and port in OUTLINE_API_URL")
	case outline.Nothing:
		return notHere("there is nothing at "+e.base+" (status "+status+")", "check host, port and path in OUTLINE_API_URL")
	}
	return notHere("the server at "+e.base+" is not Outline (status "+status+", "+kindOf(got)+")", "check host and port in OUTLINE_API_URL, and any proxy in front of Outline")
}

// redirected returns the verdict on an answer that redirects.
func (e *examination) redirected(base *url.URL, got answer, kind outline.Foreign) verdict {
	to, err := base.Parse(got.header.Get("Location"))
	if err != nil || to.Host == "" {
		return verdict{"outline", "the address redirects without saying where to (status " + statusText(got.status) + ")", "check OUTLINE_API_URL", true}
	}
	// Without the query, and with the path only if it is that of the API: others
	// may contain secrets.
	origin := to.Scheme + "://" + to.Host
	path, is := strings.CutSuffix(to.EscapedPath(), "/api/auth.info")
	right := tidy(origin+path, "", maxURL)
	if !is {
		right = tidy(origin, "", maxURL)
	}
	same := to.Hostname() == base.Hostname()
	switch {
	case same && base.Scheme == "http" && to.Scheme == "https":
		if !is {
			right += strings.TrimSuffix(base.EscapedPath(), "/api")
		}
		return verdict{"outline", fmt.Sprintf("%s://%s redirects to %s", base.Scheme, base.Host, right), "use https:// in OUTLINE_API_URL: " + right, false}
	case same && base.Scheme == "https" && to.Scheme == "http":
		return verdict{"outline", base.Host + " redirects from https:// to http://", "change that in the proxy in front of Outline", false}
	case kind == outline.LoginRedirect:
		return verdict{"outline", "a login at " + tidy(origin, "", maxURL) + " is in front of Outline (status " + statusText(got.status) + ")", pastLogin, false}
	case to.Host == base.Host:
		return verdict{"outline", "the address redirects to another path of the host (status " + statusText(got.status) + ")", "set OUTLINE_API_URL to the address of Outline in the browser, without the path of a page", true}
	}
	return verdict{"outline", fmt.Sprintf("%s redirects to %s, and the key is not sent there", base.Host, right), "if that is where Outline is, set OUTLINE_API_URL=" + right + "; if it is a login, " + pastLogin, false}
}

// findPath looks for Outline at other paths of the host, without the key.
func (e *examination) findPath(ctx context.Context, base *url.URL, got answer) (string, bool) {
	for _, path := range otherPaths(base, got) {
		if e.isOutline(ctx, base.Scheme+"://"+base.Host+path+"/api") {
			return path, true
		}
	}
	return "", false
}

// isOutline reports whether Outline's API answers at base, without the key.
func (e *examination) isOutline(ctx context.Context, base string) bool {
	got := e.request(ctx, base, "auth.info", "{}", "")
	return got.fromOutline() && got.status != http.StatusNotFound && got.status < 500
}

// otherPaths returns the paths of the host where Outline may be instead: where
// the answer redirects to, above the path of base, and common ones.
func otherPaths(base *url.URL, got answer) []string {
	var paths []string
	tried := map[string]bool{strings.TrimSuffix(base.Path, "/api"): true}
	add := func(path string) {
		if !tried[path] && len(path) <= 200 {
			tried[path] = true
			paths = append(paths, path)
		}
	}
	if to, err := base.Parse(got.header.Get("Location")); err == nil && to.Host == base.Host {
		path, _, _ := strings.Cut(to.EscapedPath(), "/api")
		add(strings.TrimRight(path, "/"))
	}
	above := strings.TrimSuffix(base.EscapedPath(), "/api")
	for n := 0; above != "" && n < 4; n++ {
		above = above[:strings.LastIndexByte(above, '/')]
		add(above)
	}
	for _, usual := range []string{"", "/wiki", "/outline", "/docs", "/kb"} {
		add(usual)
	}
	return paths
}

// unavailable returns the finding for the answer of a proxy that cannot reach
// Outline.
func unavailable(got answer) string {
	text := "Outline is not available: the proxy in front of it answers " + statusText(got.status)
	if wait, err := strconv.Atoi(strings.TrimSpace(got.header.Get("Retry-After"))); err == nil && wait > 0 {
		text += fmt.Sprintf(", try again in %d s", wait)
	}
	return text
}

// quoted returns an untrusted text as an addition to a sentence.
func quoted(text string) string {
	if text = short(text); text == "" {
		return ""
	}
	return ", “" + text + "”"
}

func kindOf(got answer) string {
	if kind := got.kind(); kind != "" {
		return short(kind)
	}
	return "no content type"
}

// statusText returns a status code with its name.
func statusText(status int) string {
	if name := http.StatusText(status); name != "" {
		return fmt.Sprintf("%d %s", status, name)
	}
	return strconv.Itoa(status)
}

// Locate returns the address at which Outline's API answers: the given one, or
// another path of its host, or the same with https://. It sends no key. If nothing
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
	found := e.verdict(base, got)
	if secured := "https" + strings.TrimPrefix(e.base, "http"); base.Scheme == "http" && got.status/100 == 3 && e.isOutline(ctx, secured) {
		return strings.TrimSuffix(secured, "/api"), nil
	}
	if !found.elsewhere {
		return address, nil
	}
	if path, is := e.findPath(ctx, base, got); is {
		return base.Scheme + "://" + base.Host + path, nil
	}
	return "", fmt.Errorf("there is no Outline at %s: %s; give the address that Outline has in the browser", address, found.finding)
}
