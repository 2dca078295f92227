package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTheDemoFitsOnAScreenAndSaysWhatToDoNext(t *testing.T) {
	code, stdout, stderr := command(t, nil, "demo")
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if len(lines) > 60 {
		t.Errorf("it has %d lines", len(lines))
	}
	for _, line := range lines {
		if utf8.RuneCountInString(line) > 110 {
			t.Errorf("the line is too long: %s", line)
		}
	}
	for _, says := range []string{"\nYou: ", "\n  > search_documents ", "\n  > read_document_section ", "\n  > edit_document ", "\n    -* Budget: €60", "\n    +* Budget: €75", "\nAssistant: ", "\n  Source: "} {
		if !strings.Contains(stdout, says) {
			t.Errorf("the demo lacks %q:\n%s", says, stdout)
		}
	}
	if end := strings.Join(lines[len(lines)-2:], "\n"); !strings.Contains(end, "outline-mcp install") {
		t.Errorf("it ends with\n%s", end)
	}
}

func TestTheDemoIsTheSameWhateverIsSet(t *testing.T) {
	_, want, _ := command(t, nil, "demo")
	code, got, stderr := command(t, []string{"OUTLINE_READ_ONLY=true", "OUTLINE_TOOLS=comments", "OUTLINE_API_URL=wiki", "LOG_LEVEL=loud"}, "demo")
	if code != 0 || got != want {
		t.Errorf("exit code %d: %s\n%s", code, stderr, got)
	}
}

func TestTheAnswersOfTheDemoFollowFromTheResults(t *testing.T) {
	code, stdout, stderr := command(t, nil, "demo", "--json")
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var conversation []struct {
		Question, Answer, Source string
		Calls                    []struct {
			Tool      string
			Arguments map[string]string
			Result    struct {
				Results           []struct{ Title string }
				Content, Diff     string
				Changed           bool
				Verified          bool
				RevisionBefore    int    `json:"revision_before"`
				EarlierRevisionID string `json:"earlier_revision_id"`
				Revision          int
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &conversation); err != nil {
		t.Fatal(err)
	}
	revisions, earlier := []int{}, ""
	for _, turn := range conversation {
		known := turn.Question
		for _, call := range turn.Calls {
			result := call.Result
			known += result.Content + result.Diff
			for _, found := range result.Results {
				known += "\n" + found.Title
			}
			if call.Tool == "restore_document" && call.Arguments["revision_id"] != earlier {
				t.Errorf("%q: the edit is undone with revision %s, and not with %s", turn.Question, call.Arguments["revision_id"], earlier)
			}
			earlier = result.EarlierRevisionID
			if call.Tool == "edit_document" || call.Tool == "restore_document" {
				revisions = append(revisions, result.Revision-result.RevisionBefore)
				if written := call.Arguments["dry_run"] == ""; written != result.Changed || written != result.Verified {
					t.Errorf("%q: the edit is reported as %+v", turn.Question, result)
				}
			}
		}
		for _, number := range regexp.MustCompile(`€?\d[\d,]*`).FindAllString(turn.Answer, -1) {
			if !strings.Contains(known, strings.TrimSuffix(number, ",")) {
				t.Errorf("%q: the answer %q is not in the results", turn.Question, number)
			}
		}
		document, section, _ := strings.Cut(turn.Source, ", section ")
		if !strings.Contains(known, document) || !strings.Contains(known, section) {
			t.Errorf("%q: the source %q is not in the results", turn.Question, turn.Source)
		}
	}
	if len(revisions) != 3 || revisions[0] != 0 || revisions[1] != 1 || revisions[2] != 1 {
		t.Errorf("the edits make %v revisions: shown, saved and undone are 0, 1 and 1", revisions)
	}
}
