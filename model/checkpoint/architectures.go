// The known convolutional architectures, one build function each.

package checkpoint

import (
	"fmt"
	"math"

	"repscope/model/graph"
)

// buildConvEncoder is [B, C, T, H, W] → [B, T, D], frame by frame: convolutions
// of kernel 4, stride 2, padding 1, each followed by the activation and a layer
// normalization over channels; then flatten, layer normalization, linear. The
// numbers of layers and channels, C and D come from the tensors.
func buildConvEncoder(b *builder) error {
	if err := b.refuseHeads(); err != nil {
		return err
	}
	activation, err := b.activation("ConvEncoder", "activation", "encoder_activation")
	if err != nil {
		return err
	}
	layers := b.layers("conv_layers", "weight")
	b.last = "frames"
	input, channels, err := b.convLayers(layers, activation)
	if err != nil {
		return err
	}
	if b.options.FinalActivation != "" {
		return fmt.Errorf("final activation %q: the architecture has no final activation", b.options.FinalActivation)
	}
	features, width, err := b.convHead(channels)
	if err != nil {
		return err
	}
	rows := b.last

	side := squareSide(features/channels) << layers
	if side > 0 {
		b.model.State = []int{input, 1, side, side}
	}
	size := func(name string) graph.Dim { return graph.Dim{Name: name, Size: -1} }
	b.input(size("batch"), graph.Dim{Size: input}, size("time"), size("height"), size("width"))
	shape := b.frames()
	for _, n := range b.graph.Nodes {
		for i, in := range n.Inputs {
			if in == "frames" {
				n.Inputs[i] = b.last
			}
		}
	}
	b.last = rows
	b.output(b.sequence(shape, width))
	b.model.Check = func(shape []int) error { return checkConvFrames(shape, layers, channels, features, side, b.prefix) }
	return nil
}

// convLayers applies the convolutions of a ConvEncoder to the last value and returns the
// channels that go in and come out.
func (b *builder) convLayers(layers int, activation Activation) (input, channels int, err error) {
	channels = free
	for i := range layers {
		conv, norm := fmt.Sprintf("conv_layers.%d", i), fmt.Sprintf("layer_norms.%d", i)
		w, err := b.tensor(conv+".weight", free, channels, 4, 4)
		if err != nil {
			return 0, 0, err
		}
		if i == 0 {
			input = w[1]
		}
		channels = w[0]
		if err := b.tensors([]int{channels}, conv+".bias", norm+".weight", norm+".bias"); err != nil {
			return 0, 0, err
		}
		b.node("Conv", conv, map[string]graph.Attribute{"strides": integers(2, 2), "pads": integers(1, 1, 1, 1)}, conv+".weight", conv+".bias")
		b.activate(activation, conv)
		b.node("Transpose", norm, map[string]graph.Attribute{"perm": integers(0, 2, 3, 1)})
		b.node("LayerNormalization", norm, map[string]graph.Attribute{"epsilon": number(1e-5)}, norm+".weight", norm+".bias")
		b.node("Transpose", norm, map[string]graph.Attribute{"perm": integers(0, 3, 1, 2)})
	}
	return input, channels, nil
}

// convHead makes rows [B·T, width] of frames with this many channels, each flattened to features.
func (b *builder) convHead(channels int) (features, width int, err error) {
	norm, err := b.tensor("final_norm.weight", free)
	if err != nil {
		return 0, 0, err
	}
	features = norm[0]
	if _, err := b.tensor("final_norm.bias", features); err != nil {
		return 0, 0, err
	}
	fc, err := b.tensor("fc.weight", free, features)
	if err != nil {
		return 0, 0, err
	}
	if _, err := b.tensor("fc.bias", fc[0]); err != nil {
		return 0, 0, err
	}
	if features%channels != 0 {
		return 0, 0, fmt.Errorf("tensor %q has shape %v, want a multiple of the %d channels", b.prefix+"final_norm.weight", norm, channels)
	}
	b.node("Reshape", "flatten", nil, b.ints(-1, int64(features)))
	b.node("LayerNormalization", "final_norm", map[string]graph.Attribute{"epsilon": number(1e-5)}, "final_norm.weight", "final_norm.bias")
	b.node("Gemm", "fc", map[string]graph.Attribute{"transB": integer(1)}, "fc.weight", "fc.bias")
	return features, fc[0], nil
}

// checkConvFrames checks that the frames of an input [B, C, T, H, W] give a ConvEncoder as many features as its weights
// have; side is the side of a square frame that does, or 0.
func checkConvFrames(shape []int, layers, channels, features, side int, prefix string) error {
	if len(shape) != 5 {
		return nil // the graph has a better error
	}
	h, w := shape[3]>>layers, shape[4]>>layers
	if h*w*channels == features {
		return nil
	}
	want := ""
	if side > 0 {
		want = fmt.Sprintf(", such as %d×%d", side, side)
	}
	return fmt.Errorf("frames of %d×%d give %d features, the weights take %d (tensor %q): want frames%s", shape[3], shape[4],
		h*w*channels, features, prefix+"final_norm.weight", want)
}

// frames makes a batch of frames [B·T, C, H, W] of the input [B, C, T, H, W] and
// returns the shape [B, T, C, H, W] as a value.
func (b *builder) frames() (shape string) {
	b.node("Transpose", "frames", map[string]graph.Attribute{"perm": integers(0, 2, 1, 3, 4)})
	clips := b.last
	shape = b.apply("Shape", "frames", nil, clips)
	image := b.apply("Slice", "frames", nil, shape, b.ints(2), b.ints(5))
	target := b.apply("Concat", "frames", map[string]graph.Attribute{"axis": integer(0)}, b.ints(-1), image)
	b.apply("Reshape", "frames", nil, clips, target)
	return shape
}

// sequence makes clips [B, T, width] of the last value, rows [B·T, width] in the order of frames.
func (b *builder) sequence(shape string, width int) string {
	rows := b.last
	head := b.apply("Slice", "sequence", nil, shape, b.ints(0), b.ints(2))
	target := b.apply("Concat", "sequence", map[string]graph.Attribute{"axis": integer(0)}, head, b.ints(int64(width)))
	return b.apply("Reshape", "sequence", nil, rows, target)
}

// refuseHeads is for architectures without attention.
func (b *builder) refuseHeads() error {
	if b.options.Heads != 0 {
		return fmt.Errorf("heads %d: the architecture has no attention", b.options.Heads)
	}
	return nil
}

// refuseFinal is for architectures without a final activation.
func (b *builder) refuseFinal() error {
	if b.options.FinalActivation != "" {
		return fmt.Errorf("final activation %q: the architecture has no final activation", b.options.FinalActivation)
	}
	return nil
}

// squareSide is √n if that is an integer, else 0.
func squareSide(n int) int {
	if s := int(math.Round(math.Sqrt(float64(n)))); s*s == n {
		return s
	}
	return 0
}
