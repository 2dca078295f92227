package fakeoutline

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// maxBody is the maximum length of a body in bytes, and maxForm that of a
// multipart form, which may hold a file.
const (
	maxBody = 5 << 20
	maxForm = 64 << 20
)

// An apiRequest is a call of an API method.
type apiRequest struct {
	Method string // such as "documents.info"
	path   string // of the URL
	Origin string // of the instance, as the client addresses it
	Header http.Header
	query  url.Values
	Fields apiFields
	Upload *apiUpload // the file of a multipart form; nil without one
	Page   apiPage
}

// An apiUpload is a file in a multipart form.
type apiUpload struct {
	Name        string
	ContentType string // as the client declares it
	Content     []byte
}

// newAPIRequest reads a request. Its errors are those of Outline's body parser,
// which runs before the key and the path are checked.
func newAPIRequest(r *http.Request) (*apiRequest, error) {
	req := &apiRequest{path: r.URL.Path, Header: r.Header, Origin: apiOrigin(r)}
	req.Method, _ = strings.CutPrefix(r.URL.Path, "/api/")
	if r.URL.RawQuery != "" {
		req.query = r.URL.Query()
	}
	if r.Method != http.MethodPost && r.Method != http.MethodPut {
		req.Fields.Values = firstOf(req.query)
		return req, nil
	}
	if mediaType, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); mediaType == "multipart/form-data" && r.Body != nil {
		return req, req.readForm(multipart.NewReader(io.LimitReader(r.Body, maxForm), params["boundary"]))
	}
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	req.Fields, err = parseBody(r.Header.Get("Content-Type"), body)
	return req, err
}

func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	tooLarge := bodyError(http.StatusRequestEntityTooLarge, "request entity too large")
	if r.ContentLength > maxBody {
		return nil, tooLarge
	}
	var b bytes.Buffer
	if r.ContentLength > 0 {
		b.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	switch n, err := b.ReadFrom(io.LimitReader(r.Body, maxBody+1)); {
	case err != nil:
		return nil, bodyError(http.StatusBadRequest, "request aborted")
	case n > maxBody:
		return nil, tooLarge
	}
	return b.Bytes(), nil
}

// parseBody parses a body by its content type. A body that is not an object is
// an error of the fields, because Outline checks the key and the page first.
func parseBody(contentType string, body []byte) (apiFields, error) {
	mediaType, _, _ := mime.ParseMediaType(contentType)
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return apiFields{}, nil
	case mediaType == "application/json", strings.HasSuffix(mediaType, "+json"):
		return parseJSON(body)
	case mediaType == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return apiFields{}, bodyError(http.StatusBadRequest, "invalid form body")
		}
		return apiFields{Values: firstOf(form)}, nil
	}
	return apiFields{Err: apiInvalidField("body")}, nil
}

// firstOf returns the first value of each name.
func firstOf(form url.Values) map[string]any {
	values := make(map[string]any, len(form))
	for name := range form {
		values[name] = form.Get(name)
	}
	return values
}

// readForm reads a multipart form, of which the field "file" is the upload.
func (r *apiRequest) readForm(form *multipart.Reader) error {
	r.Fields.Values = make(map[string]any)
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			return nil
		}
		var content []byte
		if err == nil {
			content, err = io.ReadAll(part)
		}
		switch {
		case err != nil:
			return bodyError(http.StatusBadRequest, "request aborted")
		case part.FormName() == "file":
			r.Upload = &apiUpload{part.FileName(), part.Header.Get("Content-Type"), content}
		default:
			r.Fields.Values[part.FormName()] = string(content)
		}
	}
}

func parseJSON(body []byte) (apiFields, error) {
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return apiFields{}, bodyError(http.StatusBadRequest, "invalid JSON")
	}
	switch value := value.(type) {
	case map[string]any:
		return apiFields{Values: value}, nil
	case []any:
		return apiFields{Err: apiInvalidField("body")}, nil
	}
	return apiFields{}, bodyError(http.StatusBadRequest, "invalid JSON")
}

// apiOrigin returns the origin of the instance as the client addresses it.
func apiOrigin(r *http.Request) string {
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	scheme := "http"
	if r.TLS != nil || r.URL.Scheme == "https" {
		scheme = "https"
	}
	return scheme + "://" + host
}

// apiBearer returns the token of an Authorization header of the scheme Bearer, or "".
func apiBearer(header http.Header) string {
	scheme, token, _ := strings.Cut(header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// Token returns the API key of the request: from the Authorization header or,
// as Outline also allows, from "token" in the body or the query string.
func (r *apiRequest) Token() string {
	if r.Header.Get("Authorization") != "" {
		return apiBearer(r.Header)
	}
	if token, ok := r.Fields.Values["token"].(string); ok {
		return token
	}
	return r.query.Get("token")
}

// Version returns the version of the API that the client asks for, 1 by
// default.
func (r *apiRequest) Version() int {
	if version, err := strconv.Atoi(r.Header.Get("X-Api-Version")); err == nil {
		return version
	}
	return 1
}

const (
	defaultLimit = 25
	maxLimit     = 100
)

// An apiPage is the part of a list that a request asks for.
type apiPage struct{ limit, offset int }

// Paging reads limit and offset from the query string or the body. A limit of 0
// means the default.
func (r *apiRequest) Paging() (apiPage, error) {
	limit, isLimit := r.number("limit")
	offset, isOffset := r.number("offset")
	if limit == 0 {
		limit = defaultLimit
	}
	if !isLimit || !isOffset || limit < 0 || limit > maxLimit || offset < 0 {
		return apiPage{}, apiInvalidRequest("Pagination limit or offset is invalid")
	}
	return apiPage{limit, offset}, nil
}

// number reads an integer from a number or a string. A missing value is 0.
func (r *apiRequest) number(name string) (int, bool) {
	var value any = r.query.Get(name)
	if value == "" {
		value = r.Fields.Values[name]
	}
	switch value := value.(type) {
	case nil:
		return 0, true
	case float64:
		return int(max(math.MinInt32, min(value, math.MaxInt32))), true
	case string:
		n, err := strconv.ParseInt(value, 10, 32)
		return int(n), err == nil
	}
	return 0, false
}

// apiSlice returns the items of a list that are on the page.
func apiSlice[T any](list []T, p apiPage) []T {
	from := min(p.offset, len(list))
	return list[from:min(from+p.limit, len(list))]
}

// Counted returns the pagination of an answer with the total.
func (r *apiRequest) Counted(total int) *apiPagination {
	return &apiPagination{apiPage: r.Page, path: r.path, total: total}
}

// Uncounted returns the pagination of an answer without the total.
func (r *apiRequest) Uncounted() *apiPagination { return r.Counted(-1) }
