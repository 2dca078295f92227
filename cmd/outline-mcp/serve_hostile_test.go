//go:build linux && !race

package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
)

// TestNoRequestsTakeMoreMemoryThanTheContainerHas sends the program everything at
// once that takes more memory than it seems to: with made-up keys and with one that
// Outline accepts, as long as MCP_MAX_BODY allows and just short enough to count as
// small, beside connections whose headers do not end. With the race detector memory means nothing.
func TestNoRequestsTakeMoreMemoryThanTheContainerHas(t *testing.T) {
	s := startHostile(t, false)
	var bodies [][]byte
	for _, shape := range fixtures.HostileShapes() {
		bodies = append(bodies, shape.Body(8<<20-1024), shape.Body(250<<10), shape.Body(250<<10), shape.Body(190<<10))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	closeAll := fixtures.ConnectMany(ctx, s.address, fixtures.Count(300, 3000), 15_000)
	sent := fixtures.Flood(ctx, s.url(), bodies, fixtures.Count(len(bodies)/4, 4*len(bodies)), 64, func(n int) string {
		if n%3 == 0 {
			return fakeoutline.MemberKey
		}
		return fixtures.MadeUpKey(n)
	})
	s.check(t, sent.String(), closeAll)
	if strings.Contains(sent.String(), "× 500") {
		t.Errorf("answers %s", sent)
	}
}

// TestNoUseOfHTTP2TakesMoreMemoryThanTheContainerHas makes each attack on a program of
// its own that serves TLS.
func TestNoUseOfHTTP2TakesMoreMemoryThanTheContainerHas(t *testing.T) {
	certificate, key := certify(t)
	for _, attack := range fixtures.Some(fixtures.HTTP2Attacks(), 1) {
		t.Run(attack.Name, func(t *testing.T) {
			t.Parallel()
			s := startHostile(t, true, "MCP_TLS_CERT="+certificate, "MCP_TLS_KEY="+key)
			closeAll, err := attack.Run(t.Context(), s.address)
			if err != nil {
				t.Fatal(err)
			}
			s.check(t, "", closeAll)
		})
	}
}

// An attacked program serves over HTTP, with an Outline that has accepted the key of
// the member.
type attacked struct {
	address string
	scheme  string
	pid     int
	outline *httptest.Server
	idle    int64 // bytes of memory
}

func startHostile(t *testing.T, overTLS bool, settings ...string) attacked {
	t.Helper()
	sample, err := fakeoutline.New(fakeoutline.Options{Latency: 100 * time.Millisecond}) // so that calls overlap
	if err != nil {
		t.Fatal(err)
	}
	outline := httptest.NewUnstartedServer(withFiles(sample))
	outline.EnableHTTP2 = true // as Outlines are reached
	outline.StartTLS()
	t.Cleanup(outline.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := attacked{address: listener.Addr().String(), scheme: "http"}
	_ = listener.Close()
	if overTLS {
		s.scheme = "https"
	}
	_, port, _ := net.SplitHostPort(s.address)
	cmd := program(t.Context(), append(settings, "OUTLINE_TOOLS=all", "MCP_TRANSPORT=http", "MCP_PORT="+port, "OUTLINE_API_URL="+outline.URL, "OUTLINE_VERIFY_SSL=false"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	s.pid, s.outline = cmd.Process.Pid, outline
	s.awaitService(t)
	if s.idle, _, err = fixtures.MemoryOf(s.pid); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s attacked) url() string { return s.scheme + "://" + s.address + "/mcp" }

// awaitService returns when a call is answered.
func (s attacked) awaitService(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	read := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_collections","arguments":{}}}`)
	for fixtures.Flood(ctx, s.url(), [][]byte{read}, 1, 1, func(int) string { return fakeoutline.MemberKey })[http.StatusOK] == 0 {
		if ctx.Err() != nil {
			t.Fatal("the program does not serve")
		}
	}
}

// check reports too much memory, and a program that serves no more when the attack
// has ended.
func (s attacked) check(t *testing.T, answers string, end func()) {
	t.Helper()
	now, most, err := fixtures.MemoryOf(s.pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("at most %d MiB above %d MiB, %d now %s", (most-s.idle)>>20, s.idle>>20, now>>20, answers)
	if fixtures.Thorough() && (most-s.idle > 150<<20 || most > 200<<20) { // a container has 256 MiB, of which reading a PDF takes some
		t.Errorf("it takes %d MiB, %d more than when it is idle", most>>20, (most-s.idle)>>20)
	}
	end()
	s.awaitService(t)
}

// api calls Outline as the member and returns the ID in the answer.
func (s attacked) api(t *testing.T, endpoint, body string) (id string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.outline.URL+"/api/"+endpoint, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+fakeoutline.MemberKey)
	answer, err := s.outline.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var got struct{ Data struct{ ID string } }
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", endpoint, answer.Status, err)
	}
	return got.Data.ID
}

// TestNoAnswersOfOutlineTakeMoreMemoryThanTheContainerHas has one member use documents
// that take much memory, in 8 calls at once.
func TestNoAnswersOfOutlineTakeMoreMemoryThanTheContainerHas(t *testing.T) {
	const plain, marked = "some words of a text. ", "*a* b "
	attacks := map[string]struct {
		documents int
		published bool   // the others below the first; else they are in the trash
		text      string // of each, repeated up to the length
		length    int
		call      func(id string) string
	}{
		"a search of the texts of long documents": {15, true, plain, 1 << 20, func(string) string {
			return toolsCall(1, "find_in_documents", `{"query":"(s?o?m?e? ?)*x(w|o|r|d|s)+$","regex":true}`)
		}},
		"long documents side by side": {15, true, plain, 1 << 20, func(id string) string {
			return toolsCall(1, "batch_read_documents", `{"below":"`+id+`"}`)
		}},
		"a large image": {1, false, plain, 1, func(string) string {
			return toolsCall(1, "read_attachment", `{"attachment_id":"`+imageID+`","max_bytes":5000000}`)
		}},
		"a large PDF": {1, false, plain, 1, func(string) string {
			return toolsCall(1, "read_attachment", `{"attachment_id":"`+pdfID+`","max_bytes":5000000}`)
		}},
		"a workbook of many cells": {1, false, plain, 1, func(string) string {
			return toolsCall(1, "read_attachment", `{"attachment_id":"`+workbookID+`"}`)
		}},
		"a large text":             {1, false, plain, 1, func(string) string { return toolsCall(1, "read_attachment", `{"attachment_id":"`+textID+`"}`) }},
		"a list of long documents": {15, false, plain, 1 << 20, func(string) string { return toolsCall(1, "list_trash", `{"limit":30}`) }},
		"edits of a long document": {1, false, plain, 1 << 20, func(id string) string {
			return toolsCall(1, "edit_document", `{"document_id":"`+id+`","edits":[{"old_text":"absent","new_text":"b"}]}`)
		}},
		"edits of a document of many marks": {1, false, marked, 180_000, func(id string) string {
			return toolsCall(1, "edit_document", `{"document_id":"`+id+`","edits":[{"old_text":"first","new_text":"b"}]}`)
		}},
		"additions to a document of many marks": {1, false, marked, 180_000, func(id string) string {
			return toolsCall(1, "update_document", `{"document_id":"`+id+`","text":"x","append":true}`)
		}},
	}
	for _, name := range fixtures.Some(slices.Sorted(maps.Keys(attacks)), 2) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			attack := attacks[name]
			s := startHostile(t, false)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			var root string
			collection := s.api(t, "collections.create", `{"name":"x","permission":"read_write"}`)
			for n := range attack.documents {
				where := `"publish":false`
				switch {
				case attack.published && n == 0:
					where = `"publish":true,"collectionId":"` + collection + `"`
				case attack.published:
					where = `"publish":true,"parentDocumentId":"` + root + `"`
				}
				id := s.api(t, "documents.create", fmt.Sprintf(`{"title":"x",%s,"text":"first %s"}`, where, strings.Repeat(attack.text, attack.length/len(attack.text))))
				if n == 0 {
					root = id
				}
				if n > 0 && !attack.published {
					s.api(t, "documents.delete", `{"id":"`+id+`"}`)
				}
			}
			sent := fixtures.Flood(ctx, s.url(), [][]byte{[]byte(attack.call(root))}, 8, 8, func(int) string { return fakeoutline.MemberKey })
			s.check(t, sent.String(), func() {})
		})
	}
}

const (
	imageID = "11111111-1111-4111-8111-111111111111"
	pdfID   = "22222222-2222-4222-8222-222222222222"
	textID  = "33333333-3333-4333-8333-333333333333"

	workbookID = "44444444-4444-4444-8444-444444444444"
)

// workbook returns a workbook with as many strings and cells as are read.
func workbook() []byte {
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for name, content := range map[string]string{
		"_rels/.rels":                `<r><Relationship Type="officeDocument" Target="xl/workbook.xml"/></r>`,
		"xl/workbook.xml":            `<workbook><sheet name="a" r:id="s"/></workbook>`,
		"xl/_rels/workbook.xml.rels": `<r><Relationship Id="s" Type="worksheet" Target="sheet.xml"/><Relationship Id="t" Type="sharedStrings" Target="strings.xml"/></r>`,
		"xl/strings.xml":             "<sst>" + strings.Repeat("<si><t>some words of a text, which are repeated</t></si>", 50_000) + "</sst>",
		"xl/sheet.xml":               "<s>" + strings.Repeat(`<row>`+strings.Repeat(`<c t="s"><v>1</v></c>`, 20)+"</row>", 3_000) + "</s>",
	} {
		w, _ := z.Create(name)
		_, _ = w.Write([]byte(content))
	}
	_ = z.Close()
	return file.Bytes()
}

// photo is an image of noise, which hardly compresses.
var photo = sync.OnceValue(func() []byte {
	var encoded bytes.Buffer
	noise := image.NewGray(image.Rect(0, 0, 3000, 3000))
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(noise.Pix)
	_ = jpeg.Encode(&encoded, noise, &jpeg.Options{Quality: 80})
	return encoded.Bytes()
})

// withFiles adds large files to an Outline.
func withFiles(sample http.Handler) http.Handler {
	files := map[string][]byte{
		imageID:    photo(),
		pdfID:      append([]byte("%PDF-1.4\n"), make([]byte, 4_900_000)...),
		workbookID: workbook(),
		textID:     bytes.Repeat([]byte("some words of a text.\n"), 450_000),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/attachments.redirect":
			body, _ := io.ReadAll(r.Body)
			for id := range files {
				if strings.Contains(string(body), id) {
					w.Header().Set("Location", "/api/files.get?key="+id)
				}
			}
			w.WriteHeader(http.StatusFound)
		case "/api/files.get":
			_, _ = w.Write(files[r.URL.Query().Get("key")])
		default:
			sample.ServeHTTP(w, r)
		}
	})
}

// TestNoSlowReadersTakeMoreMemoryThanTheContainerHas lets clients read large answers at
// 400 bytes a second, while another caller continues at no less than half of its rate.
func TestNoSlowReadersTakeMoreMemoryThanTheContainerHas(t *testing.T) {
	file := toolsCall(1, "read_attachment", `{"attachment_id":"`+pdfID+`","max_bytes":5000000}`)
	document := func(id string) string { return toolsCall(1, "read_document", `{"document_id":"`+id+`"}`) }
	one := func(int) string { return fakeoutline.MemberKey }
	certificate, key := certify(t)
	secure := []string{"MCP_TLS_CERT=" + certificate, "MCP_TLS_KEY=" + key}
	attacks := map[string]struct {
		clients   int
		http2     int // connections; 0: each client has one of HTTP/1
		documents int // all but the last in the trash
		key       func(int) string
		call      func(id string) string
	}{
		"30 connections":                  {30, 0, 0, one, func(string) string { return file }},
		"64 connections":                  {64, 0, 0, one, func(string) string { return file }},
		"300 connections of several keys": {300, 0, 0, several, func(string) string { return file }},
		"64 streams":                      {64, 1, 0, one, func(string) string { return file }},
		"300 streams on 30 connections":   {300, 30, 0, several, func(string) string { return file }},
		"64 streams of events": {64, 1, 0, one, func(string) string {
			return strings.Replace(file, `"params":{`, `"params":{"_meta":{"progressToken":1},`, 1)
		}},
		"300 connections, documents":      {300, 0, 1, several, document},
		"64 streams, documents":           {64, 1, 1, one, document},
		"300 connections, lists of trash": {300, 0, 13, several, func(string) string { return toolsCall(1, "list_trash", `{"limit":30}`) }},
	}
	for _, name := range fixtures.Some(slices.Sorted(maps.Keys(attacks)), 2) {
		t.Run(name, func(t *testing.T) {
			attack := attacks[name]
			settings := secure
			if attack.http2 == 0 {
				settings = nil
			}
			s := startHostile(t, attack.http2 > 0, settings...)
			var id string
			for n := range attack.documents {
				if n > 0 {
					s.api(t, "documents.delete", `{"id":"`+id+`"}`)
				}
				id = s.api(t, "documents.create", fmt.Sprintf(`{"title":"x","publish":false,"text":"first %s"}`, strings.Repeat("some words of a text.\\n\\n", 40_000)))
			}
			var alone, meanwhile float64
			var begun int64
			for try := 0; try == 0 || fixtures.Thorough() && meanwhile < alone/2 && try < 3; try++ { // other programs may slow down either
				alone = s.rate(t, time.Duration(fixtures.Count(100, 1500))*time.Millisecond)
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(fixtures.Count(1, 5))*time.Second)
				wait := fixtures.ReadSlowly(ctx, s.url(), [][]byte{[]byte(attack.call(id))}, attack.clients, attack.http2, attack.key)
				meanwhile = s.rate(t, time.Duration(fixtures.Count(400, 4000))*time.Millisecond)
				begun = wait()
				cancel()
				t.Logf("%.0f calls a second, %.0f alone", meanwhile, alone)
			}
			if fixtures.Thorough() && meanwhile < alone/2 {
				t.Errorf("another caller makes %.1f calls a second, %.1f alone", meanwhile, alone)
			}
			s.check(t, fmt.Sprintf("%d answers begun", begun), func() {})
		})
	}
}

func several(n int) string {
	return []string{fakeoutline.MemberKey, fakeoutline.ViewerKey}[n%2]
}

// rate returns how many calls a second an honest caller makes.
func (s attacked) rate(t *testing.T, during time.Duration) float64 {
	ctx, cancel := context.WithTimeout(t.Context(), during)
	defer cancel()
	read := [][]byte{[]byte(toolsCall(1, "list_collections", `{}`))}
	made := 0
	for ctx.Err() == nil {
		made += fixtures.Flood(ctx, s.url(), read, 4, 4, func(int) string { return fakeoutline.AdminKey })[http.StatusOK]
	}
	return float64(made) / during.Seconds()
}
