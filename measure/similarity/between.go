// Inner products over the pairs of points in different blocks: what debiased CKA leaves of the
// diagonal, for blocks of dependent points.

package similarity

import (
	"math"

	"repscope/measure/internal/matrix"
)

// fewestBlocks is the number of blocks below which pairs between blocks give no similarity: the
// unbiased HSIC compares four different points.
const fewestBlocks = 4

// split holds, block by block, the parts of the inner products of two matrices K = XXᵀ and L = YYᵀ over the pairs S
// of points in different blocks. With P the projection that takes sums a_i + a_j away,
//
//	⟨PK, PL⟩ = Σ_S K_ij·L_ij − 2·Σ_i a_i·r_i,
//
// r_i the row sums of K over S, and a solving r_i(L) = (n − m_b)·a_i + A − A_b, where b is the block of i, m_b its
// size, A_b the sum of a over it, and A over all. For linear K, r_i = x_i·(Σx − s_b) with the block's sum s_b, so
// that everything follows from the blocks' cross products C_b = X_bᵀY_b and s_b. P takes a shift of the points
// away too, so that they need no centering again without a block.
type split struct {
	x, y  *Space
	sizes []float64
	norms []float64 // ‖C_b‖²
	all   float64   // of all blocks
	// rows[b][v] is Σ r_i(K)·r_i(L) over block b, of all points for v = 0 and without block v − 1.
	rows [][]float64
}

func newSplit(x, y *Space) *split {
	blocks := len(x.start) - 1
	s := &split{x: x, y: y, norms: make([]float64, blocks), rows: make([][]float64, blocks)}
	for b := range blocks {
		s.sizes = append(s.sizes, float64(x.start[b+1]-x.start[b]))
	}
	return s
}

// add takes the cross product of block b.
func (s *split) add(b int, cross matrix.Matrix) {
	if len(s.sizes) < fewestBlocks {
		return
	}
	s.norms[b] = matrix.Dot(cross.Data, cross.Data)
	s.all += s.norms[b]
	sx, sy := s.x.sum.Row(b), s.y.sum.Row(b)
	times := func(y []float64) []float64 { // C_b·y
		out := make([]float64, cross.N)
		for k := range out {
			out[k] = matrix.Dot(cross.Row(k), y)
		}
		return out
	}
	product := times(sy)
	turned := make([]float64, cross.Dim) // C_bᵀ·s_b
	for k, v := range sx {
		matrix.Axpy(turned, v, cross.Row(k))
	}
	same := matrix.Dot(sx, product)
	s.rows[b] = append(s.rows[b], same)
	if !s.x.deletes() {
		return
	}
	// Without block d the row sums are x_i·(−s_d − s_b): the points are centered with all blocks.
	for d := range s.sizes {
		dx, dy := s.x.sum.Row(d), s.y.sum.Row(d)
		s.rows[b] = append(s.rows[b], same+matrix.Dot(dx, product)+matrix.Dot(turned, dy)+matrix.Dot(dx, times(dy)))
	}
}

// inner is ⟨PK, PL⟩ without block d, −1 for none, where squares is ‖XᵀY‖² of the points that remain;
// NaN for fewer than four blocks.
func (s *split) inner(d int, squares float64) float64 {
	var kept []int
	n := 0.0
	for b, m := range s.sizes {
		if b != d {
			kept, n = append(kept, b), n+m
		}
	}
	if len(kept) < fewestBlocks {
		return math.NaN()
	}
	within := s.all
	if d >= 0 {
		within -= s.norms[d]
	}
	// The sums of r over each block, by the sums of points.
	sums := func(space *Space) []float64 {
		out := make([]float64, len(s.sizes))
		for _, b := range kept {
			row := space.sum.Row(b)
			out[b] = -matrix.Dot(row, row)
			if d >= 0 {
				out[b] -= matrix.Dot(row, space.sum.Row(d))
			}
		}
		return out
	}
	rx, ry := sums(s.x), sums(s.y)
	total, parts := s.solve(kept, n, ry)
	fitted := 0.0
	for _, b := range kept {
		fitted += (s.rows[b][d+1] + (parts[b]-total)*rx[b]) / (n - s.sizes[b])
	}
	return squares - within - 2*fitted
}

// solve returns A and A_b, by block: (n − 2m_b)·A_b = R_b − m_b·A with the sums R_b of r over the blocks.
func (s *split) solve(kept []int, n float64, r []float64) (total float64, parts []float64) {
	parts = make([]float64, len(s.sizes))
	half := -1 // a block of half of the points
	up, down := 0.0, 1.0
	for _, b := range kept {
		rest := n - 2*s.sizes[b]
		if rest == 0 {
			half, total = b, r[b]/s.sizes[b]
			continue
		}
		up += r[b] / rest
		down += s.sizes[b] / rest
	}
	if half < 0 {
		total = up / down
	}
	others := 0.0
	for _, b := range kept {
		if b != half {
			parts[b] = (r[b] - s.sizes[b]*total) / (n - 2*s.sizes[b])
			others += parts[b]
		}
	}
	if half >= 0 {
		parts[half] = total - others
	}
	return total, parts
}
