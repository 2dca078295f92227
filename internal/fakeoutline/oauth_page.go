package fakeoutline

import (
	"fmt"
	"html"
	"net/http"
	"strings"
)

// The pages are plain HTML without scripts and cookies: the first one lists the people of
// the workspace, none of whom has a password, and the second one asks for consent. Each is a
// form that goes to the address of the page, so that the pages work below any prefix.

// loginPage returns the page that asks who logs in.
func (s *oauthServer) loginPage(get func(string) string) apiReply {
	if _, err := s.asked(get); err != nil {
		return showPage(apiErrorOf(err).Status, "This request cannot be authorized", "<p>"+html.EscapeString(err.Error())+"</p>")
	}
	var b strings.Builder
	b.WriteString("<p>No password is needed in this workspace. Who are you?</p>\n")
	writeForm(&b, get)
	for _, u := range s.people() {
		writeHTML(&b, `<p><button name="person" value="%s">%s (%s)</button></p>`+"\n", u.ID, u.Name, string(u.Role))
	}
	b.WriteString("</form>\n")
	return showPage(http.StatusOK, "Log in", b.String())
}

// consentPage returns the page that asks a person for consent.
func consentPage(asked authorization, get func(string) string, person *User) apiReply {
	var b strings.Builder
	writeHTML(&b, "<p>%s asks for access as %s: %s. You will be sent to %s</p>\n", asked.client.Name, person.Name, strings.Join(asked.scopes, ", "), asked.redirect)
	writeForm(&b, get)
	writeHTML(&b, `<input type="hidden" name="person" value="%s">
<button name="decision" value="authorize">Authorize</button>
<button name="decision" value="cancel">Cancel</button>
</form>
`, person.ID)
	return showPage(http.StatusOK, "Authorize "+asked.client.Name, b.String())
}

// writeForm begins a form with what the application asks for.
func writeForm(b *strings.Builder, get func(string) string) {
	b.WriteString(`<form method="post" action="authorize">` + "\n")
	for _, name := range []string{"client_id", "redirect_uri", "response_type", "state", "scope", "code_challenge", "code_challenge_method"} {
		if value := get(name); value != "" {
			writeHTML(b, `<input type="hidden" name="%s" value="%s">`+"\n", name, value)
		}
	}
}

// writeHTML adds HTML to a page, with texts that are escaped. The package html/template is
// not used because it makes the linker keep 3 MB of methods.
func writeHTML(b *strings.Builder, format string, texts ...string) {
	escaped := make([]any, len(texts))
	for i, text := range texts {
		escaped[i] = html.EscapeString(text)
	}
	fmt.Fprintf(b, format, escaped...)
}

// showPage returns a page as a response. It may not be framed and loads nothing.
func showPage(status int, title, content string) apiReply {
	title = html.EscapeString(title)
	page := `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>` + title + `</title>
<style>body { overflow-wrap: anywhere } button { font: inherit; padding: .6rem 1rem; max-width: 100% }</style></head>
<body><main><h1>` + title + "</h1>\n" + content + "</main></body>\n</html>\n"
	return newAPIReply(status, "text/html; charset=utf-8", http.Header{
		"Content-Security-Policy": {"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"},
		"Cache-Control":           {"no-store"},
	}, []byte(page))
}
