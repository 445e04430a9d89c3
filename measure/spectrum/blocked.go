// Traces of covariances from sums over blocks of dependent points: without any of the
// blocks, and without the pairs of points that share one.

package spectrum

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/points"
	"repscope/stat"
)

// Blocked holds what spectra without a block follow from.
type Blocked struct {
	z      points.Points
	x      blas64.General // centered points, in the order of the blocks
	mean   []float64
	blocks *stat.Blocks
	from   []int // of every block, its first row of x
	size   []float64

	gram   *blas64.Symmetric  // of x where there are fewer points than coordinates
	second []blas64.Symmetric // Σ x·xᵀ of every block otherwise, nil where they take too much memory
	total  blas64.Symmetric   // their sum

	// With s_a = Σ x and M_a = Σ x·xᵀ over block a, and M = Σ M_a:
	trace      []float64   // tr M_a
	cross      [][]float64 // s_a·s_b
	row, own   []float64   // tr M·M_a and tr M_a²
	quadratic  [][]float64 // s_b·M_a·s_b at [b][a]
	mixed      [][]float64 // s_b·M_a·s_a at [b][a]
	similarity []float64   // x·M·x of every point, by its index in z
	length     []float64   // ‖x‖² of every point, by its index in z
}

// secondMoments is the number of values that the second moments of all blocks may take.
const secondMoments = 1 << 24

// NewBlocked sums over blocks of z.N points in two passes over the points, and costs
// n·D·min(n, D). Errors: blocks of another number of points, points that do not vary,
// NaN and Inf ([stat.UndefinedError]); the error of ctx.
func NewBlocked(ctx context.Context, z points.Points, blocks *stat.Blocks, threads int) (*Blocked, error) {
	const quantity = "spectrum"
	if n := len(blocks.Labels()); n != z.N {
		return nil, stat.Undefined(quantity, "blocks of %d points for %d points", n, z.N)
	}
	mean, _, err := variances(quantity, z)
	if err != nil {
		return nil, err
	}
	g := blocks.Count()
	b := &Blocked{z: z, mean: mean, blocks: blocks, x: general(z.N, z.Dim), trace: make([]float64, g), row: make([]float64, g), own: make([]float64, g),
		similarity: make([]float64, z.N), length: make([]float64, z.N)}
	row := 0
	for a := range g {
		b.from = append(b.from, row)
		for _, i := range blocks.Block(a) {
			x := z.Row(i, b.x.Data[row*z.Dim:(row+1)*z.Dim])
			for k := range x {
				x[k] -= mean[k]
				b.length[i] += float64(x[k] * x[k])
			}
			b.trace[a] += b.length[i]
			row++
		}
		b.size = append(b.size, float64(row-b.from[a]))
	}
	b.from = append(b.from, row)
	if z.N < z.Dim {
		if err := b.gramSums(); err != nil {
			return nil, err
		}
	} else if err := b.momentSums(ctx, threads); err != nil {
		return nil, err
	}
	return b, nil
}

func general(rows, columns int) blas64.General {
	return blas64.General{Rows: rows, Cols: columns, Stride: columns, Data: make([]float64, rows*columns)}
}

func symmetric(n int) blas64.Symmetric {
	return blas64.Symmetric{N: n, Stride: n, Uplo: blas.Upper, Data: make([]float64, n*n)}
}

// rows are those of block a.
func (b *Blocked) rows(a int) blas64.General {
	lo, hi := b.from[a], b.from[a+1]
	return blas64.General{Rows: hi - lo, Cols: b.x.Cols, Stride: b.x.Stride, Data: b.x.Data[lo*b.x.Stride : hi*b.x.Stride]}
}

// secondOf is the upper triangle of Σ x·xᵀ of block a.
func (b *Blocked) secondOf(a, threads int) (blas64.Symmetric, error) {
	if b.second != nil {
		return b.second[a], nil
	}
	x, m := b.rows(a), symmetric(b.x.Cols)
	p := kernel.Product[float64]{M: m.N, N: m.N, K: x.Rows, A: kernel.Columns(x.Data, x.Stride), B: kernel.Columns(x.Data, x.Stride),
		C: m.Data, Stride: m.Stride, Upper: true, Threads: threads}
	return m, p.Run()
}

// momentSums fills in the sums from matrices of D × D.
func (b *Blocked) momentSums(ctx context.Context, threads int) error {
	dim, g := b.x.Cols, b.blocks.Count()
	if g*dim*dim <= secondMoments {
		second := make([]blas64.Symmetric, g)
		if err := parallel.Try(ctx, threads, g, func(_, a int) (err error) {
			second[a], err = b.secondOf(a, 1)
			return err
		}); err != nil {
			return err
		}
		b.second = second
	}
	b.total = symmetric(dim)
	for a := range g {
		second, err := b.secondOf(a, threads)
		if err != nil {
			return err
		}
		addTo(b.total.Data, second.Data)
		b.own[a] = innerProduct(second, second)
	}
	mirror(b.total)
	sums := general(g, dim) // s_a
	for a := range g {
		s := sums.Data[a*dim : (a+1)*dim]
		for r := b.from[a]; r < b.from[a+1]; r++ {
			addTo(s, b.x.Data[r*dim:(r+1)*dim])
		}
	}
	projected := general(b.x.Rows, g) // x·s_a
	p := kernel.Product[float64]{M: b.x.Rows, N: g, K: dim, A: kernel.Rows(b.x.Data, b.x.Stride), B: kernel.Rows(sums.Data, dim),
		C: projected.Data, Stride: g, Threads: threads}
	if err := p.Run(); err != nil {
		return err
	}
	if err := parallel.Try(ctx, threads, g, func(_, a int) (err error) {
		b.row[a], err = b.similarities(a)
		return err
	}); err != nil {
		return err
	}
	b.tables(projected)
	return nil
}

// similarities fills in x·M·x for the points of block a and returns their sum.
func (b *Blocked) similarities(a int) (float64, error) {
	rows := b.rows(a)
	y := general(rows.Rows, rows.Cols)
	p := kernel.Product[float64]{M: rows.Rows, N: rows.Cols, K: rows.Cols, A: kernel.Rows(rows.Data, rows.Stride),
		B: kernel.Rows(b.total.Data, b.total.Stride), C: y.Data, Stride: y.Stride, Threads: 1}
	if err := p.Run(); err != nil {
		return 0, err
	}
	sum := 0.0
	for r, i := range b.blocks.Block(a) {
		v := blas64.Dot(vector(rows, r), vector(y, r))
		b.similarity[i] = v
		sum += v
	}
	return sum, nil
}

func vector(m blas64.General, r int) blas64.Vector {
	return blas64.Vector{N: m.Cols, Inc: 1, Data: m.Data[r*m.Stride : r*m.Stride+m.Cols]}
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

// gramSums fills in the sums from the products of all pairs of points.
func (b *Blocked) gramSums() error {
	n, g := b.x.Rows, b.blocks.Count()
	gram, err := gramOf(b.x)
	if err != nil {
		return err
	}
	b.gram = &gram
	labels := make([]int, n)
	for a := range g {
		for r := b.from[a]; r < b.from[a+1]; r++ {
			labels[r] = a
		}
	}
	projected := general(n, g)
	for a := range g {
		index := b.blocks.Block(a)
		for r := b.from[a]; r < b.from[a+1]; r++ {
			all := 0.0
			for k := range n {
				v := gram.Data[r*n+k]
				projected.Data[r*g+labels[k]] += v
				all += float64(v * v)
				if labels[k] == a {
					b.own[a] += float64(v * v)
				}
			}
			b.row[a] += all
			b.similarity[index[r-b.from[a]]] = all
		}
	}
	b.tables(projected)
	return nil
}

// gramOf are the products of all pairs of rows, in both triangles.
func gramOf(x blas64.General) (blas64.Symmetric, error) {
	m := symmetric(x.Rows)
	p := kernel.Product[float64]{M: m.N, N: m.N, K: x.Cols, A: kernel.Rows(x.Data, x.Stride), B: kernel.Rows(x.Data, x.Stride), C: m.Data, Stride: m.Stride, Upper: true}
	err := p.Run()
	mirror(m)
	return m, err
}

// allProducts are xᵀx, or xxᵀ where there are fewer rows than columns, in both triangles.
func allProducts(x blas64.General) (blas64.Symmetric, error) {
	if x.Rows < x.Cols {
		return gramOf(x)
	}
	m := symmetric(x.Cols)
	p := kernel.Product[float64]{M: m.N, N: m.N, K: x.Rows, A: kernel.Columns(x.Data, x.Stride), B: kernel.Columns(x.Data, x.Stride), C: m.Data, Stride: m.Stride, Upper: true}
	err := p.Run()
	mirror(m)
	return m, err
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

// tables sums the products of every point with the sum of every block.
func (b *Blocked) tables(projected blas64.General) {
	g := b.blocks.Count()
	for range g {
		b.cross = append(b.cross, make([]float64, g))
		b.quadratic = append(b.quadratic, make([]float64, g))
		b.mixed = append(b.mixed, make([]float64, g))
	}
	for a := range g {
		for r := b.from[a]; r < b.from[a+1]; r++ {
			y := projected.Data[r*g : (r+1)*g]
			for c, v := range y {
				b.cross[c][a] += v
				b.quadratic[c][a] += float64(v * v)
				b.mixed[c][a] += float64(v * y[a])
			}
		}
	}
}

// Points are the points that the sums are of.
func (b *Blocked) Points() points.Points { return b.z }

// ParticipationRatiosWithout returns (tr C)²/‖C‖_F² of the points outside block 0, 1,
// …, with C the covariance of the points that are left; NaN where these do not vary.
func (b *Blocked) ParticipationRatiosWithout() []float64 {
	out := make([]float64, len(b.size))
	squares := stat.Sum(b.row)
	for j := range out {
		left := float64(b.x.Rows) - b.size[j]
		trace := stat.Sum(b.trace) - b.trace[j] - b.cross[j][j]/left
		quadratic := stat.Sum(b.quadratic[j]) - b.quadratic[j][j]
		out[j] = trace * trace / (squares - 2*b.row[j] + b.own[j] - 2*quadratic/left + b.cross[j][j]*b.cross[j][j]/(left*left))
	}
	return out
}

// Influence is the first-order share of every point in (tr C)²/‖C‖_F²: n times the
// change without it.
func (b *Blocked) Influence() []float64 {
	out := make([]float64, b.z.N)
	trace, squares := stat.Sum(b.trace), stat.Sum(b.row)
	ratio, n := trace*trace/squares, float64(b.z.N)
	for i := range out {
		out[i] = 2 * ratio * n * (b.length[i]/trace - b.similarity[i]/squares)
	}
	return out
}

// Corrected returns the ratio of unbiased estimates of (tr C)² and tr C² for the
// covariance C of independent blocks of dependent points: U-statistics of
// (tr C)² = E‖x‖²‖x'‖² − 2 E‖x‖² x'·x″ + E (x·x')(x″·x‴) and
// tr C² = E (x·x')² − 2 E (x·x')(x·x″) + E (x·x')(x″·x‴) over points x, x', x″, x‴ of
// different blocks. (tr C)²/‖C‖_F² of a sample is too small, by about a factor of
// 1 + (PR + 1)/m for so many points worth m independent ones. The ratio is near 1 … D
// and can be outside by its error. without[j] is the ratio without block j. NaN where
// there are fewer than 4 blocks, or where the estimate of tr C² is not positive.
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
