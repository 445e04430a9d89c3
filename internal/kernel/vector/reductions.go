// Reductions of rows and of columns, in float64 and in a fixed order.

package vector

import "math"

// Reduction is an operation that combines many elements.
type Reduction int

// The reductions. The largest and the smallest of elements with a NaN is NaN; +0 is larger than −0.
const (
	ReduceSum       Reduction = iota // Σ x
	ReduceAbsolutes                  // Σ |x|
	ReduceSquares                    // Σ x²
	ReduceProduct                    // Π x
	ReduceMax                        // max x
	ReduceMin                        // min x
)

// Start is the reduction of no elements.
func (r Reduction) Start() float64 {
	switch r {
	case ReduceProduct:
		return 1
	case ReduceMax:
		return math.Inf(-1)
	case ReduceMin:
		return math.Inf(1)
	}
	return 0
}

// Join combines the results of two parts.
func (r Reduction) Join(x, y float64) float64 {
	switch r {
	case ReduceProduct:
		return x * y
	case ReduceMax:
		return max(x, y)
	case ReduceMin:
		return min(x, y)
	}
	return x + y
}

func (r Reduction) term(x float32) float64 {
	v := float64(x)
	switch r {
	case ReduceAbsolutes:
		return math.Abs(v)
	case ReduceSquares:
		return float64(v * v)
	}
	return v
}

// Rows sets dst[i] to the reduction of the row x[i·stride:][:n] for each of the rows. Each row is reduced in sixteen
// interleaved parts; element k is in part k mod 16. The parts are then joined, halves with halves.
func (r Reduction) Rows(dst []float64, x []float32, n, rows, stride int) {
	dst = dst[:rows]
	switch {
	case rows == 0:
	case n == 0:
		for i := range dst {
			dst[i] = r.Start()
		}
	default:
		_ = x[(rows-1)*stride+n-1] // the last element that is read
		r.rows(dst, x, n, rows, stride)
	}
}

// Columns joins to dst[c] the elements src[offset+c] of each offset, in their order, for columns c < width. dst has
// space for a multiple of [Lanes]; its elements from width on are undefined afterwards. offsets ascend.
func (r Reduction) Columns(dst []float64, src []float32, offsets []int, width int) {
	if width == 0 || len(offsets) == 0 {
		return
	}
	// The last elements that are read and written.
	_, _ = src[offsets[len(offsets)-1]+width-1], dst[(width+Lanes-1)/Lanes*Lanes-1]
	r.columns(dst, src, offsets, width)
}

func (r Reduction) rowsGeneric(dst []float64, x []float32, n, rows, stride int) {
	for i := range rows {
		var parts [Lanes]float64
		for k := range parts {
			parts[k] = r.Start()
		}
		for k, v := range x[i*stride:][:n] {
			parts[k%Lanes] = r.Join(parts[k%Lanes], r.term(v))
		}
		for half := Lanes / 2; half > 0; half /= 2 {
			for k := range half {
				parts[k] = r.Join(parts[k], parts[k+half])
			}
		}
		dst[i] = parts[0]
	}
}

func (r Reduction) columnsGeneric(dst []float64, src []float32, offsets []int, width int) {
	for c := range width {
		sum := dst[c]
		for _, at := range offsets {
			sum = r.Join(sum, r.term(src[at+c]))
		}
		dst[c] = sum
	}
}

// Order is how an element overtakes the extreme so far.
type Order int

// The orders. A NaN overtakes nothing and is not overtaken.
const (
	Greater Order = iota
	GreaterOrEqual
	Less
	LessOrEqual
)

// Overtake sets top[i] = x[i] and index[i] = value where x[i] is in this order relative to top[i].
func (o Order) Overtake(top, x []float32, index []int32, value int32) {
	n := len(top)
	if n == 0 {
		return
	}
	n = o.overtake(top, x[:n], index[:n], value)
	o.overtakeGeneric(top[n:], x[n:len(top)], index[n:len(top)], value)
}

func (o Order) overtakeGeneric(top, x []float32, index []int32, value int32) {
	for i, v := range x {
		w, overtakes := top[i], false
		switch o {
		case Greater:
			overtakes = v > w
		case GreaterOrEqual:
			overtakes = v >= w
		case Less:
			overtakes = v < w
		case LessOrEqual:
			overtakes = v <= w
		}
		if overtakes {
			top[i], index[i] = v, value
		}
	}
}
