// Residual and ConvNeXt networks of all families, one builder each.

package checkpoint

import (
	"fmt"
	"math"
	"strings"

	"repscope/model/graph"
)

// cnn is a convolutional network under construction.
type cnn struct {
	*builder
	family      *family
	channels    int
	padding     string  // of convolutions with a stride
	normEpsilon float32 // of batch normalizations
	epsilon     float32 // of layer normalizations but the last
	standard    bool    // weights of convolutions are brought to mean 0 and variance 1
}

// Paddings of a convolution with a stride: half the kernel on all sides; as TensorFlow's SAME does for the size; or one
// less above and to the left.
const (
	paddedEvenly = "even"
	paddedSame   = "same"
	paddedEnd    = "end"
)

// convolve applies a convolution to the last value [B, C, H, W] and returns its outputs; groups follow from
// the shape.
func (c *cnn) convolve(name string, stride, pad int) (int, error) {
	shape, err := c.convWeights(name + ".weight")
	if err != nil {
		return 0, err
	}
	if shape[2] != shape[3] || c.channels%shape[1] != 0 {
		return 0, fmt.Errorf("tensor %q has shape %v, want a square kernel over %d channels or a divisor of them",
			c.prefix+name+".weight", shape, c.channels)
	}
	if pad < 0 {
		pad = shape[2] / 2
	}
	s, p := int64(stride), int64(pad)
	attributes := map[string]graph.Attribute{"strides": integers(s, s), "pads": integers(p, p, p, p),
		"group": integer(int64(c.channels / shape[1]))}
	if stride > 1 && c.padding == paddedSame {
		delete(attributes, "pads")
		attributes["auto_pad"] = word("SAME_UPPER")
	} else if stride > 1 && c.padding == paddedEnd && p > 0 {
		attributes["pads"] = integers(p-1, p-1, p, p)
	}
	inputs := []string{name + ".weight"}
	if c.has(name + ".bias") {
		if _, err := c.tensor(name+".bias", shape[0]); err != nil {
			return 0, err
		}
		inputs = append(inputs, name+".bias")
	}
	c.node("Conv", name, attributes, inputs...)
	c.channels = shape[0]
	return shape[2], nil
}

// convWeights takes the weights of a convolution and returns their shape.
func (c *cnn) convWeights(key string) ([]int, error) {
	if !c.standard {
		return c.tensor(key, free, free, free, free)
	}
	values, shape, err := c.read(key, free, free, free, free)
	if err != nil {
		return nil, err
	}
	each := len(values) / shape[0]
	for first := 0; first < len(values); first += each {
		filter := values[first : first+each]
		sum, squares := 0.0, 0.0
		for _, x := range filter {
			sum += float64(x)
		}
		mean := sum / float64(each)
		for _, x := range filter {
			squares += (float64(x) - mean) * (float64(x) - mean)
		}
		factor := 1 / math.Sqrt(squares/float64(each)+1e-8)
		for i, x := range filter {
			filter[i] = float32((float64(x) - mean) * factor)
		}
	}
	c.model.Parameters += len(values)
	c.graph.Constants[key] = graph.Floats(values, shape...)
	return shape, nil
}

// batchNorm normalizes by the statistics in the file.
func (c *cnn) batchNorm(name string) error {
	names := []string{name + ".weight", name + ".bias", name + ".running_mean", name + ".running_var"}
	if err := c.tensors([]int{c.channels}, names...); err != nil {
		return err
	}
	c.used[c.prefix+name+".num_batches_tracked"] = true
	c.model.Parameters -= 2 * c.channels // the statistics are no parameters
	c.node("BatchNormalization", name, map[string]graph.Attribute{"epsilon": number(c.normEpsilon)}, names...)
	return nil
}

// smallestFrame is the least height and width of frames.
const smallestFrame = 32

// images is the input [B, C, H, W] of frames of some channels.
func (c *cnn) images(channels int) {
	size := func(name string) graph.Dim { return graph.Dim{Name: name, Size: -1} }
	c.input(size("batch"), graph.Dim{Size: channels}, size("height"), size("width"))
	c.model.State = []int{channels, 224, 224}
	c.model.Check = func(shape []int) error {
		if len(shape) == 4 && min(shape[2], shape[3]) < smallestFrame {
			return fmt.Errorf("frames of %d×%d: want at least %d×%d, as the network halves them five times", shape[2],
				shape[3], smallestFrame, smallestFrame)
		}
		return nil
	}
	c.channels = channels
}

// newCNN begins a network with the input of a first convolution.
func newCNN(b *builder, f *family) (*cnn, error) {
	c := &cnn{builder: b, family: f, padding: paddedEvenly, normEpsilon: 1e-5, epsilon: blockEpsilon}
	if err := b.refuseHeads(); err != nil {
		return nil, err
	}
	if err := b.refuseFinal(); err != nil {
		return nil, err
	}
	first := f.name("stem") + ".weight"
	t, err := b.find(first, free, free, free, free)
	if err != nil {
		return nil, err
	}
	c.images(t.Shape[1])
	return c, nil
}

// buildResNet is [B, C, H, W] → [B, D]: a convolution of 7×7, a maximum of 3×3, four stages of basic blocks or
// bottlenecks, the mean over positions. Widths, depths and groups come from the tensors.
func buildResNet(b *builder, f *family) error {
	if b.options.Activation != "" {
		return fmt.Errorf("activation %q: the architecture has ReLU", b.options.Activation)
	}
	c, err := newCNN(b, f)
	if err != nil {
		return err
	}
	if err := c.stem(); err != nil {
		return err
	}
	b.node("MaxPool", "maxpool", map[string]graph.Attribute{"kernel_shape": integers(3, 3), "strides": integers(2, 2),
		"pads": integers(1, 1, 1, 1)})
	for stage := range 4 {
		for block := 0; block == 0 || c.has(f.name("conv1", stage, block)+".weight"); block++ {
			if err := c.residual(stage, block); err != nil {
				return err
			}
		}
	}
	c.mean("avgpool")
	b.output(b.last)
	return nil
}

// stem is a convolution of 7×7, or three of 3×3, each with a normalization and ReLU; the first one has a stride.
func (c *cnn) stem() error {
	want, stride := 7, 2
	if c.family.has("stem2") {
		want = 3
	}
	for _, number := range []string{"", "2", "3"} {
		name, norm := c.family.names["stem"+number], c.family.names["stem_norm"+number]
		if name == "" {
			break
		}
		kernel, err := c.convolve(name, stride, -1)
		if err != nil {
			return err
		}
		if kernel != want {
			return fmt.Errorf("tensor %q has a kernel of %d×%d, want %d×%d: a stem for small images, whose stride no "+
				"tensor records; export the model to ONNX", c.prefix+name+".weight", kernel, kernel, want, want)
		}
		if err := c.batchNorm(norm); err != nil {
			return err
		}
		c.node("Relu", norm, nil)
		stride = 1
	}
	return nil
}

// residual is relu(shortcut(x) + convolutions(x)). The convolution of 3×3 has the stride of a stage, and the last
// normalization no ReLU.
func (c *cnn) residual(stage, block int) error {
	f := c.family
	stride := 1
	if stage > 0 && block == 0 {
		stride = 2
	}
	x, inputs := c.last, c.channels
	count := 2
	if c.has(f.name("conv3", stage, block) + ".weight") {
		count = 3
	}
	for k := range count {
		part, norm := fmt.Sprintf("conv%d", k+1), fmt.Sprintf("norm%d", k+1)
		s := 1
		if k == count-2 {
			s = stride
		}
		if _, err := c.convolve(f.name(part, stage, block), s, -1); err != nil {
			return err
		}
		if err := c.batchNorm(f.name(norm, stage, block)); err != nil {
			return err
		}
		if k < count-1 {
			c.node("Relu", f.name(norm, stage, block), nil)
		}
	}
	if reduce := c.part(f, "reduce", stage, block); reduce != "" {
		if err := c.excite(reduce, f.name("expand", stage, block), "Relu", "Sigmoid"); err != nil {
			return err
		}
	}
	body, outputs := c.last, c.channels
	c.last, c.channels = x, inputs
	if err := c.shortcut(stage, block, stride); err != nil {
		return err
	}
	if c.channels != outputs {
		return fmt.Errorf("%s: a block of %d channels after %d has no shortcut",
			c.prefix+f.name("block", stage, block), outputs, c.channels)
	}
	c.apply("Add", f.name("block", stage, block), nil, body, c.last)
	c.node("Relu", f.name("block", stage, block), nil)
	return nil
}

// shortcut brings the input of a block to its outputs: by a convolution with the stride, or one after a mean of 2×2.
func (c *cnn) shortcut(stage, block, stride int) error {
	name, norm := c.family.name("shortcut", stage, block), c.family.name("shortcut_norm", stage, block)
	if pooled := c.part(c.family, "pooled", stage, block); pooled != "" && !c.has(name+".weight") {
		name, norm = pooled, c.family.name("pooled_norm", stage, block)
		if stride > 1 {
			c.node("AveragePool", name, map[string]graph.Attribute{"kernel_shape": integers(2, 2), "strides": integers(2, 2),
				"ceil_mode": integer(1), "count_include_pad": integer(0)})
		}
		stride = 1
	}
	if !c.has(name + ".weight") {
		return nil
	}
	if _, err := c.convolve(name, stride, 0); err != nil {
		return err
	}
	return c.batchNorm(norm)
}

// activateAs applies an operator of one element, "" for none.
func (c *cnn) activateAs(op, where string) {
	switch op {
	case "":
	case "Clip":
		c.node(op, where, nil, c.bound(0), c.bound(6))
	case "HardSigmoid":
		c.node(op, where, map[string]graph.Attribute{"alpha": number(1.0 / 6), "beta": number(0.5)})
	default:
		c.node(op, where, nil)
	}
}

// bound is a constant without axes.
func (c *cnn) bound(x float32) string {
	name := c.scalar(x)
	c.graph.Constants[name].Shape = []int{}
	return name
}

// excite multiplies each channel by a factor of the means of all: two products, each with an activation.
func (c *cnn) excite(reduce, expand, squeeze, gate string) error {
	x, channels := c.last, c.channels
	c.node("ReduceMean", reduce, nil, c.ints(2, 3))
	if _, err := c.convolve(reduce, 1, 0); err != nil {
		return err
	}
	c.activateAs(squeeze, reduce)
	if _, err := c.convolve(expand, 1, 0); err != nil {
		return err
	}
	if c.channels != channels {
		return fmt.Errorf("tensor %q has %d rows, want %d", c.prefix+expand+".weight", c.channels, channels)
	}
	c.activateAs(gate, expand)
	c.apply("Mul", expand, nil, x, c.last)
	return nil
}

// mean is the mean over positions: [B, C] of [B, C, H, W].
func (c *cnn) mean(where string) {
	c.node("ReduceMean", where, map[string]graph.Attribute{"keepdims": integer(0)}, c.ints(2, 3))
}

// buildConvNeXt is [B, C, H, W] → [B, D]: patches, four stages of blocks with a normalization and a convolution of
// 2×2 between them, the mean over positions, normalized. Version 2 has a normalization of responses in its blocks
// and no scale.
func buildConvNeXt(b *builder, f *family) error {
	label, err := b.label(f)
	if err != nil {
		return err
	}
	c, err := newCNN(b, f)
	if err != nil {
		return err
	}
	activation, err := b.activationOf(f)
	if err != nil {
		return err
	}
	otherwise := f.epsilon
	first := c.state[c.prefix+f.name("stem")+".weight"].Shape
	if strings.HasPrefix(b.settings.PublishedName(), "convnext_xxlarge") || first[0] == largestConvNeXt {
		c.epsilon, otherwise = 1e-5, 1e-5
	}
	for stage := range 4 {
		if err := c.shrink(stage); err != nil {
			return err
		}
		for block := 0; block == 0 || c.has(f.name("depthwise", stage, block)+".weight"); block++ {
			if err := c.nextBlock(stage, block, activation); err != nil {
				return err
			}
		}
	}
	if c.has(f.name("grn", 0, 0)+".weight") || c.has(f.name("grn", 0, 0)+".gamma") {
		label = "ConvNeXt V2"
	}
	b.model.Architecture, b.graph.Name = label, label
	c.mean("mean")
	epsilon, err := b.smallest(otherwise)
	if err != nil {
		return err
	}
	b.settings.Decide("layer_norm_eps", epsilon)
	if err := b.layerNorm(f.name("norm"), c.channels, epsilon); err != nil {
		return err
	}
	b.output(b.last)
	return nil
}

// blockEpsilon is the epsilon of all normalizations but the last. The model whose first stage has largestConvNeXt
// channels has 1e-5 in all (convnext_xxlarge of timm).
const blockEpsilon, largestConvNeXt = 1e-6, 384

// shrink is the stem before the first stage, and a normalization and a convolution before others.
func (c *cnn) shrink(stage int) error {
	f := c.family
	conv, norm := f.name(fmt.Sprintf("down%d", stage)), f.name(fmt.Sprintf("down_norm%d", stage))
	if stage > 0 {
		if err := c.channelNorm(norm); err != nil {
			return err
		}
	}
	t, err := c.find(conv+".weight", free, c.channels, free, free)
	if err != nil {
		return err
	}
	if _, err := c.convolve(conv, t.Shape[2], 0); err != nil {
		return err
	}
	if stage == 0 {
		return c.channelNorm(norm)
	}
	return nil
}

// channelNorm normalizes [B, C, H, W] over channels.
func (c *cnn) channelNorm(name string) error {
	c.node("Transpose", name, map[string]graph.Attribute{"perm": integers(0, 2, 3, 1)})
	if err := c.layerNorm(name, c.channels, c.epsilon); err != nil {
		return err
	}
	c.node("Transpose", name, map[string]graph.Attribute{"perm": integers(0, 3, 1, 2)})
	return nil
}

// nextBlock is x + scale·MLP(norm(depthwise(x))).
func (c *cnn) nextBlock(stage, block int, activation Activation) error {
	f := c.family
	x := c.last
	depthwise := f.name("depthwise", stage, block)
	if _, err := c.convolve(depthwise, 1, -1); err != nil {
		return err
	}
	c.node("Transpose", depthwise, map[string]graph.Attribute{"perm": integers(0, 2, 3, 1)})
	if err := c.layerNorm(f.name("block_norm", stage, block), c.channels, c.epsilon); err != nil {
		return err
	}
	fc1, fc2 := f.name("fc1", stage, block), f.name("fc2", stage, block)
	hidden, err := c.pointwise(fc1, free, c.channels)
	if err != nil {
		return err
	}
	c.activate(activation, fc1)
	if err := c.responses(f.name("grn", stage, block), hidden); err != nil {
		return err
	}
	if _, err := c.pointwise(fc2, c.channels, hidden); err != nil {
		return err
	}
	if err := c.scale(f.name("scale", stage, block)); err != nil {
		return err
	}
	name := f.name("block", stage, block)
	c.node("Transpose", name, map[string]graph.Attribute{"perm": integers(0, 3, 1, 2)})
	c.apply("Add", name, nil, x, c.last)
	return nil
}

// pointwise is a product over channels, whose weights may have the shape of a convolution of 1×1.
func (c *cnn) pointwise(name string, out, in int) (int, error) {
	t, ok := c.state[c.prefix+name+".weight"]
	if !ok || len(t.Shape) != 4 {
		return c.linear(name, out, in, true)
	}
	shape, err := c.tensor(name+".weight", out, in, 1, 1)
	if err != nil {
		return 0, err
	}
	c.graph.Constants[name+".weight"].Shape = []int{shape[0], in}
	c.node("Linear", name, nil, name+".weight", "")
	if _, err := c.tensor(name+".bias", shape[0]); err != nil {
		return 0, err
	}
	c.node("Add", name, nil, name+".bias")
	return shape[0], nil
}

// scale multiplies each channel, where the file has the factors.
func (c *cnn) scale(name string) error {
	if !c.has(name) {
		return nil
	}
	values, _, err := c.read(name, anyShape...)
	if err != nil {
		return err
	}
	if len(values) != c.channels {
		return fmt.Errorf("tensor %q has %d elements, want one for each of %d channels", c.prefix+name, len(values),
			c.channels)
	}
	c.model.Parameters += len(values)
	c.graph.Constants[name] = graph.Floats(values, c.channels)
	c.node("Mul", name, nil, name)
	return nil
}

// responses is the global response normalization of version 2, where the file has it: x + β + γ·x·n, n the norm of a
// channel over positions, divided by its mean over channels.
func (c *cnn) responses(name string, channels int) error {
	var parts [2]string
	for k, pair := range [2][2]string{{".weight", ".gamma"}, {".bias", ".beta"}} {
		for _, part := range pair {
			if c.has(name + part) {
				parts[k] = name + part
			}
		}
	}
	if parts[0] == "" || parts[1] == "" {
		return nil
	}
	for _, part := range parts {
		values, _, err := c.read(part, anyShape...)
		if err != nil {
			return err
		}
		if len(values) != channels {
			return fmt.Errorf("tensor %q has %d elements, want one for each of %d channels", c.prefix+part,
				len(values), channels)
		}
		c.model.Parameters += len(values)
		c.graph.Constants[part] = graph.Floats(values, channels)
	}
	x := c.last
	norm := c.node("ReduceL2", name, nil, c.ints(1, 2))
	c.node("ReduceMean", name, nil, c.ints(-1))
	mean := c.node("Add", name, nil, c.scalar(1e-6))
	c.apply("Div", name, nil, norm, mean)
	c.apply("Mul", name, nil, x, c.last)
	c.node("Mul", name, nil, parts[0])
	c.node("Add", name, nil, parts[1])
	c.apply("Add", name, nil, c.last, x)
	return nil
}
