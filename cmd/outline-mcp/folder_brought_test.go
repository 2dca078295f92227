package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lines returns what a command says of a path.
func linesOf(out, path string) (all []string) {
	for line := range strings.Lines(out) {
		if strings.Contains(line, " "+path+"  (") || strings.HasSuffix(strings.TrimSpace(line), " "+path) {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

func TestAFileThatIsNotUTF8IsSkippedAndNotRewritten(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Finance")
	const changed = "Finance/Salary bands.md"
	id := w.id(changed)
	before := w.text(id)
	written := map[string]string{
		changed: w.file(changed) + "caf\xe9\n", "Finance/Latin.md": "caf\xe9 latin1 text\n", "Finance/Nul.md": "a\x00b\n",
		"Finance/UTF-16.md": "\xff\xfeC\x00a\x00f\x00\xe9\x00\n\x00",
	}
	for name, content := range written {
		w.write(name, content)
	}
	for _, args := range [][]string{{"--dry-run"}, {"--yes", "--delete"}} {
		out := w.run(1, "push", args...)
		for name, content := range written {
			if said := linesOf(out, name); len(said) != 1 || !strings.HasPrefix(said[0], "skipped") || !strings.Contains(said[0], "not UTF-8 text; save it as UTF-8") {
				t.Errorf("push %s says of %s %q", args, name, said)
			}
			if w.file(name) != content {
				t.Errorf("%s was rewritten", name)
			}
		}
	}
	w.run(0, "pull")
	sameFiles(t, "after a pull", w.files(), withAll(w.files(), written))
	if now := w.text(id); now != before {
		t.Errorf("Outline holds %q", now)
	}
}

func withAll(files, more map[string]string) map[string]string {
	for name, content := range more {
		files[name] = content
	}
	return files
}

func TestAFileThatHasLostItsOutlineLineStaysTheSamePage(t *testing.T) {
	t.Parallel()
	const leaf = "Finance/Salary bands.md"
	for name, change := range map[string]func(wiki){
		"the line is deleted":   func(w wiki) { w.replace(leaf, "outline: "+w.id(leaf)+"\n", "") },
		"the file is rewritten": func(w wiki) { w.write(leaf, strings.Repeat("Bands are renewed in May. ", 30)+"\n") },
		"it is moved without it": func(w wiki) {
			w.replace(leaf, "outline: "+w.id(leaf)+"\n", "")
			w.rename(leaf, "Finance/Finance overview/Salary bands.md")
		},
		"it is renamed without it": func(w wiki) { w.replace(leaf, "outline: "+w.id(leaf)+"\n", ""); w.rename(leaf, "Finance/Bands.md") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWiki(t, nil)
			w.run(0, "pull", "--collection", "Finance")
			id := w.id(leaf)
			w.call("add_comment", map[string]any{"document_id": id, "text": "Which year?"})
			w.call("update_document", map[string]any{"document_id": id, "icon": "🌱"})
			w.run(0, "pull")
			pages := len(w.files())
			change(w)
			files := w.files()
			if out := w.run(1, "status"); strings.Contains(out, "gone") || strings.Contains(out, "new        "+leaf) {
				t.Errorf("status says %s", out)
			}
			out := w.run(0, "push", "--yes", "--delete")
			if strings.Contains(out, "archived") || !strings.Contains(out, "its outline line was missing") {
				t.Errorf("push says %s", out)
			}
			there := w.call("read_document", map[string]any{"document_id": id})
			if comments := w.call("list_document_comments", map[string]any{"document_id": id}); !strings.Contains(fmt.Sprint(comments), "Which year?") {
				t.Errorf("its comments are %v", comments)
			}
			if name == "the file is rewritten" && !strings.HasPrefix(there["text"].(string), "Bands are renewed in May.") {
				t.Errorf("its text is %q", there["text"])
			}
			other := w.beside()
			other.run(0, "pull", "--collection", "Finance")
			if n := len(other.files()); n != pages {
				t.Errorf("%d pages became %d", pages, n)
			}
			for path := range files {
				if strings.Contains(path, "ands.md") && (w.id(path) != id || !strings.Contains(w.file(path), "icon: 🌱")) {
					t.Errorf("%s names the page %s", path, w.id(path))
				}
			}
		})
	}
}

func TestAPullPutsALostOutlineLineBack(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Finance")
	const leaf = "Finance/Salary bands.md"
	before := w.files()
	w.replace(leaf, "outline: "+w.id(leaf)+"\n", "")
	if out := w.run(0, "pull"); !strings.Contains(out, "restored   "+leaf+"  (its outline line)") {
		t.Errorf("pull says %s", out)
	}
	sameFiles(t, "after a pull", w.files(), before)
}

func TestAPageThatANewFileResemblesIsNotArchived(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Finance")
	const leaf = "Finance/Salary bands.md"
	_, text, _ := strings.Cut(w.file(leaf), "\n---\n\n")
	if err := os.Remove(filepath.Join(w.dir, leaf)); err != nil {
		t.Fatal(err)
	}
	w.write("Finance/Bands.md", text+"\nAnd a line.\n")
	for _, flag := range []string{"--dry-run", "--yes"} {
		if out := w.run(1, "push", flag, "--delete"); !strings.Contains(out, "refused    "+leaf+"  (its file may be Finance/Bands.md") {
			t.Errorf("push %s says %s", flag, out)
		}
	}
	if out := w.run(0, "push", "--yes", "--delete"); !strings.Contains(out, "archived   "+leaf) {
		t.Errorf("a second push says %s", out)
	}
}

func TestAFolderHasOnePage(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Finance")
	w.write("Finance/New.md", "One.\n")
	w.write("Finance/New/index.md", "Two.\n")
	w.write("Finance/Salary bands/README.md", "Three.\n")
	w.write("Finance/Both/README.md", "Four.\n")
	w.write("Finance/Both/index.md", "Five.\n")
	w.write("Finance/Both/Leaf.md", "Six.\n")
	out := w.run(1, "push", "--yes")
	for name, other := range map[string]string{"Finance/New/index.md": "Finance/New.md", "Finance/Salary bands/README.md": "Finance/Salary bands.md", "Finance/Both/index.md": "Finance/Both/README.md"} {
		if !strings.Contains(out, "skipped    "+name+"  ("+other+" is already the page of this folder") {
			t.Errorf("push does not skip %s: %s", name, out)
		}
	}
	if strings.Count(out, "new        ") != 3 {
		t.Errorf("push says %s", out)
	}
}

func TestWhatAPushWouldDoIsWhatItDoes(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Finance", "--drafts")
	for name, text := range map[string]string{"Finance/Numbers.md": "1. [ ] one\n2. two\n", "Finance/Good.md": "Text.\n"} {
		w.write(name, text)
	}
	edit := func(id string) {
		w.post("documents.update", map[string]any{"id": id, "text": "\n\nAnother's.", "append": true})
	}
	const changed, moved, gone = budget, "Finance/Finance overview/Month-end close.md", "Finance/Salary bands.md"
	edit(w.id(changed))
	edit(w.id(gone))
	w.replace(changed, "\n---\n\n", "\n---\n\nMine.\n\n")
	edit(w.id(moved))
	w.rename(moved, "Finance/Month-end close.md")
	if err := os.Remove(filepath.Join(w.dir, gone)); err != nil {
		t.Fatal(err)
	}
	plan, done := w.run(5, "push", "--dry-run", "--delete"), w.run(5, "push", "--yes", "--delete")
	if plan != done {
		t.Errorf("the plan was\n%s\nand what was done\n%s", plan, done)
	}
	for _, line := range []string{"conflict   " + changed, "conflict   " + gone, "conflict   Finance/Month-end close.md", "refused    Finance/Numbers.md", "new        Finance/Good.md"} {
		if !strings.Contains(plan, line) {
			t.Errorf("the plan lacks %s: %s", line, plan)
		}
	}
}

func TestNothingHasChangedInOutlineAfterOnesOwnPush(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.write("A.md", "Text.\n")
	w.write("B.md", "[A](A.md)\n")
	w.run(0, "push", "--collection", "Finance", "--yes")
	w.write("C.md", "[B](B.md)\n")
	w.run(0, "push", "--yes")
	// Outline counts what it stores by itself as a revision, some time later.
	for _, name := range []string{"B.md", "C.md"} {
		for _, full := range []bool{true, false} {
			w.post("documents.update", map[string]any{"id": w.id(name), "fullWidth": full})
		}
	}
	w.run(0, "status", "--fetch")
	if out := w.run(0, "pull", "--check"); out != "Nothing has changed.\n" {
		t.Errorf("the check says %s", out)
	}
	w.replace("B.md", "[A](A.md)", "See [A](A.md)")
	w.run(0, "push", "--yes")
	w.rename("C.md", "A/C.md")
	w.run(0, "push", "--yes")
	if out := w.run(0, "pull"); out != "Nothing has changed.\n" {
		t.Errorf("pull says %s", out)
	}
}

func TestTheReadmeOfACollectionIsAPageNamedByItsHeading(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull", "--collection", "Finance")
	w.write("Finance/README.md", "# Money matters\n\nText.\n")
	w.write("Finance/Paid/index.md", "# Other\n")
	out := w.run(0, "push", "--yes")
	if !strings.Contains(out, "new        Finance/README.md  (Money matters") || !strings.Contains(out, "new        Finance/Paid/index.md  (Paid") {
		t.Errorf("push says %s", out)
	}
	into := newWiki(t, nil)
	into.write("index.md", "# Home\n\n[Guide](guide/index.md)\n")
	into.write("guide/index.md", "Guide.\n")
	if out := into.run(0, "push", "--collection", "Handbook", "--yes"); !strings.Contains(out, "new        index.md  (Home") {
		t.Errorf("push says %s", out)
	}
	before := into.files()
	if out := into.run(0, "pull"); out != "Nothing has changed.\n" {
		t.Errorf("a pull moves the rest of the collection into the folder: %s", out)
	}
	into.call("create_document", map[string]any{"title": "Below", "parent_document_id": into.id("guide/index.md"), "text": "x"})
	into.run(0, "pull")
	if after := into.files(); len(after) != len(before)+1 || after["guide/Below.md"] == "" {
		t.Errorf("the files are %v", fmt.Sprint(after))
	}
}

func TestACloneOfAPushedFolderIsTakenOver(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.write("README.md", "# Project\n\n[Guide](docs/guide.md)\n")
	w.write("docs/guide.md", "Run it.\n\n![A picture](img/a%20dot.png)\n\nThe end.\n")
	w.write("docs/img/a dot.png", "\x89PNG\r\n\x1a\n")
	w.run(1, "push", "--collection", "Handbook", "--check")
	w.run(0, "push", "--collection", "Handbook", "--yes")
	w.run(0, "push", "--check")
	w.call("create_document", map[string]any{"title": "A colleague's", "parent_document_id": w.id("docs/guide.md"), "text": "x"})
	clone := w.beside()
	if err := os.CopyFS(clone.dir, os.DirFS(w.dir)); err != nil {
		t.Fatal(err)
	}
	forget := func() {
		for _, name := range []string{".outline", "docs/guide.outline.md"} {
			if err := os.RemoveAll(filepath.Join(clone.dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	forget()
	before := clone.files()
	if out := clone.run(0, "push", "--collection", "Handbook", "--check"); out != "Nothing has changed.\n" {
		t.Errorf("a check of the clone says %s", out)
	}
	sameFiles(t, "after the check", clone.files(), before)
	clone.run(0, "push", "--collection", "Handbook", "--yes")
	clone.replace("docs/guide.md", "Run it.", "Run it twice.")
	if out := clone.run(1, "push", "--check"); !strings.Contains(out, "changed    docs/guide.md") {
		t.Errorf("a check of a change says %s", out)
	}
	clone.run(0, "push", "--yes", "--delete")
	if out := w.run(0, "pull"); !strings.Contains(out, "new        docs/guide/A colleague's.md") {
		t.Errorf("a pull says %s", out)
	}
	if text := w.text(w.id("docs/guide.md")); !strings.Contains(text, "Run it twice.") || !strings.Contains(text, "attachments.redirect") {
		t.Errorf("Outline holds %q", text)
	}
	// Without a state, nobody knows which side has changed; without an outline line, which page it is.
	forget()
	clone.replace("docs/guide.md", "Run it twice.", "Run it three times.")
	if out := clone.run(5, "push", "--collection", "Handbook", "--yes"); !strings.Contains(out, "conflict   docs/guide.md") || !strings.Contains(out, "Merge NAME.outline.md into each file, delete it, and push again") {
		t.Errorf("a push without a state says %s", out)
	}
	clone.replace("docs/guide.md", "Run it three times.", "Run it twice.")
	for _, changed := range []map[string]any{{"title": "The guide"}, {"title": "guide", "icon": "📘"}} {
		forget()
		changed["document_id"] = w.id("docs/guide.md")
		w.call("update_document", changed)
		out := clone.run(5, "push", "--collection", "Handbook", "--yes")
		if !strings.Contains(out, "conflict   docs/guide.md") || strings.Contains(out, `its title in Outline is "The guide"`) == (changed["icon"] != nil) {
			t.Errorf("a push after %v was set in Outline says %s", changed, out)
		}
	}
	if beside := clone.files()["docs/guide.outline.md"]; !strings.Contains(beside, "icon: 📘") {
		t.Errorf("Outline's version is %q", beside)
	}
	forget()
	for _, name := range []string{"docs/guide.md", "README.md"} {
		clone.replace(name, "outline: "+w.id(name)+"\n", "")
	}
	if out := clone.run(1, "push", "--collection", "Handbook", "--yes"); !strings.Contains(out, "skipped    docs/guide.md  (Outline has a document of this title here: if it is that of this file, give the file the line outline: "+w.id("docs/guide.md")) {
		t.Errorf("a push without outline lines says %s", out)
	}
	if out := clone.run(1, "push", "--yes"); !strings.Contains(out, "skipped    docs/guide.md  (Outline has a document of this title here") || strings.Contains(out, "new  ") {
		t.Errorf("another push without outline lines says %s", out)
	}
}

func TestACloneWithAPageWithoutATitleIsTakenOver(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.post("documents.create", map[string]any{"title": "", "text": "Words.", "collectionId": w.collection("Finance"), "publish": true, "icon": "📘"})
	w.run(0, "pull", "--collection", "Finance")
	const untitled = "Finance/Untitled.md"
	id := w.id(untitled)
	clone := w.beside()
	again := func(code int) string {
		if err := os.RemoveAll(clone.dir); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(clone.dir, os.DirFS(w.dir)); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(clone.dir, ".outline")); err != nil {
			t.Fatal(err)
		}
		return clone.run(code, "push", "--collection", "Finance", "--yes")
	}
	for range 2 {
		if out := again(0); out != "Nothing has changed.\n" {
			t.Errorf("a push of the clone says %s", out)
		}
	}
	if out := clone.run(0, "pull"); out != "Nothing has changed.\n" {
		t.Errorf("a pull says %s", out)
	}
	sameFiles(t, "after a push and a pull", clone.files(), w.files())
	w.post("documents.update", map[string]any{"id": id, "color": "#FF825C"})
	if out := again(5); !strings.Contains(out, "conflict   "+untitled) || strings.Contains(out, "its title in Outline") {
		t.Errorf("a push after another color was set in Outline says %s", out)
	}
	if beside := clone.files()["Finance/Untitled.outline.md"]; !strings.Contains(beside, `color: "#FF825C"`) {
		t.Errorf("Outline's version is %q", beside)
	}
	w.post("documents.update", map[string]any{"id": id, "color": nil, "title": "Titled"})
	if out := again(5); !strings.Contains(out, `its title in Outline is "Titled"`) {
		t.Errorf("a push after a title was set in Outline says %s", out)
	}
}
