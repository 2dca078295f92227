//go:build !linux

package main

// systemTroubles are those that only some systems can be brought into.
func systemTroubles() []trouble { return nil }
