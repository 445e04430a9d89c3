// Structural similarity in Gaussian windows.

package image

import "repscope/internal/kernel/vector"

// radius is how far a window reaches: 3.5 standard deviations of 1.5 pixels, rounded.
const radius = vector.Reach

// gaussian is exp(−d²/(2·1.5²)) at distances 0 … 5: as numbers, because machines differ
// in the last bit of math.Exp.
var gaussian = [...]float64{
	1.0,
	0.8007374029168081,
	0.41111229050718745,
	0.1353352832366127,
	0.028565500784550377,
	0.0038659201394728076,
}

// gaussianWindow is the scratch memory of Gaussian windows.
type gaussianWindow struct {
	weights [radius + 1]float64 // at distances 0 … radius, of sum 1 over the window
	x, y    []float64           // a row of each frame
	// Means of x, y, x² + y² and 2xy: of the pixels of the last rows, and of the columns and windows of a row.
	pixels, columns, windows [4][]float64
	total                    []float64
}

// bufferRows are the rows of pixels that are kept; the last 2·radius of them are moved to the front when it is full.
const bufferRows = 64

func newGaussianWindow(width int) *gaussianWindow {
	w := &gaussianWindow{x: make([]float64, width), y: make([]float64, width), total: make([]float64, width-2*radius)}
	// Whole groups of lanes are computed; what lies beyond the end of a row is not read.
	up := func(n int) int { return (n + vector.Lanes - 1) / vector.Lanes * vector.Lanes }
	for k := range w.pixels {
		w.pixels[k] = make([]float64, bufferRows*width+vector.Lanes)
		w.columns[k], w.windows[k] = make([]float64, up(width)+vector.Lanes), make([]float64, up(width-2*radius))
	}
	sum := gaussian[0]
	for _, v := range gaussian[1:] {
		sum += 2 * v
	}
	for i, v := range gaussian {
		w.weights[i] = v / sum
	}
	return w
}

// slide is the mean similarity of a channel whose rows take gives, with the map in dst
// unless it is nil.
func (g *gaussianWindow) slide(s *SSIM, dst []float64, take func(x, y []float64, row int)) float64 {
	h, w := s.MapSize()
	clear(g.total)
	g.rows(s.shape.Width, s.shape.Height, take, func(i int, m *[4][]float64) {
		for j := range w {
			v := vector.Similarity(m[0][j], m[1][j], m[2][j], m[3][j], s.factor, s.c1, s.c2)
			if dst != nil {
				dst[i*w+j] = v
			}
			g.total[j] += v
		}
	})
	return sumOf(g.total) / float64(h*w)
}

// rows gives the weighted means of x, y, x² + y² and 2xy over the windows of each row of them, for frames of height
// rows that take gives.
func (g *gaussianWindow) rows(width, height int, take func(x, y []float64, row int),
	do func(i int, means *[4][]float64)) {
	first := 0 // where the window begins
	for r := range height {
		if first+2*radius == bufferRows {
			for k := range g.pixels {
				copy(g.pixels[k], g.pixels[k][first*width:bufferRows*width])
			}
			first = 0
		}
		take(g.x, g.y, r)
		offset := (first + 2*radius) * width
		if r < 2*radius {
			offset = r * width
		}
		g.square(offset)
		if r < 2*radius {
			continue
		}
		for k := range g.pixels {
			vector.Weigh(g.columns[k][:len(g.columns[k])-vector.Lanes], g.pixels[k][first*width:], &g.weights, width)
			vector.Weigh(g.windows[k], g.columns[k], &g.weights, 1)
		}
		do(r-2*radius, &g.windows)
		first++
	}
}

// square writes the moments of a row of pixels.
func (g *gaussianWindow) square(offset int) {
	n := len(g.x)
	y, px, py, squares, products := g.y[:n], g.pixels[0][offset:][:n], g.pixels[1][offset:][:n], g.pixels[2][offset:][:n], g.pixels[3][offset:][:n]
	for j, x := range g.x {
		y := y[j]
		xy := float64(x * y)
		px[j], py[j], squares[j], products[j] = x, y, float64(x*x)+float64(y*y), xy+xy
	}
}
