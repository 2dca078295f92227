//go:build unix

package docs_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestThePictureShowsWhatTheCommandsPrint(t *testing.T) {
	shown, err := os.ReadFile(filepath.Join("tour", "session.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range newShell(t).checkSession(t, string(shown)) {
		t.Errorf("tour/session.txt: %s", complaint)
	}
	picture, err := os.Open(filepath.Join(root(t), "docs", "tour.svg"))
	if err != nil {
		t.Fatal(err)
	}
	defer picture.Close()
	if difference := cmp.Diff(lines(string(shown)), drawn(t, picture)); difference != "" {
		t.Errorf("docs/tour.svg shows something else than session.txt; draw it with go -C test/docs/tour run .\n%s", difference)
	}
}

// drawn are the lines of text in a picture.
func drawn(t *testing.T, picture io.Reader) []string {
	t.Helper()
	var found []string
	decoder := xml.NewDecoder(picture)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return lines(strings.Join(found, "\n"))
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "text" {
				found = append(found, "")
			}
		case xml.CharData:
			if len(found) > 0 {
				found[len(found)-1] += strings.Trim(string(token), "\n")
			}
		}
	}
}
