package fakeoutline

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"outline-mcp/test/fixtures"
)

// A recordedList is an exchange about a list of documents or users, reduced to the IDs in
// the answer.
type recordedList struct {
	Name, As, Path string
	Body           json.RawMessage
	Status         int
	IDs            []string
	Hits           []any
	Pagination     map[string]any
	Answer         any // where it is no list
}

// unlikeLists2 are the exchanges that are answered otherwise, each with the reason.
var unlikeLists2 = map[string]string{
	"546": "nobody has viewed a document, so that its popularity orders nothing",
	"547": "the same",
	"550": "without a collection the order by index is arbitrary",
	"605": "who viewed what is not kept",
	"606": "the same",
	"607": "the same",
	"608": "the same",
}

func TestListsAreAsRecorded(t *testing.T) {
	w, err := Empty(Options{Now: func() time.Time { return recorded2.Add(20 * time.Second) }}, beforeLists(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range fixtures.Recorded[recordedList](t, "list_answers") {
		t.Run(r.Name, func(t *testing.T) {
			(&recording{Name: r.Name}).report(t, r.differences(t, w), unlikeLists2)
		})
	}
}

// differences makes a recorded request and compares the answer.
func (r *recordedList) differences(t *testing.T, w *Workspace) []string {
	t.Helper()
	path, query, _ := strings.Cut(r.Path, "?")
	req := newCall(t, testKeys[r.As], path, string(r.Body))
	req.URL.RawQuery = query
	res, err := w.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Data       []map[string]any
		Pagination map[string]any
	}
	var whole any
	if err := json.NewDecoder(res.Body).Decode(&whole); err != nil {
		t.Fatal(err)
	}
	if r.Status >= 400 {
		dropMessages(whole, r.Answer)
	}
	if res.StatusCode != r.Status || r.Status != http.StatusOK || r.Answer != nil {
		return append(differences("", whole, r.Answer), differences(".status", float64(res.StatusCode), float64(r.Status))...)
	}
	encoded, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	decode(t, encoded, &answer)
	ids := []string{}
	var hits []any
	for _, item := range answer.Data {
		if document, ok := item["document"].(map[string]any); ok {
			delete(item, "document")
			hits = append(hits, item)
			item = document
		}
		ids = append(ids, item["id"].(string))
	}
	var found []string
	if !slices.Equal(ids, r.IDs) {
		found = append(found, fmt.Sprintf("lists %q, recorded %q", ids, r.IDs))
	} else {
		found = differences(".data", hits, r.Hits)
	}
	return append(found, differences(".pagination", any(answer.Pagination), any(r.Pagination))...)
}

// beforeLists is what the exchanges found.
func beforeLists(t *testing.T) Seed {
	t.Helper()
	seed := seed2(t, &recording{})
	seed.Users = append(seed.Users, User{
		ID: "fe736d3b-aeed-437e-9617-17116b366f21", Name: "Sue Spended", Email: "suspended@acme.example.com",
		Role: Member, Suspended: true, CreatedAt: recorded2.Add(383 * time.Millisecond),
	})
	seed.Keys = append(seed.Keys,
		Key{ID: "scoped", Secret: testKeys["scoped"], UserID: ada2, Scopes: []string{"documents:read", "collections:read"}},
		Key{ID: "route_scoped", Secret: testKeys["route_scoped"], UserID: max2, Scopes: []string{"/api/documents.list", "/api/documents.search"}},
		Key{ID: "global_read", Secret: testKeys["global_read"], UserID: max2, Scopes: []string{"read"}},
	)
	for i := range seed.Collections {
		if c := &seed.Collections[i]; c.ID == secret2 {
			c.Memberships = []Membership{{ID: "adas", UserID: ada2, Permission: Manage}}
		}
	}
	for _, o := range slices.Backward(fixtures.Recorded[recordedObject](t, "list_documents")) { // the newest is on top
		d := o.document()
		if !d.isDraft() {
			d.Revision++ // a revision of it was written meanwhile
		}
		if deletedBy := map[string]string{"Deleted note": ada2, "Max deleted note": max2}[d.Title]; deletedBy != "" {
			d.DeletedAt, d.DeletedBy = d.CreatedAt.Add(time.Millisecond), deletedBy
		}
		seed.Documents = append(seed.Documents, d)
	}
	seed.Documents = withParents(seed.Documents)
	return seed
}

// unlikeAttachments are the exchanges that are not answered as recorded, each with
// the reason.
var unlikeAttachments = map[string]string{
	"805": "there are no templates, so that the one to upload for is unknown",
	"808": "Outline names the file in the answer, although it has none",
	"836": "files are not sent in parts",
	"830": "browsers get a page",
	"846": "Outline addresses an avatar by where it is stored",
	"865": "the file was created from a URL",
}

const withFiles2 = "9271825e-f311-4069-935f-5156a2ed52fe"

func TestWorkspaceAnswersAboutFilesAsRecorded(t *testing.T) {
	var have []Attachment // before the exchange
	linked := ""          // the file that the last link was to
	for _, r := range fixtures.Recorded[recording](t, "attachments") {
		if key := storedAt.FindStringSubmatch(string(r.Request.Body)); key != nil && !slices.ContainsFunc(have, func(a Attachment) bool { return a.ID == key[2] }) {
			have = append(have, Attachment{ID: key[2], UserID: key[1], DocumentID: withFiles2, Name: "m.txt", ContentType: "text/plain", Declared: 5})
		}
		if number := r.number(); number == "837" || number == "840" {
			linked = "47f0a085-f854-4ecd-b2f6-3f3317962396" // by a link that is not recorded
		}
		t.Run(r.Name, func(t *testing.T) {
			r.report(t, replayAttachments(t, &r, have, linked), unlikeAttachments)
		})
		have, linked = afterwards(t, &r, have, linked)
	}
}

var storedAt = regexp.MustCompile(`uploads/([0-9a-f-]{36})/([0-9a-f-]{36})/`)

// replayAttachments sends a recorded request to a workspace with these files.
func replayAttachments(t *testing.T, r *recording, have []Attachment, linked string) []string {
	seed := seed2(t, &recording{})
	page2(withFiles2, handbook2)(&seed)
	page2(plan2, secret2)(&seed)
	page2("8a13a102-4620-459b-8f5c-6154a931ed9a", handbook2)(&seed)
	seed.Documents[2].ArchivedAt = recorded2
	seed.Keys = append(
		seed.Keys,
		Key{ID: withFiles2, Secret: testKeys["scoped"], UserID: ada2, Scopes: []string{"documents:read", "collections:read"}},
		Key{ID: withFiles2, Secret: testKeys["route_scoped"], UserID: ada2, Scopes: []string{"/api/documents.list", "/api/documents.search"}},
		Key{ID: withFiles2, Secret: testKeys["global_read"], UserID: ada2, Scopes: []string{"read"}},
		Key{ID: withFiles2, Secret: testKeys["expired"], UserID: ada2, ExpiresAt: recorded2},
	)
	seed.Attachments = have
	w, err := Empty(Options{Now: func() time.Time { return recorded2.Add(time.Hour) }}, seed)
	if err != nil {
		t.Fatal(err)
	}
	const redacted = "SIGNED.TOKEN.REDACTED"
	r.Request.Path = strings.ReplaceAll(r.Request.Path, redacted, w.store.sign("get", linked))
	if key := storedAt.FindStringSubmatch(string(r.Request.Body)); key != nil {
		r.Request.Body = []byte(strings.ReplaceAll(string(r.Request.Body), redacted, w.store.sign("upload", key[2])))
	}
	switch r.Response.Headers["content-type"] {
	case "image/png":
		r.Response.Body = []byte(`""`) // its bytes are no text to compare
	case "application/pdf":
		var file struct{ Base64 []byte }
		decode(t, r.Response.Body, &file)
		r.Response.Body, _ = json.Marshal(string(file.Base64))
	}
	return slices.DeleteFunc(exchange(t, w, r), func(difference string) bool { return strings.HasPrefix(difference, ".data.form.sig is ") })
}

// afterwards returns the files after an exchange, and the one that the last link is
// to.
func afterwards(t *testing.T, r *recording, have []Attachment, linked string) ([]Attachment, string) {
	method := r.endpoint()
	have = slices.Clone(have)
	var asked struct{ ID string }
	_ = json.Unmarshal(r.Request.Body, &asked) // of a form, there is none
	index := func(id string) int { return slices.IndexFunc(have, func(a Attachment) bool { return a.ID == id }) }
	switch {
	case r.Response.Status >= 400:
	case method == "attachments.create":
		var answer struct {
			Data struct{ Attachment Attachment }
		}
		var size struct {
			Data struct {
				Attachment struct {
					Size json.Number `json:"size"`
				}
			}
		}
		decode(t, r.Response.Body, &answer)
		decode(t, r.Response.Body, &size)
		a := answer.Data.Attachment
		declared, _ := size.Data.Attachment.Size.Int64()
		a.Declared = int(declared)
		have = append(have, a)
	case method == "files.create":
		key := storedAt.FindStringSubmatch(string(r.Request.Body))
		a := &have[index(key[2])]
		var form string
		decode(t, r.Request.Body, &form)
		file := form[strings.LastIndex(form, "\r\nContent-Type: ")+2:]
		_, file, _ = strings.Cut(file, "\r\n\r\n")
		a.Content = formBytes(strings.TrimSuffix(file, "\r\n--XbOuNdArYx--\r\n"))
	case method == "attachments.redirect":
		if linked = asked.ID; linked == "" {
			_, linked, _ = strings.Cut(r.Request.Path, "id=")
		}
	case method == "attachments.delete":
		have = slices.Delete(have, index(asked.ID), index(asked.ID)+1)
	}
	return have, linked
}
