package fakeoutline

import (
	"io"
	"net/http"
	"outline-mcp/internal/fakeoutline/api"
	"strings"
	"testing"
)

// bench makes one call again and again through the transport.
func bench(b *testing.B, endpoint, body string) {
	w := newSample(b)
	transport := w.Transport()
	reader := strings.NewReader(body)
	req := newCall(b, AdminKey, endpoint, "")
	send := func() {
		reader.Reset(body)
		req.Body, req.ContentLength = io.NopCloser(reader), int64(len(body))
		res, err := transport.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		if res.StatusCode != http.StatusOK {
			b.Fatalf("status %d", res.StatusCode)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			b.Fatal(err)
		}
	}
	send() // prepares the texts
	b.ReportAllocs()
	for b.Loop() {
		send()
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newSample(b)
	}
}

// BenchmarkFirstSearch is a search that has to prepare every text.
func BenchmarkFirstSearch(b *testing.B) {
	for b.Loop() {
		call(b, newSample(b), AdminKey, "documents.search", `{"query":"buoy","limit":1}`)
	}
}

// longest is the urlId of the longest document.
func longest(b *testing.B) string {
	id, size := "", 0
	for _, d := range newSample(b).store.documents {
		if text := d.body.markdown().Text; len(text) > size && d.isActive() {
			id, size = d.URLID, len(text)
		}
	}
	return id
}

func BenchmarkDocumentsInfo(b *testing.B) {
	b.Run("small", func(b *testing.B) {
		bench(b, "documents.info", `{"id":"`+data[[]titled](b, call(b, newSample(b), AdminKey, "documents.list", `{"limit":1}`))[0].ID+`"}`)
	})
	b.Run("long", func(b *testing.B) { bench(b, "documents.info", `{"id":"`+longest(b)+`"}`) })
}

func BenchmarkSearch(b *testing.B) {
	for name, body := range map[string]string{
		"rare word":     `{"query":"voyage","statusFilter":["published"]}`,
		"frequent word": `{"query":"buoy","statusFilter":["published"]}`,
		"three words":   `{"query":"buoy alarm battery","statusFilter":["published"]}`,
		"phrase":        `{"query":"\"on call\" buoy","statusFilter":["published"]}`,
		"no hit":        `{"query":"zeppelin","statusFilter":["published"]}`,
	} {
		b.Run(name, func(b *testing.B) { bench(b, "documents.search", body) })
	}
}

func BenchmarkCollectionsDocuments(b *testing.B) {
	id := data[[]titled](b, call(b, newSample(b), AdminKey, "collections.list", `{}`))[0].ID
	bench(b, "collections.documents", `{"id":"`+id+`"}`)
}

// BenchmarkWrites are writes of a text with what everyday documents have.
func BenchmarkWrites(b *testing.B) {
	const section = "## Deploying\n\nRead [the runbook](https://wiki.example.com/doc/runbook) first, then **check** the dashboards.\n\n" +
		"* announce it\n  * with the ticket\n\n| Region | Owner |\n|--------|-------|\n| eu-1   | Ann   |\n\n```sh\nkubectl get pods\n```\n\n"
	for name, size := range map[string]int{"10 KB": 10 << 10, "1 MB": 1 << 20} {
		text := strings.Repeat(section, size/len(section)) + "The last word is alpha."
		encoded := string(api.Encode(text)[0])
		b.Run(name+"/create", func(b *testing.B) {
			write(b, newTestWorkspace(b), "documents.create", `{"title":"Page","text":`+encoded+`}`)
		})
		update := func(fields ...string) func(b *testing.B) {
			return func(b *testing.B) {
				for i, field := range fields {
					fields[i] = `{"id":"document00",` + strings.TrimPrefix(field, "{")
				}
				write(b, newTestWorkspace(b, Document{Title: "Page", Text: text}), "documents.update", fields...)
			}
		}
		b.Run(name+"/patch", update(`{"editMode":"patch","findText":"word is alpha","text":"word is omega"}`, `{"editMode":"patch","findText":"word is omega","text":"word is alpha"}`))
		b.Run(name+"/replace", update(`{"text":`+encoded+`}`, `{"text":"one"}`))
	}
}

// write sends requests in turn.
func write(b *testing.B, w *Workspace, endpoint string, bodies ...string) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if e := call(b, w, keyOf("member"), endpoint, bodies[i%len(bodies)]); !e.OK {
			b.Fatal(e.Message)
		}
	}
}
