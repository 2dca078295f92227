//go:build linux && !race

package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

// TestNoTextTakesMoreMemoryThanTheContainerHas has one member write texts, and read pages,
// of which a parser makes much, in 16 calls at once.
func TestNoTextTakesMoreMemoryThanTheContainerHas(t *testing.T) {
	write := func(text string) func(string) string {
		return func(string) string {
			return toolsCall(1, "create_document", `{"title":"x","publish":false,"text":`+quoted(t, text)+`}`)
		}
	}
	on := func(tool, more string) func(string) string {
		return func(id string) string { return toolsCall(1, tool, `{`+strings.ReplaceAll(more, "ID", id)+`}`) }
	}
	const million = 1_000_000
	shortRows := strings.Repeat(strings.Repeat("a|", 200)+"\n"+strings.Repeat("-|", 200)+"\n"+strings.Repeat("a\n", 327)+"\n", 100)
	attacks := map[string]struct {
		page string
		call func(id string) string
	}{
		"front matter of one key":        {"", write("---\n" + strings.Repeat("a: b\n", 20_000) + "---\n")},
		"front matter of one key, short": {"", write("---\n" + strings.Repeat("a: b\n", 2_500) + "---\n")},
		"carriage returns":               {"", write(strings.Repeat("a\r", million/2))},
		"fewer carriage returns":         {"", write(strings.Repeat("a\r", 90_000))},
		"escaped marks": {"", func(id string) string {
			return strings.ReplaceAll(write(strings.Repeat("%a% ", million/4))(id), "%", `\u002a`)
		}},
		"backslashes":                         {"", write(strings.Repeat(`\`, million))},
		"fewer backslashes":                   {"", write(strings.Repeat(`\`, 99_000))},
		"entities":                            {"", write(strings.Repeat("&amp; ", million/6))},
		"fewer entities":                      {"", write(strings.Repeat("&amp; ", 99_000))},
		"definitions":                         {"", write(strings.Repeat("a\n: b\n", 49_000))},
		"items in items":                      {"", write(strings.Repeat(strings.Repeat("- ", 40)+"a\n", 2_400))},
		"short rows":                          {"", write(shortRows)},
		"short rows in an edit":               {"first words", on("edit_document", `"document_id":"ID","edits":[{"old_text":"first","new_text":`+quoted(t, shortRows)+`}]`)},
		"an outline of marks":                 {strings.Repeat("*a* ", million/4), on("get_document_outline", `"document_id":"ID"`)},
		"an outline of fewer marks":           {strings.Repeat("*a* ", 99_000), on("get_document_outline", `"document_id":"ID"`)},
		"an outline of paragraphs":            {strings.Repeat("a\n\n", 99_000), on("get_document_outline", `"document_id":"ID"`)},
		"attachments of fewer marks":          {strings.Repeat("*a* ", 99_000), on("list_attachments", `"document_id":"ID"`)},
		"attachments of backslashes":          {strings.Repeat(`\\`, 199_000), on("list_attachments", `"document_id":"ID"`)},
		"attachments of links":                {strings.Repeat("[a](b) ", million/7), on("list_attachments", `"document_id":"ID"`)},
		"a section of marks":                  {"# a\n\n" + strings.Repeat("*a* ", 99_000), on("read_document_section", `"document_id":"ID","heading":"a"`)},
		"a search of marks":                   {"first " + strings.Repeat("*a* ", million/4), on("find_in_documents", `"query":"first","document_id":"ID"`)},
		"a search of backslashes":             {"first " + strings.Repeat(`\\`, million/2), on("find_in_documents", `"query":"first","document_id":"ID"`)},
		"an edit of backslashes":              {"first " + strings.Repeat(`\\`, million/2), on("edit_document", `"document_id":"ID","edits":[{"old_text":"first","new_text":"b"}]`)},
		"a comment on marks":                  {"first " + strings.Repeat("*a* ", 99_000), on("add_comment", `"document_id":"ID","text":"x","anchor_text":"first"`)},
		"another text in place of marks":      {strings.Repeat("*a* ", 49_000), on("update_document", `"document_id":"ID","allow_shrink":true,"text":`+quoted(t, strings.Repeat("**b** ", 24_000)))},
		"another text in place of many marks": {strings.Repeat("*a* ", million/4), on("update_document", `"document_id":"ID","allow_shrink":true,"text":`+quoted(t, strings.Repeat("**b** ", 24_000)))},
	}
	for _, name := range fixtures.Some(slices.Sorted(maps.Keys(attacks)), 2) {
		t.Run(name, func(t *testing.T) {
			attack := attacks[name]
			s := startHostile(t, false)
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			id := ""
			if attack.page != "" {
				id = s.api(t, "documents.create", `{"title":"x","publish":false,"text":`+quoted(t, attack.page)+`}`)
			}
			sent := fixtures.Flood(ctx, s.url(), [][]byte{[]byte(attack.call(id))}, fixtures.Count(4, 16), 16, func(int) string { return fakeoutline.MemberKey })
			s.check(t, sent.String(), func() {})
		})
	}
}

// processorTime returns how long processors have run a process.
func processorTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// TestNoTextTakesLongerThanItsCallMay has a member write long texts of many shapes, where
// they are compared with a page and its comment, with a limit of a second. The other program
// may take another second of its processors.
func TestNoTextTakesLongerThanItsCallMay(t *testing.T) {
	fixtures.Measures(t)
	var paragraphs []string
	for i := range 500 {
		paragraphs = append(paragraphs, fmt.Sprint("p", i))
	}
	page := "# Head\n\n" + strings.Join(paragraphs, "\n\n")
	tools := map[string]string{
		"create_document":        `"title":"x","publish":false,"text":TEXT`,
		"batch_create_documents": `"items":[{"title":"x","publish":false,"text":TEXT}]`,
		"import_document":        `"name":"x.md","collection_id":"COLLECTION","text":TEXT`,
		"create_template":        `"title":"x","text":TEXT`,
		"edit_document":          `"document_id":"ID","edits":[{"old_text":"p250","new_text":TEXT}]`,
		"update_document":        `"document_id":"ID","allow_shrink":true,"text":TEXT`,
		"update_document ":       `"document_id":"ID","allow_shrink":true,"heading":"Head","text":TEXT`,
		"update_document  ":      `"document_id":"ID","append":true,"text":TEXT`,
	}
	s := startHostile(t, false, "OUTLINE_CALL_TIMEOUT=1s")
	collection := s.api(t, "collections.create", `{"name":"x","permission":"read_write"}`)
	call := func(body string) {
		fixtures.Flood(t.Context(), s.url(), [][]byte{[]byte(body)}, 1, 1, func(int) string { return fakeoutline.MemberKey })
	}
	for i, unit := range longShapes() {
		text := strings.Repeat(unit, 900_000/len(unit))
		if marks := prosemirror.CountMarks(text); marks > 99_000 {
			text = text[:len(text)/marks*99_000]
		}
		for j, tool := range slices.Sorted(maps.Keys(tools)) {
			if (i+j)%4 > 0 { // each shape with two tools
				continue
			}
			id := s.api(t, "documents.create", `{"title":"x","publish":true,"collectionId":"`+collection+`","text":`+quoted(t, page)+`}`)
			call(toolsCall(1, "add_comment", `{"document_id":"`+id+`","text":"x","anchor_text":"p499"}`))
			body := strings.NewReplacer("ID", id, "COLLECTION", collection, "TEXT", quoted(t, text)).Replace("{" + tools[tool] + "}")
			before := processorTime(t, s.pid)
			call(toolsCall(1, strings.TrimSpace(tool), body))
			if took := processorTime(t, s.pid) - before; took > 3*time.Second { // one more than it may, on a busy machine
				t.Errorf("%s of %q takes %s of the processor", tool, unit, took)
			}
		}
	}
	s.check(t, "", func() {})
}

// longShapes returns what texts are made of that take long.
func longShapes() (units []string) {
	for _, sign := range "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" {
		units = append(units, fmt.Sprintf("%ca ", sign), fmt.Sprintf("%ca%[1]c ", sign))
	}
	return append(units, "\n", "\r", "a\r", "a\n", "a\n\n", "1 ", "word ", "[^1] ", "&amp; ", "[a](b) ", "![a](b) ", "a@b.c ", "http://a.b ", "- [ ] a\n", "1. a\n", "a. b\n", "> a\n", "| a | b |\n",
		"é ", "a\u0301 ", "😀 ", "<br>", "<b>a</b> ", `\n`, `\* `, ":x: ", "[[a]] ", "@[a] ", "```\na\n```\n", "$a$ ", "a:b:c ", "__a__ ", "==a== ", "a | b\n", "    a\n", "p1 p2 p3\n")
}
