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

func TestLinksFollowFilesThatAreMoved(t *testing.T) {
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
	w := newWiki(t, nil)
	w.write("A.md", "Text.\n")
	w.run(0, "push", "--collection", "Handbook", "--dry-run")
	w.run(0, "push", "--collection", "Finance", "--yes")
	w.run(1, "push", "--collection", "Handbook", "--yes")
}

func TestAPushNamesLinksToNothing(t *testing.T) {
	w := newWiki(t, nil)
	w.run(0, "pull")
	w.write("Handbook/New.md", "See [leave](Time%20off.md), [later](Later.md), [gone](Gone.md) and [the web](https://example.com).\n\n![](nope.png)\n")
	w.write("Handbook/Later.md", "Text.\n")
	w.write("Handbook/Later.outline.md", "Of no conflict.\n")
	if out := w.run(1, "status"); !strings.Contains(out, "skipped    Handbook/Later.outline.md  (it belongs to no page in conflict") {
		t.Errorf("status says %q", out)
	}
	const want = "links to what is not in the folder: Gone.md, nope.png)"
	for code, flag := range []string{"--dry-run", "--yes"} { // a skipped file is not in Outline
		if out := w.run(code, "push", flag); !strings.Contains(out, want) || strings.Count(out, "links to what") != 1 {
			t.Errorf("push %s says %q", flag, out)
		}
	}
	for code, flag := range []string{"--dry-run", "--yes"} {
		var lines []folder.Line
		if out := w.run(code, "push", "--json", flag); json.Unmarshal([]byte(out[:strings.LastIndex(out, "]")+1]), &lines) != nil || !slices.ContainsFunc(lines, func(line folder.Line) bool {
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
