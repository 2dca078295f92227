package resources_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/fakeoutline"
)

const (
	onCall     = "ab3962f8-ab8f-4926-b13f-c4430705ce1c" // lesdaiqkpT
	battery    = "62261294-2b31-4a55-913e-2a357aeb783a"
	operations = "8441e5d2-7545-4078-bd93-c21942e16c7f"
	budget     = "d2827159-4396-419b-a2cd-f96df91a847c" // only the admin sees it
	chart      = "3d0c4be5-6d0f-4a5a-8c3e-0f6a8e1b7c21"
	sheet      = "b1f7a9d2-58c4-4e0b-9a6d-2c9e4f7d1a35"
	csv        = "7e2d5c90-1b3f-4d86-a4f1-93c0b8e6d247"
)

func TestResourcesShowWhatToolsShow(t *testing.T) {
	overEverything(t, newWiki(t), func(t *testing.T, c client) {
		for _, test := range []struct{ uri, mimeType, begin, contains string }{
			{"outline://documents/" + onCall, "text/markdown", "# On-call\ndocument_id lesdaiqkpT", "Acknowledge an alert within **15 minutes**"},
			{"outline://documents/lesdaiqkpT", "text/markdown", "# On-call\n", "## Pay and rest"},
			{"outline://documents/on-call-lesdaiqkpT?start_line=5", "text/markdown", "# On-call\n", "Lines 5–"},
			{"outline://documents/" + url.PathEscape("https://example.com/doc/on-call-lesdaiqkpT"), "", "", ""}, // another host
			{"outline://documents/" + url.PathEscape("/doc/on-call-lesdaiqkpT"), "text/markdown", "# On-call\n", "Pay and rest"},
			{"outline://documents/" + onCall + "/outline", "text/markdown", "# On-call\n", "## Pay and rest"},
			{"outline://documents/" + onCall + "/comments", "text/markdown", "# ", "on \"On-call\" lesdaiqkpT"},
			{"outline://documents/" + onCall + "/backlinks", "text/markdown", "# 7 documents link to", "- \"Runbooks\" PThsbb1PvU"},
			{"outline://collections/" + operations, "text/markdown", "# Operations\n", "    - \"Runbooks\" PThsbb1PvU"},
			{"outline://collections/bcMQ4TVPCO?start_line=4", "text/markdown", "Lines 4–13 of 13.\n\n- \"Operations overview\"", "On-call"},
			{"outline://attachments/" + csv, "text/csv", "Month,Income,Cost,Result\n", "2026-12,337,311,26\n"},
			{"outline://attachments/" + csv + "?start_line=13", "text/csv", "Line", "2026-12,337,311,26"},
			{"outline://icons", "text/plain", "academicCap\n", "\nrocket\n"},
		} {
			a := c.read(t, test.uri)
			if test.begin == "" {
				if a.Error == nil || a.Error.Code != -32602 {
					t.Errorf("%s: %.300s", test.uri, a.body)
				}
				continue
			}
			if a.Error != nil {
				t.Errorf("%s: %s", test.uri, a.body)
				continue
			}
			content := a.Result.Contents[0]
			if content.URI != test.uri || content.MIMEType != test.mimeType || !strings.HasPrefix(content.Text, test.begin) || !strings.Contains(content.Text, test.contains) {
				t.Errorf("%s: %s %s %.400s", test.uri, content.URI, content.MIMEType, content.Text)
			}
		}
	})
}

func TestFilesAreGivenAsTheyAre(t *testing.T) {
	overEverything(t, newWiki(t), func(t *testing.T, c client) {
		for id, file := range map[string][2]string{chart: {"cell-voltage.png", "image/png"}, sheet: {"fire-brigade-sheet.pdf", "application/pdf"}} {
			want, err := os.ReadFile("../internal/fakeoutline/content/files/" + file[0])
			if err != nil {
				t.Fatal(err)
			}
			for _, uri := range []string{"outline://attachments/" + id, "outline://attachments/" + url.PathEscape("/api/attachments.redirect?id="+id)} {
				a := c.read(t, uri)
				if len(a.Result.Contents) != 1 || a.Result.Contents[0].MIMEType != file[1] || a.Result.Contents[0].Blob != base64.StdEncoding.EncodeToString(want) {
					t.Errorf("%s: %.300s", uri, a.body)
				}
			}
		}
	})
}

func TestARevisionIsReadByItsID(t *testing.T) {
	w := newWiki(t)
	c := overStdio(t, w, handshake)
	listed := c.ask(t, "tools/call", map[string]any{"name": "list_revisions", "arguments": map[string]any{"document_id": onCall}})
	id := regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).FindString(listed.body)
	if a := c.read(t, "outline://revisions/"+id); a.Error != nil || !strings.Contains(a.text(t), "revision_id "+id) || !strings.Contains(a.text(t), "on call") {
		t.Errorf("%s: %.500s\n%.500s", id, a.body, listed.body)
	}
}

func between(s, begin, end string) string {
	_, s, _ = strings.Cut(s, begin)
	s, _, _ = strings.Cut(s, end)
	return s
}

func TestALongResourceIsReadInParts(t *testing.T) {
	w := newWiki(t, "OUTLINE_MAX_RESPONSE_CHARS=10000")
	var b strings.Builder
	for n := range 2000 {
		fmt.Fprintf(&b, "Line %d of a long document.\n\n", n+1)
	}
	text := strings.TrimSpace(b.String())
	c := overStdio(t, w, handshake)
	long := strings.Repeat("endless ", 4000)
	for name, document := range map[string]string{"of many lines": text, "of one line": strings.TrimSpace(long)} {
		made := c.ask(t, "tools/call", map[string]any{"name": "create_document", "arguments": map[string]any{"title": "Long " + name, "text": document, "collection_id": operations}})
		id := between(made.body, `Long `+name+`\" `, ",")
		id, _, _ = strings.Cut(id, " ")
		t.Run(name, func(t *testing.T) {
			uri, whole, parts := "outline://documents/"+id, "", 0
			for uri != "" {
				shown := c.read(t, uri).text(t)
				if n := len([]rune(shown)); n > 10000 {
					t.Fatalf("%s has %d characters", uri, n)
				}
				_, part, _ := strings.Cut(shown, "\n\n")
				part, next, more := strings.Cut(part, "\n\nMore: ")
				if whole != "" && !strings.Contains(next, "start_char") && !strings.Contains(uri, "start_char") {
					whole += "\n"
				}
				whole += part
				if parts++; parts > 50 {
					t.Fatal("the parts do not end")
				}
				uri = ""
				if more {
					uri = next
				}
			}
			if strings.ReplaceAll(whole, "\n", "") != strings.ReplaceAll(document, "\n", "") {
				t.Errorf("the %d parts are not the document: %d characters, not %d", parts, len(whole), len(document))
			}
			if parts < 4 {
				t.Errorf("only %d parts", parts)
			}
		})
	}
}

func TestWhatCannotBeReadHasTheCodeOfTheEra(t *testing.T) {
	absent := map[string]int{handshake: -32002, modern: -32602}
	invalid := map[string]int{handshake: -32602, modern: -32602}
	long := "outline://documents/" + strings.Repeat("a", 2000)
	overEverything(t, newWiki(t), func(t *testing.T, c client) {
		c.key = fakeoutline.MemberKey
		for _, test := range []struct {
			uri   string
			codes map[string]int
			code  string // of our own
			says  string
		}{
			{"outline://documents/11111111-1111-4111-8111-111111111111", absent, "not_found", "document: "},
			{"outline://documents/" + budget, absent, "forbidden", "document: "},
			{"outline://collections/426dbcc2-474d-43cf-898f-2502dd113a32", absent, "forbidden", "collection: "},
			{"outline://revisions/11111111-1111-4111-8111-111111111111", absent, "not_found", "revision: "},
			{"outline://attachments/11111111-1111-4111-8111-111111111111", absent, "not_found", "attachment: "},
			{"outline://documents/deploy", absent, "not_found", "is called"},
			{"outline://attachments/a%2Fb", invalid, "invalid_arguments", "does not identify an attachment"},
			{"outline://documents/..%2F..%2Fusers", invalid, "invalid_arguments", "document: "},
			{"outline://documents/%2e%2e", invalid, "invalid_arguments", "has no valid ID"},
			{"outline://documents/", invalid, "invalid_arguments", "has no valid ID"},
			{"outline://documents/%zz", invalid, "invalid_arguments", "has no valid ID"},
			{"outline://documents/%00", invalid, "invalid_arguments", "has no valid ID"},
			{"outline://documents/%ff", invalid, "invalid_arguments", "has no valid ID"},
			{"outline://documents/{id}", absent, "not_found", "is called"},
			{"outline://documents/lesdaiqkpT?start_line=0", invalid, "invalid_arguments", "start_line must be"},
			{"outline://documents/lesdaiqkpT?start_line=x", invalid, "invalid_arguments", "start_line must be"},
			{"outline://documents/lesdaiqkpT?start_line=1&start_line=2", invalid, "invalid_arguments", "start_line must be"},
			{"outline://documents/lesdaiqkpT?start_line=9999", invalid, "invalid_arguments", "past the end"},
			{"outline://documents/lesdaiqkpT?x=1", invalid, "invalid_arguments", `unknown parameter \"x\"`},
			{"outline://documents/lesdaiqkpT?a;b", invalid, "invalid_arguments", "malformed"},
			{"outline://documents/../collections/bcMQ4TVPCO", absent, "not_found", "is not the URI of a resource"},
			{"outline://documents/lesdaiqkpT/text", absent, "not_found", "is not the URI of a resource"},
			{"outline://documents/lesdaiqkpT#h", absent, "not_found", "is not the URI of a resource"},
			{"outline://users/1", absent, "not_found", "is not the URI of a resource"},
			{"https://example.com/doc/on-call-lesdaiqkpT", absent, "not_found", "is not the URI of a resource"},
			{"file:///etc/passwd", absent, "not_found", "is not the URI of a resource"},
			{"outline:", absent, "not_found", "is not the URI of a resource"},
			{"outline://dócuments/a b<>", absent, "not_found", "is not the URI of a resource"},
			{long, absent, "not_found", "is not the URI of a resource"},
		} {
			if strings.ContainsAny(test.uri, "ó") && c.version == modern {
				continue // no header can hold it
			}
			a := c.read(t, test.uri)
			if a.Error == nil || a.Error.Code != test.codes[c.version] || a.Error.Data.Code != test.code || a.Error.Data.URI != test.uri || !strings.Contains(a.body, test.says) {
				t.Errorf("%.100s: %.600s", test.uri, a.body)
			}
			if status := map[bool]int{true: 400, false: 200}[c.version == modern]; a.status != 0 && a.status != status {
				t.Errorf("%.100s: HTTP status %d, not %d", test.uri, a.status, status)
			}
		}
	})
}

func TestAnEmptyURIIsAnswered(t *testing.T) {
	c := overStdio(t, newWiki(t), handshake)
	for _, params := range []map[string]any{{}, {"uri": ""}, {"uri": nil}} {
		if a := c.ask(t, "resources/read", params); a.Error == nil || a.Error.Code != -32002 || !strings.Contains(a.Error.Message, "is not the URI of a resource") {
			t.Errorf("%v: %s", params, a.body)
		}
	}
}

func TestAKeyInAURIIsNotRepeated(t *testing.T) {
	const fakeKey = "ol_api_fake_key_of_this_test"
	c := overStdio(t, newWiki(t), handshake)
	for _, uri := range []string{"outline://documents/" + fakeKey, "outline://x/" + fakeKey} {
		if a := c.read(t, uri); strings.Contains(a.body, "fake_key") {
			t.Errorf("%s: %s", uri, a.body)
		}
	}
}

func TestTheOperatorsChoiceOfToolsAppliesToResources(t *testing.T) {
	all := []string{"document", "document_outline", "document_comments", "document_backlinks", "collection", "attachment", "revision"}
	for _, test := range []struct {
		setting string
		offered []string
	}{
		{"OUTLINE_READ_ONLY=true", all},
		{"OUTLINE_TOOLS=read_document", all[:1]},
		{"OUTLINE_TOOLS=reading", all[:2]},
		{"OUTLINE_EXCLUDE_TOOLS=comments,read_attachment", []string{"document", "document_outline", "collection", "revision"}},
		{"OUTLINE_TOOLS=create_document", nil},
	} {
		t.Run(test.setting, func(t *testing.T) {
			c := overStdio(t, newWiki(t, test.setting), handshake)
			var names []string
			for _, template := range c.ask(t, "resources/templates/list", nil).Result.ResourceTemplates {
				names = append(names, template.Name)
			}
			if !slices.Equal(names, test.offered) {
				t.Errorf("the templates are %q", names)
			}
			for name, uri := range map[string]string{
				"document": "outline://documents/" + onCall, "document_outline": "outline://documents/" + onCall + "/outline", "document_comments": "outline://documents/" + onCall + "/comments", "document_backlinks": "outline://documents/" + onCall + "/backlinks",
				"collection": "outline://collections/" + operations, "attachment": "outline://attachments/" + csv,
			} {
				a := c.read(t, uri)
				switch {
				case slices.Contains(test.offered, name):
					if a.Error != nil {
						t.Errorf("%s: %s", uri, a.body)
					}
				case test.offered == nil:
					if a.Error == nil || a.Error.Code != -32601 { // there are no resources at all
						t.Errorf("%s: %s", uri, a.body)
					}
				case a.Error == nil || a.Error.Code != -32002 || !strings.Contains(a.Error.Message, "settings do not offer it"):
					t.Errorf("%s: %s", uri, a.body)
				}
			}
			if test.offered == nil {
				return
			}
			for _, uri := range uris(c.list(t, "")) {
				if strings.HasPrefix(uri, "outline://collections/") != slices.Contains(test.offered, "collection") && strings.HasPrefix(uri, "outline://collections/") {
					t.Errorf("%s is listed", uri)
				}
			}
		})
	}
}
