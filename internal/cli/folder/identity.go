package folder

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// identify finds the documents of files whose outline line is lost, as when a program has
// rewritten the whole file: a file is that of the document whose file had its path or, if
// it was moved as well, its text. A document is in doubt if a new file has most of its lines.
func (f *Folder) identify(found *local) error {
	f.lost = map[string]*record{}
	if len(found.fresh) == 0 {
		return nil
	}
	gone := map[string]*record{} // without a file, by path
	for _, r := range found.known {
		if _, ok := found.file(&r.place); !ok && !r.Gone && !found.unreadable[r.Path] {
			gone[r.Path] = r
		}
	}
	take := func(i int, r *record) error {
		name := found.fresh[i].Path
		f.lost[name] = r
		found.fresh = slices.Delete(found.fresh, i, i+1)
		delete(gone, r.Path)
		one, err := f.load(name)
		if err == nil && f.restores {
			content := one.bytes()
			if _, err = f.replace(name, one.Hash, content); err == nil {
				one.Hash = hashOf(content)
				found.problems = append(found.problems, Line{name, Restored, r.URLID, "its outline line"})
			}
		}
		one.Text = ""
		found.changed[r.URLID] = one
		return err
	}
	for i := len(found.fresh) - 1; i >= 0; i-- {
		if r := gone[found.fresh[i].Path]; r != nil {
			if err := take(i, r); err != nil {
				return err
			}
		}
	}
	if len(gone) == 0 || len(found.fresh) == 0 {
		return nil
	}
	texts := make([]map[string]int, len(found.fresh))
	for i, one := range found.fresh {
		if whole, err := f.load(one.Path); err == nil {
			texts[i] = linesOf(whole.Text)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(gone)) {
		r := gone[at]
		text, err := f.text(r.ID)
		if err != nil {
			return err
		}
		lines, best, most := linesOf(text), -1, 0
		for i := range texts {
			if same := inCommon(lines, texts[i]); same > most {
				best, most = i, same
			}
		}
		switch {
		case best < 0:
		case maps.Equal(lines, texts[best]) && (len(lines) > 2 || path.Base(at) == path.Base(found.fresh[best].Path)):
			texts = slices.Delete(texts, best, best+1)
			if err := take(best, r); err != nil {
				return err
			}
		default:
			found.alike[r.ID] = found.fresh[best].Path
		}
	}
	return nil
}

// clauseEnd is what ends a clause, or begins an item or a heading.
var clauseEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[.!?:;,|](?:\s|$)(?:(?:[-*+]|\d+\.|#+)\s)?|(?:^|\s)(?:[-*+]|\d+\.|#+)\s`)
})

// linesOf returns how often a text has each clause, without the addresses of links, which
// depend on where a file is, and however its lines are broken: Outline joins those of a
// paragraph.
func linesOf(text string) map[string]int {
	lines := map[string]int{}
	text = strings.Join(strings.Fields(replaceLinks(text, func(string) string { return "" })), " ")
	for _, clause := range clauseEnd().Split(text, -1) {
		if clause = strings.TrimSpace(clause); clause != "" {
			lines[clause]++
		}
	}
	return lines
}

// inCommon returns how many lines of a text another one has, if those are most of them.
func inCommon(lines, other map[string]int) (same int) {
	all := 0
	for line, n := range lines {
		all += n
		same += min(n, other[line])
	}
	if same*2 <= all {
		return 0
	}
	return same
}
