// The participation ratio without each block of points in turn, for delete-block
// jackknifes.

package spectrum

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"repscope/points"
	"repscope/stat"
)

// ParticipationRatiosWithout returns (tr C)²/‖C‖_F² of the points outside block 0,
// 1, …, with C the covariance of the points that are left; blocks group the z.N
// points. It costs two passes over the points, whatever the number of blocks: with
// sums over blocks, the moments without a block are differences. NaN where what is
// left does not vary.
func ParticipationRatiosWithout(z points.Points, blocks *stat.Blocks) []float64 {
	mean := columnMeans(z)
	// The sums over all points are those over the blocks, so that only one
	// block's points are held in float64 at a time; blocks are summed twice.
	all := newMoments(z.Dim)
	for j := range blocks.Count() {
		m := momentsOf(z, mean, blocks.Block(j))
		addTo(all.total, m.total)
		addTo(all.second.Data, m.second.Data)
	}
	out := make([]float64, blocks.Count())
	for j := range out {
		index := blocks.Block(j)
		m := momentsOf(z, mean, index)
		for k := range m.total {
			m.total[k] = all.total[k] - m.total[k]
		}
		for k := range m.second.Data {
			m.second.Data[k] = all.second.Data[k] - m.second.Data[k]
		}
		out[j] = m.participationRatio(float64(z.N - len(index)))
	}
	return out
}

// moments are Σ x and, in the upper triangle, Σ x·xᵀ of points about a fixed center.
type moments struct {
	total  []float64
	second blas64.Symmetric
}

func newMoments(dim int) moments {
	return moments{total: make([]float64, dim),
		second: blas64.Symmetric{N: dim, Stride: dim, Uplo: blas.Upper, Data: make([]float64, dim*dim)}}
}

// momentsOf are the moments about mean of the points with the given indices.
func momentsOf(z points.Points, mean []float64, index []int) moments {
	m := newMoments(z.Dim)
	centered := make([]float64, len(index)*z.Dim)
	for r, i := range index {
		row := z.Row(i, centered[r*z.Dim:(r+1)*z.Dim])
		for k := range row {
			row[k] -= mean[k]
			m.total[k] += row[k]
		}
	}
	if len(index) > 0 {
		blas64.Syrk(blas.Trans, 1, blas64.General{Rows: len(index), Cols: z.Dim, Stride: z.Dim, Data: centered}, 0, m.second)
	}
	return m
}

// participationRatio is (tr C)²/‖C‖_F² of the n points that the moments are of.
func (m moments) participationRatio(n float64) float64 {
	dim := len(m.total)
	trace, frobenius := 0.0, 0.0
	for a := range dim {
		for b := a; b < dim; b++ {
			c := m.second.Data[a*dim+b] - m.total[a]*m.total[b]/n
			if a == b {
				trace += c
				frobenius += c * c
			} else {
				frobenius += 2 * c * c
			}
		}
	}
	return trace * trace / frobenius
}

func columnMeans(z points.Points) []float64 {
	mean, row := make([]float64, z.Dim), make([]float64, z.Dim)
	for i := range z.N {
		addTo(mean, z.Row(i, row))
	}
	for k := range mean {
		mean[k] /= float64(z.N)
	}
	return mean
}

func addTo(dst, src []float64) {
	for k, v := range src {
		dst[k] += v
	}
}
