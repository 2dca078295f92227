package main

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.etcd.io/bbolt"

	"outline-mcp/internal/fakeoutline"
)

func TestAFileThatCannotBeReadIsNotTakenForADeletedOne(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hide func(w wiki)
		told string
	}{
		"moved, with broken front matter": {func(w wiki) {
			w.rename(architecture, "Handbook/Architecture.md")
			w.replace("Handbook/Architecture.md", "---\n", "---\nicon: [\n")
		}, "Handbook/Architecture.md"},
		"in a folder that is a link": {func(w wiki) {
			w.rename("Engineering/Engineering overview", "elsewhere")
			if err := os.Symlink("../elsewhere", filepath.Join(w.dir, "Engineering/Engineering overview")); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(w.dir, "elsewhere")); err != nil {
				t.Fatal(err)
			}
		}, "Engineering/Engineering overview"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWiki(t, nil)
			w.run(0, "pull", "--collection", "Engineering")
			id := w.id(architecture)
			test.hide(w)
			if out := w.run(1, "push", "--yes", "--delete"); !strings.Contains(out, "refused    "+architecture+"  (its file may be "+test.told+", which cannot be read") {
				t.Errorf("push says %q", out)
			}
			if document := w.call("read_document", map[string]any{"document_id": id}); document["status"] != "published" {
				t.Errorf("the document is %v", document["status"])
			}
		})
	}
}

// conflict makes a page one that is in conflict, with a paragraph of each side.
func (w wiki) conflict(page, ours, theirs string) {
	w.t.Helper()
	id := w.id(page)
	paragraph, _, _ := strings.Cut(w.text(id), "\n\n")
	w.replace(page, paragraph, ours)
	w.call("edit_document", map[string]any{"document_id": id, "edits": []map[string]any{{"old_text": paragraph, "new_text": theirs}}})
}

func TestPagesInConflictThatExchangePlacesKeepBothVersions(t *testing.T) {
	t.Parallel()
	const first, second = "Finance/Finance overview/Budget 2026", "Finance/Finance overview/Month-end close"
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Finance")
	ids := []string{w.id(first + ".md"), w.id(second + ".md")}
	w.conflict(first+".md", "Ours of one.", "Theirs of one.")
	w.conflict(second+".md", "Ours of two.", "Theirs of two.")
	w.run(5, "pull")
	for i, title := range []string{"Month-end close", "Budget 2026"} {
		w.call("update_document", map[string]any{"document_id": ids[i], "title": title})
	}
	w.run(5, "pull")
	for name, want := range map[string]string{
		second + ".md": "Ours of one.", second + ".outline.md": "Theirs of one.",
		first + ".md": "Ours of two.", first + ".outline.md": "Theirs of two.",
	} {
		if content := w.file(name); !strings.Contains(content, want) {
			t.Errorf("%s lacks %q:\n%s", name, want, content)
		}
	}
}

func TestAFileThatWasBeingMovedIsFoundWithItsChanges(t *testing.T) {
	t.Parallel()
	beside := strings.TrimSuffix(architecture, ".md") + ".outline.md"
	for _, left := range []string{"both", "the version beside it"} {
		w := newWiki(t, nil)
		w.run(0, "pull", "--collection", "Engineering")
		aside := ".outline/moving-" + w.id(architecture)
		w.conflict(architecture, "Ours.", "Theirs.")
		w.run(5, "pull")
		// What an interrupted pull leaves.
		w.rename(beside, aside+".outline.md")
		if left == "both" {
			w.rename(architecture, aside+".md")
		} else {
			w.rename(architecture, "Engineering/Moved.md")
		}
		w.run(5, "push", "--yes")
		if left != "both" {
			w.rename("Engineering/Moved.md", architecture)
		}
		w.run(5, "pull")
		if !strings.Contains(w.file(architecture), "Ours.") || !strings.Contains(w.file(beside), "Theirs.") {
			t.Errorf("%s: the file reads %s, and the one beside it %s", left, w.file(architecture), w.file(beside))
		}
		w.run(5, "push", "--yes")
	}
}

// TestAnEditDuringAPullIsNotOverwritten edits the file that a pull writes last when it has
// written the first one.
func TestAnEditDuringAPullIsNotOverwritten(t *testing.T) {
	t.Parallel()
	w := newWiki(t, large(t, 100))
	w.run(0, "pull")
	for n := range 100 {
		w.post("documents.update", map[string]any{"id": fmt.Sprintf("page%06d", n), "text": "Changed."})
	}
	first, last := filepath.Join(w.dir, "Collection 0/Page 0.md"), filepath.Join(w.dir, "Collection 9/Page 99.md")
	before, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	cmd := program(t.Context(), w.settings, "pull", w.dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for {
		if now, err := os.ReadFile(first); err == nil && string(now) != string(before) {
			break
		}
	}
	file, err := os.OpenFile(last, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("\nMine.\n"); err != nil {
		t.Fatal(err)
	}
	file.Close()
	_ = cmd.Wait()
	const edited = "Collection 9/Page 99.md"
	if !strings.Contains(w.file(edited), "Mine.") {
		t.Errorf("the edit is gone:\n%s", w.file(edited))
	}
	w.run(5, "pull")
	all := w.files()
	if both := all[edited] + all["Collection 9/Page 99.outline.md"]; !strings.Contains(both, "Mine.") || !strings.Contains(both, "Changed.") {
		t.Errorf("the next pull leaves %s", both)
	}
}

func TestALinkToAPageThatIsRefusedIsSentOnceThePageIsThere(t *testing.T) {
	t.Parallel()
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	refuse := false
	w := newWiki(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if refuse && strings.HasSuffix(r.URL.Path, "documents.create") {
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(http.StatusForbidden)
			fmt.Fprint(rw, `{"ok":false,"error":"authorization_error","status":403,"message":"Authorization error"}`)
			return
		}
		sample.ServeHTTP(rw, r)
	}))
	w.run(0, "pull", "--collection", "Engineering")
	w.write(overview, w.file(overview)+"\nSee [the new page](New%20page.md).\n")
	w.write("Engineering/New page.md", "New.\n")
	refuse = true
	w.run(1, "push", "--yes")
	if out := w.run(1, "status"); !strings.Contains(out, "changed    "+overview) {
		t.Errorf("status hides the link that is not sent: %q", out)
	}
	refuse = false
	w.run(0, "push", "--yes")
	if text := w.text(w.id(overview)); !strings.Contains(text, "[the new page](/doc/new-page-") {
		t.Errorf("Outline holds %q", text)
	}
	w.run(0, "status")
	other := w.beside()
	other.run(0, "pull", "--collection", "Engineering")
	sameFiles(t, "another folder", other.files(), w.files())
}

func TestACheckTakesTheOptionsOfThePullThatItStandsFor(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.call("create_document", map[string]any{"title": "Draft", "text": "x", "publish": false, "collection_id": w.collection("Finance")})
	w.run(0, "pull", "--collection", "Finance")
	before := w.files()
	for option, want := range map[string]string{"--drafts": "new        _drafts/Draft.md\n", "--files": "changed    " + budget} {
		if out := w.run(1, "pull", "--check", option); !strings.Contains(out, want) || strings.Count(out, "\n") != 1 {
			t.Errorf("pull --check %s says %q", option, out)
		}
	}
	if out := w.run(2, "pull", "--check", "--collection", "Handbook"); !strings.Contains(out, "use another folder") {
		t.Errorf("a check of another collection says %q", out)
	}
	w.run(0, "pull", "--check", "--collection", "Finance")
	sameFiles(t, "after the checks", w.files(), before)
	w.run(0, "pull", "--files", "--drafts")
	w.run(0, "pull", "--check", "--files", "--drafts")
}

func TestAPushSaysWhatItUploadsAndAdapts(t *testing.T) {
	t.Parallel()
	const page = "Finance/Salary bands.md"
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Finance")
	other := w.beside()
	other.run(0, "pull", "--collection", "Finance")
	w.write("Finance/dot.png", onePixel)
	w.write(page, w.file(page)+"\n> [!TIP]\n> Ask ![a dot](dot.png).\n")
	w.write("Finance/New.md", "![](dot.png)\n\nSee[^1].\n\n[^1]: A note.\n")
	const upload = "uploaded   Finance/dot.png  (which "
	if plan := w.run(0, "push", "--dry-run"); strings.Count(plan, upload) != 1 {
		t.Errorf("the plan is %s", plan)
	}
	out := w.run(0, "push", "--yes")
	for _, part := range []string{upload, "alert as a callout", "stored as plain text, because Outline does not read it: line 3, footnote"} {
		if strings.Count(out, part) != 1 {
			t.Errorf("push says %q once in\n%s", part, out)
		}
	}
	if !strings.Contains(w.file(page), ":::") {
		t.Errorf("the file is not what Outline holds:\n%s", w.file(page))
	}
	if out := w.run(0, "pull"); out != "Nothing has changed.\n" {
		t.Errorf("pull says %q", out)
	}
	other.run(0, "pull", "--files")
	if got, want := other.text(other.id(page)), w.text(w.id(page)); got != want {
		t.Errorf("the other folder is of %q", got)
	}
	other.run(0, "status")
}

func TestAnEditedPageWithoutARecordIsInConflictWithOutline(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(w wiki, id string){
		"restored in Outline": func(w wiki, id string) {
			w.post("documents.archive", map[string]any{"id": id})
			w.run(0, "pull")
			w.post("documents.restore", map[string]any{"id": id})
		},
		"the records are lost": func(w wiki, _ string) {
			if err := os.RemoveAll(filepath.Join(w.dir, ".outline")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWiki(t, nil)
			w.run(0, "pull", "--collection", "Engineering")
			w.replace(leaf, "\n---\n\n", "\n---\n\nMine.\n\n")
			theirs := w.text(w.id(leaf))
			lose(w, w.id(leaf))
			if out := w.run(5, "pull", "--collection", "Engineering"); !strings.Contains(out, "conflict   "+leaf) {
				t.Errorf("pull says %q", out)
			}
			w.run(5, "push", "--yes")
			if text := w.text(w.id(leaf)); text != theirs || !strings.Contains(w.file(leaf), "Mine.") {
				t.Errorf("Outline holds %q, and the file reads %s", text, w.file(leaf))
			}
		})
	}
}

func TestADamagedDatabaseIsTold(t *testing.T) {
	t.Parallel()
	const name = ".outline/pulled.db"
	w := newWiki(t, nil)
	w.run(0, "pull")
	records, files := w.file(name), w.files()
	damaged := []string{records[:40000] + strings.Repeat("\xff", len(records)-40000), records[:8192] + strings.Repeat("\x00", len(records)-8192), "not a database"}
	for _, size := range []int{len(records) * 3 / 4, 40000, 20000, 8192, 5000, 100} {
		damaged = append(damaged, records[:size])
	}
	for i, content := range damaged {
		for command, code := range map[string]int{"pull": 1, "status": 2} {
			w.write(name, content)
			if out := w.run(code, command); !strings.Contains(out, "move it away and pull again") {
				t.Errorf("%d: %s says %s", i, command, out)
			}
			if err := os.Remove(filepath.Join(w.dir, name)); err != nil { // its lock may last as long as this process
				t.Fatal(err)
			}
		}
	}
	w.run(0, "pull")
	sameFiles(t, "pulled again", w.files(), files)
}

func TestADatabaseFromElsewhereTakesNoMemoryAndIsTold(t *testing.T) {
	t.Parallel()
	const name = ".outline/pulled.db"
	deflated := func(text string) []byte {
		var out bytes.Buffer
		w, _ := flate.NewWriter(&out, flate.BestSpeed)
		_, _ = io.WriteString(w, text)
		w.Close()
		return out.Bytes()
	}
	long := deflated(strings.Repeat(" ", 40<<20))
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Engineering")
	w.write(leaf, w.file(leaf)+"\nMine.\n")
	records := w.file(name)
	for _, test := range []struct {
		bucket, key string // "" for the first
		value       []byte
	}{
		{"texts", "", long},
		{"texts", "", []byte("\x1e")},
		{"documents", "", []byte("{\x1e")},
		{"settings", "folder", []byte("{\x1e")},
		{"planned", "x", long},
		{"planned", "x", deflated("{\x1e")},
	} {
		w.write(name, records)
		database, err := bbolt.Open(filepath.Join(w.dir, name), 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = database.Update(func(tx *bbolt.Tx) error {
			if test.key != "" {
				return tx.Bucket([]byte(test.bucket)).Put([]byte(test.key), test.value)
			}
			return tx.Bucket([]byte(test.bucket)).ForEach(func(key, _ []byte) error {
				return tx.Bucket([]byte(test.bucket)).Put(key, test.value)
			})
		})
		if err := errors.Join(err, database.Close()); err != nil {
			t.Fatal(err)
		}
		if out := w.run(1, "push", "--yes"); !strings.Contains(out, name+" is damaged; move it away and pull again") || strings.Contains(out, "character") {
			t.Errorf("%.20q in %s: push says %s", test.value, test.bucket, out)
		}
	}
}

func TestARecordOfAnotherPageChangesNothing(t *testing.T) {
	t.Parallel()
	w, id, file := pulled(t, "High at noon.")
	other, _ := w.call("create_document", map[string]any{"title": "Beacon", "collection_id": "8441e5d2-7545-4078-bd93-c21942e16c7f", "text": "Lit at six."})["document_id"].(string)
	before := w.call("read_document", map[string]any{"document_id": other})
	database, err := bbolt.Open(filepath.Join(w.dir, ".outline/pulled.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = database.Update(func(tx *bbolt.Tx) error {
		records, texts := tx.Bucket([]byte("documents")), tx.Bucket([]byte("texts"))
		value := strings.ReplaceAll(string(records.Get([]byte(id))), id, other)
		return errors.Join(records.Delete([]byte(id)), records.Put([]byte(other), []byte(value)), texts.Put([]byte(other), slices.Clone(texts.Get([]byte(id)))))
	})
	if err := errors.Join(err, database.Close()); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		code   int
		change func()
	}{
		{1, func() { w.replace(file, "noon", "ten") }},
		{5, func() { w.rename(file, "Handbook/Harbour.md") }},
		{5, func() { _ = os.Remove(filepath.Join(w.dir, "Handbook/Harbour.md")) }},
	} {
		step.change()
		out := w.run(step.code, "push", "--yes", "--delete")
		now := w.call("read_document", map[string]any{"document_id": other})
		if !strings.Contains(out, "Harbour.md") || !reflect.DeepEqual(now, before) {
			t.Errorf("push says %s and Outline holds %v", out, now)
		}
	}
}

func TestAVersionBesideThatAnInterruptedPullWroteIsItsOwn(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Engineering")
	w.conflict(leaf, "Ours.", "Theirs.")
	records := w.file(".outline/pulled.db")
	w.run(5, "pull")
	w.write(".outline/pulled.db", records)
	if out := w.run(5, "pull"); !strings.Contains(out, "conflict   "+leaf) {
		t.Errorf("pull says %q", out)
	}
	w.run(5, "push", "--yes")
}

// leaf is a page with no pages below it.
const leaf = "Engineering/Engineering overview/Release process.md"

func TestAConflictSurvivesAPageThatCannotBePlaced(t *testing.T) {
	t.Parallel()
	const renamed = "Engineering/Renamed/Release process.md"
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Engineering")
	id := w.id(leaf)
	w.conflict(leaf, "Ours.", "Theirs.")
	w.run(5, "pull")
	w.call("update_document", map[string]any{"document_id": w.id(overview), "title": "Renamed"})
	if err := os.MkdirAll(filepath.Join(w.dir, renamed), 0o755); err != nil {
		t.Fatal(err)
	}
	if out := w.run(1, "pull"); !strings.Contains(out, renamed+" is in the way") {
		t.Errorf("pull says %q", out)
	}
	if err := os.Remove(filepath.Join(w.dir, renamed)); err != nil {
		t.Fatal(err)
	}
	w.run(5, "pull")
	w.run(5, "push", "--yes")
	if text := w.text(id); !strings.Contains(text, "Theirs.") || !strings.Contains(w.file(renamed), "Ours.") {
		t.Errorf("Outline holds %q, and the file reads %s", text, w.file(renamed))
	}
}

func TestAFileThatAnInterruptedPullLeftIsNotOverwritten(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Engineering")
	id, old := w.id(leaf), w.file(leaf)
	w.replace(leaf, "\n---\n\n", "\n---\n\nMine.\n\n")
	w.call("update_document", map[string]any{"document_id": id, "title": "Renamed"})
	aside := ".outline/moving-" + id + ".md"
	w.rename(leaf, aside)
	w.write(leaf, old) // a checkout
	if out := w.run(1, "pull"); !strings.Contains(out, aside) || !strings.Contains(out, "pull again") {
		t.Errorf("pull says %q", out)
	}
	if !strings.Contains(w.file(aside), "Mine.") {
		t.Errorf("the edit is gone: %s", w.file(aside))
	}
}

// meanwhile is a sample Outline in which another user adds a paragraph to a document, by
// the ID that id returns, right after the first call of a method. then is called next.
func meanwhile(t *testing.T, method string, id func() string, then func()) http.Handler {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		own := httptest.NewRecorder()
		sample.ServeHTTP(own, r)
		defer func() {
			maps.Copy(rw.Header(), own.Header())
			rw.WriteHeader(own.Code)
			_, _ = rw.Write(own.Body.Bytes())
		}()
		if !strings.HasSuffix(r.URL.Path, method) || own.Code != http.StatusOK {
			return
		}
		once.Do(func() {
			body := fmt.Sprintf(`{"id":%q,"text":"\n\nOf another user.","append":true}`, id())
			other := httptest.NewRequest(http.MethodPost, "/api/documents.update", strings.NewReader(body))
			other.Header = r.Header.Clone()
			answer := httptest.NewRecorder()
			if sample.ServeHTTP(answer, other); answer.Code != http.StatusOK {
				t.Errorf("the other user: %s", answer.Body)
			}
			then()
		})
	})
}

func TestAnEditDuringAPushDoesNotOverwriteAnotherUsersOfTheSameTime(t *testing.T) {
	t.Parallel()
	var w wiki
	w = newWiki(t, meanwhile(t, "/documents.update", func() string { return w.id(leaf) }, func() {
		w.write(leaf, w.file(leaf)+"\nMine, second.\n")
	}))
	w.run(0, "pull", "--collection", "Engineering")
	id := w.id(leaf)
	w.replace(leaf, "\n---\n\n", "\n---\n\nMine, first.\n\n")
	if out := w.run(0, "push", "--yes"); !strings.Contains(out, "another user has changed it since, and the file was changed") {
		t.Errorf("push says %q", out)
	}
	if text := w.text(id); !strings.Contains(text, "Of another user.") || !strings.Contains(text, "Mine, first.") {
		t.Errorf("Outline holds %q", text)
	}
	w.run(5, "push", "--yes")
	w.run(5, "pull")
	beside := w.files()[strings.TrimSuffix(leaf, ".md")+".outline.md"]
	if !strings.Contains(w.file(leaf), "Mine, second.") || !strings.Contains(w.file(leaf)+beside, "Of another user.") {
		t.Errorf("the file reads %s", w.file(leaf))
	}
}

func TestAPushTellsOfAnotherUsersChangeAndOfWikiLinks(t *testing.T) {
	t.Parallel()
	var w wiki
	w = newWiki(t, meanwhile(t, "/documents.update", func() string { return w.id(leaf) }, func() {}))
	w.run(0, "pull", "--collection", "Engineering")
	w.write("Engineering/New.md", "---\ntitle: The new page\n---\n\nNew.\n")
	w.replace(leaf, "\n---\n\n", "\n---\n\nSee [[The new page]].\n\n")
	out := w.run(0, "push", "--yes")
	for _, part := range []string{"another user has changed it since; the file includes that change", "wiki links to other files became links: 1"} {
		if !strings.Contains(out, part) {
			t.Errorf("push lacks %q: %s", part, out)
		}
	}
	if text := w.text(w.id(leaf)); !strings.Contains(text, "See [The new page](/doc/") || !strings.Contains(text, "Of another user.") {
		t.Errorf("Outline holds %q", text)
	}
}

func TestAFileThatAnotherUserLinksToInANewPageIsNotUploaded(t *testing.T) {
	t.Parallel()
	const page = "Engineering/New page.md"
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Engineering")
	w.write("Engineering/dot.png", onePixel)
	w.write("Engineering/secret.txt", "Not for Outline.")
	w.write(page, "New. ![a dot](dot.png)\n")
	offered := w
	w.settings = append(w.settings, "OUTLINE_TOOLS=default") // without upload_attachment
	w.run(1, "push", "--yes")
	w.post("documents.update", map[string]any{"id": w.id(page), "text": "\n\nSee [it](secret.txt).", "append": true})
	offered.run(0, "pull")
	if out := offered.run(0, "push", "--dry-run"); strings.Contains(out, "secret") || !strings.Contains(out, "uploaded   Engineering/dot.png") {
		t.Errorf("the plan is %s", out)
	}
	offered.run(0, "push", "--yes")
	if text := w.text(w.id(page)); !strings.Contains(text, "[it](secret.txt)") || strings.Contains(text, "dot.png") {
		t.Errorf("Outline holds %q", text)
	}
}

func TestAColorIsNotTakenForSentIfOnlyTheTextIsTheSame(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Engineering")
	w.call("update_document", map[string]any{"document_id": w.id(leaf), "icon": "rocket", "color": "#00FF00"})
	w.run(0, "pull")
	w.replace(leaf, "#00FF00", "#FF0000")
	w.replace(leaf, "\n---\n\n", "\n---\n\nOf both.\n\n")
	w.call("update_document", map[string]any{"document_id": w.id(leaf), "text": "Of both.", "prepend": true})
	w.run(5, "push", "--yes")
	w.run(0, "pull")
	w.run(0, "push", "--yes")
	if !strings.Contains(w.file(leaf), "#FF0000") {
		t.Errorf("the file reads %.200s", w.file(leaf))
	}
}

func TestAFileWithBrokenFrontMatterIsLeftUntilItIsFixed(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]string{"not YAML": "\nicon: [\n---\n\n", "not closed": "\n--\n\n"} {
		t.Run(name, func(t *testing.T) {
			const renamed = "Engineering/Engineering overview/Renamed.md"
			w := newWiki(t, nil)
			w.run(0, "pull", "--collection", "Engineering")
			id := w.id(leaf)
			w.replace(leaf, "\n---\n\n", broken+"Mine.\n\n")
			if out := w.run(1, "push", "--yes", "--delete"); !strings.Contains(out, "skipped    "+leaf) || !strings.Contains(out, "Nothing else") {
				t.Errorf("push says %q", out)
			}
			w.call("update_document", map[string]any{"document_id": id, "title": "Renamed"})
			w.run(0, "pull")
			w.replace(leaf, broken, "\n---\n\n")
			w.run(0, "pull")
			w.run(0, "push", "--yes")
			if text := w.text(id); !strings.HasPrefix(text, "Mine.") || !strings.Contains(w.file(renamed), "Mine.") {
				t.Errorf("Outline holds %.100q", text)
			}
		})
	}
}

func TestAFileThatHasMovedIsTakenOverWithoutARecord(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Engineering")
	id := w.id(leaf)
	if err := os.RemoveAll(filepath.Join(w.dir, ".outline")); err != nil {
		t.Fatal(err)
	}
	w.rename(leaf, "Engineering/Moved.md")
	w.run(5, "pull", "--collection", "Engineering")
	w.run(5, "pull")
	if files := w.files(); files["Engineering/Moved.md"] != "" || w.id(leaf) != id {
		t.Error("the second pull leaves the file where it was moved to")
	}
}

func TestAPageThatWasBeingMovedIsNotRenamedHere(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Engineering")
	id := w.id(leaf)
	w.call("update_document", map[string]any{"document_id": id, "title": "Renamed"})
	w.rename(leaf, ".outline/moving-"+id+".md")
	if out := w.run(0, "pull"); strings.Contains(out, "conflict") {
		t.Errorf("pull says %q", out)
	}
	w.run(0, "status")
}

func TestPagesBecomeNoInstructionsForCodingAgents(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	titles := []string{"CLAUDE", "agents", "Gemini", "SKILL", "copilot-instructions", "git~1"}
	for _, title := range titles {
		w.call("create_document", map[string]any{"title": title, "collection_id": w.collection("Handbook"), "text": "Of the wiki."})
	}
	w.write("AGENTS.md", "Of the repository.")
	w.write("Handbook/CLAUDE.md", "Of the repository.")
	w.run(0, "push", "--collection", "Handbook", "--yes")
	w.write("Handbook.md", "New.")
	w.run(0, "push", "--yes")
	if out := w.run(0, "pull"); out != "Nothing has changed.\n" {
		t.Errorf("a pull brings pages that were not pushed from the folder: %s", out)
	}
	w.run(0, "pull", "--collection", "Handbook")
	files := w.files()
	for _, title := range titles {
		if files[title+".md"] != "" || !strings.Contains(files[title+"-.md"], "\ntitle: "+title+"\n") {
			t.Errorf("%s: the files are %q", title, slices.Sorted(maps.Keys(files)))
		}
	}
	if files["AGENTS.md"] != "Of the repository." || files["Handbook/CLAUDE.md"] != "Of the repository." {
		t.Errorf("the files of the repository are %q and %q", files["AGENTS.md"], files["Handbook/CLAUDE.md"])
	}
	id := w.id("CLAUDE-.md")
	w.replace("CLAUDE-.md", "Of the wiki.", "Changed.")
	w.run(0, "push", "--yes")
	if text := w.text(id); text != "Changed." {
		t.Errorf("Outline holds %q", text)
	}
	if out := w.run(0, "pull"); out != "Nothing has changed.\n" {
		t.Errorf("a pull after the push says %s", out)
	}
}

func TestAPushRecognizesItsOwnChangeAfterAFullDisk(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Engineering")
	const database = ".outline/pulled.db"
	for _, added := range []string{"Added once.", "> [!NOTE]\n> Added once.", "Added once.[^1]\n\n[^1]: A note."} {
		records, page := w.file(database), w.file(leaf)+"\n"+added+"\n"
		w.write(leaf, page)
		w.run(0, "push", "--yes")
		now := w.text(w.id(leaf))
		w.write(leaf, page) // neither the file nor the record was written
		w.write(database, records)
		if out := w.run(0, "push", "--yes"); strings.Contains(out, "another user") || w.text(w.id(leaf)) != now {
			t.Errorf("%s: the next push says %s\n%s", added, out, w.text(w.id(leaf)))
		}
		w.run(0, "status")
	}
	page := w.file(leaf)
	records := w.file(database)
	w.write(leaf, page+"\nMine.\n")
	w.run(0, "push", "--yes")
	w.post("documents.update", map[string]any{"id": w.id(leaf), "text": "\n\nOf another user.", "append": true})
	w.write(leaf, page+"\nMine.\n")
	w.write(database, records)
	if out := w.run(5, "push", "--yes"); !strings.Contains(out, "conflict") {
		t.Errorf("after another user's change, the next push says %s", out)
	}
}
