package neighbors

// This file puts vertices into cells: every vertex belongs to the cell of its nearest centre.

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/points"
	"repscope/stat"
)

const (
	// cellsPerRoot is the number of cells over √n: time goes to the centres and to the
	// members of the nearest cells, about equally.
	cellsPerRoot = 2
	// trainingPoints for each centre and trainingRounds of k-means are enough: cells need
	// to be small and compact, not optimal.
	trainingPoints, trainingRounds = 32, 4
)

// cells are groups of near vertices.
type cells[F kernel.Float] struct {
	rows    *vertexRows[F]
	n, dim  int
	threads int
	// excluded reports pairs that are no neighbours; nil for none.
	excluded func(u, v int32) bool

	count       int
	centres     kernel.Packed[F]
	centreNorms []F
	cell        []int32 // of each vertex

	// places are the vertices by cell; those of cell c, ascending, start at
	// starts[c], a multiple of kernel.Align, and are sizes[c].
	places, starts, sizes []int32
	norms                 []F // by place
	// packed are the coordinates by place; zero where they are packed when needed.
	packed kernel.Packed[F]
}

// openCells puts the vertices, nil for all points, into cells.
func openCells[F kernel.Float](ctx context.Context, pts points.Points, vertices []int, o *Options, a *Approximation) (*cells[F], error) {
	c := &cells[F]{n: pts.N, dim: pts.Dim, threads: o.threads()}
	if vertices != nil {
		c.n = len(vertices)
	}
	c.count = int(cellsPerRoot * math.Sqrt(float64(c.n)))
	if o.ExcludeWindow > 0 {
		b := base{window: o.ExcludeWindow, episode: o.Episode}
		c.excluded = func(u, v int32) bool { return b.excludes(int(u), int(v)) }
	}
	need, budget := c.bytes(), o.budget()
	switch {
	case int64(c.n)+int64(c.count)*kernel.Align > math.MaxInt32:
		return nil, fmt.Errorf("%d distinct points are too many", c.n)
	case need > budget:
		return nil, fmt.Errorf("memory: the cells of %d points need %d bytes and %d are allowed: allow more", c.n, need, budget)
	}
	c.rows = newVertexRows[F](pts, vertices, newDirect(pts, pts, o.Metric))
	if err := c.train(ctx, a.Seed); err != nil {
		return nil, err
	}
	c.cell = make([]int32, c.n)
	if err := c.assign(ctx, c.n, func(i int) int { return i }, c.cell); err != nil {
		return nil, err
	}
	if err := c.arrange(ctx); err != nil {
		return nil, err
	}
	if need+int64(len(c.places))*int64(c.dim)*sizeOf[F]() <= budget {
		return c, c.packed.Right(kernel.Packing[F](spreadCells[F]{c}), len(c.places), c.dim)
	}
	return c, nil
}

// bytes is the memory that the cells need at least: of each vertex and of each worker.
func (c *cells[F]) bytes() int64 {
	padded := int64(c.n) + int64(c.count)*kernel.Align
	centres := int64(c.count) * int64(c.dim+1) * sizeOf[F]()
	worker := sizeOf[F]() * searchRows * int64(2*c.dim+c.count+searchColumns)
	return 4*int64(c.n) + padded*(4+sizeOf[F]()) + centres + int64(c.threads)*worker
}

// train finds the centres by k-means on a sample of the vertices.
func (c *cells[F]) train(ctx context.Context, seed uint64) error {
	sample, err := stat.NewRandom(stat.StreamCells.Key(seed)).SampleWithoutReplacement(c.n, trainingPoints*c.count)
	if err != nil {
		return err
	}
	// The first centres are spread over the sample, which is in order of index.
	centres := make([]F, c.count*c.dim)
	for k := range c.count {
		c.rows.compute(sample[k*len(sample)/c.count], 0, centres[k*c.dim:(k+1)*c.dim])
	}
	nearest := make([]int32, len(sample))
	for round := 0; ; round++ {
		if err := c.place(centres); err != nil || round == trainingRounds {
			return err
		}
		if err := c.assign(ctx, len(sample), func(i int) int { return sample[i] }, nearest); err != nil {
			return err
		}
		if err := c.average(ctx, sample, nearest, centres); err != nil {
			return err
		}
	}
}

// place makes the given points the centres.
func (c *cells[F]) place(centres []F) error {
	c.centreNorms = grown(c.centreNorms, c.count)
	for k := range c.count {
		norm := F(0)
		for _, v := range centres[k*c.dim : (k+1)*c.dim] {
			norm += F(v * v)
		}
		c.centreNorms[k] = norm
	}
	return c.centres.Right(kernel.Rows(centres, c.dim), c.count, c.dim)
}

// average moves every centre to the mean of the vertices nearest to it; one without
// any stays where it is.
func (c *cells[F]) average(ctx context.Context, sample []int, nearest []int32, centres []F) error {
	starts := make([]int32, c.count+1)
	for _, k := range nearest {
		starts[k+1]++
	}
	for k := range c.count {
		starts[k+1] += starts[k]
	}
	members, next := make([]int32, len(sample)), slices.Clone(starts)
	for i, k := range nearest {
		members[next[k]] = int32(sample[i])
		next[k]++
	}
	rows, sums := make([][]F, c.threads), make([][]float64, c.threads)
	for w := range rows {
		rows[w], sums[w] = make([]F, c.dim), make([]float64, c.dim)
	}
	return parallel(ctx, c.threads, c.count, func(w, k int) {
		own := members[starts[k]:starts[k+1]]
		if len(own) == 0 {
			return
		}
		clear(sums[w])
		for _, v := range own {
			c.rows.compute(int(v), 0, rows[w])
			for d, x := range rows[w] {
				sums[w][d] += float64(x)
			}
		}
		for d, s := range sums[w] {
			centres[k*c.dim+d] = F(s / float64(len(own)))
		}
	})
}

// assign sets nearest[i] to the cell of the centre nearest to vertex(i), the first one of
// equally near ones, for i in 0 … count−1.
func (c *cells[F]) assign(ctx context.Context, count int, vertex func(i int) int, nearest []int32) error {
	return c.work(ctx, (count+searchRows-1)/searchRows, func(w *cellWorker[F], block int) error {
		lo := block * searchRows
		rows := min(searchRows, count-lo)
		w.load(c, rows, func(r int) int { return vertex(lo + r) })
		var best [searchRows]F
		for r := range rows {
			best[r], nearest[lo+r] = F(math.Inf(1)), 0
		}
		for first := 0; first < c.count; first += searchColumns {
			width := min(searchColumns, c.count-first)
			norms := c.centreNorms[first : first+width]
			if err := w.multiply(c, w.rows, rows, c.centres.Operand(first), width, nil); err != nil {
				return err
			}
			for r := range rows {
				part := w.tile[r*width : (r+1)*width]
				for _, l := range w.near(part, norms, w.norms[r], best[r]) {
					if key := squared(part[l], w.norms[r], norms[l]); key < best[r] {
						best[r], nearest[lo+r] = key, int32(first)+l
					}
				}
			}
		}
		return nil
	})
}

// arrange lists the members of every cell.
func (c *cells[F]) arrange(ctx context.Context) error {
	c.sizes, c.starts = make([]int32, c.count), make([]int32, c.count)
	for _, k := range c.cell {
		c.sizes[k]++
	}
	total := int32(0)
	for k, size := range c.sizes {
		c.starts[k] = total
		total += (size + kernel.Align - 1) / kernel.Align * kernel.Align
	}
	c.places, c.norms = make([]int32, total), make([]F, total)
	for p := range c.places {
		c.places[p] = noVertex
	}
	next := slices.Clone(c.starts)
	for v, k := range c.cell {
		c.places[next[k]] = int32(v)
		next[k]++
	}
	rows := make([][]F, c.threads)
	return parallel(ctx, c.threads, c.count, func(w, k int) {
		rows[w] = grown(rows[w], c.dim)
		for p := c.starts[k]; p < c.starts[k]+c.sizes[k]; p++ {
			c.norms[p] = c.rows.compute(int(c.places[p]), 0, rows[w])
		}
	})
}

// noVertex is at the places between cells.
const noVertex = -1

// spreadCells packs the vertices by place, with several goroutines.
type spreadCells[F kernel.Float] struct{ cells *cells[F] }

// Pack implements kernel.Packer.
func (s spreadCells[F]) Pack(dst []F, width, first, count, k, depth int) {
	panels := (count + width - 1) / width
	rows := make([][]F, s.cells.threads)
	// The context is not consulted: one depth block takes moments.
	_ = parallel(context.Background(), s.cells.threads, panels, func(w, q int) {
		at := q * width
		n := min(width, count-at)
		rows[w] = s.cells.pack(dst[at*depth:(at+width)*depth], width, first+at, n, k, depth, rows[w])
	})
}

// cellRows packs the members of one cell from place first on, in one goroutine.
type cellRows[F kernel.Float] struct {
	cells  *cells[F]
	first  int
	memory *[]F
}

// Pack implements kernel.Packer.
func (r cellRows[F]) Pack(dst []F, width, first, count, k, depth int) {
	for at := 0; at < count; at += width {
		n := min(width, count-at)
		*r.memory = r.cells.pack(dst[at*depth:(at+width)*depth], width, r.first+first+at, n, k, depth, *r.memory)
	}
}

// pack writes n members from the given place on into one panel; row is memory for it.
func (c *cells[F]) pack(dst []F, width, place, n, k, depth int, row []F) []F {
	row = grown(row, n*depth)
	for r, v := range c.places[place : place+n] {
		part := row[r*depth : (r+1)*depth]
		if v == noVertex {
			clear(part)
			continue
		}
		c.rows.compute(int(v), k, part)
	}
	kernel.PackRows(dst, width, row, depth, n, depth)
	return row
}
