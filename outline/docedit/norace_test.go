//go:build !race

package docedit_test

const raceEnabled = false
