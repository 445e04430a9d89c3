// Traces of covariances from sums over blocks of dependent points: without any of the
// blocks, and without the pairs of points that share one.

package spectrum

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/points"
	"repscope/stat"
)

// Similarities are what the participation ratio owes to every point, whatever the blocks.
type Similarities struct {
	z          points.Points
	mean       []float64
	similarity []float64 // of every point x less the mean, x·M·x with M = Σ x·xᵀ
	length     []float64 // ‖x‖²
	moments    []float64 // M, added up in the order of the points; nil where points are fewer than 3·D
}

// NewSimilarities costs n·D·min(n, 3·D) operations. Errors: points that do not vary, NaN and Inf
// ([stat.UndefinedError]); the error of ctx.
func NewSimilarities(ctx context.Context, z points.Points, threads int) (*Similarities, error) {
	mean, _, err := variances("spectrum", z)
	if err != nil {
		return nil, err
	}
	var products []float64
	if z.N >= 3*z.Dim {
		if products, err = productsOf(z, mean); err != nil {
			return nil, err
		}
	}
	return similaritiesAbout(ctx, z, mean, products, threads)
}

// WithSimilarities is [WithUncentered] and [NewSimilarities] of the same points, computed at the same time.
func WithSimilarities(
	ctx context.Context, z points.Points, threads int,
) (s *Spectrum, raw Uncentered, similarities *Similarities, err error) {
	mean, variance, err := variances("spectrum", z)
	if err != nil {
		return nil, raw, nil, err
	}
	products, err := productsOf(z, mean)
	if err != nil {
		return nil, raw, nil, err
	}
	kept := products
	if z.N >= 3*z.Dim {
		kept = slices.Clone(products)
	}
	// The second works on one goroutine most of the time.
	err = parallel.Try(ctx, threads, 2, func(_, task int) (err error) {
		if task == 0 {
			s, raw, err = withUncentered(z, mean, variance, products)
		} else {
			similarities, err = similaritiesAbout(ctx, z, mean, kept, threads)
		}
		return err
	})
	return s, raw, similarities, err
}

// similaritiesAbout are the similarities of points with that mean, and with those products where these are of
// coordinates.
func similaritiesAbout(ctx context.Context, z points.Points, mean, products []float64,
	threads int) (s *Similarities, err error) {
	s = &Similarities{z: z, mean: mean, similarity: make([]float64, z.N), length: make([]float64, z.N)}
	if z.N < 3*z.Dim {
		err = s.fromPoints(ctx, threads)
	} else {
		s.moments = products
		err = s.fromCoordinates(ctx, threads)
	}
	return s, err
}

// center writes points from … to−1 less the mean into x.
func (s *Similarities) center(x []float64, from, to int) {
	for i := from; i < to; i++ {
		centeredPart(x[(i-from)*s.z.Dim:][:s.z.Dim], s.z, s.mean, i, 0)
	}
}

// pairRows is the number of points whose products with all others are in memory at a time.
const pairRows = 2 * productRows

// fromPoints sums squared products of pairs of points, which are never all in memory.
func (s *Similarities) fromPoints(ctx context.Context, threads int) error {
	n := s.z.N
	products := make([]float64, min(pairRows, n)*n)
	for from := 0; from < n; from += pairRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows, columns := min(pairRows, n-from), n-from
		x := kernel.Packing(&centeredRows{z: s.z, mean: s.mean, first: from})
		p := kernel.Product[float64]{M: rows, N: columns, K: s.z.Dim, A: x, B: x, C: products, Stride: columns, Upper: true, Threads: threads}
		if err := p.Run(); err != nil {
			return err
		}
		for i := range rows {
			row := products[i*columns+i : (i+1)*columns]
			s.length[from+i] = row[0]
			norm, others := float64(row[0]*row[0]), s.similarity[from+i+1:]
			for k, v := range row[1:] {
				square := float64(v * v)
				norm += square
				others[k] += square
			}
			s.similarity[from+i] += norm
		}
	}
	return nil
}

// fromCoordinates multiplies the points by the products of coordinates.
func (s *Similarities) fromCoordinates(ctx context.Context, threads int) error {
	n, dim := s.z.N, s.z.Dim
	x, y := make([]float64, min(productRows, n)*dim), make([]float64, min(productRows, n)*dim)
	mirror(blas64.Symmetric{N: dim, Stride: dim, Data: s.moments})
	for from := 0; from < n; from += productRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := min(productRows, n-from)
		s.center(x, from, from+rows)
		p := kernel.Product[float64]{M: rows, N: dim, K: dim, A: kernel.Rows(x, dim), B: kernel.Rows(s.moments, dim),
			C: y, Stride: dim, Threads: threads}
		if err := p.Run(); err != nil {
			return err
		}
		for i := range rows {
			row := x[i*dim:][:dim]
			s.length[from+i], s.similarity[from+i] = dot(row, row), dot(row, y[i*dim:])
		}
	}
	return nil
}

// Influence is the first-order share of every point in (tr C)²/‖C‖_F²: n times the
// change without it.
func (s *Similarities) Influence() []float64 {
	out := make([]float64, s.z.N)
	trace, squares := stat.Sum(s.length), stat.Sum(s.similarity)
	ratio, n := trace*trace/squares, float64(s.z.N)
	for i := range out {
		out[i] = 2 * ratio * n * (s.length[i]/trace - s.similarity[i]/squares)
	}
	return out
}

// Blocked holds what spectra without a block follow from.
type Blocked struct {
	all    *Similarities
	blocks *stat.Blocks
	size   []float64
	sums   blas64.General // s_a = Σ x of every block

	// With M_a = Σ x·xᵀ over block a, and M = Σ M_a:
	trace     []float64   // tr M_a
	cross     [][]float64 // s_a·s_b
	row, own  []float64   // tr M·M_a and tr M_a²
	quadratic [][]float64 // s_b·M_a·s_b at [b][a]
	mixed     [][]float64 // s_b·M_a·s_a at [b][a]

	moments []blas64.Symmetric // M_a; empty where they take more than mostMoments numbers, or a block has fewer points than coordinates
}

// mostMoments is how many numbers of moments of blocks are kept.
const mostMoments = 1 << 24

// Blocked sums over blocks of the points. Errors: blocks of another number of points ([stat.UndefinedError]); the
// error of ctx.
func (s *Similarities) Blocked(ctx context.Context, blocks *stat.Blocks, threads int) (*Blocked, error) {
	n, dim, g := s.z.N, s.z.Dim, blocks.Count()
	if labels := len(blocks.Labels()); labels != n {
		return nil, stat.Undefined("spectrum", "blocks of %d points for %d points", labels, n)
	}
	b := &Blocked{all: s, blocks: blocks, sums: general(g, dim), size: make([]float64, g), trace: make([]float64, g), row: make([]float64, g), own: make([]float64, g)}
	if g*dim*dim <= mostMoments {
		b.moments = make([]blas64.Symmetric, g)
	}
	if err := b.eachBlock(ctx, threads, func(a int, x blas64.General, _ *[]float64) error {
		b.size[a] = float64(x.Rows)
		for r, i := range blocks.Block(a) {
			addTo(b.sums.Data[a*dim:(a+1)*dim], x.Data[r*dim:(r+1)*dim])
			b.trace[a] += s.length[i]
			b.row[a] += s.similarity[i]
		}
		// The products of points and the products of coordinates have the same sum of squares.
		m, err := allProducts(x, 1)
		b.own[a] = innerProduct(m, m)
		if b.moments != nil && x.Rows >= x.Cols {
			b.moments[a] = m
		}
		return err
	}); err != nil {
		return nil, err
	}
	for range g {
		b.cross = append(b.cross, make([]float64, g))
		b.quadratic = append(b.quadratic, make([]float64, g))
		b.mixed = append(b.mixed, make([]float64, g))
	}
	err := b.eachBlock(ctx, threads, func(a int, x blas64.General, scratch *[]float64) error {
		*scratch = slices.Grow((*scratch)[:0], x.Rows*g)[:x.Rows*g]
		projected := blas64.General{Rows: x.Rows, Cols: g, Stride: g, Data: *scratch} // x·s_b
		p := kernel.Product[float64]{M: x.Rows, N: g, K: dim, A: kernel.Rows(x.Data, dim), B: kernel.Rows(b.sums.Data, dim), C: projected.Data, Stride: g, Threads: 1}
		err := p.Run()
		b.tables(a, projected)
		return err
	})
	return b, err
}

// eachBlock calls work for every block with its centered points and with memory of its own, on several goroutines.
func (b *Blocked) eachBlock(ctx context.Context, threads int,
	work func(a int, x blas64.General, scratch *[]float64) error) error {
	largest := 0
	for a := range b.size {
		largest = max(largest, len(b.blocks.Block(a)))
	}
	return parallel.With(ctx, threads, len(b.size), func() func(a int) error {
		data, scratch := make([]float64, largest*b.all.z.Dim), []float64(nil)
		return func(a int) error { return work(a, b.block(a, data), &scratch) }
	})
}

// block writes the centered points of block a to data.
func (b *Blocked) block(a int, data []float64) blas64.General {
	dim, index := b.all.z.Dim, b.blocks.Block(a)
	for r, i := range index {
		b.all.center(data[r*dim:], i, i+1)
	}
	return blas64.General{Rows: len(index), Cols: dim, Stride: dim, Data: data[:len(index)*dim]}
}

func general(rows, columns int) blas64.General {
	return blas64.General{Rows: rows, Cols: columns, Stride: columns, Data: make([]float64, rows*columns)}
}

func symmetric(n int) blas64.Symmetric {
	return blas64.Symmetric{N: n, Stride: n, Uplo: blas.Upper, Data: make([]float64, n*n)}
}

// innerProduct is tr A·B.
func innerProduct(a, b blas64.Symmetric) float64 {
	sum := 0.0
	for i := range a.N {
		sum += float64(a.Data[i*a.N+i] * b.Data[i*a.N+i])
		for k := i + 1; k < a.N; k++ {
			sum += 2 * float64(a.Data[i*a.N+k]*b.Data[i*a.N+k])
		}
	}
	return sum
}

// gramOf are the products of all pairs of rows, in both triangles.
func gramOf(x blas64.General, threads int) (blas64.Symmetric, error) {
	m := symmetric(x.Rows)
	p := kernel.Product[float64]{M: m.N, N: m.N, K: x.Cols, A: kernel.Rows(x.Data, x.Stride), B: kernel.Rows(x.Data, x.Stride),
		C: m.Data, Stride: m.Stride, Upper: true, Threads: threads}
	err := p.Run()
	mirror(m)
	return m, err
}

// momentsOf are the products xᵀx of all pairs of coordinates, in both triangles.
func momentsOf(x blas64.General, threads int) (blas64.Symmetric, error) {
	m := symmetric(x.Cols)
	p := kernel.Product[float64]{M: m.N, N: m.N, K: x.Rows, A: kernel.Columns(x.Data, x.Stride), B: kernel.Columns(x.Data, x.Stride),
		C: m.Data, Stride: m.Stride, Upper: true, Threads: threads}
	err := p.Run()
	mirror(m)
	return m, err
}

// allProducts are the products of rows or of coordinates, whichever are fewer.
func allProducts(x blas64.General, threads int) (blas64.Symmetric, error) {
	if x.Rows < x.Cols {
		return gramOf(x, threads)
	}
	return momentsOf(x, threads)
}

// mirror copies the upper triangle to the lower one.
func mirror(m blas64.Symmetric) {
	const tile = 32 // of both triangles fits into the cache
	for i0 := 0; i0 < m.N; i0 += tile {
		for k0 := 0; k0 <= i0; k0 += tile {
			for i := i0; i < min(i0+tile, m.N); i++ {
				for k := k0; k < min(k0+tile, i); k++ {
					m.Data[i*m.Stride+k] = m.Data[k*m.Stride+i]
				}
			}
		}
	}
}

// tables sums the products of every point of block a with the sum of every block.
func (b *Blocked) tables(a int, projected blas64.General) {
	g := projected.Cols
	cross, quadratic, mixed := make([]float64, g), make([]float64, g), make([]float64, g)
	for r := range projected.Rows {
		y := projected.Data[r*g : (r+1)*g]
		weight := y[a]
		for c, v := range y {
			cross[c] += v
			quadratic[c] += float64(v * v)
			mixed[c] += float64(v * weight)
		}
	}
	for c := range g {
		b.cross[c][a], b.quadratic[c][a], b.mixed[c][a] = cross[c], quadratic[c], mixed[c]
	}
}

// ParticipationRatiosWithout returns (tr C)²/‖C‖_F² of the points outside block 0, 1,
// …, with C the covariance of the points that are left; NaN where these do not vary.
func (b *Blocked) ParticipationRatiosWithout() []float64 {
	out := make([]float64, len(b.size))
	squares := stat.Sum(b.row)
	for j := range out {
		rest := float64(b.all.z.N) - b.size[j]
		trace := stat.Sum(b.trace) - b.trace[j] - b.cross[j][j]/rest
		quadratic := stat.Sum(b.quadratic[j]) - b.quadratic[j][j]
		out[j] = trace * trace / (squares - 2*b.row[j] + b.own[j] - 2*quadratic/rest + b.cross[j][j]*b.cross[j][j]/(rest*rest))
	}
	return out
}

// Corrected returns the participation ratio from unbiased estimates of (tr C)² and tr C² for the
// covariance C of independent blocks of dependent points. They are U-statistics of (tr C)² =
// E‖x‖²‖x'‖² − 2 E‖x‖² x'·x″ + E (x·x')(x″·x‴) and tr C² = E (x·x')² − 2 E (x·x')(x·x″) + E
// (x·x')(x″·x‴) over points x, x', x″, x‴ of different blocks. The plain ratio (tr C)²/‖C‖_F² of a
// sample is too small by a factor of about 1 + (PR + 1)/m, where m is the effective number of
// independent points. The corrected ratio lies near 1 … D, and outside within its error. without[j] is
// the ratio without block j. NaN for fewer than 4 blocks, or if the estimate of tr C² is not positive.
func (b *Blocked) Corrected() (ratio float64, without []float64) {
	without = make([]float64, len(b.size))
	for j := range without {
		without[j] = b.corrected(j)
	}
	return b.corrected(-1), without
}

// corrected is the ratio without block j, −1 for none.
func (b *Blocked) corrected(j int) float64 {
	var n, m2, m3, m4 float64
	for a, m := range b.size {
		if a != j {
			n, m2, m3, m4 = n+m, m2+m*m, m3+m*m*m, m4+m*m*m*m
		}
	}
	pairs, triples := n*n-m2, n*n*n-3*n*m2+2*m3
	quadruples := n*n*n*n - 6*n*n*m2 + 8*n*m3 + 3*m2*m2 - 6*m4
	if !(quadruples > 0) {
		return math.NaN()
	}
	var trace, traces, squares, between, quadratic float64
	norms := 0.0 // Σ ‖s_a‖²
	for a := range b.size {
		if a != j {
			norms += b.cross[a][a]
		}
	}
	if j >= 0 {
		squares -= b.row[j] - b.own[j]
	}
	var all, byRow, crossSquares float64
	for a := range b.size {
		if a == j {
			continue
		}
		trace += b.trace[a]
		traces += b.trace[a] * b.trace[a]
		squares += b.row[a] - b.own[a] // of pairs with block j too
		// S = −s_j is the sum of the blocks left: all points sum to 0.
		sum, toSum := b.quadratic[a][a], 0.0 // (S−s_a)·M_a·(S−s_a) and S·s_a
		rest := b.cross[a][a]                // ‖S − s_a‖²
		if j >= 0 {
			sum += b.quadratic[j][a] + 2*b.mixed[j][a]
			toSum = -b.cross[j][a]
			rest += b.cross[j][j] - 2*toSum
		}
		inRow := 0.0
		for c := range b.size {
			if c == a || c == j {
				continue
			}
			sum -= b.quadratic[c][a]
			inRow += b.cross[a][c]
			crossSquares += b.cross[a][c] * b.cross[a][c]
		}
		between += sum
		quadratic += b.trace[a] * (rest - (norms - b.cross[a][a]))
		all += inRow
		byRow += inRow * inRow
	}
	fourth := (all*all - 4*byRow + 2*crossSquares) / quadruples
	above := (trace*trace-traces)/pairs - 2*quadratic/triples + fourth
	below := squares/pairs - 2*between/triples + fourth
	if !(below > 0) {
		return math.NaN()
	}
	return above / below
}

func addTo(dst, src []float64) {
	for k, v := range src {
		dst[k] += v
	}
}
