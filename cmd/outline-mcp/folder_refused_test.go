package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pulled is a folder with a page of its own, and the ID and file of that.
func pulled(t *testing.T, text string) (w wiki, id, file string) {
	t.Helper()
	w = newWiki(t, nil)
	id, _ = w.call("create_document", map[string]any{"title": "Harbour", "collection_id": "8441e5d2-7545-4078-bd93-c21942e16c7f", "text": text})["document_id"].(string)
	w.run(0, "pull")
	for name := range w.files() {
		if strings.HasSuffix(name, "/Harbour.md") {
			return w, id, name
		}
	}
	t.Fatal("it is not pulled")
	return w, "", ""
}

// stored is the text in Outline.
func (w wiki) stored(id string) string {
	text := ""
	for line := 1.0; line > 0; {
		answer := w.call("read_document", map[string]any{"document_id": id, "start_line": line})
		part, _ := answer["text"].(string)
		text += part + "\n"
		line, _ = answer["next_start_line"].(float64)
	}
	return text
}

func rows(n int) string {
	var b strings.Builder
	b.WriteString("| Lamp | Shelf |\n|----|----|\n")
	for i := range n {
		fmt.Fprintf(&b, "| lamp %d, which was painted in May | shelf %d |\n", i, i)
	}
	return b.String()
}

func TestADryRunThatIsInterruptedAtItsStartSaysSo(t *testing.T) {
	t.Parallel()
	w, _, _ := pulled(t, "Text.")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var errs bytes.Buffer
	if code := run(ctx, []string{"push", w.dir, "--dry-run"}, process{strings.NewReader(""), io.Discard, &errs, w.settings}); code != 1 || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("exit code %d: %s", code, &errs)
	}
}

func TestAPushRefusesAFileWithLinesThatStandForOthers(t *testing.T) {
	t.Parallel()
	w, id, file := pulled(t, rows(100)+"\nThe end.")
	before, content := w.stored(id), w.file(file)
	from, to := strings.Index(content, "| lamp 1,"), strings.Index(content, "| lamp 90,")
	w.write(file, content[:from]+"… (rows 1 to 89 unchanged) …\n"+content[to:])
	for _, args := range [][]string{{"--dry-run"}, {"--yes"}} {
		if out := w.run(1, "push", args...); !strings.Contains(out, "refused") || !strings.Contains(out, "stands for text that is not repeated") || !strings.Contains(out, "push it with --allow-shrink") {
			t.Errorf("push %s says %s", args, out)
		}
		if w.stored(id) != before {
			t.Fatal("rows are gone")
		}
	}
	w.run(0, "push", "--yes", "--allow-shrink")
	if w.stored(id) == before {
		t.Error("it is refused although it is allowed")
	}
}

func TestACutReadingIsToldOnTheCommandLineAndNotWritten(t *testing.T) {
	t.Parallel()
	w, id, file := pulled(t, strings.ReplaceAll(rows(1200), "\n| lamp 600,", "\n\n## More\n\n"+rows(1)+"| lamp 600,"))
	before := w.stored(id)
	code, cut, stderr := command(t, w.settings, "call", "read_document", "document_id="+id, "--jq", ".text", "--raw")
	if code != 0 || !strings.Contains(stderr, "The answer is cut. To read on, call read_document again with start_line=") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte(cut), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = command(t, w.settings, "call", "update_document", "document_id="+id, "text@="+page)
	if code != exitUsage || !strings.Contains(stderr, "text ends with line ") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	front, _, _ := strings.Cut(w.file(file), "| Lamp")
	w.write(file, front+cut)
	if out := w.run(1, "push", "--yes"); !strings.Contains(out, "text ends with line ") {
		t.Error(out)
	}
	if w.stored(id) != before {
		t.Error("lines are gone")
	}
	if code, _, stderr := command(t, w.settings, "call", "read_document", "document_id="+id, "max_lines=3", "--jq", ".title"); code != 0 || !strings.Contains(stderr, "start_line=4") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if code, _, stderr := command(t, w.settings, "call", "get_workspace", "--jq", ".name"); code != 0 || stderr != "" {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

func TestAWholeTextOverANewerOneIsRefusedOnTheCommandLine(t *testing.T) {
	t.Parallel()
	w, id, file := pulled(t, "High at noon.\n\nLow at six.")
	revision := w.call("read_document", map[string]any{"document_id": id})["revision"]
	w.replace(file, "Low at six.", "Low at seven.")
	w.call("update_document", map[string]any{"document_id": id, "text": "A colleague's line.", "append": true})
	if out := w.run(5, "push", "--dry-run"); !strings.Contains(out, "conflict") {
		t.Errorf("the plan is %s", out)
	}
	w.run(5, "push", "--yes")
	if code, _, stderr := command(t, w.settings, "call", "update_document", "document_id="+id, "text=Other.", fmt.Sprintf("expected_revision=%v", revision)); code != 5 {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if !strings.Contains(w.stored(id), "A colleague's line.") {
		t.Error("the line is gone")
	}
}

func TestThePlanOfAPushTellsWhatHappensToComments(t *testing.T) {
	t.Parallel()
	w, id, file := pulled(t, "High at noon.\n\nThe crew paints the masts in May.")
	comment := w.call("add_comment", map[string]any{"document_id": id, "text": "Which?", "anchor_text": "paints the masts"})["comment_id"]
	w.call("add_comment", map[string]any{"document_id": id, "text": "Why?", "anchor_text": "noon"})
	w.run(0, "pull")
	before := w.stored(id)
	w.replace(file, "the masts in", "them in")
	w.replace(file, "at noon", "at one")
	out := w.run(0, "push", "--dry-run")
	for _, says := range []string{"comments on text that goes stay, but lose their place", fmt.Sprintf("fewer words of the passage than before: %v", comment)} {
		if !strings.Contains(out, says) {
			t.Errorf("the plan does not say %q: %s", says, out)
		}
	}
	if w.stored(id) != before {
		t.Error("the plan is carried out")
	}
}

func TestThePlanOfAnOrdinaryPushSaysOnlyWhatChanges(t *testing.T) {
	t.Parallel()
	w, _, file := pulled(t, "High at noon.\n\nLow at six.")
	w.write(file, w.file(file)+"\nThe lamps are lit at dusk.\n")
	if out, want := w.run(0, "push", "--dry-run"), "changed    "+file+"\n"; out != want {
		t.Errorf("it is %q, not %q", out, want)
	}
}

func TestAPushThatWritesSignsOtherwiseNamesNobody(t *testing.T) {
	t.Parallel()
	w, id, file := pulled(t, "Start.")
	w.write(file, w.file(file)+"\nSee C:\\new and **重要：**これは.\n")
	if out := w.run(0, "push", "--yes"); strings.Contains(out, "another user") {
		t.Errorf("push says %s", out)
	}
	if content := w.file(file); !strings.Contains(content, `C:\\new`) || !strings.Contains(w.stored(id), `C:\\new`) {
		t.Errorf("the file has %q", content)
	}
	if out := w.run(0, "push", "--dry-run"); !strings.Contains(out, "Nothing has changed") {
		t.Errorf("a second push says %s", out)
	}
}

func TestAPushSaysWhyTheNameOfAFileIsRefused(t *testing.T) {
	t.Parallel()
	for text, word := range map[string]string{"![[secrets.txt]]": "secrets.txt", "[x](../secrets.txt)": "x"} {
		w := newWiki(t, nil)
		w.run(0, "pull", "--collection", "Engineering")
		w.write("secrets.txt", "secret")
		w.write("Engineering/New.md", text+"\n")
		reason := `the size of a video because of its x: "` + word + `" (write the size of the file in bytes behind its name, as in [name.txt 120](...))`
		if out := w.run(1, "push", "--yes"); !strings.Contains(out, reason) {
			t.Errorf("%s: push says %s", text, out)
		}
		w.write("Engineering/New.md", strings.Replace(w.file("Engineering/New.md"), "](", " 6](", 1))
		if out := w.run(0, "push", "--yes"); !strings.Contains(w.text(w.id("Engineering/New.md")), word+" 6](/api/attachments") {
			t.Errorf("%s: with the size, push says %s", text, out)
		}
	}
}

func TestPagesTooLargeForOneAnswerArePulled(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	for n := range 9 {
		w.call("create_document", map[string]any{"title": fmt.Sprint("Large ", n), "collection_id": "8441e5d2-7545-4078-bd93-c21942e16c7f", "text": strings.Repeat("High at noon. ", 3500)})
	}
	w.settings = append(w.settings, "OUTLINE_MAX_ANSWER_BYTES=160KiB")
	w.run(0, "pull")
	found := 0
	for name, content := range w.files() {
		if strings.Contains(name, "/Large ") && len(content) > 45_000 {
			found++
		}
	}
	if found != 9 {
		t.Errorf("%d of 9 pages are pulled", found)
	}
}
