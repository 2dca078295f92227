package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// The person who logs in, and where their client waits for the answer.
const (
	loginPerson   = "Isla Renwick"
	loginRedirect = "http://127.0.0.1:33418/callback"
)

// logIn logs the person in again and again until ctx ends, and calls tools with the
// tokens, before and after they are renewed.
func (s *soaking) logIn(ctx context.Context) {
	for ctx.Err() == nil {
		if err := s.logInOnce(ctx); err != nil && ctx.Err() == nil {
			s.mu.Lock()
			s.failed++
			s.mu.Unlock()
		}
		pause(ctx, time.Second)
	}
}

func (s *soaking) logInOnce(ctx context.Context) error {
	b := newBrowser(s.fleet)
	client, access, refresh, err := b.logIn(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.logins++
	s.mu.Unlock()
	s.isPerson(ctx, access)
	s.read(ctx, "Authorization", "Bearer "+access)
	access, _, err = b.token(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}, "client_id": {client}})
	if err != nil {
		return err
	}
	s.isPerson(ctx, access)
	return nil
}

// isPerson checks whom a token belongs to.
func (s *soaking) isPerson(ctx context.Context, access string) {
	if a := s.call(ctx, "Authorization", "Bearer "+access, "get_workspace", map[string]any{}); a.ok() && !strings.Contains(a.text, loginPerson) {
		s.isWrong("the login of %s belongs to %.300s", loginPerson, a.text)
	}
}

// A browser follows a login as a person does.
type browser struct {
	http   *http.Client
	origin string
}

func newBrowser(f *fleet) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // only its options can be wrong
	}
	return &browser{origin: "https://" + f.address, http: &http.Client{Transport: f.client.Transport, Timeout: time.Minute, Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// logIn registers a client and logs the person in.
func (b *browser) logIn(ctx context.Context) (client, access, refresh string, err error) {
	var registered struct {
		ID string `json:"client_id"`
	}
	body, _, err := b.visit(ctx, b.origin+"/oauth/register", "application/json", `{"client_name":"Soak","redirect_uris":["`+loginRedirect+`"]}`)
	if err != nil {
		return "", "", "", err
	}
	if err := json.Unmarshal([]byte(body), &registered); err != nil {
		return "", "", "", err
	}
	verifier := rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(verifier))
	code, err := b.code(ctx, b.origin+"/oauth/authorize?"+url.Values{
		"response_type": {"code"}, "client_id": {registered.ID}, "redirect_uri": {loginRedirect}, "scope": {"read"}, "state": {"soak"}, "resource": {b.origin + "/mcp"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}.Encode())
	if err != nil {
		return "", "", "", err
	}
	access, refresh, err = b.token(ctx, url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {loginRedirect}, "code_verifier": {verifier}, "client_id": {registered.ID}})
	return registered.ID, access, refresh, err
}

// The parts of a page that a login needs.
var (
	formAction  = regexp.MustCompile(`<form[^>]* action="([^"]*)"`)
	hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)
	personField = regexp.MustCompile(`name="person" value="([^"]*)">` + loginPerson)
)

// code follows redirects and submits forms until the client gets its code.
func (b *browser) code(ctx context.Context, address string) (string, error) {
	kind, form := "", ""
	for range 12 {
		page, to, err := b.visit(ctx, address, kind, form)
		if err != nil {
			return "", err
		}
		kind, form = "", ""
		if to != nil {
			if strings.HasPrefix(to.String(), loginRedirect) {
				if code := to.Query().Get("code"); code != "" {
					return code, nil
				}
				return "", fmt.Errorf("the login ends with %s", to.Query().Get("error"))
			}
			address = to.String()
			continue
		}
		action := formAction.FindStringSubmatch(page)
		if action == nil {
			return "", fmt.Errorf("%s has no form", address)
		}
		begin, _, _ := strings.Cut(page, "</form>")
		fields := url.Values{}
		for _, field := range hiddenField.FindAllStringSubmatch(begin, -1) {
			fields.Add(field[1], html.UnescapeString(field[2]))
		}
		switch person := personField.FindStringSubmatch(begin); {
		case person != nil:
			fields.Set("person", person[1])
		case strings.Contains(begin, `value="authorize"`):
			fields.Set("decision", "authorize")
		default:
			fields.Set("decision", "allow")
		}
		at, err := url.Parse(address)
		if err != nil {
			return "", err
		}
		next, err := at.Parse(html.UnescapeString(action[1]))
		if err != nil {
			return "", err
		}
		address, kind, form = next.String(), "application/x-www-form-urlencoded", fields.Encode()
	}
	return "", errors.New("the login does not end")
}

// token asks for tokens.
func (b *browser) token(ctx context.Context, form url.Values) (access, refresh string, err error) {
	body, _, err := b.visit(ctx, b.origin+"/oauth/token", "application/x-www-form-urlencoded", form.Encode())
	if err != nil {
		return "", "", err
	}
	var tokens struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	if err := json.Unmarshal([]byte(body), &tokens); err != nil || tokens.Access == "" {
		return "", "", fmt.Errorf("there is no token in the answer: %w", err)
	}
	return tokens.Access, tokens.Refresh, nil
}

// visit gets a page, or posts to it if there is a type of content, and returns it or
// where it leads.
func (b *browser) visit(ctx context.Context, address, contentType, body string) (page string, to *url.URL, err error) {
	method := http.MethodGet
	if contentType != "" {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return "", nil, err
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
		request.Header.Set("Origin", request.URL.Scheme+"://"+request.URL.Host)
	}
	response, err := b.http.Do(request)
	if err != nil {
		return "", nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return "", nil, err
	}
	if response.StatusCode >= 400 {
		return "", nil, fmt.Errorf("%s: status %d: %.200s", address, response.StatusCode, content)
	}
	if response.Header.Get("Location") != "" {
		to, err = response.Location()
	}
	return string(content), to, err
}
