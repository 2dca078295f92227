package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
			if out := w.run(0, "pull"); !strings.Contains(out, "conflict   "+path) {
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
	w.run(0, "pull")
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
