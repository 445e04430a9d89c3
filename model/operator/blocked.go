// The operators of ONNX Runtime's domain of images whose channels lie in blocks, which its optimizer writes at
// ORT_ENABLE_ALL. A value of shape [N, C, H, W] lies in memory as [N, C/block, H, W, block]. Operators of ONNX between
// them, such as sums, see that memory; so each of these operators takes its input apart and joins its result.

package operator

import (
	"maps"
	"slices"
	"strings"

	"repscope/model/graph"
)

// blockedDomain is the domain.
const blockedDomain = "com.microsoft.nchwc"

var blockedRows = slices.Concat(
	blockedRow("Conv", between(2, 4), windowAttributes("activation", "activation_params", "group")...),
	blockedRow("MaxPool", exactly(1), windowAttributes("ceil_mode", "storage_order")...),
	blockedRow("AveragePool", exactly(1), windowAttributes("ceil_mode", "count_include_pad")...),
	blockedRow("GlobalMaxPool", exactly(1)),
	blockedRow("GlobalAveragePool", exactly(1)),
	blockedRow("Upsample", exactly(1), "coordinate_transformation_mode", "mode", "scales"),
	blockedRow("ReorderInput", exactly(1), "channels_last"),
	blockedRow("ReorderOutput", exactly(1), "channels", "channels_last"),
)

// blockedRow are the rows of an operator, in a file and after findBlocks.
func blockedRow(name string, inputs [2]int, attributes ...string) []tableRow {
	file := tableRow{Name: name, Domain: blockedDomain, Types: "f", Note: "where the file shows the size of blocks",
		Inputs: inputs, Outputs: 1, Attributes: attributes, NoFold: true, infer: inferUnwritten}
	solved := file
	solved.Name, solved.Domain, solved.infer = blockedPrefix+name, own, inferBlocked
	solved.Types, solved.Note = "", ""
	solved.Attributes = append(slices.Clone(attributes), blockAttribute, plainAttribute)
	return []tableRow{file, solved}
}

const (
	blockedPrefix  = "Blocked"
	blockAttribute = "block" // the number of channels of a block, 0 if it is not known
	plainAttribute = "plain" // weights are in the order of ONNX
	leastBlock     = 8       // of processors without AVX-512
	mostBlock      = 16
)

// blocks is what a graph tells about its blocks.
type blocks struct {
	g        *graph.Graph
	producer map[string]*graph.Node
	// inside are the values whose memory has blocks: results of the domain, and of others that read one.
	inside map[string]bool
}

// findBlocks finds how many channels a block has, gives the number to all nodes of the domain, and brings the weights
// of convolutions into the order of ONNX. The nodes of the graph are in order.
func findBlocks(g *graph.Graph) {
	b := &blocks{g: g, producer: map[string]*graph.Node{}, inside: map[string]bool{}}
	var nodes []*graph.Node
	for _, n := range g.Nodes {
		if n.Domain == blockedDomain {
			nodes = append(nodes, n)
		}
		inside := n.Domain == blockedDomain || slices.ContainsFunc(n.Inputs, func(in string) bool { return b.inside[in] })
		for _, out := range n.Outputs {
			b.producer[out] = n
			b.inside[out] = inside && n.Op != "ReorderOutput"
		}
	}
	if len(nodes) == 0 {
		return
	}
	size := 0
	for _, n := range g.Nodes {
		if size = b.shown(n); size > 0 {
			break
		}
	}
	if size == 0 && !slices.ContainsFunc(nodes, b.depends) {
		size = leastBlock
	}
	for _, n := range nodes {
		n.Written = n.Operator()
		n.Domain, n.Op, n.Attributes = own, blockedPrefix+n.Op, maps.Clone(n.Attributes)
		if n.Attributes == nil {
			n.Attributes = map[string]graph.Attribute{}
		}
		n.Attributes[blockAttribute] = graph.IntAttribute(size)
		if w := b.weights(n); w != nil && size > 0 {
			b.unblock(n, w, size)
		}
	}
}

// weights are the weights of a convolution that have the form of its domain, or nil.
func (b *blocks) weights(n *graph.Node) *graph.Tensor {
	if n.Op != "Conv" && n.Op != blockedPrefix+"Conv" || len(n.Inputs) < 2 || len(n.Outputs) == 0 {
		return nil
	}
	w := b.g.Constants[n.Inputs[1]]
	if w == nil || w.DType != graph.Float32 || len(w.Shape) != 4 || w.Shape[0]%leastBlock != 0 || w.Len() == 0 {
		return nil
	}
	return w
}

// depends reports whether results depend on the size of blocks: by weights of more than one number for each filter.
func (b *blocks) depends(n *graph.Node) bool {
	w := b.weights(n)
	return n.Op == "Conv" && (w == nil || w.Len() > w.Shape[0])
}

// grouped is the attribute group of a convolution.
func grouped(n *graph.Node) int64 {
	if a, ok := n.Attributes["group"]; ok {
		return a.Int
	}
	return 1
}

// shown is the number of channels of a block as a node proves it; 0 if blocks of both sizes are possible.
func (b *blocks) shown(n *graph.Node) int {
	if len(n.Inputs) == 0 {
		return 0
	}
	inside := b.inside[n.Inputs[0]]
	switch w := b.weights(n); {
	case inside && n.Op == "Reshape" && len(n.Inputs) == 2: // to [N, C/block, H, W, block]
		shape := b.g.Constants[n.Inputs[1]]
		if shape != nil && len(shape.I64) == 5 && (shape.I64[4] == leastBlock || shape.I64[4] == mostBlock) {
			return int(shape.I64[4])
		}
	case n.Domain != blockedDomain:
	case inside && n.Op == "ReorderOutput": // of a convolution with channels that are padding
		before, channels := b.producer[n.Inputs[0]], n.Attributes["channels"].Int
		if w := b.weights(before); w != nil && channels > 0 && int64(w.Shape[0])-channels >= leastBlock {
			return mostBlock
		}
	case w != nil:
		return shownByWeights(n, w, inside)
	}
	return 0
}

// shownByWeights is shown for a convolution; inside says that its input has blocks.
func shownByWeights(n *graph.Node, w *graph.Tensor, inside bool) int {
	switch {
	case w.Shape[0]%mostBlock != 0:
		return leastBlock
	case grouped(n) == 1 && w.Shape[1] > leastBlock && w.Shape[1] < mostBlock:
		return mostBlock // the channels of an input without blocks
	case grouped(n) == 1 && w.Shape[1] == leastBlock && inside:
		return leastBlock
	case grouped(n) == 1 && w.Shape[1] == leastBlock:
		return mostBlock
	case paddedBlock(w):
		return mostBlock
	}
	return 0
}

// paddedBlock reports whether the last 8 of the last 16 channels that come out are padding: of every 16 numbers there
// the last 8 are 0. In blocks of 8 these would be the weights of every second run of input channels.
func paddedBlock(w *graph.Tensor) bool {
	n := w.Len() / w.Shape[0] * mostBlock
	if !w.InParts() || n > graph.Resident {
		return false
	}
	last, err := w.Part(w.Len()-n, n, make([]float32, n))
	if err != nil {
		return false // whoever loads the weights reports it
	}
	some := false
	for i, v := range last {
		if i%mostBlock < leastBlock {
			some = some || v != 0
		} else if v != 0 {
			return false
		}
	}
	return some
}

// unblock gives a convolution its weights in the order of ONNX. Ones for a single channel, or for an input without
// blocks, have blocks of the channels that come out alone.
func (b *blocks) unblock(n *graph.Node, w *graph.Tensor, size int) {
	out, in, area := w.Shape[0], w.Shape[1], w.Shape[2]*w.Shape[3]
	inner := size
	switch {
	case grouped(n) == 1 && in < size || grouped(n) > 1 && in == 1:
		inner = 1
	case in%size != 0:
		return
	}
	if out%size != 0 {
		return
	}
	compute := func(dst, spare []float32) error {
		blocked, err := w.Load(spare)
		if err != nil {
			return err
		}
		i := 0
		for o := 0; o < out; o += size {
			for c := 0; c < in; c += inner {
				for a := range area {
					for k := range inner * size { // within a block, the channels that come out change fastest
						dst[((o+k%size)*in+c+k/size)*area+a] = blocked[i]
						i++
					}
				}
			}
		}
		return nil
	}
	plain := graph.DeferFrom([]*graph.Tensor{w}, compute, w.Shape...)
	if plain == nil {
		plain = graph.Floats(make([]float32, w.Len()), w.Shape...)
		if compute(plain.F32, nil) != nil {
			return
		}
	}
	name := "\x00unblocked\x00" + n.Outputs[0]
	b.g.Constants[name] = plain
	n.Inputs = slices.Clone(n.Inputs)
	n.Inputs[1] = name
	n.Attributes[plainAttribute] = graph.IntAttribute(1)
}

// unblocked brings a value [N, C, H, W] whose memory has blocks of channels into the order of its shape.
func (l *lowering) unblocked(x string, shape []int, block int) string {
	x = l.reshape(x, []int{shape[0], shape[1] / block, shape[2] * shape[3], block})
	return l.reshape(l.transpose(x, []int{0, 1, 3, 2}), shape)
}

// blocked gives a value [N, channels, H, W] memory with blocks of channels.
func (l *lowering) blocked(x string, channels, block int) string {
	y := l.add("Reshape", nil, x, l.constant(integerVector(0, channels/block, block, -1)))
	return l.add("Reshape", nil, l.transpose(y, []int{0, 1, 3, 2}), l.add("Shape", nil, x))
}

// inferBlocked is the operator of the name without "Blocked", between orders of memory.
func inferBlocked(c *context) {
	c.floats(0)
	block, x := c.integer(blockAttribute, 0), c.shape(0)
	if block == 0 {
		c.unsupported("the file does not tell whether blocks have 8 or 16 channels: save it again with " +
			"ORT_ENABLE_EXTENDED, or take the model as it was exported")
	}
	if len(x) != 4 {
		c.failf("input %v, want four axes", x)
	}
	l, op, in := c.lower(), strings.TrimPrefix(c.Node.Op, blockedPrefix), c.Node.Inputs[0]
	channels, plain := x[1], op == "ReorderInput"
	if op == "Conv" {
		channels, plain = c.blockedFilters(block), x[1] < block && c.integer("group", 1) == 1
	}
	if !plain {
		c.wantBlocks(0, block)
		in = l.unblocked(in, x, block)
	}
	attributes := c.passed(blockAttribute, plainAttribute, "activation", "activation_params")
	switch op {
	case "ReorderInput":
		in, channels = c.reordered(in, block)
	case "ReorderOutput":
		l.finish(c.unordered(in))
		return
	case "Conv":
		in = c.blockedConv(in, block, attributes)
	case "Upsample":
		in = c.blockedUpsample(in)
	default:
		in = l.add(op, attributes, in)
	}
	l.finish(l.blocked(in, channels, block))
}

// wantBlocks checks that input i has whole blocks.
func (c *context) wantBlocks(i, block int) {
	if s := c.shape(i); len(s) != 4 || s[1]%block != 0 {
		c.failf("input %d has shape %v, want four axes and a multiple of %d channels", i, s, block)
	}
}

// blockedFilters is the number of channels that a convolution makes.
func (c *context) blockedFilters(block int) int {
	if !c.flag(plainAttribute, false) {
		c.unsupported("weights %v that are not constants, or not in blocks of %d: %s", c.shape(1), block, unoptimized)
	}
	return c.shape(1)[0]
}

// blockedConv is a convolution, the sum with input 3, and an activation.
func (c *context) blockedConv(x string, block int, attributes map[string]graph.Attribute) string {
	l, in := c.lowered, slices.Clone(c.Node.Inputs[:min(len(c.Node.Inputs), 3)])
	in[0] = x
	y := l.add("Conv", attributes, in...)
	if c.has(3) {
		c.wantBlocks(3, block)
		y = l.add("Add", nil, y, l.unblocked(c.Node.Inputs[3], c.shape(3), block))
	}
	a, _ := c.attribute("activation_params", graph.AttributeFloats)
	return c.activated(y, a.Floats)
}

// reordered is the input of ReorderInput with channels first, as many as whole blocks have.
func (c *context) reordered(x string, block int) (string, int) {
	channels := c.shape(0)[1]
	if c.flag("channels_last", false) {
		channels = c.shape(0)[3]
		x = c.lowered.transpose(x, []int{0, 3, 1, 2})
	}
	whole := (channels + block - 1) / block * block
	if whole > channels {
		x = c.lowered.pad(x, 4, 1, 0, whole-channels, 0)
	}
	return x, whole
}

// unordered is the output of ReorderOutput: the channels that are no padding.
func (c *context) unordered(x string) string {
	channels, all := c.integer("channels", 0), c.shape(0)[1]
	if channels < 1 || channels > all {
		c.failf("channels is %d, want 1 to %d", channels, all)
	}
	if channels < all {
		x = c.lowered.slice(x, 1, 0, channels)
	}
	if c.flag("channels_last", false) {
		x = c.lowered.transpose(x, []int{0, 2, 3, 1})
	}
	return x
}

// blockedUpsample resizes by whole factors.
func (c *context) blockedUpsample(x string) string {
	factors, _ := c.integers("scales")
	mode, coordinates := c.text("mode", "nearest"), c.text("coordinate_transformation_mode", "asymmetric")
	if len(factors) != 4 || slices.Min(factors) < 1 || factors[0] != 1 || factors[1] != 1 {
		c.failf("scales are %v, want [1, 1, height, width]", factors)
	}
	var scales []float32
	for _, f := range factors {
		scales = append(scales, float32(f))
	}
	text := func(v string) graph.Attribute { return graph.Attribute{Kind: graph.AttributeString, String: v} }
	attributes := map[string]graph.Attribute{"mode": text(mode), "coordinate_transformation_mode": text(coordinates)}
	if mode == "nearest" {
		attributes["nearest_mode"], attributes["coordinate_transformation_mode"] = text("floor"), text("asymmetric")
	}
	return c.lowered.add("Resize", attributes, x, "", c.lowered.constant(graph.Floats(scales, 4)))
}
