//go:build !race

package edit_test

const raceEnabled = false
