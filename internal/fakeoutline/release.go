package fakeoutline

import (
	"fmt"
	"slices"
	"strings"

	"outline-mcp/outline/prosemirror"
)

// A Release is a release of Outline, such as "1.9.2". The zero value is the
// source of August 2026, the newest one, which the recordings are of.
type Release string

// ParseRelease returns the release with a name, or an error that lists the names.
func ParseRelease(name string) (Release, error) {
	if r := Release(name); slices.Contains(Releases(), r) {
		return r, nil
	}
	var names []string
	for _, r := range Releases() {
		names = append(names, string(r))
	}
	return "", fmt.Errorf("unknown release %q; the known ones are %s", name, strings.Join(names, ", "))
}

// Releases returns the releases that a workspace can play, oldest first.
func Releases() []Release {
	var list []Release
	for _, f := range releases() {
		list = append(list, f.release)
	}
	return list
}

// A featureSet describes the features of a version of Outline.
type featureSet struct {
	release Release
	version string // as installation.info answers it

	patch         bool                // as an edit mode of documents.update
	revisionCheck bool                // by lastRevision
	reuse         bool                // of a refresh token is detected
	registration  bool                // of OAuth clients by themselves; see Options.NoRegistration
	dialect       prosemirror.Dialect // what its Markdown is
	august2026    bool                // features that no release has; see below
}

// What august2026 stands for. The first group is read from the sources of the
// releases, or measured on 1.8.1, 1.9.2 and the newest source:
//
//   - lastRevision of documents.update. Releases drop it in silence, as all fields
//     that they do not know.
//   - Comments can be attached to passages of every document. Releases need one
//     that was opened in the editor, and keep the mark outside of the stored tree:
//     documents.info shows it, but the comment has no anchorText, and the next
//     change of the text through the API erases it.
//   - The collections that a user sees are looked up each time. Releases remember
//     them for ten seconds, for lists and searches. The newest source was since
//     measured to remember them too; the stand-in does not follow it yet.
//   - documents.list has the caller's drafts outside of collections. In releases only
//     documents.drafts and searches do.
//   - An unknown revision to restore is not found. Releases forbid it.
//   - Documents have preferences. auth.info has no collaborationToken.
//
// What a text becomes and how it is shown, the dialect, is recorded of 1.9.2, and taken to
// be the same in earlier releases.
//
// The second group is read from the sources only:
//
//   - Revisions in a list come without data and text, and all of them show how
//     their author was authenticated.
//   - The scope "read" covers redirect, memberships and group_memberships.
//
// That in a release a comment on a passage raises the revision number, as in the
// newest source, is an assumption.

// releases are the feature sets of the releases, oldest first.
func releases() []featureSet {
	list := []featureSet{{release: "1.8", version: "1.8.1", patch: true, dialect: prosemirror.Until192}}
	for _, release := range []Release{"1.9.0", "1.9.1", "1.9.2"} {
		list = append(list, featureSet{release: release, version: string(release), patch: true, reuse: true, dialect: prosemirror.Until192})
	}
	return list
}

// features returns the features of a release.
func (r Release) features() (featureSet, error) {
	if r == "" {
		return featureSet{
			version: "1.9.1", // as the newest source calls itself
			patch:   true, revisionCheck: true, reuse: true, august2026: true,
		}, nil
	}
	if _, err := ParseRelease(string(r)); err != nil {
		return featureSet{}, fmt.Errorf("workspace: %w", err)
	}
	list := releases()
	return list[slices.IndexFunc(list, func(f featureSet) bool { return f.release == r })], nil
}

// unknownFields returns the fields of a method's requests that the version does
// not know.
func (f *featureSet) unknownFields(method string) []string {
	if method == "documents.update" && !f.revisionCheck {
		return []string{"lastRevision"}
	}
	return nil
}

// modes returns the values of editMode.
func (f *featureSet) modes() []string {
	modes := []string{"replace", "append", "prepend", "patch"}
	if !f.patch {
		modes = modes[:3]
	}
	return modes
}

// dropUnknown removes the fields of a request that the version does not know.
func (s *store) dropUnknown(r *apiRequest) {
	for _, name := range s.features.unknownFields(r.Method) {
		delete(r.Fields.Values, name)
	}
}
