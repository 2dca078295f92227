package workspace

import "strings"

// A policy in an answer lists, for one object, every ability and whether the
// caller has it: true, false, or the IDs of the memberships that give it. The
// tables below are recorded; where a role or a state was not, they follow the
// endpoints.

// A policyWriter writes one policy.
type policyWriter struct{ json []byte }

func newPolicy(id string) *policyWriter {
	return &policyWriter{append(append(append(make([]byte, 0, 640), `{"id":"`...), id...), `","abilities":{`...)}
}

// add writes abilities, named with spaces between them, that have one grant.
func (p *policyWriter) add(g grant, abilities string) {
	for ability := range strings.FieldsSeq(abilities) {
		if p.json[len(p.json)-1] != '{' {
			p.json = append(p.json, ',')
		}
		p.json = append(p.json, '"')
		p.json = append(p.json, ability...)
		p.json = append(p.json, `":`...)
		switch {
		case !g.allowed:
			p.json = append(p.json, "false"...)
		case g.through == nil:
			p.json = append(p.json, "true"...)
		default:
			for i, id := range g.through {
				p.json = append(p.json, "[,"[min(i, 1)], '"')
				p.json = append(p.json, id...)
				p.json = append(p.json, '"')
			}
			p.json = append(p.json, ']')
		}
	}
}

func (p *policyWriter) text() pieces { return pieces{append(p.json, "}}"...)} }

// when is the grant if the condition holds.
func when(condition bool, g grant) grant {
	if condition {
		return g
	}
	return grant{}
}

func (s *store) documentPolicy(c *caller, d *document) pieces {
	rights := s.rightsOn(d, c)
	read, write := rights.read, rights.write
	var (
		admin    = when(c.Role == Admin && write.allowed, byRole)
		deleted  = !d.DeletedAt.IsZero()
		archived = !deleted && !d.ArchivedAt.IsZero()
		draft    = !deleted && !archived && d.isDraft()
		active   = !deleted && !archived && !draft
		editable = when(active || draft, write)
		// A guest sees no more than the text.
		insight = when(c.Role != Guest, read)
	)
	p := newPolicy(d.ID)
	p.add(read, "read download star unstar subscribe unsubscribe")
	p.add(editable, "update move duplicate share")
	p.add(when(!deleted, write), "delete")
	p.add(insight, "listRevisions listViews")
	p.add(when(active || draft, insight), "comment")
	p.add(when(active, write), "archive createChildDocument unpublish")
	p.add(when(draft, write), "publish")
	p.add(when(draft, write).or(admin), "manageUsers")
	p.add(when(active, admin), "updateInsights pin unpin pinToHome")
	p.add(when(archived, write), "unarchive")
	p.add(when(deleted, write), "restore")
	p.add(when(deleted, admin), "permanentDelete")
	return p.text()
}

func (s *store) collectionPolicy(c *caller, col *Collection) pieces {
	rights := c.rights(col)
	active := col.ArchivedAt.IsZero()
	writes := rights.write
	p := newPolicy(col.ID)
	p.add(rights.see, "read")
	p.add(rights.see, "download")
	p.add(when(active, rights.manage.or(writes)), "duplicate")
	p.add(when(active, rights.manage), "update move createTemplate manageTemplate archive export")
	p.add(rights.manage, "delete")
	p.add(when(!active, rights.manage), "restore")
	p.add(rights.read, "readDocument star unstar subscribe unsubscribe")
	p.add(writes, "share updateDocument")
	p.add(when(active, writes), "createDocument deleteDocument")
	return p.text()
}

func (s *store) userPolicy(c *caller, u *User) pieces {
	self, admin := c.ID == u.ID, c.Role == Admin
	p := newPolicy(u.ID)
	p.add(byRole, "read")
	p.add(when(self || admin, byRole), "listApiKeys update delete readDetails")
	p.add(when(c.detailOf(u) >= withEmail, byRole), "readEmail")
	p.add(when(admin && !self, byRole), "activate suspend")
	p.add(when(admin && !self && !u.Suspended, byRole), "promote demote")
	p.add(grant{}, "resendInvite")
	return p.text()
}

func (s *store) teamPolicy(c *caller) pieces {
	p := newPolicy(s.team.ID)
	p.add(byRole, "read")
	p.add(when(c.Role != Guest, byRole), "createApiKey createAttachment createComment listOAuthAuthentications listUsers listGroups readTemplate")
	p.add(when(c.Role.rank() >= Member.rank(), byRole),
		"createCollection share createDocument createShare listShares inviteUser createEmoji")
	p.add(when(c.Role == Admin, byRole), `update createAuthenticationProvider importCollection createTemplate
		createFileOperation createExport createImport listImports createIntegration createOAuthClient listOAuthClients
		updateTemplate createGroup createWebhookSubscription listWebhookSubscription`)
	p.add(grant{}, "listApiKeys delete createTeam audit createUserPasskey")
	return p.text()
}

func groupPolicy(c *caller, groupID string) pieces {
	p := newPolicy(groupID)
	p.add(byRole, "read")
	p.add(when(c.Role == Admin, byRole), "update delete")
	return p.text()
}
