package tools

import (
	"errors"
	"slices"
	"sync"
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
// AI clients wait for it with every start, so the tools are bound side by side.
func Bind(list []Tool, d Deps) ([]Bound, error) {
	bound, broken := make([]Bound, len(list)), make([]error, len(list))
	var wait sync.WaitGroup
	for i, tool := range list {
		wait.Go(func() { bound[i], broken[i] = tool.Bind(d) })
	}
	wait.Wait()
	return bound, errors.Join(broken...)
}
