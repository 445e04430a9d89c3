// Tiles of squared distances between points rounded to integers, from products that take half to two thirds of the time
// of float32 ones.
//
// Points are shifted, scaled by s and rounded: t_i = s·x_i − m with exact operations, q_i the integers, ‖q_i − t_i‖ ≤
// e_i, which is measured and about √(D/12). Distances D_ij of the integers and d_ij of the t differ by at most e_i +
// e_j. The float64 operations of t have, with w = 2⁻⁵³, errors of at most 1.02w·(2‖t_i‖+‖m‖) together, which are
// included in e_i.
//
// The product c of q_i and q_j, see kernel.Int16Product, is exact except for the roundings to float32 of its B blocks:
// with u = 2⁻²⁴ and r_i = ‖q_i‖, |c − q_i·q_j| ≤ 1.01·B·u·r_i·r_j. For a = (n_i + n_j) − 2c with n_i = r_i² rounded,
// all in float32,
//
// 	|a − D_ij²| ≤ ε + 1.01u|a|,   ε = 1.01·(2B·u·r_i·r_j + 2u·(r_i²+r_j²))
//
// A direct key κ and s²·κ = d² of a pair agree up to (D+3)w. With ω = (2D+16)w, j is therefore certainly nearer than a
// point at the key κ if D_ij + e_i + e_j < s√κ·(1−ω), and certainly farther if D_ij − e_i − e_j > s√κ·(1+ω).

package rows

import (
	"context"
	"math"
	"slices"
	"sync"

	"repscope/internal/kernel"
	"repscope/internal/parallel"
	"repscope/neighbors/internal/scan"
	"repscope/points"
)

// quantized are points rounded to integers.
type quantized struct {
	points             points.Points
	shift              []float64 // m
	scale              float64   // s
	left, right        kernel.PackedInt16
	norm               []float32 // n
	radius, rest       []float64 // r, e
	maxRadius, maxRest float64
	buffers            [][]int16 // of goroutines
	most               []float64
}

// quantizedPoints keeps the memory.
var quantizedPoints sync.Pool

// mostOfBlock bounds the squared norm of the integers of a block of depths, so that products fit into 32 bits.
const mostOfBlock = 1<<31 - 1

// roundedPay is the time of products, relative to float32 ones, below which rounded points pay.
const roundedPay = 0.8

// openQuantized rounds the points and calls also for each, once. It returns nil where such products are not fast or
// the points do not fit into integers: for the cosine, for points of very different size, and for numbers near the
// limits of float64.
func openQuantized(ctx context.Context, p *countPass, also func(worker, i int)) (*quantized, error) {
	if kernel.Int16Time() > roundedPay || p.direct.Metric != Euclidean {
		return nil, nil
	}
	q, _ := quantizedPoints.Get().(*quantized)
	if q == nil {
		q = new(quantized)
	}
	pts := p.points
	q.points = pts
	q.norm, q.radius, q.rest = scan.Grown(q.norm, pts.N), scan.Grown(q.radius, pts.N), scan.Grown(q.rest, pts.N)
	q.shift = scan.Grown(q.shift, pts.Dim)
	q.left.Reset(pts.N, pts.Dim, false)
	q.right.Reset(pts.N, pts.Dim, true)
	middle := MedianPoint(pts, p.direct, 15, p.threads)
	q.scale = sampleScale(pts, middle)
	// A sample misses the farthest points.
	for range 3 {
		if !(q.scale > 0x1p-400 && q.scale < 0x1p400) {
			break
		}
		for k, v := range middle {
			q.shift[k] = v * q.scale
		}
		largest, err := q.round(ctx, p.threads, also)
		if err != nil {
			return nil, err
		}
		also = nil
		// No coordinate was cut.
		if largest <= mostOfBlock && q.maxRest <= 0.51*math.Sqrt(float64(pts.Dim))+1e-6 {
			return q, nil
		}
		q.scale *= 0.7 * math.Sqrt(min(1, mostOfBlock/largest))
	}
	q.release()
	return nil, nil
}

func (q *quantized) release() {
	q.points = points.Points{}
	quantizedPoints.Put(q)
}

// sampleScale is the scale of points for which a sample of 63 is at half the largest squared distance from the middle.
func sampleScale(pts points.Points, middle []float64) float64 {
	x, furthest, largest := make([]float64, pts.Dim), 0.0, 0.0
	for i := 0; i < pts.N; i += (pts.N + 62) / 63 {
		x = pts.Row(i, x)
		for from := 0; from < pts.Dim; from += kernel.Int16Depth {
			sum := 0.0
			for k := from; k < min(pts.Dim, from+kernel.Int16Depth); k++ {
				d := x[k] - middle[k]
				sum += d * d
				largest = max(largest, math.Abs(d))
			}
			furthest = max(furthest, sum)
		}
	}
	return min(math.Sqrt(mostOfBlock/2/furthest), math.MaxInt16/1.5/largest)
}

// round rounds and packs all points and returns the largest squared norm of a block of depths.
func (q *quantized) round(ctx context.Context, threads int, also func(worker, i int)) (largest float64, err error) {
	pts, dim := &q.points, q.points.Dim
	stride := (dim + 1) / 2 * 2
	parts := (pts.N + kernel.Align - 1) / kernel.Align
	q.buffers, q.most = slices.Grow(q.buffers[:0], threads)[:threads], scan.Zeroed(q.most, threads)
	shift := math.Sqrt(squaredNorm(q.shift))
	err = parallel.For(ctx, threads, parts, func(w, part int) {
		q.buffers[w] = scan.Grown(q.buffers[w], kernel.Align*stride)
		buffer := q.buffers[w]
		first := part * kernel.Align
		count := min(kernel.Align, pts.N-first)
		for r := range count {
			i, square, rest := first+r, 0.0, 0.0
			row := buffer[r*stride : (r+1)*stride]
			row[stride-1] = 0 // where the depth is odd
			for from := 0; from < dim; from += kernel.Int16Depth {
				s, e := q.block(row, i, from, min(dim, from+kernel.Int16Depth))
				square, rest = square+s, rest+e
				q.most[w] = max(q.most[w], s)
			}
			q.norm[i], q.radius[i] = float32(square), math.Sqrt(square)
			e := math.Sqrt(rest * (1 + float64(dim+16)*0x1p-53))
			q.rest[i] = (1+0x1p-50)*e + 0x1.1p-53*(2*(q.radius[i]+e)+shift)
			if also != nil {
				also(w, i)
			}
		}
		q.left.Put(first, count, buffer, stride)
		q.right.Put(first, count, buffer, stride)
	})
	q.maxRadius, q.maxRest = 0, 0
	for i, r := range q.radius {
		q.maxRadius, q.maxRest = max(q.maxRadius, r), max(q.maxRest, q.rest[i])
	}
	for _, m := range q.most {
		largest = max(largest, m)
	}
	return largest, err
}

// block rounds coordinates from … to−1 of point i.
func (q *quantized) block(dst []int16, i, from, to int) (square, rest float64) {
	offset := i * q.points.Dim
	if q.points.F32 != nil {
		return kernel.QuantizeShifted(dst[from:to], q.points.F32[offset+from:offset+to], q.shift[from:to], q.scale)
	}
	return kernel.QuantizeShifted(dst[from:to], q.points.F64[offset+from:offset+to], q.shift[from:to], q.scale)
}

// noise is ε for point i and any other.
func (q *quantized) noise(i int) float64 {
	const u = 0x1p-24
	blocks := math.Ceil(float64(q.points.Dim) / kernel.Int16Depth)
	r, most := q.radius[i], q.maxRadius
	return 1.02 * (2*blocks*u*r*most + 2*u*(r*r+most*most))
}

// omega is ω, and far more than ω for numbers so small that they underflow.
func (q *quantized) omega(root float64) float64 {
	return root*float64(2*q.points.Dim+16)*0x1p-53 + 1e-6
}

// limits implements pairTiles.
func (q *quantized) limits(i int, key float64) (below, within float32) {
	noise, root := q.noise(i), q.scale*math.Sqrt(key)
	around := q.rest[i] + q.maxRest + q.omega(root)
	// Of u, three are for the difference, the others for the rounding to float32.
	below = float32(math.Inf(-1))
	if low := root - around; low > 0 && low*low-noise > 0x1p-100 {
		below = float32((low*low - noise) * (1 - 0x5p-24))
	}
	high := root + around
	return below, float32((high*high + noise) * (1 + 0x5p-24))
}

// doubt implements pairTiles: the points have much the same e.
func (q *quantized) doubt(int, int32, float32, float64) (open, nearer bool) { return true, false }

// reach implements pairTiles.
func (q *quantized) reach(i int, value float32) float32 {
	noise := q.noise(i)
	root := math.Sqrt((max(0, float64(value))+noise)*(1+0x3p-24)) + 2*(q.rest[i]+q.maxRest)
	root += q.omega(root)
	return min(math.MaxFloat32, float32((root*root+noise)*(1+0x5p-24)))
}

func (q *quantized) norms() []float32 { return q.norm }

// products implements pairTiles.
func (q *quantized) products(w *productWork, c []float32, stride, row, rows, col, cols int) error {
	product := kernel.Int16Product{
		M: rows, N: cols, A: &q.left, B: &q.right, First: [2]int{row, col}, C: c, Stride: stride, Workspace: &w.words,
	}
	return product.Run()
}
