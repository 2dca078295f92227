// Package workspace is an Outline knowledge base held in memory: one
// [http.Handler] that answers Outline's API with the status codes, error
// messages, JSON keys, paging, search and permissions of Outline 1.9.1.
//
// [New] builds the workspace with its sample content, [Empty] one with given
// content. Behaviour that is said to be recorded was taken from a running
// Outline and is held by the recordings in testdata/contract.
//
// One request travels through [Workspace.ServeHTTP] or [Workspace.Transport]:
// request.go reads it, auth.go finds out who calls, the table in endpoints.go
// names the handler, and answer.go writes what the handler returns. The state
// is in store.go; each resource of the API has a file of its own. What changes
// a document goes through change.go and, where its place is concerned, tree.go;
// texts are brought into Outline's form by normalize.go.
package workspace
