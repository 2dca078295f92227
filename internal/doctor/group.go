package doctor

import (
	"slices"
	"sort"
	"strings"
)

// A reason is why tools do not work, or why it is unknown whether they do.
type reason struct {
	what, advice string
	open         bool // it is unknown
}

// A group is a set of tools with the same reason.
type group struct {
	reason
	tools     []string
	endpoints []calls // in the order of the tools
}

// calls are the tools that fail for an endpoint.
type calls struct {
	endpoint string // "" if the reason is not about an endpoint
	tools    []string
}

type groups []group

// add adds a tool and the endpoint that its reason is about.
func (all *groups) add(why reason, endpoint, tool string) {
	i := slices.IndexFunc(*all, func(g group) bool { return g.reason == why })
	if i < 0 {
		i = len(*all)
		*all = append(*all, group{reason: why})
	}
	g := &(*all)[i]
	g.tools = append(g.tools, tool)
	n := slices.IndexFunc(g.endpoints, func(c calls) bool { return c.endpoint == endpoint })
	if n < 0 {
		n = len(g.endpoints)
		g.endpoints = append(g.endpoints, calls{endpoint: endpoint})
	}
	g.endpoints[n].tools = append(g.endpoints[n].tools, tool)
}

// tools returns the tools of all groups.
func (all groups) tools() []string {
	var found []string
	for _, one := range all {
		found = append(found, one.tools...)
	}
	return found
}

// sorted returns the groups sorted by reason.
func (all groups) sorted() []group {
	sorted := slices.Clone(all)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].what < sorted[j].what })
	return sorted
}

// text returns the reason and the tools, by endpoint.
func (g group) text() string {
	var parts []string
	for _, one := range g.endpoints {
		part := strings.Join(one.tools, ", ")
		if one.endpoint != "" {
			part = one.endpoint + " (" + part + ")"
		}
		parts = append(parts, part)
	}
	return g.what + ": " + strings.Join(parts, ", ")
}
