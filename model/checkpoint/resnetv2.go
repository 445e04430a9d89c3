// Residual networks that normalize before their convolutions: ResNetV2, and Big Transfer with groups.

package checkpoint

import (
	"fmt"

	"repscope/model/graph"
)

// groupsOfBiT is the number of groups of the normalizations of Big Transfer.
const groupsOfBiT = 32

// buildResNetV2 is [B, C, H, W] → [B, D]: a convolution of 7×7, a maximum of 3×3, four stages of blocks, a
// normalization, the mean over positions. Without batch normalization it is Big Transfer (BiT): normalizations of
// groups of channels, and weights of mean 0 and variance 1.
func buildResNetV2(b *builder, f *family) error {
	if b.options.Activation != "" {
		return fmt.Errorf("activation %q: the architecture has ReLU", b.options.Activation)
	}
	c, err := newCNN(b, f)
	if err != nil {
		return err
	}
	c.standard = !c.has(f.name("last") + ".running_mean")
	kernel, err := c.convolve(f.name("stem"), 2, -1)
	if err != nil {
		return err
	}
	if kernel != 7 {
		return fmt.Errorf("tensor %q has a kernel of %d×%d, want 7×7; %s", c.prefix+f.name("stem")+".weight", kernel, kernel,
			exportHint)
	}
	pool := map[string]graph.Attribute{"kernel_shape": integers(3, 3), "strides": integers(2, 2)}
	if c.standard { // the padding is 0, which may be the largest
		b.node("Pad", "maxpool", nil, b.ints(0, 0, 1, 1, 0, 0, 1, 1))
	} else {
		pool["pads"] = integers(1, 1, 1, 1)
	}
	b.node("MaxPool", "maxpool", pool)
	for stage := range 4 {
		for block := 0; block == 0 || c.has(f.name("conv1", stage, block)+".weight"); block++ {
			if err := c.preactivated(stage, block); err != nil {
				return err
			}
		}
	}
	if err := c.activatedNorm(f.name("last")); err != nil {
		return err
	}
	c.mean("avgpool")
	b.output(b.last)
	return nil
}

// activatedNorm is a normalization and ReLU.
func (c *cnn) activatedNorm(name string) error {
	norm := c.batchNorm
	if c.standard {
		norm = c.groupNorm
	}
	if err := norm(name); err != nil {
		return err
	}
	c.node("Relu", name, nil)
	return nil
}

// groupNorm normalizes groups of channels.
func (c *cnn) groupNorm(name string) error {
	weight, bias := name+".weight", name+".bias"
	if c.channels%groupsOfBiT != 0 {
		return fmt.Errorf("tensor %q has %d elements, want a multiple of %d groups; %s", c.prefix+weight, c.channels,
			groupsOfBiT, exportHint)
	}
	if err := c.tensors([]int{c.channels}, weight, bias); err != nil {
		return err
	}
	for _, key := range []string{weight, bias} {
		c.graph.Constants[key].Shape = []int{c.channels, 1, 1}
	}
	x, ones := c.last, make([]float32, groupsOfBiT)
	for i := range ones {
		ones[i] = 1
	}
	shape := c.apply("Shape", name, nil, x)
	c.apply("Reshape", name, nil, x, c.ints(0, groupsOfBiT, -1))
	c.node("InstanceNormalization", name, map[string]graph.Attribute{"epsilon": number(c.normEpsilon)},
		c.floats(ones, groupsOfBiT), c.floats(make([]float32, groupsOfBiT), groupsOfBiT))
	c.node("Reshape", name, nil, shape)
	c.node("Mul", name, nil, weight)
	c.node("Add", name, nil, bias)
	return nil
}

// preactivated is shortcut + convolutions, each after a normalization and ReLU. The shortcut of a
// block that changes the shape begins behind the first one.
func (c *cnn) preactivated(stage, block int) error {
	f := c.family
	stride, count := 1, 2
	if stage > 0 && block == 0 {
		stride = 2
	}
	if c.has(f.name("conv3", stage, block) + ".weight") {
		count = 3
	}
	x, inputs := c.last, c.channels
	if err := c.activatedNorm(f.name("norm1", stage, block)); err != nil {
		return err
	}
	if shortcut := f.name("shortcut", stage, block); c.has(shortcut + ".weight") {
		active := c.last
		if _, err := c.convolve(shortcut, stride, 0); err != nil {
			return err
		}
		x, c.last, c.channels = c.last, active, inputs
		inputs = c.graph.Constants[shortcut+".weight"].Shape[0]
	}
	for k := range count {
		if k > 0 {
			if err := c.activatedNorm(f.name(fmt.Sprintf("norm%d", k+1), stage, block)); err != nil {
				return err
			}
		}
		s := 1
		if k == count-2 {
			s = stride
		}
		if _, err := c.convolve(f.name(fmt.Sprintf("conv%d", k+1), stage, block), s, -1); err != nil {
			return err
		}
	}
	if c.channels != inputs {
		return fmt.Errorf("%s: a block of %d channels after %d has no shortcut", c.prefix+f.name("block", stage, block),
			c.channels, inputs)
	}
	c.apply("Add", f.name("block", stage, block), nil, x, c.last)
	return nil
}
