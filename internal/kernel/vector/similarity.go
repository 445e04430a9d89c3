// Sliding moments of two images, weighted means, and the structural similarity made of them, in float64.

package vector

// Window is the number of rows and of columns that [Slide] and [Similarities] sum over.
const Window = 7

// A Moments block holds four rows, one after the other with a stride of their own: of x, y, x² + y² and 2xy, or of sums
// of these.
type Moments []float64

const moments = 4

// NewMoments is a block for rows of n elements; the stride includes the window at their end.
func NewMoments(n int) Moments { return make(Moments, moments*MomentsStride(n)) }

// MomentsStride is the stride of a block for rows of n elements.
func MomentsStride(n int) int { return (n+Lanes-1)/Lanes*Lanes + Lanes }

// Slide takes the next row of two images, len(x) elements of both. last holds the moments of the row before and
// receives the new ones; pair receives the sum of both. sums receives the sums of the last seven rows, from the pairs
// p1, p3 and p5 of one, three and five rows ago. len(x) is a multiple of Lanes.
func Slide(sums, pair, last, p1, p3, p5 Moments, x, y []float64) {
	slide(sums, pair, last, p1, p3, p5, x, y)
}

func slideGeneric(sums, pair, last, p1, p3, p5 Moments, x, y []float64) {
	y = y[:len(x)]
	var row [Lanes]float64
	for j := 0; j < len(x); j += Lanes {
		x, y := x[j:][:Lanes], y[j:][:Lanes]
		take := func(k int) {
			offset := k*len(sums)/moments + j
			sums, pair, last := sums[offset:][:Lanes], pair[offset:][:Lanes], last[offset:][:Lanes]
			p1, p3, p5 := p1[offset:][:Lanes], p3[offset:][:Lanes], p5[offset:][:Lanes]
			for j, v := range row {
				pair[j] = last[j] + v
				last[j] = v
				sums[j] = (p5[j] + p3[j]) + (p1[j] + v)
			}
		}
		copy(row[:], x)
		take(0)
		copy(row[:], y)
		take(1)
		for j, v := range x {
			row[j] = float64(v*v) + float64(y[j]*y[j])
		}
		take(2)
		for j, v := range x {
			row[j] = float64(v * y[j])
			row[j] += row[j]
		}
		take(3)
	}
}

// Similarities sets dst[j] = (2XY + c1)·(f·P − 2XY + c2) / ((X² + Y² + c1)·(f·Q − (X² + Y²) + c2)) and adds it to
// total[j], for the sums X, Y, Q and P of the rows of the block at j … j+6. len(dst) is a multiple of Lanes.
func Similarities(dst, total []float64, sums Moments, f, c1, c2 float64) {
	similarities(dst, total, sums, f, c1, c2)
}

func similaritiesGeneric(dst, total []float64, sums Moments, f, c1, c2 float64) {
	stride := len(sums) / moments
	total = total[:len(dst)]
	x, y, q, p := sums[:stride], sums[stride:][:stride], sums[2*stride:][:stride], sums[3*stride:][:stride]
	for j := range dst {
		v := Similarity(window(x[j:]), window(y[j:]), window(q[j:]), window(p[j:]), f, c1, c2)
		dst[j] = v
		total[j] += v
	}
}

func window(v []float64) float64 {
	v = v[:Window]
	return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + v[6])
}

// Similarity is one element of [Similarities].
func Similarity(x, y, q, p, f, c1, c2 float64) float64 {
	xy := float64(x * y)
	xy += xy
	squares := float64(x*x) + float64(y*y)
	return float64((xy+c1)*((float64(f*p)-xy)+c2)) / float64((squares+c1)*((float64(f*q)-squares)+c2))
}

// Reach is how far the windows of [Weigh] extend.
const Reach = 5

// Weigh sets dst[j] to w0·src[c] + Σ wd·(src[c − d·step] + src[c + d·step]), d = 1 … 5 and c = j + 5·step, added in two
// parts, near and far. There are len(dst) + 10·step elements of src at least.
func Weigh(dst, src []float64, weights *[Reach + 1]float64, step int) { weigh(dst, src, weights, step) }

func weighGeneric(dst, src []float64, w *[Reach + 1]float64, step int) {
	element := func(k int) []float64 { return src[k*step:][:len(dst)] }
	v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10 := element(0), element(1), element(2), element(3), element(4), element(5), element(6), element(7), element(8), element(9), element(10)
	for j := range dst {
		near := float64(w[0]*v5[j]) + float64(w[1]*(v4[j]+v6[j])) + float64(w[2]*(v3[j]+v7[j]))
		far := float64(w[3]*(v2[j]+v8[j])) + float64(w[4]*(v1[j]+v9[j])) + float64(w[5]*(v0[j]+v10[j]))
		dst[j] = near + far
	}
}
