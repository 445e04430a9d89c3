// A space prepared for the measures: centered coordinates, and what several measures share.

package similarity

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"repscope/internal/kernel"
	"repscope/measure/internal/matrix"
	"repscope/neighbors"
	"repscope/points"
)

// Prepared is one model's points [N, D] prepared for [Score]: each part is computed when a measure first asks for it.
// Safe for concurrent use.
type Prepared struct {
	name     string // for reasons; may be empty
	points   points.Points
	x        matrix.Matrix // centered; divided by a power of two so that its largest number is about 1
	square   []float64     // ‖x_i‖²
	total    float64       // Σ ‖x_i‖²
	constant []bool        // of each coordinate
	threads  int           // of what all measures share; ≤ 0: all processors

	once struct{ own, components, span, products sync.Once }
	// biased and unbiased are ‖XᵀX‖_F² and n(n−3) times the unbiased HSIC of the space with itself.
	biased, unbiased float64
	ownErr           error
	kept             matrix.Matrix // of products
	keptErr          error
	span             matrix.Matrix
	components       components
	componentsErr    error

	lock   sync.Mutex
	angles *angles
	grams  map[gram]*centeredPairs
	lists  map[neighbors.Metric]*neighbors.Nearest
}

// Prepare takes points [N, D] of any kind. NaN and Inf are errors. Points that do not vary are a space without scores.
func Prepare(z points.Points) (*Prepared, error) {
	if err := neighbors.Check("similarity", z, neighbors.Euclidean); err != nil {
		return nil, err
	}
	return prepare(z), nil
}

func prepare(z points.Points) *Prepared {
	p := &Prepared{
		points: z, constant: constantUnits(z),
		grams: map[gram]*centeredPairs{},
		lists: map[neighbors.Metric]*neighbors.Nearest{},
	}
	raw := matrix.Of(z)
	toUnit(raw.Data)
	mean := raw.Mean()
	for i := range raw.N {
		row := raw.Row(i)
		for k, v := range row {
			if row[k] = v - mean[k]; p.constant[k] {
				row[k] = 0
			}
		}
	}
	toUnit(raw.Data) // points far from the origin
	p.x, p.square = raw, make([]float64, raw.N)
	for i := range raw.N {
		p.square[i] = matrix.Dot(raw.Row(i), raw.Row(i))
		p.total += p.square[i]
	}
	return p
}

// toUnit divides numbers by the power of two that brings the largest to [1/2, 1); not if all are 0.
func toUnit(data []float64) {
	largest := 0.0
	for _, v := range data {
		if v = math.Abs(v); v > largest {
			largest = v
		}
	}
	_, exponent := math.Frexp(largest)
	if exponent == 0 {
		return
	}
	if factor := math.Ldexp(1, -exponent); factor > 0 && !math.IsInf(factor, 0) {
		for i, v := range data {
			data[i] = v * factor
		}
		return
	}
	for i, v := range data {
		data[i] = math.Ldexp(v, -exponent)
	}
}

// Named enters a name by which the reasons of missing scores call the space.
func (p *Prepared) Named(name string) *Prepared {
	p.name = name
	return p
}

func (p *Prepared) n() int { return p.x.N }

// Len is the number of points.
func (p *Prepared) Len() int { return p.x.N }

// Dim is the number of coordinates.
func (p *Prepared) Dim() int { return p.x.Dim }

// Varies reports whether not all points are equal.
func (p *Prepared) Varies() bool { return p.total > 0 }

// varies reports whether not all of some points are equal.
func (p *Prepared) varies(index []int) bool {
	return slices.ContainsFunc(index, func(i int) bool { return !slices.Equal(p.x.Row(i), p.x.Row(index[0])) })
}

// ConstantUnits is the number of coordinates of points that have one value.
func ConstantUnits(z points.Points) int {
	count := 0
	for _, c := range constantUnits(z) {
		if c {
			count++
		}
	}
	return count
}

// constantUnits says of each coordinate whether it has one value.
func constantUnits(z points.Points) []bool {
	constant := slices.Repeat([]bool{true}, z.Dim)
	if z.N == 0 {
		return constant
	}
	first := slices.Clone(z.Row(0, make([]float64, z.Dim)))
	row := make([]float64, z.Dim)
	count := z.Dim // coordinates with one value so far
	for i := 1; i < z.N && count > 0; i++ {
		for k, v := range z.Row(i, row) {
			if constant[k] && v != first[k] {
				constant[k] = false
				count--
			}
		}
	}
	return constant
}

// Select is the space of some of the points.
func (p *Prepared) Select(index []int) *Prepared {
	return prepare(p.points.Select(index)).Named(p.name)
}

// rest is the space of some of the points, for a computation on some threads.
func (p *Prepared) rest(index []int, threads int) *Prepared {
	out := p.Select(index)
	out.threads = threads
	return out
}

// square is XᵀX, one half computed.
func square(x matrix.Matrix, threads int) (matrix.Matrix, error) {
	out := matrix.New(x.Dim, x.Dim)
	columns := kernel.Columns(x.Data, x.Dim)
	product := kernel.Product[float64]{
		M: x.Dim, N: x.Dim, K: x.N, A: columns, B: columns, C: out.Data, Stride: x.Dim, Upper: true, Threads: threads,
	}
	err := product.Run()
	out.Mirror()
	return out, err
}

// crossProduct is XᵀY in the given memory, of equally many rows.
func crossProduct(into matrix.Matrix, x, y matrix.Matrix, threads int, workspace *kernel.Workspace[float64]) error {
	product := kernel.Product[float64]{
		M: x.Dim, N: y.Dim, K: x.N, A: kernel.Columns(x.Data, x.Dim), B: kernel.Columns(y.Data, y.Dim),
		C: into.Data, Stride: y.Dim, Threads: threads, Workspace: workspace,
	}
	return product.Run()
}

// rowProduct is A·B of row-major matrices.
func rowProduct(a, b matrix.Matrix, threads int) (matrix.Matrix, error) {
	out := matrix.New(a.N, b.Dim)
	product := kernel.Product[float64]{
		M: a.N, N: b.Dim, K: a.Dim, A: kernel.Rows(a.Data, a.Dim), B: kernel.Columns(b.Data, b.Dim),
		C: out.Data, Stride: b.Dim, Threads: threads,
	}
	return out, product.Run()
}

// own computes the inner products of the space with itself.
func (p *Prepared) own() (biased, unbiased float64, err error) {
	p.once.own.Do(func() {
		cross, err := p.products()
		if p.ownErr = err; err != nil {
			return
		}
		p.biased = matrix.Dot(cross.Data, cross.Data)
		p.unbiased = unbiasedHSIC(p.biased, matrix.Dot(p.square, p.square), p.total, p.total, p.x.N)
	})
	return p.biased, p.unbiased, p.ownErr
}

// products is XᵀX, or XXᵀ where points are fewer than coordinates: both have the same eigenvalues but for zeros. It is
// kept where it is small next to the points.
func (p *Prepared) products() (matrix.Matrix, error) {
	if p.x.N < 4*p.x.Dim {
		return p.multiply()
	}
	p.once.products.Do(func() { p.kept, p.keptErr = p.multiply() })
	return p.kept, p.keptErr
}

func (p *Prepared) multiply() (matrix.Matrix, error) {
	if p.x.N < p.x.Dim {
		return p.inner(p.threads)
	}
	return square(p.x, p.threads)
}

// inner is XXᵀ, the inner products of the points.
func (p *Prepared) inner(threads int) (matrix.Matrix, error) {
	x, out := kernel.Rows(p.x.Data, p.x.Dim), matrix.New(p.x.N, p.x.N)
	product := kernel.Product[float64]{
		M: p.x.N, N: p.x.N, K: p.x.Dim, A: x, B: x, C: out.Data, Stride: p.x.N, Threads: threads,
	}
	return out, product.Run()
}

// unbiasedHSIC is n(n−3) times the unbiased HSIC of centered points, from ‖XᵀY‖², Σ ‖x‖²‖y‖² and the totals.
func unbiasedHSIC(biased, squares, xTotal, yTotal float64, n int) float64 {
	count := float64(n)
	return biased - count/(count-2)*squares + xTotal*yTotal/((count-1)*(count-2))
}

// spanned are the points in fewer coordinates with the same inner products: n centered points span at most n − 1
// dimensions. With coordinates to spare, cross products have singular values of 0, which take long.
func (p *Prepared) spanned() matrix.Matrix {
	if p.x.Dim < p.x.N {
		return p.x
	}
	p.once.span.Do(func() {
		var qr mat.QR
		qr.Factorize(mat.NewDense(p.x.N, p.x.Dim, p.x.Data).T()) // Xᵀ = QR, and XXᵀ = RᵀR
		var r mat.Dense
		qr.RTo(&r)
		p.span = matrix.New(p.x.N, p.x.N-1) // the last row of R is 0 but for rounding
		for i := range p.span.N {
			for k := range min(i+1, p.span.Dim) {
				p.span.Row(i)[k] = r.At(k, i)
			}
		}
	})
	return p.span
}

// components are the leading principal components: basis [D, K], and the singular values of the centered points.
type components struct {
	basis matrix.Matrix
	size  []float64
}

// keptVariance is the share of the variance that the components of SVCCA hold.
const keptVariance = 0.99

// principal returns the fewest components with 99 % of the variance.
func (p *Prepared) principal() (components, error) {
	p.once.components.Do(func() { p.components, p.componentsErr = p.findComponents() })
	return p.components, p.componentsErr
}

func (p *Prepared) findComponents() (components, error) {
	x := p.x
	small := min(x.N, x.Dim)
	product, err := p.products()
	if err != nil {
		return components{}, err
	}
	values, vectors, err := eigenRows(product, p.threads)
	if err != nil {
		return components{}, err
	}
	kept, sum := 0, 0.0
	for kept < small && sum < keptVariance*p.total*(1-1e-12) {
		sum += max(values[kept], 0)
		kept++
	}
	out := components{basis: matrix.New(x.Dim, kept)}
	for c := range kept {
		out.size = append(out.size, math.Sqrt(max(values[c], 0)))
	}
	if x.Dim <= x.N {
		for k := range x.Dim {
			for c := range kept {
				out.basis.Row(k)[c] = vectors.Row(c)[k]
			}
		}
		return out, nil
	}
	scores := matrix.New(x.N, kept) // the components of the points, divided by their size
	for i := range x.N {
		for c := range kept {
			scores.Row(i)[c] = vectors.Row(c)[i] / out.size[c]
		}
	}
	return out, crossProduct(out.basis, x, scores, p.threads, nil)
}
