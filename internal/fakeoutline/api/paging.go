package api

import (
	"math"
	"strconv"
	"strings"
)

const (
	defaultLimit = 25
	maxLimit     = 100
)

// A Page is the part of a list that a request asks for.
type Page struct{ limit, offset int }

// Paging reads limit and offset from the query string or the body. A limit of 0
// means the default.
func (r *Request) Paging() (Page, error) {
	limit, ok := r.number("limit")
	if !ok {
		return Page{}, InvalidRequest("Pagination limit must be a valid number")
	}
	offset, ok := r.number("offset")
	switch {
	case !ok:
		return Page{}, InvalidRequest("Pagination offset must be a valid number")
	case limit == 0:
		limit = defaultLimit
	case limit > maxLimit:
		return Page{}, InvalidRequest("Pagination limit is too large (max 100)")
	case limit < 0:
		return Page{}, InvalidRequest("Pagination limit must be greater than 0")
	}
	if offset < 0 {
		return Page{}, InvalidRequest("Pagination offset must be greater than or equal to 0")
	}
	return Page{limit, offset}, nil
}

// number reads an integer from a number or a string as JavaScript's parseInt
// does. A missing value is 0.
func (r *Request) number(name string) (int, bool) {
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
		value = strings.TrimSpace(value)
		if value == "" {
			return 0, true
		}
		end := 0
		for end < len(value) && (value[end] >= '0' && value[end] <= '9' || end == 0 && (value[0] == '-' || value[0] == '+')) {
			end++
		}
		n, err := strconv.ParseInt(value[:end], 10, 32)
		return int(n), err == nil
	}
	return 0, false
}

// Slice returns the items of a list that are on the page.
func Slice[T any](list []T, p Page) []T {
	from := min(p.offset, len(list))
	return list[from:min(from+p.limit, len(list))]
}

// Counted returns the pagination of an answer with the total.
func (r *Request) Counted(total int) *Pagination {
	return &Pagination{Page: r.Page, path: r.path, total: total}
}

// Uncounted returns the pagination of an answer without the total.
func (r *Request) Uncounted() *Pagination { return r.Counted(-1) }
