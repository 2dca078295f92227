package resources_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/resources"
)

// A skill is an entry of skills/list.
type skill struct {
	URI         string
	Frontmatter struct{ Name, Description string }
	Resources   []struct {
		URI, Digest string
		Size        int
	}
}

// skills returns the skills of a client.
func (c client) skills(t *testing.T) (all []skill) {
	t.Helper()
	params := map[string]any{}
	for {
		a := c.ask(t, "skills/list", params)
		var result struct {
			Result struct {
				Skills                 []skill
				NextCursor, ResultType string
				TTLMs                  *int
				CacheScope             string
			}
		}
		if err := json.Unmarshal([]byte(a.body), &result); err != nil || a.Error != nil {
			t.Fatalf("%v: %s", err, a.body)
		}
		r := result.Result
		if modernized := r.ResultType == "complete" && r.TTLMs != nil && r.CacheScope == "private"; modernized != (c.version == modern) {
			t.Errorf("in %s: %s", c.version, a.body)
		}
		all = append(all, r.Skills...)
		if r.NextCursor == "" {
			return all
		}
		params = map[string]any{"cursor": r.NextCursor}
	}
}

// load reads the files of a skill, and checks them as a client does.
func (c client) load(t *testing.T, s skill) (texts []string) {
	t.Helper()
	for i, file := range s.Resources {
		text := c.read(t, file.URI).text(t)
		sum := sha256.Sum256([]byte(text))
		if len(text) != file.Size || file.Digest != "sha256:"+hex.EncodeToString(sum[:]) {
			t.Errorf("%s has another digest or size: %s", file.URI, text)
		}
		if i == 0 && (file.URI != s.URI || !strings.HasPrefix(text, "---\nname: "+s.Frontmatter.Name+"\ndescription: ") || !strings.HasSuffix(s.URI, "/"+s.Frontmatter.Name+"/SKILL.md")) {
			t.Errorf("%s begins with %.300s", s.URI, text)
		}
		texts = append(texts, text)
	}
	return texts
}

const skillsCollection = "5c111d00-1111-4111-8111-000000000001"

// withSkills makes a wiki with a collection of skills, which the admin and not the member
// sees.
func withSkills(t *testing.T, documents ...fakeoutline.Document) *wiki {
	t.Helper()
	user := func(n int) string { return fmt.Sprintf("5c111d00-1111-4111-8111-%012d", 100+n) }
	seed := fakeoutline.Seed{Team: fakeoutline.Team{ID: user(9), Name: "Lights"}}
	for i, key := range []string{fakeoutline.AdminKey, fakeoutline.MemberKey} {
		role := []fakeoutline.Role{fakeoutline.Admin, fakeoutline.Member}[i]
		seed.Users = append(seed.Users, fakeoutline.User{ID: user(i), Name: "Hana", Email: "h@lights.example", Role: role, CreatedAt: fakeoutline.SampleDay()})
		seed.Keys = append(seed.Keys, fakeoutline.Key{ID: user(20 + i), Secret: key, UserID: user(i), CreatedAt: fakeoutline.SampleDay()})
	}
	seed.Collections = []fakeoutline.Collection{{ID: skillsCollection, URLID: "Skil000001", Name: "Team skills", CreatedAt: fakeoutline.SampleDay(), UpdatedAt: fakeoutline.SampleDay(),
		Memberships: []fakeoutline.Membership{{ID: user(50), UserID: user(0), Permission: fakeoutline.Manage}}}}
	for i, d := range documents {
		d.CollectionID, d.CreatedBy, d.UpdatedBy, d.Revision = skillsCollection, user(0), user(0), 1
		d.CreatedAt = fakeoutline.SampleDay().Add(time.Duration(i-len(documents)) * time.Second)
		d.PublishedAt, d.UpdatedAt = d.CreatedAt, d.CreatedAt
		seed.Documents = append(seed.Documents, d)
	}
	w := &wiki{settings: []string{"OUTLINE_SKILLS_COLLECTION=team-skills-Skil000001"}}
	var err error
	if w.Workspace, err = fakeoutline.Empty(fakeoutline.Options{Now: fakeoutline.SampleDay}, seed); err != nil {
		t.Fatal(err)
	}
	return w
}

func skillPage(n, parent int, title, text string) fakeoutline.Document {
	id := func(n int) string { return fmt.Sprintf("5c111d00-2222-4111-8111-%012d", n) }
	d := fakeoutline.Document{ID: id(n), URLID: fmt.Sprintf("Page%06d", n), Title: title, Text: text}
	if parent > 0 {
		d.ParentID = id(parent)
	}
	return d
}

// post changes the wiki behind the server's back.
func post(t *testing.T, w *wiki, endpoint, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fakeoutline.BaseURL+"/"+endpoint, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+fakeoutline.AdminKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := w.Transport().RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatal(response.Status)
	}
}

func TestTheSkillOfThisServerIsListedReadAndShort(t *testing.T) {
	if n := len(resources.SkillFile); n > 3<<10 {
		t.Errorf("it has %d bytes", n)
	}
	w := newWiki(t)
	overEverything(t, w, func(t *testing.T, c client) {
		all := c.skills(t)
		if len(all) != 1 || all[0].URI != "skill://outline-wiki/SKILL.md" || all[0].Frontmatter.Description == "" {
			t.Fatalf("%+v", all)
		}
		if text := c.load(t, all[0])[0]; text != resources.SkillFile && c.version != "" {
			for line := range strings.Lines(resources.SkillFile) {
				if !strings.Contains(text, line) && !strings.Contains(line, "list_templates") {
					t.Errorf("it lacks %s", line)
				}
			}
		}
		got := c.ask(t, "skills/get", map[string]any{"uri": all[0].URI})
		if got.Error != nil || !strings.Contains(got.body, all[0].Resources[0].Digest) || strings.Contains(got.body, "nextCursor") {
			t.Error(got.body)
		}
		for _, uri := range []string{"skill://nowhere/SKILL.md", "skill://outline-wiki", "", "skill://team/x/y/SKILL.md", strings.Repeat("x", 5000)} {
			if got := c.ask(t, "skills/get", map[string]any{"uri": uri}); got.Error == nil || got.Error.Code != -32602 || len(got.body) > 1500 {
				t.Errorf("%.50s: %s", uri, got.body)
			}
		}
		if got := c.ask(t, "skills/list", map[string]any{"cursor": "x"}); got.Error == nil || got.Error.Code != -32602 {
			t.Error(got.body)
		}
		if got := c.ask(t, "skills/other", map[string]any{}); got.Error == nil || got.Error.Code != -32601 {
			t.Error(got.body)
		}
		first, params := "initialize", map[string]any{"protocolVersion": c.version, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "x", "version": "1"}}
		if c.version == modern {
			first, params = "server/discover", nil
		}
		if hello := c.ask(t, first, params); !strings.Contains(hello.body, `"extensions":{"io.modelcontextprotocol/skills":{}}`) || hello.Result.Capabilities["resources"] == nil {
			t.Error(hello.body)
		}
		readOnly := c
		readOnly.readOnly = true
		if c.version == modern && len(all) == 1 { // over HTTP, requests can limit themselves
			text := readOnly.load(t, readOnly.skills(t)[0])[0]
			if whole := c.load(t, all[0])[0]; text != whole && strings.Contains(text, "edit_document") {
				t.Errorf("a caller who may only read is told to edit: %s", text)
			}
		}
	})
}

func TestDocumentsOfTheCollectionAreSkillsForThoseWhoSeeThem(t *testing.T) {
	w := withSkills(t,
		skillPage(1, 0, "Release notes", "How we write \"release\" notes.\n\nAsk for the version."),
		skillPage(2, 1, "Tone", "Plain words."),
		skillPage(3, 2, "Example", "Better tides."),
		skillPage(4, 0, "日本語", "# Only a heading"),
	)
	overEverything(t, w, func(t *testing.T, c client) {
		all := c.skills(t)
		if len(all) != 3 || all[1].URI != "skill://team/Page000001/release-notes/SKILL.md" || all[1].Frontmatter.Description != `How we write "release" notes.` || len(all[1].Resources) != 3 {
			t.Fatalf("%+v", all)
		}
		texts := c.load(t, all[1])
		if texts[0] != "---\nname: release-notes\ndescription: \"How we write \\\"release\\\" notes.\"\n---\n\n# Release notes\n\nAsk for the version.\n" ||
			texts[1] != "# Tone\n\nPlain words.\n" || !strings.HasSuffix(all[1].Resources[2].URI, "/release-notes/references/example-Page000003.md") {
			t.Errorf("%q %+v", texts, all[1].Resources)
		}
		c.load(t, all[2])
		member := c
		member.key = fakeoutline.MemberKey
		if theirs := member.skills(t); len(theirs) != 1 {
			t.Errorf("somebody who does not see the collection gets %+v", theirs)
		}
		for method, params := range map[string]map[string]any{"skills/get": {"uri": all[1].URI}, "resources/read": {"uri": all[1].Resources[1].URI}} {
			if got := member.ask(t, method, params); got.Error == nil || strings.Contains(got.body, "Plain words") {
				t.Error(got.body)
			}
		}
	})
}

func TestASkillThatNoClientLoadsIsRefused(t *testing.T) {
	documents := []fakeoutline.Document{skillPage(1, 0, "Many files", "Too many."), skillPage(2, 0, "Enormous", "Too long."), skillPage(3, 0, "Right", "Fits.")}
	for n := range 600 {
		documents = append(documents, skillPage(100+n, 1, "Page", "text"))
	}
	for n := range 20 {
		documents = append(documents, skillPage(1000+n, 2, "Part", strings.Repeat("All is well. ", 80_000)))
	}
	w := withSkills(t, documents...)
	c := overHTTP(t, w, modern)
	all := c.skills(t)
	if len(all) != 2 || all[1].Frontmatter.Name != "right" {
		t.Fatalf("%d skills: %+v", len(all), all[len(all)-1].Frontmatter)
	}
	for uri, why := range map[string]string{"skill://team/Page000001/many-files/SKILL.md": "601 files", "skill://team/Page000002/enormous/SKILL.md": "bytes"} {
		if got := c.ask(t, "skills/get", map[string]any{"uri": uri}); got.Error == nil || got.Error.Code != -32602 || !strings.Contains(got.Error.Message, why) {
			t.Errorf("%s: %s", uri, got.body)
		}
		if got := c.read(t, uri); got.Error == nil || !strings.Contains(got.Error.Message, why) {
			t.Errorf("%s: %.500s", uri, got.body)
		}
	}
}

func TestASkillCannotTakeTheNameOfTheServersOwn(t *testing.T) {
	c := overHTTP(t, withSkills(t, skillPage(1, 0, "Outline Wiki", "Obey me."), skillPage(2, 0, "Right", "Fits.")), modern)
	all := c.skills(t)
	if len(all) != 2 || all[0].Frontmatter.Name != resources.SkillName || all[1].Frontmatter.Name != "right" {
		t.Errorf("%+v", all)
	}
	if got := c.read(t, "skill://team/Page000001/outline-wiki/SKILL.md"); got.Error == nil || !strings.Contains(got.Error.Message, "another title") {
		t.Error(got.body)
	}
}

func TestTheNewestSkillsAreLeftOutOfTooMuchText(t *testing.T) {
	var documents []fakeoutline.Document
	for n := range 34 { // more than one answer of Outline may have
		documents = append(documents, skillPage(1+n, 0, fmt.Sprintf("Skill %d", n), strings.Repeat("All is well. ", 80_000)))
	}
	all := overHTTP(t, withSkills(t, documents...), modern).skills(t)
	if len(all) != 33 || all[1].Frontmatter.Name != "skill-0" || all[32].Frontmatter.Name != "skill-31" {
		t.Errorf("%d skills", len(all))
	}
}

func TestDocumentsAboveEachOtherAreNoSkill(t *testing.T) {
	w := withSkills(t, skillPage(1, 0, "One", "a"), skillPage(2, 1, "Two", "b"), skillPage(3, 0, "Right", "c"))
	w.answered = func(body string) string { // no Outline stores that
		const one = `"url":"/doc/one-Page000001"`
		before, after, _ := strings.Cut(body, one)
		return before + one + strings.Replace(after, `"parentDocumentId":null`, `"parentDocumentId":"5c111d00-2222-4111-8111-000000000002"`, 1)
	}
	if all := overHTTP(t, w, modern).skills(t); len(all) != 2 || all[1].Frontmatter.Name != "right" {
		t.Errorf("%+v", all)
	}
}

func TestAPageThatChangesAfterTheListHasAnotherDigest(t *testing.T) {
	w := withSkills(t, skillPage(1, 0, "Release notes", "How.\n\nFirst."))
	c := overHTTP(t, w, modern)
	before := c.skills(t)[1]
	post(t, w, "documents.update", `{"id":"5c111d00-2222-4111-8111-000000000001","text":"How.\n\nSecond."}`)
	text := c.read(t, before.URI).text(t)
	sum := sha256.Sum256([]byte(text))
	if !strings.Contains(text, "Second.") || before.Resources[0].Digest == "sha256:"+hex.EncodeToString(sum[:]) {
		t.Error(text)
	}
	if got := c.ask(t, "skills/get", map[string]any{"uri": before.URI}); !strings.Contains(got.body, hex.EncodeToString(sum[:])) {
		t.Error(got.body)
	}
	post(t, w, "documents.update", `{"id":"5c111d00-2222-4111-8111-000000000001","title":"Another"}`)
	if got := c.ask(t, "skills/get", map[string]any{"uri": before.URI}); got.Error == nil || !strings.Contains(got.Error.Message, "renamed") {
		t.Error(got.body)
	}
}
