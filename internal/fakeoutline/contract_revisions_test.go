package fakeoutline

import (
	"encoding/json"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline/api"
	"outline-mcp/outline/recorded"
)

// The documents of these exchanges.
const (
	revised2      = "5c0b91a4-3024-4100-9009-27d7f972f713"
	revisedDraft2 = "488893bc-87e2-4b73-b354-939fd4f896c0"
	binned2       = "e90db616-f3cf-4eac-b1e5-a4c668e80c40"
	binnedAs2     = "cae6a093-11b1-4a2b-ab7a-3e09aa68b5ef" // its revision
)

// revisions2 are the recorded IDs of revisions in the order of creation.
var revisions2 = map[string][]string{
	revised2: {
		"55b73626-ea35-421e-baec-9e84834f49d0", "a1daf21a-6b80-46df-a394-5a805cb18e17", "7d3dfa41-440b-49ba-b6ff-f162094eb02b",
		"4c730473-6dd8-4dfe-b32f-33b72182ce74", "426298f5-da86-435b-94d4-28e53be9c309",
	},
	revisedDraft2: {"fab23185-416f-4678-b7fd-817e4619e20d"},
}

func TestRevisionsAreAsRecorded(t *testing.T) {
	sequence{
		exchanges: recorded.Read[json.RawMessage](t, "revisions"), seed: beforeRevisions(t), revisions: revisions2,
		ours: map[string]string{"d6141e08-0708-401e-8091-17fbb0b16711": api.DerivedUUID(revised2, "present")},
		before: map[string]func(*Workspace){
			"721": func(w *Workspace) { // revisions.update
				w.store.history.of[revised2][2].Name, w.store.history.of[revised2][3].Name = "by Max", "named"
			},
			"754": func(w *Workspace) { // revisions.delete
				gone := w.store.history.of[revised2][4]
				gone.Title, gone.DeletedAt = "", time.Date(2026, time.November, 22, 8, 11, 35, 415*1e6, time.UTC)
			},
		},
	}.replay(t)
}

// beforeRevisions is what the exchanges found: the documents that they try
// beside their own.
func beforeRevisions(t *testing.T) Seed {
	t.Helper()
	seed := seedOfSequence(t)
	page2(plan2, secret2)(&seed)
	page2("611696fb-0bdf-43c5-8fa4-51779f83e52a", handbook2)(&seed)
	page2("f47474c5-3f4d-457b-bb64-0c10711945d1", handbook2)(&seed)
	seed.Documents[2].PublishedAt = time.Time{}
	page2(binned2, handbook2)(&seed)
	seed.Documents[3].DeletedAt = recorded2
	seed.Revisions = []Revision{{
		ID: binnedAs2, DocumentID: binned2, Title: "Deleted note", AuthType: "api", CreatedBy: ada2,
		CreatedAt: time.Date(2026, time.November, 22, 8, 11, 9, 448*1e6, time.UTC),
	}}
	return seed
}
