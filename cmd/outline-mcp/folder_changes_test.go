package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/cli/folder"
)

func TestATitleOrAnIconThatBothSidesHaveChangedIsAConflict(t *testing.T) {
	t.Parallel()
	const renamed = "Engineering/Engineering overview/Ours.md"
	for name, test := range map[string]struct {
		theirs map[string]any
		ours   func(w wiki) (path string)
		at     string // the file in another folder
		kept   string // in it
	}{
		"a title": {map[string]any{"title": "Theirs"}, func(w wiki) string { w.rename(architecture, renamed); return renamed },
			"Engineering/Engineering overview/Theirs.md", "Marek Osei"},
		"an icon": {map[string]any{"icon": "fire"}, func(w wiki) string {
			w.replace(architecture, "---\n", "---\nicon: rocket\n")
			return architecture
		}, architecture, "icon: 🔥"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWiki(t, nil)
			w.run(0, "pull")
			id := w.id(architecture)
			arguments := map[string]any{"document_id": id}
			for key, value := range test.theirs {
				arguments[key] = value
			}
			path := test.ours(w)
			w.call("update_document", arguments)
			if out := w.run(5, "pull"); !strings.Contains(out, "conflict   "+path) {
				t.Errorf("pull says %q", out)
			}
			w.run(5, "push", "--yes")
			other := w.beside()
			other.run(0, "pull")
			if !strings.Contains(other.file(test.at), test.kept) {
				t.Errorf("Outline holds %.200s", other.file(test.at))
			}
		})
	}
}

func TestADocumentThatComesBackIsReadAnew(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull")
	id := w.id(architecture)
	text := w.file(architecture)
	w.call("archive_document", map[string]any{"document_id": id})
	w.run(0, "pull")
	if files := w.files(); files[architecture] != "" {
		t.Error("the file of an archived document is still there")
	}
	w.call("unarchive_document", map[string]any{"document_id": id})
	w.call("update_document", map[string]any{"document_id": id, "text": "Added.", "append": true})
	w.run(0, "pull")
	if got := w.file(architecture); !strings.HasPrefix(got, strings.TrimRight(text, "\n")) || !strings.Contains(got, "Added.") {
		t.Errorf("the file reads %s", got)
	}
	if out := w.run(0, "status"); out != "Nothing has changed.\n" {
		t.Errorf("status says %q", out)
	}
}

// onePixel is a picture.
const onePixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"

func TestAPictureOfANewPageIsUploadedByTheNextPushIfThisOneCannot(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull")
	const page = "Handbook/With a picture.md"
	w.write("Handbook/dot.png", onePixel)
	w.write(page, "![](dot.png)\n")
	offered := w
	w.settings = append(w.settings, "OUTLINE_TOOLS=default") // without upload_attachment
	w.run(1, "push", "--yes")
	offered.run(0, "push", "--yes")
	if text := offered.text(offered.id(page)); !strings.Contains(text, "/api/attachments.redirect?id=") {
		t.Errorf("Outline holds %q", text)
	}
}

func TestAVersionThatNobodyHasSeenIsNotOverwritten(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull")
	id := w.id(architecture)
	paragraph, _, _ := strings.Cut(w.text(id), "\n\n")
	edit := func(old, text string) {
		w.call("edit_document", map[string]any{"document_id": id, "edits": []map[string]any{{"old_text": old, "new_text": text}}})
	}
	w.replace(architecture, paragraph, "Ours.")
	edit(paragraph, "Theirs.")
	w.run(5, "pull")
	beside := strings.TrimSuffix(architecture, ".md") + ".outline.md"
	w.replace(beside, "Theirs.", "Theirs, with notes.")
	edit("Theirs.", "Theirs, once more.")
	w.run(0, "pull")
	if err := os.Remove(filepath.Join(w.dir, filepath.FromSlash(beside))); err != nil {
		t.Fatal(err)
	}
	w.run(5, "push", "--yes")
	if text := w.text(id); !strings.Contains(text, "Theirs, once more.") {
		t.Errorf("Outline holds %.100q", text)
	}
}

func TestDraftsStayDraftsUntilTheyAreMovedIntoACollection(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	create := func(title string, more map[string]any) {
		arguments := map[string]any{"title": title, "text": "Text of " + title + ".", "publish": false}
		for name, value := range more {
			arguments[name] = value
		}
		w.call("create_document", arguments)
	}
	create("Alone", nil)
	create("In Finance", map[string]any{"collection_id": w.collection("Finance")})
	w.run(0, "pull")
	if _, err := os.Stat(filepath.Join(w.dir, "_drafts")); err == nil {
		t.Error("drafts are pulled without being asked for")
	}
	out := w.run(0, "pull", "--drafts")
	for _, name := range []string{"_drafts/Alone.md", "_drafts/In Finance.md"} {
		if !strings.Contains(out, "new        "+name+"\n") {
			t.Errorf("pull lacks %s: %s", name, out)
		}
	}
	if out := w.run(0, "pull"); out != "Nothing has changed.\n" {
		t.Errorf("the next pull says %q", out)
	}
	w.write("_drafts/Alone.md", w.file("_drafts/Alone.md")+"\nMore.\n")
	w.write("_drafts/New.md", "New.\n")
	w.write("_drafts/Below/New.md", "Below a draft.\n")
	if out := w.run(1, "status"); strings.Count(out, "\n") != 3 || !strings.Contains(out, "a draft has no pages below it") {
		t.Errorf("status says %q", out)
	}
	w.run(1, "push", "--yes")
	for _, name := range []string{"_drafts/Alone.md", "_drafts/New.md"} {
		if document := w.call("read_document", map[string]any{"document_id": w.id(name)}); document["status"] != "draft" {
			t.Errorf("%s is %v", name, document["status"])
		}
	}
	if text := w.text(w.id("_drafts/Alone.md")); !strings.Contains(text, "More.") {
		t.Errorf("Outline holds %q", text)
	}
	// Into a collection, each of them, and below a page.
	w.rename("_drafts/Alone.md", "Finance/Finance overview/Alone.md")
	w.rename("_drafts/In Finance.md", "Handbook/Not in Finance.md")
	if plan := w.run(1, "push", "--dry-run"); strings.Count(plan, "published") != 2 {
		t.Errorf("the plan is %s", plan)
	}
	w.run(1, "push", "--yes")
	for _, name := range []string{"Finance/Finance overview/Alone.md", "Handbook/Not in Finance.md"} {
		if document := w.call("read_document", map[string]any{"document_id": w.id(name)}); document["status"] != "published" {
			t.Errorf("%s is %v", name, document["status"])
		}
	}
	if err := os.RemoveAll(filepath.Join(w.dir, "_drafts/Below")); err != nil {
		t.Fatal(err)
	}
	w.run(0, "status")
	other := w.beside()
	other.run(0, "pull", "--drafts")
	sameFiles(t, "another folder", other.files(), w.files())
	// A page does not become a draft, and a draft whose file is gone goes to the trash.
	w.rename("Handbook/Not in Finance.md", "_drafts/Not in Finance.md")
	if out := w.run(1, "push", "--yes"); !strings.Contains(out, "unpublish it in Outline") {
		t.Errorf("push says %q", out)
	}
	w.rename("_drafts/Not in Finance.md", "Handbook/Not in Finance.md")
	if err := os.Remove(filepath.Join(w.dir, "_drafts/New.md")); err != nil {
		t.Fatal(err)
	}
	if out := w.run(0, "push", "--yes", "--delete"); !strings.Contains(out, "deleted    _drafts/New.md") {
		t.Errorf("push says %q", out)
	}
	// Published in Outline, the file moves.
	id := other.id("_drafts/New.md")
	other.run(0, "pull")
	if _, err := os.Stat(filepath.Join(other.dir, "_drafts/New.md")); err == nil {
		t.Errorf("the draft %s is in the trash, and its file is there", id)
	}
}

func TestDraftsOfOneCollectionStayInItsFolder(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.call("create_document", map[string]any{"title": "Elsewhere", "text": "x", "publish": false})
	w.run(0, "pull", "--collection", "Finance", "--drafts")
	w.write("_drafts/New.md", "New.\n")
	w.run(0, "push", "--yes")
	if out := w.run(0, "pull"); out != "Nothing has changed.\n" {
		t.Errorf("pull says %q", out)
	}
	id := w.id("_drafts/New.md")
	w.call("update_document", map[string]any{"document_id": id, "publish": true})
	if out := w.run(0, "pull"); !strings.Contains(out, "moved      Finance/New.md  (from _drafts/New.md)") {
		t.Errorf("pull says %q", out)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "_drafts/Elsewhere.md")); err == nil {
		t.Error("a draft of no collection is in the folder of one")
	}
}

func TestLinksFollowFilesThatAreMoved(t *testing.T) {
	t.Parallel()
	const leave, people = "Handbook/Time off.md", "Handbook/Who does what.md"
	w := newWiki(t, nil)
	w.run(0, "pull")
	id, release := w.id(people), "Engineering/Engineering overview/Local development.md"
	w.write(people, w.file(people)+"\n\nSee [leave](Time%20off.md).\n")
	w.run(0, "push", "--yes")
	linked := w.text(id)

	// The page that links to it is changed in the same push; the moved file has links too.
	w.rename(leave, "Finance/Leave.md")
	local := w.id(release)
	before := w.text(local)
	w.rename(release, "Handbook/Local development.md")
	w.replace(people, "See [leave]", "Always see [leave]")
	w.run(0, "push", "--yes")
	if got, want := w.text(id), strings.Replace(linked, "See [leave]", "Always see [leave]", 1); got != want {
		t.Errorf("the link to the moved page is lost: %.300q", got[max(0, len(got)-200):])
	}
	if got := w.text(local); got != before {
		t.Errorf("the links of a moved page are lost: %q", got)
	}
	if got := w.file(people); !strings.Contains(got, "(../Finance/Leave.md)") {
		t.Errorf("the file still links to the earlier place: %q", got[max(0, len(got)-200):])
	}

	// One that is not changed itself has the new link as well, for a later edit.
	w.rename("Finance/Leave.md", "Handbook/Leave.md")
	w.run(0, "push", "--yes")
	w.replace(people, "Always see", "Do see")
	w.run(0, "push", "--yes")
	if got, want := w.text(id), strings.Replace(linked, "See [leave]", "Do see [leave]", 1); got != want {
		t.Errorf("the link to the moved page is lost after a later edit: %q", got[max(0, len(got)-200):])
	}
	w.run(0, "status")

	// A link to a page whose file is deleted stays as well, before it is archived and after.
	if err := os.Remove(filepath.Join(w.dir, "Handbook/Leave.md")); err != nil {
		t.Fatal(err)
	}
	w.replace(people, "Do see", "Please see")
	if plan := w.run(0, "push", "--dry-run"); strings.Contains(plan, "not in the folder") {
		t.Errorf("the plan is %s", plan)
	}
	w.replace(people, "Please see", "Do see")
	w.run(0, "push", "--yes", "--delete")
	w.run(0, "status")
	w.replace(people, "Do see", "Please see")
	w.run(0, "push", "--yes")
	if got, want := w.text(id), strings.Replace(linked, "See [leave]", "Please see [leave]", 1); got != want {
		t.Errorf("the link to the archived page is lost: %q", got[max(0, len(got)-200):])
	}
}

func TestLinksFollowPagesOntoNamesThatOthersHaveLeft(t *testing.T) {
	const list = "- [here](Plan.md)\n- [here](Draft.md)\n\nSee [plan](Plan.md), [draft](Draft.md) and [spare](Spare.md#h-a)."
	for name, moves := range map[string][][2]string{
		"a chain":       {{"Draft", "Drafted"}, {"Plan", "Draft"}},
		"two exchanged": {{"Draft", "Aside"}, {"Plan", "Draft"}, {"Aside", "Plan"}},
		"one replaced":  {{"Plan", "Draft"}},
		"one anew":      {{"Plan", "Planned"}, {"", "Plan"}},
		"with the page": {{"Draft", "Plan/Draft"}, {"Lists", "Plan/Lists"}, {"Lists/Plan", "Draft"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWiki(t, nil)
			for _, page := range []string{"Plan", "Draft", "Spare", "Lists/Plan"} {
				w.write(page+".md", "The page "+page+".\n")
			}
			pages := []string{"Lists.md", "Edited.md", "Same.md"}
			for _, page := range pages {
				w.write(page, list+"\n")
			}
			w.run(0, "push", "--collection", "Handbook", "--yes")
			ids, texts := map[string]string{}, map[string]string{}
			for _, page := range pages {
				ids[page] = w.id(page)
				texts[page] = w.text(ids[page])
			}
			for _, move := range moves {
				if move[0] == "" {
					w.write(move[1]+".md", "Another page.\n")
				} else {
					w.rename("/"+move[0]+".md", move[1]+".md")
				}
			}
			lists := "Lists.md"
			if name == "with the page" {
				lists = "Plan/Lists.md"
			}
			w.replace("Edited.md", "See [plan]", "Always see [plan]")
			if name == "two exchanged" { // an editor may rewrite links itself
				w.write("Same.md", strings.NewReplacer("(Plan.md", "(Draft.md", "(Draft.md", "(Plan.md").Replace(w.file("Same.md")))
			}
			check := func(when string) {
				t.Helper()
				for page, id := range ids {
					want := texts[page]
					if page == "Edited.md" {
						want = strings.Replace(want, "See [plan]", "Always see [plan]", 1)
					}
					if got := w.text(id); !strings.HasPrefix(got, want) {
						t.Errorf("%s, %s is\n%s\nwant\n%s", when, page, got, want)
					}
				}
			}
			if out := w.run(1, "status"); strings.Contains(out, "changed    Same.md") || strings.Contains(out, "changed    "+lists) {
				t.Errorf("before the push, status says %s", out)
			}
			w.run(0, "push", "--yes")
			check("after the push")
			if out := w.run(map[bool]int{true: 1}[name == "one replaced"], "status"); strings.Contains(out, "Same.md") || strings.Contains(out, "Lists.md") {
				t.Errorf("after the push, status says %s", out)
			}
			for _, page := range []string{lists, "Edited.md", "Same.md"} { // what they have in the folder now is right as well
				w.write(page, w.file(page)+"\nMore.\n")
			}
			w.run(0, "push", "--yes")
			check("after a later edit")
		})
	}
}

func TestAPushThatWasOnlyShownBindsNoFolder(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.write("A.md", "Text.\n")
	w.run(0, "push", "--collection", "Handbook", "--dry-run")
	w.run(0, "push", "--collection", "Finance", "--yes")
	w.run(1, "push", "--collection", "Handbook", "--yes")
}

func TestAPushNamesLinksToNothing(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull")
	w.write("Handbook/New.md", "See [leave](Time%20off.md), [later](Later.md), [gone](Gone.md) and [the web](https://example.com).\n\n![](nope.png)\n")
	w.write("Handbook/Later.md", "Text.\n")
	w.write("Handbook/Later.outline.md", "Of no conflict.\n")
	if out := w.run(1, "status"); !strings.Contains(out, "skipped    Handbook/Later.outline.md  (it belongs to no page in conflict") {
		t.Errorf("status says %q", out)
	}
	for _, command := range []string{"status", "diff"} {
		var entries []struct{ Path, What, Detail string }
		out := w.run(1, command, "--json")
		if err := json.Unmarshal([]byte(out[:strings.LastIndex(out, "]")+1]), &entries); err != nil || len(entries) != 3 || entries[2].Path != "Handbook/Later.outline.md" || entries[2].What != "skipped" || entries[2].Detail == "" {
			t.Errorf("%s --json: %v, it does not name the file that is skipped: %s", command, err, out)
		}
	}
	const want = "links to what is not in the folder: Gone.md, nope.png)"
	for _, flag := range []string{"--dry-run", "--yes"} { // a skipped file is not in Outline
		if out := w.run(1, "push", flag); !strings.Contains(out, want) || strings.Count(out, "links to what") != 1 {
			t.Errorf("push %s says %q", flag, out)
		}
	}
	for _, flag := range []string{"--dry-run", "--yes"} {
		var lines []folder.Line
		if out := w.run(1, "push", "--json", flag); json.Unmarshal([]byte(out[:strings.LastIndex(out, "]")+1]), &lines) != nil || !slices.ContainsFunc(lines, func(line folder.Line) bool {
			return line.Path == "Handbook/Later.outline.md" && line.What == folder.Skipped && line.Detail != ""
		}) {
			t.Errorf("push --json %s does not name the file that is skipped: %s", flag, out)
		}
	}
	w.replace("Handbook/New.md", "the web", "all the web")
	w.run(0, "push", "--yes", "Handbook/New.md")
	w.rename("Handbook/New.md", "Handbook/Newer.md")
	if out := w.run(1, "diff"); !strings.HasPrefix(out, "here     renamed    Handbook/Newer.md\nskipped") {
		t.Errorf("diff says %q", out)
	}
}
