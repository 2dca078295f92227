package search

import (
	"math"
	"strings"
	"testing"
)

func TestRanksMatchPostgreSQL(t *testing.T) {
	// What ts_rank gives with the weights 1 for the title and 0.1 for the text.
	for _, test := range []struct {
		query, title, text string
		want               float64
	}{
		{"deploy", "Deploy guide", "deploy deploy", 0.62988},
		{"deploy", "Guide", "deploy", 0.0607927},
		{"zebra team", "Guide", "zebra team", 0.0991032},
		{"zebra team", "Guide", "team zebra", 0.0991032},
		{"zebra team", "Guide", "zebra team zebra", 0.188385},
		{"zebra team", "Guide", "zebra " + strings.Repeat("x ", 101) + "team", 0},
	} {
		x := NewIndex(test.title, test.text)
		q := ParseQuery(test.query)
		m, ok := q.Match(x)
		if rank := m.Rank(); !ok || math.Abs(rank-test.want) > 1e-6 {
			t.Errorf("%q in %.20q, %.20q ranks %v, want %v", test.query, test.title, test.text, rank, test.want)
		}
	}
}
