// Convolutional encoders of agents that learn from pixels: the network of deep Q-learning ("Nature CNN") and the
// residual one of IMPALA, in the layouts of several libraries.

package checkpoint

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"repscope/model/graph"
)

// The kernels and strides of the three convolutions of a deep Q-network.
var dqnKernels, dqnStrides = []int{8, 4, 3}, []int{4, 2, 1}

// pixelNote is for encoders whose training code scales pixels before the network.
const pixelNote = "the training code divides pixels by 255: use --input-scale unit"

// buildDQN is the convolutional encoder of deep Q-networks, [B, 4, 84, 84] → [B, 512]: kernels 8, 4, 3 with strides
// 4, 2, 1, a ReLU after each, one linear layer, and a last ReLU that a variant lacks.
func buildDQN(b *builder) error {
	return b.deepQ([]string{"conv1", "conv2", "conv3"}, "fc_enc")
}

// buildNature is [buildDQN] in the layout of a family.
func buildNature(b *builder, f *family) error {
	b.model.Notes = append(b.model.Notes, pixelNote)
	return b.deepQ([]string{f.name("conv1"), f.name("conv2"), f.name("conv3")}, f.name("fc"))
}

// natureKernels accepts the kernels of a deep Q-network in a sequence of layers without names.
func natureKernels(state State, prefix string) bool {
	for i, k := range dqnKernels {
		shape := state[prefix+strconv.Itoa(2*i)+".weight"].Shape
		if len(shape) != 4 || shape[2] != k || shape[3] != k {
			return false
		}
	}
	return len(state[prefix+"7.weight"].Shape) == 2
}

// deepQ builds a deep Q-network of the names of its convolutions and its linear layer.
func (b *builder) deepQ(convs []string, linear string) error {
	if b.options.Activation != "" {
		return fmt.Errorf("activation %q: the architecture has ReLU", b.options.Activation)
	}
	if err := b.refuseHeads(); err != nil {
		return err
	}
	final, err := b.finalActivation()
	if err != nil {
		return err
	}
	b.last = "x"
	inputs, channels := 0, free
	for i, name := range convs {
		w, err := b.tensor(name+".weight", free, channels, dqnKernels[i], dqnKernels[i])
		if err != nil {
			return err
		}
		if i == 0 {
			inputs = w[1]
		}
		channels = w[0]
		if _, err := b.tensor(name+".bias", channels); err != nil {
			return err
		}
		s := int64(dqnStrides[i])
		b.node("Conv", name, map[string]graph.Attribute{"strides": integers(s, s)}, name+".weight", name+".bias")
		b.node("Relu", name, nil)
	}
	sizes := func(h, w int) (int, int) {
		for i, k := range dqnKernels {
			h, w = max(0, (h-k)/dqnStrides[i]+1), max(0, (w-k)/dqnStrides[i]+1)
		}
		return h, w
	}
	return b.agentEnd(agentHead{linear, final, inputs, channels, 36, sizes})
}

// agentHead is what follows the convolutions of an agent.
type agentHead struct {
	linear           string
	final            Activation
	inputs, channels int
	smallest         int                       // least height and width of frames
	sizes            func(h, w int) (int, int) // of the last map, from the sizes of a frame
}

// agentEnd flattens the last value and applies a linear layer and an activation; the input are images [B, C, H, W].
func (b *builder) agentEnd(a agentHead) error {
	fc, err := b.tensor(a.linear+".weight", free, free)
	if err != nil {
		return err
	}
	if _, err := b.tensor(a.linear+".bias", fc[0]); err != nil {
		return err
	}
	b.node("Flatten", "flatten", nil)
	b.node("Gemm", a.linear, map[string]graph.Attribute{"transB": integer(1)}, a.linear+".weight", a.linear+".bias")
	b.activate(a.final, a.linear)
	out := b.last
	size := func(name string) graph.Dim { return graph.Dim{Name: name, Size: -1} }
	b.input(size("batch"), graph.Dim{Size: a.inputs}, size("height"), size("width"))
	b.output(out)
	want := ""
	for _, side := range []int{84, 64, 96, 128} {
		if h, w := a.sizes(side, side); h*w*a.channels == fc[1] {
			b.model.State, want = []int{a.inputs, side, side}, fmt.Sprintf(": want frames such as %d×%d", side, side)
			break
		}
	}
	b.model.Check = func(shape []int) error {
		if len(shape) != 4 {
			return nil
		}
		if min(shape[2], shape[3]) < a.smallest {
			return fmt.Errorf("frames of %d×%d are too small%s", shape[2], shape[3], want)
		}
		if h, w := a.sizes(shape[2], shape[3]); h*w*a.channels != fc[1] {
			return fmt.Errorf("frames of %d×%d give %d features, the weights take %d (tensor %q)%s", shape[2], shape[3],
				h*w*a.channels, fc[1], b.prefix+a.linear+".weight", want)
		}
		return nil
	}
	return nil
}

// agentMLP is the family of the layers of agents of vectors, as Stable-Baselines3 names them.
func agentMLP(layers, activation string, headed bool, outside ...string) family {
	return family{label: "MLP of an agent", build: buildMLP, input: "[B, N]", output: vector, activation: activation,
		headed: headed, names: parts("layer=" + layers + ".*"), signature: []string{layers + ".0.weight"},
		accepts: func(state State, _ string) bool {
			for key := range state {
				if strings.Contains(key, "features_extractor.") { // of images
					return false
				}
			}
			return true
		}, outside: outside}
}

// buildMLP is [B, N] → [B, D]: linear layers, each with an activation, up to the head.
func buildMLP(b *builder, f *family) error {
	if err := cmp.Or(b.refuseHeads(), b.refuseFinal()); err != nil {
		return err
	}
	activation, err := b.activationOr(f.activation, "activation")
	if err != nil {
		return err
	}
	const step = 2 // from a layer to the next one, over an activation
	end := 0
	for b.has(f.name("layer", end) + ".weight") {
		end += step
	}
	if f.headed {
		if end -= step; end == 0 {
			return fmt.Errorf("tensor %q is the only layer, and a head", b.prefix+f.name("layer", 0)+".weight")
		}
		b.used[b.prefix+f.name("layer", end)+".weight"], b.used[b.prefix+f.name("layer", end)+".bias"] = true, true
	}
	first, err := b.find(f.name("layer", 0)+".weight", free, free)
	if err != nil {
		return err
	}
	width := first.Shape[1]
	b.input(graph.Dim{Name: "batch", Size: -1}, graph.Dim{Size: width})
	b.model.State, b.model.Check = []int{width}, func([]int) error { return nil }
	for i := 0; i < end; i += step {
		name := f.name("layer", i)
		w, err := b.tensor(name+".weight", free, width)
		if err != nil {
			return err
		}
		if width = w[0]; width > 0 {
			_, err = b.tensor(name+".bias", width)
		}
		if err != nil {
			return err
		}
		b.node("Gemm", name, map[string]graph.Attribute{"transB": integer(1)}, name+".weight", name+".bias")
		b.activate(activation, name)
	}
	b.output(b.last)
	return nil
}

// buildIMPALA is [B, C, H, W] → [B, D]: sequences of a convolution, a maximum of 3×3 that halves the map, and two
// residual blocks; ReLU, a linear layer, ReLU.
func buildIMPALA(b *builder, f *family) error {
	if b.options.Activation != "" {
		return fmt.Errorf("activation %q: the architecture has ReLU", b.options.Activation)
	}
	b.model.Notes = append(b.model.Notes, pixelNote)
	final, err := b.finalActivation()
	if err != nil {
		return err
	}
	if err := b.refuseHeads(); err != nil {
		return err
	}
	c := &cnn{builder: b, family: f, padding: paddedEvenly}
	first := 0
	if b.part(f, "conv", 0) == "" {
		first = 1 // some count from 1
	}
	t, err := b.find(f.name("conv", first)+".weight", free, free, 3, 3)
	if err != nil {
		return err
	}
	inputs, sequences := t.Shape[1], 0
	c.last, c.channels = "x", inputs
	for i := first; i == first || b.part(f, "conv", i) != ""; i++ {
		sequences++
		if err := c.impalaSequence(i); err != nil {
			return err
		}
	}
	b.node("Relu", "relu", nil)
	sizes := func(h, w int) (int, int) { return ceilHalves(h, sequences), ceilHalves(w, sequences) }
	linear := f.name("fc")
	if linear == "5" { // the number of a layer after the sequences, a flattening and an activation
		linear = strconv.Itoa(sequences + 2)
	}
	return b.agentEnd(agentHead{linear, final, inputs, c.channels, 1, sizes})
}

// ceilHalves is n halved and rounded up, some times.
func ceilHalves(n, times int) int {
	for range times {
		n = (n + 1) / 2
	}
	return n
}

// impalaSequence is maximum(convolution(x)), then twice x + convolution(relu(convolution(relu(x)))).
func (c *cnn) impalaSequence(i int) error {
	f := c.family
	name := f.name("conv", i)
	if _, err := c.convolve(name, 1, -1); err != nil {
		return err
	}
	c.node("MaxPool", name, map[string]graph.Attribute{"kernel_shape": integers(3, 3), "strides": integers(2, 2),
		"pads": integers(1, 1, 1, 1)})
	for _, block := range [][2]string{{"res11", "res12"}, {"res21", "res22"}} {
		x, channels := c.last, c.channels
		for _, part := range block {
			c.node("Relu", f.name(part, i), nil)
			if _, err := c.convolve(f.name(part, i), 1, -1); err != nil {
				return err
			}
		}
		if c.channels != channels {
			return fmt.Errorf("tensor %q has %d rows, want %d", c.prefix+f.name(block[1], i)+".weight", c.channels, channels)
		}
		c.apply("Add", f.name(block[1], i), nil, x, c.last)
	}
	return nil
}
