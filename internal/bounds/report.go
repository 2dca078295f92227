package bounds

import "slices"

// A Finding is what an entry of the rules means for a caller.
type Finding struct {
	Setting string // the variable
	Entry   string
	Found   []Collection // one, unless the entry is wrong
}

// A Report is what rules mean for a caller who sees some collections.
type Report struct {
	Findings []Finding
	Shown    []Collection // in the order given
	Written  []Collection // those where something may be changed
	// Hidden are the collections in which Rules.Write allows writing, but which are
	// outside.
	Hidden []Collection
}

// Examine returns what rules mean for a caller who sees the given collections.
func Examine(r Rules, collections []Collection) Report {
	var report Report
	for _, list := range []struct {
		setting string
		entries []string
	}{{SettingOnly, r.Only}, {SettingExcept, r.Except}, {SettingWrite, r.Write}} {
		for _, entry := range list.entries {
			report.Findings = append(report.Findings, Finding{list.setting, entry, Match(entry, collections)})
		}
	}
	v, _ := newView(r, nil, slices.Concat([]Collection{}, collections))
	for _, c := range collections {
		switch {
		case v.writes(c.ID):
			report.Written = append(report.Written, c)
			report.Shown = append(report.Shown, c)
		case v.shows(c.ID):
			report.Shown = append(report.Shown, c)
		case v.write[c.ID]:
			report.Hidden = append(report.Hidden, c)
		}
	}
	return report
}
