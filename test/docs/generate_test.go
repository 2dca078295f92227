// Package docs_test holds the pages to what the program does, and records what is generated from
// it: schemas, definitions and answers of the tools, documentation, budgets. To record all of
// it, run
//
//	go generate ./...
//
// and read what changed. Tests compare each file with the program and name
// those that are out of date; the same tests write them, given -update.
package docs_test

// Recorded schemas are embedded in the program, so that they come first;
// budgets and pages that quote others come last.
//
//go:generate go test outline-mcp/tools -run ^TestTheRecordedSchemas -update
//go:generate go test outline-mcp/tools outline-mcp/internal/observe/audit outline-mcp/internal/config outline-mcp/internal/doctor outline-mcp/internal/install outline-mcp/prompts -update
//go:generate go test outline-mcp/test/budget -update
//go:generate go test outline-mcp/test/docs -update
