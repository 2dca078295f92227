package tools_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/output"
)

// randomMention matches the ID that a new mention has.
var randomMention = regexp.MustCompile(`mention://[0-9a-f-]{36}/`)

func TestAMentionIsOfExactlyOnePerson(t *testing.T) {
	const ines = "mention://new/user/4cc8c967-db8e-4933-b991-8705feeab588)"
	for _, test := range []struct{ name, text, want string }{
		{"by name", "Ask @[Ines Halloway].", "Ask @[Ines Halloway](" + ines + "."},
		{"by name in another case", "Ask @[ines halloway].", "Ask @[Ines Halloway](" + ines + "."},
		{"by e-mail address", "Ask @[ines.halloway@example.com].", "Ask @[Ines Halloway](" + ines + "."},
		{"twice", "@[Ines Halloway] and @[Ines Halloway]", "@[Ines Halloway](" + ines + " and @[Ines Halloway](" + ines},
		{"in a list", "* @[Ines Halloway]", "* @[Ines Halloway](" + ines},
		{"that stands", "@[Old](mention://b61e6ba5-3682-4dd6-b804-69b84b2d451c/user/4cc8c967-db8e-4933-b991-8705feeab588)", "@[Old](" + ines},
		{"not in code", "`@[Zorro]`", "`@[Zorro]`"},
		{"not in a link", "[Ask @[Zorro]](https://zorro.example)", "[Ask @[Zorro]](https://zorro.example)"},
		{"not in an e-mail address", "sam@[192.0.2.1]", "sam@[192.0.2.1]"},
		{"not without a name", "@[ ]", "@[ ]"},
		{"not in a code block", "```\n@[Zorro]\n```", "```\n@[Zorro]\n```"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connect(t, true)
			created, err := cli.Call(t.Context(), c, "create_document", map[string]any{"title": "x", "publish": false, "text": test.text})
			if err != nil || created.Code != "" {
				t.Fatalf("%v %s", err, created.Text)
			}
			id := decoded[struct {
				DocumentID string `json:"document_id"`
			}](t, created.Structured).DocumentID
			read, err := cli.Call(t.Context(), c, "read_document", map[string]any{"document_id": id})
			if err != nil {
				t.Fatal(err)
			}
			text := randomMention.ReplaceAllString(decoded[struct{ Text, Content string }](t, read.Structured).Text, "mention://new/")
			if text == "" {
				text = randomMention.ReplaceAllString(read.Text, "mention://new/")
			}
			if !strings.Contains(text, test.want) {
				t.Errorf("the text is %q, want %q", text, test.want)
			}
		})
	}
}

func TestAMentionOfNobodyOrOfSeveralIsRefused(t *testing.T) {
	seed := emptySeed()
	seed.Users = append(seed.Users,
		fakeoutline.User{ID: uuid(1), Name: "Sam Reed", Email: "sam@lights.example", Role: fakeoutline.Member},
		fakeoutline.User{ID: uuid(2), Name: "Sam Reed", Email: "reed@lights.example", Role: fakeoutline.Member},
		fakeoutline.User{ID: uuid(3), Name: "Ada Long", Email: "ada@lights.example", Role: fakeoutline.Member})
	c := limited(t, defaultLimit, true, wiki(t, seed))
	for name, test := range map[string]struct {
		text string
		code output.Code
		says []string
	}{
		"a name that two people have": {"@[Sam Reed]", output.InvalidArguments, []string{"sam@lights.example", "reed@lights.example", "@[Name](mention://user/UUID)"}},
		"an unknown name":             {"@[Ada Lang]", output.NotFound, []string{`"Ada Long"`}},
		"part of a name":              {"@[Ada]", output.NotFound, []string{`"Ada Long"`}},
		"a UUID":                      {"@[" + uuid(3) + "]", output.InvalidArguments, []string{"not a UUID", "@[Name](mention://user/UUID). To keep"}},
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := cli.Call(t.Context(), c, "create_document", map[string]any{"title": "x", "publish": false, "text": test.text})
			if err != nil {
				t.Fatal(err)
			}
			if answer.Code != test.code {
				t.Errorf("code %q: %s", answer.Code, answer.Text)
			}
			for _, words := range append(test.says, "nothing was written") {
				if !strings.Contains(answer.Text, words) {
					t.Errorf("does not say %q: %s", words, answer.Text)
				}
			}
		})
	}
}

func TestAnEditMentionsPeopleWhereItsTextIsNotCode(t *testing.T) {
	const (
		standing = "@[Ines Halloway](mention://b61e6ba5-3682-4dd6-b804-69b84b2d451c/user/4cc8c967-db8e-4933-b991-8705feeab588)"
		marek    = "@[Marek Osei](mention://new/user/ec11db3c-1523-4955-b017-93bfff394d3a)"
	)
	ines := randomMention.ReplaceAllString(standing, "mention://new/")
	for _, test := range []struct{ name, text, from, to, want string }{
		{"in a paragraph", "Ask me.", "me", "@[Marek Osei]", "Ask " + marek + "."},
		{"not in a code block", "```\ncall(x)\n```", "x", "@[Marek Osei]", "```\ncall(@[Marek Osei])\n```"},
		{"not in code", "Say `x y` now.", "x", "@[Zorro]", "Say `@[Zorro] y` now."},
		{"not in a link", "[one two](https://lights.example)", "two", "@[Zorro]", "[one @[Zorro]](https://lights.example)"},
		{"beside code that is kept", "```\n@[Zorro]\n```", "```\n@[Zorro]\n```", "```\n@[Zorro]\n```\n\n@[Marek Osei]", "```\n@[Zorro]\n```\n\n" + marek},
		{"beside a mention that stands", standing + " knows.", standing + " knows", standing + " and @[Marek Osei] know", ines + " and " + marek + " know."},
		{"in place of a mention that stands", standing + " knows.", standing, "@[Ines Halloway]", ines + " knows."},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connect(t, true)
			call := func(tool string, arguments map[string]any) (answer struct {
				DocumentID string `json:"document_id"`
				Text       string `json:"text"`
			}) {
				t.Helper()
				r, err := cli.Call(t.Context(), c, tool, arguments)
				if err != nil || r.Code != "" {
					t.Fatalf("%v %s", err, r.Text)
				}
				answer = decoded[struct {
					DocumentID string `json:"document_id"`
					Text       string `json:"text"`
				}](t, r.Structured)
				return answer
			}
			id := call("create_document", map[string]any{"title": "x", "publish": false, "text": test.text}).DocumentID
			call("edit_document", map[string]any{"document_id": id, "edits": []any{map[string]any{"old_text": test.from, "new_text": test.to}}})
			text := randomMention.ReplaceAllString(call("read_document", map[string]any{"document_id": id}).Text, "mention://new/")
			if text != test.want {
				t.Errorf("the text is %q, want %q", text, test.want)
			}
		})
	}
}

func TestACommentKeepsItsMentionsWhenItsTextIsReplaced(t *testing.T) {
	// The IDs of the mentions in a comment, in order.
	mentions := func(t *testing.T, outline http.RoundTripper, comment string) string {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fakeoutline.BaseURL+"/comments.info", strings.NewReader(`{"id":"`+comment+`"}`))
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
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, attributes := range regexp.MustCompile(`\{[^{}]*"label":[^{}]*\}`).FindAllString(string(body), -1) {
			ids = append(ids, regexp.MustCompile(`"id":"[^"]*"`).FindString(attributes))
		}
		return strings.Join(ids, " ")
	}
	for _, test := range []struct {
		name, text string
		kept       int
	}{
		{"all that it still shows", "Well, @Ines Halloway and **@Marek Osei**?", 2},
		{"not one that it leaves out", "Well, @Ines Halloway?", 1},
		{"not in code", "Well, `@Ines Halloway` and\n\n```\n@Marek Osei\n```", 0},
		{"not in a link", "[@Ines Halloway](https://lights.example)", 0},
		{"not in a longer word", "sam@Ines Halloway, @Marek Oseivic", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newSample(t)
			c := as(t, w, fakeoutline.AdminKey)
			id := decoded[struct {
				CommentID string `json:"comment_id"`
			}](t, call(t, c, "add_comment", map[string]any{"document_id": soup, "text": "@[Ines Halloway], @[Marek Osei]?"}).Structured).CommentID
			before := mentions(t, w.Transport(), id)
			if answer := call(t, c, "update_comment", map[string]any{"comment_id": id, "text": test.text}); answer.Code != "" {
				t.Fatal(answer.Text)
			}
			after := mentions(t, w.Transport(), id)
			if strings.Count(after, "id") != test.kept || !strings.HasPrefix(before, after) {
				t.Errorf("the mentions are %s, and were %s", after, before)
			}
		})
	}
}

func TestAMentionIsOfAPageByItsTitleOrItsAddress(t *testing.T) {
	seed := emptySeed()
	seed.Users = append(seed.Users, fakeoutline.User{ID: uuid(1), Name: "Sam Reed", Email: "sam@lights.example", Role: fakeoutline.Member})
	seed.Collections = append(seed.Collections, fakeoutline.Collection{ID: uuid(20), URLID: "handbookcc", Name: "Handbook", Permission: fakeoutline.ReadWrite})
	for i, title := range []string{"Release plan", "Sam Reed", "Twice", "Twice", "Handbook index", "Under test"} {
		seed.Documents = append(seed.Documents, fakeoutline.Document{
			ID: uuid(30 + i), URLID: fmt.Sprint("pagenumber", i), Title: title, Text: "Word.", CollectionID: uuid(20), CreatedBy: seed.Users[0].ID, UpdatedBy: seed.Users[0].ID, Revision: 1, PublishedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		})
	}
	c := limited(t, defaultLimit, true, wiki(t, seed))
	planLink, handbookLink := "[Release plan](/doc/"+uuid(30)+")", "[Handbook](/collection/"+uuid(20)+")"
	for name, test := range map[string]struct{ text, want string }{
		"a title":                       {"See @[Release plan].", "See " + planLink + "."},
		"in another case":               {"See @[release PLAN].", "See " + planLink + "."},
		"a collection":                  {"See @[Handbook].", "See " + handbookLink + "."},
		"an address":                    {"See @[the plan](/doc/release-plan-pagenumber0).", "See " + planLink + "."},
		"a full address":                {"See @[x](" + strings.TrimSuffix(fakeoutline.BaseURL, "/api") + "/doc/release-plan-pagenumber0).", "See " + planLink + "."},
		"the address of a collection":   {"See @[x](/collection/handbook-handbookcc).", "See " + handbookLink + "."},
		"several on a line":             {"@[Release plan], @[Handbook], @[Release plan]", planLink + ", " + handbookLink + ", " + planLink},
		"in a list":                     {"* one\n* @[Release plan]", "* one\n* " + planLink},
		"in a heading":                  {"## On @[Release plan]", "## On " + planLink},
		"in a table":                    {"| a |\n|---|\n| @[Release plan] |", planLink + " |"},
		"in a quote":                    {"> @[Release plan]", "> " + planLink},
		"a person before a page":        {"Ask @[Sam Reed].", "/user/" + uuid(1)},
		"a page by its address instead": {"Ask @[Sam Reed](/doc/sam-reed-pagenumber1).", "[Sam Reed](/doc/" + uuid(31) + ")"},
		"not in code":                   {"`@[Release plan]`", "`@[Release plan]`"},
		"not in a code block":           {"```\n@[Release plan](/doc/release-plan-pagenumber0)\n```", "@[Release plan](/doc/release-plan-pagenumber0)"},
		"not escaped":                   {`\@[Release plan]`, "@[Release plan]"},
		"not another address":           {"@[Release plan](https://lights.example/)", "@[Release plan](https://lights.example/)"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, write := range []func() string{
				func() string {
					created := call(t, c, "create_document", map[string]any{"title": "x", "publish": false, "text": test.text})
					if created.Code != "" {
						t.Fatal(created.Text)
					}
					return decoded[struct {
						DocumentID string `json:"document_id"`
					}](t, created.Structured).DocumentID
				},
				func() string {
					for _, text := range []string{"Another end.", "Start.\n\n" + test.text} { // what the document holds as text stays text
						if answer := call(t, c, "update_document", map[string]any{"document_id": uuid(35), "text": text}); answer.Code != "" {
							t.Fatal(answer.Text)
						}
					}
					return uuid(35)
				},
				func() string {
					if answer := call(t, c, "update_document", map[string]any{"document_id": uuid(35), "text": "Another end."}); answer.Code != "" {
						t.Fatal(answer.Text)
					}
					answer := call(t, c, "edit_document", map[string]any{"document_id": uuid(35), "edits": []any{map[string]any{"old_text": "Another end.", "new_text": test.text}}})
					if answer.Code != "" {
						t.Fatal(answer.Text)
					}
					return uuid(35)
				},
			} {
				text := decoded[struct{ Text string }](t, call(t, c, "read_document", map[string]any{"document_id": write()}).Structured).Text
				if !strings.Contains(text, test.want) {
					t.Errorf("the text is %q, want %q", text, test.want)
				}
			}
		})
	}
	for text, says := range map[string][]string{
		"@[Twice]":                    {"the title of several pages", "@[Twice](/doc/" + uuid(32) + ")", "@[Twice](/doc/" + uuid(33) + ")", "nothing was written"},
		"@[Release]":                  {"No document or collection", `write \@[…]`, "nothing was written"},
		"@[x](/doc/gone-pagenumber9)": {"nothing was written: @[…](/doc/gone-pagenumber9)"},
	} {
		for _, tool := range []string{"create_document", "add_comment"} {
			arguments := map[string]any{"title": "x", "publish": false, "text": text}
			if tool == "add_comment" {
				arguments = map[string]any{"document_id": uuid(35), "text": text}
			}
			answer := call(t, c, tool, arguments)
			for _, words := range says {
				if answer.Code == "" || !strings.Contains(answer.Text, words) {
					t.Errorf("%s of %s does not say %q: %s", tool, text, words, answer.Text)
				}
			}
		}
	}
	comment := call(t, c, "add_comment", map[string]any{"document_id": uuid(35), "text": "See @[Release plan]."})
	if list := call(t, c, "list_document_comments", map[string]any{"document_id": uuid(35)}); comment.Code != "" || !strings.Contains(list.Text, planLink) {
		t.Errorf("%s %s", comment.Text, list.Text)
	}
}
