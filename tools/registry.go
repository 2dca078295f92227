package tools

import (
	"errors"
	"slices"
)

// All returns every tool, in documentation order.
func All() []Tool {
	return slices.Concat(
		searchTools(),
		listTools(),
		structureTools(),
		titleTools(),
		readTools(),
		headingTools(),
		documentTools(),
		moveTools(),
		lifecycleTools(),
		removedTools(),
		commentTools(),
		backlinkTools(),
		collectionTools(),
		exportTools(),
		batchTools(),
		aiTools(),
	)
}

// Bind makes tools ready for a server and reports every broken one at once.
func Bind(list []Tool, d Deps) ([]Bound, error) {
	bound := make([]Bound, 0, len(list))
	var broken []error
	for _, tool := range list {
		b, err := tool.Bind(d)
		bound, broken = append(bound, b), append(broken, err)
	}
	return bound, errors.Join(broken...)
}
