package outline

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// An Object is something in Outline that requests have named, or answers have shown.
type Object struct {
	Kind string `json:"kind" jsonschema:"document, collection, comment, attachment or another kind of object in Outline's API"`
	// ID is a UUID, or the URL id with which something was written.
	ID string `json:"id" jsonschema:"UUID, or the URL id if a write used it and Outline did not return the UUID"`
	// Write reports whether a request that changes something was about it, or created it.
	Write bool `json:"write,omitempty" jsonschema:"whether a request, even one that failed, was to change or create the object"`
	// Before is the revision of a document when it was first seen, and After the last
	// one seen since a request to change it was sent; 0 if none was seen.
	Before int `json:"revision_before,omitempty" jsonschema:"revision of a document when the call first saw it"`
	After  int `json:"revision_after,omitempty" jsonschema:"last revision of a document that the call saw after it began to write"`
}

// MaxObjects is how many objects a Objects lists, and how many more of those that
// something was written to.
const MaxObjects = 500

// Objects collects what the requests of a context are about, from the requests and
// their answers themselves, so that no caller can forget to tell. The zero value is
// ready to use. It is safe for concurrent use.
type Objects struct {
	// BeforeWrite is called before each request that changes something, after what was
	// set with BeforeCommands; nil allows all. If it fails, the request is not sent: the
	// call fails with ErrWithheld and wraps the error. Access is the role that the request
	// gives, public or closed for a link, or "".
	BeforeWrite func(ctx context.Context, endpoint, access string) error

	mu      sync.Mutex
	objects map[[2]string]*Object // by kind and ID
	order   []*Object
	leftOut int
}

type objectsKey struct{}

// ContextWithObjects returns a context whose requests are collected.
func ContextWithObjects(ctx context.Context, t *Objects) context.Context {
	return context.WithValue(ctx, objectsKey{}, t)
}

// objectsOf returns what collects a request, or nil.
func objectsOf(ctx context.Context, r request) *Objects {
	t, _ := ctx.Value(objectsKey{}).(*Objects)
	if t == nil || !r.command() && optionsOf(ctx).inPassing {
		return nil
	}
	return t
}

// List returns the objects, first what was written to, and how many more
// mentions of objects were left out.
func (t *Objects) List() (objects []Object, leftOut int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, write := range []bool{true, false} {
		for _, o := range t.order {
			if o.Write == write {
				objects = append(objects, *o)
			}
		}
	}
	return objects, t.leftOut
}

// asks notes the IDs in the arguments of a request: the values of id and of fields such
// as documentId and documentIds. A URL id can be any word that a caller made up, so it
// counts only where something may be written; the answer to a reading request has the
// UUID.
func (t *Objects) asks(r request, payload []byte) {
	if t == nil {
		return
	}
	var arguments map[string]json.RawMessage
	if json.Unmarshal(payload, &arguments) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, value := range arguments {
		kind, isOwn := kindOfArgument(r.endpoint, name)
		if kind == "" {
			continue
		}
		var ids []string
		if json.Unmarshal(value, &ids) != nil {
			ids = make([]string, 1)
			_ = json.Unmarshal(value, &ids[0]) // a value of any other type is no ID
		}
		for _, id := range ids {
			if IsUUID(id) || r.command() && urlID().MatchString(id) {
				t.add(kind, id, r.command() && isOwn, 0)
			}
		}
	}
}

// accessIn returns the access that a request gives, as BeforeWrite gets it.
func accessIn(endpoint string, payload []byte) string {
	var given struct {
		Permission json.RawMessage
		Published  *bool
	}
	_ = json.Unmarshal(payload, &given) // a file has none
	permission := ""
	_ = json.Unmarshal(given.Permission, &permission)
	switch {
	case string(given.Permission) == "null" && strings.HasPrefix(endpoint, "collections."):
		return "private"
	case slices.Contains([]string{"read", "read_write", "admin"}, permission):
		return permission
	case given.Published != nil && strings.HasPrefix(endpoint, "shares."):
		return map[bool]string{true: "public", false: "closed"}[*given.Published]
	}
	return ""
}

// answers notes what the answer to a request shows. The answer may be of any form.
func (t *Objects) answers(r request, body []byte) {
	if t == nil {
		return
	}
	var answer struct {
		Data objectEntries `json:"data"`
	}
	_ = json.Unmarshal(body, &answer) // with errors, the fields of other types are left out
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries(namespaceKind(r.endpoint), answer.Data, r.command())
}

func (t *Objects) entries(kind string, entries []objectEntry, write bool) {
	for _, e := range entries {
		t.add(kind, e.ID, write, e.Revision)
		t.add("document", e.DocumentID, false, 0)
		t.add("collection", e.CollectionID, false, 0)
		t.entries(kind, e.Children, write)
		t.entries("document", slices.Concat(e.Document, e.Documents), write)
		t.entries("collection", slices.Concat(e.Collection, e.Collections), false)
		t.entries("attachment", e.Attachment, write)
		t.entries("fileOperation", e.FileOperation, write)
	}
}

// add notes an object. The caller holds mu.
func (t *Objects) add(kind, id string, write bool, revision int) {
	if kind == "" || !IsUUID(id) && !urlID().MatchString(id) {
		return
	}
	if IsUUID(id) {
		id = strings.ToLower(id)
	}
	o, known := t.objects[[2]string{kind, id}]
	if !known {
		if n := len(t.order); n >= 2*MaxObjects || n >= MaxObjects && !write {
			t.leftOut++
			return
		}
		if t.objects == nil {
			t.objects = map[[2]string]*Object{}
		}
		o = &Object{Kind: kind, ID: id}
		t.objects[[2]string{kind, id}] = o
		t.order = append(t.order, o)
	}
	o.Write = o.Write || write
	switch {
	case revision <= 0 || kind != "document":
	case o.Write:
		o.After = revision
	case o.Before == 0:
		o.Before = revision
	}
}

// A objectEntry holds what entries of answers have of objects.
type objectEntry struct {
	ID            string        `json:"id"`
	Revision      int           `json:"revision"`
	DocumentID    string        `json:"documentId"`
	CollectionID  string        `json:"collectionId"`
	Children      objectEntries `json:"children"` // of a document in the tree of a collection
	Document      objectEntries `json:"document"`
	Documents     objectEntries `json:"documents"`
	Collection    objectEntries `json:"collection"`
	Collections   objectEntries `json:"collections"`
	Attachment    objectEntries `json:"attachment"`
	FileOperation objectEntries `json:"fileOperation"`
}

// objectEntries are the entries of a list, or a single one.
type objectEntries []objectEntry

// UnmarshalJSON implements json.Unmarshaler. Anything but objects is left out.
func (e *objectEntries) UnmarshalJSON(data []byte) error {
	switch data = bytes.TrimSpace(data); {
	case len(data) > 0 && data[0] == '[':
		var list []objectEntry
		_ = json.Unmarshal(data, &list)
		*e = list
	case len(data) > 0 && data[0] == '{':
		var one objectEntry
		_ = json.Unmarshal(data, &one)
		*e = objectEntries{one}
	}
	return nil
}

// namespaceKind returns the kind of the objects of an endpoint: document for
// documents.info and collections.documents. It is "" where objects are not those of
// the workspace.
func namespaceKind(endpoint string) string {
	namespace, _, _ := strings.Cut(endpoint, ".")
	switch {
	case namespace == "auth", namespace == "apiKeys", namespace == "installation":
		return ""
	case endpoint == "collections.documents":
		return "document"
	}
	return strings.TrimSuffix(namespace, "s")
}

// kindOfArgument returns the kind of what an argument of an endpoint identifies, or ""
// if it is not an ID. own reports that the request is about that object itself.
func kindOfArgument(endpoint, name string) (kind string, own bool) {
	if name == "id" || name == "ids" {
		namespace, _, _ := strings.Cut(endpoint, ".")
		if namespaceKind(endpoint) == "" {
			return "", false
		}
		return strings.TrimSuffix(namespace, "s"), true
	}
	name, isID := strings.CutSuffix(strings.TrimSuffix(name, "s"), "Id")
	if !isID {
		return "", false
	}
	for _, kind := range []string{"document", "collection", "comment", "template", "attachment", "user", "group", "revision"} {
		if strings.HasSuffix(strings.ToLower(name), kind) { // such as parentDocumentId
			return kind, false
		}
	}
	return "", false
}
