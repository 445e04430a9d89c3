// The minimum of a penalized likelihood over many rows: L-BFGS in coordinates that are renewed.

package probe

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
)

// rowBlock is some rows, widened, with their logits.
type rowBlock struct {
	first int   // the place of the first row in the list that is visited
	index []int // the rows
	x     blas64.General
	z     []float64 // [columns, rows]
}

const (
	// blockValues is the size of a block: it stays in the second-level cache.
	blockValues = 1 << 16
	// pieceRows and mostPieces bound the pieces whose sums are added in order.
	pieceRows, mostPieces = 1024, 128
)

// pieces is the number of pieces of n rows, and how many rows each of them has.
func pieces(n int) (count, rows int) {
	rows = max(pieceRows, (n+mostPieces-1)/mostPieces)
	return (n + rows - 1) / rows, rows
}

// visit calls work with the rows of a list, block by block, and their logits. Blocks of one piece come one
// after the other, blocks of different pieces at the same time.
func (p *fixedProblem) visit(ctx context.Context, list []int, weights, intercept []float64,
	work func(piece int, b *rowBlock)) error {
	dim, columns := p.dim, len(intercept)
	count, rows := pieces(len(list))
	height := min(max(8, blockValues/dim), rows, max(len(list), 1))
	return parallel.Try(ctx, p.o.Threads, count, func(_, piece int) error {
		room := p.blocks.Take(height * (dim + columns))
		defer p.blocks.Give(room)
		x, z := (*room)[:height*dim], (*room)[height*dim:]
		last := min((piece+1)*rows, len(list))
		for first := piece * rows; first < last; first += height {
			b := &rowBlock{first: first, index: list[first:min(first+height, last)]}
			n := len(b.index)
			b.x, b.z = blas64.General{Rows: n, Cols: dim, Stride: dim, Data: x[:n*dim]}, z[:n*columns]
			for r, i := range b.index {
				kernel.Widen(b.x.Data[r*dim:(r+1)*dim], p.Rows[i])
			}
			for k, c := range intercept {
				logits := b.z[k*n : (k+1)*n]
				blas64.Gemv(blas.NoTrans, 1, b.x, dense(weights[k*dim:(k+1)*dim]), 0, dense(logits))
				for r := range logits {
					logits[r] += c
				}
			}
			work(piece, b)
		}
		return nil
	})
}

func dense(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// scaleOf is the standard deviation of every feature over rows, 1 where it does not vary.
func (p *fixedProblem) scaleOf(ctx context.Context, rows []int) ([]float64, error) {
	count, _ := pieces(len(rows))
	sum := func(add func(dst, x []float64)) ([]float64, error) {
		sums := newPieceSums(count, 1, p.dim)
		err := p.visit(ctx, rows, nil, nil, func(piece int, b *rowBlock) {
			for r := range b.index {
				add(sums[piece].x, b.x.Data[r*p.dim:(r+1)*p.dim])
			}
		})
		mean := total(sums).x
		for k := range mean {
			mean[k] /= float64(len(rows))
		}
		return mean, err
	}
	mean, err := sum(matrix.AddTo)
	if err != nil {
		return nil, err
	}
	scale, err := sum(func(dst, x []float64) {
		for k, v := range x {
			dst[k] += float64((v - mean[k]) * (v - mean[k]))
		}
	})
	for k, v := range scale {
		if scale[k] = math.Sqrt(v); scale[k] <= 1e-12*math.Abs(mean[k]) {
			scale[k] = 1
		}
	}
	return scale, err
}

// columnOf says of every class which column it has: columns() for the one without weights.
func (f *fixedFit) columnOf() []int {
	out := make([]int, f.Classes)
	for k, class := range f.present {
		out[class] = k
	}
	return out
}

// probabilities replaces the logits of row r of a block by probabilities and returns −ln of the one
// of column class.
func (b *rowBlock) probabilities(r, columns, class int) (loss float64) {
	n, largest := len(b.index), 0.0
	for k := range columns {
		largest = max(largest, b.z[k*n+r])
	}
	if class < columns {
		loss = -b.z[class*n+r]
	}
	sum := math.Exp(-largest)
	for k := range columns {
		b.z[k*n+r] = math.Exp(b.z[k*n+r] - largest)
		sum += b.z[k*n+r]
	}
	for k := range columns {
		b.z[k*n+r] /= sum
	}
	return loss + largest + math.Log(sum)
}

// pieceSums are the sums over one piece of rows.
type pieceSums struct {
	loss float64
	x    []float64 // Σ residual·x [columns, D]
	one  []float64 // Σ residual [columns]
}

func newPieceSums(count, columns, dim int) []pieceSums {
	out := make([]pieceSums, count)
	for i := range out {
		out[i] = pieceSums{x: make([]float64, columns*dim), one: make([]float64, columns)}
	}
	return out
}

func (s *pieceSums) clear() {
	s.loss = 0
	clear(s.x)
	clear(s.one)
}

// add adds Σ z·x of a block, z being residuals by now.
func (s *pieceSums) add(b *rowBlock) {
	n, dim := len(b.index), b.x.Cols
	for k := range s.one {
		z := b.z[k*n : (k+1)*n]
		blas64.Gemv(blas.Trans, 1, b.x, dense(z), 1, dense(s.x[k*dim:(k+1)*dim]))
		for _, v := range z {
			s.one[k] += v
		}
	}
}

// total adds the sums of the pieces in their order to the first ones.
func total(pieces []pieceSums) *pieceSums {
	for _, s := range pieces[1:] {
		pieces[0].loss += s.loss
		matrix.AddTo(pieces[0].x, s.x)
		matrix.AddTo(pieces[0].one, s.one)
	}
	return &pieces[0]
}

// coordinates are v with (w, u) = L⁻ᵀ·v, where u_k is the logit at the reference point: in them the second
// derivatives of the mean loss, which are L·Lᵀ of a part of the rows, are about 1. All columns have one L, or each
// its own where that would be large. v is [columns, D + 1], the u behind the w of each.
type coordinates struct {
	dim       int
	factor    []blas64.Triangular // of columns that follow each other
	reference []float64
}

const (
	// rowsPerFeature rows for every feature and column of a factor are enough for coordinates.
	rowsPerFeature = 16
	// largestFactor is the most parameters of several columns with one factor.
	largestFactor = 2100
	// leastCurvature keeps parameters apart from rounding.
	leastCurvature = 1e-12
)

// coordinates are those at the weights as they are.
func (f *fixedFit) coordinates(ctx context.Context) (*coordinates, error) {
	columns, joint := f.columns(), f.columns()
	if columns*(f.dim+1) > largestFactor {
		joint = 1
	}
	some := f.train
	if step := len(some) / (rowsPerFeature * f.dim * joint); step > 1 {
		some = make([]int, 0, len(f.train)/step+1)
		for at := 0; at < len(f.train); at += step {
			some = append(some, f.train[at])
		}
	}
	probability, err := f.probabilitiesOf(ctx, some)
	if err != nil {
		return nil, err
	}
	c := &coordinates{dim: f.dim, reference: make([]float64, f.dim)}
	row := make([]float64, f.dim)
	for _, i := range some {
		kernel.Widen(row, f.Rows[i])
		matrix.AddTo(c.reference, row)
	}
	for d := range c.reference {
		c.reference[d] /= float64(len(some))
	}
	for first := 0; first < columns; first += joint {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.factor = append(c.factor, f.factor(some, c.reference, probability[first*len(some):(first+joint)*len(some)], joint))
	}
	return c, nil
}

// factor is Lᵀ of columns whose probabilities [columns, rows] are given.
func (f *fixedFit) factor(rows []int, reference, probability []float64, columns int) blas64.Triangular {
	width, n := f.dim+1, len(rows)
	size := columns * width
	sum, height := matrix.New(size, size), min(max(8, blockValues/width), n)
	plain, scaled := make([]float64, height*width), make([]float64, height*width)
	for first := 0; first < n; first += height {
		count := min(height, n-first)
		for r := range count {
			x := plain[r*width : (r+1)*width]
			kernel.Widen(x, f.Rows[rows[first+r]])
			for d, m := range reference {
				x[d] -= m
			}
			x[f.dim] = 1
		}
		for k := range columns {
			for l := k; l < columns; l++ {
				for r := range count {
					p, q := probability[k*n+first+r], probability[l*n+first+r]
					weight := -p * q
					if k == l {
						weight += p
					}
					for d, v := range plain[r*width : (r+1)*width] {
						scaled[r*width+d] = weight * v
					}
				}
				p := kernel.Product[float64]{M: width, N: width, K: count, A: kernel.Columns(scaled[:count*width], width),
					B: kernel.Columns(plain[:count*width], width), C: sum.Data[k*width*size+l*width:], Stride: size,
					Accumulate: true, Upper: true, Threads: f.o.Threads}
				mustRun(p.Run())
			}
		}
	}
	f.complete(sum, columns, float64(n))
	var cholesky mat.Cholesky
	cholesky.Factorize(mat.NewSymDense(size, sum.Data))
	var upper mat.TriDense
	cholesky.UTo(&upper)
	return upper.RawTriangular()
}

// complete turns sums over n rows, with the upper halves of all pairs of columns, into
// second derivatives.
func (f *fixedFit) complete(sum matrix.Matrix, columns int, n float64) {
	width := f.dim + 1
	for k := range columns {
		for l := k; l < columns; l++ {
			for i := range width {
				for j := i; j < width; j++ {
					v := sum.Data[(k*width+i)*sum.Dim+l*width+j] / n
					sum.Data[(k*width+i)*sum.Dim+l*width+j], sum.Data[(k*width+j)*sum.Dim+l*width+i] = v, v
				}
				cell := (k*width+i)*sum.Dim + l*width + i
				if i < f.dim {
					penalty := f.scale[i] * f.scale[i] * f.penalty
					sum.Data[cell] -= f.share() * penalty
					if k == l {
						sum.Data[cell] += penalty + leastCurvature*f.scale[i]*f.scale[i]
					}
				}
				if k == l {
					sum.Data[cell] += leastCurvature * (1 + sum.Data[cell])
				}
			}
		}
	}
}

// columnsOf calls visit with the factors and the parameters of each, [columns, D + 1].
func (c *coordinates) columnsOf(v []float64, visit func(u blas64.Triangular, part []float64)) {
	for _, u := range c.factor {
		visit(u, v[:u.N])
		v = v[u.N:]
	}
}

// toWeights takes weights and intercepts of features as given from v.
func (c *coordinates) toWeights(v, weights, intercept []float64) {
	solved := slices.Clone(v)
	c.columnsOf(solved, func(u blas64.Triangular, of []float64) { blas64.Trsv(blas.NoTrans, u, dense(of)) })
	for k := range intercept {
		part := solved[k*(c.dim+1) : (k+1)*(c.dim+1)]
		w := weights[k*c.dim : (k+1)*c.dim]
		copy(w, part)
		intercept[k] = part[c.dim] - matrix.Dot(c.reference, w)
	}
}

// fromWeights is the inverse of toWeights.
func (c *coordinates) fromWeights(weights, intercept, v []float64) {
	for k := range intercept {
		of, w := v[k*(c.dim+1):(k+1)*(c.dim+1)], weights[k*c.dim:(k+1)*c.dim]
		copy(of, w)
		of[c.dim] = intercept[k] + matrix.Dot(c.reference, w)
	}
	c.columnsOf(v, func(u blas64.Triangular, of []float64) { blas64.Trmv(blas.NoTrans, u, dense(of)) })
}

// gradient turns the derivatives by weights and intercepts into those by v.
func (c *coordinates) gradient(byWeight, byIntercept, g []float64) {
	for k, one := range byIntercept {
		part := g[k*(c.dim+1) : (k+1)*(c.dim+1)]
		copy(part, byWeight[k*c.dim:(k+1)*c.dim])
		matrix.Axpy(part[:c.dim], -one, c.reference)
		part[c.dim] = one
	}
	c.columnsOf(g, func(u blas64.Triangular, of []float64) { blas64.Trsv(blas.Trans, u, dense(of)) })
}

const (
	// exactGradient is smallGradient of fixed penalties: coefficients are to be exact, too.
	exactGradient = 1e-22
	// firstSteps and furtherSteps are how long coordinates are kept.
	firstSteps, furtherSteps = 12, 40
)

// solve moves weights and intercepts to the minimum.
func (f *fixedFit) solve(ctx context.Context) error {
	dim, columns := f.dim, f.columns()
	count, _ := pieces(len(f.train))
	sums, column, v := newPieceSums(count, columns, dim), f.columnOf(), make([]float64, columns*(dim+1))
	weights, intercept := make([]float64, columns*dim), make([]float64, columns)
	f.converged = false
	for taken, steps := 0, firstSteps; taken < longestSearch && !f.converged; taken, steps = taken+steps, furtherSteps {
		axes, err := f.coordinates(ctx)
		if err != nil {
			return err
		}
		axes.fromWeights(f.weights, f.intercept, v)
		evaluate := func(v, g []float64) float64 {
			axes.toWeights(v, weights, intercept)
			for i := range sums {
				sums[i].clear()
			}
			if err = f.visit(ctx, f.train, weights, intercept, func(piece int, b *rowBlock) {
				s := &sums[piece]
				for r, i := range b.index {
					class := column[f.Class[i]]
					s.loss += b.probabilities(r, columns, class)
					if class < columns {
						b.z[class*len(b.index)+r]--
					}
				}
				s.add(b)
			}); err != nil {
				return math.NaN()
			}
			s, n := total(sums), float64(len(f.train))
			for _, values := range [][]float64{s.x, s.one} {
				for d := range values {
					values[d] /= n
				}
			}
			value := s.loss/n + f.penalize(weights, s.x)
			axes.gradient(s.x, s.one, g)
			return value
		}
		done, stopped := minimize(ctx, evaluate, v, exactGradient, steps)
		if err = cmp.Or(err, stopped); err != nil {
			return err
		}
		axes.toWeights(v, f.weights, f.intercept)
		f.converged = done
	}
	return nil
}
