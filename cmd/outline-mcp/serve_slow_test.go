//go:build linux && !race

package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
)

// TestNoSlowReadersTakeMoreMemoryThanTheContainerHas lets clients read large answers at
// 400 bytes a second, while another caller goes on at no less than half of its rate.
func TestNoSlowReadersTakeMoreMemoryThanTheContainerHas(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which -short is for, takes memory and time of its own")
	}
	file := toolsCall(1, "read_attachment", `{"attachment_id":"`+pdfID+`","max_bytes":5000000}`)
	document := func(id string) string { return toolsCall(1, "read_document", `{"document_id":"`+id+`"}`) }
	one := func(int) string { return fakeoutline.MemberKey }
	for name, attack := range map[string]struct {
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
	} {
		t.Run(name, func(t *testing.T) {
			certificate, key := certify(t)
			settings := []string{"MCP_TLS_CERT=" + certificate, "MCP_TLS_KEY=" + key}
			if attack.http2 == 0 {
				settings = nil
			}
			s := startHostile(t, settings...)
			var id string
			for n := range attack.documents {
				if n > 0 {
					s.api(t, "documents.delete", `{"id":"`+id+`"}`)
				}
				id = s.api(t, "documents.create", fmt.Sprintf(`{"title":"x","publish":false,"text":"first %s"}`, strings.Repeat("some words of a text.\\n\\n", 40_000)))
			}
			alone := s.rate(t, 1500*time.Millisecond)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			wait := fixtures.ReadSlowly(ctx, s.url(), [][]byte{[]byte(attack.call(id))}, attack.clients, attack.http2, attack.key)
			meanwhile := s.rate(t, 4*time.Second)
			t.Logf("%.0f calls a second, %.0f alone", meanwhile, alone)
			if meanwhile < alone/2 {
				t.Errorf("another caller makes %.1f calls a second, %.1f alone", meanwhile, alone)
			}
			s.check(t, fmt.Sprintf("%d answers begun", wait()), func() {})
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
