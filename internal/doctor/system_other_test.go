//go:build !linux

package doctor_test

// systemTroubles are those that only some systems can be brought into.
func systemTroubles() []trouble { return nil }
