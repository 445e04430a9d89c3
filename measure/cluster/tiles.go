// Sums of the distances of every point to every group, each distance computed once.

package cluster

import (
	"context"
	"math"
	"slices"
	"sync"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
)

// tileSize is the number of rows and columns of a tile: its products stay in the
// second-level cache.
const tileSize = 2 * kernel.Align

// directShare is the share of ‖x‖² + ‖y‖² below which a squared distance is
// computed again from the differences: above it, cancellation costs at most four
// of float64's sixteen digits.
const directShare = 1e-4

// tiles is the matrix of distances of points that lie group by group, cut into
// tiles that are computed and added up one by one.
type tiles struct {
	x           matrix.Matrix
	start       []int // the first point of each group, and n
	group       []int // of each point
	norms       []float64
	left, right *kernel.Packed[float64]
	buffers     sync.Pool
}

// tileBuffer is the memory of one goroutine.
type tileBuffer struct {
	product   [tileSize * tileSize]float64
	unwanted  [tileSize]float64
	direct    [tileSize]float64
	small     [tileSize]int32
	workspace kernel.Workspace[float64]
}

func newTiles(x matrix.Matrix, start []int) (*tiles, error) {
	t := &tiles{x: x, start: start, group: make([]int, x.N), norms: x.SquaredNorms()}
	for g := range len(start) - 1 {
		for i := start[g]; i < start[g+1]; i++ {
			t.group[i] = g
		}
	}
	t.buffers.New = func() any { return new(tileBuffer) }
	var err error
	if t.left, err = kernel.PackLeft(kernel.Rows(x.Data, x.Dim), x.N, x.Dim); err != nil {
		return nil, err
	}
	t.right, err = kernel.PackRight(kernel.Rows(x.Data, x.Dim), x.N, x.Dim)
	return t, err
}

// groupSums returns the sums of the distances of every point to the points of
// groups first … last−1: [groups × n].
//
// A tile adds to the sums of its rows and of its columns. Tiles that are computed
// at the same time have no point in common, and which these are does not depend on the
// number of threads; neither do the bits of the sums.
func (t *tiles) groupSums(ctx context.Context, threads, first, last int) (matrix.Matrix, error) {
	sums := matrix.New(last-first, t.x.N)
	count := (t.x.N + tileSize - 1) / tileSize
	for round := range tileRounds(count) {
		pairs := tilePairs(round, count)
		err := parallel.With(ctx, threads, len(pairs), func() func(int) error {
			return func(p int) error { return t.add(pairs[p], sums, first, last) }
		})
		if err != nil {
			return matrix.Matrix{}, err
		}
	}
	return sums, nil
}

// tileRounds is the number of rounds that [tilePairs] knows.
func tileRounds(count int) int { return count + count%2 }

// tilePairs lists pairs (a, b) of 0 … count−1 with a ≤ b, none of them with a number
// of another. Over all rounds every pair comes once: first all (a, a), then a
// tournament, in which one seat stays and the others move on by one each round.
func tilePairs(round, count int) [][2]int {
	var pairs [][2]int
	if round == 0 {
		for a := range count {
			pairs = append(pairs, [2]int{a, a})
		}
		return pairs
	}
	seats := count + count%2
	for k := range seats / 2 {
		a, b := (round+k)%(seats-1), (round-k+seats-1)%(seats-1)
		if k == 0 {
			b = seats - 1
		}
		if a < count && b < count {
			pairs = append(pairs, [2]int{min(a, b), max(a, b)})
		}
	}
	return pairs
}

// add adds the distances of one tile, above the diagonal, to the sums of groups
// first … last−1.
func (t *tiles) add(pair [2]int, sums matrix.Matrix, first, last int) error {
	i0, j0 := pair[0]*tileSize, pair[1]*tileSize
	i1, j1 := min(i0+tileSize, t.x.N), min(j0+tileSize, t.x.N)
	wanted := func(g int) bool { return first <= g && g < last }
	if !(t.start[first] < i1 && i0 < t.start[last] || t.start[first] < j1 && j0 < t.start[last]) {
		return nil
	}
	buffer := t.buffers.Get().(*tileBuffer)
	defer t.buffers.Put(buffer)
	p := kernel.Product[float64]{
		M: i1 - i0, N: j1 - j0, K: t.x.Dim, A: t.left.Operand(i0), B: t.right.Operand(j0),
		C: buffer.product[:], Stride: tileSize, Threads: 1, Workspace: &buffer.workspace,
	}
	if err := p.Run(); err != nil {
		return err
	}
	for i := i0; i < i1; i++ {
		columns := buffer.unwanted[:j1-j0]
		if wanted(t.group[i]) {
			columns = sums.Row(t.group[i] - first)[j0:j1]
		}
		for lo := max(j0, i+1); lo < j1; {
			g := t.group[lo]
			hi := min(t.start[g+1], j1)
			sum := t.addRow(i, lo, hi, buffer.product[(i-i0)*tileSize+lo-j0:][:hi-lo], columns[lo-j0:hi-j0], buffer)
			if wanted(g) {
				sums.Row(g - first)[i] += sum
			}
			lo = hi
		}
	}
	return nil
}

// addRow adds the distances of point i to points lo … hi−1 to columns and returns
// their sum.
func (t *tiles) addRow(i, lo, hi int, product, columns []float64, buffer *tileBuffer) float64 {
	sum, count := kernel.AddDistances(product, t.norms[lo:hi], columns, t.norms[i], directShare, buffer.small[:])
	if count == 0 {
		return sum
	}
	small := buffer.small[:count]
	kernel.SquaredDistances(buffer.direct[:], t.x.Row(i), t.x.Data[lo*t.x.Dim:hi*t.x.Dim], t.x.Dim, small)
	for q, j := range small {
		d := math.Sqrt(buffer.direct[q])
		columns[j] += d
		sum += d
	}
	return sum
}

// sumsBytes bounds the memory of the sums of as many groups as are added up at
// once; at least one is.
const sumsBytes = 256 << 20

// nearestGroups returns the mean distance of every point to the other points of its
// own group (NaN for a point alone) and to the points of the nearest other group, and
// the sums of all groups if they were added up at once.
func (t *tiles) nearestGroups(ctx context.Context,
	threads int) (inside, other []float64, sums matrix.Matrix, err error) {
	inside, other = make([]float64, t.x.N), slices.Repeat([]float64{math.Inf(1)}, t.x.N)
	groups := len(t.start) - 1
	step := max(1, sumsBytes/8/t.x.N)
	for first := 0; first < groups; first += step {
		last := min(first+step, groups)
		if sums, err = t.groupSums(ctx, threads, first, last); err != nil {
			return nil, nil, sums, err
		}
		for g := first; g < last; g++ {
			size := float64(t.start[g+1] - t.start[g])
			for i, sum := range sums.Row(g - first) {
				if t.group[i] == g {
					inside[i] = sum / (size - 1)
				} else {
					other[i] = min(other[i], sum/size)
				}
			}
		}
	}
	if groups > step {
		sums = matrix.Matrix{}
	}
	return inside, other, sums, nil
}
