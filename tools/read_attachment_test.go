package tools_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/fakeoutline"
)

// attachments returns an Outline with one attachment, uuid(1).
func attachments(t *testing.T, name, contentType string, content []byte) http.RoundTripper {
	seed := emptySeed()
	seed.Attachments = []fakeoutline.Attachment{{ID: uuid(1), UserID: uuid(99_000_000), Name: name, ContentType: contentType, Content: content}}
	return wiki(t, seed)
}

// readAttachment calls read_attachment for uuid(1).
func readAttachment(t *testing.T, structured bool, outline http.RoundTripper, arguments map[string]any) *mcp.CallToolResult {
	t.Helper()
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = "read_attachment", map[string]any{"attachment_id": uuid(1)}
	for name, value := range arguments {
		request.Params.Arguments.(map[string]any)[name] = value
	}
	result, err := limited(t, defaultLimit, structured, outline).CallTool(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func firstText(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	text, ok := result.Content[0].(mcp.TextContent)
	if !ok || result.IsError {
		t.Fatalf("%+v", result)
	}
	return text.Text
}

func aPNG(t testing.TB, width, height int) []byte {
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		picture.Set(x, height/2, color.White)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAnImageIsContentBesideTheAnswer(t *testing.T) {
	small := aPNG(t, 30, 20)
	for _, structured := range []bool{false, true} {
		result := readAttachment(t, structured, attachments(t, "lamp.png", "image/png", small), nil)
		if (result.StructuredContent != nil) != structured || len(result.Content) != 2 {
			t.Fatalf("%d contents, structured content %v", len(result.Content), result.StructuredContent)
		}
		picture, ok := result.Content[1].(mcp.ImageContent)
		if !ok || picture.MIMEType != "image/png" || picture.Data != base64.StdEncoding.EncodeToString(small) {
			t.Errorf("the second content is %T %s", result.Content[1], picture.MIMEType)
		}
	}
}

func TestALargeImageIsScaledAndTheAnswerSaysSo(t *testing.T) {
	result := readAttachment(t, false, attachments(t, "lamp.png", "image/png", aPNG(t, 3136, 200)), nil)
	if text := firstText(t, result); !strings.Contains(text, "(scaled to 1568×100 pixels, image/png of ") {
		t.Error(text)
	}
	raw, err := base64.StdEncoding.DecodeString(result.Content[1].(mcp.ImageContent).Data)
	if err != nil {
		t.Fatal(err)
	}
	if config, err := png.DecodeConfig(bytes.NewReader(raw)); err != nil || config.Width != 1568 {
		t.Errorf("%d pixels wide, %v", config.Width, err)
	}
}

// pdf returns a file of the tests of the package that reads PDFs.
func pdf(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("pdftext", "testdata", name+".pdf"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTheTextOfAPDFIsShownByPages(t *testing.T) {
	for name, shows := range map[string]string{
		"chromium": "text (the text of a PDF, without its images).\n\n## Page 1\n\nPump manual\n",
	} {
		result := readAttachment(t, true, attachments(t, "manual.pdf", "application/pdf", pdf(t, name)), nil)
		if text := firstText(t, result); !strings.Contains(text, shows) || len(result.Content) != 1 {
			t.Errorf("%d contents: %s", len(result.Content), text)
		}
	}
	result := readAttachment(t, false, attachments(t, "manual.pdf", "application/pdf", pdf(t, "objects")), map[string]any{"start_line": 11})
	if text := firstText(t, result); !strings.Contains(text, "## Page 3\n") || strings.Contains(text, "## Page 2") {
		t.Error(text)
	}
}

func TestAPDFWhoseTextCannotBeReadIsAResource(t *testing.T) {
	locked := readAttachment(t, true, attachments(t, "x.pdf", "application/pdf", pdf(t, "locked")), nil)
	if text := firstText(t, locked); !strings.Contains(text, "as a resource (a PDF whose text could not be read: it is encrypted with a password or in a way that is not supported).") || len(locked.Content) != 2 {
		t.Error(text)
	}
	scan := pdf(t, "scan")
	result := readAttachment(t, true, attachments(t, "sheet.pdf", "application/pdf", scan), nil)
	resource, ok := result.Content[1].(mcp.EmbeddedResource)
	if !ok {
		t.Fatalf("%T", result.Content[1])
	}
	blob, ok := resource.Resource.(mcp.BlobResourceContents)
	if !ok || blob.MIMEType != "application/pdf" || blob.Blob != base64.StdEncoding.EncodeToString(scan) ||
		blob.URI != "http://outline.demo.invalid/api/attachments.redirect?id="+uuid(1) {
		t.Errorf("%+v", resource.Resource)
	}
	large := append(bytes.Clone(scan), make([]byte, 20_000)...)
	result = readAttachment(t, true, attachments(t, "sheet.pdf", "application/pdf", large), map[string]any{"max_bytes": 10_000})
	if text := firstText(t, result); !strings.Contains(text, "not shown (a PDF whose text could not be read: it has no text that can be read; its pages may be pictures, such as scans; larger than max_bytes)") {
		t.Error(text)
	}
}

func TestWhatAFileHoldsDecidesHowItIsShown(t *testing.T) {
	bomb := aPNG(t, 4, 4)
	binary.BigEndian.PutUint32(bomb[16:], 60_000)
	binary.BigEndian.PutUint32(bomb[20:], 60_000)
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	script := `<script>alert(1)</script>`
	for name, test := range map[string]struct {
		declared string
		content  string
		says     string
		more     int // contents beside the text
	}{
		"an SVG with a script is text":       {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg">` + script + `</svg>`, "image/svg+xml, 71 bytes, text.\n\n<svg", 0},
		"HTML that pretends to be an image":  {"image/png", "<html>" + script, "text/plain, 31 bytes, text (it was uploaded as image/png).\n\n<html>", 0},
		"HTML":                               {"text/html", "<html>" + script, "text/html, 31 bytes, text.\n\n<html>", 0},
		"an image that pretends to be text":  {"text/plain", string(aPNG(t, 3, 3)), "image/png, 81 bytes, as an image (it was uploaded as text/plain).", 1},
		"a PDF without a type":               {"application/octet-stream", "%PDF-1.4", "application/pdf, 8 bytes, as a resource (a PDF whose text could not be read: it is damaged, or uses features of PDF that are not supported; it was uploaded as application/octet-stream).", 1},
		"JSON without a type":                {"application/octet-stream", `{"a": 1}`, "application/octet-stream, 8 bytes, text.\n\n{", 0},
		"a decompression bomb":               {"image/png", string(bomb), "not shown (an image with too many pixels to scale here).\nTo download, for a short time: http://outline.demo.invalid/api/files.get?sig=", 0},
		"a broken image":                     {"image/png", string(aPNG(t, 3000, 30)[:60]), "not shown (an image that cannot be shown: it is damaged, or encoded in an unknown way).", 0},
		"an archive":                         {"application/zip", "PK\x03\x04\x00\x00", "application/zip, 6 bytes, not shown.\nTo download, ", 0},
		"text of Windows":                    {"text/csv", "Gr\xf6\xdfe;1", "text/csv, 7 bytes, text (decoded from Windows-1252).\n\nGröße;1", 0},
		"UTF-16":                             {"text/plain", "\xFF\xFEJ\x00a\x00", "text/plain, 6 bytes, text (decoded from UTF-16).\n\nJa", 0},
		"UTF-16 without a mark":              {"text/plain", "J\x00a\x00", "text/plain, 4 bytes, text (decoded from UTF-16).\n\nJa", 0},
		"bytes that are text in no encoding": {"application/x-bin", "Gr\xf6\xdfe;1", "application/x-bin, 7 bytes, not shown.", 0},
		"an empty file":                      {"text/plain", "", "text/plain, text.\n\n(no text)", 0},
		"more than is read":                  {"text/plain", strings.Repeat("a", 11<<20), "not shown (larger than the 10 MB that are read).\nTo download", 0},
	} {
		t.Run(name, func(t *testing.T) {
			content := []byte(test.content)
			result := readAttachment(t, true, attachments(t, "x", test.declared, content), nil)
			if text := firstText(t, result); !strings.Contains(text, test.says) || len(result.Content) != 1+test.more {
				t.Errorf("%d contents: %.300s", len(result.Content), text)
			}
		})
	}
}

func TestAFileThatWasNeverUploadedIsSaidToBeMissing(t *testing.T) {
	result := readAttachment(t, false, attachments(t, "x", "text/plain", nil), nil)
	if text := result.Content[0].(mcp.TextContent).Text; !result.IsError || !strings.Contains(text, "its upload failed, or it was removed") {
		t.Error(text)
	}
}

// redirecting answers attachments.redirect with a link to another place.
type redirecting struct {
	http.RoundTripper
	to     string
	asked  []*http.Request
	answer func(*http.Request) *http.Response
}

func (r *redirecting) RoundTrip(request *http.Request) (*http.Response, error) {
	if strings.HasSuffix(request.URL.Path, "/attachments.redirect") {
		_, _ = io.Copy(io.Discard, request.Body)
		return &http.Response{StatusCode: http.StatusFound, Header: http.Header{"Location": {r.to}}, Body: http.NoBody, Request: request}, nil
	}
	r.asked = append(r.asked, request)
	return r.answer(request), nil
}

func TestOnlyTheHostThatOutlineNamesIsAskedForAFileAndWithoutTheKey(t *testing.T) {
	respond := func(status int, header http.Header, body string) func(*http.Request) *http.Response {
		return func(r *http.Request) *http.Response {
			return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}
		}
	}
	file := respond(http.StatusOK, http.Header{"Content-Type": {"text/plain"}}, "from the storage")
	for name, test := range map[string]struct {
		to     string
		answer func(*http.Request) *http.Response
		asked  int
		says   string
	}{
		"another host":            {"https://storage.example.com/bucket/uploads/a/b/notes.txt?X-Amz-Signature=x", file, 1, "\"notes.txt\" " + uuid(1) + ": text/plain, 16 bytes, text.\n\nfrom the storage"},
		"another redirect":        {"https://storage.example.com/notes.txt", respond(http.StatusFound, http.Header{"Location": {"http://169.254.169.254/"}}, ""), 1, "answered with status 302"},
		"a private address":       {"http://10.0.0.7/notes.txt", file, 0, "is a private address (10.0.0.7), which is not followed"},
		"the metadata of a cloud": {"http://169.254.169.254/latest/meta-data", file, 0, "is a private address"},
		"localhost":               {"http://localhost:9000/notes.txt", file, 0, "is a private address"},
		"IPv6":                    {"http://[::1]/notes.txt", file, 0, "is a private address"},
		"a login page":            {"http://outline.demo.invalid/auth/login", file, 0, "something in front of it may ask to log in"},
		"another scheme":          {"file:///etc/passwd", file, 0, "is not a web address"},
		"a refusal":               {"https://storage.example.com/notes.txt", respond(http.StatusForbidden, nil, "<Error/>"), 1, "storage.example.com, where Outline stores the file, answered with status 403"},
		"Outline's own host":      {"https://wiki.example.com/api/files.get?sig=x", file, 1, "from the storage"},
	} {
		t.Run(name, func(t *testing.T) {
			outline := &redirecting{RoundTripper: wiki(t, emptySeed()), to: test.to, answer: test.answer}
			result := readAttachment(t, false, outline, nil)
			if text := result.Content[0].(mcp.TextContent).Text; !strings.Contains(text, test.says) {
				t.Error(text)
			}
			if len(outline.asked) != test.asked {
				t.Errorf("%d requests for the file", len(outline.asked))
			}
			for _, r := range outline.asked {
				if r.Header.Get("Authorization") != "" || strings.Contains(r.URL.Path, "files.get") && r.URL.Host != "outline.demo.invalid" {
					t.Errorf("asked %s with the key %q", r.URL, r.Header.Get("Authorization"))
				}
			}
		})
	}
}

func TestLimitsOfArgumentsAreWrittenInFull(t *testing.T) {
	answer := call(t, withSettings(t, onePage(t)), "read_attachment", map[string]any{"attachment_id": uuid(1), "max_bytes": 5})
	if !strings.Contains(answer.Text, "max_bytes must be a number from 10000 to 5000000, not 5.") {
		t.Error(answer.Text)
	}
}

func TestAFileIsReadByTheSignedAddressOfAnImage(t *testing.T) {
	claims := `{"key":"uploads/` + uuid(99_000_000) + `/` + uuid(1) + `/lamp.png","type":"attachment","iat":1764100000,"exp":1764100300}`
	signed := "/api/files.get?sig=eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2lnbmF0dXJl"
	for _, address := range []string{signed, fakeoutline.BaseURL + signed} {
		result := readAttachment(t, false, attachments(t, "lamp.png", "image/png", aPNG(t, 8, 8)), map[string]any{"attachment_id": address})
		if text := firstText(t, result); !strings.Contains(text, `"lamp.png" `+uuid(1)) {
			t.Errorf("%s: %s", address, text)
		}
	}
}
