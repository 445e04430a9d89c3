package cpu

// Convolution over one to three spatial axes, channels last, as a matrix
// product of pixel patches by weights. The patches are written straight into
// the product's panels, block by block; they never exist as a whole.

import (
	"repscope/internal/kernel"
	"repscope/latent/graph"
)

func init() { kernels["repscope.Conv"] = buildConv }

// geometry is a convolution with its spatial axes padded to three.
type geometry struct {
	in, out                   [3]int
	kernel, stride, dilation  [3]int
	before                    [3]int
	channels, groups, filters int // of input and output, all groups together
}

// depth is the length of a patch of one group.
func (g *geometry) depth() int {
	return g.kernel[0] * g.kernel[1] * g.kernel[2] * g.channels / g.groups
}

func newGeometry(p *graph.ConvParams, in, out []int) *geometry {
	g := &geometry{groups: p.Group, channels: in[len(in)-1], filters: out[len(out)-1]}
	pad := func(v []int, fill int) (w [3]int) {
		w = [3]int{fill, fill, fill}
		copy(w[3-len(v):], v)
		return w
	}
	g.in, g.out = pad(in[1:len(in)-1], 1), pad(out[1:len(out)-1], 1)
	g.kernel, g.stride, g.dilation = pad(p.Kernel, 1), pad(p.Strides, 1), pad(p.Dilations, 1)
	g.before = pad(p.Before, 0)
	return g
}

// patches packs the patches of one group of a batch of images as the left
// operand of a product; vector i is the patch of output pixel first+i, its
// elements in the order of kernel position, then channel.
type patches struct {
	*geometry
	data  []float32
	first int
	group int
	rows  []float32 // a panel's patches before they are interleaved
}

// Pack writes a part of the patches into panels; see kernel.Packer.
func (p *patches) Pack(dst []float32, width, first, count, k, depth int) {
	if need := width * depth; len(p.rows) < need {
		p.rows = make([]float32, max(need, 16*kernel.KC))
	}
	for q := 0; q < count; q += width {
		n := min(width, count-q)
		for r := range n {
			p.patch(p.rows[r*depth:(r+1)*depth], p.first+first+q+r, k)
		}
		kernel.PackRows(dst[q*depth:q*depth+width*depth], width, p.rows, depth, n, depth)
	}
}

// patch writes elements k … k+len(dst)−1 of the patch of an output pixel.
func (p *patches) patch(dst []float32, pixel, k int) {
	ox := pixel % p.out[2]
	pixel /= p.out[2]
	oy := pixel % p.out[1]
	pixel /= p.out[1]
	oz := pixel % p.out[0]
	image := pixel / p.out[0]
	x0, y0, z0 := ox*p.stride[2]-p.before[2], oy*p.stride[1]-p.before[1], oz*p.stride[0]-p.before[0]
	width := p.channels / p.groups
	base := image*p.in[0]*p.in[1]*p.in[2]*p.channels + p.group*width
	line := p.kernel[2] * width // elements of one row of the kernel
	// Neighbouring pixels of one group follow each other in memory only if
	// there is one group and no dilation.
	dense := p.groups == 1 && p.dilation[2] == 1
	for len(dst) > 0 {
		row, at := k/line, k%line
		n := min(line-at, len(dst))
		y, z := y0+row%p.kernel[1]*p.dilation[1], z0+row/p.kernel[1]*p.dilation[0]
		part := dst[:n]
		dst, k = dst[n:], k+n
		if uint(y) >= uint(p.in[1]) || uint(z) >= uint(p.in[0]) {
			clear(part)
			continue
		}
		src := base + (z*p.in[1]+y)*p.in[2]*p.channels
		if dense {
			// Elements at … at+n−1 of the line lie at the same distance in the image.
			lo := max(0, -x0*width-at)
			hi := min(n, (p.in[2]-x0)*width-at)
			if lo >= hi {
				clear(part)
				continue
			}
			clear(part[:lo])
			from := src + x0*width + at
			if hi-lo == 4 {
				// One-channel frames: four pixels, cheaper than a call.
				d, s := part[lo:lo+4:lo+4], p.data[from+lo:from+lo+4]
				d[0], d[1], d[2], d[3] = s[0], s[1], s[2], s[3]
			} else {
				copy(part[lo:hi], p.data[from+lo:from+hi])
			}
			clear(part[hi:])
			continue
		}
		for len(part) > 0 {
			kx, channel := at/width, at%width
			m := min(width-channel, len(part))
			if x := x0 + kx*p.dilation[2]; uint(x) < uint(p.in[2]) {
				copy(part[:m], p.data[src+x*p.channels+channel:])
			} else {
				clear(part[:m])
			}
			part, at = part[m:], at+m
		}
	}
}

// filters packs one group's weights [filters, channels/group, kernel…] as the
// right operand, with the elements of each filter in the order of a patch.
func (g *geometry) filterRows(w []float32, group int) []float32 {
	n, width := g.filters/g.groups, g.channels/g.groups
	positions := g.depth() / width
	rows := make([]float32, n*g.depth())
	for f := range n {
		src := w[(group*n+f)*g.depth():]
		for c := range width {
			for at := range positions {
				rows[f*g.depth()+at*width+c] = src[c*positions+at]
			}
		}
	}
	return rows
}

func buildConv(b *builder) (func() error, error) {
	p := b.step.Params.(*graph.ConvParams)
	g := newGeometry(p, b.shape(0), b.outShape(0))
	m, k, n := size(b.outShape(0))/max(g.filters, 1), g.depth(), g.filters/g.groups
	if m == 0 || g.filters == 0 {
		return func() error { return nil }, nil
	}
	packed := make([]*kernel.Packed[float32], g.groups)
	pack := func(w []float32, group int) (*kernel.Packed[float32], error) {
		return kernel.PackRight(kernel.Rows(g.filterRows(w, group), k), n, k)
	}
	if w := b.constant(1); w != nil {
		for group := range g.groups {
			key := packKey{w, "conv", group}
			if b.weights.packed[key] == nil {
				f, err := pack(w.F32, group)
				if err != nil {
					return nil, err
				}
				b.weights.packed[key] = f
			}
			packed[group] = b.weights.packed[key]
		}
	}
	x, y, bias := b.in(0), b.out(0), b.in(2)
	scale, shift := b.in(3), b.in(4)
	finish, active := function(p.Activation), p.Activation.Op != ""
	rows := rowBlock
	for m <= rows*(2*(*b.pool).threads-1) && rows > 48 {
		rows /= 2
	}
	pool, weights := b.pool, b.weights
	loop := b.each((m+rows-1)/rows, func(worker, lo, hi int) {
		s := &weights.scratch[worker]
		for t := lo; t < hi; t++ {
			r0, r1 := t*rows, min((t+1)*rows, m)
			block := y()[r0*g.filters : r1*g.filters]
			for group := range g.groups {
				s.patches.geometry, s.patches.data, s.patches.first, s.patches.group = g, x(), r0, group
				s.product = kernel.Product[float32]{M: r1 - r0, N: n, K: k,
					A: kernel.Packing[float32](&s.patches), B: packed[group].Operand(0),
					C: block[group*n:], Stride: g.filters, Threads: 1, Workspace: &s.workspace}
				if err := s.product.Run(); err != nil {
					(*pool).fail(err)
					return
				}
			}
			v := bias()
			for i := range r1 - r0 {
				row := block[i*g.filters : (i+1)*g.filters]
				if v != nil {
					addTo(row, v)
				}
				if active {
					finish(row, row)
				}
				if p.Norm != nil {
					normalize(row, row, scale(), shift(), p.Norm.Epsilon)
				}
			}
		}
	})
	if b.constant(1) != nil {
		return loop, nil
	}
	filters := b.in(1)
	return func() error {
		for group := range g.groups {
			var err error
			if packed[group], err = pack(filters(), group); err != nil {
				return err
			}
		}
		return loop()
	}, nil
}
