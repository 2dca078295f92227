package faults

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"outline-mcp/internal/fakeoutline"
)

// The keys of the three clients of the workspace: the server under test, a user
// who edits concurrently, and an observer. The server and the observer are the same
// user, because nobody else could see its drafts and private collections.
const (
	serverKey = "ol_api_test_server"
	humanKey  = "ol_api_test_human"
)

const (
	serverUser = "a0000000-0000-4000-8000-000000000001"
	humanUser  = "a0000000-0000-4000-8000-000000000002"
)

// The collections and documents of every wiki.
const (
	handbook  = "c0000000-0000-4000-8000-000000000001"
	elsewhere = "c0000000-0000-4000-8000-000000000002"

	alpha     = "d0000000-0000-4000-8000-000000000001" // with a child
	alphaSub  = "d0000000-0000-4000-8000-000000000002"
	beta      = "d0000000-0000-4000-8000-000000000003"
	gamma     = "d0000000-0000-4000-8000-000000000004"
	archived  = "d0000000-0000-4000-8000-000000000005"
	binned    = "d0000000-0000-4000-8000-000000000006"
	bystander = "d0000000-0000-4000-8000-000000000007"

	remark      = "e0000000-0000-4000-8000-000000000001" // on alpha
	alphaRemark = "e0000000-0000-4000-8000-000000000002" // on a passage of alpha
	betaRemark  = "e0000000-0000-4000-8000-000000000003" // on a passage of beta
	gammaRemark = "e0000000-0000-4000-8000-000000000004" // on a passage of gamma

	bystanderOnce = "b0000000-0000-4000-8000-000000000001" // a revision of bystander
	gammaOnce     = "b0000000-0000-4000-8000-000000000002" // a revision of gamma

	readers    = "a2000000-0000-4000-8000-000000000001" // a group
	betaLink   = "a3000000-0000-4000-8000-000000000001" // to beta, public
	betaAccess = "a4000000-0000-4000-8000-000000000001" // of the human, to beta

	template = "a1000000-0000-4000-8000-000000000001" // of all collections
)

// A version is an Outline with its response times.
type version struct {
	release                 fakeoutline.Release
	publishTime, updateTime time.Duration

	busy bool          // another user has just changed all documents
	lag  time.Duration // that an update by another user takes longer
}

// busied returns the version with another user at work. On the newest source, only then does
// a change cost a request to see whether they have overwritten it.
func (v version) busied() version {
	v.busy = v.guards()
	return v
}

// versions are those that all faults are tested on: the newest source, and a release
// without its checks.
func versions() []version {
	return []version{of(""), of("1.9.2")}
}

// of returns a release with response times.
func of(release fakeoutline.Release) version {
	return version{release: release, publishTime: 500 * time.Millisecond, updateTime: updateTime}
}

// name is the name of a version in the documentation.
func (v version) name() string { return cmp.Or(string(v.release), "the newest") }

// guards reports whether the version refuses to overwrite what changed since it was
// read, if it is told what was.
func (v version) guards() bool { return v.release == "" }

// flags are the flags that make the workspace command act as the version.
func (v version) flags() []string {
	return []string{"--like", string(v.release), "--update-time", v.updateTime.String(), "--revision-time", v.publishTime.String()}
}

func (v version) options() fakeoutline.Options {
	return fakeoutline.Options{Release: v.release, PublishTime: v.publishTime, UpdateTime: v.updateTime, BeforeSave: func(userID string) {
		if userID == humanUser {
			time.Sleep(v.lag)
		}
	}}
}

// newWorkspace returns the workspace that each run starts with.
func newWorkspace(v version) *fakeoutline.Workspace {
	start := time.Now().Add(-24 * time.Hour)
	changed := start
	if v.busy {
		changed = time.Now().Add(-8 * time.Second)
	}
	document := func(n int, id, title, parent string, blocks ...any) fakeoutline.Document {
		return fakeoutline.Document{
			ID: id, URLID: fmt.Sprintf("document%02d", n), Title: title, Tree: sharedTree(id, doc(blocks...)), CollectionID: handbook, ParentID: parent,
			CreatedBy: humanUser, UpdatedBy: humanUser, Collaborators: []string{humanUser}, Revision: 3,
			CreatedAt: start, UpdatedAt: changed.Add(time.Duration(n) * time.Second), PublishedAt: start,
		}
	}
	anchored := func(words, comment string) node { return text(words, commented(comment, humanUser, false)) }
	sizes := grid([2]string{"Kind", "Count"}, [2]string{"buoys", "12"})
	old := document(5, archived, "Archived", "", paragraph(text("Kept ", colored()), text("for later.")))
	old.ArchivedAt = start.Add(time.Hour)
	gone := document(6, binned, "In the trash", "", sizes, paragraph(text("Not needed.")))
	gone.DeletedAt = start.Add(time.Hour)
	comment := func(id, documentID, words string, anchored bool) fakeoutline.Comment {
		return fakeoutline.Comment{
			ID: id, DocumentID: documentID, CreatedBy: humanUser, CreatedAt: start, UpdatedAt: start,
			Data: json.RawMessage(`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"` + words + `"}]}]}`),
		}
	}
	revision := func(id, documentID, title string, blocks ...any) fakeoutline.Revision {
		return fakeoutline.Revision{ID: id, DocumentID: documentID, Title: title, Tree: sharedTree(id, doc(blocks...)), AuthType: "app", CreatedBy: humanUser, CreatedAt: start}
	}
	shared := document(3, beta, "Beta", "", sizes, paragraph(anchored("Text to keep", betaRemark), text(" of "), text("beta", colored()), text(".")))
	shared.Memberships = []fakeoutline.Membership{{ID: betaAccess, UserID: humanUser, Permission: fakeoutline.ReadWrite}}
	w, err := fakeoutline.Empty(v.options(), fakeoutline.Seed{
		Team: fakeoutline.Team{ID: "f0000000-0000-4000-8000-000000000001", Name: "Faults"},
		Users: []fakeoutline.User{
			{ID: serverUser, Name: "Server", Email: "server@example.com", Role: fakeoutline.Admin, CreatedAt: start},
			{ID: humanUser, Name: "Human", Email: "human@example.com", Role: fakeoutline.Admin, CreatedAt: start},
		},
		Keys: []fakeoutline.Key{
			{ID: serverUser, Secret: serverKey, UserID: serverUser, CreatedAt: start},
			{ID: humanUser, Secret: humanKey, UserID: humanUser, CreatedAt: start},
		},
		Collections: []fakeoutline.Collection{
			{ID: handbook, URLID: "collectio1", Name: "Handbook", Permission: fakeoutline.ReadWrite, CreatedAt: start, UpdatedAt: start},
			{ID: elsewhere, URLID: "collectio2", Name: "Elsewhere", Permission: fakeoutline.ReadWrite, CreatedAt: start, UpdatedAt: start},
		},
		Documents: []fakeoutline.Document{
			document(1, alpha, "Alpha", "",
				paragraph(text("Read the "), text("whole guide", colored()), text(" at once, "), anchored("and ask", alphaRemark), text(".")),
				paragraph(text("First paragraph of the guide.")),
				paragraph(text("Second paragraph, the one to change, "), text("with care", colored()), text(".")),
				bullets("a point", "another point"),
				paragraph(text("Last paragraph.")),
				sizes,
			),
			document(2, alphaSub, "Alpha's child", alpha,
				heading("Tools"),
				paragraph(text("Take "), text("a lamp", colored()), text(".")),
				bullets("a hook", "a rope"),
				heading("Care"),
				paragraph(text("Keep "), text("all", colored()), text(" dry.")),
			),
			shared,
			document(4, gamma, "Gamma", "", paragraph(anchored("Text", gammaRemark), text(" of gamma.")), sizes),
			old, gone,
			document(7, bystander, "Bystander", "", paragraph(text("Nobody's "), text("business", colored()), text(".")), sizes),
		},
		Groups: []fakeoutline.Group{{ID: readers, Name: "Readers", UserIDs: []string{humanUser}, CreatedAt: start}},
		Shares: []fakeoutline.Share{{ID: betaLink, DocumentID: beta, Published: true, CreatedBy: humanUser, CreatedAt: start, UpdatedAt: start}},
		Revisions: []fakeoutline.Revision{
			revision(bystanderOnce, bystander, "Bystander, once", paragraph(text("Somebody's "), text("business", colored()), text(".")), sizes),
			revision(gammaOnce, gamma, "Gamma", paragraph(text("Text of gamma.")), paragraph(text("The end.")), sizes),
		},
		Templates: []fakeoutline.Template{{
			ID: template, URLID: "template01", Title: "Template", Tree: sharedTree(template, doc(paragraph(text("Write here.")))),
			CreatedBy: humanUser, UpdatedBy: humanUser, CreatedAt: start, UpdatedAt: start, PublishedAt: start,
		}},
		Comments: []fakeoutline.Comment{
			comment(remark, alpha, "A remark.", false), comment(alphaRemark, alpha, "Whom?", true),
			comment(betaRemark, beta, "Why?", true), comment(gammaRemark, gamma, "When?", true),
		},
	})
	if err != nil {
		panic(err)
	}
	return w
}

// direct calls an endpoint of the workspace without faults. Documents in its answer
// have trees instead of texts.
func direct(w *fakeoutline.Workspace, key, endpoint string, arguments any, data any) error {
	body, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(http.MethodPost, fakeoutline.BaseURL+"/"+endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(endpoint, "documents.") {
		request.Header.Set("X-Api-Version", "3")
	}
	response, err := w.Transport().RoundTrip(request)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s: %d %s", endpoint, response.StatusCode, answer)
	}
	if data == nil || response.StatusCode == http.StatusNoContent {
		return nil
	}
	return json.Unmarshal(answer, &struct{ Data any }{data})
}
