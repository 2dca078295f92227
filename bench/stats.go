package main

import (
	"math"
	"slices"
)

// quantile returns the value below which a share q of the values lies, 0 if
// there are none.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// median returns the middle value, or the mean of the two middle ones, or 0 if
// there are none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// A sample is the repeated measurements of one contender.
type sample []float64

// figure summarizes the sample.
func (s sample) figure(unit unit) figure {
	return figure{median: median(s), p99: quantile(s, 0.99), count: len(s), unit: unit}
}

// A pair is the alternating measurements of the program and of the floor.
type pair struct{ ours, floor sample }

func (p *pair) add(ours, floor float64) {
	p.ours, p.floor = append(p.ours, ours), append(p.floor, floor)
}

// ratio returns the median of the ratios of what was measured side by side,
// because other activity of the machine affects both.
func (p *pair) ratio() float64 { return median(p.ratios()) }

func (p *pair) ratios() sample {
	ratios := make(sample, len(p.ours))
	for i := range p.ours {
		ratios[i] = p.ours[i] / p.floor[i]
	}
	return ratios
}

// difference returns the median of the differences of what was measured side by
// side.
func (p *pair) difference() float64 { return median(p.differences()) }

func (p *pair) differences() sample {
	differences := make(sample, len(p.ours))
	for i := range p.ours {
		differences[i] = p.ours[i] - p.floor[i]
	}
	return differences
}

// noise returns the share of the median that another sample's median may differ by:
// 1.57 × the distance of the quartiles / √n, the notch of a box plot (McGill, Tukey and
// Larsen, 1978), about 95 % of cases.
func (s sample) noise() float64 {
	middle := math.Abs(median(s))
	if middle == 0 || len(s) < 2 {
		return 0
	}
	return 1.57 * (quantile(s, 0.75) - quantile(s, 0.25)) / math.Sqrt(float64(len(s))) / middle
}

// slope fits cost = a × size^slope to points (least squares of the
// logarithms). 1 is linear; below 1, a part of the cost does not depend on the
// size.
func slope(points []point) float64 {
	var n, sx, sy, sxx, sxy float64
	for _, p := range points {
		x, y := math.Log(p.size), math.Log(p.cost)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// A point is the cost of something of a size.
type point struct{ size, cost float64 }
