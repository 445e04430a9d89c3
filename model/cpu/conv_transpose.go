// Transposed convolution. With its channels last it is one convolution for each of its phases (see
// operator.TransposedPhase), whose results are written between each other; otherwise a product whose results are
// added up.

package cpu

import (
	"fmt"

	"repscope/internal/kernel"
	"repscope/model/graph"
	"repscope/model/operator"
)

// phase is the convolution that computes the pixels of one phase on each axis.
type phase struct {
	*boundConv
	remainder, stride [3]int
	to                [3]int  // pixels of the whole result
	places            [][]int // of pixels in the result, by part of an image, from begin's on
	tasks             int
	apart             *channelwise // of one whose groups are computed without a product, else nil
	apartOf           *geometry
}

// whole is where output line l of the phase, counted over all images, begins in the result.
func (p *phase) whole(l int) int {
	z, y := l%p.lines/p.out[1], l%p.out[1]
	line := (l/p.lines*p.to[0]+z*p.stride[0]+p.remainder[0])*p.to[1] + y*p.stride[1] + p.remainder[1]
	return (line*p.to[2] + p.remainder[2]) * p.filters
}

// locatePixels is where the pixels of output lines l0 … l1−1 are in the result, from the first one on.
func (p *phase) locatePixels(l0, l1 int) []int {
	offsets := make([]int, 0, (l1-l0)*p.out[2])
	for l := l0; l < l1; l++ {
		offset := p.whole(l) - p.whole(l0)
		for range p.out[2] {
			offsets = append(offsets, offset)
			offset += p.stride[2] * p.filters
		}
	}
	return offsets
}

// newPhase binds the phase of these remainders; nil if it has no pixels.
func newPhase(b *builder, p *operator.ConvParams, remainder []int) (*phase, error) {
	in, out := b.Shape(0), b.OutShape(0)
	axes := len(p.Kernel)
	q := &operator.ConvParams{Group: p.Group, ChannelsLast: true}
	taps := make([]operator.TransposedPhase, axes)
	shape := make([]int, axes+2)
	shape[0], shape[axes+1] = out[0], out[axes+1]
	for a := range axes {
		t := operator.TransposedPhases(p.Kernel[a], p.Strides[a], p.Dilations[a], p.Before[a])[remainder[a]]
		taps[a] = t
		q.Kernel, q.Strides, q.Dilations = append(q.Kernel, t.Count), append(q.Strides, 1), append(q.Dilations, t.Dilation)
		q.Before = append(q.Before, t.Before)
		if shape[1+a] = (out[1+a] - remainder[a] + p.Strides[a] - 1) / p.Strides[a]; shape[1+a] <= 0 {
			return nil, nil
		}
	}
	g := newGeometry(q, in, shape)
	c, err := boundOf(b, g, in[0], graph.Count(in[1:]))
	if err != nil {
		return nil, err
	}
	f := &phase{boundConv: c, remainder: operator.ThreeAxes(remainder, 0), stride: operator.ThreeAxes(p.Strides, 1),
		to: operator.ThreeAxes(out[1:1+axes], 1), tasks: (c.images + c.perUnit - 1) / c.perUnit * c.parts}
	for part := range c.parts {
		l := part * c.perPart
		f.places = append(f.places, f.locatePixels(l, min(l+c.perPart, c.lines)+(c.perUnit-1)*c.lines))
	}
	return f, f.pack(b.weights, b.Constant(1), taps)
}

// pack packs the weights of the phase's kernel positions; the whole's are [in, out/group, kernel…].
func (p *phase) pack(w *weights, t *graph.Tensor, taps []operator.TransposedPhase) error {
	positions := []int{0}
	for a, tap := range taps {
		var next []int
		for _, position := range positions {
			for i := range tap.Count {
				next = append(next, position*t.Shape[2+a]+tap.First-i*tap.Step)
			}
		}
		positions = next
	}
	if p.channelwise() {
		return p.weightsByChannel(w, t, positions)
	}
	key := packKey{t, fmt.Sprint("transposed", positions), 0}
	from, err := w.inParts(t)
	if err != nil {
		return err
	}
	n, depth, size := p.filters/p.groups, p.channels/p.groups, graph.Count(t.Shape[2:])
	rows := make([]float32, n*len(positions)*depth)
	w.part = grow(w.part, n*size)
	for group := range p.groups {
		key.group = group
		if p.packed[group] = w.packed[key]; p.packed[group] != nil {
			continue
		}
		for c := range depth {
			// The weights of one input channel.
			part, err := from.Part((group*depth+c)*n*size, n*size, w.part)
			if err != nil {
				return err
			}
			for j := range n {
				for i, at := range positions {
					rows[(j*len(positions)+i)*depth+c] = part[j*size+at]
				}
			}
		}
		if p.packed[group], err = kernel.PackRight(kernel.Rows(rows, len(positions)*depth), n, len(positions)*depth); err != nil {
			return err
		}
		w.packed[key] = p.packed[group]
	}
	return nil
}

// weightsByChannel is the weights if the groups are computed without a product.
func (p *phase) weightsByChannel(w *weights, t *graph.Tensor, positions []int) error {
	from, err := w.inParts(t)
	if err != nil {
		return err
	}
	size := graph.Count(t.Shape[2:])
	w.part = grow(w.part, t.Len())
	values, err := from.Part(0, t.Len(), w.part)
	if err != nil {
		return err
	}
	each, filters := p.channels/p.groups, p.filters/p.groups
	weights := make([]float32, 0, len(positions)*each*p.filters)
	for _, position := range positions {
		for j := range each {
			for f := range p.filters {
				weights = append(weights, values[((f/filters*each+j)*filters+f%filters)*size+position])
			}
		}
	}
	g := *p.geometry
	g.copied = false
	p.apart, p.apartOf = newChannelwise(&g, weights), &g
	return nil
}

func buildPhases(b *builder, p *operator.ConvParams) (func() error, error) {
	var phases []*phase
	tasks := 0
	remainder := make([]int, len(p.Kernel))
	for done := false; !done; {
		f, err := newPhase(b, p, remainder)
		if err != nil {
			return nil, err
		}
		if f != nil {
			phases = append(phases, f)
			tasks += f.tasks
		}
		done = true
		for a := len(remainder) - 1; a >= 0; a-- {
			if remainder[a]++; remainder[a] < p.Strides[a] {
				done = false
				break
			}
			remainder[a] = 0
		}
	}
	x, y := b.operand(b.Step.In[0]), b.out(0)
	ending := newEpilogue(b, p.Activation, b.in(2))
	pool, weights := b.pool, b.weights
	loop := b.each(tasks, func(worker, lo, hi int) {
		s := weights.scratch[worker]
		for t := lo; t < hi; t++ {
			task, f := t, phases[0]
			for i := 0; task >= f.tasks; i++ {
				task -= f.tasks
				f = phases[i+1]
			}
			if f.apart != nil {
				f.linesApart(s, ending, y(), x.floats(), task)
				continue
			}
			image := f.image(s, &x, task, false)
			l0, l1 := f.span(task)
			base, offsets, pixels, dst := f.bases[task%f.parts], f.places[task%f.parts], (l1-l0)*f.out[2], y()[f.whole(l0):]
			s.gathered.Places, s.gathered.Stride = offsets, f.stride[2]*f.filters
			if err := f.products(s, ending, dst, nil, image, base, pixels, 0, f.filters); err != nil {
				(*pool).fail(err)
				return
			}
		}
	})
	// Functions that the products do not apply come last, over the whole result.
	n := graph.Count(b.OutShape(0))
	rest := b.span(n, grain, func(_, lo, hi int) { ending.activate(y()[lo:hi], hi-lo, 1, hi-lo) })
	return func() error {
		if err := loop(); err != nil || ending.function == nil {
			return err
		}
		return rest()
	}, nil
}

// linesApart computes unit t without the function that comes last.
func (p *phase) linesApart(s *scratch, e *epilogue, y, x []float32, t int) {
	first, last, part, end := p.unit(t)
	d := p.apart.depthwise(s, e)
	for i := first; i <= last; i++ {
		image, skipped := x[i*p.input:][:p.input], 0
		if p.apartOf.copied {
			image, skipped = p.apart.copy(s, image, p.apartOf, part, end)
		}
		for l := part; l < end; l++ {
			p.apart.line(s, &d, y[p.whole(i*p.lines+l):], p.stride[2]*p.filters, image, skipped, l)
		}
	}
}

// transposedParts bounds the elements of a worker's parts.
const transposedParts = 1 << 20

// buildSpreading works on blocks of output channels of one image and group.
// Which block a channel belongs to does not change its numbers.
func buildSpreading(b *builder, p *operator.ConvParams) (func() error, error) {
	in, out, w := b.Shape(0), b.OutShape(0), b.Shape(1)
	spread := &spreading{from: operator.ThreeAxes(in[2:], 1), to: operator.ThreeAxes(out[2:], 1), kernel: operator.ThreeAxes(p.Kernel, 1),
		stride: operator.ThreeAxes(p.Strides, 1), dilation: operator.ThreeAxes(p.Dilations, 1), before: operator.ThreeAxes(p.Before, 0)}
	pixels, plane, positions := graph.Count(in[2:]), graph.Count(out[2:]), graph.Count(p.Kernel)
	depth, each := in[1]/p.Group, w[1] // input and output channels of a group
	block := min(each, max(1, transposedParts/max(positions*pixels, 1)))
	blocks := (each + block - 1) / block
	x, filters, bias, y := b.in(0), b.in(1), b.in(2), b.out(0)
	pool, weights := b.pool, b.weights
	var parts [][]float32 // by worker
	loop := b.each(in[0]*p.Group*blocks, func(worker, lo, hi int) {
		s := weights.scratch[worker]
		for t := lo; t < hi; t++ {
			image, group, first := t/blocks/p.Group, t/blocks%p.Group, t%blocks*block
			n := min(block, each-first)
			part := parts[worker]
			if need := n * positions * pixels; len(part) < need {
				part = make([]float32, block*positions*pixels)
				parts[worker] = part
			}
			// [n·positions, pixels] = Wᵀ [n·positions, depth] · X [depth, pixels]
			s.product = kernel.Product[float32]{M: n * positions, N: pixels, K: depth,
				A: kernel.Columns(filters()[(group*depth*each+first)*positions:], each*positions),
				B: kernel.Columns(x()[(image*in[1]+group*depth)*pixels:], pixels),
				C: part, Stride: pixels, Threads: 1, Workspace: &s.workspace}
			if err := s.product.Run(); err != nil {
				(*pool).fail(err)
				return
			}
			for c := range n {
				channel := group*each + first + c
				dst := y()[(image*out[1]+channel)*plane : (image*out[1]+channel+1)*plane]
				v := float32(0)
				if list := bias(); list != nil {
					v = list[channel]
				}
				fill(dst, v)
				spread.add(dst, part[c*positions*pixels:(c+1)*positions*pixels])
			}
		}
	})
	return func() error {
		for len(parts) < (*pool).threads {
			parts = append(parts, nil)
		}
		return loop()
	}, nil
}

// spreading is a transposed convolution's geometry by axes z, y, x.
type spreading struct{ from, to, kernel, stride, dilation, before [3]int }

// add adds the contributions of each input pixel to the pixels around it.
func (s *spreading) add(dst, part []float32) {
	// part is [kernel position, input pixel].
	offset := 0
	for kz := range s.kernel[0] {
		for ky := range s.kernel[1] {
			for kx := range s.kernel[2] {
				for iz := range s.from[0] {
					oz := iz*s.stride[0] + kz*s.dilation[0] - s.before[0]
					for iy := range s.from[1] {
						oy := iy*s.stride[1] + ky*s.dilation[1] - s.before[1]
						row := part[offset : offset+s.from[2]]
						offset += s.from[2]
						if uint(oz) >= uint(s.to[0]) || uint(oy) >= uint(s.to[1]) {
							continue
						}
						line := dst[(oz*s.to[1]+oy)*s.to[2] : (oz*s.to[1]+oy+1)*s.to[2]]
						ox, step := kx*s.dilation[2]-s.before[2], s.stride[2]
						for _, v := range row {
							if uint(ox) < uint(len(line)) {
								line[ox] += v
							}
							ox += step
						}
					}
				}
			}
		}
	}
}
