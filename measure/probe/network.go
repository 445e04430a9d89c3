// The arithmetic of a network with one hidden layer: float32, in a fixed order.

package probe

import (
	"math"
	"slices"

	"repscope/internal/kernel"
	"repscope/internal/kernel/vector"
	"repscope/points"
	"repscope/stat"
)

// network is o = act(x·W₁ + b₁)·W₂ + b₂ for standardized features.
type network struct {
	dim, hidden, outputs, batch int
	activation                  Activation
	mean, scale                 []float64 // of each feature
	epochs                      int
	loss                        float64
	prepared                    []float32 // standardized features by row, of [network.prepare]; nil where they are too many

	parameters, slopes []float32
	// These lie in the parameters and slopes.
	first, firstBias, second, secondBias     []float32 // [D, H], [H], [H, T], [T]
	dFirst, dFirstBias, dSecond, dSecondBias []float32

	// Memory of a batch; z is a where the activation is ReLU, which is what tells them apart.
	x, z, a, s, o, dz, narrow []float32
	row                       []float64
	workspace                 kernel.Workspace[float32]
}

// newNetwork standardizes by rows of x.
func newNetwork(x points.Points, rows []int, outputs int, o MLPOptions) *network {
	n := &network{dim: x.Dim, hidden: o.Hidden, outputs: outputs, batch: max(o.Batch, 256), activation: o.Activation}
	n.mean, n.scale = columnScale(x, rows)
	count := n.dim*n.hidden + n.hidden + n.hidden*outputs + outputs
	n.parameters, n.slopes = make([]float32, count), make([]float32, count)
	n.first, n.firstBias, n.second, n.secondBias = n.split(n.parameters)
	n.dFirst, n.dFirstBias, n.dSecond, n.dSecondBias = n.split(n.slopes)
	n.x, n.o = make([]float32, n.batch*n.dim), make([]float32, n.batch*outputs)
	n.z, n.dz = make([]float32, n.batch*n.hidden), make([]float32, n.batch*n.hidden)
	if n.a = n.z; n.activation == SiLU {
		n.a, n.s = make([]float32, n.batch*n.hidden), make([]float32, n.batch*n.hidden)
	}
	n.narrow = make([]float32, mostNarrow*max(n.batch, n.hidden))
	n.row = make([]float64, n.dim)
	return n
}

func (n *network) split(p []float32) (first, firstBias, second, secondBias []float32) {
	cut := func(count int) []float32 {
		out := p[:count:count]
		p = p[count:]
		return out
	}
	return cut(n.dim * n.hidden), cut(n.hidden), cut(n.hidden * n.outputs), cut(n.outputs)
}

// start draws the weights of the hidden layer with variance 2/D. The weights of the outputs are 0 and their
// biases what the goal has: a network begins with the mean, or the frequencies, of the rows fitted to,
// and where there is nothing to learn early stopping keeps that.
func (n *network) start(hidden stat.Key, goal objective) {
	stat.FillNormal32(n.first, hidden, 0)
	scale := float32(math.Sqrt(2 / float64(n.dim)))
	for i := range n.first {
		n.first[i] *= scale
	}
	clear(n.second)
	goal.start(n.secondBias)
}

// mostPrepared is how many standardized features are kept for all epochs, of the networks of one thread.
const mostPrepared = 1 << 24

// prepare standardizes rows of x once for all epochs, if they are not too many to keep.
func (n *network) prepare(x points.Points, rows []int) {
	if x.N > mostPrepared/n.dim {
		return
	}
	n.prepared = make([]float32, x.N*n.dim)
	for _, i := range rows {
		n.standardize(n.prepared[i*n.dim:(i+1)*n.dim], x, i)
	}
}

func (n *network) standardize(dst []float32, x points.Points, i int) {
	for k, v := range x.Row(i, n.row) {
		dst[k] = float32((v - n.mean[k]) / n.scale[k])
	}
}

// forward computes the outputs of rows, at most a batch of them.
func (n *network) forward(x points.Points, rows []int) []float32 {
	for r, i := range rows {
		n.standardize(n.x[r*n.dim:(r+1)*n.dim], x, i)
	}
	return n.outputsOf(len(rows))
}

// fitted is forward for rows of the features that are fitted to, which may be prepared.
func (n *network) fitted(x points.Points, rows []int) []float32 {
	if n.prepared == nil {
		return n.forward(x, rows)
	}
	for r, i := range rows {
		copy(n.x[r*n.dim:(r+1)*n.dim], n.prepared[i*n.dim:])
	}
	return n.outputsOf(len(rows))
}

// outputsOf computes the outputs of the first m standardized rows.
func (n *network) outputsOf(m int) []float32 {
	n.multiply(m, n.hidden, n.dim, kernel.Rows(n.x, n.dim), kernel.Columns(n.first, n.hidden), n.z)
	vector.FinishRows(n.z, n.firstBias, nil, n.hidden, n.hidden, m, n.activation == ReLU)
	if n.activation == SiLU {
		vector.Silu(n.a[:m*n.hidden], n.z[:m*n.hidden])
	}
	n.multiply(m, n.outputs, n.hidden, kernel.Rows(n.a, n.hidden), kernel.Columns(n.second, n.outputs), n.o)
	out := n.o[:m*n.outputs]
	for i := 0; i < len(out); i += n.outputs {
		for k, b := range n.secondBias {
			out[i+k] += b
		}
	}
	return out
}

// step computes the slopes of the mean loss of a batch.
func (n *network) step(x points.Points, rows []int, goal objective) {
	m := len(rows)
	slope := n.fitted(x, rows)
	goal.loss(rows, slope)
	n.multiply(n.hidden, n.outputs, m, kernel.Columns(n.a, n.hidden), kernel.Columns(slope, n.outputs), n.dSecond)
	sumRows(n.dSecondBias, slope)
	n.multiply(m, n.hidden, n.outputs, kernel.Rows(slope, n.outputs), kernel.Rows(n.second, n.outputs), n.dz)
	n.throughActivation(m * n.hidden)
	n.multiply(n.dim, n.hidden, m, kernel.Columns(n.x, n.dim), kernel.Columns(n.dz, n.hidden), n.dFirst)
	sumRows(n.dFirstBias, n.dz[:m*n.hidden])
}

// throughActivation multiplies dz by the slope of the activation: for s = 1/(1 + e^−z) the slope of SiLU is
// s + a − s·a.
func (n *network) throughActivation(count int) {
	dz := n.dz[:count]
	if n.activation == ReLU {
		vector.GateRows(dz, dz, n.a, 1, 1)
		return
	}
	a, s := n.a[:count], n.s[:count]
	vector.Sigmoid(s, n.z[:count])
	for first := 0; first < count; first += vectorBlock {
		last := min(first+vectorBlock, count)
		var product [vectorBlock]float32
		a, s, dz, p := a[first:last], s[first:last], dz[first:last], product[:last-first]
		vector.MulRows(p, s, a, 1, 1)
		vector.AddRows(s, s, a, 1, 1)
		vector.SubRows(s, s, p, 1, 1)
		vector.MulRows(dz, dz, s, 1, 1)
	}
}

// mostNarrow is up to how many columns a product is computed as its transpose: tiles are wider than high.
const mostNarrow = 4

// multiply is c = a·b on one thread.
func (n *network) multiply(rows, columns, depth int, a, b kernel.Operand[float32], c []float32) {
	if columns <= mostNarrow && columns < rows {
		turned := n.narrow[:columns*rows]
		if columns == 1 {
			turned = c
		}
		p := kernel.Product[float32]{M: columns, N: rows, K: depth, A: b, B: a, C: turned, Stride: rows, Threads: 1, Workspace: &n.workspace}
		mustRun(p.Run())
		if columns > 1 {
			for j := range columns {
				for i, v := range turned[j*rows : (j+1)*rows] {
					c[i*columns+j] = v
				}
			}
		}
		return
	}
	p := kernel.Product[float32]{M: rows, N: columns, K: depth, A: a, B: b, C: c, Stride: columns, Threads: 1, Workspace: &n.workspace}
	mustRun(p.Run())
}

// lossOf is the mean loss of rows.
func (n *network) lossOf(x points.Points, rows []int, goal objective) float64 {
	sum := 0.0
	for first := 0; first < len(rows); first += n.batch {
		part := rows[first:min(first+n.batch, len(rows))]
		sum += goal.loss(part, n.fitted(x, part))
	}
	return sum / float64(len(rows))
}

// predict calls visit with the predictions of rows.
func (n *network) predict(x points.Points, rows []int, goal objective, visit func(row int, values []float64)) {
	values := make([]float64, n.outputs)
	for first := 0; first < len(rows); first += n.batch {
		part := rows[first:min(first+n.batch, len(rows))]
		out := n.forward(x, part)
		for r, i := range part {
			goal.finish(out[r*n.outputs:(r+1)*n.outputs], values)
			visit(i, values)
		}
	}
}

// vectorBlock is how many elements go through several vector functions one after the other: they stay in the nearest
// cache.
const vectorBlock = 512

func sumRows(dst, x []float32) {
	clear(dst)
	for i := 0; i < len(x); i += len(dst) {
		if row := x[i : i+len(dst)]; len(row) >= vector.Lanes {
			vector.AddRows(dst, dst, row, 1, 1)
		} else {
			for k, v := range row {
				dst[k] += v
			}
		}
	}
}

// adam holds the moments of slopes.
type adam struct {
	rate          float64
	first, second []float32
	decay1        float64 // β₁ to the number of steps
	decay2        float64
}

const (
	beta1, beta2 = 0.9, 0.999
	adamEpsilon  = 1e-8
)

func newAdam(count int, rate float64) *adam {
	return &adam{rate: rate, first: make([]float32, count), second: make([]float32, count), decay1: 1, decay2: 1}
}

func (a *adam) step(parameters, slopes []float32) {
	a.decay1 *= beta1
	a.decay2 *= beta2
	rate, scale := float32(a.rate/(1-a.decay1)), float32(1/(1-a.decay2))
	times := func(dst, x []float32, factor float32) { vector.MulRows(dst, x, []float32{factor}, 1, 0) }
	var roots, parts [vectorBlock]float32
	for first := 0; first < len(slopes); first += vectorBlock {
		last := min(first+vectorBlock, len(slopes))
		p, g, m, v := parameters[first:last], slopes[first:last], a.first[first:last], a.second[first:last]
		root, part := roots[:len(g)], parts[:len(g)]
		times(m, m, beta1)
		times(part, g, 1-beta1)
		vector.AddRows(m, m, part, 1, 1)
		times(v, v, beta2)
		vector.MulRows(part, g, g, 1, 1)
		times(part, part, 1-beta2)
		vector.AddRows(v, v, part, 1, 1)
		times(root, v, scale)
		vector.Sqrt(root, root)
		vector.AddRows(root, root, []float32{adamEpsilon}, 1, 0)
		times(part, m, rate)
		vector.DivRows(part, part, root, 1, 1)
		vector.SubRows(p, p, part, 1, 1)
	}
}

// squares is half the squared error of standardized targets.
type squares struct {
	y           points.Points
	mean, scale []float64 // scale is 0 for a target that is constant
	standard    []float32 // standardized targets of all rows
}

func newSquares(y points.Points, train []int) *squares {
	s := &squares{y: y}
	s.mean, s.scale = columnScale(y, train)
	row := make([]float64, y.Dim)
	for t := range s.mean {
		first := y.Row(train[0], row)[t]
		constant := true
		for _, i := range train {
			if y.Row(i, row)[t] != first {
				constant = false
				break
			}
		}
		if constant {
			s.mean[t], s.scale[t] = first, 0
		}
	}
	s.standard = make([]float32, y.N*y.Dim)
	for i := range y.N {
		for t, v := range y.Row(i, row) {
			if s.scale[t] != 0 {
				s.standard[i*y.Dim+t] = float32((v - s.mean[t]) / s.scale[t])
			}
		}
	}
	return s
}

func (s *squares) outputs() int { return s.y.Dim }

// start is the mean: targets are standardized.
func (s *squares) start(bias []float32) { clear(bias) }

func (s *squares) loss(rows []int, outputs []float32) float64 {
	sum, count := 0.0, float32(len(rows)*s.y.Dim)
	for r, i := range rows {
		y := s.standard[i*s.y.Dim : (i+1)*s.y.Dim]
		for t, v := range y {
			o := &outputs[r*len(y)+t]
			if s.scale[t] == 0 {
				*o = 0
				continue
			}
			e := *o - v
			sum += float64(float64(e) * float64(e))
			*o = e / count
		}
	}
	return sum / float64(s.y.Dim)
}

func (s *squares) finish(outputs []float32, values []float64) {
	for t, o := range outputs {
		values[t] = s.mean[t] + float64(s.scale[t]*float64(o))
	}
}

// entropy is the log loss of classes.
type entropy struct {
	class   []int
	missing []bool // classes without rows
	count   []int  // of rows by class
	p       []float32
	logits  []float32 // of the rows of a batch: the logit of its class, and the largest
}

func newEntropy(class []int, classes int, train []int) *entropy {
	e := &entropy{class: class, missing: make([]bool, classes), count: make([]int, classes), p: make([]float32, classes)}
	for k := range e.missing {
		e.missing[k] = true
	}
	for _, i := range train {
		e.missing[class[i]] = false
		e.count[class[i]]++
	}
	return e
}

func (e *entropy) outputs() int { return len(e.p) }

// start are the logits of the frequencies of the classes.
func (e *entropy) start(bias []float32) {
	for k, count := range e.count {
		bias[k] = float32(math.Log(float64(max(count, 1))))
	}
}

// center subtracts from logits the largest of a class that has rows, and returns it.
func (e *entropy) center(z []float32) float32 {
	largest := float32(math.Inf(-1))
	for k, v := range z {
		if !e.missing[k] {
			largest = max(largest, v)
		}
	}
	for k, v := range z {
		z[k] = v - largest
	}
	return largest
}

// normalize replaces exponentials by probabilities and returns their sum.
func (e *entropy) normalize(z []float32) float32 {
	sum := float32(0)
	for k := range z {
		if e.missing[k] {
			z[k] = 0
		}
		sum += z[k]
	}
	for k := range z {
		z[k] /= sum
	}
	return sum
}

func (e *entropy) loss(rows []int, outputs []float32) float64 {
	sum, count := 0.0, float32(len(rows))
	e.logits = slices.Grow(e.logits[:0], 2*len(rows))[:2*len(rows)]
	for r, i := range rows {
		z := outputs[r*len(e.p) : (r+1)*len(e.p)]
		e.logits[2*r] = z[e.class[i]]
		e.logits[2*r+1] = e.center(z)
	}
	vector.Exp(outputs, outputs)
	for r, i := range rows {
		z := outputs[r*len(e.p) : (r+1)*len(e.p)]
		logit, largest := e.logits[2*r], e.logits[2*r+1]
		sum += float64(largest) + math.Log(float64(e.normalize(z))) - float64(logit)
		z[e.class[i]]--
		for k := range z {
			z[k] /= count
		}
	}
	return sum
}

func (e *entropy) finish(outputs []float32, values []float64) {
	copy(e.p, outputs)
	e.center(e.p)
	vector.Exp(e.p, e.p)
	e.normalize(e.p)
	for k, p := range e.p {
		values[k] = float64(p)
	}
}

// columnScale returns mean and standard deviation (over n) of the columns of rows, 1 for a column
// that does not vary.
func columnScale(x points.Points, rows []int) (mean, scale []float64) {
	mean, scale = make([]float64, x.Dim), make([]float64, x.Dim)
	row := make([]float64, x.Dim)
	for _, i := range rows {
		for k, v := range x.Row(i, row) {
			mean[k] += v
		}
	}
	for k := range mean {
		mean[k] /= float64(len(rows))
	}
	for _, i := range rows {
		for k, v := range x.Row(i, row) {
			scale[k] += float64((v - mean[k]) * (v - mean[k]))
		}
	}
	for k := range scale {
		scale[k] = math.Sqrt(scale[k] / float64(len(rows)))
		if scale[k] <= 1e-12*math.Abs(mean[k]) {
			scale[k] = 1
		}
	}
	return mean, scale
}
