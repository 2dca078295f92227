//go:build race

package docedit_test

const raceEnabled = true
