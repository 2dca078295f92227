// Package recorded gives tests the recordings of a real Outline (1.9.1+390). Each line
// of a file is a recording.
//
// The files contract to version3 hold exchanges with the API: a name that starts with a
// number in the order of the exchanges, the caller, the request and the response. The
// first series, in contract, has other users and documents than the second one, which is
// the rest. The files list_documents and list_answers hold the documents that were there
// and the IDs that the lists of documents and users answered with (420 to 626 and 1015 to
// 1058); lists holds some of these exchanges with what the client reads of a document.
//
// The files roundtrip, patches and writes hold what Outline stored for a text, and what
// it made of patches and other writes. The file gaps holds patches of documents as the
// editor makes them, with empty paragraphs and spaces where Markdown has none. The files
// wiki_pages, wiki_questions and wiki_searches hold the pages of a wiki, questions with the
// page that answers each, and what a search of those pages found.
package recorded

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"
)

//go:embed *.jsonl *.jsonl.gz
var files embed.FS

// Read returns the recordings of a file, such as "contract". T has the fields that the
// test needs.
func Read[T any](t testing.TB, file string) []T {
	t.Helper()
	content, err := files.ReadFile(file + ".jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		content, err = unzipped(file + ".jsonl.gz")
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(bytes.NewReader(content))
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

func unzipped(file string) ([]byte, error) {
	f, err := files.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(content)
}

// InYear runs a test in the year of the recordings, because the labels of date
// mentions leave out the current year.
func InYear(t *testing.T, test func(t *testing.T)) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)))
		test(t)
	})
}
