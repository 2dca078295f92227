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
	exported(t, dir, ".html", "Same", "<p>ten</p>")
	mine := filepath.Join(dir, "Same", "Mine.md")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{"1.md", "1/Out.md", "Alone.md", "SAME 5.md", "SAME 5/Child.md", "Same.md", "Same/Mine.md", "hidden.md", strings.Repeat("長", longestStem) + ".md"}
	for range 2 { // the second as after an interruption
		written, _, err := ConvertConfluence(dir)
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
	if written, _, err := ConvertConfluence(dir); written != nil || err != nil {
		t.Errorf("with other Markdown, written are %q, %v", written, err)
	}
}

func TestAnExportKeepsItsWords(t *testing.T) {
	t.Parallel()
	box := func(body string) string { return `<div class="confluence-information-macro">` + body + "</div>" }
	for body, want := range map[string]string{
		`<p>1. a * b_c [x] # ` + "`" + `</p>`:                                       `1\. a \* b\_c \[x\] # ` + "\\`",
		`<ul><li>a</li><ul><li>b</li></ul></ul>`:                                    "- a\n  - b",
		`<ol start="3"><li>a</li><li>b</li></ol>`:                                   "3. a\n4. b",
		`<ol start="9999999999"><li>a</li></ol><iframe src="about:blank"></iframe>`: "1. a",
		`<p>See <iframe src="https://v.example/e/1">no frames</iframe></p><video><source src="attachments/2/a_b.mp4"><source src="c.webm">No player.</video>`: "See [https://v.example/e/1](https://v.example/e/1)\n\n[attachments/2/a\\_b.mp4](attachments/2/a_b.mp4)",
		`<ul> loose<li>a</li></ul>`:                                      "- loose\n- a",
		`<dl><dt>Term</dt><dd>Words</dd></dl>`:                           "Term\n\nWords",
		`<p>x<table><tr><td>1</td><td>2</td></tr></table></p>`:           "x\n\n| 1 | 2 |\n|---|---|",
		`<p>x==1, y==2, wow!!a!! &amp;copy; R&amp;D</p>`:                 `x\==1, y\==2, wow\!!a\!! \&copy; R&D`,
		`<p>Look!<a href="b">c</a><br>===</p>`:                           "Look\\![c](b)\\\n\\===",
		box("x" + box("y")):                                              ":::info\nx\n\ny\n:::",
		`<p># no heading<br>- no item</p>`:                               "\\# no heading\\\n\\- no item",
		`<details><summary>S</summary><ul><li>item</li></ul></details>`:  "S\n\n- item",
		"<pre>a\n```\nb</pre>":                                           "````\na\n```\nb\n````",
		"<p><code>a`*b</code></p>":                                       "`` a`*b ``",
		`<p><a href="https://a.example/x (1)">y</a></p>`:                 "[y](https://a.example/x%20%281%29)",
		`<p><b>a</b><strong>b</strong><i>c</i><em>d</em></p>`:            "**ab***cd*",
		`<p><b>a <strong>b</strong></b> <b>c<br></b><b>d</b></p>`:        "**a b** **c**\\\n**d**",
		`<p><b>Note:</b>see <b>a*</b><b>b</b></p>`:                       `**Note**:see **a\*b**`,
		`<p>$5 and $6, $$x$$</p>`:                                        `\$5 and \$6, \$\$x\$\$`,
		"<table><tr><td><pre>a|b\n`c`</pre></td><td>1</td></tr></table>": "| `a\\|b`<br>`` `c` `` | 1 |\n|---|---|",
		`<table><tr><td rowspan=2>a</td><td colspan="2">b</td></tr><tr><td>c</td><td>d</td></tr><tr><td>e</td></tr></table>`: "| a | b |  |\n|---|---|---|\n|  | c | d |\n| e |",
		`<table><tr><td><p>a <b>b</b></p><p>costs $5 <a href="#">c</a> d</p></td></tr></table>`:                              `| a&#32;**b**<br><br>costs&#32;\$5&#32;[c](#)&#32;d |` + "\n|---|",
		`<table><tr><th colspan=2>T</th></tr><tr><td>a</td><td>b</td></tr></table>`:                                          "| T |  |\n|---|---|\n| a | b |",
		`<table><tr><td>a</td><td><table><tr><td>in</td></tr></table></td></tr></table>`:                                     "| a | \\| in \\|<br>\\|---\\| |\n|---|---|",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "index.html"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		exported(t, dir, "1.html", "Page", body)
		if _, _, err := ConvertConfluence(dir); err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(filepath.Join(dir, "Page.md"))
		if _, text, _ := strings.Cut(string(got), "---\n\n"); text != want+"\n" {
			t.Errorf("%s\nreads %q\nwant  %q", body, text, want+"\n")
		}
	}
}

func TestAWordExportIsConvertedWithItsPictures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	word := func(name, title, body string) {
		text := "Date: Sun, 29 Nov 2026 10:00:00 +0000\r\nSubject: Exported From Confluence\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\tboundary=\"--=_Part_1\"\r\n\r\n" +
			"----=_Part_1\r\nContent-Type: text/html; charset=UTF-8\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Location: file:///C:/exported.html\r\n\r\n" +
			"<html xmlns:o=3D'urn:schemas-microsoft-com:office:office'><head><title>x</title></head><body><h1>" + title + "</h1><div class=3D\"Section1\">" + body + "</div></body></html>\r\n" +
			"----=_Part_1\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\nContent-Location: file:///C:/0a1b\r\n\r\niVBORw0K\r\nGgo=\r\n----=_Part_1--\r\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	word("Team+guide.doc", "Team guide", "<p>Caf=C3=A9, <a href=3D\"https://wiki.example.com/display/T/Next+steps#x\">next</a>, <a href=3D\"https://example.com/a\">web</a></p><p><img src=3D\"0a1b\"></p>")
	word("Next+steps.doc", "Next steps", "<h2>Part</h2>")
	for _, name := range []string{"Old.doc", "New.docx", "._New.docx", ".doc", "api.docs.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("\xd0\xcf\x11\xe0"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	written, left, err := ConvertConfluence(dir)
	if err != nil || !slices.Equal(written, []string{"Next steps.md", "Team guide.md"}) || !slices.Equal(left, []string{"New.docx", "Old.doc"}) {
		t.Fatalf("written are %q, left are %q, %v", written, left, err)
	}
	got, _ := os.ReadFile(filepath.Join(dir, "Team guide.md"))
	if want := "---\ntitle: \"Team guide\"\n---\n\nCafé, [next](Next%20steps.md), [web](https://example.com/a)\n\n![](attachments/Team+guide/0a1b.png)\n"; string(got) != want {
		t.Errorf("the page reads %q, want %q", got, want)
	}
	if picture, _ := os.ReadFile(filepath.Join(dir, "attachments", "Team+guide", "0a1b.png")); string(picture) != "\x89PNG\r\n\x1a\n" {
		t.Errorf("the picture reads %q", picture)
	}
}

func TestAnExportWithAHugeFileIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exported(t, dir, "index.html", "Team", "")
	exported(t, dir, "1.html", "Page", "<p>one</p>")
	if err := os.Truncate(filepath.Join(dir, "1.html"), maxFile+1); err != nil {
		t.Fatal(err)
	}
	if written, _, err := ConvertConfluence(dir); err == nil || !strings.Contains(err.Error(), "1.html is not a file of up to 32 MiB") {
		t.Errorf("%v, %v", written, err)
	}
}
