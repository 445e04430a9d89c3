// Uniformity and alignment on the unit sphere.

package geometry

import (
	"context"
	"fmt"
	"math"

	"repscope/internal/kernel"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// unit returns the rows divided by their lengths. Rows of length zero have no
// direction: an UndefinedError with their number.
func (x matrix) unit() (matrix, error) {
	u := newMatrix(x.n, x.dim)
	zero := 0
	for i := range x.n {
		row, to := x.row(i), u.row(i)
		// Scaled by the largest coordinate, so that no square over- or underflows.
		largest := 0.0
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
		if largest == 0 {
			zero++
			continue
		}
		for k, v := range row {
			to[k] = v / largest
		}
		length := math.Sqrt(dot(to, to))
		for k := range to {
			to[k] /= length
		}
	}
	if zero > 0 {
		return matrix{}, &stat.UndefinedError{Quantity: "direction", Reason: fmt.Sprintf("%d of %d latents are zero and have no direction", zero, x.n)}
	}
	return u, nil
}

// Uniformity returns log mean exp(−2·‖u − v‖²) over all pairs of different points,
// u and v divided by their lengths (Wang & Isola 2020): 0 when all directions
// agree, −4 in the limit of many dimensions when they are uniform on the sphere, in
// between for few. Points are taken as they are, not centred. Fewer than 2
// points, or a point of length zero, are an UndefinedError.
func Uniformity(ctx context.Context, pts points.Points, threads int) (float64, error) {
	if err := neighbors.Check("uniformity", pts, neighbors.Euclidean); err != nil {
		return 0, err
	}
	u, err := widened(pts).unit()
	if err != nil {
		return 0, err
	}
	value, _, err := uniformity(ctx, u, []int{pts.N}, threads)
	return value, err
}

// uniformity works on unit vectors that lie block by block, sizes[b] of them in
// block b, and also returns the value without each block in turn.
func uniformity(ctx context.Context, u matrix, sizes []int, threads int) (value float64, without []float64, err error) {
	if u.n < 2 {
		return 0, nil, &stat.UndefinedError{Quantity: "uniformity", Reason: fmt.Sprintf("%d latents, want at least 2", u.n)}
	}
	block, start := make([]int, u.n), make([]int, len(sizes)+1)
	for b, size := range sizes {
		start[b+1] = start[b] + size
		for i := start[b]; i < start[b+1]; i++ {
			block[i] = b
		}
	}
	// For every range of rows: the sum over its pairs, and over those of them that
	// touch each block.
	type partial struct {
		total   float64
		touched []float64
	}
	partials := make([]partial, (u.n+rowBlock-1)/rowBlock)
	err = u.eachBlock(ctx, threads, func(i0, i1, j0, j1 int, product []float64, stride int) {
		p := &partials[i0/rowBlock]
		if p.touched == nil {
			p.touched = make([]float64, len(sizes))
		}
		for i := i0; i < i1; i++ {
			row := product[(i-i0)*stride:]
			for j := max(j0, i+1); j < j1; {
				b := block[j]
				end := min(start[b+1], j1)
				sum := kernel.SumExp(row[j-j0:end-j0], 4, -4) // −2·‖u − v‖² = 4u·v − 4, at most 0
				p.total += sum
				p.touched[b] += sum
				if block[i] != b {
					p.touched[block[i]] += sum
				}
				j = end
			}
		}
	})
	if err != nil {
		return 0, nil, err
	}
	total, touched := 0.0, make([]float64, len(sizes))
	for _, p := range partials {
		total += p.total
		addTo(touched, p.touched)
	}
	logMean := func(sum float64, n int) float64 { return math.Log(sum / (float64(n) * float64(n-1) / 2)) }
	without = make([]float64, len(sizes))
	for b := range without {
		without[b] = math.NaN()
		if n := u.n - sizes[b]; n >= 2 {
			without[b] = logMean(total-touched[b], n)
		}
	}
	return logMean(total, u.n), without, nil
}

// alignment returns ‖u − v‖² of every pair of unit vectors.
func alignment(u matrix, pairs []points.Pair) []float64 {
	out := make([]float64, len(pairs))
	for i, p := range pairs {
		out[i] = squaredDistance(u.row(p.Now), u.row(p.Next))
	}
	return out
}
