// Package scripting runs the scripts of docs/examples as somebody would who has
// just copied them, and compares the pages in docs/scripting with them. It is a module of
// its own as it needs python3, node and what docs/examples/typescript installs.
package scripting
