// Spaces of precomputed distances.

package rows

import (
	"context"
	"fmt"
	"math"

	"repscope/internal/parallel"
	"repscope/points"
)

// asymmetry is how far d_ij and d_ji of a matrix of distances may lie apart,
// relative to the larger: the rounding of whatever computed them in float32.
const asymmetry = 1e-4

// checkDistances reports the first problem that makes p unusable as a matrix of distances. Distances are used
// unchanged: row i ranks the neighbors of point i.
func checkDistances(name string, p points.Points) error {
	switch {
	case p.N != p.Dim:
		return fmt.Errorf("%s: a matrix of %d × %d distances, want a square matrix", name, p.N, p.Dim)
	case p.U8 != nil:
		return fmt.Errorf("%s: distances in uint8, want float32 or float64", name)
	case p.F32 != nil:
		return checkMatrix(name, p.F32, p.N)
	}
	return checkMatrix(name, p.F64, p.N)
}

func checkMatrix[T float32 | float64](name string, d []T, n int) error {
	// Tiles, so that both triangles are read in order.
	const tile = 64
	for i0 := 0; i0 < n; i0 += tile {
		for j0 := 0; j0 <= i0; j0 += tile {
			for i := i0; i < min(i0+tile, n); i++ {
				for j := j0; j < min(j0+tile, i); j++ {
					a, b := float64(d[i*n+j]), float64(d[j*n+i])
					if !(a >= 0 && b >= 0 && a <= math.MaxFloat64 && b <= math.MaxFloat64) {
						return fmt.Errorf("%s: the distances of points %d and %d are %v and %v, want finite numbers ≥ 0",
							name, i, j, a, b)
					}
					if math.Abs(a-b) > asymmetry*max(a, b) {
						return fmt.Errorf("%s: the distance from point %d to %d is %v, but %v in the other "+
							"direction: want a symmetric matrix",
							name, i, j, a, b)
					}
				}
			}
		}
	}
	for i := range n {
		// Distances of points from themselves are ignored; some tools leave them at 1 or at a rounding.
		if v := float64(d[i*n+i]); !(v >= 0 && v <= math.MaxFloat64) {
			return fmt.Errorf("%s: the distance of point %d from itself is %v, want 0 (any finite number ≥ 0 is "+
				"accepted)", name, i, v)
		}
	}
	return nil
}

// openPrecomputed is the space of a matrix p of distances, or of some rows of it.
func openPrecomputed(b base, rows, p points.Points) Space {
	b.method = "precomputed " + p.Type()
	s := &exact[float64]{base: b}
	s.fill = func(ctx context.Context, lo, hi int, out []float64) error {
		return parallel.For(ctx, b.threads, hi-lo, func(_, r int) {
			rows.Row(lo+r, out[r*p.N:(r+1)*p.N])
		})
	}
	return s
}
