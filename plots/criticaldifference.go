// Critical-difference diagrams: average ranks and the groups that do not differ.

package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot draws the diagram into the data rectangle of a plot, whose axes [Add] hides.
func (p *CriticalDifference) Plot(c draw.Canvas, plt *plot.Plot) { mount(p).Plot(c, plt) }

// Thumbnail draws a marker in the style of a series, side by side for several.
func (p *CriticalDifference) Thumbnail(c *draw.Canvas) { mount(p).Thumbnail(c) }

// ranking is a prepared CriticalDifference, with models from the best to the worst.
type ranking struct {
	axis      scale
	models    []rankedModel
	groups    []rankGroup
	undefined string
}

type rankedModel struct {
	name, label string // label is the printed rank
	rank        float64
	style       Style
}

// rankGroup has the indices of its members in the order of the models, ascending.
type rankGroup struct {
	members []int
	level   int
}

func (p *CriticalDifference) prepare(prep *preparation) (content, error) {
	if len(p.Models) == 0 {
		return nil, prep.errorf("a critical-difference diagram needs at least one model")
	}
	var names []string
	for _, m := range p.Models {
		if m.Name == "" {
			return nil, prep.errorf("a model of the critical-difference diagram has no name")
		}
		names = append(names, m.Name)
	}
	if err := prep.names(names); err != nil {
		return nil, err
	}
	prep.text(p.X.Label)
	decimals := p.Decimals
	if decimals == 0 {
		decimals = 2
	}
	r := &ranking{}
	var data extent
	for _, m := range p.Models {
		style := prep.style(m.Name)
		if math.IsNaN(m.Rank) || math.IsInf(m.Rank, 0) {
			reason := m.Reason
			if reason == "" {
				reason = "no average rank"
			}
			prep.lack(m.Name, reason)
			continue
		}
		data.add(m.Rank)
		prep.show(m.Name, keyMarker)
		model := rankedModel{name: m.Name, rank: m.Rank, style: style}
		if decimals > 0 {
			model.label = minus(strconv.FormatFloat(m.Rank, 'f', decimals, 64))
		}
		r.models = append(r.models, model)
	}
	r.undefined = prep.reasons()
	slices.SortStableFunc(r.models, func(a, b rankedModel) int {
		switch {
		case a.rank < b.rank:
			return -1
		case a.rank > b.rank:
			return 1
		}
		return 0
	})
	return r, r.complete(p, prep, names, data)
}

// complete adds the groups and the axis.
func (r *ranking) complete(p *CriticalDifference, prep *preparation, names []string, data extent) error {
	for i, group := range p.Groups {
		if len(group) < 2 {
			return prep.errorf("group %d of the critical-difference diagram has %d members, want at least 2", i+1, len(group))
		}
		var g rankGroup
		for _, name := range group {
			if !slices.Contains(names, name) {
				return prep.errorf("group %d of the critical-difference diagram has %q, which is not one of its models", i+1, name)
			}
			index := slices.IndexFunc(r.models, func(m rankedModel) bool { return m.name == name })
			if index >= 0 && !slices.Contains(g.members, index) {
				g.members = append(g.members, index)
			}
		}
		slices.Sort(g.members)
		if len(g.members) < 2 {
			continue // the others have no rank
		}
		r.groups = append(r.groups, g)
		if note := r.gapNote(g); note != "" {
			prep.notes = append(prep.notes, note)
			prep.warnings = append(prep.warnings, note)
		}
	}
	axis := p.X
	axis.Log = false
	if !(axis.Min < axis.Max) {
		axis.Min, axis.Max = 1, max(2, float64(len(r.models)))
		if data.some {
			axis.Min, axis.Max = min(axis.Min, math.Floor(data.low)), max(axis.Max, math.Ceil(data.high))
		}
	}
	if !(axis.Max-axis.Min <= widestRanks) {
		return prep.errorf("the axis of ranks runs from %g to %g, want at most %d ranks", axis.Min, axis.Max, widestRanks)
	}
	data.add(axis.Min)
	data.add(axis.Max)
	axis.Integer = true
	var err error
	if r.axis, err = newScale(axis, data); err != nil {
		return prep.errorf("%v", err)
	}
	for _, m := range r.models {
		if m.rank < r.axis.Min || m.rank > r.axis.Max {
			return prep.errorf("the rank %g of %q is outside the range %g to %g of the axis",
				m.rank, m.name, r.axis.Min, r.axis.Max)
		}
	}
	return nil
}

// gaps are the models between members of a group that do not belong to it.
func (r *ranking) gaps(g rankGroup) (names []string) {
	first, last := g.members[0], g.members[len(g.members)-1]
	for i := first + 1; i < last; i++ {
		if rank := r.models[i].rank; !slices.Contains(g.members, i) && rank > r.models[first].rank && rank < r.models[last].rank {
			names = append(names, r.models[i].name)
		}
	}
	return names
}

func (r *ranking) gapNote(g rankGroup) string {
	between := r.gaps(g)
	if between == nil {
		return ""
	}
	var members []string
	for _, i := range g.members {
		members = append(members, r.models[i].name)
	}
	verb := "ranks between them and differs from some"
	if len(between) > 1 {
		verb = "rank between them and each differ from some"
	}
	return fmt.Sprintf("%s do not differ; %s %s.", joined(members), joined(between), verb)
}

// joined is a list in words.
func joined(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// stack gives the bars levels so that none touches another of its level on an axis of
// that width, and returns how many.
func (r *ranking) stack(width vg.Length) (levels int) {
	position := func(member int) vg.Length { return vg.Length(share(&r.axis.Axis, r.models[member].rank)) * width }
	slices.SortStableFunc(r.groups, func(a, b rankGroup) int { return a.members[0] - b.members[0] })
	var ends []vg.Length // where each level is free again
	for i := range r.groups {
		g := &r.groups[i]
		first, last := position(g.members[0]), position(g.members[len(g.members)-1])
		g.level = slices.IndexFunc(ends, func(end vg.Length) bool { return end+2*barDot+1 < first })
		if g.level < 0 {
			g.level = len(ends)
			ends = append(ends, 0)
		}
		ends[g.level] = last
	}
	return len(ends)
}

func (r *ranking) measure(vg.Point, vg.Length) margins { return margins{} }

// Lengths of a critical-difference diagram in points.
const (
	rankTick     = 3.0
	rankMarker   = 2.2
	barPitch     = 5.0
	barDot       = 1.7
	largestPitch = 14.0 // of the names, so that few stay near the axis
	leadGap      = 3.0
	widestRanks  = 1000
)

func (r *ranking) draw(s *scene, _, tile vg.Rectangle) error {
	if len(r.models) == 0 {
		s.undefined(r.undefined, vg.Point{X: (tile.Min.X + tile.Max.X) / 2, Y: (tile.Min.Y + tile.Max.Y) / 2}, tile.Size(),
			alignCenter)
		return nil
	}
	half := (len(r.models) + 1) / 2
	title := block{}
	top := tile.Max.Y
	if r.axis.Label.Text != "" {
		title = newBlock(wrap(r.axis.Label.Text, labelSize, false, tile.Size().X), labelSize, false)
		top -= title.height + 1
	}
	line := top - tickSize*(ascent+descent) - rankTick // height of the axis
	// Names in the largest size leave the narrowest axis: labels that are apart there stay apart.
	_, widths := r.labels(nil, labelSize, half, tile.Size().X)
	levels := r.stack(tile.Size().X - widths[0] - widths[1])
	under := line - rankMarker - 2.5 - barPitch*vg.Length(levels)
	pitch := min((under-tile.Min.Y)/vg.Length(half), largestPitch)
	size := float64(labelSize)
	for _, points := range []float64{tickSize, smallestSize} {
		if float64(pitch) < size*linePitch {
			size = points
		}
	}
	if float64(pitch) < smallestSize*linePitch {
		return roomError(s.panel, "a critical-difference diagram of %d models and %d rows of bars does not fit its tile",
			len(r.models), levels)
	}
	blocks, widths := r.labels(s, size, half, tile.Size().X)
	area := vg.Rectangle{
		Min: vg.Point{X: tile.Min.X + widths[0], Y: tile.Min.Y}, Max: vg.Point{X: tile.Max.X - widths[1], Y: line},
	}
	if area.Size().X < 2*smallestBox {
		return roomError(s.panel, "the names of a critical-difference diagram leave no room for its axis")
	}
	position := func(rank float64) vg.Length {
		return area.Min.X + vg.Length(share(&r.axis.Axis, rank))*area.Size().X
	}
	if title.width > 0 {
		s.drawText("label", title, vg.Point{X: (area.Min.X + area.Max.X) / 2, Y: tile.Max.Y}, alignCenter, alignEnd, 0, ink)
	}
	s.record("data", "", vg.Point{}, 0, area)
	r.drawAxis(s, area, position)
	for i, m := range r.models {
		row, x, end, align := i, area.Min.X-leadGap, area.Min.X, alignEnd
		if i >= half {
			row, x, end, align = len(r.models)-1-i, area.Max.X+leadGap, area.Max.X, alignStart
		}
		y := under - pitch*(vg.Length(row)+0.5)
		s.line([]vg.Point{{X: position(m.rank), Y: line}, {X: position(m.rank), Y: y}, {X: end, Y: y}}, m.style.Line, 0.7,
			nil)
		s.drawText("entry", blocks[i], vg.Point{X: x, Y: y}, align, alignCenter, 0, ink)
	}
	for _, g := range r.groups {
		r.drawGroup(s, g, line-rankMarker-3-barPitch*(vg.Length(g.level)+0.5), position)
	}
	for _, m := range r.models {
		s.marker(vg.Point{X: position(m.rank), Y: line}, rankMarker, m.style, m.style.Fill, m.style.Edge, 0.4)
	}
	return nil
}

// labels are the names with their ranks, and the width of the columns at both sides; a
// scene is warned of names that are shortened.
func (r *ranking) labels(s *scene, size float64, half int, width vg.Length) (blocks []block, widths [2]vg.Length) {
	for i, m := range r.models {
		rank := m.label
		if rank != "" {
			rank = "  " + rank
		}
		limit := width*0.36 - newBlock(rank, size, false).width
		name, cut := shorten(Escape(m.name), size, false, limit)
		if cut && s != nil {
			s.cramp("%s: the name %.60q had to be shortened", panelName(s.panel), m.name)
		}
		text := name + rank
		if i >= half && rank != "" {
			text = strings.TrimSpace(rank) + "  " + name
		}
		b := newBlock(text, size, false)
		blocks = append(blocks, b)
		side := 0
		if i >= half {
			side = 1
		}
		widths[side] = max(widths[side], b.width+leadGap+1)
	}
	widths[1] = max(widths[1], 6) // the last tick label
	return blocks, widths
}

// drawAxis draws the axis at the top of room, with labels that keep apart.
func (r *ranking) drawAxis(s *scene, area vg.Rectangle, x func(rank float64) vg.Length) {
	y := area.Max.Y
	s.line([]vg.Point{{X: area.Min.X, Y: y}, {X: area.Max.X, Y: y}}, ink, 0.7, nil)
	first, last := math.Ceil(r.axis.Min), math.Floor(r.axis.Max)
	step := 1.0
	for wide := newBlock(fmt.Sprintf("%.0f", last), tickSize, false).width + 3; (x(first+step) - x(first)) < wide; step++ {
	}
	for v := first; v <= last; v++ {
		height := vg.Length(rankTick)
		if math.Mod(v-first, step) == 0 {
			s.drawText("tick", newBlock(fmt.Sprintf("%.0f", v), tickSize, false), vg.Point{X: x(v), Y: y + rankTick},
				alignCenter, alignStart, 0, ink)
		} else {
			height /= 2
		}
		s.line([]vg.Point{{X: x(v), Y: y}, {X: x(v), Y: y + height}}, ink, 0.7, nil)
	}
}

// drawGroup draws the bar of a group: dotted over models that do not belong to it.
func (r *ranking) drawGroup(s *scene, g rankGroup, y vg.Length, x func(rank float64) vg.Length) {
	for k := range g.members[1:] {
		from, to := r.models[g.members[k]].rank, r.models[g.members[k+1]].rank
		gap := false
		for i := g.members[k] + 1; i < g.members[k+1]; i++ {
			gap = gap || (r.models[i].rank > from && r.models[i].rank < to)
		}
		ends := []vg.Point{{X: x(from), Y: y}, {X: x(to), Y: y}}
		if gap {
			s.line(ends, ink, 0.7, []vg.Length{1, 1.6})
		} else {
			s.line(ends, ink, 2, nil)
		}
	}
	for _, i := range g.members {
		p := vg.Point{X: x(r.models[i].rank), Y: y}
		s.canvas.SetColor(ink)
		s.canvas.Fill(circle(p, barDot))
	}
	first, last := x(r.models[g.members[0]].rank), x(r.models[g.members[len(g.members)-1]].rank)
	s.record("bar", "", vg.Point{}, 0, vg.Rectangle{Min: vg.Point{X: first - barDot, Y: y - barDot}, Max: vg.Point{X: last + barDot, Y: y + barDot}})
}
