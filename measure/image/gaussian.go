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
	// Means of x, y, x² + y² and 2xy: of every pixel, and of the columns and windows of a row.
	pixels, columns, windows [4][]float64
	total                    []float64
}

func newGaussianWindow(height, width int) *gaussianWindow {
	w := &gaussianWindow{x: make([]float64, width), y: make([]float64, width), total: make([]float64, width-2*radius)}
	for k := range w.pixels {
		w.pixels[k], w.columns[k], w.windows[k] = make([]float64, height*width), make([]float64, width), make([]float64, width-2*radius)
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
	width := s.shape.Width
	for r := range s.shape.Height {
		take(g.x, g.y, r)
		for j, x := range g.x {
			y, at := g.y[j], r*width+j
			xy := float64(x * y)
			g.pixels[0][at], g.pixels[1][at], g.pixels[2][at], g.pixels[3][at] = x, y, float64(x*x)+float64(y*y), xy+xy
		}
	}
	clear(g.total)
	for i := range h {
		for k := range g.pixels {
			vector.Weigh(g.columns[k], g.pixels[k][i*width:], &g.weights, width)
			vector.Weigh(g.windows[k], g.columns[k], &g.weights, 1)
		}
		for j := range w {
			v := vector.Similarity(g.windows[0][j], g.windows[1][j], g.windows[2][j], g.windows[3][j], s.factor, s.c1, s.c2)
			if dst != nil {
				dst[i*w+j] = v
			}
			g.total[j] += v
		}
	}
	return sumOf(g.total) / float64(h*w)
}
