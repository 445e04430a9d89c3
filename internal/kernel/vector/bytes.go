// Sliding moments of two images of bytes, and the structural similarity made of them, in integers as far as it goes;
// and weighted sums of rows of bytes.

package vector

// ByteMoments hold three rows of sums over the last rows of two images x and y, one after the other with a stride of
// their own: Σx + 2¹⁶·Σy, which fit in a lane, Σx² + y² and Σ2xy.
type ByteMoments []int32

const byteMoments = 3

// NewByteMoments is a block for rows of n elements, of windows whose columns lie step apart; the stride includes the
// window at their end.
func NewByteMoments(n, step int) ByteMoments {
	up := func(n int) int { return (n + Lanes - 1) / Lanes * Lanes }
	return make(ByteMoments, byteMoments*(up(n)+up((Window-1)*step)))
}

// SlideBytes adds a row of two images, len(x) elements of each, to the sums, and takes away oldX and oldY.
func SlideBytes(sums ByteMoments, x, y, oldX, oldY []uint8) { slideBytes(sums, x, y, oldX, oldY) }

// slideBytesGeneric is SlideBytes of the elements after the first from.
func slideBytesGeneric(sums ByteMoments, from int, x, y, oldX, oldY []uint8) {
	n := len(x)
	stride := len(sums) / byteMoments
	both, squares, products := sums[:n], sums[stride:][:n], sums[2*stride:][:n]
	y, oldX, oldY = y[:n], oldX[:n], oldY[:n]
	for j := from; j < n; j++ {
		a, b, c, d := int32(x[j]), int32(y[j]), int32(oldX[j]), int32(oldY[j])
		both[j] += a + b<<16 - (c + d<<16)
		squares[j] += a*a + b*b - (c*c + d*d)
		products[j] += 2 * (a*b - c*d)
	}
}

// ByteSimilarities sets dst[j] to the similarity of the sums of seven rows at j, j + step, … j + 6·step, and adds it to
// total[j]: with the same bits as [Similarities] with f = 49, which has the same integers as doubles. len(dst) is a
// multiple of Lanes, and the sums have 6·step elements more.
func ByteSimilarities(dst, total []float64, sums ByteMoments, step int, c1, c2 float64) {
	byteSimilarities(dst, total, sums, step, c1, c2)
}

func byteSimilaritiesGeneric(dst, total []float64, sums ByteMoments, step int, c1, c2 float64) {
	stride := len(sums) / byteMoments
	total = total[:len(dst)]
	var moments [byteMoments]int32
	for j := range dst {
		for k := range moments {
			row := sums[k*stride+j:]
			moments[k] = row[0] + row[step] + row[2*step] + row[3*step] + row[4*step] + row[5*step] + row[6*step]
		}
		x, y := moments[0]&0xffff, moments[0]>>16
		squares, xy := x*x+y*y, 2*x*y
		q, p := Window*Window*moments[1]-squares, Window*Window*moments[2]-xy
		v := (float64(xy) + c1) * (float64(p) + c2) / float64((float64(squares)+c1)*(float64(q)+c2))
		dst[j] = v
		total[j] += v
	}
}

// FixedBits is the number of fractional bits of the weights of [MixBytes].
const FixedBits = 22

// MixBytes sets dst[j] to Σ weights[k]·src[k·stride + j], rounded to the nearest byte, for weights in fixed point whose
// absolute values are of sum 2 at most.
func MixBytes(dst, src []uint8, stride int, weights []int32) { mixBytes(dst, src, stride, weights) }

func mixBytesGeneric(dst, src []uint8, stride int, weights []int32) {
	for j := range dst {
		sum, offset := int32(1<<(FixedBits-1)), j
		for _, w := range weights {
			sum += w * int32(src[offset])
			offset += stride
		}
		dst[j] = uint8(min(max(sum>>FixedBits, 0), 255))
	}
}
