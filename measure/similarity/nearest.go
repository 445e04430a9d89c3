// Measures of nearest neighbors: common neighbors, ranks of the nearest, and alignment over common neighbors.

package similarity

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
	"repscope/neighbors"
	"repscope/points"
)

// neighborhoods computes mutual_knn, from lists of neighbors where these decide, and information_imbalance. Points at
// equal distances count in the mean over all their orders.
func neighborhoods(ctx context.Context, c *comparison) error {
	var sizes []int
	var names []string
	for _, k := range c.o.K {
		name := sized("mutual_knn", k)
		if !c.wants(name) {
			continue
		}
		if reason := c.tooMany(k); reason != "" {
			c.refuse(name, reason)
			continue
		}
		names = append(names, name)
		if !slices.Contains(sizes, k) {
			sizes = append(sizes, k)
		}
	}
	listed := false
	if len(sizes) > 0 {
		var err error
		if listed, err = c.commonNeighbors(ctx, sizes); err != nil {
			return err
		}
		if listed { // and the values without blocks, without orders
			if deleting := c.deleting(names...); len(deleting) > 0 {
				if err := c.compareRanks(ctx, sizes, deleting, nil); err != nil {
					return err
				}
			}
			names, sizes = nil, nil
		}
	}
	if c.wants("information_imbalance_ab") {
		names = append(names, "information_imbalance_ab", "information_imbalance_ba")
		if !slices.Contains(sizes, 1) {
			sizes = append(sizes, 1)
		}
	}
	if len(sizes) == 0 {
		return nil
	}
	return c.compareRanks(ctx, sizes, names, c.o.Orders)
}

// compareRanks computes named scores in one pass over the distances: as the points are, in orders and without blocks.
// Without the orders that there are, only the values without blocks change.
func (c *comparison) compareRanks(ctx context.Context, sizes []int, names []string, orders [][]int) error {
	deleting := c.deleting(names...)
	o := neighbors.Options{
		Ks: sizes, Threads: max(c.o.Threads, 0), Memory: c.o.Memory, Permutations: orders, Metric: c.o.Metric,
	}
	if len(deleting) > 0 && c.leaves(slices.Max(sizes)) {
		o.Blocks = c.o.Blocks.Labels()
	}
	preserved, err := neighbors.Compare(ctx, c.a.points, []points.Points{c.b.points}, o)
	if err != nil {
		return err
	}
	n := float64(c.a.n())
	for _, sums := range preserved[0].ByK {
		rows := [3][]float64{{sums.QNX}, {imbalance(sums.ContPenalty, n)}, {imbalance(sums.TrustPenalty, n)}}
		for _, null := range sums.Null {
			rows[0] = append(rows[0], null.Common/(n*float64(sums.K)))
			rows[1] = append(rows[1], imbalance(null.ContPenalty, n))
			rows[2] = append(rows[2], imbalance(null.TrustPenalty, n))
		}
		scores := map[string]int{sized("mutual_knn", sums.K): 0}
		if sums.K == 1 {
			scores["information_imbalance_ab"], scores["information_imbalance_ba"] = 1, 2
		}
		for name, row := range scores {
			if !slices.Contains(names, name) {
				continue
			}
			if len(orders) == len(c.o.Orders) {
				c.enter(name, rows[row])
			}
			if !slices.Contains(deleting, name) {
				continue
			}
			without := slices.Repeat([]float64{math.NaN()}, c.o.Blocks.Count())
			for b, r := range sums.Replicates {
				count := float64(r.Points)
				without[b] = [3]float64{r.QNX, imbalance(r.ContPenalty, count), imbalance(r.TrustPenalty, count)}[row]
			}
			c.series[name].Without = without
		}
	}
	return nil
}

// commonNeighbors computes mutual_knn in all orders from one list of neighbors per space. done is false where the last
// neighbor of a list is not nearer than the next, so that ties decide.
func (c *comparison) commonNeighbors(ctx context.Context, sizes []int) (done bool, err error) {
	var lists [2]map[int][]int32
	for side, p := range []*Prepared{c.a, c.b} {
		if lists[side], err = p.neighborLists(ctx, sizes, c.o); err != nil || lists[side] == nil {
			return false, err
		}
	}
	n := c.a.n()
	for _, k := range sizes {
		scores := make([]float64, 1+len(c.o.Orders))
		x, y := lists[0][k], lists[1][k]
		err = parallel.With(ctx, c.o.Threads, len(scores), func() func(int) error {
			marked := make([]int32, n) // i + 1: the point is a neighbor of point i in b
			return func(row int) error {
				order := c.order(row)
				back := inverse(order)
				clear(marked)
				common := 0
				for i := range n {
					from := i
					if order != nil {
						from = order[i]
					}
					for _, j := range y[from*k : (from+1)*k] {
						if back != nil {
							j = int32(back[j])
						}
						marked[j] = int32(i + 1)
					}
					for _, j := range x[i*k : (i+1)*k] {
						if marked[j] == int32(i+1) {
							common++
						}
					}
				}
				scores[row] = float64(common) / (float64(n) * float64(k))
				return nil
			}
		})
		if err != nil {
			return false, err
		}
		c.enter(sized("mutual_knn", k), scores)
	}
	return true, nil
}

// neighborLists are the k nearest neighbors of every point, for each of the sizes; nil where a point at the end of a
// list is as far as the next.
func (p *Prepared) neighborLists(ctx context.Context, sizes []int, o *Options) (map[int][]int32, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	longest := slices.Max(sizes)
	if have := p.lists[o.Metric]; have == nil || have.K <= longest {
		lists, err := neighbors.KNearest(ctx, p.points, longest+1, neighbors.Options{
			Threads: max(o.Threads, 0), Memory: o.Memory, Metric: o.Metric,
		})
		if err != nil {
			return nil, err
		}
		p.lists[o.Metric] = lists
	}
	all := p.lists[o.Metric]
	out := map[int][]int32{}
	for _, k := range sizes {
		list := make([]int32, 0, all.N*k)
		for i := range all.N {
			if all.Distance[i*all.K+k-1] == all.Distance[i*all.K+k] {
				return nil, nil
			}
			list = append(list, all.Index[i*all.K:i*all.K+k]...)
		}
		out[k] = list
	}
	return out, nil
}

// imbalance is 2/n times the mean rank, from the sum of ranks less one.
func imbalance(penalty, n float64) float64 { return 2 / n * (penalty/n + 1) }

// tooMany says why there are no k neighbors.
func (c *comparison) tooMany(k int) string {
	if k > c.a.n()-2 {
		return fmt.Sprintf("%d points have at most %d neighbors to choose from", c.a.n(), c.a.n()-2)
	}
	return ""
}

// leaves says whether the points outside each block have k neighbors.
func (c *comparison) leaves(k int) bool {
	for _, size := range c.o.Blocks.Sizes() {
		if c.a.n()-size < k+2 {
			return false
		}
	}
	return true
}

// neighborKernel is the inner products of points of length 1 with their k nearest neighbors by the angle.
type neighborKernel struct {
	k       int
	index   []int32   // [N, k]
	product []float64 // [N, k]
	own     float64   // unbiased HSIC with itself
}

// newNeighborKernel finds the neighbors of directions.
func newNeighborKernel(ctx context.Context, directions matrix.Matrix, k int, o neighbors.Options,
) (*neighborKernel, error) {
	lists, err := neighbors.KNearest(ctx, points.Float64(directions.Data, directions.Dim), k, o)
	if err != nil {
		return nil, err
	}
	out := &neighborKernel{k: k, index: lists.Index, product: make([]float64, len(lists.Index))}
	for q, j := range lists.Index {
		out.product[q] = matrix.Dot(directions.Row(q/k), directions.Row(int(j)))
	}
	return out, nil
}

// nearest are the first k of the neighbors.
func (n *neighborKernel) nearest(k int) *neighborKernel {
	out := &neighborKernel{k: k}
	for q := 0; q < len(n.index); q += n.k {
		out.index = append(out.index, n.index[q:q+k]...)
		out.product = append(out.product, n.product[q:q+k]...)
	}
	out.own = masked(out, out, nil, nil)
	return out
}

// without are the k nearest among some of the points: place holds the new index of each, −1 for the others. It is nil
// where a list has fewer of them.
func (n *neighborKernel) without(place []int32, k int) *neighborKernel {
	out := &neighborKernel{k: k}
	for i := range place {
		if place[i] < 0 {
			continue
		}
		want := len(out.index) + k
		for q := i * n.k; q < (i+1)*n.k && len(out.index) < want; q++ {
			if j := place[n.index[q]]; j >= 0 {
				out.index, out.product = append(out.index, j), append(out.product, n.product[q])
			}
		}
		if len(out.index) < want {
			return nil
		}
	}
	out.own = masked(out, out, nil, nil)
	return out
}

// angles holds the directions of the points and their nearest neighbors by the angle.
type angles struct {
	directions matrix.Matrix // none where a point has length 0
	longest    *neighborKernel
}

// spareNeighbors are listed beyond those asked for, so that lists keep enough of them without a block.
const spareNeighbors = 3

// near returns the neighbors of a space, at least k of each; none where a point has length 0.
func (p *Prepared) near(ctx context.Context, k, threads int, memory int64) (*angles, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.angles == nil {
		p.angles = &angles{directions: directionsOf(p.points)}
	}
	if p.angles.directions.N > 0 && (p.angles.longest == nil || p.angles.longest.k < k) {
		var err error
		p.angles.longest, err = newNeighborKernel(ctx, p.angles.directions, k, neighbors.Options{
			Threads: max(threads, 0), Memory: memory,
		})
		if err != nil {
			return nil, err
		}
	}
	return p.angles, nil
}

// directionsOf are the points divided by their length; none where one has length 0.
func directionsOf(z points.Points) matrix.Matrix {
	directions := matrix.Of(z)
	for i := range directions.N {
		row := directions.Row(i)
		largest := 0.0
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
		if largest == 0 {
			return matrix.Matrix{}
		}
		for j := range row {
			row[j] /= largest
		}
		length := math.Sqrt(matrix.Dot(row, row))
		for j := range row {
			row[j] /= length
		}
	}
	return directions
}

// without are the k nearest neighbors among the points that are kept, of indices kept.
func (a *angles) without(ctx context.Context, place []int32, kept []int, k int, o neighbors.Options,
) (*neighborKernel, error) {
	if out := a.longest.without(place, k); out != nil {
		return out, nil
	}
	out, err := newNeighborKernel(ctx, a.directions.Select(kept), k, o)
	if err == nil {
		out.own = masked(out, out, nil, nil)
	}
	return out, err
}

// neighborAlignment computes cknna: the unbiased HSIC of both kernels with all pairs set to 0 but those that are
// neighbors in both spaces, over the root of the two HSICs of a space with itself. Of equally near points those with
// the smaller index are neighbors.
func neighborAlignment(ctx context.Context, c *comparison) error {
	for _, k := range c.o.K {
		name := sized("cknna", k)
		if !c.wants(name) {
			continue
		}
		if reason := c.tooMany(k); reason != "" {
			c.refuse(name, reason)
			continue
		}
		listed := k
		if len(c.deleting(name)) > 0 {
			listed = min((1+spareNeighbors)*slices.Max(c.o.K), c.a.n()-1)
		}
		var near [2]*angles
		for side, p := range []*Prepared{c.a, c.b} {
			var err error
			if near[side], err = p.near(ctx, max(k, listed), c.o.Threads, c.o.Memory); err != nil {
				return err
			}
		}
		a, b := near[0], near[1]
		if a.longest == nil || b.longest == nil {
			c.refuse(name, c.because("a point has length 0 and no direction", a.longest == nil, b.longest == nil))
			continue
		}
		first, second := a.longest.nearest(k), b.longest.nearest(k)
		scores := make([]float64, 1+len(c.o.Orders))
		err := parallel.For(ctx, c.o.Threads, len(scores), func(_, row int) {
			order := c.order(row)
			scores[row] = alignment(masked(first, second, order, inverse(order)), first.own, second.own)
		})
		if err != nil {
			return err
		}
		c.enter(name, scores)
		if len(c.deleting(name)) == 0 {
			continue
		}
		if c.series[name].Without, err = c.alignedWithout(ctx, a, b, k); err != nil {
			return err
		}
	}
	return nil
}

// alignedWithout is cknna without each block.
func (c *comparison) alignedWithout(ctx context.Context, a, b *angles, k int) ([]float64, error) {
	label, count := c.o.Blocks.Labels(), c.o.Blocks.Count()
	out := make([]float64, count)
	for block := range count {
		place, kept := make([]int32, len(label)), []int(nil)
		for i, l := range label {
			place[i] = -1
			if l != block {
				place[i], kept = int32(len(kept)), append(kept, i)
			}
		}
		if out[block] = math.NaN(); len(kept) < 4 || k > len(kept)-2 || !c.a.varies(kept) || !c.b.varies(kept) {
			continue
		}
		o := neighbors.Options{Threads: max(c.o.Threads, 0), Memory: c.o.Memory}
		var rest [2]*neighborKernel
		for side, space := range []*angles{a, b} {
			var err error
			if rest[side], err = space.without(ctx, place, kept, k, o); err != nil {
				return nil, err
			}
		}
		out[block] = alignment(masked(rest[0], rest[1], nil, nil), rest[0].own, rest[1].own)
	}
	return out, nil
}

// masked is m(m−3) times the unbiased HSIC of the kernels over pairs (i, j) where j is a neighbor of i in a, and
// order[j] one of order[i] in b:
//
//	Σ_ij K_ij·L_ji + ΣK·ΣL/((m−1)(m−2)) − 2/(m−2)·Σ_j (column sum of K)_j·(row sum of L)_j
func masked(a, b *neighborKernel, order, back []int) float64 {
	n := len(a.index) / a.k
	m := float64(n)
	type pair struct {
		j    int32
		x, y float64
	}
	common := make([]pair, 0, len(a.index))
	start := make([]int, n+1)
	columnX, rowY := make([]float64, n), make([]float64, n)
	other := make([]float64, n) // product with the neighbors of order[i] in b
	seen := make([]int, n)
	var sumX, sumY float64
	for i := range n {
		from := i
		if order != nil {
			from = order[i]
		}
		for q := from * b.k; q < (from+1)*b.k; q++ {
			j := int(b.index[q])
			if back != nil {
				j = back[j]
			}
			seen[j], other[j] = i+1, b.product[q]
		}
		for q := i * a.k; q < (i+1)*a.k; q++ {
			if j := a.index[q]; seen[j] == i+1 {
				x, y := a.product[q], other[j]
				common = append(common, pair{j, x, y})
				columnX[j] += x
				rowY[i] += y
				sumX += x
				sumY += y
			}
		}
		start[i+1] = len(common)
	}
	trace, cross := 0.0, 0.0
	for i := range n {
		for _, p := range common[start[i]:start[i+1]] {
			for _, r := range common[start[p.j]:start[p.j+1]] {
				if int(r.j) == i {
					trace += float64(p.x * r.y)
				}
			}
		}
		cross += float64(columnX[i] * rowY[i])
	}
	return trace + sumX*sumY/((m-1)*(m-2)) - 2*cross/(m-2)
}
