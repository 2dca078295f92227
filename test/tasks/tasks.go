// Package tasks has what a new user of a wiki asks an assistant, each
// solved by a script on the sample workspace. Package budget limits how many
// tokens that takes.
package tasks

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A Task is what a user asks an assistant. The script does what a model does that
// knows the tools' descriptions: it takes IDs from the text of earlier answers.
type Task struct {
	Asked     string
	Tokens    float64 // that all calls may take, 0 if nothing is promised
	MostCalls int     // 0 if nothing is promised

	solve  func(*solver) error
	before func(*solver) error // what had happened already, or nil
}

// All returns the tasks.
func All() []Task {
	return []Task{
		{Asked: "find a fact", MostCalls: 2, Tokens: 1000, solve: findFact},
		{Asked: "a step of a runbook", solve: findStep},
		{Asked: "correct a sentence", Tokens: 650, solve: correctSentence},
		{Asked: "create a page below another", solve: createBelow},
		{Asked: "comment on all pages that link to one", Tokens: 300, solve: commentOnBacklinks},
		{Asked: "move two pages in order", Tokens: 450, solve: moveTwo},
		{Asked: "find stale pages and archive them", MostCalls: 3, Tokens: 1500, solve: archiveStale},
		{Asked: "what changed recently, and by whom", MostCalls: 1, Tokens: 900, solve: listRecent},
		{Asked: "look at an image", MostCalls: 2, solve: lookAtImage},
		{Asked: "restore a page from the trash with what was below it", MostCalls: 2, before: deleteTree, solve: restoreTree},
		{Asked: "undo an edit", MostCalls: 3, Tokens: 900, solve: undoEdit},
		{Asked: "summarize a collection of ten pages, given its link", MostCalls: 3, Tokens: 5300, solve: func(s *solver) error { return readPages(s, "/collection/handbook-mTem8tcJ8a") }},
		{Asked: "the same, given its name", MostCalls: 3, solve: readCollection},
		{Asked: "every occurrence of a word, with lines", MostCalls: 1, Tokens: 1500, solve: findWord},
		{Asked: "reply to a comment and resolve it", MostCalls: 2, Tokens: 250, solve: replyAndResolve},
		{Asked: "create a page from a template", MostCalls: 2, Tokens: 500, solve: createFromTemplate},
	}
}

// Arguments are those of a call.
type Arguments = map[string]any

// A Caller calls a tool and returns the text of the answer, or an error if the call
// fails.
type Caller func(tool string, given Arguments) (text string, err error)

// An Answer is a call of a task, with the characters of what a model writes (the name
// and the arguments) and reads (the text).
type Answer struct {
	Tool           string
	Sent, Received int
}

// Solve solves the task with the tools of its own server for the sample workspace,
// whose clock is that of the workspace. It returns an error if an answer lacks what the
// task asks for, or if there are more calls than promised.
func (t Task) Solve(call Caller) ([]Answer, error) {
	if t.before != nil {
		if err := t.before(&solver{caller: call}); err != nil {
			return nil, fmt.Errorf("prepare %q: %w", t.Asked, err)
		}
	}
	s := &solver{caller: call}
	if err := t.solve(s); err != nil {
		return nil, fmt.Errorf("solve %q: %w", t.Asked, err)
	}
	if t.MostCalls > 0 && len(s.answers) > t.MostCalls {
		return nil, fmt.Errorf("%q takes %d calls, not %d", t.Asked, len(s.answers), t.MostCalls)
	}
	return s.answers, nil
}

// Characters returns what all calls of a task send and receive.
func Characters(answers []Answer) (sent, received int) {
	for _, a := range answers {
		sent, received = sent+a.Sent, received+a.Received
	}
	return sent, received
}

// InTokens converts characters to tokens: four are one.
func InTokens(characters int) float64 { return float64(characters) / 4 }

// A solver makes calls and counts.
type solver struct {
	caller  Caller
	answers []Answer
}

// call calls a tool and returns its text, in which want must occur.
func (s *solver) call(tool string, given Arguments, want string) (string, error) {
	raw, err := json.Marshal(given)
	if err != nil {
		return "", err
	}
	text, err := s.caller(tool, given)
	if err != nil {
		return "", err
	}
	s.answers = append(s.answers, Answer{tool, len(tool) + utf8.RuneCount(raw), utf8.RuneCountInString(text)})
	if !strings.Contains(text, want) {
		return "", fmt.Errorf("%s does not answer with %q: %s", tool, want, text)
	}
	return text, nil
}

// idOf returns the ID behind a title in a text.
func idOf(text, title string) string {
	_, rest, _ := strings.Cut(text, `"`+title+`" `)
	return urlID.FindString(rest)
}

var urlID = regexp.MustCompile(`^[0-9A-Za-z]{10}`)

func findFact(s *solver) error {
	hits, err := s.call("search_documents", Arguments{"query": "on-call allowance", "limit": 5}, "On-call")
	if err != nil {
		return err
	}
	_, err = s.call("read_document", Arguments{"document_id": idOf(hits, "On-call"), "max_lines": 30}, "€220")
	return err
}

func findStep(s *solver) error {
	matches, err := s.call("get_document_id_from_title", Arguments{"query": "Runbook: buoy silent"}, "1 match")
	if err != nil {
		return err
	}
	id := idOf(matches, "Runbook: buoy silent")
	headings, err := s.call("get_document_outline", Arguments{"document_id": id}, "Somebody must go")
	if err != nil {
		return err
	}
	_, heading, _ := strings.Cut(headings[strings.Index(headings, "Somebody must go")-8:], "# ")
	heading, _, _ = strings.Cut(heading, "\n")
	_, err = s.call("read_document_section", Arguments{"document_id": id, "heading": heading}, "voyage")
	return err
}

func correctSentence(s *solver) error {
	matches, err := s.call("get_document_id_from_title", Arguments{"query": "Friday soup"}, "1 match")
	if err != nil {
		return err
	}
	id := idOf(matches, "Friday soup 🍲")
	if _, err := s.call("read_document", Arguments{"document_id": id}, "€60 a pot"); err != nil {
		return err
	}
	_, err = s.call("edit_document", Arguments{"document_id": id, "edits": []any{Arguments{"old_text": "€60 a pot", "new_text": "€75 a pot"}}}, "+* Budget: €75 a pot")
	return err
}

func createBelow(s *solver) error {
	matches, err := s.call("get_document_id_from_title", Arguments{"query": "Service voyages"}, "Service voyages")
	if err != nil {
		return err
	}
	_, err = s.call("create_document", Arguments{
		"title": "Voyage 63", "parent_document_id": idOf(matches, "Service voyages"), "text": "Crew, dates and spare parts.",
	}, "Voyage 63")
	return err
}

func commentOnBacklinks(s *solver) error {
	list, err := s.call("get_document_backlinks", Arguments{"document_id": "power-budget-3vkfm4EkBO"}, "3 documents link")
	if err != nil {
		return err
	}
	for _, line := range strings.Split(list, "\n- ")[1:] {
		title, _, _ := strings.Cut(strings.TrimPrefix(line, `"`), `"`)
		if _, err := s.call("add_comment", Arguments{"document_id": idOf(line, title), "text": "The power budget has moved."}, "Added"); err != nil {
			return err
		}
	}
	if len(s.answers) != 4 {
		return errors.New("not all pages have a comment")
	}
	return nil
}

func moveTwo(s *solver) error {
	tree, err := s.call("get_collection_structure", Arguments{"collection_id": "operations-bcMQ4TVPCO"}, "Operations overview")
	if err != nil {
		return err
	}
	_, err = s.call("batch_move_documents", Arguments{
		"document_ids":       []string{idOf(tree, "Incident 2026-03-14: no new values in Almanac"), idOf(tree, "Incident 2025-11-02: KW8-019 adrift")},
		"parent_document_id": idOf(tree, "Runbooks"),
	}, "2 of 2 succeeded")
	return err
}

func deleteTree(s *solver) error {
	_, err := s.call("delete_document", Arguments{"document_id": "service-voyages-yzp6FOd3QB"}, "the trash")
	return err
}

func restoreTree(s *solver) error {
	trash, err := s.call("list_trash", Arguments{}, "Mooring inspection")
	if err != nil {
		return err
	}
	_, err = s.call("restore_document", Arguments{"document_id": idOf(trash, "Service voyages"), "include_children": true}, `Restored "Mooring inspection"`)
	return err
}
