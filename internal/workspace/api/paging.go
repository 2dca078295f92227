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

// A page is the part of a list that a caller asks for.
type page struct{ limit, offset int }

// paging reads limit and offset from the query string or from the body. A
// limit of 0 means the default.
func (r *Request) Paging() (page, error) {
	limit, ok := r.number("limit")
	if !ok {
		return page{}, InvalidRequest("Pagination limit must be a valid number")
	}
	offset, ok := r.number("offset")
	switch {
	case !ok:
		return page{}, InvalidRequest("Pagination offset must be a valid number")
	case limit == 0:
		limit = defaultLimit
	case limit > maxLimit:
		return page{}, InvalidRequest("Pagination limit is too large (max 100)")
	case limit < 0:
		return page{}, InvalidRequest("Pagination limit must be greater than 0")
	}
	if offset < 0 {
		return page{}, InvalidRequest("Pagination offset must be greater than or equal to 0")
	}
	return page{limit, offset}, nil
}

// number reads a whole number as JavaScript's parseInt does from a value that
// may be a number or a string; a missing one is 0.
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

// cut returns the part of a list that lies on the page.
func Slice[T any](list []T, p page) []T {
	from := min(p.offset, len(list))
	return list[from:min(from+p.limit, len(list))]
}

// counted and uncounted are the pagination of an answer with and without the
// total.
func (r *Request) Counted(total int) *Pagination {
	return &Pagination{page: r.Page, path: r.path, total: total}
}

func (r *Request) Uncounted() *Pagination { return r.Counted(-1) }
