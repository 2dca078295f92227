package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"outline-mcp/internal/fakeoutline"
)

// A growing is a cost at several sizes.
type growing struct {
	name, what string // of the line in the chart, and what the size counts
	points     []point
}

func runGrowth(ctx context.Context, l *lab) (result, error) {
	documents, err := growingDocuments(ctx, l)
	if err != nil {
		return result{}, err
	}
	var others []growing
	for _, measure := range []func(context.Context, *lab) (growing, error){growingTree, growingSearch, growingBatch} {
		g, err := measure(ctx, l)
		if err != nil {
			return result{}, err
		}
		others = append(others, g)
	}
	callers, floor, err := growingCallers(ctx, l)
	if err != nil {
		return result{}, err
	}
	others = append(others, callers)
	r := result{charts: []chart{
		{file: "performance-documents", title: "Cost against the size of the document", x: "bytes of Markdown", y: "seconds", log: true, lines: lines(documents)},
		{file: "performance-growth", title: "Cost against how many there are", x: "documents, results, items or callers", y: "seconds", log: true, lines: lines(append(slices.Clone(others), floor))},
	}}
	for _, g := range append(documents, others...) {
		r.rows = append(r.rows, g.row())
	}
	r.rows = append(r.rows, floor.row())
	bare := &r.rows[len(r.rows)-1]
	bare.goal.set = false
	r.rows[len(r.rows)-2].goal.limit = bare.judged + 0.03
	r.rows[len(r.rows)-2].why = "The minimal server's slope, in the same turns, is " + slopes.format(bare.judged) + ": more callers take more of the processors that they share with the servers."
	return r, nil
}

// row summarizes a growth: the cost at the largest size, at the smallest, and
// the slope.
func (g growing) row() row {
	first, last := g.points[0], g.points[len(g.points)-1]
	steep := slope(g.points[len(g.points)/2:])
	return row{
		what:  fmt.Sprintf("%s: %s to %s %s", g.name, grouped(int(first.size)), grouped(int(last.size)), g.what),
		ours:  single(last.cost, inSeconds),
		floor: single(first.cost, inSeconds), ratio: steep, goal: atMost(1.1, slopes), judged: steep,
	}
}

func lines(all []growing) []line {
	var drawn []line
	for _, g := range all {
		drawn = append(drawn, line{g.name, g.points})
	}
	return drawn
}

// undisturbed is the share of the measurements below the one that counts here:
// slopes need few points that are right, and other activity of the machine only
// adds to a cost.
const undisturbed = 0.25

// typical returns the typical duration of something, in seconds.
func typical(l *lab, run func() error) (float64, error) {
	var costs sample
	begin := time.Now()
	for len(costs) < 9 || time.Since(begin) < pick(l, time.Second, 100*time.Millisecond) && len(costs) < 2000 {
		start := time.Now()
		if err := run(); err != nil {
			return 0, err
		}
		costs = append(costs, time.Since(start).Seconds())
	}
	return quantile(costs[2:], undisturbed), nil
}

func growingDocuments(ctx context.Context, l *lab) ([]growing, error) {
	all := []growing{{name: "read_document", what: "bytes"}, {name: "get_document_outline", what: "bytes"}, {name: "read_document_section", what: "bytes"}}
	for _, size := range []int{1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 3 << 19} {
		s, _, source, err := documentSession(ctx, size)
		if err != nil {
			return nil, err
		}
		for i := range all {
			arguments := map[string]any{"document_id": documentID}
			if all[i].name == "read_document_section" {
				arguments["heading"] = "Steps for service-1"
			}
			took, err := typical(l, s.call(all[i].name, arguments))
			if err != nil {
				return nil, err
			}
			all[i].points = append(all[i].points, point{float64(len(source)), took})
		}
		s.close()
	}
	return all, nil
}

func growingTree(ctx context.Context, l *lab) (growing, error) {
	g := growing{name: "get_collection_structure, 2 levels", what: "documents"}
	for _, size := range []int{10, 100, 1000, 5000, 20_000} {
		w, err := withTree(size)
		if err != nil {
			return g, err
		}
		asked := fmt.Sprintf(`{"id":%q}`, collectionID)
		answers, err := record(ctx, w, map[string]string{"collections.documents": asked, "collections.info": asked})
		if err != nil {
			return g, err
		}
		if err := g.point(ctx, l, size, answers, "get_collection_structure", map[string]any{"collection_id": collectionID, "max_depth": 2}); err != nil {
			return g, err
		}
	}
	return g, nil
}

func growingSearch(ctx context.Context, l *lab) (growing, error) {
	g := growing{name: "search_documents", what: "results"}
	w, err := withDocuments(100, func(n int) fakeoutline.Document {
		return page(numbered(n), "", fmt.Sprintf("Service %d", n), manual(4000))
	})
	if err != nil {
		return g, err
	}
	for _, size := range []int{1, 3, 10, 25, 50, 100} {
		answers, err := record(ctx, w, map[string]string{"documents.search": fmt.Sprintf(`{"query":"buoy","limit":%d}`, size)})
		if err != nil {
			return g, err
		}
		if err := g.point(ctx, l, size, answers, "search_documents", map[string]any{"query": "buoy", "limit": size}); err != nil {
			return g, err
		}
	}
	return g, nil
}

// point measures a call at one size.
func (g *growing) point(ctx context.Context, l *lab, size int, answers recording, tool string, arguments map[string]any) error {
	s, err := newSession(ctx, answers)
	if err != nil {
		return err
	}
	defer s.close()
	took, err := typical(l, s.call(tool, arguments))
	g.points = append(g.points, point{float64(size), took})
	return err
}

// growingBatch archives documents of a workspace in this process, each once.
func growingBatch(ctx context.Context, l *lab) (growing, error) {
	g := growing{name: "batch_archive_documents", what: "documents"}
	turns := pick(l, 22, 12)
	for _, size := range []int{1, 3, 10, 25, 50, 100} {
		// The same number for each size, because the workspace's own cost grows
		// with it.
		w, err := withDocuments(100*turns, func(n int) fakeoutline.Document {
			return page(numbered(n), "", fmt.Sprintf("Service %d", n), "Ask the watch.")
		})
		if err != nil {
			return g, err
		}
		s, err := newSession(ctx, w.Transport())
		if err != nil {
			return g, err
		}
		var costs sample
		for turn := range turns {
			var ids []string
			for n := range size {
				ids = append(ids, numbered(turn*size+n))
			}
			took, err := measure(s.call("batch_archive_documents", map[string]any{"document_ids": ids}))
			if err != nil {
				return g, err
			}
			costs = append(costs, took.time)
		}
		s.close()
		g.points = append(g.points, point{float64(size), quantile(costs[2:], undisturbed)})
	}
	return g, nil
}

// growingCallers measures the time until all callers have one answer, from the
// server and from the minimal one.
func growingCallers(ctx context.Context, l *lab) (ours, floor growing, err error) {
	ours = growing{name: "callers over HTTP, all answered", what: "callers"}
	floor = growing{name: "callers of the minimal server", what: "callers"}
	c, err := l.contenders(ctx, "MCP_MAX_CALLS=2000")
	if err != nil {
		return ours, floor, err
	}
	defer c.end()
	for _, callers := range []int{1, 4, 16, 64, 256, 1000} {
		for _, measured := range []struct {
			*growing
			server *httpServer
			tool   string
		}{{&ours, c.ours, "read_document"}, {&floor, c.floor, "title"}} {
			w, err := load(ctx, measured.server, measured.server.target(measured.tool), callers, pick(l, 5*time.Second, time.Second))
			if err == nil && w.failed > 0 {
				err = fmt.Errorf("%d of %d calls failed: %w", w.failed, len(w.latencies), w.failure)
			}
			if err != nil {
				return ours, floor, err
			}
			measured.points = append(measured.points, point{float64(callers), float64(callers) / w.perSecond})
		}
	}
	return ours, floor, nil
}
