package main

import (
	"fmt"
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
	out := w.run(0, "push", "--yes")
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
