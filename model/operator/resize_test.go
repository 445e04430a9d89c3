// Antialiased resizing, sampling of volumes and grids, against loops over what they are defined by.

package operator_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/model/graph"
)

// antialiased resizes an axis of n numbers, pixels being squares: the kernel is as wide as what an output pixel covers.
func antialiased(x []float64, out int, cubic, excluded bool) []float64 {
	n, y := len(x), make([]float64, out)
	scale := float64(float32(out) / float32(n))
	narrow := min(scale, 1)
	for i := range y {
		center := (float64(i)+0.5)/scale - 0.5
		sum, weights := 0.0, 0.0
		for k := -6 * n; k < 8*n+8; k++ {
			d := math.Abs(float64(k)-center) * narrow
			w := max(0, 1-d)
			if cubic {
				const a = -0.75
				switch {
				case d <= 1:
					w = (a+2)*d*d*d - (a+3)*d*d + 1
				case d < 2:
					w = a*d*d*d - 5*a*d*d + 8*a*d - 4*a
				default:
					w = 0
				}
			}
			if excluded && (k < 0 || k >= n) {
				continue
			}
			sum += w * x[min(max(k, 0), n-1)]
			weights += w
		}
		y[i] = sum / weights
	}
	return y
}

// Down to one pixel, up, and both at once, with one channel and several.
func TestAntialiasedResize(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		x := random(r, 1+r.IntN(2), 1+r.IntN(3), 1+r.IntN(24), 1+r.IntN(24))
		h, w := x.Shape[2], x.Shape[3]
		out := []int{x.Shape[0], x.Shape[1], 1 + r.IntN(30), 1 + r.IntN(30)}
		cubic, excluded := r.IntN(2) == 1, r.IntN(2) == 1
		var want []float64
		for plane := range out[0] * out[1] {
			rows := make([][]float64, h)
			for i := range rows {
				line := make([]float64, w)
				for j := range line {
					line[j] = float64(x.F32[(plane*h+i)*w+j])
				}
				rows[i] = antialiased(line, out[3], cubic, excluded)
			}
			image := make([]float64, out[2]*out[3])
			for j := range out[3] {
				column := make([]float64, h)
				for i := range column {
					column[i] = rows[i][j]
				}
				for i, v := range antialiased(column, out[2], cubic, excluded) {
					image[i*out[3]+j] = v
				}
			}
			want = append(want, image...)
		}
		attributes := map[string]graph.Attribute{"antialias": integer(1), "mode": text("linear"), "exclude_outside": integer(0)}
		if cubic {
			attributes["mode"] = text("cubic")
		}
		if excluded {
			attributes["exclude_outside"] = integer(1)
		}
		y := compute(t, 19, "Resize", attributes, 1, []*graph.Tensor{x, nil, nil, list(out...)}, 3)
		near(t, fmt.Sprint("Resize of ", x.Shape, " to ", out, cubic, excluded), y[0], want, 2e-5, out...)
	}
}

// cell is the value of a volume at an index, or what stands there beyond its ends.
func cell(x *graph.Tensor, plane int, index [3]float64, padding string, align bool) float64 {
	offset := plane
	for a, v := range index {
		n := float64(x.Shape[2+a])
		switch {
		case padding == "zeros" && (v < 0 || v > n-1):
			return 0
		case padding == "reflection":
			v = mirrored(v, n, align)
		}
		offset = offset*int(n) + int(min(max(v, 0), n-1))
	}
	return float64(x.F32[offset])
}

// mirrored folds a coordinate between the ends of n cells, their middles if aligned.
func mirrored(v, n float64, align bool) float64 {
	low, high := -0.5, n-0.5
	if align {
		low, high = 0, n-1
	}
	if low == high {
		return low
	}
	for v < low || v > high {
		if v < low {
			v = 2*low - v
		} else {
			v = 2*high - v
		}
	}
	return v
}

func TestVolumes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 150 {
		x := random(r, 1+r.IntN(2), 1+r.IntN(3), 1+r.IntN(4), 1+r.IntN(4), 1+r.IntN(5))
		grid := random(r, x.Shape[0], 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(3), 3)
		for i := range grid.F32 {
			grid.F32[i] *= 2
		}
		mode, padding, align := []string{"linear", "nearest"}[r.IntN(2)], []string{"zeros", "border", "reflection"}[r.IntN(3)], r.IntN(2) == 1
		points := graph.Count(grid.Shape[1:4])
		want := make([]float64, x.Shape[0]*x.Shape[1]*points)
		for i := range want {
			plane, p := i/points, i%points
			var center [3]float64
			for a := range center {
				n, v := float64(x.Shape[2+a]), float64(grid.F32[(plane/x.Shape[1]*points+p)*3+2-a])
				center[a] = ((v+1)*n - 1) / 2
				if align {
					center[a] = (v + 1) / 2 * (n - 1)
				}
				if padding == "border" {
					center[a] = min(max(center[a], 0), n-1)
				} else if padding == "reflection" {
					center[a] = mirrored(center[a], n, align)
				}
			}
			if mode == "nearest" {
				for a := range center {
					center[a] = math.RoundToEven(center[a])
				}
				want[i] = cell(x, plane, center, padding, align)
				continue
			}
			for corner := range 8 {
				weight, index := 1.0, center
				for a := range center {
					floor := math.Floor(center[a])
					above := float64(corner >> a & 1)
					index[a] = floor + above
					weight *= 1 - math.Abs(center[a]-index[a])
				}
				want[i] += weight * cell(x, plane, index, padding, align)
			}
		}
		attributes := map[string]graph.Attribute{"mode": text(mode), "padding_mode": text(padding), "align_corners": integer(0)}
		if align {
			attributes["align_corners"] = integer(1)
		}
		y := compute(t, 20, "GridSample", attributes, 1, []*graph.Tensor{x, grid})
		what := fmt.Sprint("GridSample of ", x.Shape, " ", mode, " ", padding, align)
		near(t, what, y[0], want, 1e-5, append(x.Shape[:2:2], grid.Shape[1:4]...)...)
	}
	inputs := []*graph.Tensor{floats(1, 1, 2, 2, 2), floats(1, 1, 1, 1, 3)}
	_, err := attempt(20, "GridSample", map[string]graph.Attribute{"mode": text("cubic")}, 1, inputs)
	if err == nil || !strings.Contains(err.Error(), "mode cubic of a volume") {
		t.Errorf("error %v", err)
	}
}

func TestAffineGrid(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		n, align := 2+r.IntN(2), r.IntN(2)
		theta, size := random(r, 2, n, n+1), []int{2, 1}
		for range n {
			size = append(size, 1+r.IntN(5))
		}
		shape := append(append([]int{2}, size[2:]...), n)
		want := make([]float64, graph.Count(shape))
		for i := range want {
			position := graph.Position(shape, i)
			row := theta.F32[(position[0]*n+position[n+1])*(n+1):]
			sum := float64(row[n])
			for j := range n {
				k, d := float64(position[n-j]), float64(size[1+n-j])
				v := (2*k+1)/d - 1
				if align == 1 {
					if v = 0; d > 1 {
						v = 2*k/(d-1) - 1
					}
				}
				sum += float64(row[j]) * v
			}
			want[i] = sum
		}
		attributes := map[string]graph.Attribute{"align_corners": integer(int64(align))}
		y := compute(t, 20, "AffineGrid", attributes, 1, []*graph.Tensor{theta, list(size...)}, 1)
		near(t, fmt.Sprint("AffineGrid of ", size, align), y[0], want, 1e-6, shape...)
	}
}
