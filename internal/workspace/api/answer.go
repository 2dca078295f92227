package api

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

const jsonType = "application/json; charset=utf-8"

// An answer is what a handler returns: the parts of the API's envelope, as
// JSON, or a file.
type Answer struct {
	Data     JSON        // nil: the answer has none
	Policies JSON        // nil: the answer has none
	Page     *Pagination // nil: the answer is not paged
	Success  bool        // the answer says so
	Extra    JSON        // members beside these, each with a comma behind it
	File     *File       // takes the place of everything else
	Location string      // where a redirection leads; takes the place of everything else
}

// done is the answer of an endpoint that has nothing to show.
var Done = Answer{Success: true}

// A pagination tells where a page of a list stands.
type Pagination struct {
	page
	path  string // the path of the request
	total int    // -1: the endpoint does not count
}

// A file is an answer outside the envelope, made to be saved.
type File struct {
	ContentType string
	Name        string
	Body        string
}

// A reply is a finished answer.
type Reply struct {
	Status      int
	contentType string
	disposition string
	location    string
	body        JSON
}

func (r Reply) Header() http.Header {
	h := http.Header{
		"Content-Type":   {r.contentType},
		"Content-Length": {strconv.Itoa(r.Size())},
	}
	if r.disposition != "" {
		h["Content-Disposition"] = []string{r.disposition}
	}
	if r.location != "" {
		h["Location"] = []string{r.location}
	}
	return h
}

// reader returns a reader of the body.
func (r Reply) Reader() *net.Buffers {
	body := slices.Clone(r.body) // reading consumes it
	return &body
}

// size returns the length of the body in bytes.
func (r Reply) Size() int {
	size := 0
	for _, part := range r.body {
		size += len(part)
	}
	return size
}

// pieces is JSON in parts. The JSON of a document is long and encoded once; in
// parts it reaches the connection without being copied.
type JSON = net.Buffers

// reply puts the envelope together.
func (a Answer) Reply() Reply {
	if a.File != nil {
		return Reply{
			Status:      http.StatusOK,
			contentType: a.File.ContentType,
			disposition: `attachment; filename="` + a.File.Name + `"`,
			body:        JSON{[]byte(a.File.Body)},
		}
	}
	if a.Location != "" {
		return Reply{
			Status:      http.StatusFound,
			contentType: "text/plain; charset=utf-8",
			location:    a.Location,
			body:        JSON{[]byte("Redirecting to " + a.Location + ".")},
		}
	}
	head := []byte{'{'}
	if a.Page != nil {
		head = append(head, `"pagination":`...)
		head = a.Page.append(head)
		head = append(head, ',')
	}
	if a.Success {
		head = append(head, `"success":true,`...)
	}
	body := make(JSON, 0, len(a.Data)+len(a.Extra)+len(a.Policies)+5)
	if a.Data != nil {
		body = append(append(append(body, append(head, `"data":`...)), a.Data...), []byte(","))
	} else {
		body = append(body, head)
	}
	body = append(body, a.Extra...)
	if a.Policies != nil {
		body = append(append(append(body, []byte(`"policies":`)), a.Policies...), []byte(","))
	}
	body = append(body, []byte(`"status":200,"ok":true}`))
	return Reply{Status: http.StatusOK, contentType: jsonType, body: body}
}

// append writes the pagination as JSON. nextPath is there even where nothing
// follows, as recorded.
func (p *Pagination) append(b []byte) []byte {
	b = append(b, `{"limit":`...)
	b = strconv.AppendInt(b, int64(p.limit), 10)
	b = append(b, `,"offset":`...)
	b = strconv.AppendInt(b, int64(p.offset), 10)
	b = append(b, `,"nextPath":"`...)
	b = append(b, p.path...)
	b = append(b, `?limit=`...)
	b = strconv.AppendInt(b, int64(p.limit), 10)
	b = append(b, `&offset=`...)
	b = strconv.AppendInt(b, int64(p.offset)+int64(p.limit), 10)
	b = append(b, '"')
	if p.total >= 0 {
		b = append(b, `,"total":`...)
		b = strconv.AppendInt(b, int64(p.total), 10)
	}
	return append(b, '}')
}

// array joins JSON values to a JSON array.
func Array(items ...JSON) JSON {
	joined := JSON{[]byte("[")}
	for i, item := range items {
		if i > 0 {
			joined = append(joined, []byte(","))
		}
		joined = append(joined, item...)
	}
	return append(joined, []byte("]"))
}

// encode returns v as JSON in one piece, written as JavaScript does, with <, >
// and & as they are. The types it is given here cannot fail to encode.
func Encode(v any) JSON {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("workspace: " + err.Error())
	}
	return JSON{bytes.TrimSuffix(b.Bytes(), []byte("\n"))}
}

// optional is s, or null where s is empty.
func StringOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// fileName makes a name safe to stand between the quotes of a header.
func FileName(slug, extension string) string {
	return strings.Map(func(r rune) rune {
		if r == '"' || r == '\\' || r < ' ' || r > '~' {
			return -1
		}
		return r
	}, slug) + extension
}
