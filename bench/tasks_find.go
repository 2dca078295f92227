package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"outline-mcp/internal/workspace"
)

// archiveStale archives the pages that nobody has changed for a year, but for the
// one in a collection that is read-only.
func archiveStale(s *solver) error {
	list, err := s.call("list_documents", arguments{"updated_before": "1y"}, "# 6 documents")
	if err != nil {
		return err
	}
	var ids []string
	for _, match := range listedID.FindAllStringSubmatch(list, -1) {
		ids = append(ids, match[1])
	}
	_, err = s.call("batch_archive_documents", arguments{"document_ids": ids}, "5 of 6 succeeded")
	return err
}

// listedID is the ID of a document in a list.
var listedID = regexp.MustCompile(`(?m)^- ".*" ([0-9A-Za-z]{10}) in "`)

// listRecent tells what changed in the last week, and by whom.
func listRecent(s *solver) error {
	list, err := s.call("list_documents", arguments{"updated_after": "7d"}, "# 4 documents")
	if err != nil {
		return err
	}
	for title, author := range map[string]string{
		"Service levels": "Duarte Kimani", "Customer: Hallinge Wind": "Duarte Kimani", "Foghorn alerting": "Ines Halloway", "Semaphore ingest service": "Priya Lindqvist",
	} {
		_, line, _ := strings.Cut(list, `"`+title+`" `)
		if line, _, _ = strings.Cut(line, "\n"); !strings.Contains(line, author) {
			return fmt.Errorf("the author of %q is missing", title)
		}
	}
	return nil
}

// findWord finds every line with a word.
func findWord(s *solver) error {
	_, err := s.call("find_in_documents", arguments{"query": "foghorn"}, "Foghorn alarms at 14 days left")
	return err
}

// undoEdit brings back what a page said before its last change.
func undoEdit(s *solver) error {
	matches, err := s.call("get_document_id_from_title", arguments{"query": "Foghorn alerting"}, "Foghorn alerting")
	if err != nil {
		return err
	}
	id := idOf(matches, "Foghorn alerting")
	revisions, err := s.call("list_revisions", arguments{"document_id": id}, "Marek Osei")
	if err != nil {
		return err
	}
	listed := listedUUID.FindAllStringSubmatch(revisions, -1)
	if len(listed) < 2 {
		return fmt.Errorf("only %d revisions", len(listed))
	}
	_, err = s.call("restore_document", arguments{"document_id": id, "revision_id": listed[1][1]}, "+A rule can be muted for one buoy for at most 14 days")
	return err
}

// listedUUID is the UUID at the beginning of an entry of a list.
var listedUUID = regexp.MustCompile(`(?m)^- ([0-9a-f-]{36})\b`)

// readCollection reads all pages of a collection with a name.
func readCollection(s *solver) error {
	list, err := s.call("list_collections", arguments{}, "Handbook")
	if err != nil {
		return err
	}
	return readPages(s, idOf(list, "Handbook"))
}

// readPages reads all pages of a collection.
func readPages(s *solver, collection string) error {
	given := arguments{"collection_id": collection}
	for want := "Welcome to Kelpwright"; ; want = "===" {
		pages, err := s.call("batch_read_documents", given, want)
		if err != nil {
			return err
		}
		_, rest, more := strings.Cut(pages, "cursor ")
		if !more {
			return nil
		}
		given["cursor"] = strings.Fields(rest)[0]
	}
}

// lengthOf returns the characters in the texts of the pages of a collection.
func lengthOf(ctx context.Context, collection string) (int, error) {
	sample, err := workspace.New(workspace.Options{})
	if err != nil {
		return 0, err
	}
	client := &http.Client{Transport: sample.Transport()}
	var found struct{ Data struct{ ID string } }
	var list struct{ Data []struct{ Text string } }
	for _, asked := range []struct {
		endpoint, body string
		into           any
	}{
		{"collections.info", `{"id":%q}`, &found}, {"documents.list", `{"collectionId":%q,"limit":100}`, &list},
	} {
		answer, err := askOutline(ctx, client, workspace.BaseURL, asked.endpoint, workspace.AdminKey, fmt.Sprintf(asked.body, cmp.Or(found.Data.ID, collection)))
		if err == nil {
			err = json.Unmarshal(answer, asked.into)
		}
		if err != nil {
			return 0, err
		}
	}
	length := 0
	for _, document := range list.Data {
		length += utf8.RuneCountInString(document.Text)
	}
	return length, nil
}

// replyAndResolve answers a comment, whose IDs the notification names.
func replyAndResolve(s *solver) error {
	const comment = "8c0a70a7-a845-47f9-953a-5154281fa6f5"
	if _, err := s.call("add_comment", arguments{"document_id": "lesdaiqkpT", "parent_comment_id": comment, "text": "Good to hear, thanks."}, "in reply to "+comment); err != nil {
		return err
	}
	_, err := s.call("update_comment", arguments{"comment_id": comment, "resolved": true}, "resolved")
	return err
}

// createFromTemplate begins a report on an incident.
func createFromTemplate(s *solver) error {
	list, err := s.call("list_templates", arguments{}, `"Incident {date}"`)
	if err != nil {
		return err
	}
	_, line, _ := strings.Cut(list, `"Incident {date}" `)
	_, err = s.call("create_document", arguments{
		"template_id": uuidIn.FindString(line), "collection_id": "bcMQ4TVPCO", "title": "Incident 2026-08-21: tide gauge silent",
	}, "the text comes from the template")
	return err
}

// lookAtImage looks at the image of a page. What the image itself costs is up to the
// client.
func lookAtImage(s *solver) error {
	page, err := s.call("read_document", arguments{"document_id": "RT5A3o0C8M"}, "![Cell voltage")
	if err != nil {
		return err
	}
	_, image, _ := strings.Cut(page, "![Cell voltage")
	_, err = s.call("read_attachment", arguments{"attachment_id": uuidIn.FindString(image)}, "image/png")
	return err
}

var uuidIn = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
