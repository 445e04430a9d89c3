// Fixations: from points, from binary maps, and from the highest pixels of a map.

package saliency

import (
	"math"
	"slices"

	"repscope/stat"
)

// Fixations are pixels that were looked at, of a picture of Width × Height. They are immutable.
type Fixations struct {
	Width, Height int
	// Outside is how many points of [FixationsAt] lay beyond the picture: they are no fixations.
	Outside int
	pixels  []int // y·Width + x, ascending; a pixel may occur several times
}

// FixationsAt takes points (x, y) in pixels: pixel (i, j) is hit by i ≤ x < i+1, j ≤ y < j+1. A pixel that
// is hit several times counts as often in means over fixations. Points beyond the picture, as eye trackers
// report them, are left out and counted in Outside. Undefined for as many x as not y, and for
// NaN.
func FixationsAt(width, height int, xs, ys []float64) (*Fixations, error) {
	const quantity = "fixations"
	if err := fits(quantity, width, height, width*height); err != nil {
		return nil, err
	}
	if len(xs) != len(ys) {
		return nil, stat.Undefined(quantity, "%d x and %d y coordinates", len(xs), len(ys))
	}
	f := &Fixations{Width: width, Height: height}
	for i, x := range xs {
		y := ys[i]
		if math.IsNaN(x) || math.IsNaN(y) {
			return nil, stat.Undefined(quantity, "point %d is (%v, %v)", i, x, y)
		}
		if x < 0 || y < 0 || x >= float64(width) || y >= float64(height) {
			f.Outside++
			continue
		}
		f.pixels = append(f.pixels, int(y)*width+int(x))
	}
	slices.Sort(f.pixels)
	return f, nil
}

// Top takes the highest percent % of the pixels of a map for fixations: the k = ⌈percent·pixels/100⌉
// highest and all that equal the k-th. Undefined for a percentage that is not in (0, 100), and
// where ties take in every pixel.
func Top(m *Map, percent float64) (*Fixations, error) {
	const quantity = "fixations"
	if !(percent > 0 && percent < 100) {
		return nil, stat.Undefined(quantity, "top %v %% of a map, want a number above 0 and below 100", percent)
	}
	n := len(m.values)
	k := min(int(math.Ceil(percent*float64(n)/100)), n)
	least := m.min
	if m.min < m.max {
		least = m.highest(k)
	}
	if least == m.min {
		return nil, stat.Undefined(quantity, "the top %v %% of the map, with ties, contain all pixels", percent)
	}
	f := &Fixations{Width: m.Width, Height: m.Height}
	for i, v := range m.values {
		if v >= least {
			f.pixels = append(f.pixels, i)
		}
	}
	return f, nil
}

// highest is the k-th highest value of a map that is not constant: values are counted by cells of the range, and only
// the values of the cell that holds it are sorted.
func (m *Map) highest(k int) float64 {
	const cells = 1 << 16
	width := m.max - m.min
	counts := make([]int, cells+1)
	for _, v := range m.values {
		counts[cell(v, m.min, width, cells)]++
	}
	c := cells
	for ; k > counts[c]; c-- {
		k -= counts[c]
	}
	inside := make([]float64, 0, counts[c])
	for _, v := range m.values {
		if cell(v, m.min, width, cells) == c {
			inside = append(inside, v)
		}
	}
	slices.Sort(inside)
	return inside[len(inside)-k]
}

// Len returns how many fixations there are, with repeats.
func (f *Fixations) Len() int { return len(f.pixels) }

// At returns the pixel of a fixation, 0 ≤ i < Len, by rows.
func (f *Fixations) At(i int) (x, y int) { return f.pixels[i] % f.Width, f.pixels[i] / f.Width }

// Pixels returns how many pixels are fixated.
func (f *Fixations) Pixels() int {
	n := 0
	for i, p := range f.pixels {
		if i == 0 || p != f.pixels[i-1] {
			n++
		}
	}
	return n
}

// of is the value of a map at every fixation, with repeats.
func (f *Fixations) of(m *Map) []float64 {
	out := make([]float64, len(f.pixels))
	for i, p := range f.pixels {
		out[i] = m.values[p]
	}
	return out
}

// locate says whether fixations can be held against a map.
func locate(quantity string, m *Map, f *Fixations) error {
	if err := sameSize(quantity, m.Width, m.Height, f.Width, f.Height); err != nil {
		return err
	}
	if len(f.pixels) == 0 {
		if f.Outside > 0 {
			return stat.Undefined(quantity, "no fixations: all %d are outside the map", f.Outside)
		}
		return stat.Undefined(quantity, "no fixations")
	}
	return nil
}
