package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"outline-mcp/test/fixtures"
)

// habit is a text as people and agents bring it: in the forms of other programs, with a word
// that no other file has.
func habit(random *rand.Rand, n int) string {
	text := fmt.Sprintf("Word%dx begins it.\n\n", n)
	for range 1 + random.IntN(4) {
		text += [...]string{
			"- one\n- [ ]  two\n- three\n\n", "- [x] done\n- plain\n  - [ ] below\n\n", "**Owner:** Ada\n**Status:** open\n\n", "> **Subject:** Renewal\n> Hi,\n>\n> Thanks\n\n",
			"<aside>\n💡 Mind this.\n\n</aside>\n\n", "> [!note] Title\n> Text.\n\n", "[[File 1]] and [[Nowhere]] and ![[nothing.png]]\n\n", "[one](File%201.md) [gone](Gone.md)\n\n",
			"| a | b |\n|---|---|\n| 1 | 2 |\n\n", "```go\nx := \"[[File 1]]\"\n```\n\n", "Text with $$x$$ and C:\\new and __init__.\n\n", "## Part\n\nMore words.\n\n", "#tag words ==marked== %%hidden%% ^block1\n\n",
		}[random.IntN(13)]
	}
	return text
}

var habitWord = regexp.MustCompile(`Word\d+x`)

// wordPages returns the paths of the pages that have each word.
func wordPages(files map[string]string) map[string][]string {
	found := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, word := range habitWord.FindAllString(files[name], -1) {
			found[word] = append(found[word], name)
		}
	}
	return found
}

// TestFilesThatAgentsEditAreNotLostDoubledOrChangedUntold pushes a folder, changes it by the
// habits of agents, and pushes it again. Each word must be on one page of Outline, the page
// that it was on; what differs from a file must be told.
func TestFilesThatAgentsEditAreNotLostDoubledOrChangedUntold(t *testing.T) {
	t.Parallel()
	for seed := range uint64(fixtures.Count(1, 3)) {
		random := rand.New(rand.NewPCG(seed, 57))
		w := newWiki(t, nil)
		collection := w.call("create_collection", map[string]any{"name": "Habits"})["collection_id"].(string)
		count := fixtures.Count(40, 300)
		folders := []string{"", "", "a/", "a/b/", "Equal/", "c d/"}
		for n := range count {
			name := fmt.Sprintf("%sFile %d.md", folders[random.IntN(len(folders))], n)
			if n == 1 {
				name = "File 1.md"
			} else if random.IntN(8) == 0 { // the name of another
				name = fmt.Sprintf("%d/Equal.md", n)
			} else if random.IntN(8) == 0 {
				name = strings.TrimSuffix(name, ".md") + fmt.Sprintf(" %032x.md", n)
			}
			text := habit(random, n)
			switch random.IntN(6) {
			case 0:
				text = "# A heading\n\n" + text
			case 1:
				text = "---\ntags: [a, b]\n---\n\n" + text
			case 2:
				text = strings.ReplaceAll(text, "\n", "\r\n")
			case 3:
				text = "\ufeff" + text
			}
			w.write(name, text)
		}
		source := w.files()
		code, said, failed := command(t, w.settings, "push", w.dir, "--collection", collection, "--yes")
		out := said + failed
		pages := map[string]string{} // by their words
		for word, names := range wordPages(w.files()) {
			if content := w.file(names[0]); strings.Contains(content, "outline: ") {
				pages[word] = w.id(names[0])
			} else if !strings.Contains(out, names[0]) {
				t.Errorf("seed %d: nothing is said of %s", seed, names[0])
			}
		}
		if len(pages) != count {
			t.Errorf("seed %d: %d of %d files became pages, exit code %d: %s", seed, len(pages), count, code, failed)
		}
		w.sameLines(seed, source, out)
		w.run(0, "pull")
		// What agents do to the files.
		source = w.files()
		latin := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(source)) {
			_, text, _ := strings.Cut(source[name], "\n---\n\n")
			word := habitWord.FindString(text)
			if word == "" {
				continue
			}
			switch random.IntN(9) {
			case 0:
				w.write(name, "# Rewritten\n\n"+text)
			case 1:
				w.write(name, strings.ReplaceAll(source[name], "\n", "\r\n")+"More.\r\n")
			case 2:
				w.write(name, "\ufeff"+text)
			case 3:
				w.rename(name, path.Join(path.Dir(name), "Renamed "+word+".md"))
			case 4:
				w.write(name, text+"\nMore of it.\n")
				w.rename(name, path.Join(path.Dir(name), "Lost line of "+word+".md"))
			case 5:
				w.write(name, text)
				w.rename(name, path.Join("c d", "Moved "+word+".md"))
			case 6:
				latin[name] = source[name] + "caf\xe9\n"
				w.write(name, latin[name])
			}
		}
		source = w.files()
		_, said, failed = command(t, w.settings, "push", w.dir, "--yes", "--delete")
		out = said + failed
		w.sameLines(seed, source, out)
		for name, content := range latin {
			if w.file(name) != content || len(linesOf(out, name)) != 1 {
				t.Errorf("seed %d: %s, which is not UTF-8, was rewritten, or nothing is said: %q", seed, name, linesOf(out, name))
			}
		}
		other := w.beside()
		other.run(0, "pull", "--collection", collection)
		there := wordPages(other.files())
		for word, id := range pages {
			for i, name := range there[word] {
				if now := other.id(name); now != id && len(there[word]) == 1 {
					t.Errorf("seed %d: %s is on another page than before, %s", seed, word, name)
				} else if i > 0 && !strings.Contains(out, "which has most of its lines") {
					t.Errorf("seed %d: %s is on the pages %q, and nothing is said:\n%s", seed, word, there[word], out)
				}
			}
			if len(there[word]) == 0 {
				t.Errorf("seed %d: %s is lost", seed, word)
			}
		}
		if len(there) != count {
			t.Errorf("seed %d: %d of %d words are in Outline", seed, len(there), count)
		}
	}
}

var linkAddress = regexp.MustCompile(`\]\([^)]*\)`)

// sameLines checks that each line of the files before a push is in the files after it, apart
// from the addresses of links, which follow renamed files, or that the push says something of
// its file.
func (w wiki) sameLines(seed uint64, before map[string]string, out string) {
	w.t.Helper()
	for name, content := range before {
		now, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(name)))
		if err != nil {
			w.t.Errorf("seed %d: %s is gone", seed, name)
			continue
		}
		_, body, found := strings.Cut("\n"+strings.TrimPrefix(content, "\ufeff"), "\n---\n\n")
		if !found {
			body = content
		}
		for line := range strings.Lines(body) {
			if line = strings.TrimSpace(line); line == "" || strings.Contains(linkAddress.ReplaceAllString(string(now), "]"), linkAddress.ReplaceAllString(line, "]")) {
				continue
			}
			if said := linesOf(out, name); len(said) == 0 || !strings.Contains(said[0], "(") {
				w.t.Errorf("seed %d: %s lost %q, and the push says only %q", seed, name, line, said)
			}
		}
	}
}
