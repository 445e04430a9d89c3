// k-means: seeded k-means++ starts, Lloyd's iterations and single moves, in float64.

package geometry

import (
	"context"
	"fmt"
	"math"

	"repscope/dataset"
	"repscope/internal/kernel"
	"repscope/stat"
)

// KMeansOptions are the choices of k-means; the zero value is the default.
type KMeansOptions struct {
	Starts     int // k-means++ starts, of which the best is kept; 0 means 10
	Iterations int // at most, per start; 0 means 300
	Seed       uint64
	Threads    int // ≤ 0: all; results do not depend on it
}

// KMeansResult is the best of the starts.
type KMeansResult struct {
	Partition Partition // groups are labelled 0 … k−1 in order of their first point
	Centroids []float64 // [k × D]
	// Inertia is Σ ‖x − centroid‖², the sum that k-means minimises.
	Inertia    float64
	Iterations int  // of the best start
	Converged  bool // the assignment no longer changed, before the single moves
	// Reseeded counts clusters that ran empty in the best start and were moved.
	Reseeded int
}

// streamKMeans keys the draws of the starts.
const streamKMeans = 0x6b6d65616e73

// KMeans partitions points into k clusters of small variance: Lloyd's (1982)
// iterations from k-means++ starts (Arthur & Vassilvitskii 2007, with the best of
// 2 + ⌊ln k⌋ candidates at every step), until no point changes its cluster, and then
// single moves (Hartigan 1975) while they lower the inertia. A point between two
// centroids goes to the one of lower index. A cluster that
// runs empty is moved to the point farthest from its centroid, the first of
// equals, taken from a cluster of at least two points. Of starts of equal inertia
// the first is kept. Fewer distinct points than clusters are an UndefinedError.
func KMeans(ctx context.Context, points dataset.Points, k int, o KMeansOptions) (*KMeansResult, error) {
	if err := finite("k-means", points); err != nil {
		return nil, err
	}
	x := widened(points)
	mean := x.mean()
	result, err := kMeans(ctx, x.centred(), k, o)
	if err != nil {
		return nil, err
	}
	for c := range k {
		addTo(result.Centroids[c*x.dim:(c+1)*x.dim], mean)
	}
	return result, nil
}

// kMeans works on centred points and returns centred centroids.
func kMeans(ctx context.Context, x matrix, k int, o KMeansOptions) (*KMeansResult, error) {
	if k < 1 {
		return nil, fmt.Errorf("k-means: %d clusters, want at least 1", k)
	}
	if k > x.n {
		return nil, &stat.UndefinedError{Quantity: "k-means", Reason: fmt.Sprintf("%d points are fewer than %d clusters", x.n, k)}
	}
	if o.Starts <= 0 {
		o.Starts = 10
	}
	if o.Iterations <= 0 {
		o.Iterations = 300
	}
	norms := x.squaredNorms()
	packed, err := kernel.PackLeft(kernel.Rows(x.data, x.dim), x.n, x.dim)
	if err != nil {
		return nil, err
	}
	runs := make([]*lloyd, o.Starts)
	err = parallel(ctx, o.Threads, o.Starts, func() func(int) error {
		return func(start int) error {
			l := &lloyd{x: x, packed: packed, norms: norms, k: k, random: stat.NewRandom(stat.NewKey(o.Seed, streamKMeans, uint64(k), uint64(start)))}
			runs[start] = l
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
	return best.result(), nil
}

// lloyd is one start.
type lloyd struct {
	x      matrix
	packed *kernel.Packed[float64] // x
	norms  []float64
	k      int
	random *stat.Random

	centroids  matrix
	of         []int     // cluster of each point
	square     []float64 // squared distance to its centroid
	sizes      []int
	inertia    float64
	iterations int
	converged  bool
	reseeded   int

	product   []float64
	workspace kernel.Workspace[float64]
}

func (l *lloyd) run(ctx context.Context, iterations int) error {
	if err := l.seed(ctx); err != nil {
		return err
	}
	l.of, l.square, l.sizes = make([]int, l.x.n), make([]float64, l.x.n), make([]int, l.k)
	for i := range l.of {
		l.of[i] = -1
	}
	for l.iterations < iterations {
		if err := ctx.Err(); err != nil {
			return err
		}
		changed, err := l.assign()
		if err != nil {
			return err
		}
		if !changed {
			l.converged = true
			break
		}
		l.fillEmpty()
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
		l.inertia += squaredDistance(l.x.row(i), l.centroids.row(c))
	}
	return nil
}

// lloydBlock is the number of points whose distances to all centroids are
// computed at once.
const lloydBlock = 5 * kernel.Align

// toCentroids computes the squared distances of points lo … hi−1 to m rows of
// c, to within rounding: [(hi−lo) × m].
func (l *lloyd) toCentroids(lo, hi int, c matrix, norms []float64) ([]float64, error) {
	if len(l.product) < lloydBlock*c.n {
		l.product = make([]float64, lloydBlock*c.n)
	}
	p := kernel.Product[float64]{
		M: hi - lo, N: c.n, K: c.dim,
		A: l.packed.Operand(lo), B: kernel.Rows(c.data, c.dim),
		C: l.product, Stride: c.n, Threads: 1, Workspace: &l.workspace,
	}
	if err := p.Run(); err != nil {
		return nil, err
	}
	out := l.product[:(hi-lo)*c.n]
	for i := lo; i < hi; i++ {
		row := out[(i-lo)*c.n : (i-lo+1)*c.n]
		for j := range row {
			row[j] = max(0, l.norms[i]+norms[j]-2*row[j])
		}
	}
	return out, nil
}

// seed chooses the first centroids: a random point, then again and again, of a few
// points drawn with probability proportional to the squared distance to the
// nearest centroid, the one that lowers the sum of those distances most.
func (l *lloyd) seed(ctx context.Context) error {
	x := l.x
	l.centroids = newMatrix(l.k, x.dim)
	nearest := make([]float64, x.n)
	first := l.random.Intn(x.n)
	copy(l.centroids.row(0), x.row(first))
	total := 0.0
	for i := range nearest {
		nearest[i] = squaredDistance(x.row(i), x.row(first))
		total += nearest[i]
	}
	trials := 2 + int(math.Log(float64(l.k)))
	for c := 1; c < l.k; c++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if total == 0 {
			return &stat.UndefinedError{Quantity: "k-means", Reason: fmt.Sprintf("only %d points are distinct, fewer than %d clusters", c, l.k)}
		}
		chosen := make([]int, trials)
		for t := range chosen {
			chosen[t] = drawn(nearest, l.random.Float64()*total)
		}
		candidates := x.sel(chosen)
		norms := candidates.squaredNorms()
		sums := make([]float64, trials)
		for lo := 0; lo < x.n; lo += lloydBlock {
			hi := min(lo+lloydBlock, x.n)
			squares, err := l.toCentroids(lo, hi, candidates, norms)
			if err != nil {
				return err
			}
			for i := lo; i < hi; i++ {
				for t := range trials {
					sums[t] += min(nearest[i], squares[(i-lo)*trials+t])
				}
			}
		}
		best := 0
		for t, s := range sums {
			if s < sums[best] {
				best = t
			}
		}
		copy(l.centroids.row(c), x.row(chosen[best]))
		total = 0
		for i := range nearest {
			// Direct differences: equal points must have exactly 0.
			nearest[i] = min(nearest[i], squaredDistance(x.row(i), x.row(chosen[best])))
			total += nearest[i]
		}
	}
	return nil
}

// drawn returns the first index at which the running sum of weights exceeds at;
// never one of weight 0.
func drawn(weights []float64, at float64) int {
	last, sum := 0, 0.0
	for i, w := range weights {
		if w == 0 {
			continue
		}
		last = i
		if sum += w; sum > at {
			break
		}
	}
	return last
}

// assign gives every point to the nearest centroid and reports whether any
// changed.
func (l *lloyd) assign() (changed bool, err error) {
	clear(l.sizes)
	norms := l.centroids.squaredNorms()
	for lo := 0; lo < l.x.n; lo += lloydBlock {
		hi := min(lo+lloydBlock, l.x.n)
		squares, err := l.toCentroids(lo, hi, l.centroids, norms)
		if err != nil {
			return false, err
		}
		for i := lo; i < hi; i++ {
			best, smallest := 0, math.Inf(1)
			for c, s := range squares[(i-lo)*l.k : (i-lo+1)*l.k] {
				if s < smallest {
					best, smallest = c, s
				}
			}
			changed = changed || l.of[i] != best
			l.of[i], l.square[i] = best, smallest
			l.sizes[best]++
		}
	}
	return changed, nil
}

// fillEmpty moves every empty cluster to the farthest point of another.
func (l *lloyd) fillEmpty() {
	for c, size := range l.sizes {
		if size > 0 {
			continue
		}
		farthest := -1
		for i, s := range l.square {
			if l.sizes[l.of[i]] > 1 && (farthest < 0 || s > l.square[farthest]) {
				farthest = i
			}
		}
		l.sizes[l.of[farthest]]--
		l.of[farthest], l.square[farthest], l.sizes[c] = c, 0, 1
		copy(l.centroids.row(c), l.x.row(farthest))
		l.reseeded++
	}
}

// move puts every centroid at the mean of its points, added in index order.
func (l *lloyd) move() {
	clear(l.centroids.data)
	for i, c := range l.of {
		addTo(l.centroids.row(c), l.x.row(i))
	}
	for c, size := range l.sizes {
		row := l.centroids.row(c)
		for k := range row {
			row[k] /= float64(size)
		}
	}
}

// exchangeSweeps bounds the sweeps of single moves.
const exchangeSweeps = 100

// exchange moves single points while that lowers the inertia (Hartigan 1975): a
// point leaves a cluster of a points for one of b points where
// b/(b+1)·‖x − c_b‖² < a/(a−1)·‖x − c_a‖². Every state in which nothing moves is one of
// Lloyd's too, but not the other way round. Centroids are moved along, and
// computed anew from their points after each sweep.
func (l *lloyd) exchange(ctx context.Context) error {
	for range exchangeSweeps {
		if err := ctx.Err(); err != nil {
			return err
		}
		moved := false
		for lo := 0; lo < l.x.n; lo += lloydBlock {
			hi := min(lo+lloydBlock, l.x.n)
			// Products find the points that may move; differences decide.
			squares, err := l.toCentroids(lo, hi, l.centroids, l.centroids.squaredNorms())
			if err != nil {
				return err
			}
			for i := lo; i < hi; i++ {
				if l.exchangeOne(i, squares[(i-lo)*l.k:(i-lo+1)*l.k]) {
					moved = true
				}
			}
		}
		if !moved {
			break
		}
		l.move()
	}
	return nil
}

// exchangeOne moves point i if that lowers the inertia. squares are its squared
// distances to the centroids, to within rounding and the moves since the block of
// points began; a move that they hide is found in the next sweep.
func (l *lloyd) exchangeOne(i int, squares []float64) bool {
	from := l.of[i]
	if l.sizes[from] < 2 {
		return false
	}
	a := float64(l.sizes[from])
	limit := a / (a - 1) * squares[from] * (1 + 1e-9)
	row := l.x.row(i)
	gain := -1.0
	to, least := from, 0.0
	for c, size := range l.sizes {
		share := float64(size) / float64(size+1)
		if c == from || share*squares[c] > limit {
			continue
		}
		if gain < 0 {
			gain = a / (a - 1) * squaredDistance(row, l.centroids.row(from))
			least = gain * (1 - 1e-12)
		}
		if cost := share * squaredDistance(row, l.centroids.row(c)); cost < least {
			to, least = c, cost
		}
	}
	if to == from {
		return false
	}
	b := float64(l.sizes[to])
	out, in := l.centroids.row(from), l.centroids.row(to)
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
	labels := make([]int64, l.x.n)
	centroids := newMatrix(l.k, l.x.dim)
	next := 0
	for i, c := range l.of {
		if number[c] < 0 {
			number[c] = next
			copy(centroids.row(next), l.centroids.row(c))
			next++
		}
		labels[i] = int64(number[c])
	}
	return &KMeansResult{
		Partition: NewPartition(labels), Centroids: centroids.data, Inertia: l.inertia,
		Iterations: l.iterations, Converged: l.converged, Reseeded: l.reseeded,
	}
}
