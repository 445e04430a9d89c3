package cpu

// Transposed convolution: a matrix product gives what each input pixel adds to
// the pixels around it, and these parts are added up.

import (
	"repscope/internal/kernel"
	"repscope/model/operator"
)

func init() { kernels[".ConvTranspose"] = buildConvTranspose }

// transposedParts bounds the elements of a worker's parts.
const transposedParts = 1 << 20

// buildConvTranspose works on blocks of output channels of one image and group.
// Which block a channel belongs to does not change its numbers.
func buildConvTranspose(b *builder) (func() error, error) {
	p := b.step.Params.(*operator.ConvParams)
	in, out, w := b.shape(0), b.outShape(0), b.shape(1)
	if size(out) == 0 {
		return func() error { return nil }, nil
	}
	pad := func(v []int, fill int) (r [3]int) {
		r = [3]int{fill, fill, fill}
		copy(r[3-len(v):], v)
		return r
	}
	from, to, k := pad(in[2:], 1), pad(out[2:], 1), pad(p.Kernel, 1)
	stride, dilation, before := pad(p.Strides, 1), pad(p.Dilations, 1), pad(p.Before, 0)
	pixels, plane, positions := size(in[2:]), size(out[2:]), size(p.Kernel)
	depth, each := in[1]/p.Group, w[1] // input and output channels of a group
	block := min(each, max(1, transposedParts/max(positions*pixels, 1)))
	blocks := (each + block - 1) / block
	x, filters, bias, y := b.in(0), b.in(1), b.in(2), b.out(0)
	pool, weights := b.pool, b.weights
	var parts [][]float32 // by worker
	add := func(dst, part []float32) {
		// part is [kernel position, input pixel].
		at := 0
		for kz := range k[0] {
			for ky := range k[1] {
				for kx := range k[2] {
					for iz := range from[0] {
						oz := iz*stride[0] + kz*dilation[0] - before[0]
						for iy := range from[1] {
							oy := iy*stride[1] + ky*dilation[1] - before[1]
							row := part[at : at+from[2]]
							at += from[2]
							if uint(oz) >= uint(to[0]) || uint(oy) >= uint(to[1]) {
								continue
							}
							line := dst[(oz*to[1]+oy)*to[2] : (oz*to[1]+oy+1)*to[2]]
							ox := kx*dilation[2] - before[2]
							for _, v := range row {
								if uint(ox) < uint(len(line)) {
									line[ox] += v
								}
								ox += stride[2]
							}
						}
					}
				}
			}
		}
	}
	loop := b.each(in[0]*p.Group*blocks, func(worker, lo, hi int) {
		s := &weights.scratch[worker]
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
				add(dst, part[c*positions*pixels:(c+1)*positions*pixels])
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
