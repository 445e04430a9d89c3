// Maps of one case: the truth, and mean, a member, spread and error of every model.

package command

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/analysis/forecast"
	"repscope/internal/quantile"
	"repscope/plots"
)

// mapRows is the most models whose maps are shown.
const mapRows = 13

// counted are the values that are numbers.
func counted(values []float64) []float64 { return slices.DeleteFunc(values, math.IsNaN) }

// difference is a − b.
func difference(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}

// maps are the figures of a case, one per variable.
func (d *drawing) maps(c *forecast.Case) ([]*plots.Figure, error) {
	var figures []*plots.Figure
	for v := range c.Truth {
		figure, err := d.mapsOf(c, v)
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure)
	}
	return figures, nil
}

// mapScales are the color scales of fields, of spread and of errors.
func (d *drawing) mapScales(c *forecast.Case, v int) (field, spread, errors plots.ColorScale) {
	fields := slices.Clone(c.Truth[v])
	var spreads, misses []float64
	for _, m := range c.Models {
		fields = append(fields, m.Mean[v]...)
		if m.Spread != nil {
			spreads = append(spreads, m.Spread[v]...)
		}
		for _, e := range difference(m.Mean[v], c.Truth[v]) {
			misses = append(misses, math.Abs(e))
		}
	}
	unit := ""
	if d.units[v] != "" {
		unit = " (" + d.units[v] + ")"
	}
	fields, spreads, misses = counted(fields), counted(spreads), counted(misses)
	field = plots.ColorScale{Low: slices.Min(fields), High: slices.Max(fields), Label: d.Variables[v] + unit}
	zeros := 0
	for _, x := range c.Truth[v] {
		if x == 0 {
			zeros++
		}
	}
	if field.Low == 0 && zeros*5 > len(counted(slices.Clone(c.Truth[v]))) { // such as rain: none is white
		field.Ramp, field.High = plots.RampMagnitude, nearlyAll(fields)
	}
	if field.High-field.Low <= 1e-9*math.Abs(field.High) {
		reach := max(0.1*math.Abs(field.High), 1e-12)
		field.Low, field.High = field.Low-reach, field.High+reach
	}
	spread = plots.ColorScale{Ramp: plots.RampMagnitude, High: nearlyAll(spreads), Label: "standard deviation" + unit}
	reach := nearlyAll(misses)
	errors = plots.ColorScale{Ramp: plots.RampDiverging, Low: -reach, High: reach, Label: "mean − truth" + unit}
	return field, spread, errors
}

// nearlyAll is a positive number that all but half a percent of the values lie below.
func nearlyAll(values []float64) float64 {
	if len(values) == 0 {
		return 1
	}
	slices.Sort(values)
	if q := quantile.Sorted(values, 0.995); q > 0 {
		return q
	}
	return max(values[len(values)-1], 1e-12)
}

// mapsOf is the figure of a variable: a row for the truth, then one per model.
func (d *drawing) mapsOf(c *forecast.Case, v int) (*plots.Figure, error) {
	field, spread, errors := d.mapScales(c, v)
	several := slices.ContainsFunc(c.Models, func(m forecast.CaseModel) bool { return m.Spread != nil })
	grid := &plots.ImageGrid{ColumnLabels: []string{"mean", "error"}, Bars: []plots.ImageBar{{Scale: field}, {First: 1, Last: 1, Scale: errors}}}
	if several {
		grid.ColumnLabels = []string{"mean", "first member", "spread", "error"}
		grid.Bars = []plots.ImageBar{{First: 0, Last: 1, Scale: field}, {First: 2, Last: 2, Scale: spread}, {First: 3, Last: 3, Scale: errors}}
	}
	var fault error
	draw := func(values [][]float64, scale plots.ColorScale) image.Image {
		if values == nil || fault != nil {
			return nil
		}
		var m image.Image
		m, fault = scale.Image(values[v], c.Height, c.Width)
		return m
	}
	add := func(name string, mean, error image.Image, middle ...image.Image) {
		row := []image.Image{mean}
		if several {
			row = append(row, middle...)
		}
		grid.Images, grid.RowLabels = append(grid.Images, append(row, error)), append(grid.RowLabels, name)
	}
	add("truth", draw(c.Truth, field), nil, nil, nil)
	for _, m := range c.Models {
		miss := [][]float64{nil}
		if v > 0 {
			miss = make([][]float64, v+1)
		}
		miss[v] = difference(m.Mean[v], c.Truth[v])
		add(m.Name, draw(m.Mean, field), draw(miss, errors), draw(m.Member, field), draw(m.Spread, spread))
	}
	if fault != nil {
		return nil, fault
	}
	return d.sheet(c, v, grid), nil
}

// sheet is the figure of a grid of maps, as tight as their shape allows.
func (d *drawing) sheet(c *forecast.Case, v int, grid *plots.ImageGrid) *plots.Figure {
	const (
		bars, gap    = 17.0, 0.7
		letter       = 1.25        // width of one, in a name
		widest, page = 38.0, 225.0 // of a map, and the height of a page
	)
	labels := 0.0
	for _, name := range grid.RowLabels {
		labels = max(labels, min(3+letter*float64(len(name)), 34))
	}
	columns, rows := float64(len(grid.ColumnLabels)), float64(len(grid.Images))
	aspect := float64(c.Height) / float64(c.Width)
	cell := min(widest, (plots.DoubleColumnMM-labels)/columns-gap, ((page-bars)/rows-gap)/aspect)
	figure := &plots.Figure{
		WidthMM:  min(plots.DoubleColumnMM, max(plots.SingleColumnMM, labels+columns*(cell+gap))),
		HeightMM: rows*(cell*aspect+gap) + bars + 12, NoLetters: true, Title: "Maps of " + d.Variables[v],
		Tiles: []plots.Tile{{Panel: grid}},
	}
	which := fmt.Sprintf("Sample %d", c.Sample)
	if d.Leads != nil {
		which += strings.TrimSuffix(", lead "+strconv.FormatFloat(c.Lead, 'g', -1, 64)+" "+d.leadUnit, " ")
	}
	figure.Footnote = which + ", a sample of about median error. Values beyond a color scale have the color of its end."
	if slices.ContainsFunc(c.Truth[v], math.IsNaN) {
		figure.Footnote += " Gray: cells without weight."
	}
	if c.Left > 0 {
		figure.Footnote += fmt.Sprintf(" %d more models are not shown.", c.Left)
	}
	return figure
}
