// Convolution over one to three spatial axes, channels last, as a matrix
// product of pixel patches by weights. A patch is a few runs of contiguous
// elements, one per row of the kernel, that the product reads where they lie;
// only an image with padding, or with its channels first, is copied before.

package cpu

import (
	"fmt"

	"repscope/internal/kernel"
	"repscope/internal/kernel/vector"
	"repscope/model/graph"
	"repscope/model/operator"
)

var convKernels = map[string]constructor{
	"repscope.Conv": buildConv, ".ConvTranspose": buildConvTranspose,
}

// geometry is a convolution with its spatial axes padded to three.
type geometry struct {
	in, out                   [3]int
	kernel, stride, dilation  [3]int
	before                    [3]int
	channels, groups, filters int // of input and output, all groups together

	// The image that patches are read from: rows and columns include the padding, and planes the padding before and
	// behind. They equal the input's if nothing is copied.
	frame  [3]int
	copied bool
	first  bool // the input is [N, C, …]
	planes int  // of a pixel's channels, how many are planes of the input; 0 if the input's channels lie together
	runs   []kernel.Run
}

// depth is the length of a patch of one group.
func (g *geometry) depth() int {
	return g.kernel[0] * g.kernel[1] * g.kernel[2] * g.channels / g.groups
}

func newGeometry(p *operator.ConvParams, in, out []int) *geometry {
	g := &geometry{groups: p.Group, channels: in[len(in)-1], filters: out[len(out)-1], first: p.ChannelsFirstInput}
	spatial := in[1 : len(in)-1]
	if g.first {
		g.channels, spatial = in[1], in[2:]
	}
	g.in, g.out = operator.ThreeAxes(spatial, 1), operator.ThreeAxes(out[1:len(out)-1], 1)
	g.kernel, g.stride, g.dilation = operator.ThreeAxes(p.Kernel, 1), operator.ThreeAxes(p.Strides, 1), operator.ThreeAxes(p.Dilations, 1)
	g.before = operator.ThreeAxes(p.Before, 0)
	g.frame = g.in
	for a := range 3 {
		needed := (g.out[a]-1)*g.stride[a] + (g.kernel[a]-1)*g.dilation[a] + 1
		if g.before[a] > 0 || needed > g.in[a] {
			g.copied = true
			g.frame[a] = needed
		}
	}
	g.copied = g.copied || g.first && g.channels > 1
	g.runs = g.patchRuns()
	return g
}

// patchRuns are the runs of a patch, joined where they touch.
func (g *geometry) patchRuns() (runs []kernel.Run) {
	width := g.channels / g.groups
	for z := range g.kernel[0] {
		for y := range g.kernel[1] {
			for x := range g.kernel[2] {
				offset := ((z*g.dilation[0]*g.frame[1]+y*g.dilation[1])*g.frame[2] + x*g.dilation[2]) * g.channels
				if k := len(runs) - 1; k >= 0 && runs[k].Offset+runs[k].Length == offset {
					runs[k].Length += width
					continue
				}
				runs = append(runs, kernel.Run{Offset: offset, Length: width})
			}
		}
	}
	return runs
}

// fill copies rows y0 … y1−1 of one image's frame.
func (g *geometry) fill(dst, src []float32, y0, y1 int) {
	line := g.frame[2] * g.channels
	plane := g.in[0] * g.in[1] * g.in[2]
	turned := g.first && g.channels > 1
	if turned && g.before == [3]int{} && g.frame[2] == g.in[2] && y1 <= g.in[1] && g.in[0] == 1 {
		// Without padding the rows are one row.
		kernel.PackRows(dst, g.channels, src[y0*g.in[2]:], plane, g.channels, (y1-y0)*g.in[2])
		return
	}
	before := min(g.before[2], g.frame[2])
	n := max(0, min(g.in[2], g.frame[2]-before))
	for z := range g.frame[0] {
		for y := y0; y < y1; y++ {
			row := dst[:line]
			dst = dst[line:]
			iz, iy := z-g.before[0], y-g.before[1]
			if uint(iz) >= uint(g.in[0]) || uint(iy) >= uint(g.in[1]) || n == 0 {
				clear(row)
				continue
			}
			clear(row[:before*g.channels])
			inner := row[before*g.channels : (before+n)*g.channels]
			clear(row[(before+n)*g.channels:])
			offset := (iz*g.in[1] + iy) * g.in[2]
			if turned {
				// One panel whose width is the number of channels is the image with channels last.
				kernel.PackRows(inner, g.channels, src[offset:], plane, g.channels, n)
			} else {
				copy(inner, src[offset*g.channels:])
			}
		}
	}
}

// begin is where the first patch of an output line begins in the frames; lines are counted over all images.
func (g *geometry) begin(l int) int {
	lines := g.out[0] * g.out[1]
	z, y := l%lines/g.out[1], l%g.out[1]
	return ((l/lines*g.frame[0]+z*g.stride[0])*g.frame[1] + y*g.stride[1]) * g.frame[2] * g.channels
}

// locate is where the patches of output lines l0 … l1−1 begin, counted from the first one.
func (g *geometry) locate(l0, l1 int) []int {
	base := make([]int, 0, (l1-l0)*g.out[2])
	for l := l0; l < l1; l++ {
		offset := g.begin(l) - g.begin(l0)
		for range g.out[2] {
			base = append(base, offset)
			offset += g.stride[2] * g.channels
		}
	}
	return base
}

// weights is how the first group's weights lie in [filters, channels/group, kernel…]; the
// depths are in the order of a patch.
func (g *geometry) weights() *matrix {
	m := &matrix{n: g.filters / g.groups, k: g.depth()}
	width := g.channels / g.groups
	if positions := m.k / max(width, 1); positions > 1 && width > 1 {
		for c := range width {
			for at := range positions {
				m.depth = append(m.depth, at*width+c)
			}
		}
	}
	return m
}

// frameLimit is the number of elements of a frame that is copied as a whole; it stays in the second-level cache.
const frameLimit = 1 << 17

// split cuts the work into units: of several whole images, or of some output lines of one image.
func (g *geometry) split(images, threads int) (perUnit, lines int) {
	lines = g.out[0] * g.out[1]
	pixels := lines * g.out[2]
	perUnit = max(1, min(rowBlock/pixels, images/(4*threads)))
	parts := 1
	if g.frame[0] == 1 {
		// Volumes are never cut: their planes would be copied again and again.
		parts = max((2*threads+images-1)/images, (g.frame[1]*g.frame[2]*g.channels+frameLimit-1)/frameLimit)
	}
	if images >= 2*threads && !g.copied {
		parts = max(1, pixels/(4*rowBlock))
	}
	if parts = min(parts, g.out[1]); parts > 1 {
		perUnit, lines = 1, (lines+parts-1)/parts
	}
	return perUnit, lines
}

// pack packs constant weights group by group.
func (g *geometry) pack(w *weights, t *graph.Tensor, stored *matrix, packed []*kernel.Packed[float32]) (err error) {
	for group := range g.groups {
		stored.first = group * stored.n * stored.k
		if packed[group], err = w.right(packKey{t, "conv", group}, stored); err != nil {
			return err
		}
	}
	return nil
}

// bases is where patches begin, by part of an image; see locate.
func (g *geometry) bases(parts, perPart, perUnit int) [][]int {
	lines := g.out[0] * g.out[1]
	bases := make([][]int, parts)
	for part := range parts {
		if part > 0 && g.out[0] == 1 {
			bases[part] = bases[0] // the same lines of a plane, further down
			continue
		}
		l := part * perPart
		bases[part] = g.locate(l, min(l+perPart, lines)+(perUnit-1)*lines)
	}
	return bases
}

// boundConv is a convolution whose operands are known. It is cut into units, of a part of an image or of some whole
// ones, that are worked on one at a time.
type boundConv struct {
	*geometry
	images, input           int // how many, and the elements of one
	lines                   int // of an output image
	perUnit, perPart, parts int // images of a unit, lines of a part, parts of an image
	bases                   [][]int
	cols, across            int // filters that a task computes at a time, and how often that is all

	stored *matrix
	packed []*kernel.Packed[float32] // weights by group

	// integers are weights of one group instead of packed, if the operands are integers.
	integers *integerWeights
	// direct says that the input's bytes are multiplied without conversion, and bias is added to their sums.
	direct bool
	bias   []int32
}

// newBoundConv binds an input with elements, and packs the weights if they are constant.
func newBoundConv(b *builder, p *operator.ConvParams, g *geometry) (*boundConv, error) {
	if c, err := boundPlanes(b, p, g); c != nil || err != nil {
		return c, err
	}
	c, err := boundOf(b, g, b.Shape(0)[0], graph.Count(b.Shape(0)[1:]))
	if err != nil {
		return nil, err
	}
	c.stored = g.weights()
	if w := b.Constant(1); w != nil {
		if p.Integers && g.groups == 1 {
			if ok, err := c.inIntegers(b, w); ok || err != nil {
				return c, err
			}
		}
		err = g.pack(b.weights, w, c.stored, c.packed)
	}
	return c, err
}

// boundOf is a convolution without its weights; input is the number of elements of an image.
func boundOf(b *builder, g *geometry, images, input int) (*boundConv, error) {
	if _, err := graph.Elements([]int{images, g.frame[0], g.frame[1], g.frame[2], g.channels}); err != nil {
		return nil, fmt.Errorf("with its padding: %w", err)
	}
	c := &boundConv{geometry: g, images: images, input: input, lines: g.out[0] * g.out[1], packed: make([]*kernel.Packed[float32], g.groups)}
	c.perUnit, c.perPart = g.split(c.images, (*b.pool).threads)
	c.parts = (c.lines + c.perPart - 1) / c.perPart
	c.bases = g.bases(c.parts, c.perPart, c.perUnit)
	c.cols, c.across = c.filters, 1
	return c, nil
}

// fewPixels is the number of pixels up to which the work is also cut by filters, or half of them if there are more
// weights than inputs: cut by pixels alone, every task would read all the weights.
const fewPixels = 4 * rowBlock

// divide cuts the work by filters if there are few pixels.
func (c *boundConv) divide(threads int) {
	frame := c.frame[0] * c.frame[1] * c.frame[2] * c.channels
	few := fewPixels
	if c.depth()*c.filters > c.images*frame {
		few *= 2
	}
	if c.groups > 1 || threads == 1 || c.images*c.lines*c.out[2] > few || frame > frameLimit || c.filters < 2*threads*kernel.ColumnAlign {
		return
	}
	// The more images a unit has, the fewer tasks read the same weights.
	units := 1
	if c.copied {
		units = max(1, (c.images*frame+2*frameLimit-1)/(2*frameLimit))
	}
	c.perUnit = (c.images + units - 1) / units
	c.perPart, c.parts = c.lines, 1
	c.bases = c.geometry.bases(1, c.lines, c.perUnit)
	c.cols = roundUp((c.filters+4*threads-1)/(4*threads), kernel.ColumnAlign)
	c.across = (c.filters + c.cols - 1) / c.cols
}

// unit is the images first … last of unit t and the lines part … end−1 of each.
func (c *boundConv) unit(t int) (first, last, part, end int) {
	first, part = t/c.parts*c.perUnit, t%c.parts*c.perPart
	return first, min(first+c.perUnit, c.images) - 1, part, min(part+c.perPart, c.lines)
}

// span is the output lines l0 … l1−1 of unit t, counted over all images.
func (c *boundConv) span(t int) (l0, l1 int) {
	first, last, part, end := c.unit(t)
	return first*c.lines + part, last*c.lines + end
}

// rows are the rows of a frame that unit t needs: a part of an image needs only some.
func (c *boundConv) rows(t int) (y0, y1 int) {
	if _, _, part, end := c.unit(t); c.parts > 1 {
		return part * c.stride[1], (end-1)*c.stride[1] + (c.kernel[1]-1)*c.dilation[1] + 1
	}
	return 0, c.frame[1]
}

// image is the source of the patches of unit t, the input itself or the worker's frames. filled says that the frames
// hold this unit.
func (c *boundConv) image(s *scratch, x *operand, t int, filled bool) []float32 {
	l0, _ := c.span(t)
	first, last, _, _ := c.unit(t)
	switch {
	case !c.copied && x.levels == nil:
		return x.floats()[c.begin(l0):]
	case !c.copied:
		from, size := c.begin(l0), c.reach(t)
		return x.part(&s.decoded, from, from+size)
	case filled:
		return s.frames
	}
	y0, y1 := c.rows(t)
	each := c.frame[0] * (y1 - y0) * c.frame[2] * c.channels
	s.frames = grow(s.frames, (last-first+1)*each)
	for i := first; i <= last; i++ {
		c.fill(s.frames[(i-first)*each:][:each], c.decoded(s, x, i, y0, y1), y0, y1)
	}
	return s.frames
}

// reach is the number of elements that the patches of unit t span.
func (c *boundConv) reach(t int) (size int) {
	l0, l1 := c.span(t)
	last := c.runs[len(c.runs)-1]
	for _, at := range c.bases[t%c.parts][:(l1-l0)*c.out[2]] {
		size = max(size, at+last.Offset+last.Length)
	}
	return size
}

// decoded is image i, whose rows y0 … y1−1 of the frame are read.
func (g *geometry) decoded(s *scratch, x *operand, i, y0, y1 int) []float32 {
	size := g.in[0] * g.in[1] * g.in[2] * g.channels
	if x.levels == nil {
		return x.floats()[i*size : (i+1)*size]
	}
	row := g.in[2] * g.channels
	from, to := 0, size
	if g.in[0] == 1 && !g.first {
		from, to = min(max(y0-g.before[1], 0), g.in[1])*row, min(max(y1-g.before[1], 0), g.in[1])*row
	}
	s.decoded = grow(s.decoded, size)
	x.levels.decode(s.decoded[from:to], x.memory.u8[x.id][i*size+from:i*size+to])
	return s.decoded
}

// bytes is image for an input of bytes that are multiplied as they lie.
func (c *boundConv) bytes(s *scratch, x *operand, t int, filled bool) []uint8 {
	data := x.memory.u8[x.id]
	if !c.copied {
		l0, _ := c.span(t)
		return data[c.begin(l0):]
	}
	if filled {
		return s.patches
	}
	first, last, _, _ := c.unit(t)
	y0, y1 := c.rows(t)
	each := c.frame[0] * (y1 - y0) * c.frame[2] * c.channels
	if n := (last-first+1)*each + kernel.QuadSlack; cap(s.patches) < n {
		s.patches = make([]uint8, n)
	} else {
		s.patches = s.patches[:n]
	}
	for i := first; i <= last; i++ {
		c.fillBytes(s.patches[(i-first)*each:][:each], data[i*c.input:(i+1)*c.input], y0, y1, uint8(-x.levels.low))
	}
	return s.patches
}

// fillBytes is fill for bytes with channels last, or in few planes, and a byte that is zero.
func (g *geometry) fillBytes(dst, src []uint8, y0, y1 int, zero uint8) {
	line, width := g.frame[2]*g.channels, g.in[2]*g.channels
	before := min(g.before[2], g.frame[2]) * g.channels
	n := max(0, min(width, line-before))
	blank := func(part []uint8) {
		for i := range part {
			part[i] = zero
		}
	}
	for z := range g.frame[0] {
		for y := y0; y < y1; y++ {
			row := dst[:line]
			dst = dst[line:]
			iz, iy := z-g.before[0], y-g.before[1]
			if uint(iz) >= uint(g.in[0]) || uint(iy) >= uint(g.in[1]) {
				blank(row)
				continue
			}
			blank(row[:before])
			g.linePixels(row[before:before+n], src, iz, iy)
			blank(row[before+n:])
		}
	}
}

// multiply computes filters col … col+cols−1 of pixels whose patches begin at base in the image, and the epilogue;
// other is nil or of the same pixels.
func (c *boundConv) multiply(s *scratch, e *epilogue, block, other, image []float32, base []int, pixels, col, cols int) error {
	if c.integers != nil {
		return c.multiplyIntegers(s, e, block, other, image, base, pixels)
	}
	s.gathered.Places, s.gathered.Stride = nil, c.filters
	if err := c.products(s, e, block, other, image, base, pixels, col, cols); err != nil {
		return err
	}
	e.activateFrom(block[col:], c.filters, pixels, cols, col)
	return nil
}

// products multiplies patches by the weights of each group, or of filters col … col+cols−1 if there is one.
func (c *boundConv) products(s *scratch, e *epilogue, block, other, image []float32, base []int, pixels, col, cols int) error {
	n := cols / c.groups
	s.gathered.M, s.gathered.N, s.gathered.First = pixels, n, col
	s.gathered.Base, s.gathered.Runs = base, c.runs
	for group := range len(c.packed) {
		first := col + group*n
		s.gathered.Data = image[group*c.channels/c.groups:]
		s.gathered.B, s.gathered.C = c.packed[group], block[first:]
		var added []float32
		if other != nil {
			added = other[first:]
		}
		e.within(&s.gathered, added, first)
		if err := s.gathered.Run(); err != nil {
			return err
		}
	}
	return nil
}

func buildConv(b *builder) (func() error, error) {
	p := b.Step.Params.(*operator.ConvParams)
	if graph.Count(b.OutShape(0)) == 0 {
		return func() error { return nil }, nil
	}
	g := newGeometry(p, b.Shape(0), b.OutShape(0))
	if b.Constant(1) != nil && g.channelwise() {
		if _, err := graph.Elements([]int{b.Shape(0)[0], g.frame[0], g.frame[1], g.frame[2], g.channels}); err != nil {
			return nil, fmt.Errorf("with its padding: %w", err)
		}
		g.copied = g.first
		return buildChannelwise(b, p, g)
	}
	c, err := newBoundConv(b, p, g)
	if err != nil {
		return nil, err
	}
	x, y := b.operand(b.Step.In[0]), b.operand(b.Step.Out[0])
	c.direct = c.integers != nil && c.integers.signed != nil && x.levels.direct()
	bias := b.in(2)
	if c.direct {
		c.bias, bias = integerBias(b, g.depth())
	}
	ending := newEpilogue(b, p.Activation, bias)
	scale, shift, residual := b.in(3), b.in(4), b.in(5)
	pool, weights := b.pool, b.weights
	if p.Norm == nil && c.integers == nil && x.levels == nil && y.levels == nil {
		c.divide((*pool).threads)
	}
	loop := b.each((c.images+c.perUnit-1)/c.perUnit*c.parts*c.across, func(worker, lo, hi int) {
		s := weights.scratch[worker]
		for t := lo; t < hi; t++ {
			t, col := t/c.across, t%c.across*c.cols
			l0, l1 := c.span(t)
			pixels, offset := (l1-l0)*c.out[2], l0*c.out[2]*c.filters
			var other []float32
			if v := residual(); v != nil {
				other = v[offset:][:pixels*c.filters]
			}
			if c.direct {
				if err := c.multiplyBytes(s, ending, &x, &y, other, t, pixels, offset); err != nil {
					(*pool).fail(err)
					return
				}
				continue
			}
			image := c.image(s, &x, t, s.framed == t+1)
			s.framed = t + 1
			block := y.room(&s.block, offset, offset+pixels*c.filters)
			if err := c.multiply(s, ending, block, other, image, c.bases[t%c.parts], pixels, col, min(c.cols, c.filters-col)); err != nil {
				(*pool).fail(err)
				return
			}
			if p.Norm != nil {
				v, w := scale(), shift()
				vector.NormalizeRows(block, block, v, w, c.filters, pixels, p.Norm.Epsilon)
			}
			y.finish(block, offset, c.filters, ending.last)
		}
	})
	afresh := func() error {
		for _, s := range weights.scratch {
			s.framed = 0
		}
		return loop()
	}
	if b.Constant(1) != nil {
		return afresh, nil
	}
	filters, shape := b.in(1), b.Shape(1)
	var buffer []float32
	return func() error {
		t := graph.Floats(filters(), shape...)
		for group := range c.groups {
			var err error
			c.stored.first = group * c.stored.n * c.stored.k
			if c.packed[group], err = c.stored.pack(t, &buffer); err != nil {
				return err
			}
		}
		return afresh()
	}, nil
}

func buildConvTranspose(b *builder) (func() error, error) {
	p := b.Step.Params.(*operator.ConvParams)
	if graph.Count(b.OutShape(0)) == 0 {
		return func() error { return nil }, nil
	}
	if p.ChannelsLast {
		return buildPhases(b, p)
	}
	return buildSpreading(b, p)
}

func grow(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}
