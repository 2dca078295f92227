package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// exported writes a page of an export, below the pages with the given files.
func exported(t *testing.T, dir, name, title, body string, above ...string) {
	t.Helper()
	crumbs := `<a href="index.html">Team</a>`
	for _, one := range above {
		crumbs += `<a href="` + one + `">x</a>`
	}
	text := fmt.Sprintf(`<ol id="breadcrumbs">%s</ol><span id="title-text"> Team : %s </span><div id="main-content">%s</div>`, crumbs, title, body)
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAnExportStaysInItsFolderAndReplacesNothing(t *testing.T) {
	t.Parallel()
	outer := t.TempDir()
	dir := filepath.Join(outer, "export")
	if err := os.MkdirAll(filepath.Join(dir, "Same"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.html"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	exported(t, dir, "1.html", "..", "<p>one</p>")
	exported(t, dir, "2.html", "Out", "<p>two</p>", "1.html")
	exported(t, dir, "3.html", ".hidden", "<p>three</p>")
	exported(t, dir, "4.html", "Same", "<p>four</p>")
	exported(t, dir, "5.html", "SAME", "<p>five</p>")
	exported(t, dir, "6.html", "Child", "<p>six</p>", "5.html")
	exported(t, dir, "7.html", "Alone", `<p><a href="4.html">Same</a></p>`, "gone.html")
	exported(t, dir, "8.html", strings.Repeat("長", 250), "<p>eight</p>")
	exported(t, dir, "9.html", "Mine", "<p>nine</p>", "4.html")
	mine := filepath.Join(dir, "Same", "Mine.md")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{"1.md", "1/Out.md", "Alone.md", "SAME 5.md", "SAME 5/Child.md", "Same.md", "Same/Mine.md", "hidden.md", strings.Repeat("長", longestStem) + ".md"}
	for range 2 { // the second as after an interruption
		written, err := ConvertConfluence(dir)
		if err != nil || !slices.Equal(written, want) {
			t.Fatalf("written are %q, %v", written, err)
		}
		if err := os.Remove(filepath.Join(dir, "Same.md")); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := os.ReadFile(mine); string(got) != "mine" {
		t.Errorf("the user's file reads %q", got)
	}
	if there, _ := filepath.Glob(filepath.Join(outer, "*")); len(there) != 1 {
		t.Errorf("outside of the folder are %q", there)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "Alone.md")); !strings.Contains(string(got), "[Same](Same.md)") {
		t.Errorf("a page without the one above it reads %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "Alone.md"), []byte("pushed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if written, err := ConvertConfluence(dir); written != nil || err != nil {
		t.Errorf("with other Markdown, written are %q, %v", written, err)
	}
}

func TestAnExportKeepsItsWords(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`<p>1. a * b_c [x] # ` + "`" + `</p>`:                                            `1\. a \* b\_c \[x\] # ` + "\\`",
		`<p># no heading<br>- no item</p>`:                                               "\\# no heading\\\n\\- no item",
		`<details><summary>S</summary><ul><li>item</li></ul></details>`:                  "S\n\n- item",
		"<pre>a\n```\nb</pre>":                                                           "````\na\n```\nb\n````",
		"<p><code>a`*b</code></p>":                                                       "`` a`*b ``",
		`<p><a href="https://a.example/x (1)">y</a></p>`:                                 "[y](https://a.example/x%20%281%29)",
		`<table><tr><th colspan=2>T</th></tr><tr><td>a</td><td>b</td></tr></table>`:      "| T |  |\n|---|---|\n| a | b |",
		`<table><tr><td>a</td><td><table><tr><td>in</td></tr></table></td></tr></table>`: "| a | \\| in \\|<br>\\|---\\| |\n|---|---|",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "index.html"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		exported(t, dir, "1.html", "Page", body)
		if _, err := ConvertConfluence(dir); err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(filepath.Join(dir, "Page.md"))
		if _, text, _ := strings.Cut(string(got), "---\n\n"); text != want+"\n" {
			t.Errorf("%s\nreads %q\nwant  %q", body, text, want+"\n")
		}
	}
}
