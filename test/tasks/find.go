package tasks

import (
	"fmt"
	"regexp"
	"strings"
)

// archiveStale archives the pages that nobody has changed for a year, but for the
// one in a collection that is read-only.
func archiveStale(s *solver) error {
	list, err := s.call("list_documents", Arguments{"updated_before": "1y"}, "# 6 documents")
	if err != nil {
		return err
	}
	var ids []string
	for _, match := range listedID.FindAllStringSubmatch(list, -1) {
		ids = append(ids, match[1])
	}
	_, err = s.call("batch_archive_documents", Arguments{"document_ids": ids}, "5 of 6 succeeded")
	return err
}

// listedID is the ID of a document in a list.
var listedID = regexp.MustCompile(`(?m)^- ".*" ([0-9A-Za-z]{10}) in "`)

// listRecent tells what changed in the last week, and by whom.
func listRecent(s *solver) error {
	list, err := s.call("list_documents", Arguments{"updated_after": "7d"}, "# 4 documents")
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
	_, err := s.call("find_in_documents", Arguments{"query": "foghorn"}, "Foghorn alarms at 14 days left")
	return err
}

// undoEdit brings back what a page said before its last change.
func undoEdit(s *solver) error {
	matches, err := s.call("get_document_id_from_title", Arguments{"query": "Foghorn alerting"}, "Foghorn alerting")
	if err != nil {
		return err
	}
	id := idOf(matches, "Foghorn alerting")
	revisions, err := s.call("list_revisions", Arguments{"document_id": id}, "Marek Osei")
	if err != nil {
		return err
	}
	listed := listedUUID.FindAllStringSubmatch(revisions, -1)
	if len(listed) < 2 {
		return fmt.Errorf("only %d revisions", len(listed))
	}
	_, err = s.call("restore_document", Arguments{"document_id": id, "revision_id": listed[1][1]}, "+A rule can be muted for one buoy for at most 14 days")
	return err
}

// listedUUID is the UUID at the beginning of an entry of a list.
var listedUUID = regexp.MustCompile(`(?m)^- ([0-9a-f-]{36})\b`)

// readCollection reads all pages of a collection with a name.
func readCollection(s *solver) error {
	list, err := s.call("list_collections", Arguments{}, "Handbook")
	if err != nil {
		return err
	}
	return readPages(s, idOf(list, "Handbook"))
}

// readPages reads all pages of a collection.
func readPages(s *solver, collection string) error {
	given := Arguments{"collection_id": collection}
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

// replyAndResolve answers a comment, whose IDs the notification names.
func replyAndResolve(s *solver) error {
	const comment = "8c0a70a7-a845-47f9-953a-5154281fa6f5"
	if _, err := s.call("add_comment", Arguments{"document_id": "lesdaiqkpT", "parent_comment_id": comment, "text": "Good to hear, thanks."}, "in reply to "+comment); err != nil {
		return err
	}
	_, err := s.call("update_comment", Arguments{"comment_id": comment, "resolved": true}, "resolved")
	return err
}

// createFromTemplate begins a report on an incident.
func createFromTemplate(s *solver) error {
	list, err := s.call("list_templates", Arguments{}, `"Incident {date}"`)
	if err != nil {
		return err
	}
	_, line, _ := strings.Cut(list, `"Incident {date}" `)
	_, err = s.call("create_document", Arguments{
		"template_id": uuidIn.FindString(line), "collection_id": "bcMQ4TVPCO", "title": "Incident 2026-08-21: tide gauge silent",
	}, "the text comes from the template")
	return err
}

// lookAtImage looks at the image of a page. What the image itself costs is up to the
// client.
func lookAtImage(s *solver) error {
	page, err := s.call("read_document", Arguments{"document_id": "RT5A3o0C8M"}, "![Cell voltage")
	if err != nil {
		return err
	}
	_, image, _ := strings.Cut(page, "![Cell voltage")
	_, err = s.call("read_attachment", Arguments{"attachment_id": uuidIn.FindString(image)}, "image/png")
	return err
}

var uuidIn = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
