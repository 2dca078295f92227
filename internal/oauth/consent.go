package oauth

import (
	_ "embed" // the page
	"net/http"
	"net/url"
	"strings"

	"outline-mcp/internal/oauth/client"
)

//go:embed consent.html
var consent markup

// ask shows the consent page.
func (s *Server) ask(w http.ResponseWriter, from client.Client, asked request) {
	// With no-referrer, browsers would send Origin: null with the form.
	w.Header().Set("Referrer-Policy", "same-origin")
	place, local := client.Destination(asked.Redirect)
	var warning markup
	if local || strings.HasSuffix(place, ":") { // a scheme
		warning = `<p class="warning" role="note">This is a program on your own device. Any program there can pretend to be this one.</p>` + "\n"
	}
	writePage(w, http.StatusOK, "Allow an app to use Outline?", "Allow "+nameOf(from)+" to use your Outline wiki?", fill(consent, map[string]markup{
		"who":     who(from),
		"place":   host(place),
		"warning": warning,
		"action":  authorizePath,
		"request": text(s.values.consent.seal(asked)),
		"choices": choices(asked.Scope),
		"limits":  s.limits(),
		"outline": "<strong>" + host(s.outlineHost()) + "</strong>",
	}))
}

// nameOf returns how the app is called in the heading.
func nameOf(from client.Client) markup {
	switch {
	case from.Source == client.Configured:
		return "an app that your administrator has set up"
	case from.Name == "":
		return "an app without a name"
	}
	return quoted(from.Name)
}

// who says how much of the app's identity is certain.
func who(from client.Client) markup {
	switch from.Source {
	case client.Configured:
		return "The administrator of this server has set up the app."
	case client.BuiltIn, client.Document:
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

// choices lets the person give less than was asked for.
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

// outlineHost returns the host where the person logs in.
func (s *Server) outlineHost() string {
	u, err := url.Parse(s.options.Outline.Authorize)
	if err != nil {
		return s.options.Outline.Authorize
	}
	return u.Host
}
