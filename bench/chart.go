package main

import (
	"fmt"
	"image/color"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A chart shows lines.
type chart struct {
	file  string // in docs, without .svg
	title string
	x, y  string // what the axes count
	log   bool   // both axes are logarithmic
	lines []line
}

// A line is a row of points with a name.
type line struct {
	name   string
	points []point
}

// palette has colours that can be distinguished without red and green (Okabe
// and Ito, Color Universal Design).
var palette = []color.Color{
	color.RGBA{0, 114, 178, 255}, color.RGBA{230, 159, 0, 255}, color.RGBA{0, 158, 115, 255},
	color.RGBA{204, 121, 167, 255}, color.RGBA{86, 180, 233, 255},
}

// draw writes the chart into a folder as SVG.
func (c chart) draw(dir string) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.title, c.x, c.y
	p.BackgroundColor = color.White // also where the page is dark
	p.Legend.Top, p.Legend.Left = true, true
	if c.log {
		p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
		p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	}
	p.Add(plotter.NewGrid())
	for i, l := range c.lines {
		xys := make(plotter.XYs, len(l.points))
		for j, point := range l.points {
			xys[j] = plotter.XY{X: point.size, Y: point.cost}
		}
		drawn, dots, err := plotter.NewLinePoints(xys)
		if err != nil {
			return fmt.Errorf("draw %s: %w", c.file, err)
		}
		drawn.Color, drawn.Width = palette[i%len(palette)], vg.Points(1.5)
		dots.Color, dots.Shape, dots.Radius = drawn.Color, draw.CircleGlyph{}, vg.Points(2.5)
		p.Add(drawn, dots)
		p.Legend.Add(l.name, drawn, dots)
	}
	if !c.log {
		p.Y.Min, p.Y.Max = 0, p.Y.Max*1.2
	} else {
		p.Y.Max *= 30 // room for the legend
	}
	return save(p, dir, c.file, 16*vg.Centimeter, 10*vg.Centimeter)
}

func save(p *plot.Plot, dir, file string, width, height vg.Length) error {
	if err := p.Save(width, height, filepath.Join(dir, file+".svg")); err != nil {
		return fmt.Errorf("write the chart %s: %w", file, err)
	}
	return nil
}

// drawGoals writes a chart of how far each goal is reached: the share of its
// limit that is used.
func drawGoals(rows []row, dir string) error {
	var used plotter.Values
	var names []string
	for i := len(rows) - 1; i >= 0; i-- { // the first row on top
		r := rows[i]
		if !r.goal.set || r.goal.limit == 0 {
			continue
		}
		share := r.judged / r.goal.limit
		if r.goal.least {
			share = r.goal.limit / r.judged
		}
		used, names = append(used, 100*max(0, share)), append(names, r.what)
	}
	bars, err := plotter.NewBarChart(used, vg.Points(9))
	if err != nil {
		return fmt.Errorf("draw the goals: %w", err)
	}
	bars.Horizontal, bars.Color, bars.LineStyle.Width = true, palette[0], 0
	limit, err := plotter.NewLine(plotter.XYs{{X: 100, Y: -0.5}, {X: 100, Y: float64(len(used)) - 0.5}})
	if err != nil {
		return fmt.Errorf("draw the goals: %w", err)
	}
	limit.Color, limit.Width = palette[1], vg.Points(2)
	p := plot.New()
	p.Title.Text, p.X.Label.Text = "What is used of each limit (100 %: the goal is just met)", "%"
	p.BackgroundColor, p.X.Min = color.White, 0
	p.Add(bars, limit)
	p.NominalY(names...)
	p.Y.Label.Text = " " // room, which the longest name would lack
	var ticks plot.ConstantTicks
	for percent := 0; float64(percent) <= p.X.Max; percent += 50 {
		ticks = append(ticks, plot.Tick{Value: float64(percent), Label: fmt.Sprint(percent)})
	}
	p.X.Tick.Marker = ticks
	return save(p, dir, "performance-goals", 22*vg.Centimeter, vg.Length(len(used))*0.65*vg.Centimeter+2*vg.Centimeter)
}
