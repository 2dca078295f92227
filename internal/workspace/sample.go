package workspace

import (
	"embed"
	"fmt"
	"io/fs"
	"outline-mcp/internal/workspace/ident"
	"time"
)

//go:embed all:content
var sampleFiles embed.FS

// SampleDay returns the day that the sample content was written for, Monday,
// November 2, 2026, at 09:30 UTC. Its documents were changed in the three years
// before, some of them in the last week.
func SampleDay() time.Time { return time.Date(2026, time.November, 2, 9, 30, 0, 0, time.UTC) }

// New returns a workspace with the sample content and the demo keys. Unless the
// options have a clock, its clock starts at [SampleDay], so that the age of a
// document does not depend on when the sample is used.
func New(opts Options) (*Workspace, error) {
	if opts.Now == nil {
		started := time.Now()
		opts.Now = func() time.Time { return SampleDay().Add(time.Since(started)) }
	}
	files, err := fs.Sub(sampleFiles, "content")
	if err != nil {
		return nil, fmt.Errorf("workspace: open the sample content: %w", err)
	}
	return load(opts, files)
}

// load returns a workspace with the demo keys and the content that
// workspace.json describes.
func load(opts Options, files fs.FS) (*Workspace, error) {
	seed, err := readManifest(files)
	if err != nil {
		return nil, fmt.Errorf("workspace: load the content: %w", err)
	}
	w, err := Empty(opts, seed)
	if err != nil {
		return nil, err
	}
	w.store.demo = true
	return w, nil
}

// demoKeys returns the demo keys, given the IDs of the users who act as admin,
// member and viewer.
func demoKeys(acting map[string]string, created time.Time) []Key {
	keys := []Key{
		{Name: "demo admin", Secret: AdminKey, UserID: acting["admin"]},
		{Name: "demo member", Secret: MemberKey, UserID: acting["member"]},
		{Name: "demo viewer", Secret: ViewerKey, UserID: acting["viewer"]},
		{Name: "demo scoped", Secret: ScopedKey, UserID: acting["member"], Scopes: []string{"documents:read", "collections:read"}},
		{Name: "demo expired", Secret: "ol_api_demo_expired", UserID: acting["member"], ExpiresAt: created.AddDate(0, 0, 1)},
	}
	for i := range keys {
		keys[i].ID = ident.DerivedUUID(keys[i].UserID, keys[i].Name)
		keys[i].CreatedAt = created
	}
	return keys
}
