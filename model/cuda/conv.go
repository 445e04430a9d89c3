//go:build cuda

// Convolutions, and transposed ones as convolutions of each residue of the result's pixels.

package cuda

import (
	"fmt"
	"math"

	"repscope/model/graph"
	"repscope/model/operator"
)

var convOperators = map[string]constructor{
	"repscope.Conv": buildConv, ".ConvTranspose": buildConvTranspose,
}

func convTiles(p Precision) []tile {
	tiles := []tile{{64, 64, 128, 3}, {16, 32, 128, 8}}
	switch p {
	case TF32:
		return []tile{{128, 64, 128, 3}, tiles[0], {64, 32, 128, 4}, tiles[1]}
	case BF16:
		return []tile{{128, 64, 128, 3}, tiles[0], tiles[1]}
	}
	return tiles
}

// Flags of the kernels conv_.
const (
	termsInFours = 1 << iota
	readDown
	normalizeTile
)

// patchBytes is the shared memory of a tile for one patch.
const patchBytes = 32

// fewFilters is the number of filters per group up to which groups are computed without tiles.
const fewFilters = 16

// geometry is Geometry of kernels/conv.cu, by axes z, y, x.
type geometry struct {
	in, inStep, out, outStep, stride, before [3]int
	inImage, outImage, outFirst              int
}

func (g *geometry) arguments() []any {
	var list []any
	add := func(v ...int) {
		for _, i := range v {
			list = append(list, i)
		}
	}
	add(g.in[:]...)
	add(g.inStep[:]...)
	add(g.inImage)
	add(g.out[:]...)
	add(g.outStep[:]...)
	add(g.outImage, g.outFirst)
	add(g.stride[:]...)
	add(g.before[:]...)
	return list
}

// term is Term of kernels/conv.cu.
type term struct{ Offset, Z, Y, X int32 }

// convolution is a convolution as its kernels take it.
type convolution struct {
	geometry
	terms []term
	order []int32 // of each term in a filter as it is stored
	// Filter j of group i begins at i·groupStep + j·filterStep in the stored filters.
	groupStep, filterStep int
	images, groups        int
	filters               int // per group
	channels              int // elements from one group's channels to the next's
	columns               int // elements from one column of the result to the next
	flags                 int
	form                  string
	activation            operator.Activation
	norm                  *operator.NormParams
}

// steps is the distance of neighbors along z, y, x for pixels of pixel elements.
func steps(of [3]int, pixel int) [3]int { return [3]int{of[1] * of[2] * pixel, of[2] * pixel, pixel} }

func buildConv(b *builder) error {
	p := b.Step.Params.(*operator.ConvParams)
	in, out := b.Shape(0), b.OutShape(0)
	if graph.Count(out) == 0 {
		return nil
	}
	channels, spatial := in[len(in)-1], in[1:len(in)-1]
	if p.ChannelsFirstInput {
		channels, spatial = in[1], in[2:]
	}
	filters := out[len(out)-1]
	c := &convolution{images: in[0], groups: p.Group, filters: filters / p.Group, columns: 1, activation: p.Activation, norm: p.Norm}
	width := channels / p.Group
	kernel, dilation := operator.ThreeAxes(p.Kernel, 1), operator.ThreeAxes(p.Dilations, 1)
	c.in, c.out = operator.ThreeAxes(spatial, 1), operator.ThreeAxes(out[1:len(out)-1], 1)
	c.stride, c.before = operator.ThreeAxes(p.Strides, 1), operator.ThreeAxes(p.Before, 0)
	pixels := c.in[0] * c.in[1] * c.in[2]
	c.inImage, c.outImage = pixels*channels, c.out[0]*c.out[1]*c.out[2]*filters
	c.outStep = steps(c.out, filters)
	positions := kernel[0] * kernel[1] * kernel[2]
	c.groupStep, c.filterStep = c.filters*width*positions, width*positions
	if err := fits(c.inImage, c.outImage, in[0]*c.out[0]*c.out[1]*c.out[2], c.groupStep); err != nil {
		return err
	}
	first := p.ChannelsFirstInput || channels == 1
	c.patch(kernel, dilation, channels, width, first)
	switch {
	case first && kernel[2]%4 == 0 && c.stride[2]%4 == 0 && c.before[2]%4 == 0 && c.in[2]%4 == 0 && dilation[2] == 1, !first && width%4 == 0:
		c.flags |= termsInFours
	case first && c.stride[2] == 1:
		c.flags |= readDown
	}
	c.form = fmt.Sprint("filters ", first, p.Group)
	return c.record(b)
}

// patch lists the terms of a patch of width channels in a group, such that neighbors in memory follow each other.
func (c *convolution) patch(kernel, dilation [3]int, channels, width int, first bool) {
	c.channels, c.inStep = width, steps(c.in, channels)
	channelStep := 1
	if first {
		pixels := c.in[0] * c.in[1] * c.in[2]
		c.channels, c.inStep, channelStep = width*pixels, steps(c.in, 1), pixels
	}
	positions := kernel[0] * kernel[1] * kernel[2]
	for i := range width * positions {
		position, channel := i/width, i%width
		if first {
			position, channel = i%positions, i/positions
		}
		z, y, x := position/(kernel[1]*kernel[2])*dilation[0], position/kernel[2]%kernel[1]*dilation[1], position%kernel[2]*dilation[2]
		at := z*c.inStep[0] + y*c.inStep[1] + x*c.inStep[2] + channel*channelStep
		c.terms = append(c.terms, term{int32(at), int32(z), int32(y), int32(x)})
		c.order = append(c.order, int32(channel*positions+position))
	}
}

// record records the launches.
func (c *convolution) record(b *builder) error {
	mode := b.precision()
	m, all := c.images*c.out[0]*c.out[1]*c.out[2], c.filters*c.groups
	kind, supported := activation(c.activation)
	y, normalized := b.out(0), false
	if c.groups > 1 && c.filters < fewFilters {
		filters := c.pack(b, FP32, len(c.terms), true)
		arguments := []any{b.in(0), filters, b.in(2), y, table(b, c.terms),
			m, c.filters, c.groups, len(c.terms), kind, c.channels, c.columns}
		b.launch("conv_direct", [3]int{ceil(m*all, 256), 1, 1}, [3]int{256, 1, 1}, 0, append(arguments, c.arguments()...)...)
	} else {
		normalized = c.recordTiles(b, mode, m, kind, c.norm != nil && supported)
	}
	if !supported {
		if err := b.function(c.activation, y, y, m*all); err != nil {
			return err
		}
	}
	if c.norm != nil && !normalized {
		b.normalizeRows(y, operand{}, y, 1, m, all, 0, c.norm)
	}
	return nil
}

// recordTiles computes m pixels in tiles, with bias and an activation that kernels know; it returns whether it has also
// normalized them, which it may.
func (c *convolution) recordTiles(b *builder, mode Precision, m, kind int, normalize bool) (normalized bool) {
	n, all := c.filters, c.filters*c.groups
	depth := roundUp(max(len(c.terms), 1), step)
	filters := c.pack(b, mode, depth, false)
	for len(c.terms) < depth {
		c.terms = append(c.terms, term{Z: 1 << 29}) // outside of any image
	}
	terms := c.terms
	if c.flags&termsInFours != 0 {
		terms = make([]term, depth/4)
		for i := range terms {
			terms[i] = c.terms[4*i]
		}
	}
	bias, y := b.in(2), b.out(0)
	count, length := sliceSteps(depth, all)
	t := choose(convTiles(mode), m, n, c.groups*count, count > 1)
	kernel := fmt.Sprintf("conv_%v_%v", mode, t)
	blocks, block := [3]int{t.blocks(m, n), c.groups, 1}, [3]int{t.threads, 1, 1}
	run := func(shared int, bias, y operand, kind, flags int, epsilon float32) {
		arguments := []any{b.in(0), filters, bias, b.in(3), b.in(4), y, table(b, terms),
			m, n, depth, length, kind, flags, c.channels, c.columns, epsilon}
		b.launch(kernel, blocks, block, shared+t.rows*patchBytes, append(arguments, c.arguments()...)...)
	}
	if count == 1 || blocks[0]*blocks[1] >= processors || c.columns != 1 {
		flags, epsilon := c.flags, float32(0)
		if normalized = normalize && c.groups == 1 && n <= t.columns; normalized {
			flags, epsilon = flags|normalizeTile, c.norm.Epsilon
		}
		run(t.shared(count > 1), bias, y, kind, flags, epsilon)
		return normalized
	}
	// Few tiles: a block for each slice, whose sums are added up afterwards.
	blocks[2] = count
	sums := b.scratch(4 * m * all * count)
	run(t.shared(false), operand{}, sums, 0, c.flags, 0)
	if normalize {
		b.normalizeRows(sums, bias, y, count, m, all, kind, c.norm)
		return true
	}
	b.launch("finish_elements", [3]int{ceil(m*all, 256), 1, 1}, [3]int{256, 1, 1}, 0, sums, bias, operand{}, y, count, all, kind, m*all)
	return false
}

// normalizeRows records a layer normalization of m rows of n elements, after slices are added up, bias and activation.
func (b *builder) normalizeRows(slices, bias, y operand, count, m, n, activation int, p *operator.NormParams) {
	b.launch("finish_rows", [3]int{ceil(m, 4), 1, 1}, [3]int{128, 1, 1}, 0,
		slices, bias, b.in(3), b.in(4), y, count, m, n, activation, p.Epsilon)
}

// pack gives the filters as [group, filter, depth], for direct kernels as [depth, filter of any group].
func (c *convolution) pack(b *builder, mode Precision, depth int, direct bool) operand {
	all, n := c.groups*c.filters, c.filters
	if b.Constant(1) != nil {
		order, groupStep, filterStep := c.order, c.groupStep, c.filterStep
		form := fmt.Sprint(c.form, " ", mode, direct)
		return b.weight(form, b.Constant(1), func(elements []float32) []float32 {
			packed := make([]float32, all*depth)
			for f := range all {
				from := elements[min(f/n*groupStep+f%n*filterStep, len(elements)):]
				for k, source := range order {
					to := f*depth + k
					if direct {
						to = k*all + f
					}
					packed[to] = rounded(mode, from[source])
				}
			}
			return packed
		})
	}
	order := make([]int32, depth)
	for k := range order {
		order[k] = -1
		if k < len(c.order) {
			order[k] = c.order[k]
		}
	}
	packed, columns := b.scratch(4*all*depth), 0
	if direct {
		columns = all
	}
	b.launch("pack_filters", [3]int{ceil(all*depth, 256), 1, 1}, [3]int{256, 1, 1}, 0,
		b.in(1), packed, table(b, order), c.groupStep, c.filterStep, n, depth, columns, mode == TF32, all*depth)
	return packed
}

// buildConvTranspose computes the pixels of the result by their residue modulo the strides: the pixels of one residue
// are a convolution of the input with some of the filters' terms.
func buildConvTranspose(b *builder) error {
	p := b.Step.Params.(*operator.ConvParams)
	in, out, w := b.Shape(0), b.OutShape(0), b.Shape(1)
	if graph.Count(out) == 0 {
		return nil
	}
	pixels, plane, positions := graph.Count(in[2:]), graph.Count(out[2:]), graph.Count(p.Kernel)
	if err := fits(in[1]*pixels, out[1]*plane, in[0]*plane, in[1]/p.Group*w[1]*positions); err != nil {
		return err
	}
	to, stride := operator.ThreeAxes(out[2:], 1), operator.ThreeAxes(p.Strides, 1)
	for z := range min(stride[0], to[0]) {
		for y := range min(stride[1], to[1]) {
			for x := range min(stride[2], to[2]) {
				c := residueConvolution(p, in, out, w[1], [3]int{z, y, x})
				if len(c.terms) > math.MaxInt32-step {
					return fmt.Errorf("filters of %d terms", len(c.terms))
				}
				if err := c.record(b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// residueConvolution computes the pixels of one residue of a transposed convolution with this many filters per group.
func residueConvolution(p *operator.ConvParams, in, out []int, filters int, residue [3]int) *convolution {
	from, to, kernel := operator.ThreeAxes(in[2:], 1), operator.ThreeAxes(out[2:], 1), operator.ThreeAxes(p.Kernel, 1)
	stride, dilation, before := operator.ThreeAxes(p.Strides, 1), operator.ThreeAxes(p.Dilations, 1), operator.ThreeAxes(p.Before, 0)
	pixels, plane, positions, depth := graph.Count(in[2:]), graph.Count(out[2:]), graph.Count(p.Kernel), in[1]/p.Group
	c := &convolution{images: in[0], groups: p.Group, filters: filters, channels: depth * pixels, columns: plane, flags: readDown,
		groupStep: depth * filters * positions, filterStep: positions,
		form: fmt.Sprint("filters of residue ", residue[0], residue[1], residue[2], p.Group, stride, dilation, before)}
	c.in, c.inStep, c.inImage = from, steps(from, 1), in[1]*pixels
	c.stride = [3]int{1, 1, 1}
	whole := steps(to, 1)
	// Along an axis: the kernel's positions that meet the residue, and how far from the pixel.
	type tap struct{ at, shift int }
	var taps [3][]tap
	for a := range 3 {
		c.out[a] = ceil(to[a]-residue[a], stride[a])
		c.outStep[a] = stride[a] * whole[a]
		c.outFirst += residue[a] * whole[a]
		for k := range kernel[a] {
			if d := residue[a] + before[a] - k*dilation[a]; d%stride[a] == 0 {
				taps[a] = append(taps[a], tap{k, d / stride[a]})
			}
		}
	}
	c.outImage = out[1] * plane
	for channel := range depth {
		for _, z := range taps[0] {
			for _, y := range taps[1] {
				for _, x := range taps[2] {
					c.terms = append(c.terms, term{int32(channel*pixels + z.shift*c.inStep[0] + y.shift*c.inStep[1] + x.shift),
						int32(z.shift), int32(y.shift), int32(x.shift)})
					c.order = append(c.order, int32(channel*filters*positions+(z.at*kernel[1]+y.at)*kernel[2]+x.at))
				}
			}
		}
	}
	return c
}
