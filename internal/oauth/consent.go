package oauth

import (
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"errors"
	"html"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

//go:embed consent.html
var consent markup

// ask shows the consent page.
func (s *Server) ask(w http.ResponseWriter, from Client, asked request) {
	// With no-referrer, browsers would send Origin: null with the form.
	w.Header().Set("Referrer-Policy", "same-origin")
	place, local := Destination(asked.Redirect)
	login, _ := Destination(s.options.Outline.Authorize)
	var warning markup
	switch {
	case local:
		warning = `<p class="warning" role="note">This is a program on your own device. Any program there can pretend to be this one.</p>` + "\n"
	case strings.HasSuffix(place, ":"): // a scheme
		warning = `<p class="warning" role="note">The answer goes to the program on your own device that opens links of this kind. It may be another one, or a browser that passes the answer on.</p>` + "\n"
	}
	writePage(w, http.StatusOK, "Allow an app to use Outline?", "Allow "+nameOf(from)+" to use your Outline wiki?", fill(consent, map[string]markup{
		"who":     who(from),
		"place":   host(place),
		"warning": warning,
		"action":  authorizePath,
		"request": text(s.values.consent.seal(asked)),
		"choices": choices(asked.Scope),
		"limits":  s.limits(),
		"outline": "<strong>" + host(login) + "</strong>",
	}))
}

// nameOf returns how the app is called in the heading.
func nameOf(from Client) markup {
	switch {
	case from.Source == Configured:
		return "an app that your administrator has set up"
	case from.Name == "":
		return "an app without a name"
	}
	return quoted(from.Name)
}

// who says how much of the app's identity is certain.
func who(from Client) markup {
	switch from.Source {
	case Configured:
		return "The administrator of this server has set up the app."
	case BuiltIn, Document:
		if u, err := url.Parse(from.ID); err == nil {
			return "The app is published at <strong>" + host(u.Host) + "</strong>."
		}
	}
	return "This is the name that the app gives itself. It is not verified."
}

const (
	mayWrite = "Search and read everything that you can see in Outline; create, edit, move, archive, and delete what you have permission for."
	mayRead  = "Search and read everything that you can see in Outline. It can't change anything."
)

// choices lets the user give less than was asked for.
func choices(asked Scope) markup {
	choice := func(value Scope, checked, name, description markup) markup {
		return `<label class="choice"><input type="radio" name="scope" value="` + text(string(value)) + `"` + checked + `><span>` + name + `</span><span class="soft">` + description + "</span></label>\n"
	}
	if !asked.Writes() {
		return "<h2>The app can</h2>\n<p>" + mayRead + "</p>\n"
	}
	return "<fieldset>\n<legend>The app can</legend>\n" + choice(Write, " checked", "Read and change", mayWrite) + choice(Read, "", "Read only", mayRead) + "</fieldset>\n"
}

// limits lists what the operator does not allow.
func (s *Server) limits() markup {
	limits := s.options.Limits
	if s.options.ReadOnly {
		limits = append([]string{"Apps can only read."}, limits...)
	}
	if len(limits) == 0 {
		return ""
	}
	list := markup("<h2>Limits of this server</h2>\n<ul>\n")
	for _, limit := range limits {
		list += "<li>" + text(limit) + "</li>\n"
	}
	return list + "</ul>\n"
}

// forgedProblem means that a form or a state was not made for this browser.
func forgedProblem() *problem {
	return &problem{status: http.StatusForbidden, code: "access_denied", description: "the request does not belong to a login of this browser", reason: Forged}
}

// staleProblem says why a form or a state does not open.
func staleProblem(err error) *problem {
	if errors.Is(err, ErrExpired) {
		return invalidRequest(Expired, "the page has expired")
	}
	return forgedProblem()
}

func deniedProblem() *problem {
	return &problem{status: http.StatusOK, code: "access_denied", description: "access was not allowed", reason: Denied}
}

// explain shows a problem to the user. The client is not told: where its answer would go
// is not certain.
func (s *Server) explain(w http.ResponseWriter, r *http.Request, p *problem) {
	s.refused(r, p)
	title, what, next := explanation(p)
	p.sayWhen(w)
	status := p.status
	if status == http.StatusUnauthorized {
		status = http.StatusBadRequest // the user has nothing to authenticate with here
	}
	writePage(w, status, title, text(title), "<p>"+text(what)+"</p>\n<p>"+text(next)+"</p>\n")
}

// explanation says what has happened and what to do, in words for the user.
func explanation(p *problem) (title, what, next string) {
	const again = "Go back to the app and connect it again."
	switch p.reason {
	case BadClient:
		if p.status >= http.StatusInternalServerError {
			return "The app can't be checked", "The description that the app publishes about itself can't be fetched.", "Try again in a minute. If that does not help, tell the developer of the app."
		}
		return "Unknown app", "The app has not registered with this server, its registration has expired, or the description that it publishes about itself is not valid.", "In the app, remove the connection to this server and add it again."
	case BadRedirect:
		return "The app's address is not registered", "The app asks for the answer to be sent to an address that it has not registered. Nothing was sent.", "In the app, remove the connection to this server and add it again. If that does not help, tell the developer of the app."
	case Forged:
		return "This login can't be continued", "It was started in another browser, is already complete, or your browser blocks cookies. The app did not get access.", again
	case Expired:
		return "This page has expired", "You have ten minutes to complete a login. The app did not get access.", again
	case Denied:
		return "Access denied", "The app did not get access.", "You can close this page."
	}
	return "This request is not valid", "Something is wrong with the link or the form: " + p.description + ".", again
}

// markup is HTML. Text becomes markup with text or quoted only. The package html/template
// would add 3 MB to the program, because the linker then keeps every exported method.
type markup string

var (
	//go:embed frame.html
	frame markup
	//go:embed style.css
	style markup
)

// pagePolicy allows a page its own style and nothing else. It has no form-action: browsers
// apply that to where a form leads in the end, too, which is the client.
var pagePolicy = "default-src 'none'; style-src 'sha256-" + hashOf(style) + "'; base-uri 'none'; frame-ancestors 'none'"

func hashOf(content markup) string {
	sum := sha256.Sum256([]byte(content))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// fill replaces each {name} of a template, in one pass: values are not looked at again.
func fill[V ~string](template markup, values map[string]V) markup {
	var pairs []string
	for name, value := range values {
		pairs = append(pairs, "{"+name+"}", string(value))
	}
	return markup(strings.NewReplacer(pairs...).Replace(string(template)))
}

func text(s string) markup { return markup(html.EscapeString(s)) }

// host shows a host in full: its end says whose it is. It stands apart from the text around it.
func host(name string) markup { return "<bdi>" + text(name) + "</bdi>" }

// quoted shows a name (see cleanName) in quotation marks, which it cannot end itself.
func quoted(name string) markup {
	return "“<bdi>" + text(strings.NewReplacer("“", "'", "”", "'", "„", "'", `"`, "'").Replace(name)) + "</bdi>”"
}

// writePage answers with a page.
func writePage(w http.ResponseWriter, status int, title string, heading, content markup) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(fill(frame, map[string]markup{"title": text(title), "style": style, "heading": heading, "content": content})))
}

// maxBody limits the body of every request, in bytes.
const maxBody = 16 << 10

// body reads the body of a request that has to be of a content type.
func body(w http.ResponseWriter, r *http.Request, contentType string) ([]byte, *problem) {
	if got, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || got != contentType {
		return nil, invalidRequest(BadRequest, "the body must be "+contentType)
	}
	content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return nil, &problem{status: http.StatusRequestEntityTooLarge, code: "invalid_request", description: "the body is too long", reason: BadRequest}
	}
	if err != nil {
		return nil, invalidRequest(BadRequest, "the body could not be read")
	}
	return content, nil
}

// parameters are those of a request.
type parameters url.Values

// form returns the parameters in the body of a request.
func form(w http.ResponseWriter, r *http.Request) (parameters, *problem) {
	content, problem := body(w, r, "application/x-www-form-urlencoded")
	if problem != nil {
		return nil, problem
	}
	return parse(string(content))
}

// parse refuses parameters that are repeated (RFC 6749, section 3.1), apart from resource,
// of which there can be several (RFC 8707, section 2).
func parse(encoded string) (parameters, *problem) {
	values, err := url.ParseQuery(encoded)
	if err != nil {
		return nil, invalidRequest(BadRequest, "the parameters are malformed")
	}
	for name, given := range values {
		if len(given) > 1 && name != "resource" {
			return nil, invalidRequest(BadRequest, "a parameter is repeated")
		}
	}
	return parameters(values), nil
}

// get returns a parameter, or "" if it is missing, which is the same (RFC 6749, section
// 3.1).
func (p parameters) get(name string) string { return url.Values(p).Get(name) }

// isFor reports whether a request is for this server's MCP endpoint only. A request that
// names no resource is: there is no other.
func (s *Server) isFor(p parameters) bool {
	for _, resource := range p["resource"] {
		if resource != "" && resource != s.resource && resource != s.resource+"/" {
			return false
		}
	}
	return true
}
