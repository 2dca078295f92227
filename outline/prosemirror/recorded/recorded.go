// Package recorded gives tests the recordings of a real Outline (1.9.1+390): what
// it stored for a text, and what it made of patches and other writes.
package recorded

import (
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

//go:embed *.jsonl.gz
var files embed.FS

// Read returns the recordings of a file: roundtrip, patches or writes. T has the
// fields that the test needs.
func Read[T any](t testing.TB, file string) []T {
	t.Helper()
	f, err := files.Open(file + ".jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(unzipped)
	var list []T
	for {
		var recording T
		switch err := lines.Decode(&recording); {
		case errors.Is(err, io.EOF):
			return list
		case err != nil:
			t.Fatalf("%s, recording %d: %v", file, len(list)+1, err)
		}
		list = append(list, recording)
	}
}

// InYear runs a test in the year of the recordings, because the labels of date
// mentions leave out the current year.
func InYear(t *testing.T, test func(t *testing.T)) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)))
		test(t)
	})
}
