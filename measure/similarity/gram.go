// Measures of whole matrices of pairs of points: distance correlation, and the alignment of Gaussian kernels.

package similarity

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
)

// gram is a kind of matrix: distances for bandwidth 0, else Gaussian kernels.
type gram struct{ bandwidth float64 }

// centeredPairs is a matrix [N, N] without its best fit by sums r_i + r_j, with 0 on the diagonal (U-centering).
type centeredPairs struct {
	values []float32
	own    float64 // Σ values²
}

// pairMatrices computes cka_rbf and distance_correlation: Σ_ij A_ij·B_ij of the U-centered matrices over the
// root of the sums of each with itself. For kernels this sum is n(n−3) times the unbiased HSIC.
func pairMatrices(ctx context.Context, c *comparison) error {
	var names []string
	for name, kind := range map[string]gram{"cka_rbf": {c.o.Bandwidth}, "distance_correlation": {}} {
		if !c.wants(name) {
			continue
		}
		n := int64(c.a.n())
		if need := pairMemory(n); need > c.o.Memory {
			c.refuse(name, fmt.Sprintf("the matrices of %d × %d pairs of points need %d MB, more than the %d MB of "+
				"memory", n, n, need>>20, c.o.Memory>>20))
			continue
		}
		a, err := c.a.pairs(ctx, kind, c.o.Threads)
		if err != nil {
			return err
		}
		b, err := c.b.pairs(ctx, kind, c.o.Threads)
		if err != nil {
			return err
		}
		scores := make([]float64, 1+len(c.o.Orders))
		err = parallel.For(ctx, c.o.Threads, len(scores), func(_, row int) {
			scores[row] = alignment(innerProduct(a.values, b.values, c.order(row), c.a.n()), a.own, b.own)
		})
		if err != nil {
			return err
		}
		c.enter(name, scores)
		names = append(names, name)
		if math.IsNaN(scores[0]) {
			c.refuse(name, c.because(equalDistances, !(a.own > 0), !(b.own > 0)))
		}
	}
	slices.Sort(names)
	return c.withoutBlocks(ctx, c.deleting(names...), pairMemory(int64(c.a.n())), pairMatrices)
}

// pairMemory is two matrices in float32, and a triangle of squared distances while one is made.
func pairMemory(n int64) int64 { return 8*n*n + 8*n*n/2 }

// pairs returns a matrix of the space.
func (p *Prepared) pairs(ctx context.Context, kind gram, threads int) (*centeredPairs, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if pairs := p.grams[kind]; pairs != nil {
		return pairs, nil
	}
	squares, err := squaredDistances(ctx, p.x, threads)
	if err != nil {
		return nil, err
	}
	n := p.x.N
	scale := 0.0
	if kind.bandwidth > 0 {
		width := kind.bandwidth * medianDistance(slices.Clone(squares))
		scale = -1 / (2 * width * width)
	}
	for i, square := range squares {
		switch {
		case kind.bandwidth == 0:
			squares[i] = math.Sqrt(square)
		case square == 0: // also where the median is 0
			squares[i] = 1
		default:
			squares[i] = math.Exp(scale * square)
		}
	}
	value := func(i, j int) float64 {
		if i > j {
			i, j = j, i
		}
		return squares[i*(2*n-i-1)/2+j-i-1]
	}
	sums, total := make([]float64, n), 0.0
	for i := range n {
		for j := range n {
			if j != i {
				sums[i] += value(i, j)
			}
		}
		total += sums[i]
	}
	out := &centeredPairs{values: make([]float32, n*n)}
	m := float64(n)
	err = parallel.For(ctx, threads, n, func(_, i int) {
		for j := range n {
			if j != i {
				out.values[i*n+j] = float32(value(i, j) - sums[i]/(m-2) - sums[j]/(m-2) + total/((m-1)*(m-2)))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	out.own = innerProduct(out.values, out.values, nil, n)
	if largest := total / (m * m); out.own <= 1e-12*m*m*largest*largest { // rounding alone
		out.own = 0
	}
	p.grams[kind] = out
	return out, nil
}

// innerProduct is Σ_ij A_ij·B_ij of n × n matrices, with row and column order[i] of B at i.
func innerProduct[T kernel.Float](a, b []T, order []int, n int) float64 {
	sum := 0.0
	for i := range n {
		from := i
		if order != nil {
			from = order[i]
		}
		x, y := a[i*n:(i+1)*n], b[from*n:(from+1)*n]
		row := 0.0
		if order == nil {
			for j, v := range x {
				row += float64(float64(v) * float64(y[j]))
			}
		} else {
			for j, v := range x {
				row += float64(float64(v) * float64(y[order[j]]))
			}
		}
		sum += row
	}
	return sum
}
