package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"outline-mcp/internal/fakeoutline"
)

const budget = "Finance/Finance overview/Budget 2026.md" // which shows a file

func TestFilesThatPagesShowAreStoredOnceAndGoBackAsTheyWere(t *testing.T) {
	t.Parallel()
	var uploads atomic.Int64
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := newWiki(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "attachments.create") {
			uploads.Add(1)
		}
		sample.ServeHTTP(rw, r)
	}))
	w.run(0, "pull", "--files")
	first := w.files()
	files := 0
	for name, content := range first {
		if path.Dir(name) == "_files" {
			files++
			sum := sha256.Sum256([]byte(content))
			if !strings.HasPrefix(path.Base(name), hex.EncodeToString(sum[:16])+".") {
				t.Errorf("%s is not named by its content", name)
			}
		} else if strings.Contains(content, "/api/attachments.redirect?id=") && !strings.Contains(content, "`") {
			t.Errorf("%s has the address of a file:\n%s", name, content)
		}
	}
	if files < 5 {
		t.Errorf("%d files", files)
	}
	for _, command := range []string{"push", "status", "pull"} {
		if out := w.run(0, command); out != "Nothing has changed.\n" {
			t.Errorf("%s says %q", command, out)
		}
	}
	sameFiles(t, "after all commands", w.files(), first)
	other := w.beside()
	other.run(0, "pull") // --files is for later pulls as well
	other.run(0, "pull", "--files")
	sameFiles(t, "another folder", other.files(), first)

	// An edit keeps the addresses, a new picture is uploaded once, and a link to a stored
	// file from another page is its address.
	id := w.id(architecture)
	before := attachmentsOf(w.text(id))
	w.write("Engineering/dot.png", "\x89PNG\r\n\x1a\n")
	w.replace(architecture, "\n---\n\n", "\n---\n\nSee ![a dot](../dot.png) and ![again](../dot.png).\n\n")
	w.write("Engineering/New.md", "![a dot](dot.png)\n\n![old](../_files/"+fileIn(t, w.file(budget))+")\n")
	w.run(0, "push", "--yes")
	now := attachmentsOf(w.text(id))
	if n := uploads.Load(); n != 1 {
		t.Errorf("%d uploads of one picture", n)
	}
	if len(now) != len(before)+2 || now[0] != now[1] || strings.Join(now[2:], " ") != strings.Join(before, " ") {
		t.Errorf("the page had %q, and has %q", before, now)
	}
	if added := attachmentsOf(w.text(w.id("Engineering/New.md"))); len(added) != 2 || added[0] != now[0] || added[1] != attachmentsOf(w.text(w.id(budget)))[0] {
		t.Errorf("the new page shows %q, not %q", added, now[0])
	}
	if content := w.file(architecture); !strings.Contains(content, "![a dot](../dot.png)") {
		t.Errorf("the file no longer shows the picture beside it:\n%s", content)
	}
	w.run(0, "status")
	if out := w.run(0, "pull"); out != "Nothing has changed.\n" {
		t.Errorf("a pull after the push says %q", out)
	}

	// A file that was deleted here comes back.
	lost := path.Join("_files", fileIn(t, w.file(budget)))
	if err := os.Remove(filepath.Join(w.dir, lost)); err != nil {
		t.Fatal(err)
	}
	w.run(0, "pull")
	if w.file(lost) != first[lost] {
		t.Errorf("%s has not come back", lost)
	}
}

func TestAttachmentsOfTheSameContentOnOnePageStayApart(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull", "--files")
	w.write("Engineering/a.png", "\x89PNG\r\n\x1a\n")
	w.write("Engineering/b.png", "\x89PNG\r\n\x1a\n")
	w.write("Engineering/Dots.md", "![one](a.png)\n\n![two](b.png)\n\n![one again](a.png)\n")
	w.run(0, "push", "--yes")
	before := w.text(w.id("Engineering/Dots.md"))
	ids := attachmentsOf(before)
	if len(ids) != 3 || ids[0] == ids[1] || ids[0] != ids[2] {
		t.Fatalf("the page shows %q", ids)
	}
	other := w.beside()
	other.run(0, "pull", "--files")
	content := other.file("Engineering/Dots.md")
	if strings.Contains(content, "redirect") || strings.Count(content, "../_files/"+fileIn(t, content)) != 3 || strings.Count(content, ".png#"+ids[1]+")") != 1 {
		t.Errorf("the file is\n%s", content)
	}
	if out := other.run(0, "status"); out != "Nothing has changed.\n" {
		t.Errorf("status says %q", out)
	}
	other.write("Engineering/Dots.md", content+"\nMore.\n")
	other.run(0, "push", "--yes")
	if now := attachmentsOf(other.text(other.id("Engineering/Dots.md"))); strings.Join(now, " ") != strings.Join(ids, " ") {
		t.Errorf("the page had %q, and has %q", ids, now)
	}
	if out := other.run(0, "pull"); out != "Nothing has changed.\n" {
		t.Errorf("a pull after the push says %q", out)
	}
}

// attachmentsOf returns the attachments that a text shows, in their order.
func attachmentsOf(text string) []string {
	var all []string
	for _, part := range strings.Split(text, "/api/attachments.redirect?id=")[1:] {
		all = append(all, part[:36])
	}
	return all
}

// fileIn returns the name of the first stored file that a page shows.
func fileIn(t *testing.T, content string) string {
	t.Helper()
	_, rest, ok := strings.Cut(content, "/_files/")
	if !ok {
		t.Fatalf("no file in\n%s", content)
	}
	return rest[:strings.IndexAny(rest, " )")]
}

func TestOnlyFilesOfThisOutlineAreFetchedAndNoneLeavesTheFolder(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	foreign := newWiki(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	address, _ := strings.CutPrefix(foreign.settings[0], "OUTLINE_API_URL=")
	w := newWiki(t, nil)
	unknown := "5f0cdd43-0000-4000-8000-000000000000"
	w.call("create_document", map[string]any{"title": "Hostile", "collection_id": w.collection("Handbook"), "text": strings.Join([]string{
		"![a](" + address + "/api/attachments.redirect?id=a89ee03f-1896-4b49-9835-b9a7aa9a8ac9)",
		"![b](/api/attachments.redirect?id=" + unknown + ")",
		"![c](/api/attachments.redirect?id=../../../../etc/passwd)",
		"![d](../../outside.png)",
		"![e](../.outline/pulled.db)",
	}, "\n\n")})
	outside := filepath.Join(filepath.Dir(w.dir), "outside.png")
	writeFile(t, outside, "secret")
	out := w.run(0, "pull", "--files")
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("%d requests to another host", n)
	}
	if !strings.Contains(out, unknown+" is not in Outline") {
		t.Errorf("pull says %q", out)
	}
	before := w.text(w.id("Handbook/Hostile.md"))
	w.write("Handbook/Hostile.md", w.file("Handbook/Hostile.md")+"\nMore, ![f](../../outside.png), ![g](../.outline/pulled.db).\n")
	w.run(0, "push", "--yes")
	if text := w.text(w.id("Handbook/Hostile.md")); strings.Count(text, "attachments.redirect") != strings.Count(before, "attachments.redirect") {
		t.Errorf("a file outside was uploaded: %s", text)
	}
	// A folder in the place of the files that leads elsewhere is refused.
	other := w.beside()
	target := t.TempDir()
	other.write("x", "")
	if err := os.Symlink(target, filepath.Join(other.dir, "_files")); err != nil {
		t.Fatal(err)
	}
	other.run(1, "pull", "--files")
	if entries, _ := os.ReadDir(target); len(entries) != 0 {
		t.Errorf("outside the folder, there is %v", entries)
	}
}

func TestAPushUploadsNothingFromOutsideWhileItsFoldersChange(t *testing.T) {
	t.Parallel()
	for at := range 8 { // the request before whose answer the folder becomes a link
		var w wiki
		var requests int
		var stored strings.Builder
		sample, err := fakeoutline.New(fakeoutline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		swap := func() {}
		w = newWiki(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "documents.info") {
				if requests++; requests == at {
					swap()
				}
			}
			if strings.HasSuffix(r.URL.Path, "files.create") {
				body, _ := io.ReadAll(r.Body)
				stored.Write(body)
				r.Body = io.NopCloser(bytes.NewReader(body))
			}
			sample.ServeHTTP(rw, r)
		}))
		w.run(0, "pull", "--collection", "Engineering")
		outside := t.TempDir()
		writeFile(t, filepath.Join(outside, "dot.png"), onePixel+"secret")
		w.write("Engineering/img/dot.png", onePixel)
		w.replace(architecture, "\n---\n\n", "\n---\n\nSee ![a dot](../img/dot.png).\n\n")
		requests, swap = 0, func() {
			img := filepath.Join(w.dir, "Engineering", "img")
			if err := errors.Join(os.Rename(img, img+" before"), os.Symlink(outside, img)); err != nil {
				t.Error(err)
			}
		}
		code, stdout, stderr := command(t, w.settings, "push", w.dir, "--yes")
		if strings.Contains(stored.String(), "secret") {
			t.Errorf("changed at request %d, the push uploads a file from outside: %d %s%s", at, code, stdout, stderr)
		}
		if at == 0 && (code != 0 || !strings.Contains(stored.String(), onePixel)) {
			t.Errorf("unchanged, the push uploads %q: %d %s%s", stored.String(), code, stdout, stderr)
		}
	}
}
