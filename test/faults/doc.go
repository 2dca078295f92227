// Package faults tests the outcome of writes when the network or Outline fails
// partway through.
//
// A wire between the server and an embedded workspace injects faults into requests.
// After each call, the contents of the workspace are compared with the tool's
// answer: documents by their trees, block by block, including what Markdown cannot
// express. The package is its own module, so that its dependencies do not become
// dependencies of the program.
package faults
