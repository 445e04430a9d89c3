// k-means: seeded k-means++ starts, Lloyd's iterations and single moves, in float64.

package cluster

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/internal/text"
	"repscope/measure/internal/matrix"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// KMeansOptions are the choices of k-means; the zero value is the default.
type KMeansOptions struct {
	Starts     int // k-means++ starts; the best one is kept; 0 means 10
	Iterations int // at most, per start; 0 means 300
	Seed       uint64
	Threads    int // ≤ 0: all; results do not depend on it
}

const defaultIterations = 300

// KMeansResult is the best of the starts.
type KMeansResult struct {
	Partition Partition // groups are labeled 0 … k−1 in order of their first point
	Centroids []float64 // [k × D]
	// Inertia is Σ ‖x − centroid‖², the sum that k-means minimizes.
	Inertia    float64
	Iterations int  // of the best start
	Converged  bool // the assignment no longer changed, before the single moves
	// Reseeded counts clusters that ran empty in the best start and were moved.
	Reseeded int
}

// KMeans partitions points into k clusters of small variance: Lloyd's (1982)
// iterations from k-means++ starts (Arthur & Vassilvitskii 2007, with the best of
// 2 + ⌊ln k⌋ candidates at every step), until no point changes its cluster, and then
// single moves (Hartigan 1975) while they lower the inertia. A point between two
// centroids goes to the one of lower index. A cluster that
// runs empty is moved to the point farthest from its centroid, the first of
// equals, taken from a cluster of at least two points. Of starts of equal inertia
// the first is kept. points are [N, D], 1 ≤ k ≤ N. NaN and Inf are errors; fewer
// distinct points than clusters are a [stat.UndefinedError].
func KMeans(ctx context.Context, pts points.Points, k int, o KMeansOptions) (*KMeansResult, error) {
	if err := neighbors.Check("k-means", pts, neighbors.Euclidean); err != nil {
		return nil, err
	}
	if k < 1 {
		return nil, fmt.Errorf("k-means: %d clusters, want at least 1", k)
	}
	if k > pts.N {
		return nil, stat.Undefined("k-means", "%s, fewer than %s", text.Count(pts.N, "point"), text.Count(k, "cluster"))
	}
	if o.Starts <= 0 {
		o.Starts = 10
	}
	if o.Iterations <= 0 {
		o.Iterations = defaultIterations
	}
	space, mean, err := newLloydSpace(pts)
	if err != nil {
		return nil, err
	}
	x := space.x
	runs := make([]*lloyd, o.Starts)
	err = parallel.With(ctx, o.Threads, o.Starts, func() func(int) error {
		return func(start int) error {
			l := &lloyd{lloydSpace: space, k: k, random: stat.NewRandom(stat.StreamKMeans.Key(o.Seed, uint64(k), uint64(start)))}
			runs[start] = l
			if err := l.seed(ctx); err != nil {
				return err
			}
			return l.run(ctx, o.Iterations)
		}
	})
	if err != nil {
		return nil, err
	}
	best := runs[0]
	for _, l := range runs {
		if l.inertia < best.inertia {
			best = l
		}
	}
	result := best.result()
	for c := range k {
		matrix.AddTo(result.Centroids[c*x.Dim:(c+1)*x.Dim], mean)
	}
	return result, nil
}

// lloydSpace is the points, which all starts read.
type lloydSpace struct {
	x      matrix.Matrix           // centered
	packed *kernel.Packed[float64] // x
	norms  []float64
}

func newLloydSpace(pts points.Points) (space lloydSpace, mean []float64, err error) {
	space.x, mean = matrix.Centered(pts)
	space.norms = space.x.SquaredNorms()
	space.packed, err = kernel.PackRight(kernel.Rows(space.x.Data, space.x.Dim), space.x.N, space.x.Dim)
	return space, mean, err
}

// lloyd is one start.
type lloyd struct {
	lloydSpace
	k       int
	random  *stat.Random
	without []bool // points that belong to no cluster; nil for none

	centroids  matrix.Matrix
	of         []int     // cluster of each point, −1 before the first assignment and for those left out
	square     []float64 // squared distance to its centroid
	sizes      []int
	sums       matrix.Matrix // of the points of each cluster
	inertia    float64
	iterations int
	converged  bool
	reseeded   int

	product   []float64
	best      [lloydBlock]float64
	nearest   [lloydBlock]int64
	workspace kernel.Workspace[float64]
}

// run moves the centroids from where they are.
func (l *lloyd) run(ctx context.Context, iterations int) error {
	l.begin()
	exact := true // sums of the points, not updated by transfers
	for l.iterations < iterations {
		if err := ctx.Err(); err != nil {
			return err
		}
		changed, err := l.assign()
		if err != nil {
			return err
		}
		switch {
		case changed:
			exact = false
		case exact:
			l.converged = true
		default:
			l.addUp()
			exact = true
		}
		if l.converged {
			break
		}
		if l.fillEmpty() {
			exact = false
		}
		l.move()
		l.iterations++
	}
	if !l.converged { // the centroids moved after the last assignment
		if _, err := l.assign(); err != nil {
			return err
		}
		l.fillEmpty()
	}
	if err := l.exchange(ctx); err != nil {
		return err
	}
	l.inertia = 0
	for i, c := range l.of {
		if c >= 0 {
			l.inertia += matrix.SquaredDistance(l.x.Row(i), l.centroids.Row(c))
		}
	}
	return nil
}

// begin allocates what the iterations need. All clusters are empty.
func (l *lloyd) begin() {
	l.of, l.square, l.sizes, l.sums = make([]int, l.x.N), make([]float64, l.x.N), make([]int, l.k), matrix.New(l.k, l.x.Dim)
	for i := range l.of {
		l.of[i] = -1
	}
}

// lloydBlock is the number of points whose distances to all centroids are
// computed at once.
const lloydBlock = 5 * kernel.Align

// products computes the products of m rows of c with points lo … hi−1: [m × (hi−lo)].
func (l *lloyd) products(lo, hi int, c matrix.Matrix) ([]float64, error) {
	l.product = slices.Grow(l.product[:0], lloydBlock*c.N)[:lloydBlock*c.N]
	n := hi - lo
	p := kernel.Product[float64]{
		M: c.N, N: n, K: c.Dim, A: kernel.Rows(c.Data, c.Dim), B: l.packed.Operand(lo),
		C: l.product, Stride: n, Threads: 1, Workspace: &l.workspace,
	}
	return l.product[:n*c.N], p.Run()
}

// squares is products with the squared distances, to within rounding.
func (l *lloyd) squares(lo, hi int, c matrix.Matrix) ([]float64, error) {
	out, err := l.products(lo, hi, c)
	if err != nil {
		return nil, err
	}
	for m, norm := range c.SquaredNorms() {
		row := out[m*(hi-lo) : (m+1)*(hi-lo)]
		for j, other := range l.norms[lo:hi] {
			row[j] = max(0, norm+other-2*row[j])
		}
	}
	return out, nil
}

// seed chooses the first centroids: a random point, then again and again, of a few
// points drawn with probability proportional to the squared distance to the
// nearest centroid, the one that lowers the sum of those distances most.
func (l *lloyd) seed(ctx context.Context) error {
	x := l.x
	l.centroids = matrix.New(l.k, x.Dim)
	nearest := make([]float64, x.N)
	first := l.random.Intn(x.N)
	copy(l.centroids.Row(0), x.Row(first))
	total := 0.0
	for i := range nearest {
		nearest[i] = matrix.SquaredDistance(x.Row(i), x.Row(first))
		total += nearest[i]
	}
	trials := 2 + int(math.Log(float64(l.k)))
	for c := 1; c < l.k; c++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if total == 0 {
			return stat.Undefined("k-means", "only %d distinct points for %d clusters", c, l.k)
		}
		chosen := make([]int, trials)
		for t := range chosen {
			chosen[t] = drawn(nearest, l.random.Float64()*total)
		}
		candidates := x.Select(chosen)
		sums := make([]float64, trials)
		for lo := 0; lo < x.N; lo += lloydBlock {
			hi := min(lo+lloydBlock, x.N)
			squares, err := l.squares(lo, hi, candidates)
			if err != nil {
				return err
			}
			for t := range trials {
				for j, s := range squares[t*(hi-lo) : (t+1)*(hi-lo)] {
					sums[t] += min(nearest[lo+j], s)
				}
			}
		}
		best := 0
		for t, s := range sums {
			if s < sums[best] {
				best = t
			}
		}
		copy(l.centroids.Row(c), x.Row(chosen[best]))
		total = 0
		for i := range nearest {
			// Direct differences: equal points must have exactly 0.
			nearest[i] = min(nearest[i], matrix.SquaredDistance(x.Row(i), x.Row(chosen[best])))
			total += nearest[i]
		}
	}
	return nil
}

// drawn returns the first index at which the running sum of weights exceeds target;
// never one of weight 0.
func drawn(weights []float64, target float64) int {
	last, sum := 0, 0.0
	for i, w := range weights {
		if w == 0 {
			continue
		}
		last = i
		if sum += w; sum > target {
			break
		}
	}
	return last
}

// assign gives every point to the nearest centroid and reports whether any
// changed. Sums and sizes of the clusters follow.
func (l *lloyd) assign() (changed bool, err error) {
	norms := l.centroids.SquaredNorms()
	for lo := 0; lo < l.x.N; lo += lloydBlock {
		hi := min(lo+lloydBlock, l.x.N)
		products, err := l.products(lo, hi, l.centroids)
		if err != nil {
			return false, err
		}
		for j := range hi - lo {
			l.best[j] = math.Inf(1)
		}
		for c, norm := range norms {
			kernel.Lower(l.best[:], l.nearest[:], products[c*(hi-lo):(c+1)*(hi-lo)], norm, int64(c))
		}
		for i := lo; i < hi; i++ {
			if l.without != nil && l.without[i] {
				continue
			}
			l.square[i] = max(0, l.norms[i]+l.best[i-lo])
			if to := int(l.nearest[i-lo]); to != l.of[i] {
				l.transfer(i, to)
				changed = true
			}
		}
	}
	return changed, nil
}

// transfer moves point i to another cluster.
func (l *lloyd) transfer(i, to int) {
	if from := l.of[i]; from >= 0 {
		l.sizes[from]--
		matrix.Axpy(l.sums.Row(from), -1, l.x.Row(i))
	}
	l.of[i] = to
	l.sizes[to]++
	matrix.AddTo(l.sums.Row(to), l.x.Row(i))
}

// addUp computes the sums of the clusters again: sums that points were transferred
// from and to have gathered rounding errors.
func (l *lloyd) addUp() {
	clear(l.sums.Data)
	for i, c := range l.of {
		if c >= 0 {
			matrix.AddTo(l.sums.Row(c), l.x.Row(i))
		}
	}
}

// fillEmpty moves every empty cluster to the farthest point of another and reports
// whether there was one.
func (l *lloyd) fillEmpty() bool {
	before := l.reseeded
	for c, size := range l.sizes {
		if size > 0 {
			continue
		}
		farthest := -1
		for i, s := range l.square {
			if l.of[i] >= 0 && l.sizes[l.of[i]] > 1 && (farthest < 0 || s > l.square[farthest]) {
				farthest = i
			}
		}
		l.transfer(farthest, c)
		l.square[farthest] = 0
		copy(l.centroids.Row(c), l.x.Row(farthest))
		l.reseeded++
	}
	return l.reseeded > before
}

// move puts every centroid at the mean of its points.
func (l *lloyd) move() {
	for c, size := range l.sizes {
		sum := l.sums.Row(c)
		for k := range l.centroids.Row(c) {
			l.centroids.Row(c)[k] = sum[k] / float64(size)
		}
	}
}

// exchangeSweeps bounds the sweeps of single moves.
const exchangeSweeps = 100

// exchange moves single points while that lowers the inertia (Hartigan 1975): a
// point leaves a cluster of a points for one of b points where
// b/(b+1)·‖x − c_b‖² < a/(a−1)·‖x − c_a‖². Every state in which nothing moves is one of
// Lloyd's too, but not the other way round. Centroids are moved along, and
// computed from their points again after each sweep.
func (l *lloyd) exchange(ctx context.Context) error {
	var limit [lloydBlock]float64
	var open [lloydBlock]bool
	for range exchangeSweeps {
		if err := ctx.Err(); err != nil {
			return err
		}
		moved := false
		for lo := 0; lo < l.x.N; lo += lloydBlock {
			hi := min(lo+lloydBlock, l.x.N)
			// Products, with the centroids and sizes as they are now, find the points
			// that may move; differences decide. A move that earlier ones of the block
			// hide is found in the next sweep.
			squares, err := l.squares(lo, hi, l.centroids)
			if err != nil {
				return err
			}
			for j, from := range l.of[lo:hi] {
				if open[j] = false; from < 0 {
					limit[j] = -1
					continue
				}
				limit[j], open[j] = l.leaving(from)*squares[from*(hi-lo)+j]*(1+1e-9), false
			}
			for c := range l.k {
				share := l.joining(c)
				for j, s := range squares[c*(hi-lo) : (c+1)*(hi-lo)] {
					if share*s <= limit[j] && l.of[lo+j] != c {
						open[j] = true
					}
				}
			}
			for j := range hi - lo {
				moved = open[j] && l.exchangeOne(lo+j) || moved
			}
		}
		if !moved {
			break
		}
		l.addUp()
		l.move()
	}
	return nil
}

// leaving is a/(a−1) of a cluster of a points, 0 for a single one, which stays.
func (l *lloyd) leaving(c int) float64 {
	if l.sizes[c] < 2 {
		return 0
	}
	return float64(l.sizes[c]) / float64(l.sizes[c]-1)
}

// joining is b/(b+1) of a cluster of b points.
func (l *lloyd) joining(c int) float64 { return float64(l.sizes[c]) / float64(l.sizes[c]+1) }

// exchangeOne moves point i to the cluster where that lowers the inertia most, if there is one.
func (l *lloyd) exchangeOne(i int) bool {
	from, row := l.of[i], l.x.Row(i)
	to, least := from, l.leaving(from)*matrix.SquaredDistance(row, l.centroids.Row(from))*(1-1e-12)
	for c := range l.k {
		if c == from {
			continue
		}
		if cost := l.joining(c) * matrix.SquaredDistance(row, l.centroids.Row(c)); cost < least {
			to, least = c, cost
		}
	}
	if to == from {
		return false
	}
	a, b := float64(l.sizes[from]), float64(l.sizes[to])
	out, in := l.centroids.Row(from), l.centroids.Row(to)
	for k, v := range row {
		out[k] -= (v - out[k]) / (a - 1)
		in[k] += (v - in[k]) / (b + 1)
	}
	l.sizes[from]--
	l.sizes[to]++
	l.of[i] = to
	return true
}

// result numbers the clusters by their first points.
func (l *lloyd) result() *KMeansResult {
	number := make([]int, l.k)
	for c := range number {
		number[c] = -1
	}
	labels := make([]int64, l.x.N)
	centroids := matrix.New(l.k, l.x.Dim)
	next := 0
	for i, c := range l.of {
		if number[c] < 0 {
			number[c] = next
			copy(centroids.Row(next), l.centroids.Row(c))
			next++
		}
		labels[i] = int64(number[c])
	}
	return &KMeansResult{
		Partition: NewPartition(labels), Centroids: centroids.Data, Inertia: l.inertia,
		Iterations: l.iterations, Converged: l.converged, Reseeded: l.reseeded,
	}
}
