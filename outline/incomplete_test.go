package outline_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/output"
)

// incomplete are values that lack something every document, collection and
// node of a tree has, and what is said of them.
var incomplete = map[string]string{
	`{"url":"/doc/x","text":""}`:                      "has no id",
	`{"id":null,"url":"/doc/x","text":""}`:            "has no id",
	`{"id":"","url":"/doc/x","text":""}`:              "has no id",
	`{"id":"1FF9VyHA4X","url":"/doc/x","text":""}`:    "has an id that is no UUID",
	`{"id":"` + uuid + `0","url":"/doc/x","text":""}`: "has an id that is no UUID",
	`{"id":"` + uuid + `","text":""}`:                 "has no url",
	`{"id":"` + uuid + `","url":null,"text":""}`:      "has no url",
	`{"id":"` + uuid + `","url":"","text":""}`:        "has no url",
}

// readers are the calls that return documents, collections or nodes, and their
// answers around one of them.
var readers = map[string]struct {
	data string
	call func(*testing.T, *outline.Client) error
}{
	"documents.info":        {`%s`, func(t *testing.T, c *outline.Client) error { _, err := c.Document(t.Context(), uuid); return err }},
	"documents.info nested": {`{"document":%s}`, func(t *testing.T, c *outline.Client) error { _, err := c.Document(t.Context(), uuid); return err }},
	"documents.create": {`%s`, func(t *testing.T, c *outline.Client) error {
		_, err := c.CreateDocument(t.Context(), outline.CreateDocumentParams{})
		return err
	}},
	"documents.update": {`%s`, func(t *testing.T, c *outline.Client) error {
		_, err := edit.Update(t.Context(), c, edit.Params{Before: before(1)})
		return err
	}},
	"documents.archive": {`%s`, func(t *testing.T, c *outline.Client) error {
		_, err := c.ArchiveDocument(t.Context(), uuid)
		return err
	}},
	"documents.restore": {`%s`, func(t *testing.T, c *outline.Client) error {
		_, err := c.RestoreDocument(t.Context(), uuid, "")
		return err
	}},
	"documents.search": {`[{` + `"document":{` + complete + `}},{"document":%s}]`, func(t *testing.T, c *outline.Client) error {
		_, err := c.Search(t.Context(), outline.SearchParams{})
		return err
	}},
	"documents.search_titles": {`[%s]`, func(t *testing.T, c *outline.Client) error {
		_, err := collect(c.SearchTitles(t.Context(), outline.SearchParams{}))
		return err
	}},
	"documents.list": {`[%s]`, func(t *testing.T, c *outline.Client) error {
		_, err := collect(c.Backlinks(t.Context(), uuid))
		return err
	}},
	"documents.duplicate": {`{"documents":[%s]}`, func(t *testing.T, c *outline.Client) error {
		_, err := c.DuplicateDocument(t.Context(), outline.DocumentSummary{ID: uuid}, outline.DuplicateDocumentParams{})
		return err
	}},
	"documents.archived": {`[%s]`, func(t *testing.T, c *outline.Client) error {
		_, err := c.ArchivedDocuments(t.Context(), outline.ArchivedParams{})
		return err
	}},
	"documents.deleted": {`[%s]`, func(t *testing.T, c *outline.Client) error {
		_, err := c.DeletedDocuments(t.Context(), "", outline.ListParams{})
		return err
	}},
	"documents.answerQuestion": {`{"search":{},"documents":[{` + complete + `},%s]}`, func(t *testing.T, c *outline.Client) error {
		_, err := c.AnswerQuestion(t.Context(), outline.QuestionParams{})
		return err
	}},
	"collections.list": {`[{` + complete + `},%s]`, func(t *testing.T, c *outline.Client) error {
		_, err := c.Collections(t.Context(), outline.ListParams{})
		return err
	}},
	"collections.info": {`%s`, func(t *testing.T, c *outline.Client) error { _, err := c.Collection(t.Context(), uuid); return err }},
	"collections.create": {`%s`, func(t *testing.T, c *outline.Client) error {
		_, err := c.CreateCollection(t.Context(), outline.CreateCollectionParams{})
		return err
	}},
	"collections.update": {`%s`, func(t *testing.T, c *outline.Client) error {
		_, err := c.UpdateCollection(t.Context(), outline.UpdateCollectionParams{})
		return err
	}},
	"collections.documents": {`[{` + complete + `,"children":[{` + complete + `,"children":[%s]}]}]`, func(t *testing.T, c *outline.Client) error {
		_, err := c.CollectionDocuments(t.Context(), uuid)
		return err
	}},
}

// answer is a call's success around one value.
func answer(t *testing.T, format, value string) *outline.Client {
	c, _ := ordered(t, "", nil, gives(200, jsonType, `{"ok":true,"pagination":{"total":2},"data":`+fmt.Sprintf(format, value)+`}`))
	return c
}

func TestWhatHasNoUUIDOrNoAddressIsABadAnswer(t *testing.T) {
	for name, reader := range readers {
		t.Run(name, func(t *testing.T) {
			for value, says := range incomplete {
				err := reader.call(t, answer(t, reader.data, value))
				if !errors.Is(err, outline.ErrBadAnswer) {
					t.Errorf("%s: error %v, want ErrBadAnswer", value, err)
				}
				contains(t, err, says)
			}
			if err := reader.call(t, answer(t, reader.data, `{`+complete+`}`)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestACommentWithoutAUUIDIsABadAnswer(t *testing.T) {
	for name, reader := range map[string]struct {
		data string
		call func(*outline.Client) error
	}{
		"comments.list": {`[{` + complete + `},%s]`, func(c *outline.Client) error { _, err := c.Comments(t.Context(), outline.CommentParams{}); return err }},
		"comments.info": {`%s`, func(c *outline.Client) error { _, err := c.Comment(t.Context(), uuid); return err }},
		"comments.create": {`%s`, func(c *outline.Client) error {
			_, err := c.CreateComment(t.Context(), outline.CreateCommentParams{})
			return err
		}},
	} {
		for value, says := range map[string]string{`{}`: "has no id", `{"id":"x"}`: "has an id that is no UUID"} {
			err := reader.call(answer(t, reader.data, value))
			if !errors.Is(err, outline.ErrBadAnswer) {
				t.Errorf("%s: %s: error %v, want ErrBadAnswer", name, value, err)
			}
			contains(t, err, says)
		}
		if err := reader.call(answer(t, reader.data, `{"id":"`+uuid+`"}`)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnOwnerOfTheKeyWithoutAnIDIsABadAnswer(t *testing.T) {
	if _, err := answer(t, `%s`, `{"user":{"name":"x"},"team":{"id":"x"}}`).AuthInfo(t.Context()); !errors.Is(err, outline.ErrBadAnswer) {
		t.Errorf("error %v, want ErrBadAnswer", err)
	}
}

func TestADocumentWithoutTextIsNoEmptyDocument(t *testing.T) {
	const summary = `"id":"` + uuid + `","url":"/doc/x","title":"x"`
	calls := map[string]struct {
		data string
		call func(*outline.Client) (outline.Document, error)
	}{
		"documents.info":        {`%s`, func(c *outline.Client) (outline.Document, error) { return c.Document(t.Context(), uuid) }},
		"documents.info nested": {`{"document":%s}`, func(c *outline.Client) (outline.Document, error) { return c.Document(t.Context(), uuid) }},
		"documents.create": {`%s`, func(c *outline.Client) (outline.Document, error) {
			return c.CreateDocument(t.Context(), outline.CreateDocumentParams{})
		}},
		"documents.update": {`%s`, func(c *outline.Client) (outline.Document, error) {
			updated, err := edit.Update(t.Context(), c, edit.Params{Before: before(1)})
			return updated.After, err
		}},
		"documents.move": {`{"documents":[%s]}`, func(c *outline.Client) (outline.Document, error) {
			return c.MoveDocument(t.Context(), outline.MoveDocumentParams{ID: uuid})
		}},
		"documents.restore": {`%s`, func(c *outline.Client) (outline.Document, error) { return c.RestoreDocument(t.Context(), uuid, "") }},
	}
	for name, test := range calls {
		for _, text := range []string{"", `,"text":null`} {
			_, err := test.call(answer(t, test.data, `{`+summary+text+`}`))
			if !errors.Is(err, outline.ErrBadAnswer) {
				t.Errorf("%s %q: error %v, want ErrBadAnswer", name, text, err)
			}
			contains(t, err, "no Markdown text")
		}
		for text, want := range map[string]string{`""`: "", `"words"`: "words"} {
			d, err := test.call(answer(t, test.data, `{`+summary+`,"text":`+text+`}`))
			if err != nil || d.Text != want || d.ID != uuid {
				t.Errorf("%s: text %q, %v; want %q", name, d.Text, err, want)
			}
		}
	}
	if page, err := answer(t, `[%s]`, `{`+summary+`}`).DeletedDocuments(t.Context(), "", outline.ListParams{}); err != nil || len(page.Items) != 1 {
		t.Errorf("a summary needs no text: %v", err)
	}
}

func TestTheMovedDocumentNeedsAnAddress(t *testing.T) {
	_, err := answer(t, `{"documents":[%s]}`, `{"id":"`+uuid+`","text":""}`).MoveDocument(t.Context(), outline.MoveDocumentParams{ID: uuid})
	if !errors.Is(err, outline.ErrBadAnswer) {
		t.Errorf("error %v, want ErrBadAnswer", err)
	}
	contains(t, err, "has no url")
}

func TestACallSaysWhatAnswersInPlaceOfOutline(t *testing.T) {
	const base = "https://wiki.example.com"
	for name, test := range map[string]struct {
		status int
		header string // "Name: value" lines
		body   string
		kind   outline.ForeignKind
		says   string // by a call
	}{
		"Outline":                             {401, "Content-Type: application/json", `{"ok":false,"error":"authentication_required","status":401,"message":"Authentication required"}`, "", ""},
		"Cloudflare Access, which redirects":  {302, "Location: https://team.cloudflareaccess.com/cdn-cgi/access/login/wiki?kid=hunter2", "", outline.CloudflareAccess, "Cloudflare Access in front of Outline requires a login (status 302 Found)"},
		"Cloudflare Access, which refuses":    {403, "Content-Type: text/html", "<title>Sign in ・ Cloudflare Access</title>", outline.CloudflareAccess, "Cloudflare Access in front of Outline requires a login (status 403 Forbidden)"},
		"Cloudflare Access, with a page":      {200, "Content-Type: text/html; charset=utf-8", "<title>Sign in ・ Cloudflare Access</title>", outline.CloudflareAccess, "requires a login (status 200 OK)"},
		"a challenge of Cloudflare":           {403, "Cf-Mitigated: challenge", "<!DOCTYPE html>", outline.Challenge, "Cloudflare in front of Outline blocks programs with a challenge for browsers (status 403 Forbidden)"},
		"an old challenge of Cloudflare":      {503, "Content-Type: text/html", "<title>Just a moment...</title>", outline.Challenge, "Cloudflare in front of Outline blocks programs"},
		"a challenge of AWS":                  {202, "X-Amzn-Waf-Action: challenge", "", outline.Challenge, "AWS WAF in front of Outline blocks programs"},
		"a challenge of Vercel":               {403, "X-Vercel-Mitigated: challenge", "", outline.Challenge, "Vercel in front of Outline blocks programs"},
		"a challenge of Anubis":               {200, "Content-Type: text/html", "<title>Making sure you&#39;re not a bot!</title>", outline.Challenge, "a bot filter in front of Outline blocks programs"},
		"error 1010":                          {403, "Content-Type: text/plain", "error code: 1010", outline.CloudflareBlock, "Cloudflare in front of Outline blocks this server with error 1010 (status 403 Forbidden)"},
		"error 1010 as JSON":                  {403, "Content-Type: application/problem+json", `{"cloudflare_error":true,"error_code": 1010}`, outline.CloudflareBlock, "blocks this server with error 1010"},
		"error 1020 as a page":                {403, "Content-Type: text/html", `<h1>Error <span class="cf-error-code">1020</span></h1>`, outline.CloudflareBlock, "blocks this server with error 1020"},
		"the firewall of Cloudflare":          {403, "Content-Type: text/html", `<title>Attention Required! | Cloudflare</title>`, outline.CloudflareBlock, "blocks this server with a rule of its firewall"},
		"error 1015":                          {429, "Content-Type: text/plain", "error code: 1015", outline.GatewayRateLimit, "a gateway in front of Outline limits the rate of requests (429)"},
		"error 1033":                          {530, "Content-Type: text/plain", "error code: 1033", outline.Unavailable, "Outline is not available: a gateway in front of it answers (530)"},
		"oauth2-proxy, to programs":           {401, "Content-Type: application/json", "{}", outline.Refusal, "a gateway in front of Outline refuses requests to https://wiki.example.com/api (status 401 Unauthorized)"},
		"oauth2-proxy, to browsers":           {403, "Content-Type: text/html", `<title>Sign In</title>`, outline.LoginPage, "a login page answers with text/html instead of Outline (status 403 Forbidden)"},
		"Authelia, which redirects":           {302, "Location: https://authelia.example.com/?rd=https%3A%2F%2Fwiki.example.com", "", outline.LoginRedirect, "a login at https://authelia.example.com is in front of Outline (status 302 Found)"},
		"Authelia, which refuses":             {401, "Content-Type: text/plain", "401 Unauthorized", outline.Refusal, "a gateway in front of Outline refuses requests"},
		"Authentik":                           {302, "Location: /outpost.goauthentik.io/start?rd=x", "", outline.LoginRedirect, "a login at https://wiki.example.com is in front of Outline"},
		"a login on another host":             {302, "Location: https://login.example.com/x", "", outline.LoginRedirect, "a login at https://login.example.com"},
		"a login on the same host":            {302, "Location: /users/sign_in", "", outline.LoginRedirect, "a login at https://wiki.example.com"},
		"a page that leads to a login":        {200, "Content-Type: text/html", `<meta http-equiv="refresh" content="0; url=/login?next=x">`, outline.LoginPage, "a login page answers"},
		"a login page":                        {200, "Content-Type: text/html", `<input type="password">`, outline.LoginPage, "a login page answers with text/html instead of Outline (status 200 OK)"},
		"a long login page":                   {200, "Content-Type: text/html; charset=utf-8", `<title data-x="y">Log in</title>` + strings.Repeat("x", 100<<10), outline.LoginPage, "a login page answers"},
		"Basic":                               {401, `Www-Authenticate: Basic realm="wiki"`, "", outline.PasswordLogin, "a gateway in front of Outline asks for a user name and password by HTTP Basic (status 401 Unauthorized)"},
		"Digest":                              {401, `Www-Authenticate: Digest realm="wiki"`, "", outline.PasswordLogin, "by HTTP Digest"},
		"NTLM":                                {401, "Www-Authenticate: NTLM", "", outline.PasswordLogin, "by HTTP NTLM (status"},
		"several schemes":                     {401, `Www-Authenticate: Bearer realm="a", Basic realm="wiki"`, "", outline.PasswordLogin, "by HTTP Basic"},
		"nginx, which refuses":                {403, "Content-Type: text/html", "<title>403 Forbidden</title><center>nginx</center>", outline.Refusal, "a gateway in front of Outline refuses requests"},
		"an API gateway, which refuses":       {403, "Content-Type: application/json", `{"message":"Forbidden"}`, outline.Refusal, "a gateway in front of Outline refuses requests"},
		"a page of nginx":                     {200, "Content-Type: text/html", "<title>Welcome to nginx!</title>", outline.WebPage, "there is no Outline API at https://wiki.example.com/api: a web page answers with text/html (status 200 OK)"},
		"a page without a content type":       {200, "", " <!doctype html><title>The blogging site</title>", outline.WebPage, "a web page answers"},
		"a page that is not found":            {404, "Content-Type: text/html", "<title>404 Not Found</title>", outline.WebPage, "a web page answers with text/html (status 404 Not Found)"},
		"another API":                         {404, "Content-Type: application/problem+json", "{}", outline.OtherAPI, "the server answers with JSON, but is not Outline (status 404 Not Found)"},
		"nothing":                             {404, "Content-Type: text/plain", "404 page not found", outline.Nothing, "there is nothing at this path (status 404 Not Found)"},
		"another server":                      {418, "", "", outline.Other, "the server is not Outline and sends no content type (status 418 I'm a teapot)"},
		"Outline's address on another host":   {301, "Location: https://docs.example.com/api/documents.info", "", outline.HostRedirect, "wiki.example.com redirects to https://docs.example.com, and the key is not sent there"},
		"a redirect that holds a secret":      {307, "Location: https://docs.example.com/hunter2?hunter2", "", outline.HostRedirect, "redirects to https://docs.example.com, and"},
		"a redirect to http://":               {301, "Location: http://wiki.example.com/", "", outline.HTTPRedirect, "wiki.example.com redirects from https:// to http://"},
		"a redirect to nowhere":               {304, "", "", outline.PathRedirect, "without saying where to"},
		"a proxy":                             {407, "", "", outline.ProxyLogin, "the proxy asks for a user name and password"},
		"a gateway that cannot reach Outline": {502, "Content-Type: text/html", "<h1>Bad Gateway</h1>", outline.Unavailable, "Outline is not available"},
		"a request that is too large":         {413, "Content-Type: text/html", "", outline.GatewaySizeLimit, "a gateway in front of Outline refuses requests of this size (413)"},
	} {
		t.Run(name, func(t *testing.T) {
			header := http.Header{}
			var pairs []string
			if field, value, ok := strings.Cut(test.header, ": "); ok {
				header.Set(field, value)
				pairs = []string{field, value}
			}
			if got := outline.Identify(base+"/api", test.status, header, []byte(test.body)); got.Kind != test.kind {
				t.Errorf("identified as %q, want %q", got.Kind, test.kind)
			}
			if test.kind == "" {
				return
			}
			kind := header.Get("Content-Type")
			c, _ := scripted(t, func(o *outline.Options) { o.MaxRetries = -1 }, gives(test.status, kind, test.body, pairs...))
			_, err := c.Collections(t.Context(), outline.ListParams{})
			if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "hunter2") || len(err.Error()) > 300 {
				t.Errorf("error %v, want %q", err, test.says)
			}
			said := output.Error(err).Sentence
			gateway := test.kind == outline.CloudflareAccess || test.kind == outline.CloudflareBlock || test.kind == outline.Challenge || test.kind == outline.LoginRedirect ||
				test.kind == outline.LoginPage || test.kind == outline.PasswordLogin || test.kind == outline.Refusal
			if gateway && (!strings.Contains(said, "OUTLINE_HEADERS") || !strings.Contains(said, test.says) || !errors.Is(err, outline.ErrBadAnswer)) {
				t.Errorf("a tool says %q", said)
			}
		})
	}
}

func TestALoginIsNotTakenForTheAddressOfAFile(t *testing.T) {
	for location, login := range map[string]bool{
		"https://authelia.example.com/?rd=https%3A%2F%2Fwiki.example.com%2Fapi%2Fattachments.redirect": true,
		"/outpost.goauthentik.io/start?rd=x":                              true,
		"https://storage.example.com/login/login.png?X-Amz-Signature=abc": false,
		"/api/files.get?sig=abc":                                          false,
		"https://cdn.example.com/public/auth/a.png":                       false,
	} {
		c, _ := scripted(t, func(o *outline.Options) { o.MaxRetries = -1 }, gives(http.StatusFound, "", "", "Location", location))
		if _, err := c.AttachmentLink(t.Context(), "11111111-1111-4111-8111-111111111111", ""); (err != nil) != login {
			t.Errorf("%s: %v", location, err)
		}
	}
	several := http.Header{"Www-Authenticate": {"Bearer", "Negotiate"}}
	if got := outline.Identify("https://wiki.example.com/api", http.StatusUnauthorized, several, nil); got.Kind != outline.PasswordLogin {
		t.Errorf("identified as %q", got.Kind)
	}
}

func TestAServerSpeaksHTTPSOnlyIfItWasAskedOverHTTP(t *testing.T) {
	body := []byte("The plain HTTP request was sent to HTTPS port")
	for base, want := range map[string]outline.ForeignKind{
		"http://wiki.example.com/api":  outline.PlainHTTPRefused,
		"https://wiki.example.com/api": outline.Other,
	} {
		if got := outline.Identify(base, http.StatusBadRequest, http.Header{}, body); got.Kind != want {
			t.Errorf("%s: identified as %q, want %q", base, got.Kind, want)
		}
	}
}
