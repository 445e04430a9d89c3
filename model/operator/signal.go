// Fourier transforms, windows, and mel frequencies. A complex number is two elements along the last axis.

package operator

import (
	"math"
	"slices"

	"repscope/model/graph"
)

var signalRows = []tableRow{
	{Name: "DFT", Since: 17, Types: "f", Note: "of lengths whose prime factors are at most 2,048", Inputs: between(1, 3), Outputs: 1,
		Attributes: []string{"axis", "inverse", "onesided"}, infer: inferDFT},
	{Name: "STFT", Since: 17, Types: "f", Note: "frames of lengths whose prime factors are at most 2,048", Inputs: between(2, 4), Outputs: 1,
		Attributes: []string{"onesided"}, infer: inferSTFT},
	{Name: "HannWindow", Since: 17, Types: "i", Note: "the size must be a constant", Inputs: exactly(1), Outputs: 1,
		Attributes: []string{"output_datatype", "periodic"}, infer: inferWindow},
	{Name: "HammingWindow", Since: 17, Types: "i", Note: "the size must be a constant", Inputs: exactly(1), Outputs: 1,
		Attributes: []string{"output_datatype", "periodic"}, infer: inferWindow},
	{Name: "BlackmanWindow", Since: 17, Types: "i", Note: "the size must be a constant", Inputs: exactly(1), Outputs: 1,
		Attributes: []string{"output_datatype", "periodic"}, infer: inferWindow},
	{Name: "MelWeightMatrix", Since: 17, Types: "i", Note: "all inputs must be constants", Inputs: exactly(5), Outputs: 1,
		Attributes: []string{"output_datatype"}, infer: inferMelWeights},
}

// number is input i, one number that must be known.
func (c *context) number(i int, what string) float64 {
	t := c.known(i, what)
	v, ok := t.Scalar()
	if !ok {
		c.failf("input %d (%s) has shape %v, want one number", i, what, t.Shape)
	}
	return v
}

// count is input i, a known integer from least to most.
func (c *context) count(i int, what string, least, greatest int) int {
	c.want(i, graph.Int64)
	v := c.number(i, what)
	if v < float64(least) || v > float64(greatest) {
		c.failf("input %d (%s) is %g, want %d to %d", i, what, v, least, greatest)
	}
	return int(v)
}

// fourier is a transform under replacement.
type fourier struct {
	*lowering
	c       *context
	inverse bool
}

// longest is the length of the longest transform that is one product with a matrix although it could be factored,
// largestPrime the longest one of all.
const (
	longest      = 256
	largestPrime = 2048
)

// inferDFT moves the axis to the end, before the axis of the complex numbers, and adjusts its length.
func inferDFT(c *context) {
	c.want(0, graph.Float32)
	s := c.shape(0)
	rank := len(s)
	if rank < 2 || s[rank-1] != 1 && s[rank-1] != 2 || graph.Count(s) == 0 {
		c.failf("input %v, want a last axis of 1 or, of complex numbers, 2", s)
	}
	axis := c.integer("axis", 1)
	if c.Opset >= 20 {
		if axis = -2; c.has(2) {
			axis = c.count(2, "axis", -rank, rank-1)
		}
	}
	if axis = c.axis(axis, rank); axis == rank-1 {
		c.failf("axis %d is the axis of the complex numbers", axis)
	}
	f := &fourier{c.lower(), c, c.flag("inverse", false)}
	half := c.flag("onesided", false)
	n, available := s[axis], s[axis]
	if half && f.inverse {
		n = 2 * (n - 1)
	}
	if c.has(1) {
		n = c.count(1, "dft_length", 1, graph.FoldLimit)
	}
	if half && !f.inverse && s[rank-1] == 2 {
		c.failf("onesided of complex numbers")
	}
	perm := make([]int, rank)
	for i := range perm {
		perm[i] = i
	}
	perm[axis], perm[rank-2] = rank-2, axis
	x, shape := c.Node.Inputs[0], slices.Clone(s)
	shape[axis], shape[rank-2] = s[rank-2], s[axis]
	if axis != rank-2 {
		x = f.transpose(x, perm)
	}
	wanted := n
	if half && f.inverse {
		wanted = n/2 + 1
	}
	if wanted != available {
		x = f.pad(x, rank, rank-2, 0, wanted-available, 0)
	}
	rows := graph.Count(shape[:rank-2])
	x = f.reshape(x, []int{rows, wanted, s[rank-1]})
	x, shape[rank-2], shape[rank-1] = f.sided(x, n, s[rank-1], half)
	if x = f.reshape(x, shape); axis != rank-2 {
		x = f.transpose(x, perm)
	}
	f.finish(x)
}

// sided transforms rows of n numbers, complex ones if parts is 2; with half it returns, or takes, the half of the
// spectrum that determines the other.
func (f *fourier) sided(x string, n, parts int, half bool) (y string, length, out int) {
	if half && f.inverse {
		if n < 1 || parts != 2 {
			f.c.failf("an inverse transform of a half spectrum of %d numbers with %d parts", n, parts)
		}
		// The other half is its mirror image, conjugate.
		index, signs := graph.Ints(), make([]float32, 2*n)
		for k := range n {
			signs[2*k], signs[2*k+1] = 1, 1
			bin := k
			if k > n/2 {
				bin, signs[2*k+1] = n-k, -1
			}
			index.I64 = append(index.I64, int64(bin))
		}
		index.Shape = []int{n}
		x = f.add("Gather", map[string]graph.Attribute{"axis": graph.IntAttribute(1)}, x, f.constant(index))
		x = f.add("Mul", nil, x, f.constant(graph.Floats(signs, n, 2)))
		return f.slice(f.transform(x, n, 2), 2, 0, 1), n, 1
	}
	y, length = f.transform(x, n, parts), n
	if half {
		length = n/2 + 1
		y = f.slice(y, 1, 0, length)
	}
	return y, length, 2
}

// transform is the transform of [rows, n, parts], [rows, n, 2]; an inverse one is divided by n.
func (f *fourier) transform(x string, n, parts int) string {
	y := f.apart(x, n, parts)
	if f.inverse {
		y = f.add("Mul", nil, y, f.number(float32(1/float64(n))))
	}
	return y
}

// turn is exp(−2πi·jk/n), of the inverse transform its conjugate.
func (f *fourier) turn(j, k, n int) (re, im float32) {
	sin, cos := math.Sincos(2 * math.Pi * float64(j*k%n) / float64(n))
	if !f.inverse {
		sin = -sin
	}
	return float32(cos), float32(sin)
}

// apart is a product with the matrix of the transform or, for lengths a·b, b transforms of length a, twiddle factors,
// and a transforms of length b (Cooley and Tukey).
func (f *fourier) apart(x string, n, parts int) string {
	a := divisor(n)
	if n <= longest || a == 1 {
		if n > largestPrime {
			f.c.unsupported("a transform of a length with the prime factor %d, want at most %d: pad the signal to a length with small factors",
				n, largestPrime)
		}
		return f.matrix(x, n, parts)
	}
	b := n / a
	y := f.transpose(f.reshape(x, []int{-1, a, b, parts}), []int{0, 2, 1, 3})
	y = f.reshape(f.apart(f.reshape(y, []int{-1, a, parts}), a, parts), []int{-1, b, a, 2})
	re, im := make([]float32, 2*n), make([]float32, 2*n)
	for j := range b {
		for k := range a {
			at := 2 * (j*a + k)
			r, i := f.turn(j, k, n)
			re[at], re[at+1], im[at], im[at+1] = r, r, -i, i
		}
	}
	other := f.concat(3, f.slice(y, 3, 1, 2), f.slice(y, 3, 0, 1))
	y, other = f.add("Mul", nil, y, f.constant(graph.Floats(re, b, a, 2))), f.add("Mul", nil, other, f.constant(graph.Floats(im, b, a, 2)))
	y = f.add("Add", nil, y, other)
	y = f.apart(f.reshape(f.transpose(y, []int{0, 2, 1, 3}), []int{-1, b, 2}), b, 2)
	return f.reshape(f.transpose(f.reshape(y, []int{-1, a, b, 2}), []int{0, 2, 1, 3}), []int{-1, n, 2})
}

// divisor is the largest divisor of n up to its root.
func divisor(n int) int {
	a := int(math.Sqrt(float64(n)))
	for n%a != 0 {
		a--
	}
	return a
}

// matrix is the transform as a matrix product, exact to the rounding of its weights and sums.
func (f *fourier) matrix(x string, n, parts int) string {
	w := make([]float32, 2*n*parts*n)
	for k := range n {
		re, im := w[2*k*parts*n:][:parts*n], w[(2*k+1)*parts*n:][:parts*n]
		for j := range n {
			r, i := f.turn(j, k, n)
			re[parts*j], im[parts*j] = r, i
			if parts == 2 {
				re[2*j+1], im[2*j+1] = -i, r
			}
		}
	}
	y := f.linear(f.reshape(x, []int{-1, parts * n}), f.constant(graph.Floats(w, 2*n, parts*n)), "")
	return f.reshape(y, []int{-1, n, 2})
}

// inferSTFT is the transforms of frames of a signal, one every few steps, each times the window.
func inferSTFT(c *context) {
	c.want(0, graph.Float32)
	s := c.shape(0)
	if len(s) == 2 {
		s = append(slices.Clone(s), 1)
	}
	if len(s) != 3 || s[2] != 1 && s[2] != 2 {
		c.failf("input %v, want [batch, length, 1], or [batch, length, 2] for complex numbers", c.shape(0))
	}
	step, n := c.count(1, "frame_step", 1, graph.FoldLimit), 0
	if c.has(2) {
		c.want(2, graph.Float32)
		if w := c.shape(2); len(w) == 1 {
			n = w[0]
		}
	}
	if c.has(3) {
		if size := c.count(3, "frame_length", 1, graph.FoldLimit); !c.has(2) || size == n {
			n = size
		} else {
			c.failf("input 2 (window) has shape %v, want [%d], the frame's length", c.shape(2), size)
		}
	}
	half := c.flag("onesided", true)
	frames := (s[1]-n)/step + 1
	switch {
	case n < 1 || n > s[1]:
		c.failf("frames of %d elements of a signal of %d", n, s[1])
	case half && s[2] == 2:
		c.failf("onesided of complex numbers")
	case frames > 16*graph.FoldLimit/n:
		c.unsupported("%d frames of %d elements", frames, n)
	}
	f := &fourier{lowering: c.lower(), c: c}
	index := graph.Ints()
	for i := range frames {
		for j := range n {
			index.I64 = append(index.I64, int64(i*step+j))
		}
	}
	index.Shape = []int{frames, n}
	x := f.add("Gather", map[string]graph.Attribute{"axis": graph.IntAttribute(1)}, f.reshape(c.Node.Inputs[0], s), f.constant(index))
	if c.has(2) {
		x = f.add("Mul", nil, x, f.reshape(c.Node.Inputs[2], []int{n, 1}))
	}
	y, length, _ := f.sided(f.reshape(x, []int{s[0] * frames, n, s[2]}), n, s[2], half)
	f.finish(f.reshape(y, []int{s[0], frames, length, 2}))
}

// windowTerms are the factors of cos(2πkx) of the windows, x from 0 to 1.
var windowTerms = map[string][]float64{
	"HannWindow": {0.5, -0.5}, "HammingWindow": {25. / 46, -21. / 46}, "BlackmanWindow": {0.42, -0.5, 0.08},
}

// inferWindow is a window as a constant. A symmetric one of one element is 1.
func inferWindow(c *context) {
	n := c.count(0, "size", 0, graph.FoldLimit)
	span := float64(n)
	if !c.flag("periodic", true) {
		span--
	}
	y := make([]float32, n)
	for i := range y {
		v := 0.0
		for k, factor := range windowTerms[c.Node.Op] {
			v += factor * math.Cos(2*math.Pi*float64(k*i)/max(span, 1))
		}
		if n == 1 && span == 0 {
			v = 1
		}
		y[i] = float32(v)
	}
	c.constantResult(graph.Floats(y, n))
}

// constantResult makes floats the node's result, in the type that its attribute names.
func (c *context) constantResult(t *graph.Tensor) {
	element := c.integer("output_datatype", graph.ElementFloat)
	if kind, ok := graph.ElementDType(element); !ok || kind != graph.Float32 {
		c.unsupported("output_datatype %d, want a type of float", element)
	}
	c.Known = []*graph.Tensor{t}
	c.emit(graph.Float32, t.Shape...)
}

// inferMelWeights is the matrix from the bins of a spectrum to triangles of the same width in mel.
func inferMelWeights(c *context) {
	bins, length := c.count(0, "num_mel_bins", 1, 1<<16), c.count(1, "dft_length", 1, 1<<24)
	rate := c.count(2, "sample_rate", 1, math.MaxInt32)
	low, high := c.number(3, "lower_edge_hertz"), c.number(4, "upper_edge_hertz")
	rows := length/2 + 1
	if rows > 16*graph.FoldLimit/bins {
		c.unsupported("a matrix of %d rows and %d columns", rows, bins)
	}
	mel := func(hertz float64) float64 { return 2595 * math.Log10(1+hertz/700) }
	edge := func(i int) int {
		frequency := mel(low) + float64(i)*(mel(high)-mel(low))/float64(bins+2)
		bin := math.Floor(float64(length+1) * 700 * (math.Pow(10, frequency/2595) - 1) / float64(rate))
		if !(bin >= 0 && bin <= float64(rows)) {
			c.failf("edges of %g and %g hertz for a sample rate of %d", low, high, rate)
		}
		return int(bin)
	}
	y := make([]float32, rows*bins)
	for i := range bins {
		lower, center, upper := edge(i), edge(i+1), edge(i+2)
		for j := lower; j < upper; j++ {
			switch {
			case j >= rows:
			case j <= center && center > lower:
				y[j*bins+i] = float32(float64(j-lower) / float64(center-lower))
			case j >= center:
				y[j*bins+i] = float32(float64(upper-j) / float64(upper-center))
			}
		}
		if center < rows && (center == lower || center == upper) {
			y[center*bins+i] = 1
		}
	}
	c.constantResult(graph.Floats(y, rows, bins))
}
