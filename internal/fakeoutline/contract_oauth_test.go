package fakeoutline

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"outline-mcp/test/fixtures"
)

// redacted matches what the recordings have in place of a secret.
var redacted = regexp.MustCompile(`ol_[a-z]+_REDACTED_\d+`)

// An oauthReplay replays the exchanges. What the recordings name is found in the
// answers and then stands for the workspace's own.
type oauthReplay struct {
	w     *Workspace
	clock time.Time
	lines []recording
	ours  map[string]string // by what was recorded
}

// unrecorded are the tokens of logins that were not recorded, with their person, client and
// scopes.
var unrecorded = []struct{ access, refresh, as, client, scope string }{
	{"ol_at_REDACTED_9", "", "viewer", "1k40ntqamqptjspcrski", "read write"},
	{"ol_at_REDACTED_10", "", "admin", "1k40ntqamqptjspcrski", "read write"},
	{"", "ol_rt_REDACTED_14", "member", "1k40ntqamqptjspcrski", "read write"},
	{"", "ol_rt_REDACTED_16", "member", "1k40ntqamqptjspcrski", "read write"},
	{"ol_at_REDACTED_18", "ol_rt_REDACTED_18", "member", "1k40ntqamqptjspcrski", "read write"},
	{"ol_at_REDACTED_19", "ol_rt_REDACTED_19", "member", "1k40ntqamqptjspcrski", "read write"},
	{"", "ol_rt_REDACTED_21", "member", "1k40ntqamqptjspcrski", "read write"},
	{"", "ol_rt_REDACTED_23", "member", "1k40ntqamqptjspcrski", "read write"},
}

func TestOAuthIsAsRecorded(t *testing.T) {
	p := newOAuthReplay(t)
	for i := range p.lines {
		r := &p.lines[i]
		number := r.number()
		if at, ok := recordedTimes[number]; ok {
			p.clock = recorded2.Add(at)
		}
		p.setUp(t, i)
		if number == "1973" {
			p.setUp(t, i+5) // 1978 has tokens of the client that is deleted here
		}
		p.clock = p.clock.Add(later[number])
		t.Run(r.Name, func(t *testing.T) {
			r.report(t, p.replay(t, r), nil)
		})
		if number != "1930" {
			p.clock = p.clock.Add(-later[number])
		}
	}
}

// later is how much later an exchange was. What 1868 and 1908 are about was aged in the
// database instead.
var later = map[string]time.Duration{"1868": 5*time.Minute + time.Second, "1908": time.Hour, "1930": 12 * time.Second}

// recordedTimes are the times of exchanges that create something, as later exchanges
// show them.
var recordedTimes = map[string]time.Duration{
	"1820": 152_210 * time.Millisecond, "1870": 153 * time.Second, "1876": 153_090 * time.Millisecond,
	"1909": 153_680 * time.Millisecond, "1922": 153_820 * time.Millisecond, "1925": 153_910 * time.Millisecond,
}

func newOAuthReplay(t *testing.T) *oauthReplay {
	t.Helper()
	p := &oauthReplay{clock: recorded2, lines: fixtures.Recorded[recording](t, "oauth"), ours: make(map[string]string)}
	seed := seedOfSequence(t)
	seed.Team.ID = "de2d7842-d2ed-4908-aa3d-18eb9da973bf"
	seed.Groups = []Group{{ID: "bc5021f4-38a9-41fb-ba42-f3e480c04375", Name: "Engineering", UserIDs: []string{max2}, CreatedAt: recorded2.Add(514 * time.Millisecond)}}
	page2("611696fb-0bdf-43c5-8fa4-51779f83e52a", handbook2)(&seed)
	seed.Documents[0].Title, seed.Documents[0].Text = "Retro notes", "What went well: zebra crossing."
	seed.Attachments = []Attachment{{ID: "9b03a929-cdd4-437f-a21d-e67d2001c651", UserID: max2, Name: "a.png", ContentType: "image/png", Content: []byte("x")}}
	var err error
	if p.w, err = Empty(Options{Now: func() time.Time { return p.clock }}, seed); err != nil {
		t.Fatal(err)
	}
	return p
}

// setUp makes the codes and tokens of an exchange that no exchange before it shows.
func (p *oauthReplay) setUp(t *testing.T, i int) {
	t.Helper()
	r := &p.lines[i]
	asked := redacted.FindAllString(string(r.Request.Body), -1)
	if r.Request.Authorization != nil {
		asked = append(asked, redacted.FindAllString(*r.Request.Authorization, -1)...)
	}
	for _, name := range asked {
		if p.ours[name] != "" {
			continue
		}
		if strings.HasPrefix(name, "ol_ac_") {
			p.ours[name] = p.codeOf(t, i)
		}
		for _, u := range unrecorded {
			if name == u.access || name == u.refresh {
				access, refresh := p.login(t, u.as, u.client, u.scope)
				p.ours[u.access], p.ours[u.refresh] = access, refresh
				delete(p.ours, "")
			}
		}
	}
}

// codeOf makes the code that an exchange redeems, of the member and for the client
// and challenge that make it succeed but for what it is about.
func (p *oauthReplay) codeOf(t *testing.T, i int) string {
	t.Helper()
	form := formOf(&p.lines[i])
	client, redirect := "1k40ntqamqptjspcrski", "http://127.0.0.1:4000/oauth/callback"
	if form.Get("redirect_uri") == "http://localhost:8787/callback" {
		client, redirect = "fjoxlosek3csglt49kas", form.Get("redirect_uri")
	}
	asked := url.Values{"client_id": {p.ours[client]}, "redirect_uri": {redirect}, "response_type": {"code"}, "state": {"x"}, "scope": {"read write"}}
	verifier := form.Get("code_verifier")
	switch name := p.lines[i].Name[5:]; {
	case name == "oauth.token-wrong-verifier":
		verifier = formOf(&p.lines[i+1]).Get("code_verifier")
	case strings.HasSuffix(name, "-no-verifier"), strings.HasSuffix(name, "public-wrong-verifier"):
		verifier = "another one"
	case name == "oauth.token-unknown-code":
		return "ol_ac_unknown"
	case name == "oauth.token-scope-read":
		asked.Set("scope", "read")
	case name == "oauth.token-scope-namespaced":
		asked.Set("scope", "documents:read collections:read")
	case name == "oauth.token-scope-empty":
		asked.Del("scope")
	}
	if verifier != "" {
		sum := sha256.Sum256([]byte(verifier))
		asked.Set("code_challenge", base64.RawURLEncoding.EncodeToString(sum[:]))
		asked.Set("code_challenge_method", "S256")
	}
	return codeFor(t, p.w, testKeys["member"], asked)
}

// login returns new tokens of a person for a client with the callback of the tests.
func (p *oauthReplay) login(t *testing.T, as, client, scope string) (access, refresh string) {
	t.Helper()
	asked := asksFor(scope)
	asked.Set("client_id", p.ours[client])
	form := redeems(codeFor(t, p.w, testKeys[as], asked))
	c, _ := p.w.oauth.Client(p.ours[client])
	form.Set("client_id", c.ClientID)
	form.Set("client_secret", c.Secret)
	return tokensOf(t, p.w, form)
}

// replay sends an exchange and returns the differences of its answer.
func (p *oauthReplay) replay(t *testing.T, exchange *recording) []string {
	t.Helper()
	p.advance(exchange)
	r := *exchange
	r.Request.Path = p.own(r.Request.Path)
	r.Request.Body = json.RawMessage(p.own(string(r.Request.Body)))
	if as, session := strings.CutSuffix(r.As, " (session)"); session {
		token, err := p.w.Session(testKeys[as])
		if err != nil {
			t.Fatal(err)
		}
		*r.Request.Authorization = "Bearer " + token
	} else if r.Request.Authorization != nil {
		*r.Request.Authorization = p.own(*r.Request.Authorization)
	}
	if r.As == "client by HTTP Basic" {
		pair := p.own("1k40ntqamqptjspcrski") + ":" + p.own("ol_sk_REDACTED_1")
		*r.Request.Authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(pair))
	}
	res, got := send(t, p.w, &r)
	if string(r.Response.Body) == "null" {
		if res.StatusCode != r.Response.Status {
			return []string{res.Status}
		}
		return nil
	}
	text := string(got)
	if location := res.Header.Get("Location"); location != "" && r.Response.Status == http.StatusFound {
		p.learn("", location, r.Response.Headers["location"])
		res.Header.Set("Location", p.recorded(location))
		text = p.recorded(text)
	} else if res.Header.Get("Content-Type") == "application/json; charset=utf-8" {
		var have, want any
		decode(t, got, &have)
		decode(t, r.Response.Body, &want)
		p.learn("", have, want)
		text = p.recorded(text)
	}
	found := compare(t, p.w, &r, res, []byte(text))
	for _, header := range []string{"Cache-Control", "Pragma"} {
		// The headers of 1925 to 1927 were not kept.
		want := r.Response.Headers[strings.ToLower(header)]
		if got := res.Header.Get(header); got != want && !strings.Contains(r.Name, "parallel") {
			found = append(found, header+" is "+got+", recorded "+want)
		}
	}
	return slices.DeleteFunc(found, func(difference string) bool {
		return byTheWay(difference) || strings.HasPrefix(difference, ".registration_") // clients do not manage their registration here
	})
}

// advance sets the clock to the time that an answer shows.
func (p *oauthReplay) advance(r *recording) {
	p.clock = p.clock.Add(time.Millisecond)
	var answer struct {
		Data struct {
			CreatedAt, UpdatedAt time.Time
		}
		IssuedAt int64 `json:"client_id_issued_at"`
	}
	_ = json.Unmarshal(r.Response.Body, &answer) // some have other forms
	for _, at := range []time.Time{answer.Data.CreatedAt, answer.Data.UpdatedAt, time.Unix(answer.IssuedAt, 0)} {
		if at.After(p.clock) {
			p.clock = at
		}
	}
}

// learn finds what the recording names in an answer.
func (p *oauthReplay) learn(key string, have, want any) {
	switch want := want.(type) {
	case map[string]any:
		have, _ := have.(map[string]any)
		for key := range want {
			p.learn(key, have[key], want[key])
		}
	case []any:
		have, _ := have.([]any)
		for i := range min(len(have), len(want)) {
			p.learn(key, have[i], want[i])
		}
	case string:
		have, _ := have.(string)
		if u, err := url.Parse(want); err == nil && u.Query().Has("code") {
			if h, err := url.Parse(have); err == nil {
				have, want = h.Query().Get("code"), u.Query().Get("code")
			}
		}
		named := key == "id" || key == "clientId" || key == "client_id" || redacted.MatchString(want)
		if named && len(have) > 10 && p.ours[want] == "" && !slices.Contains([]string{ada2, max2, vera2, gus2}, want) {
			p.ours[want] = have
		}
	}
}

// own replaces what the recording names by the workspace's own.
func (p *oauthReplay) own(text string) string {
	text = redacted.ReplaceAllStringFunc(text, func(name string) string { return cmp.Or(p.ours[name], name) })
	for name, own := range p.ours {
		if !redacted.MatchString(name) {
			text = strings.ReplaceAll(text, name, own)
		}
	}
	return text
}

// recorded is the opposite of own.
func (p *oauthReplay) recorded(text string) string {
	for name, own := range p.ours {
		text = strings.ReplaceAll(text, own, name)
	}
	return text
}
