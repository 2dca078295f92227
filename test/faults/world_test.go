package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"outline-mcp/internal/workspace"
)

// The keys of the three who use the workspace: the server that is tested,
// somebody who edits beside it, and who looks afterwards. The server and the
// observer are the same user, because nobody else would see its drafts and
// private collections.
const (
	serverKey = "ol_api_test_server"
	humanKey  = "ol_api_test_human"
)

const (
	serverUser = "a0000000-0000-4000-8000-000000000001"
	humanUser  = "a0000000-0000-4000-8000-000000000002"
)

// The collections and documents of every world.
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

	remark = "e0000000-0000-4000-8000-000000000001" // on alpha
)

const alphaText = "First paragraph of the guide.\n\nSecond paragraph, the one to change.\n\n* a point\n* another point\n\nLast paragraph."

// A version is what an Outline knows and how it behaves.
type version struct {
	noEditModes, noRevisionCheck bool
	publishTime                  time.Duration
}

func (v version) options() workspace.Options {
	return workspace.Options{NoEditModes: v.noEditModes, NoRevisionCheck: v.noRevisionCheck, PublishTime: v.publishTime}
}

// newWorkspace returns the workspace that each run starts with.
func newWorkspace(v version) *workspace.Workspace {
	start := time.Now().Add(-24 * time.Hour)
	document := func(n int, id, title, text, collection, parent string) workspace.Document {
		return workspace.Document{
			ID: id, URLID: fmt.Sprintf("document%02d", n), Title: title, Text: text, CollectionID: collection, ParentID: parent,
			CreatedBy: humanUser, UpdatedBy: humanUser, Collaborators: []string{humanUser}, Revision: 3,
			CreatedAt: start, UpdatedAt: start.Add(time.Duration(n) * time.Minute), PublishedAt: start,
		}
	}
	old := document(5, archived, "Archived", "Kept for later.", handbook, "")
	old.ArchivedAt = start.Add(time.Hour)
	gone := document(6, binned, "In the trash", "Not needed.", handbook, "")
	gone.DeletedAt = start.Add(time.Hour)
	w, err := workspace.Empty(v.options(), workspace.Seed{
		Team: workspace.Team{ID: "f0000000-0000-4000-8000-000000000001", Name: "Faults"},
		Users: []workspace.User{
			{ID: serverUser, Name: "Server", Email: "server@example.com", Role: workspace.Admin, CreatedAt: start},
			{ID: humanUser, Name: "Human", Email: "human@example.com", Role: workspace.Admin, CreatedAt: start},
		},
		Keys: []workspace.Key{
			{ID: serverUser, Secret: serverKey, UserID: serverUser, CreatedAt: start},
			{ID: humanUser, Secret: humanKey, UserID: humanUser, CreatedAt: start},
		},
		Collections: []workspace.Collection{
			{ID: handbook, URLID: "collectio1", Name: "Handbook", Permission: workspace.ReadWrite, CreatedAt: start, UpdatedAt: start},
			{ID: elsewhere, URLID: "collectio2", Name: "Elsewhere", Permission: workspace.ReadWrite, CreatedAt: start, UpdatedAt: start},
		},
		Documents: []workspace.Document{
			document(1, alpha, "Alpha", alphaText, handbook, ""),
			document(2, alphaSub, "Alpha's child", "Below alpha.", handbook, alpha),
			document(3, beta, "Beta", "Text of beta.", handbook, ""),
			document(4, gamma, "Gamma", "Text of gamma.", handbook, ""),
			old, gone,
			document(7, bystander, "Bystander", "Nobody's business.", handbook, ""),
		},
		Comments: []workspace.Comment{{
			ID: remark, DocumentID: alpha, CreatedBy: humanUser, CreatedAt: start, UpdatedAt: start,
			Data: json.RawMessage(`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"A remark."}]}]}`),
		}},
	})
	if err != nil {
		panic(err)
	}
	return w
}

// direct calls an endpoint of the workspace past all faults.
func direct(w *workspace.Workspace, key, endpoint string, arguments any, data any) error {
	body, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(http.MethodPost, workspace.BaseURL+"/"+endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	response, err := w.Transport().RoundTrip(request)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %d %s", endpoint, response.StatusCode, answer)
	}
	if data == nil {
		return nil
	}
	return json.Unmarshal(answer, &struct{ Data any }{data})
}
