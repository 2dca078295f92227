// Package fakeoutline is an Outline knowledge base in memory: an [http.Handler]
// that answers Outline's API with the status codes, error messages, JSON keys,
// paging, search and permissions of the Outline of August 2026, which calls itself
// 1.9.1, or of a release up to 1.9.2 (release.go).
//
// Like Outline, it stores documents as trees: edits change the tree, and the text
// is serialized from it (document.go).
//
// [New] returns a workspace with sample content, [Empty] one with given
// content. Behavior that a comment calls recorded was observed on a running
// Outline; the exchanges are in test/fixtures/recorded and the tests replay them.
//
// [Workspace.ServeHTTP] and [Workspace.Transport] read a request with the
// package api, authenticate its caller, look up its method in the table in
// endpoints.go, and write the answer of the endpoint. The state is in store.go,
// and each resource of the API has its own files. Every change of a document
// goes through the store's change, revise and save methods; places.go keeps the order
// of documents, and history.go their revisions.
//
// The workspace is an OAuth authorization server, too, like Outline: package oauth
// and oauth.go. [Options.OAuth] names an application that can ask people to log in,
// admins make others with oauthClients.create, and clients register themselves. There
// are three ways to it:
//
//   - [Workspace.Transport] for an application in the same process. A test that has
//     no browser logs in by a POST to /oauth/authorize with a [Workspace.Session].
//   - [Workspace.ServeHTTP] on a port of its own, for an application and a browser.
//   - [Workspace.LoginHandler] for a browser alone, below a prefix of a server
//     whose application uses the transport.
//
// Package api is the form of requests and answers, oauth the authorization server, and
// fulltext the search of PostgreSQL.
package fakeoutline
