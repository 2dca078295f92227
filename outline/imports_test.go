package outline_test

import (
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"outline-mcp/outline"
	"outline-mcp/outline/recorded"
)

// unlikeImports are the recordings of documents.import that the client does not make,
// with the reason.
var unlikeImports = map[string]string{
	"1543": "an import has a file",
	"1553": "the answer has a tree, which the client does not ask for",
	"1554": "an import is a form",
}

func TestImportsAreRequestedAndReadAsRecorded(t *testing.T) {
	for _, rec := range recorded.Read[recording](t, "imports") {
		if unlikeImports[rec.number()] != "" {
			continue
		}
		t.Run(rec.Name, func(t *testing.T) {
			want := formOf(t, "XbOuNdArYx", strings.NewReader(bytesIn(text(rec.Request.Body))))
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, boundary, _ := strings.Cut(r.Header.Get("Content-Type"), "boundary=")
				sent := formOf(t, boundary, r.Body)
				for field, value := range want {
					equal(t, field, sent[field], value)
				}
				reply(w, rec.Response.Status, jsonType, string(rec.Response.Body))
			}, nil)
			document, err := c.ImportDocument(t.Context(), outline.ImportDocumentParams{
				Name: want["name"], ContentType: want["type"], Size: int64(len(want["file"])),
				CollectionID: want["collectionId"], ParentDocumentID: want["parentDocumentId"], Publish: want["publish"] == "true",
			}, strings.NewReader(want["file"]))
			var answer map[string]any
			if err := json.Unmarshal(rec.Response.Body, &answer); err != nil {
				t.Fatal(err)
			}
			switch {
			case rec.Response.Status != http.StatusOK:
				if !errors.Is(err, kinds[rec.Response.Status]) {
					t.Errorf("error %v, want %v", err, kinds[rec.Response.Status])
				}
				contains(t, err, text(answer["message"]))
			case err != nil:
				t.Error(err)
			default:
				sameFullDocument(t, document, answer)
			}
		})
	}
}

// formOf returns the fields of a multipart form, with the file, its name and its type.
func formOf(t *testing.T, boundary string, body io.Reader) map[string]string {
	t.Helper()
	fields := map[string]string{}
	for form := multipart.NewReader(body, boundary); ; {
		part, err := form.NextPart()
		if err == io.EOF {
			return fields
		}
		if err != nil {
			t.Error(err)
			return fields
		}
		value, err := io.ReadAll(part)
		if err != nil {
			t.Error(err)
		}
		fields[part.FormName()] = string(value)
		if part.FileName() != "" {
			fields["name"], fields["type"] = part.FileName(), part.Header.Get("Content-Type")
		}
	}
}

// bytesIn returns a recorded form, whose bytes are recorded as characters (ISO 8859-1).
func bytesIn(recorded string) string {
	form := make([]byte, 0, len(recorded))
	for _, r := range recorded {
		form = append(form, byte(r))
	}
	return string(form)
}
