// Images on pages of pixels: the bytes of the interpolation of the library, in a fraction of its time.

package plots

import (
	"bytes"
	"encoding/binary"
	"image"
	"math"

	"gonum.org/v1/plot/vg"
)

// moves reports whether coordinates are page coordinates, now and at each push.
type moves struct {
	moved bool
	below []bool
}

func (p pngPage) Push() {
	p.moves.below = append(p.moves.below, p.moves.moved)
	p.Canvas.Push()
}

func (p pngPage) Pop() {
	last := len(p.moves.below) - 1
	p.moves.moved, p.moves.below = p.moves.below[last], p.moves.below[:last]
	p.Canvas.Pop()
}

func (p pngPage) Rotate(angle float64) {
	p.moves.moved = true
	p.Canvas.Rotate(angle)
}

func (p pngPage) Translate(by vg.Point) {
	p.moves.moved = true
	p.Canvas.Translate(by)
}

func (p pngPage) Scale(x, y float64) {
	p.moves.moved = true
	p.Canvas.Scale(x, y)
}

// DrawImage writes the pixels that the canvas would: a tent over the source, as wide as a pixel of the page or of the
// source, whichever is wider. There every pixel has its weights computed and all pixels below them summed, in two
// dimensions; here columns and rows have their weights once, equal neighbors among them are one, and they are
// summed one after the other. Sums differ by their rounding, far below a step of a color; where one is so near a
// step that this might show it is taken as the canvas takes it.
func (p pngPage) DrawImage(rect vg.Rectangle, m image.Image) {
	source, ok := m.(*image.NRGBA)
	page, pixels := p.Image().(*image.RGBA)
	if !ok || !pixels || p.moves.moved || m.Bounds().Empty() || m.Bounds().Min != (image.Point{}) || !source.Opaque() {
		p.Canvas.DrawImage(rect, m)
		return
	}
	size, extent, dpi := source.Rect.Size(), rect.Size(), p.DPI()
	width, height := extent.X.Dots(dpi)/float64(size.X), extent.Y.Dots(dpi)/float64(size.Y)
	top := (-rect.Min.Y.Dots(dpi) - extent.Y.Dots(dpi)) + float64(page.Rect.Dy())
	d := resampling{source: source, page: page}
	d.x = newTents(width, height, rect.Min.X.Dots(dpi), size.X, page.Rect.Dx())
	d.y = newTents(height, width, top, size.Y, page.Rect.Dy())
	if len(d.x.list) > 0 && len(d.y.list) > 0 {
		d.merge()
		d.draw()
	}
}

// tents are the weights of the columns, or rows, of the page from first on.
type tents struct {
	first int
	list  []tent
	most  int // shares of one of them
}

// tent is the weights of the columns of the source from first on.
type tent struct {
	first   int
	weights []float64
	shares  []portion
}

// portion is the weight of neighbors that are equal.
type portion struct {
	of     int // the number of such neighbors, from 0 on
	weight float64
}

// newTents maps columns of a source from start on, scaled by scale, to a page. Weights have the bits of the canvas,
// whose inverse transformation includes the scale of the rows.
func newTents(scale, other, start float64, size, page int) tents {
	first, last := max(int(math.Floor(start)), 0), min(int(math.Floor(float64(scale*float64(size))+start))+1, page)
	out := tents{first: first}
	if !(scale > 0) || !(other > 0) || first >= last {
		return out
	}
	step, origin := other/float64(other*scale), -float64(other*start)/float64(other*scale)
	bias := int(math.Floor(float64(step*float64(first))+origin)) - 1
	origin -= float64(bias)
	half, narrow := 1.0, 1.0
	if step > 1 {
		half, narrow = step, 1/step
	}
	weights := make([]float64, 0, (last-first)*(1+2*int(math.Ceil(half))))
	for i := first; i < last; i++ {
		position := float64(step*(float64(i)+0.5)) + origin
		if in := int(position) + bias; in < 0 || in >= size {
			if len(out.list) == 0 {
				out.first++
			}
			continue
		}
		position += float64(bias)
		position -= 0.5
		from, total, used := max(int(math.Floor(position-half)), 0), 0.0, len(weights)
		for k := from; k < min(int(math.Ceil(position+half)), size); k++ {
			w := 0.0
			if off := math.Abs((position - float64(k)) * narrow); off < 1 {
				w = 1 - off
			}
			weights = append(weights, w)
			total += w
		}
		for k := used; k < len(weights); k++ {
			weights[k] /= total
		}
		out.list = append(out.list, tent{first: from, weights: weights[used:len(weights):len(weights)]})
	}
	return out
}

// share adds the weights of equal neighbors, numbered from 0 on.
func (t *tents) share(number []int) {
	count := 0
	for i := range t.list {
		count += len(t.list[i].weights)
	}
	portions := make([]portion, 0, count)
	for i := range t.list {
		to, used := &t.list[i], len(portions)
		for k, w := range to.weights {
			switch source := number[to.first+k]; {
			case w == 0:
			case len(portions) > used && portions[len(portions)-1].of == source:
				portions[len(portions)-1].weight += w
			default:
				portions = append(portions, portion{source, w})
			}
		}
		to.shares = portions[used:len(portions):len(portions)]
		t.most = max(t.most, len(to.shares))
	}
}

// resampling is an image on its way to a page.
type resampling struct {
	source       *image.NRGBA
	page         *image.RGBA
	x, y         tents
	column, row  []int       // the first of each number of equal neighbors
	lines        [][]float64 // rows of the source at the width of the page, in turn
	held         []int       // their numbers
	sums, scaled []float64   // a row of the page; the columns of a row of the source
}

// merge numbers columns and rows so that equal neighbors have one number.
func (d *resampling) merge() {
	size := d.source.Rect.Size()
	pixels := func(y int) []byte { return d.source.Pix[y*d.source.Stride:][:4*size.X] }
	number := func(differs []bool) (numbers, first []int) {
		for i, is := range differs {
			if is {
				first = append(first, i)
			}
			numbers = append(numbers, len(first)-1)
		}
		return numbers, first
	}
	columns, rows := make([]bool, size.X), make([]bool, size.Y)
	columns[0] = true
	for y := range size.Y {
		row := pixels(y)
		if rows[y] = y == 0 || !bytes.Equal(row, pixels(y-1)); !rows[y] {
			continue
		}
		before := binary.LittleEndian.Uint32(row)
		for x := range columns {
			pixel := binary.LittleEndian.Uint32(row[4*x:])
			if pixel != before {
				columns[x] = true
			}
			before = pixel
		}
	}
	numbers, first := number(columns)
	d.column = first
	d.x.share(numbers)
	numbers, d.row = number(rows)
	d.y.share(numbers)
}

// draw writes the pixels.
func (d *resampling) draw() {
	width := 3 * len(d.x.list)
	d.sums, d.scaled = make([]float64, width), make([]float64, 3*len(d.column))
	for range d.y.most {
		d.lines, d.held = append(d.lines, make([]float64, width)), append(d.held, -1)
	}
	before, last := []byte(nil), -1 // the row above, if all of it is of one number, and that number
	for j := range d.y.list {
		t := &d.y.list[j]
		pixels := d.page.Pix[(d.y.first+j)*d.page.Stride+4*d.x.first:][:4*len(d.x.list)]
		if len(t.shares) == 1 && t.shares[0].of == last {
			copy(pixels, before)
			continue
		}
		clear(d.sums)
		for _, s := range t.shares {
			sums := d.sums
			for i, v := range d.line(s.of)[:len(sums)] {
				sums[i] += float64(v * s.weight)
			}
		}
		if last = -1; d.round(pixels, t) && len(t.shares) == 1 {
			before, last = pixels, t.shares[0].of
		}
	}
}

// line is a row of the source at the width of the page.
func (d *resampling) line(number int) []float64 {
	slot := number % len(d.lines)
	line := d.lines[slot]
	if d.held[slot] == number {
		return line
	}
	d.held[slot] = number
	row := d.source.Pix[d.row[number]*d.source.Stride:]
	for i, x := range d.column {
		pixel := row[4*x : 4*x+3]
		d.scaled[3*i], d.scaled[3*i+1], d.scaled[3*i+2] = 257*float64(pixel[0]), 257*float64(pixel[1]), 257*float64(pixel[2])
	}
	for i := range d.x.list {
		var r, g, b float64
		for _, s := range d.x.list[i].shares {
			pixel := d.scaled[3*s.of : 3*s.of+3]
			r += float64(pixel[0] * s.weight)
			g += float64(pixel[1] * s.weight)
			b += float64(pixel[2] * s.weight)
		}
		line[3*i], line[3*i+1], line[3*i+2] = r, g, b
	}
	return line
}

// round writes sums, of 16 bits, as bytes. It reports whether none was so near to the next byte that another order of
// the sum might be on its other side.
func (d *resampling) round(pixels []byte, t *tent) bool {
	const near = 1e-5 // sums of a few hundred numbers below 65,536 are within 1e-8
	sure := true
	for i := range d.x.list {
		to := pixels[4*i : 4*i+4]
		for c, v := range d.sums[3*i : 3*i+3] {
			v += 0.5
			whole := int32(v) >> 8
			if over := v - float64(whole<<8); over < near || over > 256-near {
				sure = false
				whole = int32(d.exact(&d.x.list[i], t, c)+0.5) >> 8
			}
			to[c] = byte(min(whole, 255))
		}
		to[3] = 255
	}
	return sure
}

// exact is the sum of a color in the order of the canvas.
func (d *resampling) exact(x, y *tent, color int) float64 {
	var sum, whole float64
	for j, v := range y.weights {
		row := d.source.Pix[(y.first+j)*d.source.Stride+4*x.first+color:]
		for i, u := range x.weights {
			if w := u * v; w != 0 {
				sum += float64(257 * float64(row[4*i]) * w)
				whole += float64(65535 * w)
			}
		}
	}
	return min(sum, whole)
}
