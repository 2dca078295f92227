package workspace

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"outline-mcp/internal/workspace/access"
	"outline-mcp/internal/workspace/api"
)

// The maximum sizes of uploaded files in bytes, those of the recorded instance.
const (
	maxUpload = 26_214_400
	maxEmoji  = 1_000_000
)

// An Attachment is a file that was uploaded.
type Attachment struct {
	ID          string
	DocumentID  string // "" if it was uploaded for no document
	UserID      string // who uploaded it
	Name        string
	ContentType string // as the uploader declared it
	Content     []byte // nil if nothing was uploaded
	Declared    int    // the declared size, if that is not the size of Content
}

type attachment struct {
	Attachment
	declared int // size in bytes
	most     int // the size that the form for the upload allows
	public   bool
}

// key is where the file is stored. It identifies the file in links.
func (a *attachment) key() string { return path.Join("uploads", a.UserID, a.ID) + "/" + a.Name }

func (a *attachment) present() api.JSON {
	return api.Encode(struct {
		UserID      string  `json:"userId"`
		DocumentID  *string `json:"documentId"`
		ContentType string  `json:"contentType"`
		Name        string  `json:"name"`
		ID          string  `json:"id"`
		URL         string  `json:"url"`
		Size        int     `json:"size,string"`
	}{a.UserID, api.StringOrNull(a.DocumentID), a.ContentType, a.Name, a.ID, "/api/attachments.redirect?id=" + a.ID, a.declared})
}

func (s *store) addAttachment(a *attachment) {
	s.attachments[a.ID] = a
	s.attachmentIDs = append(s.attachmentIDs, a.ID)
}

// attachmentsCreate implements attachments.create, which answers with a form to
// upload the file with.
func (s *store) attachmentsCreate(r *request) (api.Answer, error) {
	f := &r.Fields
	a := attachment{most: maxUpload}
	a.ID, a.Name, a.DocumentID, a.UserID = f.UUID("id"), f.String("name"), f.OptionalUUID("documentId"), r.caller.ID
	a.ContentType = "application/octet-stream"
	if f.Has("contentType") {
		a.ContentType = f.String("contentType")
	}
	if !f.Has("size") {
		f.Fail("size", "Invalid input: expected number, received undefined")
	}
	if a.declared = f.Int("size", 0); a.declared < 0 {
		f.Fail("size", "Too small: expected number to be >=0")
	}
	preset := f.OneOf("preset", "documentAttachment", "documentAttachment", "workspaceImport", "import", "avatar", "emoji")
	if f.Err != nil {
		return api.Answer{}, f.Err
	}
	if a.DocumentID != "" {
		d, ok := s.documents[a.DocumentID]
		if !ok || d.state() != access.Active && d.state() != access.Draft || !s.rightsOn(d, r.caller).Write {
			return api.Answer{}, api.Forbidden()
		}
	}
	switch preset {
	case "avatar":
		a.public = true
		if images := []string{"image/jpg", "image/jpeg", "image/png"}; !slices.Contains(images, a.ContentType) {
			return api.Answer{}, api.Invalid("Must be one of %s", strings.Join(images, ", "))
		}
	case "emoji":
		a.most = maxEmoji
	}
	switch {
	case a.declared > a.most:
		return api.Answer{}, api.Invalid("Sorry, this file is too large – the maximum size is %d MB", a.most>>20)
	case a.ID == "":
		a.ID = s.uuid()
	case s.taken(a.ID):
		return api.Answer{}, api.Invalid("id must be unique (id)")
	}
	s.addAttachment(&a)
	acl := "private"
	if a.public {
		acl = "public-read"
	}
	form := map[string]string{
		"Cache-Control": "max-age=31557600", "Content-Type": a.ContentType, "key": a.key(), "acl": acl,
		"maxUploadSize": strconv.Itoa(a.most), "contentType": a.ContentType, "sig": s.sign("upload", a.ID), "_csrf": "",
	}
	return api.Answer{Data: slices.Concat(
		api.JSON{[]byte(`{"mode":"post","uploadUrl":"/api/files.create","form":`)}, api.Encode(form),
		api.JSON{[]byte(`,"attachment":`)}, a.present(), api.JSON{[]byte(`}`)},
	)}, nil
}

// attachmentsList implements attachments.list, newest first: the caller's own
// uploads, or those of another user for an admin.
func (s *store) attachmentsList(r *request) (api.Answer, error) {
	documentID, userID := r.Fields.OptionalUUID("documentId"), r.Fields.OptionalUUID("userId")
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	if documentID != "" {
		if d, ok := s.documents[documentID]; !ok || !s.rightsOn(d, r.caller).Read {
			return api.Answer{}, api.Forbidden()
		}
	}
	if userID == "" || r.caller.Role != Admin {
		userID = r.caller.ID
	}
	var list []*attachment
	for _, id := range slices.Backward(s.attachmentIDs) {
		if a := s.attachments[id]; a.UserID == userID && (documentID == "" || a.DocumentID == documentID) {
			list = append(list, a)
		}
	}
	var data []api.JSON
	for _, a := range api.Slice(list, r.Page) {
		data = append(data, a.present())
	}
	return api.Answer{Data: api.Array(data...), Page: r.Counted(len(list))}, nil
}

// attachmentsRedirect implements attachments.redirect: every user of the
// workspace may read every file.
func (s *store) attachmentsRedirect(r *request) (api.Answer, error) {
	if id, _ := r.Fields.Values["id"].(string); id == "" {
		return api.Answer{}, api.Invalid("id is required")
	}
	id := r.Fields.UUID("id")
	a, ok := s.attachments[id]
	switch {
	case r.Fields.Err != nil:
		return api.Answer{}, r.Fields.Err
	case !ok:
		return api.Answer{}, api.NotFound()
	case r.caller.ID == "":
		return api.Answer{}, api.Forbidden()
	}
	return api.Answer{Location: r.Origin + "/api/files.get?sig=" + s.sign("get", a.ID)}, nil
}

// attachmentsDelete implements attachments.delete, for the uploader and admins.
func (s *store) attachmentsDelete(r *request) (api.Answer, error) {
	id := r.Fields.RequiredUUID("id")
	a, ok := s.attachments[id]
	switch {
	case r.Fields.Err != nil:
		return api.Answer{}, r.Fields.Err
	case !ok:
		return api.Answer{}, api.NotFound()
	case a.UserID != r.caller.ID && r.caller.Role != Admin:
		return api.Answer{}, api.Forbidden()
	}
	delete(s.attachments, id)
	s.attachmentIDs = slices.DeleteFunc(s.attachmentIDs, func(other string) bool { return other == id })
	return api.Done, nil
}
