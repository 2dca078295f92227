package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

// TestRandomEditsOfFilesAreStoredExactlyOrRefused edits the recorded texts in files. Of each,
// Outline must hold what the file says, or what it held before, and the push must say which.
func TestRandomEditsOfFilesAreStoredExactlyOrRefused(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	into := w.collection("Handbook")
	texts := fixtures.Some(recordedTexts(t), 60)
	for i, text := range texts {
		w.post("documents.create", map[string]any{"title": fmt.Sprintf("Text %d", i), "collectionId": into, "text": text, "publish": true})
	}
	w.run(0, "pull")
	before, random := w.files(), rand.New(rand.NewPCG(1, 44))
	edited := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		head, text, ok := strings.Cut(before[name], "\n---\n\n")
		if !ok || !strings.Contains(name, "Text ") {
			continue
		}
		edited[name] = editedAtRandom(random, text)
		w.write(name, head+"\n---\n\n"+edited[name])
	}
	_, says, failed := command(t, w.settings, "push", w.dir, "--yes")
	other := w.beside()
	other.run(0, "pull")
	stored, refused, there := 0, 0, other.files()
	for name, text := range edited {
		_, now, _ := strings.Cut(there[name], "\n---\n\n")
		switch {
		case strings.TrimSpace(now) == strings.TrimSpace(prosemirror.Main.Serialize(prosemirror.Parse(prosemirror.IsolateFileLinks(text)))),
			prosemirror.Equal(prosemirror.Parse(now), prosemirror.Parse(text)): // as Outline writes it, or in another form
			stored++
		case there[name] == before[name] && strings.Contains(says+failed, name):
			refused++
		case adapted(says+failed, name):
			stored++ // as the push says
		default:
			t.Errorf("%s\nwas\n%s\nis in the file\n%s\nand in Outline\n%s", name, before[name], text, now)
		}
	}
	t.Logf("%d stored, %d refused", stored, refused)
	if stored < len(edited)*9/10 || stored+refused < len(texts)*4/5 {
		t.Errorf("of %d files, %d were stored and %d refused", len(edited), stored, refused)
	}
}

// adapted reports whether a push says that it adapted the text of a file.
func adapted(says, name string) bool {
	_, after, _ := strings.Cut(says, name)
	line, _, _ := strings.Cut(after, "\n")
	return strings.Contains(line, "adapted to Outline")
}

// editedAtRandom returns a text with changes in one to three places.
func editedAtRandom(random *rand.Rand, text string) string {
	for i := range 1 + random.IntN(3) {
		lines := strings.SplitAfter(text, "\n")
		at := random.IntN(len(lines))
		line, word := lines[at], fmt.Sprintf("edited%d", i)
		switch random.IntN(8) {
		case 0, 1:
			if words := strings.Fields(line); len(words) > 0 {
				line = strings.Replace(line, words[random.IntN(len(words))], word, 1)
			}
		case 2:
			line = ""
		case 3:
			line += "\n\nParagraph " + word + ".\n\n"
		case 4:
			line += line
		case 5:
			line = strings.TrimSuffix(line, "\n") + " **" + word + "** and `" + word + "`\n"
		case 6:
			line += "\n## Heading " + word + "\n\n* item\n* [link](https://example.com/" + word + ")\n\n"
		default:
			line += "\n| a | b |\n|---|---|\n| " + word + " | 1 |\n\n"
		}
		lines[at] = line
		text = strings.Join(lines, "")
	}
	return text
}
