// One goroutine's search: rows against centers and members.

package cells

import (
	"context"
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/rows"
	"repscope/neighbors/internal/scan"
)

// searcher is one goroutine's memory.
type searcher[F kernel.Float] struct {
	number      int
	rows, norms []F // of the vertices that are searched for
	some        []F // the rows that look into one cell
	tile        []F // products with centers or members
	product     kernel.Workspace[F]
	packing     []F
	found       [searchColumns]int32
	found512    [scan.Segment]int32
	nearest     []scan.Entry[F] // cells
	// Each row's list has listCapacity entries, the first filled of them in use; keys above the limit are discarded.
	lists  []scan.Entry[F]
	filled []int32
	limits []F
	// chosen[r·probes+p] is the p-th nearest cell of row r, −1 for none. For each cell, its indices in chosen form a
	// chain: heads[cell], links[heads[cell]], …, −1.
	chosen, heads, links []int32
	order                []int32 // the chosen cells, in order of the distance to the nearest row
	list                 []int32
	err                  error
}

// work calls do for 0 … count−1.
func (c *index[F]) work(ctx context.Context, count int, do func(w *searcher[F], i int) error) error {
	workers := make([]searcher[F], c.threads)
	for w := range workers {
		workers[w].number = w
	}
	err := parallel.For(ctx, c.threads, count, func(w, i int) {
		if workers[w].err == nil {
			workers[w].err = do(&workers[w], i)
		}
	})
	for w := range workers {
		if workers[w].err != nil {
			return workers[w].err
		}
	}
	return err
}

// load takes the coordinates of count vertices.
func (w *searcher[F]) load(c *index[F], count int, vertex func(r int) int) {
	w.rows, w.norms = scan.Grown(w.rows, count*c.dim), scan.Grown(w.norms, count)
	for r := range count {
		w.norms[r] = c.rows.compute(vertex(r), 0, w.rows[r*c.dim:(r+1)*c.dim])
	}
}

// multiply fills the tile with the products of the first count rows and the first width
// vectors of the operand.
func (w *searcher[F]) multiply(c *index[F], rows []F, count int, operand kernel.Operand[F], width int,
	epilogue kernel.Epilogue[F]) error {
	w.tile = scan.Grown(w.tile, count*width)
	p := kernel.Product[F]{
		M: count, N: width, K: c.dim,
		A: kernel.Rows(rows, c.dim), B: operand,
		C: w.tile, Stride: width, Threads: 1, Workspace: &w.product, Epilogue: epilogue,
	}
	return p.Run()
}

// squared is a squared distance from a product and two squared norms.
func squared[F kernel.Float](product, norm, other F) F {
	return F(norm+other) - F(2*product)
}

// near returns the indices in a row of products whose squared distance is at most limit.
func (w *searcher[F]) near(products, norms []F, norm, limit F) []int32 {
	if products, ok := any(products).([]float32); ok {
		return w.found[:kernel.NearDistances(w.found[:], products, any(norms).([]float32), noLimits[:], float32(norm), float32(limit))]
	}
	n := 0
	for l, product := range products {
		if squared(product, norm, norms[l]) <= limit {
			w.found[n] = int32(l)
			n++
		}
	}
	return w.found[:n]
}

// noLimits are limits that no distance keeps.
var noLimits = func() (limits [searchColumns]float32) {
	for l := range limits {
		limits[l] = float32(math.Inf(-1))
	}
	return limits
}()

// rank sets w.nearest to the count cells whose centers are nearest to row r of the tile of all centers, nearest first;
// own is the cell of the row.
func (w *searcher[F]) rank(c *index[F], r, count int, own int32) {
	w.nearest = scan.SelectNearest(w.tile[r*c.count:(r+1)*c.count], count, int(own), w.nearest, &w.found512)
}

// measureCenters fills the tile with the distances of the rows to all centers.
func (w *searcher[F]) measureCenters(c *index[F]) error {
	return w.multiply(c, w.rows, len(w.norms), c.centers.Operand(0), c.count,
		rows.DistanceTile[F]{Rows: w.norms, Cols: c.centerNorms})
}

// choose finds the cells that each row, a member of cell own, searches.
func (w *searcher[F]) choose(c *index[F], cell int32, probes int) error {
	if err := w.measureCenters(c); err != nil {
		return err
	}
	rows := len(w.norms)
	w.chosen = scan.Grown(w.chosen, rows*probes)
	for r := range rows {
		w.rank(c, r, probes, cell)
		near := w.chosen[r*probes : (r+1)*probes]
		for p := range near {
			near[p] = -1
			if p < len(w.nearest) {
				near[p] = w.nearest[p].Index
			}
		}
	}
	if w.heads == nil {
		w.heads = slices.Repeat([]int32{-1}, c.count)
	}
	w.links, w.order = scan.Grown(w.links, rows*probes), w.order[:0]
	for p := range probes {
		for r := range rows {
			link := r*probes + p
			k := w.chosen[link]
			if k < 0 {
				continue
			}
			if w.heads[k] < 0 {
				w.order = append(w.order, k)
			}
			w.links[link], w.heads[k] = w.heads[k], int32(link)
		}
	}
	return nil
}

// open empties the lists of the rows.
func (w *searcher[F]) open(rows, capacity int) {
	w.lists, w.filled, w.limits = scan.Grown(w.lists, rows*capacity), scan.Grown(w.filled, rows), scan.Grown(w.limits, rows)
	clear(w.filled)
	for r := range w.limits {
		w.limits[r] = scan.NextDown(F(math.Inf(1)))
	}
}

// look enters the members of cell k into the lists of the rows that look into it.
func (w *searcher[F]) look(c *index[F], members []int32, k int32, width int) error {
	probes := len(w.links) / len(members)
	w.list, w.some = w.list[:0], w.some[:0]
	for link := w.heads[k]; link >= 0; link = w.links[link] {
		r := int(link) / probes
		w.list = append(w.list, int32(r))
		w.some = append(w.some, w.rows[r*c.dim:(r+1)*c.dim]...)
	}
	w.heads[k] = -1
	capacity := rows.ListCapacity(width)
	start, size := int(c.starts[k]), int(c.sizes[k])
	for first := start; first < start+size; first += searchColumns {
		columns := min(searchColumns, start+size-first)
		norms := c.norms[first : first+columns]
		if err := w.multiply(c, w.some, len(w.list), c.members(w, first), columns, nil); err != nil {
			return err
		}
		for q, r := range w.list {
			part := w.tile[q*columns : (q+1)*columns]
			list := w.lists[int(r)*capacity : (int(r)+1)*capacity]
			u := members[r]
			for _, l := range w.near(part, norms, w.norms[r], w.limits[r]) {
				v, key := c.places[first+int(l)], squared(part[l], w.norms[r], norms[l])
				if u == v || key > w.limits[r] || c.excluded != nil && c.excluded(u, v) {
					continue
				}
				list[w.filled[r]] = scan.Entry[F]{Key: key, Index: v}
				w.filled[r]++
				if int(w.filled[r]) == capacity {
					w.limits[r] = cut(list, width)
					w.filled[r] = int32(width)
				}
			}
		}
	}
	return nil
}

// cut moves the width first entries to the front and returns the largest key of these.
func cut[F kernel.Float](list []scan.Entry[F], width int) F {
	scan.Partition(list, width)
	last := list[0].Key
	for _, e := range list[1:width] {
		last = max(last, e.Key)
	}
	return last
}

// take returns the vertices on the list of row r.
func (w *searcher[F]) take(r, width int) []int32 {
	capacity := rows.ListCapacity(width)
	list := w.lists[r*capacity:][:w.filled[r]]
	if len(list) > width {
		scan.Partition(list, width)
		list = list[:width]
	}
	w.list = w.list[:0]
	for _, e := range list {
		w.list = append(w.list, e.Index)
	}
	return w.list
}
