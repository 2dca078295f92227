package main

import (
	"fmt"
	"regexp"
	"strings"
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
