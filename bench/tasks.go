package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"outline-mcp/internal/app"
	"outline-mcp/internal/workspace"
)

// A task is what somebody asks an assistant. The script does what a model does that
// knows the tools' descriptions: it takes IDs from the text of earlier answers.
type task struct {
	asked  string
	goal   float64 // tokens, 0 for none
	calls  int     // at most, 0 for no goal
	solve  func(*solver) error
	before func(*solver) error // what had happened already
	text   string              // a collection, whose text the goal is a multiple of, if not ""
}

// tasks returns the tasks of somebody who is new to a wiki.
func tasks() []task {
	return []task{
		{asked: "find a fact", calls: 2, goal: 1000, solve: findFact},
		{asked: "a step of a runbook", solve: findStep},
		{asked: "correct a sentence", goal: 650, solve: correctSentence},
		{asked: "create a page below another", solve: createBelow},
		{asked: "comment on all pages that link to one", goal: 300, solve: commentOnBacklinks},
		{asked: "move two pages in order", goal: 450, solve: moveTwo},
		{asked: "find stale pages and archive them", calls: 3, goal: 1500, solve: archiveStale},
		{asked: "what changed recently, and by whom", calls: 1, goal: 900, solve: listRecent},
		{asked: "look at an image", calls: 2, solve: lookAtImage},
		{asked: "restore a page from the trash with what was below it", calls: 2, before: deleteTree, solve: restoreTree},
		{asked: "undo an edit", calls: 3, goal: 900, solve: undoEdit},
		{asked: "summarize a collection of ten pages, given its link", calls: 3, goal: 1.05, text: "mTem8tcJ8a", solve: func(s *solver) error { return readPages(s, "/collection/handbook-mTem8tcJ8a") }},
		{asked: "the same, given its name", calls: 3, text: "mTem8tcJ8a", solve: readCollection},
		{asked: "every occurrence of a word, with lines", calls: 1, goal: 1500, solve: findWord},
		{asked: "reply to a comment and resolve it", calls: 2, goal: 250, solve: replyAndResolve},
		{asked: "create a page from a template", calls: 2, goal: 500, solve: createFromTemplate},
	}
}

// runTasks solves each task on a sample workspace of its own.
func runTasks(ctx context.Context, _ *lab) (result, error) {
	var found result
	for _, task := range tasks() {
		s, err := solved(ctx, task)
		if err != nil {
			return result{}, fmt.Errorf("%s: %w", task.asked, err)
		}
		total := tokens(s.sent + s.received)
		r := row{what: fmt.Sprintf("%s: %d calls, %.0f tokens sent, %.0f received", task.asked, s.calls, tokens(s.sent), tokens(s.received)), ours: single(total, inTokens), judged: total}
		if task.text != "" {
			text, err := lengthOf(ctx, task.text)
			if err != nil {
				return result{}, err
			}
			r.floor, r.ratio = single(tokens(text), inTokens), total/tokens(text)
			if r.judged = r.ratio; task.goal > 0 {
				r.goal = ratioAtMost(task.goal)
			}
		} else if task.goal > 0 {
			r.goal = atMost(task.goal, inTokens)
		}
		if task.calls > 0 && s.calls > task.calls {
			return result{}, fmt.Errorf("%s takes %d calls, not %d", task.asked, s.calls, task.calls)
		}
		found.rows = append(found.rows, r)
	}
	return found, nil
}

func tokens(characters int) float64 { return float64(characters) / 4 }

func solved(ctx context.Context, task task) (*solver, error) {
	sample, err := workspace.New(workspace.Options{})
	if err != nil {
		return nil, err
	}
	session, err := serve(ctx, app.Options{Transport: sample.Transport(), Now: sample.Now})
	if err != nil {
		return nil, err
	}
	defer session.close()
	if task.before != nil {
		if err := task.before(&solver{session: session}); err != nil {
			return nil, err
		}
	}
	s := &solver{session: session}
	return s, task.solve(s)
}

// A solver makes calls, and counts the characters of what a model writes and reads.
type solver struct {
	session               *session
	calls, sent, received int
}

type arguments = map[string]any

// call calls a tool and returns its text, in which want must occur.
func (s *solver) call(tool string, given arguments, want string) (string, error) {
	raw, err := json.Marshal(given)
	if err != nil {
		return "", err
	}
	if err := s.session.call(tool, given)(); err != nil {
		return "", err
	}
	var answer struct {
		Result struct {
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(s.session.out.line, &answer); err != nil {
		return "", err
	}
	text := answer.Result.Content[0].Text
	s.calls++
	s.sent += len(tool) + utf8.RuneCount(raw)
	s.received += utf8.RuneCountInString(text)
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
	hits, err := s.call("search_documents", arguments{"query": "on-call allowance", "limit": 5}, "On-call")
	if err != nil {
		return err
	}
	_, err = s.call("read_document", arguments{"document_id": idOf(hits, "On-call"), "max_lines": 30}, "€220")
	return err
}

func findStep(s *solver) error {
	matches, err := s.call("get_document_id_from_title", arguments{"query": "Runbook: buoy silent"}, "1 match")
	if err != nil {
		return err
	}
	id := idOf(matches, "Runbook: buoy silent")
	headings, err := s.call("get_document_outline", arguments{"document_id": id}, "Somebody must go")
	if err != nil {
		return err
	}
	_, heading, _ := strings.Cut(headings[strings.Index(headings, "Somebody must go")-8:], "# ")
	heading, _, _ = strings.Cut(heading, "\n")
	_, err = s.call("read_document_section", arguments{"document_id": id, "heading": heading}, "voyage")
	return err
}

func correctSentence(s *solver) error {
	matches, err := s.call("get_document_id_from_title", arguments{"query": "Friday soup"}, "1 match")
	if err != nil {
		return err
	}
	id := idOf(matches, "Friday soup 🍲")
	if _, err := s.call("read_document", arguments{"document_id": id}, "€60 a pot"); err != nil {
		return err
	}
	_, err = s.call("edit_document", arguments{"document_id": id, "edits": []any{arguments{"old_text": "€60 a pot", "new_text": "€75 a pot"}}}, "+* Budget: €75 a pot")
	return err
}

func createBelow(s *solver) error {
	matches, err := s.call("get_document_id_from_title", arguments{"query": "Service voyages"}, "Service voyages")
	if err != nil {
		return err
	}
	_, err = s.call("create_document", arguments{
		"title": "Voyage 63", "parent_document_id": idOf(matches, "Service voyages"), "text": "Crew, dates and spare parts.",
	}, "Voyage 63")
	return err
}

func commentOnBacklinks(s *solver) error {
	list, err := s.call("get_document_backlinks", arguments{"document_id": "power-budget-3vkfm4EkBO"}, "3 documents link")
	if err != nil {
		return err
	}
	for _, line := range strings.Split(list, "\n- ")[1:] {
		title, _, _ := strings.Cut(strings.TrimPrefix(line, `"`), `"`)
		if _, err := s.call("add_comment", arguments{"document_id": idOf(line, title), "text": "The power budget has moved."}, "Added"); err != nil {
			return err
		}
	}
	if s.calls != 4 {
		return errors.New("not all pages have a comment")
	}
	return nil
}

func moveTwo(s *solver) error {
	tree, err := s.call("get_collection_structure", arguments{"collection_id": "operations-bcMQ4TVPCO"}, "Operations overview")
	if err != nil {
		return err
	}
	_, err = s.call("batch_move_documents", arguments{
		"document_ids":       []string{idOf(tree, "Incident 2026-03-14: no new values in Almanac"), idOf(tree, "Incident 2025-11-02: KW8-019 adrift")},
		"parent_document_id": idOf(tree, "Runbooks"),
	}, "2 of 2 succeeded")
	return err
}

func deleteTree(s *solver) error {
	_, err := s.call("delete_document", arguments{"document_id": "service-voyages-yzp6FOd3QB"}, "the trash")
	return err
}

func restoreTree(s *solver) error {
	trash, err := s.call("list_trash", arguments{}, "Mooring inspection")
	if err != nil {
		return err
	}
	_, err = s.call("restore_document", arguments{"document_id": idOf(trash, "Service voyages"), "include_children": true}, `Restored "Mooring inspection"`)
	return err
}
