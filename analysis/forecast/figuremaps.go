// Maps of one case: the truth, and mean, a member, spread and error of every model.

package forecast

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"repscope/internal/quantile"
	"repscope/plots"
)

// mapRows is the most models whose maps are shown.
const mapRows = 13

// shown is the case that maps show: fields of the first variables [H·W].
type shown struct {
	sample        int
	lead          float64
	height, width int
	truth         [][]float64 // by variable
	models        []shownModel
	left          int // models that are not shown
}

// shownModel are the fields of a model by variable. member and spread are nil of one
// member.
type shownModel struct {
	name                 string
	mean, member, spread [][]float64
}

// typical is the sample whose squared error is the median of those of the first model,
// among the samples of the middle lead.
func (r *Result) typical() int {
	of := make([]int, 0, len(r.Samples))
	leads := slices.Clone(r.Leads)
	slices.Sort(leads)
	leads = slices.Compact(leads)
	for i := range r.Samples {
		if r.Leads == nil || r.Leads[i] == leads[len(leads)/2] {
			of = append(of, i)
		}
	}
	for _, name := range []string{"mse", "mae", "crps", "energy_score"} {
		s, ok := r.Models[0].Score(name)
		if ok && len(s.Sample) == len(r.Samples) {
			slices.SortStableFunc(of, func(a, b int) int { return cmp.Compare(s.Sample[a], s.Sample[b]) })
			break
		}
	}
	return of[len(of)/2]
}

// shownCase reads the case that is shown.
func shownCase(ctx context.Context, in *Input, o Options, r *Result) (*shown, error) {
	p, err := newPlan(*in, o)
	if err != nil {
		return nil, err
	}
	at := r.typical()
	c := newSample(p.setting, p.mostMembers())
	c.index = r.Samples[at]
	out := &shown{sample: c.index, height: p.height, width: p.width}
	if r.Leads != nil {
		out.lead = r.Leads[at]
	}
	if err := p.read(0, c.truth, c.index); err != nil {
		return nil, err
	}
	variables := min(len(p.variables), fewVariables)
	for v := range variables {
		out.truth = append(out.truth, slices.Clone(c.truthOf(v)))
	}
	for _, m := range p.models {
		if m.name == Climatology && m.kind == "baseline" {
			continue
		}
		if len(out.models) == mapRows {
			out.left++
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := m.read(c, c.ensemble[:m.members*len(c.mean)]); err != nil {
			return nil, err
		}
		c.begin(m.members)
		out.models = append(out.models, c.shown(m.name, variables))
	}
	out.blank(p.masked)
	return out, nil
}

// blank takes away what stands in cells without weight.
func (c *shown) blank(cells []int) {
	fields := c.truth
	for _, m := range c.models {
		fields = slices.Concat(fields, m.mean, m.member, m.spread)
	}
	for _, field := range fields {
		for _, cell := range cells {
			field[cell] = math.NaN()
		}
	}
}

// counted are the values that are numbers.
func counted(values []float64) []float64 { return slices.DeleteFunc(values, math.IsNaN) }

// mostMembers is the largest number of members of a model.
func (p *plan) mostMembers() int {
	most := 0
	for _, m := range p.models {
		most = max(most, m.members)
	}
	return most
}

// shown are the maps of the sample's model.
func (c *sample) shown(name string, variables int) shownModel {
	m := shownModel{name: name}
	for v := range variables {
		mean := slices.Clone(c.meanOf(v))
		m.mean = append(m.mean, mean)
		if c.members == 1 {
			continue
		}
		m.member = append(m.member, slices.Clone(c.member(0, v)))
		spread := make([]float64, len(mean))
		for k := range c.members {
			for i, x := range c.member(k, v) {
				spread[i] += (x - mean[i]) * (x - mean[i])
			}
		}
		for i := range spread {
			spread[i] = math.Sqrt(spread[i] / float64(c.members-1))
		}
		m.spread = append(m.spread, spread)
	}
	return m
}

// difference is a − b.
func difference(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}

// maps are the figures of a case, one per variable.
func (d *drawing) maps(c *shown) ([]*plots.Figure, error) {
	var figures []*plots.Figure
	for v := range c.truth {
		figure, err := d.mapsOf(c, v)
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure)
	}
	return figures, nil
}

// mapScales are the color scales of fields, of spread and of errors.
func (d *drawing) mapScales(c *shown, v int) (field, spread, errors plots.ColorScale) {
	fields := slices.Clone(c.truth[v])
	var spreads, misses []float64
	for _, m := range c.models {
		fields = append(fields, m.mean[v]...)
		if m.spread != nil {
			spreads = append(spreads, m.spread[v]...)
		}
		for _, e := range difference(m.mean[v], c.truth[v]) {
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
	for _, x := range c.truth[v] {
		if x == 0 {
			zeros++
		}
	}
	if field.Low == 0 && zeros*5 > len(counted(slices.Clone(c.truth[v]))) { // such as rain: none is white
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
func (d *drawing) mapsOf(c *shown, v int) (*plots.Figure, error) {
	field, spread, errors := d.mapScales(c, v)
	several := slices.ContainsFunc(c.models, func(m shownModel) bool { return m.spread != nil })
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
		m, fault = scale.Image(values[v], c.height, c.width)
		return m
	}
	add := func(name string, mean, error image.Image, middle ...image.Image) {
		row := []image.Image{mean}
		if several {
			row = append(row, middle...)
		}
		grid.Images, grid.RowLabels = append(grid.Images, append(row, error)), append(grid.RowLabels, name)
	}
	add("truth", draw(c.truth, field), nil, nil, nil)
	for _, m := range c.models {
		miss := [][]float64{nil}
		if v > 0 {
			miss = make([][]float64, v+1)
		}
		miss[v] = difference(m.mean[v], c.truth[v])
		add(m.name, draw(m.mean, field), draw(miss, errors), draw(m.member, field), draw(m.spread, spread))
	}
	if fault != nil {
		return nil, fault
	}
	return d.sheet(c, v, grid), nil
}

// sheet is the figure of a grid of maps, as tight as their shape allows.
func (d *drawing) sheet(c *shown, v int, grid *plots.ImageGrid) *plots.Figure {
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
	aspect := float64(c.height) / float64(c.width)
	cell := min(widest, (plots.DoubleColumnMM-labels)/columns-gap, ((page-bars)/rows-gap)/aspect)
	figure := &plots.Figure{
		WidthMM:  min(plots.DoubleColumnMM, max(plots.SingleColumnMM, labels+columns*(cell+gap))),
		HeightMM: rows*(cell*aspect+gap) + bars + 12, NoLetters: true, Title: "Maps of " + d.Variables[v],
		Tiles: []plots.Tile{{Panel: grid}},
	}
	which := fmt.Sprintf("Sample %d", c.sample)
	if d.Leads != nil {
		which += strings.TrimSuffix(", lead "+number(c.lead)+" "+d.leadUnit, " ")
	}
	figure.Footnote = which + ", whose error is about the median. What lies beyond the ends of a scale has the color of its end."
	if slices.ContainsFunc(c.truth[v], math.IsNaN) {
		figure.Footnote += " Cells without weight are gray."
	}
	if c.left > 0 {
		figure.Footnote += fmt.Sprintf(" %d more models are not shown.", c.left)
	}
	return figure
}
