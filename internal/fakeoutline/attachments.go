package fakeoutline

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
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

func (a *attachment) present() apiJSON {
	return encodeJSON(struct {
		UserID      string  `json:"userId"`
		DocumentID  *string `json:"documentId"`
		ContentType string  `json:"contentType"`
		Name        string  `json:"name"`
		ID          string  `json:"id"`
		URL         string  `json:"url"`
		Size        int     `json:"size,string"`
	}{a.UserID, stringOrNull(a.DocumentID), a.ContentType, a.Name, a.ID, "/api/attachments.redirect?id=" + a.ID, a.declared})
}

func (s *store) addAttachment(a *attachment) {
	s.attachments[a.ID] = a
	s.attachmentIDs = append(s.attachmentIDs, a.ID)
}

// attachmentsCreate implements attachments.create, which answers with a form to
// upload the file with.
func (s *store) attachmentsCreate(r *request, in struct {
	ID          string  `in:"id,uuid"`
	Name        string  `in:"name"`
	DocumentID  string  `in:"documentId,null,uuid"`
	ContentType *string `in:"contentType"`
	Size        int     `in:"size,required,index"`
	Preset      string  `in:"preset,one=documentAttachment|workspaceImport|import|avatar|emoji"`
}) (apiAnswer, error) {
	a := attachment{
		Attachment: Attachment{
			ID: in.ID, Name: in.Name, DocumentID: in.DocumentID, UserID: r.caller.ID, ContentType: valueOr(in.ContentType, "application/octet-stream"),
		},
		declared: in.Size, most: maxUpload,
	}
	if a.DocumentID != "" {
		d, ok := s.documents[a.DocumentID]
		if !ok || d.state() != stateActive && d.state() != stateDraft || !s.rightsOn(d, r.caller).Write {
			return apiAnswer{}, apiForbidden()
		}
	}
	switch in.Preset {
	case "avatar":
		a.public = true
		if images := []string{"image/jpg", "image/jpeg", "image/png"}; !slices.Contains(images, a.ContentType) {
			return apiAnswer{}, apiInvalid("Must be one of %s", strings.Join(images, ", "))
		}
	case "emoji":
		a.most = maxEmoji
	}
	switch {
	case a.declared > a.most:
		return apiAnswer{}, apiInvalid("Sorry, this file is too large – the maximum size is %d MB", a.most>>20)
	case a.ID == "":
		a.ID = s.uuid()
	case s.taken(a.ID):
		return apiAnswer{}, apiInvalid("id must be unique (id)")
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
	return apiAnswer{Data: jsonObject(map[string]apiJSON{
		"mode": encodeJSON("post"), "uploadUrl": encodeJSON("/api/files.create"), "form": encodeJSON(form), "attachment": a.present(),
	})}, nil
}

// attachmentsList implements attachments.list, newest first: the caller's own
// uploads, or those of another user for an admin.
func (s *store) attachmentsList(r *request, in struct {
	DocumentID string `in:"documentId,null,uuid"`
	UserID     string `in:"userId,null,uuid"`
}) (apiAnswer, error) {
	documentID, userID := in.DocumentID, in.UserID
	if documentID != "" {
		if d, ok := s.documents[documentID]; !ok || !s.rightsOn(d, r.caller).Read {
			return apiAnswer{}, apiForbidden()
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
	return countedAnswer(r, list, (*attachment).present)
}

// attachmentsRedirect implements attachments.redirect: every user of the
// workspace may read every file.
func (s *store) attachmentsRedirect(r *request) (apiAnswer, error) {
	if id, _ := r.Fields.Values["id"].(string); id == "" {
		return apiAnswer{}, apiInvalid("id is required")
	}
	return with((*store).redirect)(s, r)
}

func (s *store) redirect(r *request, in uuidInput) (apiAnswer, error) {
	a, ok := s.attachments[in.ID]
	switch {
	case !ok:
		return apiAnswer{}, apiNotFound()
	case r.caller.ID == "":
		return apiAnswer{}, apiForbidden()
	}
	return apiAnswer{Location: r.Origin + "/api/files.get?sig=" + s.sign("get", a.ID)}, nil
}

// attachmentsDelete implements attachments.delete, for the uploader and admins.
func (s *store) attachmentsDelete(r *request, in uuidInput) (apiAnswer, error) {
	a, ok := s.attachments[in.ID]
	switch {
	case !ok:
		return apiAnswer{}, apiNotFound()
	case a.UserID != r.caller.ID && r.caller.Role != Admin:
		return apiAnswer{}, apiForbidden()
	}
	delete(s.attachments, a.ID)
	s.attachmentIDs = slices.DeleteFunc(s.attachmentIDs, func(other string) bool { return other == a.ID })
	return apiDone, nil
}

// sign returns the signature that lets anybody do something with the file of an
// attachment or an export. It begins with the ID, as that of Outline holds it. Two
// workspaces with the same content sign alike, so that answers can be compared.
func (s *store) sign(purpose, id string) string {
	mac := hmac.New(sha256.New, []byte(s.team.ID))
	mac.Write([]byte(purpose + " " + id))
	return id + "-" + hex.EncodeToString(mac.Sum(nil)[:8])
}

// signed returns the ID in a signature. The error is that for one that the
// workspace has not made.
func (s *store) signed(purpose, sig string) (string, error) {
	if id := sig[:min(36, len(sig))]; hmac.Equal([]byte(s.sign(purpose, id)), []byte(sig)) {
		return id, nil
	}
	return "", apiUnauthorized("Unable to decode token")
}

// filesCreate implements files.create, which takes the form that
// attachments.create answered with, and the file. The signature is enough; the
// uploader's key is so without one.
func (s *store) filesCreate(r *request, in struct {
	Key string `in:"key"`
	Sig string `in:"sig"`
}) (apiAnswer, error) {
	key, sig := in.Key, in.Sig
	a := s.attachmentAt(key)
	if sig != "" {
		id, err := s.signed("upload", sig)
		switch {
		case err != nil:
			return apiAnswer{}, err
		case a == nil || a.ID != id:
			return apiAnswer{}, apiUnauthorized("Invalid signature")
		}
	}
	switch {
	case a == nil, sig == "" && a.UserID != r.caller.ID:
		return apiAnswer{}, apiForbidden()
	case r.Upload == nil:
		return apiAnswer{}, apiInvalidRequest("Request must include a file parameter")
	case len(r.Upload.Content) > a.declared:
		return apiAnswer{}, apiInvalid("The uploaded file exceeds the declared size of %d Bytes", a.declared)
	case a.Content != nil:
		return apiAnswer{}, apiInvalid("File already exists at %s", key)
	}
	stored := *a
	stored.Content = r.Upload.Content
	s.attachments[a.ID] = &stored
	return apiDone, nil
}

// filesGet implements files.get, with a signature or, for users of the
// workspace, the key under which a file is stored.
func (s *store) filesGet(r *request, in struct {
	Key      string `in:"key"`
	Sig      string `in:"sig"`
	Download string `in:"download"`
}) (apiAnswer, error) {
	var a *attachment
	if in.Sig != "" {
		id, err := s.signed("get", in.Sig)
		if err != nil {
			return apiAnswer{}, err
		}
		if e, ok := s.exports[id]; ok {
			return apiAnswer{File: &apiFile{ContentType: "application/zip", Name: apiFileName(e.Name, ".zip"), Body: string(e.file())}}, nil
		}
		a = s.attachments[id]
	} else {
		if r.caller.ID == "" {
			return apiAnswer{}, apiForbidden()
		}
		a = s.attachmentAt(in.Key)
	}
	if a == nil || a.Content == nil {
		return apiAnswer{}, apiNotFound()
	}
	inline := strings.HasPrefix(a.ContentType, "image/") && a.ContentType != "image/svg+xml" || a.ContentType == "application/pdf"
	return apiAnswer{File: &apiFile{ContentType: a.ContentType, Name: a.Name, Body: string(a.Content), Inline: inline && in.Download == ""}}, nil
}

// attachmentAt returns the attachment stored under a key, or nil.
func (s *store) attachmentAt(key string) *attachment {
	if parts := strings.SplitN(key, "/", 4); len(parts) == 4 {
		if a, ok := s.attachments[parts[2]]; ok && a.key() == key {
			return a
		}
	}
	return nil
}

// embedURL matches a paragraph that is the URL of an embed. Of the services
// that Outline embeds these are recorded.
var embedURL = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^https://(?:www\.youtube\.com/watch\?v=|vimeo\.com/\d|gist\.github\.com/\w+/)[^\s<>]*$`)
})

// linkEmbeds makes links of the URLs of embeds, as documents.create does;
// documents.update leaves them as text.
func linkEmbeds(markdown string) string {
	if !strings.Contains(markdown, "https://") {
		return markdown
	}
	var out strings.Builder
	last := 0
	for _, at := range embedURL().FindAllStringIndex(markdown, -1) {
		if !alone(markdown, at[0], at[1]) {
			continue
		}
		out.WriteString(markdown[last:at[0]] + "<" + markdown[at[0]:at[1]] + ">")
		last = at[1]
	}
	return out.String() + markdown[last:]
}

// alone reports whether the lines above and below a line are blank or not
// there.
func alone(text string, start, end int) bool {
	above, below := text[:start], text[end:]
	return (above == "" || strings.HasSuffix(above, "\n\n")) && (strings.TrimSpace(below) == "" || strings.HasPrefix(below, "\n\n"))
}

// inlineImage matches an image whose data are in its URL.
var inlineImage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(!\[[^\]]*\]\()data:image/[^\s;)]+;base64,[^\s)]+`)
})

// storeImages gives images whose data are in the text the address of an
// attachment with a new ID. The attachment itself is not there: the workspace
// stores no files.
func storeImages(markdown string, newID func() string) string {
	if !strings.Contains(markdown, "data:image/") {
		return markdown
	}
	return inlineImage().ReplaceAllStringFunc(markdown, func(image string) string {
		opening := inlineImage().FindStringSubmatch(image)[1]
		return opening + "/api/attachments.redirect?id=" + newID()
	})
}
