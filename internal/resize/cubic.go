// Bicubic resizing with antialiasing.

package resize

import (
	"encoding/binary"
	"math"

	"repscope/internal/kernel/vector"
)

// Cubic resizes pixels of height×width by convolution with the cubic kernel of Keys (1981) with a = −½,
//
//	k(t) = 3/2·|t|³ − 5/2·|t|² + 1 for |t| < 1,  −½·|t|³ + 5/2·|t|² − 4·|t| + 2 for |t| < 2,  else 0,
//
// which an axis that shrinks has stretched by its factor, so that every input pixel counts, and an axis that grows
// has as it is. Output pixel i is centered at (i + ½)·in/out; weights are normalized over the input
// pixels that there are. Rows come first, then columns; an axis of equal sizes stays as it is.
type Cubic struct {
	height, width int    // of the input
	x, y          window // of each axis; empty for one that stays
}

// window maps input positions to output positions of an axis: from[i] on, with the weights
// weights[start[i]:start[i+1]], of sum 1, and in fixed point.
type window struct {
	from, start []int
	weights     []float64
	fixed       []int32
}

// NewCubic returns a resizer of pixels of height×width to toHeight×toWidth, all positive.
func NewCubic(height, width, toHeight, toWidth int) *Cubic {
	return &Cubic{height: height, width: width, x: newWindow(width, toWidth, cubic, 2), y: newWindow(height, toHeight, cubic, 2)}
}

// newWindow weighs by a kernel that is 0 beyond support.
func newWindow(in, out int, kernel func(float64) float64, support float64) window {
	if in == out {
		return window{}
	}
	w := window{from: make([]int, out), start: make([]int, out+1)}
	scale := float64(in) / float64(out)
	stretch := max(scale, 1)
	reach := support * stretch
	for i := range out {
		center := (float64(i) + 0.5) * scale
		from, to := max(int(center-reach+0.5), 0), min(int(center+reach+0.5), in)
		sum, first := 0.0, len(w.weights)
		for position := from; position < to; position++ {
			v := kernel((float64(position) - center + 0.5) / stretch)
			w.weights = append(w.weights, v)
			sum += v
		}
		w.from[i], w.start[i+1] = from, len(w.weights)
		for k, v := range w.weights[first:] {
			w.weights[first+k] = v / sum
			w.fixed = append(w.fixed, int32(math.Round(v/sum*(1<<vector.FixedBits))))
		}
	}
	return w
}

// cubic is the kernel; products are rounded before they are added.
func cubic(t float64) float64 {
	t = math.Abs(t)
	switch {
	case t < 1:
		return float64(float64((float64(1.5*t)-2.5)*t)*t) + 1
	case t < 2:
		return -0.5 * (float64((float64((t-5)*t)+8)*t) - 4)
	}
	return 0
}

// Bytes resizes pixels of 8 bits, with adjacent channels, from src into dst. The bytes equal Pillow's
// Image.resize(size, Image.BICUBIC): weights in fixed point of 22 bits, each axis rounded to bytes. Pillow from 13 on
// processes columns first if the height shrinks more than the width; this package does not, nor did Pillow before.
func (c *Cubic) Bytes(dst, src []uint8, channels int) {
	columns, rows := c.size()
	if c.x.from == nil && c.y.from == nil {
		copy(dst, src[:columns*rows*channels])
		return
	}
	middle := src
	if c.x.from != nil {
		middle = dst
		if c.y.from != nil {
			middle = make([]uint8, c.height*columns*channels)
		}
		c.x.rows(middle, src[:c.height*c.width*channels], c.height, channels)
	}
	if c.y.from != nil {
		stride := columns * channels
		for i, from := range c.y.from[:rows] {
			vector.MixBytes(dst[i*stride:][:stride], middle[from*stride:], stride, c.y.fixed[c.y.start[i]:c.y.start[i+1]])
		}
	}
}

// size is the size of the output.
func (c *Cubic) size() (columns, rows int) {
	columns, rows = c.width, c.height
	if c.x.from != nil {
		columns = len(c.x.from)
	}
	if c.y.from != nil {
		rows = len(c.y.from)
	}
	return columns, rows
}

// rows resizes rows, in groups transposed to columns.
func (w *window) rows(dst, src []uint8, height, channels int) {
	together := min(vector.Lanes, height)
	in, out := len(src)/height, len(w.from)*channels
	transposed, small := make([]uint8, in*together), make([]uint8, out*together)
	group := channels * together // a pixel of all these rows
	for first := 0; first < height; first += together {
		rows := min(together, height-first)
		transpose(transposed, src[first*in:], together, in, rows, in)
		for i, from := range w.from {
			vector.MixBytes(small[i*group:][:group], transposed[from*group:], group, w.fixed[w.start[i]:w.start[i+1]])
		}
		transpose(dst[first*out:], small, out, together, out, rows)
	}
}

// transpose sets dst[j·to + i] to src[i·from + j] for i < rows and j < columns, in blocks of 8 × 8.
func transpose(dst, src []uint8, to, from, rows, columns int) {
	i := 0
	for ; i+8 <= rows; i += 8 {
		j := 0
		for ; j+8 <= columns; j += 8 {
			transpose8(dst[j*to+i:], src[i*from+j:], to, from)
		}
		turn(dst, src, to, from, i, i+8, j, columns)
	}
	turn(dst, src, to, from, i, rows, 0, columns)
}

// turn is transpose of some rows and columns, byte by byte.
func turn(dst, src []uint8, to, from, top, bottom, left, right int) {
	for i := top; i < bottom; i++ {
		for j := left; j < right; j++ {
			dst[j*to+i] = src[i*from+j]
		}
	}
}

// transpose8 exchanges quarters, then quarters of these, then bytes, of eight words of eight bytes.
func transpose8(dst, src []uint8, to, from int) {
	row := func(i int) uint64 { return binary.LittleEndian.Uint64(src[i*from:]) }
	a, b, c, d, e, f, g, h := row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)
	a, e = exchange(a, e, 32, 0x00000000ffffffff)
	b, f = exchange(b, f, 32, 0x00000000ffffffff)
	c, g = exchange(c, g, 32, 0x00000000ffffffff)
	d, h = exchange(d, h, 32, 0x00000000ffffffff)
	a, c = exchange(a, c, 16, 0x0000ffff0000ffff)
	b, d = exchange(b, d, 16, 0x0000ffff0000ffff)
	e, g = exchange(e, g, 16, 0x0000ffff0000ffff)
	f, h = exchange(f, h, 16, 0x0000ffff0000ffff)
	a, b = exchange(a, b, 8, 0x00ff00ff00ff00ff)
	c, d = exchange(c, d, 8, 0x00ff00ff00ff00ff)
	e, f = exchange(e, f, 8, 0x00ff00ff00ff00ff)
	g, h = exchange(g, h, 8, 0x00ff00ff00ff00ff)
	put := func(i int, v uint64) { binary.LittleEndian.PutUint64(dst[i*to:], v) }
	put(0, a)
	put(1, b)
	put(2, c)
	put(3, d)
	put(4, e)
	put(5, f)
	put(6, g)
	put(7, h)
}

// exchange exchanges the upper parts of x with the lower parts of y, of shift bits each; mask has the lower parts.
func exchange(x, y uint64, shift int, mask uint64) (uint64, uint64) {
	t := (x>>shift ^ y) & mask
	return x ^ t<<shift, y ^ t
}

// Floats resizes one channel of numbers from src into dst with the same weights, without rounding: values may leave the
// range of the input by their overshoot. A NaN spreads to every output it contributes to.
func (c *Cubic) Floats(dst, src []float64) {
	columns, rows := c.size()
	middle := src
	if c.x.from != nil {
		middle = make([]float64, c.height*columns)
		for i := range c.height {
			row, to := src[i*c.width:][:c.width], middle[i*columns:][:columns]
			for j, from := range c.x.from {
				sum := 0.0
				for k, v := range c.x.weights[c.x.start[j]:c.x.start[j+1]] {
					sum += float64(v * row[from+k])
				}
				to[j] = sum
			}
		}
	}
	if c.y.from == nil {
		copy(dst, middle[:columns*rows])
		return
	}
	for i, from := range c.y.from {
		to := dst[i*columns:][:columns]
		clear(to)
		for k, v := range c.y.weights[c.y.start[i]:c.y.start[i+1]] {
			for j, u := range middle[(from+k)*columns:][:columns] {
				to[j] += float64(v * u)
			}
		}
	}
}
