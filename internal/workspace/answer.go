package workspace

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

const jsonType = "application/json; charset=utf-8"

// An answer is what a handler returns: the parts of the API's envelope, as
// JSON, or a file.
type answer struct {
	data     pieces      // nil: the answer has none
	policies pieces      // nil: the answer has none
	page     *pagination // nil: the answer is not paged
	success  bool        // the answer says so
	extra    pieces      // members beside these, each with a comma behind it
	file     *file       // takes the place of everything else
	location string      // where a redirection leads; takes the place of everything else
}

// done is the answer of an endpoint that has nothing to show.
var done = answer{success: true}

// A pagination tells where a page of a list stands.
type pagination struct {
	page
	path  string // the path of the request
	total int    // -1: the endpoint does not count
}

// A file is an answer outside the envelope, made to be saved.
type file struct {
	contentType string
	name        string
	body        string
}

// A reply is a finished answer.
type reply struct {
	status      int
	contentType string
	disposition string
	location    string
	body        pieces
}

func (r reply) header() http.Header {
	h := http.Header{
		"Content-Type":   {r.contentType},
		"Content-Length": {strconv.Itoa(r.body.size())},
	}
	if r.disposition != "" {
		h["Content-Disposition"] = []string{r.disposition}
	}
	if r.location != "" {
		h["Location"] = []string{r.location}
	}
	return h
}

// reply puts the envelope together.
func (a answer) reply() reply {
	if a.file != nil {
		return reply{
			status:      http.StatusOK,
			contentType: a.file.contentType,
			disposition: `attachment; filename="` + a.file.name + `"`,
			body:        pieces{[]byte(a.file.body)},
		}
	}
	if a.location != "" {
		return reply{
			status:      http.StatusFound,
			contentType: "text/plain; charset=utf-8",
			location:    a.location,
			body:        pieces{[]byte("Redirecting to " + a.location + ".")},
		}
	}
	head := []byte{'{'}
	if a.page != nil {
		head = append(head, `"pagination":`...)
		head = a.page.append(head)
		head = append(head, ',')
	}
	if a.success {
		head = append(head, `"success":true,`...)
	}
	body := make(pieces, 0, len(a.data)+len(a.extra)+len(a.policies)+5)
	if a.data != nil {
		body = append(append(append(body, append(head, `"data":`...)), a.data...), []byte(","))
	} else {
		body = append(body, head)
	}
	body = append(body, a.extra...)
	if a.policies != nil {
		body = append(append(append(body, []byte(`"policies":`)), a.policies...), []byte(","))
	}
	body = append(body, []byte(`"status":200,"ok":true}`))
	return reply{status: http.StatusOK, contentType: jsonType, body: body}
}

// append writes the pagination as JSON. nextPath is there even where nothing
// follows, as recorded.
func (p *pagination) append(b []byte) []byte {
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
func array(items ...pieces) pieces {
	joined := pieces{[]byte("[")}
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
func encode(v any) pieces {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("workspace: " + err.Error())
	}
	return pieces{bytes.TrimSuffix(b.Bytes(), []byte("\n"))}
}

// optional is s, or null where s is empty.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// fileName makes a name safe to stand between the quotes of a header.
func fileName(slug, extension string) string {
	return strings.Map(func(r rune) rune {
		if r == '"' || r == '\\' || r < ' ' || r > '~' {
			return -1
		}
		return r
	}, slug) + extension
}
