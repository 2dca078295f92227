package tools_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
)

// withSettings returns a client of a server on an Outline, with settings beside those
// that reach it.
func withSettings(t *testing.T, outline http.RoundTripper, settings ...string) *client.Client {
	t.Helper()
	return connectTo(t, app.Options{Config: load(t, append([]string{"OUTLINE_MAX_RETRIES=0"}, settings...)...), Transport: outline})
}

func call(t *testing.T, c *client.Client, tool string, arguments map[string]any) cli.Answer {
	t.Helper()
	answer, err := cli.Call(t.Context(), c, tool, arguments)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// uploads returns how many files the user of the admin's key has uploaded.
func uploads(t *testing.T, outline http.RoundTripper) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fakeoutline.BaseURL+"/attachments.list", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+fakeoutline.AdminKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := outline.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var list struct{ Pagination struct{ Total int } }
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list.Pagination.Total
}

func onePage(t *testing.T) http.RoundTripper {
	seed := emptySeed()
	seed.Documents = []fakeoutline.Document{wikiPage(1, "", "Lamps", "First passage, and more.\n\nSecond passage.")}
	return wiki(t, seed)
}

func TestAFileOfThisMachineIsUploadedAndCanBeReadAgain(t *testing.T) {
	folder := t.TempDir()
	content := bytes.Repeat([]byte("a line of a log\n"), 10_000)
	if err := os.WriteFile(filepath.Join(folder, "lamp.log"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	outline := onePage(t)
	c := withSettings(t, outline, "OUTLINE_FILES_DIR="+folder)
	answer := call(t, c, "upload_attachment", map[string]any{"path": "lamp.log"})
	uploaded := decoded[struct {
		ID          string `json:"attachment_id"`
		Name        string
		ContentType string `json:"content_type"`
		Size        int
	}](t, answer.Structured)
	if answer.Code != "" || uploaded.Name != "lamp.log" || uploaded.ContentType != "text/plain" || uploaded.Size != len(content) {
		t.Fatalf("%+v\n%s", uploaded, answer.Text)
	}
	read := call(t, c, "read_attachment", map[string]any{"attachment_id": uploaded.ID, "start_line": 10_000})
	if !strings.Contains(read.Text, "Lines 10000–10000 of 10000.") {
		t.Error(read.Text)
	}
}

func TestAnUploadedFileStandsWhereTheCallSays(t *testing.T) {
	for name, test := range map[string]struct {
		arguments map[string]any
		want      string // the text of the document afterwards, with ID for that of the file
	}{
		"at the end":                    {map[string]any{"insert": "append"}, "First passage, and more.\n\nSecond passage.\n\n[a.txt 1](/api/attachments.redirect?id=ID)"},
		"behind a paragraph":            {map[string]any{"insert": "after", "after_text": "First passage, and more."}, "First passage, and more.\n\n[a.txt 1](/api/attachments.redirect?id=ID)\n\nSecond passage."},
		"within a paragraph, splits it": {map[string]any{"insert": "after", "after_text": "First passage"}, "First passage\n\n[a.txt 1](/api/attachments.redirect?id=ID)\n\n, and more.\n\nSecond passage."},
		"in place of a passage":         {map[string]any{"insert": "replace", "after_text": "First passage, and more."}, "[a.txt 1](/api/attachments.redirect?id=ID)\n\nSecond passage."},
		"in place of an address":        {map[string]any{"insert": "replace", "after_text": "./img/a.png", "document_id": uuid(2)}, "![A shot](/api/attachments.redirect?id=ID \" =40x30\") of it"},
		"nowhere":                       {map[string]any{}, "First passage, and more.\n\nSecond passage."},
	} {
		t.Run(name, func(t *testing.T) {
			seed := emptySeed()
			seed.Documents = []fakeoutline.Document{wikiPage(1, "", "Lamps", "First passage, and more.\n\nSecond passage."), wikiPage(2, "", "Shots", "![A shot](./img/a.png \" =40x30\") of it")}
			c := withSettings(t, wiki(t, seed))
			arguments := map[string]any{"name": "a.txt", "text": "x", "document_id": uuid(1)}
			maps.Copy(arguments, test.arguments)
			answer := call(t, c, "upload_attachment", arguments)
			if answer.Code != "" {
				t.Fatal(answer.Text)
			}
			id := decoded[struct {
				ID string `json:"attachment_id"`
			}](t, answer.Structured).ID
			text := decoded[documentPiece](t, call(t, c, "read_document", map[string]any{"document_id": arguments["document_id"]}).Structured).Text
			if want := strings.ReplaceAll(test.want, "ID", id); strings.TrimSpace(text) != want {
				t.Errorf("the document is\n%q, want\n%q", text, want)
			}
		})
	}
}

func TestAFileWithAnyNameIsShownByItsDocument(t *testing.T) {
	for name, label := range map[string]string{
		"plan_2026 [draft].txt":   "plan_2026 [draft].txt",
		"a](b.txt":                "a--b.txt",
		"*a* _b_ `c` {d} $e$.txt": "-a- -b- -c- -d- -e-.txt",
		"a@[Nobody].txt":          "a@[Nobody].txt",
		"日本 ==語==.txt":            "日本 --語--.txt",
		"a & b <c>.txt":           "a & b <c>.txt",
	} {
		c := withSettings(t, onePage(t))
		answer := call(t, c, "upload_attachment", map[string]any{"name": name, "text": "x", "document_id": uuid(1), "insert": "append"})
		if answer.Code != "" {
			t.Errorf("%s: %s", name, answer.Text)
			continue
		}
		list := call(t, c, "list_attachments", map[string]any{"document_id": uuid(1)})
		if !strings.Contains(list.Text, "1 image or file") || !strings.Contains(list.Text, "- \""+label+"\" ") {
			t.Errorf("%s: %s", name, list.Text)
		}
	}
}

func TestALongPaddingOfBase64CostsNoTime(t *testing.T) {
	start := time.Now()
	answer := call(t, withSettings(t, onePage(t)), "upload_attachment", map[string]any{"name": "x", "content_base64": "eA" + strings.Repeat("=", 2_900_000)})
	if took := time.Since(start); answer.Code != "" || fixtures.Thorough() && took > 20*time.Second {
		t.Errorf("%s after %s", answer.Text, took)
	}
}

func TestWhatCannotBeUploadedIsRefusedAndNothingIsLeft(t *testing.T) {
	folder := t.TempDir()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(filepath.Join(folder, "empty.txt"), nil, 0o600))
	must(os.Symlink("/etc/hostname", filepath.Join(folder, "leaving")))
	must(syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600))
	must(os.Symlink("/dev/zero", filepath.Join(folder, "zero")))
	must(os.WriteFile(filepath.Join(folder, "large.bin"), bytes.Repeat([]byte{0}, 26_214_401), 0o600))
	for name, test := range map[string]struct {
		arguments map[string]any
		says      string
	}{
		"a path outside the folder":        {map[string]any{"path": "/etc/hostname"}, "outside the folders that this server may use"},
		"a link that leaves the folder":    {map[string]any{"path": "leaving"}, "outside the folders that this server may use"},
		"a pipe that nobody writes to":     {map[string]any{"path": "pipe"}, "it is not an ordinary file"},
		"a link to a device":               {map[string]any{"path": "zero"}, "outside the folders that this server may use"},
		"an empty file":                    {map[string]any{"path": "empty.txt"}, "it is empty"},
		"no file":                          {map[string]any{"path": "none.txt"}, "there is no such file"},
		"a file over Outline's limit":      {map[string]any{"path": "large.bin"}, "too large – the maximum size is 25 MB"},
		"two files":                        {map[string]any{"text": "x", "content_base64": "eA==", "name": "x"}, "give one of path, text and content_base64"},
		"a name with folders":              {map[string]any{"text": "x", "name": "../x"}, "without folders"},
		"base64 that is none":              {map[string]any{"content_base64": "eA!=", "name": "x"}, "there is '!' at position 2"},
		"base64 with a sign behind spaces": {map[string]any{"content_base64": "eHh4\r\n e\u00e9==", "name": "x"}, "there is 'é' at position 8"},
		"base64 that is cut":               {map[string]any{"content_base64": "eHh4e", "name": "x"}, "is cut off"},
		"too much base64":                  {map[string]any{"content_base64": base64.StdEncoding.EncodeToString(make([]byte, 1_000_001)), "name": "x"}, "more than the 1000000 that fit"},
		"base64 of nothing":                {map[string]any{"content_base64": "====", "name": "x"}, "holds no bytes"},
		"base64 with = in the middle":      {map[string]any{"content_base64": strings.Repeat("=", 1_000_000) + "A", "name": "x"}, "there is '=' at position 0"},
		"a file and a size":                {map[string]any{"text": "x", "name": "x", "size": 2}, "size is for a file that another program uploads"},
		"a document of nobody":             {map[string]any{"text": "x", "name": "x", "document_id": uuid(77)}, "othing found with this ID"},
		"a passage that is not there":      {map[string]any{"text": "x", "name": "x", "document_id": uuid(1), "insert": "after", "after_text": "Third"}, "nothing was written: the document has no passage \"Third\""},
		"a passage that is there twice":    {map[string]any{"text": "x", "name": "x", "document_id": uuid(1), "insert": "after", "after_text": "passage"}, "nothing was written: after_text \"passage\" occurs 2 times"},
		"no document to insert into":       {map[string]any{"text": "x", "name": "x", "insert": "append"}, "insert needs document_id"},
	} {
		t.Run(name, func(t *testing.T) {
			outline := onePage(t)
			answer := call(t, withSettings(t, outline, "OUTLINE_FILES_DIR="+folder), "upload_attachment", test.arguments)
			if answer.Code == "" || !strings.Contains(answer.Text, test.says) {
				t.Errorf("%s %s", answer.Code, answer.Text)
			}
			if n := uploads(t, outline); n != 0 {
				t.Errorf("%d files are left", n)
			}
		})
	}
}

func TestWithoutAFolderNoPathIsReadOrWritten(t *testing.T) {
	target := filepath.Join(t.TempDir(), "new.zip")
	seed := emptySeed()
	seed.Exports = []fakeoutline.Export{{ID: uuid(2), Name: "Lights", UserID: uuid(99_000_000), CreatedAt: wikiDay(0)}}
	for tool, arguments := range map[string]map[string]any{
		"upload_attachment": {"path": "/etc/hostname"}, "import_document": {"path": "/etc/hostname", "collection_id": wikiCollection}, "get_export": {"export_id": uuid(2), "path": target},
	} {
		if answer := call(t, withSettings(t, wiki(t, seed)), tool, arguments); answer.Code != "invalid_arguments" || !strings.Contains(answer.Text, "set OUTLINE_FILES_DIR to the folder of such files. Nothing was") {
			t.Errorf("%s: %s", tool, answer.Text)
		}
	}
	if _, err := os.Stat(target); err == nil {
		t.Error("the export is saved")
	}
}

func TestTheTypeOfAnUploadIsThatOfWhatTheFileHolds(t *testing.T) {
	const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`
	for name, test := range map[string]struct{ file, holds, is string }{
		"an SVG":                              {"lamp.svg", svg, "image/svg+xml"},
		"an SVG that pretends to be a PNG":    {"lamp.png", svg, "text/plain"},
		"HTML":                                {"lamp.html", "<html><script>alert(1)</script>", "text/html"},
		"HTML that pretends to be a PNG":      {"lamp.png", "<html><script>alert(1)</script>", "text/plain"},
		"HTML without an extension":           {"lamp", "<html><script>alert(1)</script>", "text/plain"},
		"a PNG that pretends to be HTML":      {"lamp.html", string(aPNG(t, 2, 2)), "image/png"},
		"CSV":                                 {"lamp.csv", "a,b\n1,2\n", "text/csv"},
		"an archive that is a document":       {"lamp.docx", "PK\x03\x04\x00\x00", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		"a program that pretends to be a PDF": {"lamp.pdf", "\x7fELF\x02\x01\x01\x00", "application/octet-stream"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := call(t, withSettings(t, onePage(t)), "upload_attachment", map[string]any{"name": test.file, "content_base64": base64.StdEncoding.EncodeToString([]byte(test.holds))})
			uploaded := decoded[struct {
				ContentType string `json:"content_type"`
				Markdown    string
			}](t, answer.Structured)
			if uploaded.ContentType != test.is || strings.HasPrefix(uploaded.Markdown, "!") != strings.HasPrefix(test.is, "image/") {
				t.Errorf("%+v", uploaded)
			}
		})
	}
}

// afterOpening changes a file of this machine once it is opened and announced.
type afterOpening struct {
	http.RoundTripper
	change func() error
}

func (a afterOpening) RoundTrip(r *http.Request) (*http.Response, error) {
	switch filepath.Base(r.URL.Path) {
	case "attachments.create", "documents.import":
		if err := a.change(); err != nil {
			return nil, err
		}
	}
	return a.RoundTripper.RoundTrip(r)
}

func TestAFileThatChangesWhileItIsReadIsNotUploaded(t *testing.T) {
	const size = 100_000
	for says, newSize := range map[string]int64{"the file grew while it was read": size + 1, "the file shrank while it was read": size - 1} {
		for tool, arguments := range map[string]map[string]any{
			"upload_attachment": {"document_id": uuid(1), "insert": "append"}, "import_document": {"parent_document_id": uuid(1)},
		} {
			path := filepath.Join(t.TempDir(), "lamp.txt")
			if err := os.WriteFile(path, bytes.Repeat([]byte("x"), size), 0o600); err != nil {
				t.Fatal(err)
			}
			outline := onePage(t)
			c := withSettings(t, afterOpening{outline, func() error { return os.Truncate(path, newSize) }}, "OUTLINE_FILES_DIR="+filepath.Dir(path))
			arguments["path"] = path
			if answer := call(t, c, tool, arguments); answer.Code != "conflict" || !strings.Contains(answer.Text, says) {
				t.Errorf("%s: %s", tool, answer.Text)
			}
			if n := uploads(t, outline); n != 0 {
				t.Errorf("%s: %d files are left", tool, n)
			}
			if list := call(t, c, "list_documents", map[string]any{}); !strings.HasPrefix(list.Text, "# 1 document\n") {
				t.Errorf("%s: %s", tool, list.Text)
			}
		}
	}
}

// storedAt names another place for stored files than Outline does.
type storedAt struct {
	http.RoundTripper
	place string
	hosts map[string]bool // that were asked
}

func (s storedAt) RoundTrip(r *http.Request) (*http.Response, error) {
	s.hosts[r.URL.Host] = true
	response, err := s.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	switch filepath.Base(r.URL.Path) {
	case "fileOperations.redirect":
		response.Header.Set("Location", s.place)
	case "attachments.create":
		raw, err := io.ReadAll(response.Body)
		if err != nil {
			return nil, err
		}
		raw = bytes.ReplaceAll(raw, []byte(`"/api/files.create"`), fmt.Appendf(nil, "%q", s.place))
		response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	}
	return response, nil
}

func TestNoFileIsSentToOrSavedFromAPrivateAddress(t *testing.T) {
	folder := t.TempDir()
	for _, place := range []string{"http://169.254.169.254/latest", "http://[::1]:9000/x", "http://localhost/x", "http://10.0.0.7/x"} {
		for tool, arguments := range map[string]map[string]any{
			"upload_attachment": {"name": "a.txt", "text": "x"}, "get_export": {"export_id": uuid(2), "path": "lights.zip"},
		} {
			seed := emptySeed()
			seed.Exports = []fakeoutline.Export{{ID: uuid(2), Name: "Lights", UserID: uuid(99_000_000), CreatedAt: wikiDay(0)}}
			outline := storedAt{wiki(t, seed), place, map[string]bool{}}
			answer := call(t, withSettings(t, outline, "OUTLINE_FILES_DIR="+folder), tool, arguments)
			if answer.Code == "" || !strings.Contains(answer.Text, "is a private address") || len(outline.hosts) != 1 {
				t.Errorf("%s at %s: %s, asked %v", tool, place, answer.Text, outline.hosts)
			}
			if n := uploads(t, outline.RoundTripper); n != 0 {
				t.Errorf("%s at %s: %d files are left", tool, place, n)
			}
			if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
				t.Errorf("%s at %s: %v is left, %v", tool, place, left, err)
			}
		}
	}
}

func TestBase64IsTakenWithSpacesAndLineEndsAndWithoutPadding(t *testing.T) {
	for _, encoded := range []string{"aGVsbG8gd29ybGQ=", " aGVs\r\nbG8g\td29y bGQ= \n", "aGVsbG8gd29ybGQ"} {
		answer := call(t, withSettings(t, onePage(t)), "upload_attachment", map[string]any{"name": "a.txt", "content_base64": encoded})
		if !strings.Contains(answer.Text, "text/plain, 11 bytes") {
			t.Errorf("%q: %s", encoded, answer.Text)
		}
	}
}

func TestOverHTTPAPathIsRefusedWithWhatToDoInstead(t *testing.T) {
	c := withSettings(t, onePage(t), "MCP_TRANSPORT=http", "MCP_AUTH_TOKENS=0123456789abcdef0123456789abcdef")
	for tool, arguments := range map[string]map[string]any{
		"upload_attachment": {"path": "/etc/hostname"}, "import_document": {"path": "/etc/hostname", "collection_id": wikiCollection}, "get_export": {"export_id": uuid(1), "path": "/tmp/x"},
	} {
		if answer := call(t, c, tool, arguments); answer.Code != "invalid_arguments" || !strings.Contains(answer.Text, "over HTTP cannot") {
			t.Errorf("%s: %s", tool, answer.Text)
		}
	}
}

// failingUpload fails the upload of files, and their deletion if it keeps them.
type failingUpload struct {
	http.RoundTripper
	keeps bool
}

func (f failingUpload) RoundTrip(r *http.Request) (*http.Response, error) {
	switch method := filepath.Base(r.URL.Path); {
	case method == "files.create":
		_, _ = io.Copy(io.Discard, r.Body)
		return &http.Response{StatusCode: http.StatusInternalServerError, Body: http.NoBody, Request: r}, nil
	case method == "attachments.delete" && f.keeps:
		return nil, fmt.Errorf("no connection")
	}
	return f.RoundTripper.RoundTrip(r)
}

func TestAnUploadThatFailsIsDeletedAgainOrToldToBeLeft(t *testing.T) {
	for keeps, says := range map[bool]string{false: "Nothing is left of the upload", true: "may be left without its file: it could not be deleted again"} {
		outline := onePage(t)
		answer := call(t, withSettings(t, failingUpload{outline, keeps}), "upload_attachment", map[string]any{"name": "a.txt", "text": "x"})
		if answer.Code == "" || !strings.Contains(answer.Text, says) {
			t.Errorf("%s %s", answer.Code, answer.Text)
		}
		if n := uploads(t, outline); (n != 0) != keeps {
			t.Errorf("%d files are left", n)
		}
	}
}

// refusingUpdates refuses to update documents.
type refusingUpdates struct{ http.RoundTripper }

func (f refusingUpdates) RoundTrip(r *http.Request) (*http.Response, error) {
	if filepath.Base(r.URL.Path) == "documents.update" {
		return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
			Body: io.NopCloser(strings.NewReader(`{"ok":false,"error":"authorization_error","status":403,"message":"Authorization error"}`))}, nil
	}
	return f.RoundTripper.RoundTrip(r)
}

func TestAFileThatCannotBeInsertedIsDeletedAgain(t *testing.T) {
	outline := onePage(t)
	answer := call(t, withSettings(t, refusingUpdates{outline}), "upload_attachment", map[string]any{"name": "a.txt", "text": "x", "document_id": uuid(1), "insert": "append"})
	if answer.Code != "forbidden" || !strings.Contains(answer.Text, "The file could not be inserted: the uploaded file is deleted again.") {
		t.Error(answer.Text)
	}
	if n := uploads(t, outline); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

func TestAnExportIsSavedToANewFile(t *testing.T) {
	folder := t.TempDir()
	seed := emptySeed()
	seed.Documents = []fakeoutline.Document{wikiPage(1, "", "Lamps", "All of them.")}
	seed.Exports = []fakeoutline.Export{{ID: uuid(2), Name: "Lights", UserID: uuid(99_000_000), CreatedAt: wikiDay(0)}}
	c := withSettings(t, wiki(t, seed), "OUTLINE_FILES_DIR="+folder)
	answer := call(t, c, "get_export", map[string]any{"export_id": uuid(2), "path": "lights.zip"})
	saved, err := os.ReadFile(filepath.Join(folder, "lights.zip"))
	if answer.Code != "" || err != nil || !bytes.HasPrefix(saved, []byte("PK\x03\x04")) || !strings.Contains(answer.Text, "Saved to lights.zip.") {
		t.Errorf("%v: %s", err, answer.Text)
	}
	if again := call(t, c, "get_export", map[string]any{"export_id": uuid(2), "path": "lights.zip"}); !strings.Contains(again.Text, "it already exists. Nothing was saved") {
		t.Error(again.Text)
	}
}

func TestAFileOfThisMachineIsImported(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "lamps.csv"), []byte("lamp,state\nA,out\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := withSettings(t, onePage(t), "OUTLINE_FILES_DIR="+folder)
	answer := call(t, c, "import_document", map[string]any{"path": "lamps.csv", "parent_document_id": uuid(1)})
	imported := decoded[struct {
		ID    string `json:"document_id"`
		Title string
	}](t, answer.Structured)
	text := decoded[documentPiece](t, call(t, c, "read_document", map[string]any{"document_id": imported.ID}).Structured).Text
	if imported.Title != "lamps" || !strings.HasPrefix(text, "| lamp | state |") {
		t.Errorf("%s\n%s", answer.Text, text)
	}
}

func TestAFileOfThisMachineIsImportedInItsEncoding(t *testing.T) {
	folder := t.TempDir()
	c := withSettings(t, onePage(t), "OUTLINE_FILES_DIR="+folder)
	for name, content := range map[string]string{
		"windows.csv": "Gr\xf6\xdfe,Ort\n1,Z\xfcrich\n", "utf8.csv": "Größe,Ort\n1,Zürich\n", "marked.csv": "\uFEFFGröße,Ort\n1,Zürich\n",
		"little.csv": "\xFF\xFE" + utf16Of("Größe,Ort\n1,Zürich\n", false), "big.csv": "\xFE\xFF" + utf16Of("Größe,Ort\n1,Zürich\n", true),
		"unmarked.csv": utf16Of("Größe,Ort\n1,Zürich\n", false), "unmarked big.csv": utf16Of("Größe,Ort\n1,Zürich\n", true),
		"page.md": "Gr\xf6\xdfe in Z\xfcrich", "page.html": "<p>Gr\xf6\xdfe in Z\xfcrich</p>", "page.txt": utf16Of("Größe in Zürich", false),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		answer := call(t, c, "import_document", map[string]any{"path": name, "parent_document_id": uuid(1)})
		imported := decoded[struct {
			ID string `json:"document_id"`
		}](t, answer.Structured)
		text := decoded[documentPiece](t, call(t, c, "read_document", map[string]any{"document_id": imported.ID}).Structured).Text
		if !strings.Contains(text, "Größe") || !strings.Contains(text, "Zürich") || strings.ContainsAny(text, "\x00\uFEFF") {
			t.Errorf("%s: %s\n%q", name, answer.Text, text)
		}
	}
}

// utf16Of returns a text in UTF-16 without a mark.
func utf16Of(text string, bigEndian bool) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		if bigEndian {
			b = binary.BigEndian.AppendUint16(b, unit)
		} else {
			b = binary.LittleEndian.AppendUint16(b, unit)
		}
	}
	return string(b)
}

// puttingFiles is an Outline that takes files by PUT, as its source since June 2026
// does with some storages. No recording shows it.
type puttingFiles struct{ http.RoundTripper }

func (p puttingFiles) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := p.RoundTripper.RoundTrip(r)
	if err != nil || !strings.HasSuffix(r.URL.Path, "/attachments.create") {
		return response, err
	}
	defer response.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, err
	}
	data := answer["data"].(map[string]any)
	delete(data, "uploadUrl")
	delete(data, "form")
	data["mode"], data["url"], data["headers"] = "put", "https://files.example/a?sig=1", map[string]string{"Content-Type": "image/png"}
	body, err := json.Marshal(answer)
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	response.Header.Del("Content-Length")
	return response, err
}

func TestAStorageThatTakesFilesByPutIsDescribed(t *testing.T) {
	answer := call(t, withSettings(t, puttingFiles{onePage(t)}), "upload_attachment", map[string]any{"name": "a.png", "size": 5})
	if !strings.Contains(answer.Text, "To upload, PUT the file, with these headers, to https://files.example/a?sig=1\nContent-Type=image/png") {
		t.Error(answer.Text)
	}
	if structured := string(answer.Structured); !strings.Contains(structured, `"upload_url":"https://files.example/a?sig=1"`) || !strings.Contains(structured, `"upload_method":"PUT"`) {
		t.Error(structured)
	}
}
