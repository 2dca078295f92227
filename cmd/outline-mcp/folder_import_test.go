package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// notionPath is the path of a page in an export of Notion.
func notionPath(n int, title string) string { return fmt.Sprintf("%s %032x.md", title, n) }

// notion writes an export of 40 pages, which are named by their numbers: nested pages, a
// database with its table, and a page whose folder has no number, as newer exports have it.
func (w wiki) notion() {
	link := func(path string) string { return strings.ReplaceAll(path, " ", "%20") }
	home := strings.TrimSuffix(notionPath(1, "Home"), ".md")
	var index strings.Builder
	for n := 10; n < 40; n++ {
		title := fmt.Sprintf("Page %d", n)
		var text strings.Builder
		fmt.Fprintf(&text, "# %s: \"part\"\n\nOwner: Ada\nStatus: Open\n\n[Home](../%s)\n\n", title, link(home+".md"))
		if n > 10 {
			fmt.Fprintf(&text, "[before](%s)\n\n", link(notionPath(n-1, fmt.Sprintf("Page %d", n-1))))
		}
		fmt.Fprintf(&text, "![Untitled](Page%%20%d/Untitled.png)\n\n- one\n- [ ]  two\n    - [x]  three\n\n<aside>\n💡 Mind this.\n\n</aside>\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n", n)
		w.write(home+"/"+notionPath(n, title), text.String())
		w.write(fmt.Sprintf("%s/Page %d/Untitled.png", home, n), fmt.Sprintf("\x89PNG\r\n\x1a\n%d", n))
		fmt.Fprintf(&index, "[%s](%s)\n\n", title, link(home+"/"+notionPath(n, title)))
	}
	table := home + "/" + strings.TrimSuffix(notionPath(2, "Tasks"), ".md")
	w.write(table+".csv", "Name,Status\nFirst,Done\n")
	w.write(table+"_all.csv", "Name,Status\nFirst,Done\n")
	for n := 40; n < 47; n++ {
		w.write(table+"/"+notionPath(n, fmt.Sprintf("Task %d", n)), fmt.Sprintf("# Task %d\n\nStatus: Done\nTags: a, b\n", n))
	}
	w.write(home+"/Page 12/"+notionPath(50, "Below"), "# Below\n\nText.\n")
	w.write(home+".md", "# Home\n\n[Tasks]("+link(table+".csv")+")\n\n"+index.String())
}

func TestAnExportOfNotionIsImportedWithLinksPicturesAndTree(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.notion()
	collection := w.call("create_collection", map[string]any{"name": "Imported"})["collection_id"].(string)
	plan := w.run(0, "push", "--collection", collection, "--dry-run")
	out := w.run(0, "push", "--collection", collection, "--yes")
	if strings.Contains(plan+out, "refused") || strings.Contains(plan+out, "skipped") || strings.Count(out, "uploaded   ") != 31 {
		t.Errorf("push says %s", out)
	}
	other := w.beside()
	other.run(0, "pull", "--collection", collection)
	files := other.files()
	if len(files) != 40 {
		t.Errorf("%d pages came of 39 and a database", len(files))
	}
	for n := 10; n < 40; n++ {
		name := fmt.Sprintf("Imported/Home/Page %d- -part-.md", n)
		for _, part := range []string{"[Home](../Home.md)", "![Untitled](/api/attachments.redirect?id=", `Owner: Ada\nStatus: Open`, ":::info\n💡 Mind this."} {
			if !strings.Contains(files[name], part) {
				t.Fatalf("%s lacks %q: %s\n%v", name, part, files[name], fmt.Sprint(files))
			}
		}
		if before := fmt.Sprintf("[before](Page%%20%d-%%20-part-.md)", n-1); n > 10 && !strings.Contains(files[name], before) {
			t.Errorf("%s lacks %q: %s", name, before, files[name])
		}
	}
	if home := files["Imported/Home.md"]; !strings.Contains(home, "[Tasks](Home/Tasks.md)") || strings.Contains(home, "%20000") {
		t.Errorf("the home reads %s", home)
	}
	if tasks := files["Imported/Home/Tasks.md"]; !strings.Contains(tasks, "Data](/api/attachments.redirect?id=") {
		t.Errorf("the database reads %s", tasks)
	}
	for _, name := range []string{"Imported/Home/Tasks/Task 46.md", "Imported/Home/Page 12- -part-/Below.md"} {
		if files[name] == "" {
			t.Errorf("there is no %s", name)
		}
	}
	w.run(0, "status", "--fetch")
	if out := w.run(0, "pull"); out != "Nothing has changed.\n" {
		t.Errorf("a pull says %s", out)
	}
}

// confluence writes an HTML export of 20 pages, two of which have the same title.
func (w wiki) confluence() {
	index := ""
	for n := 1; n <= 20; n++ {
		title, crumbs := fmt.Sprintf("Page %d/%d", n, n), `<li class="first"><span><a href="index.html">Team</a></span></li>`
		if n == 20 {
			title = "Page 19/19"
		}
		for _, above := range [...]int{1, 2 + n%4} {
			if above < n && (above == 1 || n > 6) {
				crumbs += fmt.Sprintf(`<li><span><a href="Page_%d.html">Page</a></span></li>`, above)
			}
		}
		w.write(fmt.Sprintf("Page_%d.html", n), `<!DOCTYPE html><html><head><title>x</title></head><body><div id="page"><div id="breadcrumb-section"><ol id="breadcrumbs">`+crumbs+
			`</ol></div><h1 id="title-heading" class="pagetitle"><span id="title-text"> Team : `+title+` </span></h1><div id="content" class="view"><div class="page-metadata">Created by Ada</div>`+
			fmt.Sprintf(`<div id="main-content" class="wiki-content group"><h2 id="a">Part &amp; whole</h2><p>Some <strong>bold </strong>and <em>slanted</em> words,<br/>see <a href="Page_%d.html#x">the next</a> and <a href="https://example.com/x">the web</a>.</p>`, n%20+1)+
			fmt.Sprintf(`<p><span class="confluence-embedded-file-wrapper"><img class="confluence-embedded-image" src="attachments/%d/%d.png?api=v2" data-x="y"></span></p>`, n, n)+
			`<ul><li>one<ul><li><p>below</p></li></ul></li><li>two</li></ul><ol><li>first</li><li>second</li></ol><ul class="inline-task-list"><li class="checked" data-inline-task-id="1"><span>done</span></li><li>open</li></ul>`+
			`<div class="confluence-information-macro confluence-information-macro-note"><span class="aui-icon"></span><div class="confluence-information-macro-body"><p>Mind this.</p></div></div>`+
			`<div class="code panel pdl"><div class="codeContent panelContent pdl"><pre class="syntaxhighlighter-pre" data-syntaxhighlighter-params="brush: java; gutter: false">int a = 1 &lt; 2;</pre></div></div>`+
			`<div class="table-wrap"><table class="confluenceTable"><tbody><tr><th class="confluenceTh"><p>A</p></th><th>B</th></tr><tr><td>1|2</td><td><p>x</p><p>y</p></td></tr></tbody></table></div></div></div></div></body></html>`)
		w.write(fmt.Sprintf("attachments/%d/%d.png", n, n), fmt.Sprintf("\x89PNG\r\n\x1a\n%d", n))
		index += fmt.Sprintf(`<li><a href="Page_%d.html">Page</a></li>`, n)
	}
	w.write("index.html", `<html><body><div id="content"><ul>`+index+`</ul></div></body></html>`)
}

func TestAnExportOfConfluenceIsImportedWithLinksPicturesAndTree(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.confluence()
	w.write("Letter.docx", "x")
	collection := w.call("create_collection", map[string]any{"name": "Imported"})["collection_id"].(string)
	out := w.run(0, "push", "--collection", collection, "--yes")
	if strings.Count(out, "new        ") != 20 || strings.Count(out, "uploaded   ") != 20 || strings.Contains(out, "refused") || !strings.Contains(out, "20 pages become Markdown") || !strings.Contains(out, "To import Letter.docx, run") {
		t.Errorf("push says %s", out)
	}
	other := w.beside()
	other.run(0, "pull", "--collection", collection)
	files := other.files()
	if len(files) != 20 || files["Imported/Page 1-1/Page 4-4/Page 14-14.md"] == "" {
		t.Errorf("the pages are %q", slices.Sorted(maps.Keys(files)))
	}
	for name, text := range files {
		for _, part := range []string{"## Part & whole", `Some **bold** and *slanted* words,\nsee [the next](`, "[the web](https://example.com/x)", "](/api/attachments.redirect?id=", "* one\n  * below\n* two", "1. first\n2. second",
			"- [x] done\n- [ ] open", ":::warning\nMind this.", "```java\nint a = 1 < 2;\n```", `| 1\|2 |`} {
			if !strings.Contains(text, part) {
				t.Fatalf("%s lacks %q: %s", name, part, text)
			}
		}
		if strings.Contains(text, ".html") || !strings.Contains(text, ".md") {
			t.Errorf("%s links to the export: %s", name, text)
		}
	}
}

// everything returns all files and folders, with the database.
func (w wiki) everything() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(w.dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if all[name] = entry.Type().String(); err == nil && !entry.IsDir() {
			all[name] = w.file(name)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func TestAPushThatIsOnlyShownWritesNothing(t *testing.T) {
	t.Parallel()
	clone := func(w wiki) {
		w.write("Guide.md", "Run it.\n")
		w.write("Setup.md", "Set it up.\n")
		w.run(0, "push", "--collection", "Finance", "--yes")
		w.replace("Guide.md", "Run it.", "Run it twice.")
		w.write("New.md", "New.\n\n![](dot.png)\n")
		w.write("dot.png", onePixel)
		if err := os.RemoveAll(filepath.Join(w.dir, ".outline")); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		prepare func(wiki)
		code    int // of --dry-run
		check   int
		says    string
	}{
		"a folder": {func(w wiki) {
			w.write("A.md", "Text.\n\n![](img/dot.png)\n\n[[A]]\n")
			w.write("img/dot.png", onePixel)
		}, 0, 1, "uploaded   img/dot.png"},
		"a clone":                 {clone, 5, 5, "conflict   Guide.md"},
		"an export of Notion":     {wiki.notion, 0, 1, "new        Home "},
		"an export of Confluence": {wiki.confluence, 0, 1, "new        Page 1-1/Page 2-2.md"},
		"a pulled folder": {func(w wiki) {
			w.run(0, "pull", "--collection", "Finance")
			w.replace("Finance/Salary bands.md", "outline: ", "other: ")
			w.write("Finance/New.md", "New.\n")
		}, 0, 1, "changed    Finance/Salary bands.md"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWiki(t, nil)
			c.prepare(w)
			options := []string{"--collection", "Finance"}
			if name == "a pulled folder" {
				options = nil
			}
			before := w.everything()
			for option, code := range map[string]int{"--dry-run": c.code, "--check": c.check} {
				if out := w.run(code, "push", append(options, option)...); !strings.Contains(out, c.says) {
					t.Errorf("%s says %s", option, out)
				}
				if after := w.everything(); !maps.Equal(after, before) {
					t.Errorf("after %s there are %q", option, slices.Sorted(maps.Keys(after)))
				}
			}
		})
	}
}
