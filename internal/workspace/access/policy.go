package access

import "strings"

// The API describes what the caller may do with an object in a policy. It lists
// every ability with true, false, or the IDs of the memberships that grant it.
// The functions in this file return policies as JSON. Their tables are recorded;
// roles and states without a recording follow the endpoints.

// A State is the state of a document.
type State int

// The states of a document.
const (
	Active   State = iota // published
	Draft                 // not published
	Archived              // in the archive
	Deleted               // in the trash
)

// DocumentPolicy returns the policy of a document in a state, given the caller's
// rights on it.
func (c *Caller) DocumentPolicy(id string, state State, rights DocumentRights) []byte {
	read, write := rights.Read, rights.Write
	admin := when(c.Role == Admin && write.Allowed, byRole)
	active, draft := state == Active, state == Draft
	member := c.Role != Guest
	insight := c.Insight(rights, state)
	p := newPolicy(id)
	p.add(read, "read download star unstar subscribe unsubscribe")
	p.add(when(active || draft, write), "update move")
	p.add(when(member && (active || draft), write), "duplicate")
	p.add(when(member && (active || draft), rights.Archive), "share")
	p.add(when(state != Deleted, write), "delete")
	p.add(insight, "listRevisions listViews")
	p.add(when(c.MayComment(rights, state), read), "comment")
	p.add(when(active, rights.Archive), "archive")
	p.add(when(active && member, rights.Archive), "unpublish")
	p.add(when(active, write), "createChildDocument")
	p.add(when(draft, write), "publish")
	p.add(when(draft, write).or(admin), "manageUsers")
	p.add(when(active, admin), "updateInsights pin unpin pinToHome")
	p.add(when(member && state == Archived, write), "unarchive")
	p.add(when(member && state == Deleted, write), "restore")
	p.add(when(state == Deleted, admin), "permanentDelete")
	return p.close()
}

// Insight returns the right to see who views a document and its revisions, given
// the rights on it and its state. A guest who may only read sees only the text.
func (c *Caller) Insight(rights DocumentRights, state State) Grant {
	if c.Role != Guest {
		return rights.Read
	}
	return when(state == Active || state == Draft, rights.Write)
}

// MayChangeRevision reports whether the caller may rename a revision by an
// author. Only admins may delete one.
func (c *Caller) MayChangeRevision(authorID string) bool {
	return c.Role == Admin || c.Role == Member && c.ID == authorID
}

// RevisionPolicy returns the policy of a revision by an author.
func (c *Caller) RevisionPolicy(id, authorID string) []byte {
	p := newPolicy(id)
	p.add(when(c.MayChangeRevision(authorID), byRole), "update")
	p.add(when(c.Role == Admin, byRole), "delete")
	return p.close()
}

// CollectionPolicy returns the policy of a collection, given the caller's rights
// on it and whether it is archived.
func (c *Caller) CollectionPolicy(id string, archived bool, rights CollectionRights) []byte {
	active, member := !archived, c.Role != Guest
	p := newPolicy(id)
	p.add(rights.See, "read download")
	p.add(when(active && member, rights.Manage.or(rights.Write)), "duplicate")
	p.add(when(active, rights.Manage), "update move createTemplate manageTemplate archive export")
	p.add(rights.Manage, "delete")
	p.add(when(archived, rights.Manage), "restore")
	p.add(rights.Read, "readDocument star unstar subscribe unsubscribe")
	p.add(when(member, rights.Write), "share")
	p.add(rights.Write, "updateDocument")
	p.add(when(active, rights.Write), "createDocument deleteDocument")
	return p.close()
}

// CommentPolicy returns the policy of a comment, given the caller's rights on it,
// whether it starts a thread, and whether the thread is resolved.
func CommentPolicy(id string, top, resolved bool, rights CommentRights) []byte {
	p := newPolicy(id)
	p.add(byRole, "read readReaction")
	p.add(when(rights.Change, byRole), "update delete")
	p.add(when(rights.Resolve && top && !resolved, byRole), "resolve")
	p.add(when(rights.Resolve && top && resolved, byRole), "unresolve")
	p.add(when(rights.Comment, byRole), "addReaction removeReaction")
	return p.close()
}

// ExportPolicy returns the policy of an export in a list, of a single document or
// of collections.
func ExportPolicy(id string, ofDocument bool) []byte {
	p := newPolicy(id)
	p.add(when(!ofDocument, byRole), "read")
	p.add(byRole, "delete")
	return p.close()
}

// UserPolicy returns the policy of a user.
func (c *Caller) UserPolicy(id string, suspended bool) []byte {
	self, admin := c.ID == id, c.Role == Admin
	p := newPolicy(id)
	p.add(byRole, "read")
	p.add(when(self || admin, byRole), "listApiKeys update delete readDetails")
	p.add(when(c.DetailOf(id) >= WithEmail, byRole), "readEmail")
	p.add(when(admin && !self, byRole), "activate suspend")
	p.add(when(admin && !self && !suspended, byRole), "promote demote")
	p.add(Grant{}, "resendInvite")
	return p.close()
}

// TemplatePolicy returns the policy of a template that the caller may read, given
// whether the caller may change it.
func (c *Caller) TemplatePolicy(id string, change bool) []byte {
	p := newPolicy(id)
	p.add(byRole, "read")
	p.add(when(change, byRole), "update delete move duplicate")
	p.add(Grant{}, "restore")
	p.add(when(c.Role != Guest, byRole), "listRevisions")
	return p.close()
}

// TeamPolicy returns the policy of the team.
func (c *Caller) TeamPolicy(id string) []byte {
	p := newPolicy(id)
	p.add(byRole, "read")
	p.add(when(c.Role != Guest, byRole), "createApiKey createAttachment createComment listOAuthAuthentications listUsers listGroups readTemplate")
	p.add(when(c.Role.AtLeast(Member), byRole),
		"createCollection share createDocument createShare listShares inviteUser createEmoji")
	p.add(when(c.Role == Admin, byRole), `update createAuthenticationProvider importCollection createTemplate
		createFileOperation createExport createImport listImports createIntegration createOAuthClient listOAuthClients
		updateTemplate createGroup createWebhookSubscription listWebhookSubscription`)
	p.add(Grant{}, "listApiKeys delete createTeam audit createUserPasskey")
	return p.close()
}

// GroupPolicy returns the policy of a group.
func (c *Caller) GroupPolicy(id string) []byte {
	p := newPolicy(id)
	p.add(byRole, "read")
	p.add(when(c.Role == Admin, byRole), "update delete")
	return p.close()
}

// ClientPolicy returns the policy of an OAuth client.
func (c *Caller) ClientPolicy(id string) []byte {
	p := newPolicy(id)
	p.add(byRole, "read")
	p.add(when(c.Role == Admin, byRole), "update delete")
	return p.close()
}

// EmptyPolicy returns a policy that lists no ability.
func EmptyPolicy(id string) []byte { return newPolicy(id).close() }

// A policy is the JSON of a policy up to the abilities added last.
type policy []byte

func newPolicy(id string) policy {
	return append(append(append(make(policy, 0, 640), `{"id":"`...), id...), `","abilities":{`...)
}

// add appends abilities with the same grant, whose names are separated by white
// space.
func (p *policy) add(g Grant, abilities string) {
	b := *p
	for ability := range strings.FieldsSeq(abilities) {
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, ability...)
		b = append(b, `":`...)
		switch {
		case !g.Allowed:
			b = append(b, "false"...)
		case g.memberships == nil:
			b = append(b, "true"...)
		default:
			for i, id := range g.memberships {
				b = append(b, "[,"[min(i, 1)], '"')
				b = append(b, id...)
				b = append(b, '"')
			}
			b = append(b, ']')
		}
	}
	*p = b
}

func (p policy) close() []byte { return append(p, "}}"...) }
