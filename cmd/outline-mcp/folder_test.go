package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
)

// wiki is an Outline with a folder.
type wiki struct {
	t        testing.TB
	dir      string
	settings []string
	requests *atomic.Int64
}

// newWiki returns an empty folder beside an Outline that answers as handler does; nil
// stands for the sample workspace.
func newWiki(t testing.TB, handler http.Handler) wiki {
	t.Helper()
	if handler == nil {
		sample, err := fakeoutline.New(fakeoutline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		handler = sample
	}
	var requests atomic.Int64
	outline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(outline.Close)
	return wiki{t, filepath.Join(t.TempDir(), "wiki"), []string{"OUTLINE_API_URL=" + outline.URL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey}, &requests}
}

// beside returns another folder of the same Outline.
func (w wiki) beside() wiki {
	w.dir = filepath.Join(w.t.TempDir(), "other")
	return w
}

// run runs a command in the folder, which must end with the exit code, and returns what
// it printed.
func (w wiki) run(code int, name string, args ...string) string {
	w.t.Helper()
	got, stdout, stderr := command(w.t, w.settings, slices.Concat([]string{name, w.dir}, args)...)
	if got != code {
		w.t.Fatalf("%s %s: exit code %d, want %d\n%s%s", name, args, got, code, stdout, stderr)
	}
	return stdout + stderr
}

// call calls a tool and returns its structured content.
func (w wiki) call(tool string, arguments map[string]any) map[string]any {
	w.t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		w.t.Fatal(err)
	}
	code, stdout, stderr := command(w.t, w.settings, "call", tool, "--json", "--args", string(raw))
	var answer map[string]any
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil || code != 0 {
		w.t.Fatalf("%s: exit code %d, %v: %s%s", tool, code, err, stdout, stderr)
	}
	return answer
}

// post asks Outline itself.
func (w wiki) post(method string, body any) {
	w.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	address, _ := strings.CutPrefix(w.settings[0], "OUTLINE_API_URL=")
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, address+"/api/"+method, bytes.NewReader(raw))
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+fakeoutline.AdminKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: %s", method, response.Status)
	}
}

func (w wiki) file(name string) string {
	w.t.Helper()
	content, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(name)))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(content)
}

func (w wiki) write(name, content string) {
	w.t.Helper()
	full := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// replace replaces a passage of a file.
func (w wiki) replace(name, old, text string) {
	w.t.Helper()
	content := w.file(name)
	if !strings.Contains(content, old) {
		w.t.Fatalf("%s does not contain %q:\n%s", name, old, content)
	}
	w.write(name, strings.Replace(content, old, text, 1))
}

func (w wiki) rename(from, to string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(w.dir, to)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(w.dir, from), filepath.Join(w.dir, to)); err != nil {
		w.t.Fatal(err)
	}
}

// files returns the files of the folder, without the database.
func (w wiki) files() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(w.dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if !strings.HasPrefix(name, ".outline/") {
			all[name] = w.file(name)
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// text returns a document's text.
func (w wiki) text(id string) string {
	w.t.Helper()
	text, _ := w.call("read_document", map[string]any{"document_id": id})["text"].(string)
	return text
}

// id returns the ID that the front matter of a file names.
func (w wiki) id(name string) string {
	w.t.Helper()
	_, rest, _ := strings.Cut(w.file(name), "outline: ")
	id, _, _ := strings.Cut(rest, "\n")
	return id
}

func sameFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name, content := range want {
		if got[name] != content {
			t.Errorf("%s: %s is\n%s\nwant\n%s", what, name, got[name], content)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: there is %s, too", what, name)
		}
	}
}

func TestTwoPullsGiveTheSameFilesAndAPushOfThemChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull")
	first := w.files()
	if len(first) < 40 {
		t.Fatalf("%d files", len(first))
	}
	if out := w.run(0, "diff", "--json"); out != "[]\n" {
		t.Errorf("diff --json says %q", out)
	}
	for _, name := range []string{"pull", "status", "push", "diff"} {
		if out := w.run(0, name); name != "diff" && out != "Nothing has changed.\n" || name == "diff" && out != "" {
			t.Errorf("%s says %q", name, out)
		}
	}
	sameFiles(t, "after all commands", w.files(), first)
	other := w.beside()
	other.run(0, "pull")
	sameFiles(t, "another folder", other.files(), first)
}

const (
	overview     = "Engineering/Engineering overview.md"
	architecture = "Engineering/Engineering overview/Architecture.md"
)

func TestChangesGoBothWays(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull")
	other := w.beside()
	other.run(0, "pull")

	w.write("Engineering/Engineering overview/Architecture/New page.md", "See [overview](../../Engineering%20overview.md) and [below](New%20page/Below.md#h-x).\n")
	w.write("Engineering/Engineering overview/Architecture/New page/Below.md", "---\ntitle: 'Below: all'\nicon: 🚀\n---\n\nText.\n")
	w.write(architecture, w.file(architecture)+"\nA last paragraph.\n")
	w.rename("Handbook/Time off.md", "Handbook/How we work/Holidays.md")
	if err := os.Remove(filepath.Join(w.dir, "Handbook/Who does what.md")); err != nil {
		t.Fatal(err)
	}
	status := w.run(1, "status")
	for _, line := range []string{
		"here     changed    " + architecture + "\n",
		"here     new        Engineering/Engineering overview/Architecture/New page.md\n",
		"here     renamed    Handbook/How we work/Holidays.md\n", "here     moved      Handbook/How we work/Holidays.md\n",
		"here     gone       Handbook/Who does what.md\n",
	} {
		if !strings.Contains(status, line) {
			t.Errorf("status lacks %q:\n%s", line, status)
		}
	}
	w.run(0, "push", "--yes", "--delete")
	w.run(0, "status")
	if text := w.text(w.id("Engineering/Engineering overview/Architecture/New page.md")); !strings.Contains(text, "](/doc/engineering-overview-") || !strings.Contains(text, "[below](/doc/below-all-") {
		t.Errorf("the new page reads %q", text)
	}
	w.run(0, "pull")
	if moved := w.file("Engineering/Engineering overview/Architecture/New page/Below- all.md"); !strings.Contains(moved, "title: \"Below: all\"\nicon: 🚀\n") {
		t.Errorf("the file named by its title reads %s", moved)
	}
	if text := w.file("Engineering/Engineering overview/Architecture/New page.md"); !strings.Contains(text, "(New%20page/Below-%20all.md#h-x)") {
		t.Errorf("the page that links to it reads %s", text)
	}
	other.run(0, "pull")
	sameFiles(t, "the other folder", other.files(), w.files())
}

func TestAFolderMovesWithItsPage(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull")
	w.rename("Finance/Finance overview.md", "Handbook/How we work/Money.md")
	w.rename("Finance/Finance overview", "Handbook/How we work/Money")
	w.rename("Operations/Operations overview.md", "Operations/Overview.md") // without its folder
	w.write("Operations/Operations overview/New.md", "New.\n")
	if out := w.run(1, "status"); strings.Count(out, "\n") != 4 {
		t.Errorf("status shows more than a move, two new names and a page:\n%s", out)
	}
	w.run(0, "push", "--yes")
	w.run(0, "pull")
	if _, err := os.Stat(filepath.Join(w.dir, "Operations/Overview/New.md")); err != nil {
		t.Error(err)
	}
	other := w.beside()
	other.run(0, "pull")
	sameFiles(t, "another folder", other.files(), w.files())
}

func TestBothSidesAreMergedOrLeftAndTold(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull")
	id := w.id(architecture)
	paragraphs := strings.Split(w.text(id), "\n\n")
	if len(paragraphs) < 3 {
		t.Fatal("the page is too short for this test")
	}
	edit := func(old, text string) {
		w.call("edit_document", map[string]any{"document_id": id, "edits": []map[string]any{{"old_text": old, "new_text": text}}})
	}
	// Different blocks.
	w.replace(architecture, paragraphs[0], paragraphs[0]+" Here.")
	edit(paragraphs[2], paragraphs[2]+" There.")
	if out := w.run(5, "push", "--yes"); !strings.Contains(out, "conflict") {
		t.Errorf("a push over another change says %q", out)
	}
	if out := w.run(0, "pull"); !strings.Contains(out, "merged     "+architecture) {
		t.Errorf("pull says %q", out)
	}
	w.run(0, "push", "--yes")
	if text := w.text(id); !strings.Contains(text, " Here.") || !strings.Contains(text, " There.") {
		t.Errorf("Outline holds %q", text)
	}
	// The same block.
	w.replace(architecture, " Here.", " Mine.")
	edit(" Here.", " Theirs.")
	beside := strings.TrimSuffix(architecture, ".md") + ".outline.md"
	if out := w.run(5, "pull"); !strings.Contains(out, "conflict   "+architecture) || !strings.Contains(out, beside) {
		t.Errorf("pull says %q", out)
	}
	if !strings.Contains(w.file(architecture), " Mine.") || !strings.Contains(w.file(beside), " Theirs.") {
		t.Errorf("the file reads %s, and the one beside it %s", w.file(architecture), w.file(beside))
	}
	if diff := w.run(5, "diff"); !strings.Contains(diff, "+"+paragraphs[0]+" Mine.") || !strings.Contains(diff, "+"+paragraphs[0]+" Theirs.") {
		t.Errorf("diff shows %s", diff)
	}
	var diffs []struct {
		Path, Diff  string
		Conflict    bool
		OutlineDiff string `json:"outline_diff"`
	}
	if err := json.Unmarshal([]byte(w.run(5, "diff", "--json")), &diffs); err != nil || len(diffs) != 1 || diffs[0].Path != architecture ||
		!diffs[0].Conflict || !strings.Contains(diffs[0].Diff, " Mine.") || !strings.Contains(diffs[0].OutlineDiff, " Theirs.") {
		t.Errorf("diff --json: %v, %+v", err, diffs)
	}
	w.run(5, "status")
	w.run(5, "push", "--yes")
	w.run(5, "pull") // again: nothing is lost
	w.replace(architecture, " Mine.", " Mine and theirs.")
	if err := os.Remove(filepath.Join(w.dir, beside)); err != nil {
		t.Fatal(err)
	}
	w.run(0, "push", "--yes")
	if text := w.text(id); !strings.Contains(text, " Mine and theirs.") {
		t.Errorf("Outline holds %q", text)
	}
}

func TestWhatLeavesTheFolderIsRefused(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull")
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret.md")
	writeFile(t, secret, "secret")
	if err := os.Symlink(secret, filepath.Join(w.dir, "Handbook", "Linked.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(w.dir, "Handbook", "Linked folder")); err != nil {
		t.Fatal(err)
	}
	big, err := os.Create(filepath.Join(w.dir, "Handbook", "Big.md"))
	if err == nil {
		err = big.Truncate(100 << 20)
	}
	if err != nil {
		t.Fatal(err)
	}
	big.Close()
	out := w.run(0, "status")
	for _, line := range []string{"Handbook/Linked.md  (Handbook/Linked.md is not a regular file)", "Handbook/Big.md  (Handbook/Big.md has 104857600 bytes"} {
		if !strings.Contains(out, line) {
			t.Errorf("status lacks %q: %s", line, out)
		}
	}
	w.call("create_document", map[string]any{"title": "../../../escape", "collection_id": w.collection("Handbook"), "text": "x"})
	w.call("create_document", map[string]any{"title": "Linked folder", "collection_id": w.collection("Handbook"), "text": "x"})
	w.run(0, "pull")
	if _, err := os.Stat(filepath.Join(w.dir, "Handbook", "-.-..-..-escape.md")); err != nil {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Errorf("outside the folder, there is %v", entries)
	}
}

// collection returns the ID of a collection.
func (w wiki) collection(name string) string {
	w.t.Helper()
	for _, one := range w.call("list_collections", map[string]any{})["collections"].([]any) {
		if one := one.(map[string]any); one["name"] == name {
			return one["id"].(string)
		}
	}
	w.t.Fatalf("there is no collection %s", name)
	return ""
}

func TestSettingsThatForbidWritingForbidAPush(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.run(0, "pull")
	w.replace(architecture, "\n---\n", "\nicon: 🚀\n---\n")
	w.settings = append(w.settings, "OUTLINE_READ_ONLY=true")
	if out := w.run(1, "push", "--yes"); !strings.Contains(out, "do not offer update_document") {
		t.Errorf("push says %q", out)
	}
	w.run(0, "pull")
	w.run(1, "status")
}

func TestAFolderThatWasNeverPulledBecomesDocuments(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.write("README.md", "# Project\n\n## Next steps\n\n[Guide](docs/guide/index.md), [setup](docs/guide/setup.md).\n")
	w.write("docs/guide/index.md", "---\ntitle: The guide\ntags: [a, b]\n---\n\n![A picture](../img/dot.png)\n\n[Back](../../README.md)\n")
	w.write("docs/guide/setup.md", "Run `make`. See [the guide](index.md#h-one).\n\n[[README]], [[docs/guide/setup|this]], `[[README]]`, [[Time off]], ![[README]], ![[Dot.png|200]], [[Project#Next steps]] and [[Nowhere]]\n\n| [[readme\\|It]] | b |\n|----|----|\n| c | d |\n")
	w.write("docs/img/dot.png", "\x89PNG\r\n\x1a\n")
	if out := w.run(1, "push", "--yes"); !strings.Contains(out, "not been pulled") {
		t.Errorf("push says %q", out)
	}
	plan := w.run(0, "push", "--collection", "Handbook", "--dry-run")
	if !strings.Contains(plan, "new        docs/guide/index.md  (The guide)") || !strings.Contains(plan, "new        docs.md  (docs)") {
		t.Errorf("the plan is %s", plan)
	}
	out := w.run(0, "push", "--collection", "Handbook", "--yes")
	for _, part := range []string{"wiki links to other files became links: 5", "uploaded   docs/img/dot.png  (which docs/guide/", "line 3, wiki link", "[[Nowhere]]"} {
		if !strings.Contains(out, part) {
			t.Errorf("push lacks %q: %s", part, out)
		}
	}
	guide, setup, readme := w.text(w.id("docs/guide/index.md")), w.text(w.id("docs/guide/setup.md")), w.text(w.id("README.md"))
	if !strings.Contains(guide, "![A picture](/api/attachments.redirect?id=") || !strings.Contains(guide, "[Back](/doc/project-") ||
		!strings.Contains(setup, "[the guide](/doc/the-guide-") || !strings.Contains(setup, "\n\n[README](/doc/project-") ||
		!strings.Contains(setup, "[this](/doc/setup-") || !strings.Contains(setup, "`[[README]]`, [Time off](/doc/") || !strings.Contains(setup, "| [It](/doc/project-") || !strings.Contains(setup, "[Project > Next steps](/doc/project-") || !strings.Contains(setup, "#h-next-steps)") ||
		!strings.Contains(setup, "![](/api/attachments.redirect?id=") || !strings.Contains(readme, "[Guide](/doc/the-guide-") || !strings.Contains(readme, "[setup](/doc/setup-") {
		t.Errorf("Outline holds\n%s\n%s\n%s", readme, guide, setup)
	}
	if !strings.Contains(w.file("docs/guide/index.md"), "tags: [a, b]\n") {
		t.Errorf("the file reads %s", w.file("docs/guide/index.md"))
	}
	w.run(0, "status")
	w.run(0, "push", "--yes")
}

func TestTheRecordedTextsComeBackUnchanged(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	into := w.collection("Handbook")
	texts := fixtures.Some(recordedTexts(t), 60)
	for i, text := range texts {
		w.post("documents.create", map[string]any{"title": fmt.Sprintf("Text %d", i), "collectionId": into, "text": text, "publish": i%10 > 0})
	}
	w.run(0, "pull", "--files", "--drafts")
	before := w.files()
	// Each file is touched in its form only: Outline must not get a revision of it.
	for name, content := range before {
		w.write(name, strings.ReplaceAll(content, "\n", "\r\n"))
	}
	if out := w.run(0, "push", "--yes"); out != "Nothing has changed.\n" {
		t.Errorf("push says %q", out)
	}
	for name, content := range before {
		w.write(name, content)
	}
	w.run(0, "pull")
	sameFiles(t, "after the push", w.files(), before)
	other := w.beside()
	other.run(0, "pull", "--files", "--drafts")
	sameFiles(t, "another folder", other.files(), before)
}

// TestRandomEditsOfTwoFoldersLoseNothing has two people edit, pull and push in any order.
// Each paragraph that a user wrote must be in Outline, in a file of theirs, or have been
// deleted by them. Half of the folders have the pictures of pages, and drafts as well.
func TestRandomEditsOfTwoFoldersLoseNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(fixtures.Count(2, 6)) {
		random := rand.New(rand.NewPCG(seed, 7))
		w := newWiki(t, nil)
		options := []string{"--collection", "Finance"}
		if seed%2 == 0 {
			options = append(options, "--drafts", "--files")
		}
		w.run(0, "pull", options...)
		folders := []wiki{w, w.beside()}
		folders[1].run(0, "pull", options...)
		written := map[string]int{} // by the word that names it: the folder
		for step := range fixtures.Count(12, 30) {
			who := random.IntN(2)
			f := folders[who]
			all := f.files()
			names := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool {
				return !strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".outline.md")
			})
			name := names[random.IntN(len(names))]
			word := fmt.Sprintf("word%dx%d", seed, step)
			switch random.IntN(8) {
			case 0, 1:
				picture := ""
				if len(options) > 2 {
					f.write(path.Join(path.Dir(name), word+".png"), onePixel+word)
					picture = " ![](" + word + ".png)"
				}
				f.write(name, f.file(name)+"\nParagraph "+word+"."+picture+"\n")
				written[word] = who
			case 2:
				blocks := strings.SplitAfter(f.file(name), "\n\n")
				at := 1 + random.IntN(len(blocks))
				f.write(name, strings.Join(slices.Insert(blocks, min(at, len(blocks)), "Between "+word+".\n\n"), ""))
				written[word] = who
			case 3:
				where := "Finance"
				if len(options) > 2 && who == 1 {
					where = "_drafts"
				}
				f.write(where+"/New "+word+".md", "New "+word+".\n")
				written[word] = who
			case 4, 5:
				code, out, errs := command(t, f.settings, "pull", f.dir)
				if code != 0 && code != 5 {
					t.Fatalf("seed %d, step %d: pull: %d %s%s", seed, step, code, out, errs)
				}
			default:
				code, out, errs := command(t, f.settings, "push", f.dir, "--yes")
				if code != 0 && code != 5 {
					t.Fatalf("seed %d, step %d: push: %d %s%s", seed, step, code, out, errs)
				}
			}
		}
		third := w.beside()
		third.run(0, "pull", options...)
		there := strings.Join(slices.Collect(maps.Values(third.files())), "\n")
		for word, who := range written {
			here := strings.Join(slices.Collect(maps.Values(folders[who].files())), "\n")
			if !strings.Contains(there, word+".") && !strings.Contains(here, word+".") {
				t.Errorf("seed %d: %s is neither in Outline nor in the folder", seed, word)
			}
			if strings.Count(there, " "+word+".") > 1 {
				t.Errorf("seed %d: %s is in Outline twice", seed, word)
			}
			if strings.Contains(there, word+".png") {
				t.Errorf("seed %d: the page with %s has lost its picture", seed, word)
			}
		}
	}
}

// TestAPushThatIsCutOffGoesOn cuts the connection at each request of a push, before and
// after Outline has done what it asks.
func TestAPushThatIsCutOffGoesOn(t *testing.T) {
	for _, after := range []bool{false, true} {
		t.Run(fmt.Sprintf("after Outline acts: %v", after), func(t *testing.T) {
			t.Parallel()
			for cut := int64(1); ; cut += int64(fixtures.Count(20, 1)) {
				sample, err := fakeoutline.New(fakeoutline.Options{})
				if err != nil {
					t.Fatal(err)
				}
				var left atomic.Int64
				left.Store(1 << 40)
				w := newWiki(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					if left.Add(-1) < 0 {
						if after && left.Load() == -1 {
							sample.ServeHTTP(httptest.NewRecorder(), r)
						}
						panic(http.ErrAbortHandler)
					}
					sample.ServeHTTP(rw, r)
				}))
				w.settings = append(w.settings, "OUTLINE_MAX_RETRIES=0")
				w.prepareChanges()
				left.Store(cut)
				command(t, w.settings, "push", w.dir, "--yes")
				done := left.Load() >= 0
				left.Store(1 << 40)
				w.pushesOnce(fmt.Sprintf("cut at request %d", cut))
				if done || t.Failed() {
					break
				}
			}
		})
	}
}

// prepareChanges pulls, and makes changes of all kinds.
func (w wiki) prepareChanges() {
	w.t.Helper()
	w.run(0, "pull", "--collection", "Finance", "--drafts", "--files")
	w.write("_drafts/Draft.md", "Draft.\n")
	w.write("Finance/dot.png", onePixel)
	w.write("Finance/Finance overview.md", w.file("Finance/Finance overview.md")+"\nAdded once.\n\n![](dot.png)\n")
	w.write("Finance/First.md", "First, see [second](First/Second.md).\n")
	w.write("Finance/First/Second.md", "Second.\n")
	w.rename("Finance/Salary bands.md", "Finance/First/Bands.md")
}

// pushesOnce pushes what an interrupted push has left of those changes: each must be in
// Outline once.
func (w wiki) pushesOnce(what string) {
	w.t.Helper()
	if code, stdout, stderr := command(w.t, w.settings, "push", w.dir, "--yes"); code != 0 {
		w.t.Fatalf("%s: the next push: %d %s%s", what, code, stdout, stderr)
	}
	w.run(0, "status")
	w.run(0, "pull")
	other := w.beside()
	other.run(0, "pull", "--collection", "Finance", "--drafts")
	got := other.files()
	if len(got) != 8 {
		w.t.Errorf("%s: %d documents: %v", what, len(got), slices.Sorted(maps.Keys(got)))
	}
	const page = "Finance/Finance overview.md"
	if n := strings.Count(got[page], "Added once."); n != 1 {
		w.t.Errorf("%s: the paragraph is there %d times", what, n)
	}
	if n := len(attachmentsOf(got[page])); n != 1 {
		w.t.Errorf("%s: the page shows %d pictures", what, n)
	}
	other.run(0, "pull", "--files")
	for name, content := range other.files() {
		if strings.HasSuffix(name, ".md") && name != page && w.file(name) != content {
			w.t.Errorf("%s: %s is\n%s\nwant\n%s", what, name, w.file(name), content)
		}
	}
}

// recordedTexts returns texts that a real Outline has stored.
func recordedTexts(t *testing.T) []string {
	t.Helper()
	var texts []string
	for _, one := range fixtures.Recorded[struct{ Text string }](t, "roundtrip") {
		if one.Text != "" {
			texts = append(texts, one.Text)
		}
	}
	return texts
}

// large returns an Outline with pages in ten collections.
func large(t testing.TB, pages int) http.Handler {
	t.Helper()
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	uuid := func(kind, n int) string { return fmt.Sprintf("%08d-0000-4000-8000-%012d", kind, n) }
	user := fakeoutline.User{ID: uuid(1, 1), Name: "Ada", Email: "ada@example.com", Role: fakeoutline.Admin, CreatedAt: day}
	seed := fakeoutline.Seed{
		Team:  fakeoutline.Team{ID: uuid(2, 1), Name: "Large"},
		Users: []fakeoutline.User{user},
		Keys:  []fakeoutline.Key{{ID: uuid(3, 1), Secret: fakeoutline.AdminKey, Name: "key", UserID: user.ID, CreatedAt: day}},
	}
	for n := range 10 {
		seed.Collections = append(seed.Collections, fakeoutline.Collection{ID: uuid(4, n), URLID: fmt.Sprintf("collect%03d", n), Name: fmt.Sprintf("Collection %d", n), Permission: fakeoutline.ReadWrite, CreatedAt: day, UpdatedAt: day})
	}
	for n := range pages {
		at := day.Add(time.Duration(n) * time.Minute)
		one := fakeoutline.Document{
			ID: uuid(5, n), URLID: fmt.Sprintf("page%06d", n), Title: fmt.Sprintf("Page %d", n), CollectionID: uuid(4, n%10),
			Text:      fmt.Sprintf("Page %d, see [the next](/doc/page-page%06d).\n\n%s", n, n+10, prose(n)),
			CreatedBy: user.ID, UpdatedBy: user.ID, Revision: 1, CreatedAt: at, UpdatedAt: at, PublishedAt: at,
		}
		if n >= 100 {
			one.ParentID = uuid(5, n%100)
		}
		seed.Documents = append(seed.Documents, one)
	}
	w, err := fakeoutline.Empty(fakeoutline.Options{}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// prose returns 2 KB that compress as well as prose.
func prose(seed int) string {
	random := rand.New(rand.NewPCG(uint64(seed), 1))
	var text strings.Builder
	for text.Len() < 2000 {
		text.WriteString(strconv.FormatInt(1e5+random.Int64N(3000)*7919, 36) + " ")
	}
	return text.String()
}

func TestAPullAsksOnlyForWhatHasChanged(t *testing.T) {
	t.Parallel()
	w := newWiki(t, large(t, 1000))
	for _, test := range []struct {
		name   string
		before func()
		most   int64 // requests
	}{
		{"the first pull", func() {}, 11 + 12},
		{"nothing has changed", func() {}, 11 + 1},
		{"ten pages have changed", w.changeTen, 11 + 1},
	} {
		test.before()
		w.requests.Store(0)
		out := w.run(0, "pull")
		if n := w.requests.Load(); n > test.most {
			t.Errorf("%s: %d requests, %d allowed", test.name, n, test.most)
		}
		if n := strings.Count(out, "\n"); test.name == "ten pages have changed" && n != 10 {
			t.Errorf("%s: %d lines:\n%s", test.name, n, out)
		}
	}
}

// changeTen changes ten pages of a large Outline.
func (w wiki) changeTen() {
	for n := range 10 {
		w.post("documents.update", map[string]any{"id": fmt.Sprintf("page%06d", 97*n), "text": fmt.Sprintf("Changed before request %d.", w.requests.Load())})
	}
}

// BenchmarkPull is of pulls of large wikis. The memory is the most that the program had.
func BenchmarkPull(b *testing.B) {
	for _, pages := range []int{1000, 10000} {
		w := newWiki(b, large(b, pages))
		for _, pull := range []struct {
			name   string
			before func()
		}{
			{"first", func() { w.dir = filepath.Join(b.TempDir(), "wiki") }}, {"unchanged", func() {}}, {"ten changed", w.changeTen},
		} {
			b.Run(fmt.Sprintf("%d pages/%s", pages, pull.name), func(b *testing.B) {
				var memory int
				for b.Loop() {
					b.StopTimer()
					pull.before()
					w.requests.Store(0)
					b.StartTimer()
					memory = max(memory, w.pullMemory())
				}
				b.ReportMetric(float64(w.requests.Load()), "requests/op")
				b.ReportMetric(float64(memory)/1024, "MiB")
			})
		}
	}
}

// pullMemory pulls, and returns the most memory that the program had, in KiB.
func (w wiki) pullMemory() (most int) {
	w.t.Helper()
	cmd := program(w.t.Context(), w.settings, "pull", w.dir, "--quiet")
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				w.t.Fatal(err)
			}
			return most
		case <-time.After(5 * time.Millisecond):
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			_, peak, _ := strings.Cut(string(status), "VmHWM:")
			_, _ = fmt.Sscan(peak, &most)
		}
	}
}
