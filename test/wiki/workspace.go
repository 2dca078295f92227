package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
)

// A wiki is an Outline with the pages, and the servers that play tasks on it.
type wiki struct {
	ours *client.Client // outline-mcp
	own  *client.Client // Outline's own server; may be nil

	base, key string
	http      *http.Client
	seen      map[string]seen // after the last task, nil if it was not looked at
	made      []string        // the IDs of collections
}

// remove deletes the collections that fill has made.
func (w *wiki) remove(ctx context.Context) (err error) {
	for _, id := range w.made {
		err = errors.Join(err, w.ask(ctx, "collections.delete", map[string]string{"id": id}, &struct{}{}))
	}
	return err
}

// A page is a page of the recordings. Parent is a title.
type page struct{ Title, Collection, Parent, Text, Date string }

func (p page) day() time.Time {
	day, err := time.Parse(time.DateOnly, p.Date)
	if err != nil {
		return today.Add(-5 * 24 * time.Hour)
	}
	return day
}

// today is the time of the embedded workspace.
var today = time.Date(2026, time.November, 29, 9, 0, 0, 0, time.UTC)

// pages returns the pages, each after its parent and after the pages that it links to.
func pages() ([]page, error) {
	list, err := fixtures.Lines[page]("wiki_pages")
	slices.SortStableFunc(list, func(a, b page) int {
		return cmp.Compare(strings.Count(a.Text, "](/doc/"), strings.Count(b.Text, "](/doc/"))
	})
	return list, err
}

// linked is the address of a page in a text: its title in another form, and its ID.
var linked = regexp.MustCompile(`\]\(/doc/([a-z0-9-]+)-(\w{10})\)`)

func slug(title string) string { return strings.ReplaceAll(strings.ToLower(title), " ", "-") }

// embedded returns the wiki in the embedded workspace, with outline-mcp in this process.
func embedded(ctx context.Context) (*wiki, error) {
	all, err := pages()
	if err != nil {
		return nil, err
	}
	id := func(n int) string { return fmt.Sprintf("7c1e55d0-0000-4000-8000-%012d", n) }
	user, ids, urls := id(999_000), map[string]string{}, map[string]string{}
	seed := fakeoutline.Seed{
		Team:        fakeoutline.Team{ID: id(999_001), Name: "Brinewater"},
		Users:       []fakeoutline.User{{ID: user, Name: "Hana Kim", Email: "hana@brinewater.example", Role: fakeoutline.Admin, CreatedAt: all[0].day()}},
		Keys:        []fakeoutline.Key{{ID: id(999_002), Secret: fakeoutline.AdminKey, Name: "wiki", UserID: user, CreatedAt: all[0].day()}},
		Attachments: []fakeoutline.Attachment{{ID: chart, UserID: user, Name: "chart.png", ContentType: "image/png", Content: chartImage}},
	}
	for _, p := range all {
		for _, link := range linked.FindAllStringSubmatch(p.Text, -1) {
			urls[link[1]] = link[2]
		}
	}
	for i, p := range all {
		if ids[p.Collection] == "" {
			n := len(seed.Collections)
			ids[p.Collection] = id(998_000 + n)
			seed.Collections = append(seed.Collections, fakeoutline.Collection{ID: ids[p.Collection], URLID: fmt.Sprintf("C%09d", n), Name: p.Collection,
				Permission: permission(p.Collection), Memberships: []fakeoutline.Membership{{ID: id(997_000 + n), UserID: user, Permission: fakeoutline.ReadWrite}},
				CreatedAt: p.day(), UpdatedAt: p.day()})
		}
		ids[p.Title] = id(i)
		seed.Documents = append(seed.Documents, fakeoutline.Document{ID: id(i), URLID: cmp.Or(urls[slug(p.Title)], fmt.Sprintf("P%09d", i)), Title: p.Title, Text: p.Text,
			CollectionID: ids[p.Collection], ParentID: ids[p.Parent], CreatedBy: user, UpdatedBy: user, Collaborators: []string{user}, Revision: 1, Opened: true,
			CreatedAt: p.day(), UpdatedAt: p.day(), PublishedAt: p.day()})
		seed.Revisions = append(seed.Revisions, fakeoutline.Revision{ID: id(100_000 + i), DocumentID: id(i), Title: p.Title, Text: p.Text, AuthType: "app", CreatedBy: user, CreatedAt: p.day()})
	}
	started := time.Now()
	now := func() time.Time { return today.Add(time.Since(started)) }
	workspace, err := fakeoutline.Empty(fakeoutline.Options{Now: now}, seed)
	if err != nil {
		return nil, err
	}
	w := &wiki{base: fakeoutline.BaseURL, key: fakeoutline.AdminKey, http: &http.Client{Transport: workspace.Transport()}}
	w.ours, err = connect(ctx, app.Options{Transport: workspace.Transport(), Now: now}, "OUTLINE_API_URL="+w.base, "OUTLINE_API_KEY="+w.key)
	return w, err
}

// texts are the values that calls can name from the start: the image, a page of 27 KB with
// 60 sections, one of 120 KB with 270, a table of 300 rows, and what fills a short page.
func texts() map[string]string {
	var manual, table strings.Builder
	values := map[string]string{"chart": chartURI(), "watch": strings.Repeat("Write down what you see, and ring if a light is out.\n\n", 8)}
	for n := range 270 {
		if n == 60 {
			values["manual"] = manual.String()
		}
		fmt.Fprintf(&manual, "## Endpoint %d\n\nEndpoint %[1]d allows %d requests a minute.\n\n", n+1, 100+n)
		manual.WriteString(strings.Repeat("Each buoy reports its position, its battery and the state of its light every ten minutes.\n\n", 4))
	}
	table.WriteString("| Harbour | High water | Low water |\n|---|---|---|\n")
	for n := range 300 {
		fmt.Fprintf(&table, "| Harbour %d | %d:%02d | %d:%02d |\n", n+1, n%24, n%60, (n+6)%24, n%60)
	}
	values["long"], values["tides"] = manual.String(), table.String()
	return values
}

// permission is what every member may do in a collection: HR is private.
func permission(collection string) string {
	if collection == "HR" {
		return ""
	}
	return fakeoutline.ReadWrite
}

// fill makes the wiki in an Outline without pages, with outline-mcp in this process. remove
// deletes it.
func fill(ctx context.Context, address, key string) (*wiki, error) {
	w := &wiki{base: strings.TrimSuffix(strings.TrimSuffix(address, "/"), "/api") + "/api", key: key, http: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	var err error
	if w.ours, err = connect(ctx, app.Options{}, "OUTLINE_API_URL="+address, "OUTLINE_API_KEY="+key); err != nil {
		return nil, err
	}
	if there, err := w.look(ctx); err != nil || len(there) > 0 {
		return nil, errors.Join(err, fmt.Errorf("this Outline has %d pages: the tasks need one without", len(there)))
	}
	all, err := pages()
	if err != nil {
		return nil, err
	}
	ids, urls := map[string]string{}, map[string]string{}
	var made struct{ Data struct{ ID, URLID string } }
	for _, p := range all {
		if ids[p.Collection] == "" {
			given := map[string]any{"name": p.Collection, "permission": permission(p.Collection)}
			if given["permission"] == "" {
				given["permission"] = nil
			}
			if err := w.ask(ctx, "collections.create", given, &made); err != nil {
				return nil, err
			}
			ids[p.Collection] = made.Data.ID
			w.made = append(w.made, made.Data.ID)
		}
		text := linked.ReplaceAllStringFunc(p.Text, func(link string) string {
			name := linked.FindStringSubmatch(link)[1]
			return "](/doc/" + name + "-" + urls[name] + ")"
		})
		text = strings.ReplaceAll(text, "/api/attachments.redirect?id="+chart, chartURI())
		given := map[string]any{"title": p.Title, "text": text, "collectionId": ids[p.Collection], "publish": true, "index": 1000}
		if p.Parent != "" {
			given["parentDocumentId"] = ids[p.Parent]
		}
		if p.Date != "now" {
			given["createdAt"] = p.day()
		}
		if err := w.ask(ctx, "documents.create", given, &made); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Title, err)
		}
		ids[p.Title], urls[slug(p.Title)] = made.Data.ID, made.Data.URLID
	}
	return w, nil
}

// connect starts outline-mcp in this process and returns a client of it.
func connect(ctx context.Context, options app.Options, settings ...string) (*client.Client, error) {
	loaded, err := config.Load(settings)
	if err != nil {
		return nil, err
	}
	options.Config, options.Version = loaded, "wiki"
	server, err := app.New(options)
	if err != nil {
		return nil, err
	}
	return server.Connect(ctx)
}

// ask asks Outline's API.
func (w *wiki) ask(ctx context.Context, endpoint string, given, answer any) error {
	body, err := json.Marshal(given)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.base+"/"+endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+w.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	response, err := w.http.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %.300s", endpoint, response.Status, raw)
	}
	return json.Unmarshal(raw, answer)
}
