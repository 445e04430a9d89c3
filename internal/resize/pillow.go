// Frames of 8 bits resized by any filter of Pillow, and their middle.

package resize

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Filter is a filter of Pillow's Image.resize.
type Filter string

// The filters, by Pillow's names in lower case.
const (
	FilterNearest  Filter = "nearest"
	FilterBox      Filter = "box"
	FilterBilinear Filter = "bilinear"
	FilterHamming  Filter = "hamming"
	FilterBicubic  Filter = "bicubic"
	FilterLanczos  Filter = "lanczos"
)

// Filters are all filters, by Pillow's numbers of them.
func Filters() []Filter {
	return []Filter{FilterNearest, FilterLanczos, FilterBilinear, FilterBicubic, FilterBox, FilterHamming}
}

// kernels are the kernels of the filters but nearest, and where they end.
var kernels = map[Filter]struct {
	value   func(float64) float64
	support float64
}{
	FilterBox: {box, 0.5}, FilterBilinear: {triangle, 1}, FilterHamming: {hamming, 1}, FilterBicubic: {cubic, 2},
	FilterLanczos: {lanczos, 3},
}

func box(t float64) float64 {
	if t > -0.5 && t <= 0.5 {
		return 1
	}
	return 0
}

func hamming(t float64) float64 {
	t = math.Abs(t)
	switch {
	case t == 0:
		return 1
	case t >= 1:
		return 0
	}
	t *= math.Pi
	return math.Sin(t) / t * (0.54 + float64(0.46*math.Cos(t)))
}

func lanczos(t float64) float64 {
	if t < -3 || t >= 3 {
		return 0
	}
	return sinc(t) * sinc(t/3)
}

func sinc(t float64) float64 {
	if t == 0 {
		return 1
	}
	t *= math.Pi
	return math.Sin(t) / t
}

// Pillow resizes frames of one channel with a filter and cuts out a part. Frames of bytes become the bytes of Pillow's
// Image.resize; other numbers, such as pixels with noise, are weighed without rounding, and cut off at 0 and 255 or the
// extremes of the frame, so that a little noise changes little.
type Pillow struct {
	filter        Filter
	by            *Cubic // nil where the filter is nearest
	rows, columns []int  // of nearest
	height, width int    // resized
	top, left     int    // of the part
	toHeight      int
	toWidth       int
	exact         bool
}

// NewPillow returns a resizer of frames of height×width to toHeight×toWidth, all positive.
func NewPillow(filter Filter, height, width, toHeight, toWidth int) (*Pillow, error) {
	p := &Pillow{filter: filter, height: toHeight, width: toWidth, toHeight: toHeight, toWidth: toWidth}
	if filter == FilterNearest {
		p.rows, p.columns = centers(height, toHeight), centers(width, toWidth)
		p.by = &Cubic{height: height, width: width}
		return p, nil
	}
	k, ok := kernels[filter]
	if !ok {
		return nil, fmt.Errorf("filter %q: want one of %s", filter, join(Filters()))
	}
	p.by = &Cubic{height: height, width: width, x: newWindow(width, toWidth, k.value, k.support),
		y: newWindow(height, toHeight, k.value, k.support)}
	return p, nil
}

func join(filters []Filter) string {
	names := make([]string, len(filters))
	for i, f := range filters {
		names[i] = string(f)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// centers are the input positions of output positions, whose sums are rounded as Pillow's are.
func centers(in, out int) []int {
	positions := make([]int, out)
	step := float64(in) / float64(out)
	position := float64(step * 0.5)
	for i := range positions {
		positions[i] = min(int(position), in-1)
		position += step
	}
	return positions
}

// Cut makes Frame write only a part of the resized frame, which must lie inside.
func (p *Pillow) Cut(top, left, height, width int) {
	p.top, p.left, p.toHeight, p.toWidth = top, left, height, width
}

// Unrounded makes Frame weigh bytes without rounding, too, and cut nothing off.
func (p *Pillow) Unrounded() { p.exact = true }

// Frame resizes one frame into dst, row by row.
func (p *Pillow) Frame(dst, src []float32) {
	if p.filter == FilterNearest {
		for i := range p.toHeight {
			row := src[p.rows[p.top+i]*p.by.width:]
			for j := range p.toWidth {
				dst[i*p.toWidth+j] = row[p.columns[p.left+j]]
			}
		}
		return
	}
	if bytes, ok := p.bytes(src); ok {
		out := make([]uint8, p.height*p.width)
		p.by.Bytes(out, bytes, 1)
		cut(p, dst, out)
		return
	}
	values, low, high := make([]float64, len(src)), 0., 255.
	for i, v := range src {
		if values[i] = float64(v); values[i] < low {
			low = values[i]
		} else if values[i] > high {
			high = values[i]
		}
	}
	if p.exact {
		low, high = math.Inf(-1), math.Inf(1)
	}
	middle, out := make([]float64, p.by.height*p.width), make([]float64, p.height*p.width)
	(&Cubic{height: p.by.height, width: p.by.width, x: p.by.x}).Floats(middle, values)
	clamp(middle, low, high)
	(&Cubic{height: p.by.height, width: p.width, y: p.by.y}).Floats(out, middle)
	clamp(out, low, high)
	cut(p, dst, out)
}

// clamp cuts off the overshoot of an axis, as bytes do.
func clamp(values []float64, low, high float64) {
	for i, v := range values {
		values[i] = min(max(v, low), high)
	}
}

// Bytes resizes the whole of a frame of bytes with adjacent channels.
func (p *Pillow) Bytes(dst, src []uint8, channels int) {
	if p.filter != FilterNearest {
		p.by.Bytes(dst, src, channels)
		return
	}
	for i, y := range p.rows {
		for j, x := range p.columns {
			copy(dst[(i*p.width+j)*channels:][:channels], src[(y*p.by.width+x)*channels:])
		}
	}
}

// bytes are the values as bytes, if all of them are.
func (p *Pillow) bytes(src []float32) ([]uint8, bool) {
	if p.exact {
		return nil, false
	}
	bytes := make([]uint8, len(src))
	for i, v := range src {
		if bytes[i] = uint8(min(max(v, 0), 255)); float32(bytes[i]) != v {
			return nil, false
		}
	}
	return bytes, true
}

func cut[T uint8 | float64](p *Pillow, dst []float32, resized []T) {
	for i := range p.toHeight {
		row := resized[(p.top+i)*p.width+p.left:]
		for j := range p.toWidth {
			dst[i*p.toWidth+j] = float32(row[j])
		}
	}
}
