package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func shareDocument() mcptool.Tool {
	return mcptool.Spec[shareIn, shareResult]{
		Name:  "share_document",
		Title: "Share document",
		Description: "Creates, changes or ends a public link to an Outline document or collection, or grants or revokes access for a user or group. " +
			"Anyone on the internet can read what a public link opens.",
		Endpoints:   []string{"shares.create", "shares.update", "shares.revoke", "documents.add_user", "documents.add_group", "collections.add_user", "collections.add_group"},
		AnyEndpoint: true,
		Effect:      mcptool.Changes,
		Optional:    true,
		Run: func(ctx context.Context, env mcptool.Env, in shareIn) (shareResult, error) {
			p, err := in.place(ctx, env, true)
			if err != nil {
				return shareResult{}, err
			}
			done := shareResult{placeName: p.name()}
			if in.Link != "" {
				err = in.link(ctx, env, p, &done)
			} else {
				err = in.grant(ctx, env, p, &done)
			}
			if err != nil && p.isDocument() {
				err = withDocument(p.document, err)
			}
			return done, err
		},
	}
}

type shareIn struct {
	sharedIn
	Link            string `json:"link,omitempty" enum:"on,off,end" jsonschema:"off keeps its address for later"`
	IncludeChildren bool   `json:"include_children,omitempty" jsonschema:"Link opens all below too"`
	LinkName        string `json:"link_name,omitempty" maxLength:"255" jsonschema:"End of the link's address: letters, digits, dashes"`
	User            string `json:"user,omitempty" maxLength:"1000" jsonschema:"Name, e-mail address or UUID"`
	Group           string `json:"group,omitempty" maxLength:"1000" jsonschema:"Name or UUID"`
	Role            string `json:"role,omitempty" enum:"read,read_write,admin,none"`
}

// Validate requires one change.
func (in shareIn) Validate() error {
	if err := in.sharedIn.Validate(); err != nil {
		return err
	}
	who := in.User + in.Group
	switch {
	case in.User != "" && in.Group != "", (in.Link == "") == (who == ""):
		return errors.New("give one of link, user and group")
	case who != "" && in.Role == "":
		return errors.New("with user or group, give role; none removes the access")
	case in.Link != "" && in.Role != "":
		return errors.New("role is for user and group: a link lets anyone read")
	case in.Link != "on" && (in.IncludeChildren || in.LinkName != ""):
		return errors.New("include_children and link_name need link on")
	}
	return nil
}

// shareResult tells what was changed.
type shareResult struct {
	placeName
	Change     string      `json:"change" enum:"link_on,link_off,link_ended,given,taken,none"`
	URL        string      `json:"url,omitempty"`
	ShareID    string      `json:"share_id,omitempty" format:"uuid"`
	Children   bool        `json:"include_children,omitempty"`
	With       *sharedWith `json:"with,omitempty"`
	Role       string      `json:"role,omitempty"`
	RoleBefore string      `json:"role_before,omitempty"`
}

// sharedWith is the person or the group whose access was changed.
type sharedWith struct {
	Name    string `json:"name,omitempty"`
	UserID  string `json:"user_id,omitempty" format:"uuid"`
	GroupID string `json:"group_id,omitempty" format:"uuid"`
}

// String returns the name, if it is known, and the ID.
func (w sharedWith) String() string {
	return strings.Join(nonEmpty(map[bool]string{true: titleOf(w.Name)}[w.Name != ""], w.UserID+w.GroupID), " ")
}

// WriteText implements output.Result.
func (s shareResult) WriteText(t *output.Text) {
	place := s.placeName.String()
	switch s.Change {
	case "link_on":
		t.Line("Anyone with the link can read %s now: %s", place, s.URL)
		t.If(s.Children && s.DocumentID != "").Line("The link opens all documents below, too.")
		t.Line("share_id %s. link off closes it again.", s.ShareID)
	case "link_off":
		t.Line("The link to %s does not work any more. Its address %s is kept: link on opens it again.", place, s.URL)
	case "link_ended":
		t.Line("The link %s to %s is permanently deleted.", s.URL, place)
	case "given":
		t.Printf("Gave %s the role %s in %s", s.With, s.Role, place)
		t.If(s.RoleBefore != "").Printf("; before, it was %s", s.RoleBefore)
		t.Line(".")
	case "taken":
		t.Line("Took the access of %s to %s away; the role was %s.", s.With, place, s.RoleBefore)
		t.Advice("[There may be other ways to open it: list_access shows them.]")
	default:
		t.Line("Nothing changed: access to %s is already as requested.", place)
	}
}

// ask has the user agree to a change of a place. before and after are what the question
// has around it.
func (p sharedPlace) ask(ctx context.Context, env mcptool.Env, before, after, details string) error {
	return env.Person.Confirm(ctx, func(ctx context.Context) (elicit.Question, error) {
		where, bound := "the collection "+titleOf(p.collection.Name), fmt.Sprint(p.CollectionID, " ", p.collection.UpdatedAt.UnixNano())
		if p.isDocument() {
			where, bound = located(ctx, env, p.document), boundTo(p.document)
		}
		return elicit.Question{Text: before + where + after, Details: details, Bound: bound}, nil
	})
}

// link makes, changes or ends a public link.
func (in shareIn) link(ctx context.Context, env mcptool.Env, p sharedPlace, done *shareResult) error {
	now, err := env.Outline.Share(ctx, p.Place)
	if err != nil {
		return notShared(err)
	}
	children := in.IncludeChildren || !p.isDocument() // a collection is nothing but what is in it
	done.URL, done.ShareID, done.Children, done.Change = now.URL, now.ID, children, "none"
	switch in.Link {
	case "on":
		if now.Published && now.Children == children && (in.LinkName == "" || in.LinkName == now.URLID) {
			return nil
		}
		below := ""
		if children && p.isDocument() {
			below = " and all documents below it, also those that are added later"
		}
		if err = p.ask(ctx, env, "Let anyone on the internet who has the link read ", below+"?", ""); err == nil {
			now, err = env.Outline.SetShare(ctx, p.Place, outline.ShareParams{Published: true, Children: children, URLID: in.LinkName})
		}
		done.Change, done.URL, done.ShareID = "link_on", now.URL, now.ID
	case "off":
		if !now.Published {
			return nil
		}
		if err = p.ask(ctx, env, "Close the public link to ", "?", now.URL); err == nil {
			now, err = env.Outline.SetShare(ctx, p.Place, outline.ShareParams{Children: now.Children})
		}
		done.Change, done.Children = "link_off", false
	case "end":
		if now.ID == "" {
			return nil
		}
		if err = p.ask(ctx, env, "End the public link to ", "? Its address will never work again.", now.URL); err == nil {
			now.Place = p.Place
			err = env.Outline.EndShare(ctx, now)
		}
		done.Change, done.Children = "link_ended", false
	}
	return notShared(err)
}

// notShared explains why Outline refuses to change a public link.
func notShared(err error) error {
	return explainRefusal(err, output.Failure{Sentence: "Outline does not let this key change the public link: that takes the right to share here, " +
		"and only who made a link, or an admin, ends it; sharing can be switched off for the workspace or the collection.", Next: "Ask a person who manages it."})
}

// grant gives or takes the access of a person or a group.
func (in shareIn) grant(ctx context.Context, env mcptool.Env, p sharedPlace, done *shareResult) error {
	g, with := outline.Grant{Permission: in.Role}, &sharedWith{}
	if in.Role == "none" {
		g.Permission = ""
	}
	kind := "user "
	if in.Group != "" {
		kind = "group "
		group, err := groupCalled(ctx, env, in.Group)
		if err != nil {
			return err
		}
		g.GroupID, with.Name = group.ID, group.Name
	} else {
		user, err := findPerson(ctx, env, "user", "the UUID", in.User)
		if err != nil {
			return err
		}
		g.UserID, with.Name = user.ID, user.Name
	}
	grants, err := env.Outline.Grants(ctx, p.Place)
	if err != nil {
		return notGranted(err)
	}
	for _, now := range grants {
		if now.UserID == g.UserID && now.GroupID == g.GroupID {
			with.Name = now.Name
			if now.SourceID != "" && g.Permission == "" {
				return output.Invalid("%s can open this because of an invitation to a document above it. Take the access away there", titleOf(now.Name))
			}
			done.RoleBefore = now.Permission
		}
	}
	with.Name, with.UserID, with.GroupID = output.Label(with.Name), g.UserID, g.GroupID
	done.With, done.Role, done.Change = with, g.Permission, "none"
	if done.RoleBefore == g.Permission {
		return nil
	}
	who := kind + with.String()
	if g.Permission == "" {
		done.Change = "taken"
		err = p.ask(ctx, env, "Take the access of the "+who+" to ", " away?", "")
	} else {
		done.Change = "given"
		err = p.ask(ctx, env, "Give the "+who+" the role "+g.Permission+" in ", "?", "")
	}
	if err == nil {
		err = env.Outline.SetGrant(ctx, p.Place, g)
	}
	return notGranted(err)
}

// notGranted explains why Outline refuses to change who has access.
func notGranted(err error) error {
	return explainRefusal(err, output.Failure{
		Sentence: "Outline does not let this key change who has access here: only an admin of the collection or the document can change it, and only for users that the key can see.",
		Next:     "Ask a person who manages it.",
	})
}
