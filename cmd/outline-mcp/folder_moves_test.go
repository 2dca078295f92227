package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	for _, flag := range []string{"--dry-run", "--yes"} {
		if out := w.run(0, "push", flag); !strings.Contains(out, want) || strings.Count(out, "links to what") != 1 {
			t.Errorf("push %s says %q", flag, out)
		}
	}
	w.rename("Handbook/New.md", "Handbook/Newer.md")
	if out := w.run(1, "diff"); !strings.HasPrefix(out, "here     renamed    Handbook/Newer.md\nskipped") {
		t.Errorf("diff says %q", out)
	}
}
