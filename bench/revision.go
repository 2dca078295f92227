package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"outline-mcp/internal/fakeoutline"
)

// diffLimit is how long a diff of two texts of 1 MB may take, in seconds.
const diffLimit = 0.150

// diffRows measure what read_revision with compare_with adds to the two requests for
// the texts, which are the floor.
func diffRows(ctx context.Context, l *lab) ([]row, error) {
	now := manual(1 << 20)
	var rows []row
	for _, nth := range []int{10, 1} {
		w, err := withRevision(changed(now, nth), now)
		if err != nil {
			return nil, err
		}
		s, err := newSession(ctx, w.Transport())
		if err != nil {
			return nil, err
		}
		client := &http.Client{Transport: w.Transport()}
		fetch := func() error {
			for endpoint, body := range map[string]string{
				"revisions.info": fmt.Sprintf(`{"id":%q}`, numbered(1)), "documents.info": fmt.Sprintf(`{"id":%q}`, documentID),
			} {
				if _, err := askOutline(ctx, client, fakeoutline.BaseURL, endpoint, fakeoutline.AdminKey, body); err != nil {
					return err
				}
			}
			return nil
		}
		took, _, err := inTurns(pick(l, 31, 7), s.call("read_revision", map[string]any{"revision_id": numbered(1), "compare_with": "current"}), fetch)
		s.close()
		if err != nil {
			return nil, err
		}
		r := compared(fmt.Sprintf("read_revision: diff of 1 MB, 1 of %d paragraphs of prose changed", nth), took, inSeconds, atMost(diffLimit, inSeconds))
		r.judged, r.added, r.noise = took.difference(), true, took.differences().noise()
		rows = append(rows, r)
	}
	return rows, nil
}

// changed returns a text with each nth line of prose changed.
func changed(text string, nth int) string {
	var b strings.Builder
	prose := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "Each buoy") {
			if prose++; prose%nth == 0 {
				line = fmt.Sprintf("In version %d, e%s", prose, line[1:])
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// withRevision returns a workspace with a document and one earlier state of it.
func withRevision(before, now string) (*fakeoutline.Workspace, error) {
	seed := seedOf(1, func(int) fakeoutline.Document { return page(documentID, "", "Running the services", now) })
	seed.Revisions = []fakeoutline.Revision{{
		ID: numbered(1), DocumentID: documentID, Title: "Running the services", Text: before, AuthType: "app", CreatedBy: userID, CreatedAt: day(1).Add(time.Hour),
	}}
	return fakeoutline.Empty(fakeoutline.Options{}, seed)
}
