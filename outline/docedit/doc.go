// Package docedit chooses requests that change a document exactly as asked.
//
// Outline patches a tree, not a text: what a patch stores depends on how many
// blocks the passage touches, which marks surround it and what the new text
// looks like. The same change can be sent in several forms, of which some
// damage the text around it and some drop what Markdown cannot carry.
// [Plan] carries out the possible requests on the model in outline/prosemirror
// and takes the one whose result is right and loses least. Where no form is
// right, it says why. [Request.Verify] compares the tree that Outline stored
// with the one that was wanted, and [Undo] finds the request that brings an
// earlier tree back.
//
// The package does no I/O.
package docedit
