package outline_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"outline-mcp/outline"
	"outline-mcp/test/fixtures"
)

// storage is an Outline that stores no files, but counts their bytes.
type storage struct {
	*httptest.Server
	received, deleted, keys atomic.Int64
	announced               atomic.Int64 // bytes of the last upload
	peak                    atomic.Int64 // of the heap while a file arrives
	header                  atomic.Value // of the last upload
}

func newStorage(t *testing.T) *storage {
	s := new(storage)
	mux := http.NewServeMux()
	mux.HandleFunc("/api/attachments.create", func(w http.ResponseWriter, r *http.Request) {
		var p outline.UploadParams
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"ok":true,"data":{"uploadUrl":"/api/files.create","form":{"key":"k","sig":"s"},"attachment":{"id":%q,"name":%q,"size":"%d"}}}`, p.ID, p.Name, p.Size)
	})
	receive := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			s.keys.Add(1)
		}
		s.header.Store(r.Header)
		s.announced.Store(r.ContentLength)
		form, err := r.MultipartReader()
		if err != nil {
			t.Error(err)
			return
		}
		for {
			part, err := form.NextPart()
			if err != nil {
				break
			}
			if part.FormName() != "file" {
				continue
			}
			buffer := make([]byte, 1<<16)
			for n := 0; ; n++ {
				read, err := part.Read(buffer)
				s.received.Add(int64(read))
				if n%100 == 0 {
					var stats runtime.MemStats
					runtime.ReadMemStats(&stats)
					s.peak.Store(max(s.peak.Load(), int64(stats.HeapAlloc)))
				}
				if err != nil {
					break
				}
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"success":true,"status":200,"ok":true,"data":{"id":"00000001-0000-4000-8000-000000000000","url":"/doc/x-1FF9VyHA4X","urlId":"1FF9VyHA4X","title":"x","text":""}}`)
	}
	mux.HandleFunc("/api/files.create", receive)
	mux.HandleFunc("/api/documents.import", receive)
	mux.HandleFunc("/api/attachments.delete", func(w http.ResponseWriter, _ *http.Request) {
		s.deleted.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"success":true,"status":200,"ok":true}`)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *storage) client(t *testing.T) *outline.Client {
	c, err := outline.New(outline.Options{BaseURL: s.URL, Credentials: outline.StaticKey("ol_api_secret")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// zeros is an endless file.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestALargeFileIsUploadedInLittleMemory(t *testing.T) {
	s := newStorage(t)
	c := s.client(t)
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	const size = 100 << 20
	if _, err := c.UploadAttachment(t.Context(), outline.UploadParams{Name: "zeros.bin", Size: size}, io.LimitReader(zeros{}, size)); err != nil {
		t.Fatal(err)
	}
	if s.received.Load() != size || s.deleted.Load() != 0 || s.keys.Load() != 0 {
		t.Errorf("%d bytes arrived, %d attachments deleted, %d requests with the key", s.received.Load(), s.deleted.Load(), s.keys.Load())
	}
	grown := s.peak.Load() - int64(before.HeapAlloc)
	t.Logf("the heap grew by %d kB", grown>>10)
	if grown > 8<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

func TestALargeFileIsImportedInLittleMemory(t *testing.T) {
	s := newStorage(t)
	c := s.client(t)
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	const size = 100 << 20
	if _, err := c.ImportDocument(t.Context(), outline.ImportDocumentParams{Name: "zeros.txt", Size: size, CollectionID: "00000002-0000-4000-8000-000000000000"}, io.LimitReader(zeros{}, size)); err != nil {
		t.Fatal(err)
	}
	if s.received.Load() != size || s.announced.Load() <= size || s.keys.Load() != 1 {
		t.Errorf("%d bytes arrived of %d, %d requests with the key", s.received.Load(), s.announced.Load(), s.keys.Load())
	}
	if grown := s.peak.Load() - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

func TestAFileOfAnotherSizeThanAnnouncedIsDeletedAgain(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		says    string
	}{
		"it grows":   {strings.Repeat("x", 101), "the file grew while it was read"},
		"it shrinks": {strings.Repeat("x", 99), "the file shrank while it was read"},
	} {
		s := newStorage(t)
		_, err := s.client(t).UploadAttachment(t.Context(), outline.UploadParams{Name: "a.log", Size: 100}, strings.NewReader(test.content))
		var failed *outline.UploadError
		if !errors.As(err, &failed) || failed.Left || !strings.Contains(err.Error(), test.says) || s.deleted.Load() != 1 {
			t.Errorf("%s: %v, %d deleted", name, err, s.deleted.Load())
		}
	}
}

func TestTheFileIsTheLastFieldOfTheFormAndItsNameCannotLeaveIt(t *testing.T) {
	var got string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "files.create") {
			got = string(body)
			if int64(len(body)) != r.ContentLength {
				t.Errorf("%d bytes, announced %d", len(body), r.ContentLength)
			}
			_, _ = io.WriteString(w, `{"success":true,"ok":true}`)
			return
		}
		_, _ = io.WriteString(w, `{"ok":true,"data":{"uploadUrl":"/api/files.create","form":{"sig":"s","key":"k"},"attachment":{"id":"1"}}}`)
	}))
	defer s.Close()
	c, err := outline.New(outline.Options{BaseURL: s.URL, Credentials: outline.StaticKey("k")})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdleConnections()
	if _, err := c.UploadAttachment(t.Context(), outline.UploadParams{Name: "a\"\r\nX: y.txt", Size: 2}, strings.NewReader("hi")); err != nil {
		t.Fatal(err)
	}
	if at := strings.Index(got, `name="file"; filename="a%22%0D%0AX: y.txt"`); at < strings.Index(got, `name="sig"`) || at < strings.Index(got, `name="key"`) {
		t.Errorf("sent %q", got)
	}
}

// signature is one of Outline's for the file of an attachment.
func signature(id string) string {
	claims := `{"key":"uploads/e6877342-713b-403c-a95c-6ccbb0c4af90/` + id + `/pic one.png","type":"attachment","iat":1764100000,"exp":1764100300}`
	return "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2lnbmF0dXJl"
}

func TestAttachmentsAreKnownByTheirAddresses(t *testing.T) {
	c, err := outline.New(outline.Options{BaseURL: "https://wiki.example.com", URLAliases: []string{"docs.example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	const id = "9b03a929-cdd4-437f-a21d-e67d2001c651"
	for _, given := range []string{
		id, strings.ToUpper(id), " \"" + id + "\" ", "/api/attachments.redirect?id=" + id, "https://wiki.example.com/api/attachments.redirect?id=" + id,
		"<https://docs.example.com/api/attachments.redirect?x=1&id=" + id + ">",
		"/api/files.get?key=uploads%2Fe6877342-713b-403c-a95c-6ccbb0c4af90%2F" + id + "%2Fnotes.txt",
		"https://wiki.example.com/api/files.get?key=public/e6877342-713b-403c-a95c-6ccbb0c4af90/" + id + "/a.png",
		"![A lamp](/api/attachments.redirect?id=" + id + ")", "![](/api/attachments.redirect?id=" + id + " \" =640x480\")",
		"![A lamp](/api/attachments.redirect?id=" + id + " \"The lamp (left) =640x480\")", "![A](/api/attachments.redirect?id=" + id + " =640x480)",
		"[notes.txt 1234](/api/attachments.redirect?id=" + id + ")", "[notes.txt 1234](https://wiki.example.com/api/attachments.redirect?id=" + id + " 'title')",
		"[a [b] c](</api/attachments.redirect?id=" + id + ">)", "[![A](/api/attachments.redirect?id=" + id + ")](https://example.com/)",
		"![A](/api/files.get?key=uploads%2Fe6877342-713b-403c-a95c-6ccbb0c4af90%2F" + id + "%2Fa.png \"t\")",
		`<img src="/api/attachments.redirect?id=` + id + `" width="640">`, `<a href="/api/attachments.redirect?id=` + id + `">notes</a>`, "[notes]: /api/attachments.redirect?id=" + id,
		"* [notes.txt 12](/api/attachments.redirect?id=" + id + ")\n",
		"/api/files.get?sig=" + signature(id), "https://wiki.example.com/api/files.get?sig=" + signature(id) + "&download=1",
		"<http://docs.example.com/api/files.get?sig=" + signature(strings.ToUpper(id)) + ">",
	} {
		if got, err := c.ParseAttachmentID(given); err != nil || got != id {
			t.Errorf("%s: %q, %v", given, got, err)
		}
	}
	for given, says := range map[string]string{
		"":          "does not identify an attachment",
		"notes.txt": "does not identify an attachment",
		"https://evil.example.com/api/attachments.redirect?id=" + id:              "it is an address of evil.example.com",
		"//evil.example.com/api/attachments.redirect?id=" + id:                    "it is an address of evil.example.com",
		"https://wiki.example.com@evil.example.com/attachments.redirect?id=" + id: "evil.example.com",
		"![A](https://evil.example.com/api/attachments.redirect?id=" + id + ")":   "it is an address of evil.example.com",
		"/api/files.get?sig=abc":                                      "does not tell which attachment",
		"/api/attachments.redirect?id=x":                              "does not identify an attachment",
		"/api/attachments.delete?id=" + id:                            "does not identify an attachment",
		"/api/files.get?sig=a.b.c":                                    "does not tell which attachment",
		"/api/files.get?sig=" + signature("../x"):                     "does not tell which attachment",
		"https://evil.example.com/api/files.get?sig=" + signature(id): "it is an address of evil.example.com",
	} {
		if got, err := c.ParseAttachmentID(given); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %q, %v", given, got, err)
		}
	}
}

// TestRecordedFilesAreRead feeds the client answers of a real Outline.
func TestRecordedFilesAreRead(t *testing.T) {
	read := func(name string) (status int, header http.Header, body []byte) {
		number, _, _ := strings.Cut(name, "-")
		r := recordedIn(t, "attachments", number)
		header = http.Header{}
		for name, value := range r.Response.Headers {
			header.Set(name, value)
		}
		var text string
		var binary struct{ Base64 []byte }
		body = r.Response.Body
		if json.Unmarshal(body, &text) == nil {
			body = []byte(text)
		} else if json.Unmarshal(body, &binary) == nil && binary.Base64 != nil {
			body = binary.Base64
		}
		return r.Response.Status, header, body
	}
	for name, test := range map[string]struct {
		redirect, file    string
		want, contentType string
		fails             error
	}{
		"an image":              {"760-attachments.redirect-GET-png", "761-files.get-png", "pic one.png", "image/png", nil},
		"a text":                {"764-attachments.redirect-GET-txt", "765-files.get-txt", "notes.txt", "text/plain", nil},
		"a PDF":                 {"768-attachments.redirect-GET-pdf", "769-files.get-pdf", "report.pdf", "application/pdf", nil},
		"a name beyond ASCII":   {"764-attachments.redirect-GET-txt", "781-files.get-unicode", "Übersicht & plan.txt", "text/plain", nil},
		"nothing was uploaded":  {"807-attachments.redirect-not-uploaded", "808-files.get-not-uploaded", "", "", outline.ErrNotFound},
		"a broken signature":    {"764-attachments.redirect-GET-txt", "835-files.get-bad-sig", "", "", outline.ErrUnauthorized},
		"an unknown attachment": {"831-attachments.redirect-unknown", "", "", "", outline.ErrNotFound},
		"a key without scope":   {"824-attachments.redirect-scoped", "", "", "", outline.ErrForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				recording := test.redirect
				if strings.HasSuffix(r.URL.Path, "files.get") {
					recording = test.file
					if r.Header.Get("Authorization") != "" {
						t.Error("the request for the file carries the key")
					}
				}
				status, header, body := read(recording)
				header.Del("Content-Length")
				for name := range header {
					w.Header().Set(name, header.Get(name))
				}
				w.Header().Set("Content-Length", fmt.Sprint(len(body)))
				w.WriteHeader(status)
				_, _ = w.Write(body)
			}))
			defer s.Close()
			c, err := outline.New(outline.Options{BaseURL: s.URL, Credentials: outline.StaticKey("ol_api_secret")})
			if err != nil {
				t.Fatal(err)
			}
			defer c.CloseIdleConnections()
			link, err := c.AttachmentLink(t.Context(), "9b03a929-cdd4-437f-a21d-e67d2001c651", "")
			var file *outline.File
			if err == nil {
				file, err = c.OpenFile(t.Context(), link)
			}
			if test.fails != nil {
				if !errors.Is(err, test.fails) {
					t.Errorf("error %v, want %v", err, test.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			content, err := io.ReadAll(file)
			_, _, want := read(test.file)
			if err != nil || !bytes.Equal(content, want) || file.Name != test.want || file.ContentType != test.contentType || file.Size != int64(len(want)) {
				t.Errorf("%d bytes of %q, %s, %d: %v", len(content), file.Name, file.ContentType, file.Size, err)
			}
		})
	}
}

func TestNoFileIsReadFromAPrivateAddressThatAPublicOutlineNames(t *testing.T) {
	for _, host := range []string{
		"localhost", "LOCALHOST", "localhost.", "x.Localhost", "127.0.0.1", "127.0.0.1.", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]",
		"10.0.0.1", "172.16.0.1", "192.168.1.1", "[fd00::1]", "[fe80::1]", "169.254.169.254", "100.100.100.200", "[::ffff:a00:1]",
	} {
		c := newClient(t, "https://wiki.example.com", func(o *outline.Options) {
			o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				t.Errorf("%s: a request to %s", host, r.URL)
				return nil, http.ErrServerClosed
			})
		})
		for _, link := range []string{"http://" + host + "/file", "https://" + host + ":8443/latest/meta-data"} {
			if _, err := c.OpenFile(t.Context(), outline.FileLink(link)); !errors.Is(err, outline.ErrBadAnswer) {
				t.Errorf("%s: error %v", link, err)
			}
		}
	}
}

// unlikeImports are the recordings of documents.import that the client does not make,
// with the reason.
var unlikeImports = map[string]string{
	"1543": "an import has a file",
	"1553": "the answer has a tree, which the client does not ask for",
	"1554": "an import is a form",
}

func TestImportsAreRequestedAndReadAsRecorded(t *testing.T) {
	for _, rec := range fixtures.Recorded[recording](t, "imports") {
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
				sameAnswer(t, document, answer)
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
