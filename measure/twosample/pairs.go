// Sums of a function of pairs of points, added up between units of points: the one pass
// behind energy distance, MMD and KID, their deletions and their permutations.

package twosample

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/internal/text"
	"repscope/measure/internal/matrix"
	"repscope/points"
	"repscope/stat"
)

// Options are the choices of a distance of two samples of points.
type Options struct {
	// Blocks group the pooled points, x followed by y, for deletions; nil
	// for none. See [Pool].
	Blocks *stat.Blocks
	// GroupsX and GroupsY are a label per point: points of one label stay together under
	// permutation. nil: every point by itself.
	GroupsX, GroupsY []int
	// Units is how many units are permuted at most; 0: 1,024. Their number sets the time of a
	// permutation, which is its square.
	Units int
	// Permutations is how many random divisions the p value is of; 0 gives none.
	Permutations int
	Seed         uint64
	Threads      int // ≤ 0: all; results do not depend on it
}

// Distance is a distance of two samples of points.
type Distance struct {
	Value float64
	// Without[b] is the value without block b of Options.Blocks; NaN where it is
	// undefined.
	Without []float64
	// P is (1 + Exceeding)/(1 + Permutations), where Exceeding of the random divisions of
	// the pooled units into two samples had at least the value; NaN without permutations,
	// Reason says why where they were asked for.
	P                       float64
	Permutations, Exceeding int
	// Null are the values of the random divisions, nil without permutations.
	Null   []float64
	Reason string
	// Units are how many units of x and of y were permuted: groups, or single points, as long as
	// there are no more than Options.Units of them; else as many consecutive ones of a block
	// together as makes them about that many, the same number in both samples, and the remainder at
	// the end of a sample stays there.
	Units [2]int
}

// onlyOneHasGroups is why there is no permutation.
const onlyOneHasGroups = "only one sample has groups, so points cannot be permuted between samples"

// maxUnits is how many units are permuted at most, where nothing else is said.
const maxUnits = 1024

// maxCells is how many units and blocks are told apart at most: their sums of pairs take
// the square of it.
const maxCells = 4096

// cell is a set of pooled points that neither a deletion nor a permutation divides.
type cell struct {
	side, unit, block int
	size              int
}

// pooled are two samples as one, cell by cell.
type pooled struct {
	x      matrix.Matrix // centered
	cell   []int         // of each row, ascending
	cells  []cell
	blocks int
	// units of both samples; fixed ones are not permuted.
	units []unit
}

type unit struct {
	side  int
	fixed bool
}

// newPooled orders the points of both samples by units and blocks. center moves their
// common mean to the origin.
func newPooled(quantity string, x, y points.Points, o Options, center bool) (*pooled, error) {
	if x.Dim != y.Dim {
		return nil, fmt.Errorf("%s: points of %d and of %d coordinates", quantity, x.Dim, y.Dim)
	}
	for k, sample := range []points.Points{x, y} {
		if err := finite(quantity, names[k], sample); err != nil {
			return nil, err
		}
	}
	n := x.N + y.N
	data := matrix.New(n, x.Dim)
	for i := range x.N {
		x.Row(i, data.Row(i))
	}
	for i := range y.N {
		y.Row(i, data.Row(x.N+i))
	}
	if center {
		mean := data.Mean()
		for i := range n {
			matrix.Axpy(data.Row(i), -1, mean)
		}
	}
	p := &pooled{}
	labels := make([]int, n)
	if o.Blocks != nil {
		if labels = o.Blocks.Labels(); len(labels) != n {
			return nil, fmt.Errorf("%s: blocks of %s for samples of %d and %d",
				quantity, text.Count(len(labels), "point"), x.N, y.N)
		}
		p.blocks = o.Blocks.Count()
	}
	units, err := p.unitsOf(quantity, [2]int{x.N, y.N}, [2][]int{o.GroupsX, o.GroupsY}, labels, o.Units)
	if err != nil {
		return nil, err
	}
	order, err := p.cellsOf(quantity, units, labels)
	if err != nil {
		return nil, err
	}
	p.x = data.Select(order)
	return p, nil
}

// unitsOf says which unit every point belongs to: as many consecutive groups, or points
// without groups, as both samples share. Groups of one block follow each other, so that few
// units are in two blocks.
func (p *pooled) unitsOf(quantity string, sizes [2]int, groups [2][]int, blocks []int, limit int) ([]int, error) {
	if limit <= 0 {
		limit = maxUnits
	}
	var unitOf [2][]int // of every point its group, in order of their blocks
	var counts [2]int
	for side, n := range sizes {
		if groups[side] != nil && len(groups[side]) != n {
			return nil, fmt.Errorf("%s: groups of %s for %d", quantity, text.Count(len(groups[side]), "point"), n)
		}
		unitOf[side] = make([]int, n)
		block := blocks[side*sizes[0]:]
		lists := groupsOf(n, groups[side])
		slices.SortStableFunc(lists, func(a, b []int) int { return cmp.Compare(block[a[0]], block[b[0]]) })
		for g, members := range lists {
			for _, i := range members {
				unitOf[side][i] = g
			}
			counts[side]++
		}
	}
	length := (counts[0] + counts[1] + limit - 1) / limit
	out := make([]int, 0, sizes[0]+sizes[1])
	for side := range sizes {
		first := len(p.units)
		for g := 0; g < counts[side]; g += length {
			p.units = append(p.units, unit{side: side, fixed: g+length > counts[side]})
		}
		for _, g := range unitOf[side] {
			out = append(out, first+g/length)
		}
	}
	return out, nil
}

// cellsOf divides the points into cells and returns their order by them.
func (p *pooled) cellsOf(quantity string, units, blocks []int) ([]int, error) {
	order := make([]int, len(units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(units[a], units[b]), cmp.Compare(blocks[a], blocks[b]))
	})
	p.cell = make([]int, len(units))
	for position, i := range order {
		if last := len(p.cells) - 1; last < 0 || p.cells[last].unit != units[i] || p.cells[last].block != blocks[i] {
			p.cells = append(p.cells, cell{side: p.units[units[i]].side, unit: units[i], block: blocks[i]})
		}
		last := len(p.cells) - 1
		p.cells[last].size++
		p.cell[position] = last
	}
	if len(p.cells) > maxCells {
		return nil, fmt.Errorf("%s: %d groups of points in %s, want at most %d; join some (Blocks.Coarsen)",
			quantity, len(p.cells), text.Count(p.blocks, "block"), maxCells)
	}
	return order, nil
}

// kernelOf returns the summed term: the sum of a function of the pairs of row i and rows
// j0, j0+1, …, from their products, which it may overwrite.
type kernelOf func(products []float64, i, j0 int) float64

// sums are the sums of a function over the pairs of points of two cells, a ≤ c:
// between[a·cells + c], of one cell over the pairs of different points in it.
func (p *pooled) sums(ctx context.Context, threads int, f kernelOf) ([]float64, error) {
	g := len(p.cells)
	start := make([]int, g+1)
	for c := range p.cells {
		start[c+1] = start[c] + p.cells[c].size
	}
	parts := make([][]float64, (p.x.N+matrix.RowBlock-1)/matrix.RowBlock)
	err := matrix.Products(ctx, p.x, threads, func(i0, i1, j0, j1 int, product []float64, stride int) {
		first := p.cell[i0]
		part := &parts[i0/matrix.RowBlock]
		if *part == nil {
			*part = make([]float64, (p.cell[i1-1]-first+1)*g)
		}
		for i := i0; i < i1; i++ {
			row := product[(i-i0)*stride:]
			to := (*part)[(p.cell[i]-first)*g:]
			for j := max(j0, i+1); j < j1; {
				c := p.cell[j]
				end := min(start[c+1], j1)
				to[c] += f(row[j-j0:end-j0], i, j)
				j = end
			}
		}
	})
	if err != nil {
		return nil, err
	}
	between := make([]float64, g*g)
	for block, part := range parts {
		matrix.AddTo(between[p.cell[block*matrix.RowBlock]*g:], part)
	}
	return between, nil
}

// totals are the sums over the pairs within both samples and between them, with the
// numbers of points.
type totals struct {
	n, m       float64
	xx, xy, yy float64
}

// statistic makes a distance of the totals; NaN where there are too few points.
type statistic func(t totals) float64

// unbiased is the U-statistic of kernels, without the pairs of a point with itself.
func unbiased(t totals) float64 {
	if t.n < 2 || t.m < 2 {
		return math.NaN()
	}
	return 2*t.xx/(t.n*(t.n-1)) + 2*t.yy/(t.m*(t.m-1)) - 2*t.xy/(t.n*t.m)
}

// ofDistances is 2·E|X − Y| − E|X − X′| − E|Y − Y′| over all pairs, a point with
// itself included, so that it is never negative: rounding below 10⁻¹³ of its parts is 0.
func ofDistances(t totals) float64 {
	if t.n < 1 || t.m < 1 {
		return math.NaN()
	}
	between := 2 * t.xy / (t.n * t.m)
	value := between - 2*t.xx/(t.n*t.n) - 2*t.yy/(t.m*t.m)
	if value < 1e-13*between {
		return 0
	}
	return value
}

// measure computes a distance from the sums between cells, its deletions and its test.
func (p *pooled) measure(ctx context.Context, between []float64, o Options, f statistic) (*Distance, error) {
	all, touched := p.totals(between)
	d := &Distance{Value: f(all), P: math.NaN()}
	for b := range p.blocks {
		t := touched[b]
		d.Without = append(d.Without, f(totals{n: all.n - t.n, m: all.m - t.m, xx: all.xx - t.xx, xy: all.xy - t.xy, yy: all.yy - t.yy}))
	}
	for _, u := range p.units {
		d.Units[u.side]++
	}
	if o.Permutations <= 0 {
		return d, nil
	}
	if (o.GroupsX == nil) != (o.GroupsY == nil) {
		d.Reason = onlyOneHasGroups
		return d, nil
	}
	return d, p.permute(ctx, between, o, f, d)
}

// totals adds up the sums between cells, all of them and those that touch each block.
func (p *pooled) totals(between []float64) (all totals, touched []totals) {
	touched = make([]totals, p.blocks)
	add := func(t *totals, a, c *cell, v float64) {
		switch {
		case a.side != c.side:
			t.xy += v
		case a.side == 0:
			t.xx += v
		default:
			t.yy += v
		}
	}
	g := len(p.cells)
	for i := range p.cells {
		a := &p.cells[i]
		counts := [2]float64{}
		counts[a.side] = float64(a.size)
		all.n += counts[0]
		all.m += counts[1]
		if p.blocks > 0 {
			touched[a.block].n += counts[0]
			touched[a.block].m += counts[1]
		}
		for j := i; j < g; j++ {
			c, v := &p.cells[j], between[i*g+j]
			add(&all, a, c, v)
			if p.blocks == 0 {
				continue
			}
			add(&touched[a.block], a, c, v)
			if c.block != a.block {
				add(&touched[c.block], a, c, v)
			}
		}
	}
	return all, touched
}

// permute divides the units at random, as many of them to x as it had.
func (p *pooled) permute(ctx context.Context, between []float64, o Options, f statistic, d *Distance) error {
	u := p.unitSums(between)
	var free []int
	inX := make([]bool, len(p.units)) // as given
	x := 0
	for i, unit := range p.units {
		inX[i] = unit.side == 0
		if !unit.fixed {
			free = append(free, i)
			if unit.side == 0 {
				x++
			}
		}
	}
	if x == 0 || x == len(free) {
		d.Reason = "one sample has fewer points than a permuted unit"
		return nil
	}
	observed := f(u.totals(inX))
	tolerance := 1e-12 * max(math.Abs(observed), 1e-3*u.scale())
	values := make([]float64, o.Permutations)
	err := parallel.With(ctx, o.Threads, o.Permutations, func() func(int) error {
		chosen := make([]bool, len(p.units))
		return func(k int) error {
			copy(chosen, inX)
			for at, which := range stat.NewRandom(stat.StreamTwoSample.Key(o.Seed, uint64(k))).Perm(len(free)) {
				chosen[free[which]] = at < x
			}
			values[k] = f(u.totals(chosen))
			return nil
		}
	})
	if err != nil {
		return err
	}
	d.Permutations, d.Null = o.Permutations, values
	for _, v := range values {
		if v >= observed-tolerance {
			d.Exceeding++
		}
	}
	d.P = float64(1+d.Exceeding) / float64(1+d.Permutations)
	return nil
}

// unitTable holds the sums between units, symmetric, those within a unit on the diagonal.
type unitTable struct {
	n    int
	sums []float64
	rows []float64 // Σ over other units
	all  float64   // Σ over all pairs
	size []float64
}

func (p *pooled) unitSums(between []float64) *unitTable {
	n, g := len(p.units), len(p.cells)
	u := &unitTable{n: n, sums: make([]float64, n*n), rows: make([]float64, n), size: make([]float64, n)}
	for i, a := range p.cells {
		u.size[a.unit] += float64(a.size)
		for j := i; j < g; j++ {
			v, b := between[i*g+j], p.cells[j].unit
			u.all += v
			u.sums[a.unit*n+b] += v
			if b != a.unit {
				u.sums[b*n+a.unit] += v
				u.rows[a.unit] += v
				u.rows[b] += v
			}
		}
	}
	return u
}

// scale is the size of the mean over pairs, by which rounding is judged.
func (u *unitTable) scale() float64 {
	n := stat.Sum(u.size)
	return math.Abs(u.all) / (n * (n - 1) / 2)
}

// totals are the sums of the division that gives x the chosen units.
func (u *unitTable) totals(chosen []bool) (t totals) {
	index := make([]int, 0, u.n)
	for i, yes := range chosen {
		if yes {
			index = append(index, i)
			t.n += u.size[i]
		} else {
			t.m += u.size[i]
		}
	}
	rows := 0.0
	for k, i := range index {
		row := u.sums[i*u.n : (i+1)*u.n]
		rows += u.rows[i]
		t.xx += row[i]
		sum := 0.0
		for _, j := range index[:k] {
			sum += row[j]
		}
		t.xx += sum
		t.xy -= 2 * sum
	}
	t.xy += rows
	t.yy = u.all - t.xx - t.xy
	return t
}
