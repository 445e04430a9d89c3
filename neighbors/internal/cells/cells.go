// Vertices in cells: every vertex belongs to the cell of its nearest center.

package cells

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/rows"
	"repscope/neighbors/internal/scan"
	"repscope/points"
	"repscope/stat"
)

const (
	// cellsPerRoot is the number of cells over √n: time goes to the centers and to the
	// members of the nearest cells, about equally.
	cellsPerRoot = 2
	// trainingPoints for each center and trainingRounds of k-means are enough: cells need
	// to be small and compact, not optimal.
	trainingPoints, trainingRounds = 32, 4
)

// index are groups of near vertices.
type index[F kernel.Float] struct {
	rows    *coordinates[F]
	n, dim  int
	threads int
	// excluded reports pairs that are no neighbors; nil for none.
	excluded func(u, v int32) bool

	count       int
	centers     kernel.Packed[F]
	centerNorms []F
	cell        []int32 // of each vertex

	// places are the vertices by cell. The vertices of cell c, ascending, start at index starts[c], a multiple of
	// kernel.Align, and are sizes[c] in number.
	places, starts, sizes []int32
	norms                 []F // in the order of places
	// packed are the coordinates in the order of places; zero if they are packed on demand.
	packed kernel.Packed[F]
}

// openIndex puts the vertices, nil for all points, into cells.
func openIndex[F kernel.Float](ctx context.Context, pts points.Points, vertices []int, o *rows.Options,
	a *Options) (*index[F], error) {
	c := &index[F]{n: pts.N, dim: pts.Dim, threads: o.ThreadCount()}
	if vertices != nil {
		c.n = len(vertices)
	}
	c.count = int(cellsPerRoot * math.Sqrt(float64(c.n)))
	if o.ExcludeWindow > 0 {
		b := o.Among(pts.N)
		c.excluded = func(u, v int32) bool { return b.Excludes(int(u), int(v)) }
	}
	need, budget := c.bytes(), o.Budget()
	switch {
	case int64(c.n)+int64(c.count)*kernel.Align > math.MaxInt32:
		return nil, fmt.Errorf("%d distinct points are too many", c.n)
	case need > budget:
		return nil, fmt.Errorf(
			"memory: the cells of %d points need %d bytes, but only %d are allowed: raise the limit", c.n, need, budget)
	}
	c.rows = newCoordinates[F](pts, vertices, rows.NewDirect(pts, pts, o.Metric))
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
	if need+int64(len(c.places))*int64(c.dim)*scan.SizeOf[F]() <= budget {
		return c, c.packed.Right(kernel.Packing[F](parallelPacker[F]{c}), len(c.places), c.dim)
	}
	return c, nil
}

// bytes is the memory that the cells need at least: of each vertex and of each worker.
func (c *index[F]) bytes() int64 {
	padded := int64(c.n) + int64(c.count)*kernel.Align
	centers := int64(c.count) * int64(c.dim+1) * scan.SizeOf[F]()
	worker := scan.SizeOf[F]() * searchHeight * int64(2*c.dim+c.count+searchColumns)
	return 4*int64(c.n) + padded*(4+scan.SizeOf[F]()) + centers + int64(c.threads)*worker
}

// train finds the centers by k-means on a sample of the vertices.
func (c *index[F]) train(ctx context.Context, seed uint64) error {
	sample, err := stat.NewRandom(stat.StreamCells.Key(seed)).SampleWithoutReplacement(c.n, trainingPoints*c.count)
	if err != nil {
		return err
	}
	// The first centers are spread over the sample, which is in order of index.
	centers := make([]F, c.count*c.dim)
	for k := range c.count {
		c.rows.compute(sample[k*len(sample)/c.count], 0, centers[k*c.dim:(k+1)*c.dim])
	}
	nearest := make([]int32, len(sample))
	for round := 0; ; round++ {
		if err := c.place(centers); err != nil || round == trainingRounds {
			return err
		}
		if err := c.assign(ctx, len(sample), func(i int) int { return sample[i] }, nearest); err != nil {
			return err
		}
		if err := c.average(ctx, sample, nearest, centers); err != nil {
			return err
		}
	}
}

// place uses these points as the centers.
func (c *index[F]) place(centers []F) error {
	c.centerNorms = scan.Grown(c.centerNorms, c.count)
	for k := range c.count {
		norm := F(0)
		for _, v := range centers[k*c.dim : (k+1)*c.dim] {
			norm += F(v * v)
		}
		c.centerNorms[k] = norm
	}
	return c.centers.Right(kernel.Rows(centers, c.dim), c.count, c.dim)
}

// average moves every center to the mean of the vertices nearest to it; one without
// any stays where it is.
func (c *index[F]) average(ctx context.Context, sample []int, nearest []int32, centers []F) error {
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
	return parallel.For(ctx, c.threads, c.count, func(w, k int) {
		vertices := members[starts[k]:starts[k+1]]
		if len(vertices) == 0 {
			return
		}
		clear(sums[w])
		for _, v := range vertices {
			c.rows.compute(int(v), 0, rows[w])
			for d, x := range rows[w] {
				sums[w][d] += float64(x)
			}
		}
		for d, s := range sums[w] {
			centers[k*c.dim+d] = F(s / float64(len(vertices)))
		}
	})
}

// assign sets nearest[i] to the cell of the center nearest to vertex(i), the first one of
// equally near ones, for i in 0 … count−1.
func (c *index[F]) assign(ctx context.Context, count int, vertex func(i int) int, nearest []int32) error {
	return c.work(ctx, (count+searchHeight-1)/searchHeight, func(w *searcher[F], block int) error {
		lo := block * searchHeight
		rows := min(searchHeight, count-lo)
		w.load(c, rows, func(r int) int { return vertex(lo + r) })
		var best [searchHeight]F
		for r := range rows {
			best[r], nearest[lo+r] = F(math.Inf(1)), 0
		}
		for first := 0; first < c.count; first += searchColumns {
			width := min(searchColumns, c.count-first)
			norms := c.centerNorms[first : first+width]
			if err := w.multiply(c, w.rows, rows, c.centers.Operand(first), width, nil); err != nil {
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
func (c *index[F]) arrange(ctx context.Context) error {
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
	return parallel.For(ctx, c.threads, c.count, func(w, k int) {
		rows[w] = scan.Grown(rows[w], c.dim)
		for p := c.starts[k]; p < c.starts[k]+c.sizes[k]; p++ {
			c.norms[p] = c.rows.compute(int(c.places[p]), 0, rows[w])
		}
	})
}
