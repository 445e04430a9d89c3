// LiDAR: the rank of the scatter between classes of points, in units of the scatter inside them.

package spectrum

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"repscope/internal/parallel"
	"repscope/points"
	"repscope/stat"
)

// LiDARResult is the linear discriminant analysis rank of classes of points.
type LiDARResult struct {
	// Rank is exp(−Σ p ln p) with p = λ/Σλ + 1e−7 over the D eigenvalues λ of Σ_w^(−1/2)·Σ_b·Σ_w^(−1/2); about 1 to
	// min(D, classes − 1).
	Rank float64
	// Classes of at least two points, and the number of points in them.
	Classes, Points int
	// Within is the mean variance of a coordinate inside classes, tr Σ_w/D without δ.
	Within float64
	// Without is Rank without each block, NaN where undefined; nil without blocks.
	Without []float64
}

// LiDAR returns the rank of the covariance Σ_b of the means of classes, with the number of classes as denominator, in
// units of the covariance Σ_w of points about the mean of their class, with the number of points as denominator, plus
// δ on the diagonal (Thilak et al. 2024, "LiDAR: sensing linear probing performance in joint embedding SSL
// architectures"). There a class is one state under several views. class[i] is the class of point i; classes of one
// point are left out. Without blocks, block is nil; else block[i] is the block of point i, below count, and Without has
// the rank of the points outside each.
//
// δ is in squared units of the points: the rank depends on their scale where δ is not small compared with Within. Fewer
// than two classes of two points, means that are all equal, points that do not vary, NaN and Inf are a
// [stat.UndefinedError]. Results do not depend on the number of threads.
func LiDAR(
	ctx context.Context, z points.Points, class []int64, delta float64, block []int, count, threads int,
) (LiDARResult, error) {
	if len(class) != z.N || block != nil && len(block) != z.N {
		return LiDARResult{}, fmt.Errorf("LiDAR: %d classes and %d blocks of %d points", len(class), len(block), z.N)
	}
	if !(delta > 0) || math.IsInf(delta, 1) {
		return LiDARResult{}, fmt.Errorf("LiDAR: δ is %v, want a number above 0", delta)
	}
	mean, _, err := variances("LiDAR", z)
	if err != nil {
		return LiDARResult{}, err
	}
	s := newScatter(z, mean, class, threads)
	if s.kept < 2 {
		return LiDARResult{}, stat.Undefined("LiDAR", "classes of at least two latents: %d, want at least 2", s.kept)
	}
	all, err := s.add(nil, 0)
	if err != nil {
		return LiDARResult{}, err
	}
	r := LiDARResult{Classes: s.kept, Points: s.rows}
	for k := range z.Dim {
		r.Within += all.Data[k*z.Dim+k] / float64(s.rows) / float64(z.Dim)
	}
	if r.Rank, err = s.rank(all, s.size, s.sum, delta); err != nil || block == nil {
		return r, err
	}
	r.Without = make([]float64, count)
	err = parallel.Try(ctx, threads, count, func(_, j int) error {
		v, err := s.without(all, block, j, delta)
		if stat.IsUndefined(err) {
			v, err = math.NaN(), nil
		}
		r.Without[j] = v
		return err
	})
	return r, err
}

// scatter holds sums over classes of the points less a common mean.
type scatter struct {
	z       points.Points
	mean    []float64
	class   []int // of each point, numbered as they come; −1 for classes of one point
	size    []float64
	sum     blas64.General // of the points of each class
	threads int

	kept, rows int // classes of at least two points, and points in them
}

func newScatter(z points.Points, mean []float64, labels []int64, threads int) *scatter {
	number, sizes := map[int64]int{}, map[int64]int{}
	for _, l := range labels {
		sizes[l]++
	}
	s := &scatter{z: z, mean: mean, class: make([]int, z.N), threads: threads}
	for i, l := range labels {
		if s.class[i] = -1; sizes[l] < 2 {
			continue
		}
		c, ok := number[l]
		if !ok {
			c = len(s.size)
			number[l] = c
			s.size = append(s.size, float64(sizes[l]))
			s.kept, s.rows = s.kept+1, s.rows+sizes[l]
		}
		s.class[i] = c
	}
	s.sum = general(max(1, s.kept), z.Dim)
	row := make([]float64, z.Dim)
	for i, c := range s.class {
		if c >= 0 {
			centeredPart(row, z, mean, i, 0)
			addTo(s.sum.Data[c*z.Dim:(c+1)*z.Dim], row)
		}
	}
	return s
}

// add is the scatter of points about the mean of their class: of all points, or of the points of block j.
func (s *scatter) add(block []int, j int) (blas64.Symmetric, error) {
	dim := s.z.Dim
	total, x := symmetric(dim), general(productRows, dim)
	x.Rows = 0
	flush := func() error {
		m, err := momentsOf(x, s.threads)
		addTo(total.Data, m.Data)
		x.Rows = 0
		return err
	}
	for i, c := range s.class {
		if c < 0 || block != nil && block[i] != j {
			continue
		}
		row := x.Data[x.Rows*dim : (x.Rows+1)*dim]
		centeredPart(row, s.z, s.mean, i, 0)
		for k, v := range s.sum.Data[c*dim : (c+1)*dim] {
			row[k] -= v / s.size[c]
		}
		if x.Rows++; x.Rows == productRows {
			if err := flush(); err != nil {
				return total, err
			}
		}
	}
	return total, flush()
}

// without is the rank of the points outside block j. The scatter inside classes about their new means is the
// scatter of the points left about the old ones, less n·(new − old)² of every class.
func (s *scatter) without(all blas64.Symmetric, block []int, j int, delta float64) (float64, error) {
	dim := s.z.Dim
	within, err := s.add(block, j)
	if err != nil {
		return 0, err
	}
	for k, v := range all.Data {
		within.Data[k] = v - within.Data[k]
	}
	size, sum := make([]float64, s.kept), general(s.kept, dim)
	copy(size, s.size)
	copy(sum.Data, s.sum.Data)
	touched, row := make([]bool, s.kept), make([]float64, dim)
	for i, c := range s.class {
		if c < 0 || block[i] != j {
			continue
		}
		touched[c] = true
		size[c]--
		centeredPart(row, s.z, s.mean, i, 0)
		for k, v := range row {
			sum.Data[c*dim+k] -= v
		}
	}
	moved := general(s.kept, dim)
	moved.Rows = 0
	for c, t := range touched {
		if !t || size[c] < 1 {
			continue
		}
		out := moved.Data[moved.Rows*dim : (moved.Rows+1)*dim]
		moved.Rows++
		for k := range out {
			out[k] = math.Sqrt(size[c]) * (sum.Data[c*dim+k]/size[c] - s.sum.Data[c*dim+k]/s.size[c])
		}
	}
	shift, err := momentsOf(moved, 1)
	if err != nil {
		return 0, err
	}
	for k, v := range shift.Data {
		within.Data[k] -= v
	}
	return s.rank(within, size, sum, delta)
}

// rank is the rank of classes of the given sizes and sums; classes of fewer than two points are left out.
func (s *scatter) rank(within blas64.Symmetric, size []float64, sum blas64.General, delta float64) (float64, error) {
	dim, classes, rows := s.z.Dim, 0, 0.0
	means, center := general(len(size), dim), make([]float64, dim)
	for c, n := range size {
		if n < 2 {
			continue
		}
		row := means.Data[classes*dim : (classes+1)*dim]
		for k, v := range sum.Data[c*dim : (c+1)*dim] {
			row[k] = v / n
		}
		addTo(center, row)
		classes, rows = classes+1, rows+n
	}
	if classes < 2 {
		return 0, stat.Undefined("LiDAR", "classes left: %d", classes)
	}
	means.Rows = classes
	for c := range classes {
		for k := range center {
			means.Data[c*dim+k] -= center[k] / float64(classes)
		}
	}
	between, err := momentsOf(means, s.threads)
	if err != nil {
		return 0, err
	}
	w := symmetric(dim)
	trace := 0.0
	for k, v := range within.Data {
		w.Data[k] = v / rows
		between.Data[k] /= float64(classes)
	}
	for k := range dim {
		trace += between.Data[k*dim+k]
		w.Data[k*dim+k] += delta
	}
	if !(trace > constantVariance(s.mean, s.z)) {
		return 0, stat.Undefined("LiDAR", "the means of the classes are equal")
	}
	// The eigenvalues of L⁻¹·Σ_b·L⁻ᵀ with Σ_w = L·Lᵀ equal the eigenvalues of Σ_w^(−1/2)·Σ_b·Σ_w^(−1/2).
	w.Uplo = blas.Lower
	l, ok := lapack64.Potrf(w)
	if !ok {
		return 0, stat.Undefined("LiDAR", "the scatter inside classes is singular up to rounding; raise δ")
	}
	whitened := blas64.General{Rows: dim, Cols: dim, Stride: dim, Data: between.Data}
	blas64.Trsm(blas.Left, blas.NoTrans, 1, l, whitened)
	blas64.Trsm(blas.Right, blas.Trans, 1, l, whitened)
	values, err := squareValues(whitened.Data, dim)
	if err != nil {
		return 0, err
	}
	return math.Exp(entropy(values, rankMeEpsilon)), nil
}
