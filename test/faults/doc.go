// Package faults holds tests of what becomes of a write when the network or
// Outline fails in the middle of it.
//
// Between the server and an embedded workspace stands a wire that breaks
// requests in one way or another. After each call, what the workspace holds is
// compared with what the tool answered: documents by their trees, block for
// block, with what Markdown cannot express. It is a module of its own, so that
// nothing of what it needs becomes a part of the program.
package faults
