package workspace

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"outline-mcp/internal/workspace/api"
)

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
	return "", api.Unauthorized("Unable to decode token")
}

// filesCreate implements files.create, which takes the form that
// attachments.create answered with, and the file. The signature is enough; the
// uploader's key is so without one.
func (s *store) filesCreate(r *request) (api.Answer, error) {
	key, sig := r.Fields.String("key"), r.Fields.String("sig")
	a := s.attachmentAt(key)
	if sig != "" {
		id, err := s.signed("upload", sig)
		switch {
		case err != nil:
			return api.Answer{}, err
		case a == nil || a.ID != id:
			return api.Answer{}, api.Unauthorized("Invalid signature")
		}
	}
	switch {
	case a == nil, sig == "" && a.UserID != r.caller.ID:
		return api.Answer{}, api.Forbidden()
	case r.Upload == nil:
		return api.Answer{}, api.InvalidRequest("Request must include a file parameter")
	case len(r.Upload.Content) > a.declared:
		return api.Answer{}, api.Invalid("The uploaded file exceeds the declared size of %d Bytes", a.declared)
	case a.Content != nil:
		return api.Answer{}, api.Invalid("File already exists at %s", key)
	}
	stored := *a
	stored.Content = r.Upload.Content
	s.attachments[a.ID] = &stored
	return api.Done, nil
}

// filesGet implements files.get, with a signature or, for users of the
// workspace, the key under which a file is stored.
func (s *store) filesGet(r *request) (api.Answer, error) {
	var a *attachment
	if sig := r.Fields.String("sig"); sig != "" {
		id, err := s.signed("get", sig)
		if err != nil {
			return api.Answer{}, err
		}
		if e, ok := s.exports[id]; ok {
			return api.Answer{File: &api.File{ContentType: "application/zip", Name: api.FileName(e.Name, ".zip"), Body: string(e.file())}}, nil
		}
		a = s.attachments[id]
	} else {
		if r.caller.ID == "" {
			return api.Answer{}, api.Forbidden()
		}
		a = s.attachmentAt(r.Fields.String("key"))
	}
	if a == nil || a.Content == nil {
		return api.Answer{}, api.NotFound()
	}
	inline := strings.HasPrefix(a.ContentType, "image/") && a.ContentType != "image/svg+xml" || a.ContentType == "application/pdf"
	return api.Answer{File: &api.File{ContentType: a.ContentType, Name: a.Name, Body: string(a.Content), Inline: inline && r.Fields.String("download") == ""}}, nil
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
