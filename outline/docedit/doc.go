// Package docedit chooses requests that change a document exactly as asked.
//
// Outline patches a tree, not a text: what a patch stores depends on how many
// blocks the passage touches, which marks surround it and what the new text
// looks like. The same change can be sent in several forms. Some of them damage
// the text around it, and some drop what Markdown cannot express. [Plan] tries
// the possible requests on the model in outline/prosemirror, and chooses the
// one whose result is right and loses least. If no form is right, it says why.
// [Request.Verify] compares the tree that Outline stored with the intended one,
// and [Undo] finds the request that restores an earlier tree.
//
// The package does no I/O.
package docedit
