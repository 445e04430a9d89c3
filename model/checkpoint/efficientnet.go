// EfficientNets and MobileNets: inverted residual blocks, with the strides and activations of the published models.

package checkpoint

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// inverted is a block: convolutions in their order, and the squeeze and excitation after one of them.
type inverted struct {
	name           string
	stage          int
	convs          []normalized
	reduce, expand string // of squeeze and excitation; "": none
	after          int    // index of the convolution before it
}

// normalized is the names of a convolution and of its batch normalization.
type normalized struct{ conv, norm string }

// inverse is a network of inverted residual blocks under construction.
type inverse struct {
	*cnn
	blocks  []inverted
	strides []int
	plain   int // stages with ReLU, of MobileNetV3
	act     string
	squeeze string // activation between the products of squeeze and excitation
	gate    string
}

// Layouts.
const (
	inverseTIMM    = `stem=conv_stem stem_norm=bn1 block=blocks.*.* top=conv_head top_norm=bn2 `
	inverseHugging = `stem=embeddings.convolution stem_norm=embeddings.batchnorm block=encoder.blocks.*
		top=encoder.top_conv top_norm=encoder.top_bn`
	inverseTorchvision = `stem=features.0.0 stem_norm=features.0.1 stages=1,2,3,4,5,6,7,8 block=features.@.*`
	inverseFlat        = `stem=features.0.0 stem_norm=features.0.1 block=features.*`
)

// inverseParts are the names of what blocks may have, for the recognition: with and without numbers of stages.
func inverseParts(layout string, suffixes string) map[string]string {
	var s strings.Builder
	s.WriteString(layout)
	for i, suffix := range strings.Fields(suffixes) {
		fmt.Fprintf(&s, " inner%d=.%s", i, suffix)
	}
	return parts(s.String())
}

const (
	timmInner    = `conv conv_exp conv_pw conv_dw conv_pwl bn1 bn2 bn3 se.conv_reduce se.conv_expand`
	huggingInner = `expansion.expand_conv expansion.expand_bn depthwise_conv.depthwise_conv depthwise_conv.depthwise_norm
		squeeze_excite.reduce squeeze_excite.expand projection.project_conv projection.project_bn`
	torchvisionInner = `block.0.0 block.0.1 block.0.fc1 block.0.fc2`
	flatInner        = torchvisionInner + ` 0 1`
)

// timmBlock is a block in the names of timm.
func timmBlock(b *builder, name string) (block inverted) {
	norm := 0
	for _, part := range []string{"conv", "conv_exp", "conv_pw", "conv_dw", "conv_pw", "conv_pwl"} {
		separable := !b.has(name + ".conv_pwl.weight")
		before := len(block.convs) > 0
		if !b.has(name+"."+part+".weight") || part == "conv_pw" && before != separable {
			continue
		}
		norm++
		block.convs = append(block.convs, normalized{name + "." + part, name + ".bn" + strconv.Itoa(norm)})
		if part == "conv_dw" || part == "conv_exp" {
			block.after = len(block.convs) - 1
		}
	}
	if b.has(name + ".se.conv_reduce.weight") {
		block.reduce, block.expand = name+".se.conv_reduce", name+".se.conv_expand"
	}
	return block
}

// huggingInverted is a block in the names of Hugging Face.
func huggingInverted(b *builder, name string) (block inverted) {
	for _, part := range []normalized{{"expansion.expand_conv", "expansion.expand_bn"},
		{"depthwise_conv.depthwise_conv", "depthwise_conv.depthwise_norm"},
		{"projection.project_conv", "projection.project_bn"}} {
		if conv := name + "." + part.conv; b.has(conv + ".weight") {
			block.convs = append(block.convs, normalized{conv, name + "." + part.norm})
		}
	}
	block.after = len(block.convs) - 2
	if b.has(name + ".squeeze_excite.reduce.weight") {
		block.reduce, block.expand = name+".squeeze_excite.reduce", name+".squeeze_excite.expand"
	}
	return block
}

// torchvisionBlock is a block in the names of torchvision, which numbers its parts.
func torchvisionBlock(b *builder, name string) (block inverted) {
	for i := range 4 {
		part := fmt.Sprintf("%s.block.%d", name, i)
		if b.has(part + ".0.weight") {
			block.convs = append(block.convs, normalized{part + ".0", part + ".1"})
		} else if b.has(part + ".fc1.weight") {
			block.reduce, block.expand, block.after = part+".fc1", part+".fc2", len(block.convs)-1
		}
	}
	return block
}

// blockReader finds the parts of a block by its name.
type blockReader func(b *builder, name string) inverted

// buildInverse builds a network of the blocks that a layout names.
func buildInverse(blockOf blockReader) func(b *builder, f *family) error {
	return func(b *builder, f *family) error {
		if b.options.Activation != "" {
			return fmt.Errorf("activation %q: the architecture has its own", b.options.Activation)
		}
		c, err := newCNN(b, f)
		if err != nil {
			return err
		}
		n := &inverse{cnn: c}
		if n.blocks, err = b.invertedBlocks(f, blockOf); err != nil {
			return err
		}
		if err := n.decide(); err != nil {
			return err
		}
		return n.build()
	}
}

// invertedBlocks lists the blocks of a file with their stages. Blocks that are numbered throughout begin a stage where
// the number of channels changes.
func (b *builder) invertedBlocks(f *family, blockOf blockReader) (list []inverted, err error) {
	add := func(stage int, index ...int) bool {
		block := blockOf(b, f.name("block", index...))
		block.name, block.stage = f.name("block", index...), stage
		if len(block.convs) > 0 {
			list = append(list, block)
		}
		return len(block.convs) > 0
	}
	if strings.Count(f.names["block"], "*")+strings.Count(f.names["block"], "@") == 2 {
		for stage := 0; stage < 7 && add(stage, stage, 0); stage++ {
			for i := 1; add(stage, stage, i); i++ {
			}
		}
	} else {
		first, stage, channels := 0, -1, 0
		if !b.has(f.name("block", 0)+".weight") && len(blockOf(b, f.name("block", 0)).convs) == 0 {
			first = 1 // the stem is number 0
		}
		for i := first; add(0, i); i++ {
			block := &list[len(list)-1]
			t, err := b.find(block.convs[len(block.convs)-1].conv+".weight", free, free, free, free)
			if err != nil {
				return nil, err
			}
			if t.Shape[0] != channels {
				stage, channels = stage+1, t.Shape[0]
			}
			block.stage = stage
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no block %q", b.prefix+f.name("block", 0, 0))
	}
	return list, nil
}

// published are the networks in this layout whose strides and activations are known, by the names of timm.
var published = regexp.MustCompile(`^(tf_)?(efficientnet_(b\d(_pruned)?|l2|lite\d)|` +
	`efficientnetv2_(b\d|s|m|l|xl|rw_t|rw_s|rw_m)|mobilenetv2_\w+|mobilenetv3_(large|small)_(050|075|100))$`)

// kernels of the stages of networks with ReLU6: MobileNetV2 and EfficientNet-Lite.
var kernelsOfReLU6 = []string{"3333333", "3353553"}

// kernelsOfMobile are the kernels of MobileNetV3, large and small, with the stages of timm and of torchvision.
var kernelsOfMobile = []string{"3353351", "335551", "335335", "33555"}

// decide finds strides, activations, padding and epsilon; no tensor has them.
func (n *inverse) decide() error {
	f := n.family
	name := n.settings.PublishedName()
	if name != "" && !published.MatchString(name) {
		return fmt.Errorf("the configuration has the architecture %q, whose strides and activations are not known; %s", name,
			exportHint)
	}
	squeezed, fused, kernels := 0, 0, ""
	for _, block := range n.blocks {
		if block.reduce != "" {
			squeezed++
		}
		dense := true // no convolution by channels
		side := 0
		for _, part := range block.convs {
			t, err := n.find(part.conv+".weight", free, free, free, free)
			if err != nil {
				return err
			}
			side = max(side, t.Shape[2])
			dense = dense && (t.Shape[1] > 1 || t.Shape[2] == 1)
		}
		if dense {
			fused++
		}
		if len(kernels) == block.stage {
			kernels += strconv.Itoa(side)
		}
	}
	stages := n.blocks[len(n.blocks)-1].stage + 1
	n.strides, n.act, n.squeeze, n.gate = []int{1, 2, 2, 2, 1, 2, 1}, "Silu", "Silu", "Sigmoid"
	label := "EfficientNet"
	hugging := f.has("top") && strings.HasPrefix(f.names["top"], "encoder.")
	mobile := f.has("top") && n.has(f.names["top"]+".bias") || f.names["block"] == "features.*"
	switch {
	case mobile && squeezed > 0 && slices.Contains(kernelsOfMobile, kernels):
		label, n.act, n.squeeze, n.gate, n.plain = "MobileNetV3", "HardSwish", "Relu", "HardSigmoid", 3
		if first := n.blocks[0]; first.reduce != "" { // the small one
			n.strides, n.plain = []int{2, 2, 2, 1, 2, 1}, 2
		}
	case squeezed == 0 && !mobile && !hugging && slices.Contains(kernelsOfReLU6, kernels):
		n.act = "Clip"
		label = map[string]string{"3333333": "MobileNetV2"}[kernels]
		if label == "" {
			label = "EfficientNet-Lite"
		}
	case squeezed > 0 && squeezed+fused == len(n.blocks) && fused > 0:
		label = "EfficientNetV2"
	case mobile || squeezed < len(n.blocks):
		return fmt.Errorf("%d of %d blocks have squeeze and excitation, and the kernels of the stages are %s: no known "+
			"network, so its activations are unknown; %s", squeezed, len(n.blocks), kernels, exportHint)
	}
	fewest := map[string]int{"EfficientNet": len(n.strides), "EfficientNetV2": 6}[label]
	if stages > len(n.strides) || stages < fewest {
		return fmt.Errorf("%d stages of blocks, want %d to %d: the strides are not known; %s", stages, fewest, len(n.strides),
			exportHint)
	}
	n.model.Architecture, n.graph.Name = label, label
	return n.decidePadding(name, label, hugging)
}

// decidePadding chooses the padding of strides and the epsilon of the normalizations.
func (n *inverse) decidePadding(name, label string, hugging bool) error {
	f := n.family
	switch {
	case hugging:
		n.padding, n.normEpsilon = paddedEnd, 1e-3
		epsilon, where, err := n.settings.Float("batch_norm_eps")
		if err != nil {
			return err
		}
		if where != "" {
			n.normEpsilon = float32(epsilon)
		}
	case f.has("top") && (strings.HasPrefix(name, "tf_") || strings.HasSuffix(name, "_pruned")):
		n.padding, n.normEpsilon = paddedSame, 1e-3
	case f.has("top"):
		if name == "" {
			n.warn("padding and epsilon as in timm's %s without tf_: no tensor records them; for a model with tf_ write "+
				"its name into a config.yaml next to the file, such as architecture: tf_efficientnet_b0", label)
		}
	case label != "EfficientNet":
		n.normEpsilon = 1e-3
	default: // torchvision's largest
		last := n.blocks[len(n.blocks)-1].convs
		t, err := n.find(last[len(last)-1].conv+".weight", free, free, free, free)
		if err != nil {
			return err
		}
		if t.Shape[0] >= 512 {
			n.normEpsilon = 1e-3
		}
	}
	n.settings.Decide("padding", n.padding)
	n.settings.Decide("batch_norm_eps", n.normEpsilon)
	return nil
}

// build applies the stem, the blocks and what follows them.
func (n *inverse) build() error {
	f := n.family
	if err := n.step(normalized{f.name("stem"), f.name("stem_norm")}, 2, n.act); err != nil {
		return err
	}
	square, err := n.settings.Integers("depthwise_padding")
	if err != nil {
		return err
	}
	ending := n.padding
	for i, block := range n.blocks {
		n.padding = ending
		if slices.Contains(square, i) {
			n.padding = paddedEvenly
		}
		if err := n.block(block, i == 0 || n.blocks[i-1].stage != block.stage); err != nil {
			return err
		}
	}
	n.padding = ending
	top := normalized{f.name("top"), f.name("top_norm")}
	if !f.has("top") {
		stage := strings.TrimSuffix(f.name("block", n.blocks[len(n.blocks)-1].stage+1, 0), ".0")
		if f.names["block"] == "features.*" {
			stage = f.name("block", len(n.blocks)+1)
		}
		top = normalized{stage + ".0", stage + ".1"}
	}
	if !n.has(top.conv + ".bias") {
		if err := n.step(top, 1, n.act); err != nil {
			return err
		}
		n.mean("avgpool")
		n.output(n.last)
		return nil
	}
	n.node("ReduceMean", "avgpool", nil, n.ints(2, 3)) // MobileNetV3 of timm: pooled, then a product
	if _, err := n.convolve(top.conv, 1, 0); err != nil {
		return err
	}
	n.activateAs(n.act, top.conv)
	n.node("Flatten", top.conv, nil)
	n.output(n.last)
	return nil
}

// step is a convolution, its normalization, and an activation.
func (n *inverse) step(part normalized, stride int, act string) error {
	if _, err := n.convolve(part.conv, stride, -1); err != nil {
		return err
	}
	if err := n.batchNorm(part.norm); err != nil {
		return err
	}
	n.activateAs(act, part.norm)
	return nil
}

// block is convolutions with activations between them, and the input added where the shape stays.
func (n *inverse) block(block inverted, first bool) error {
	x, inputs := n.last, n.channels
	act := n.act
	if block.stage < n.plain {
		act = "Relu"
	}
	stride := 1
	if first {
		stride = n.strides[block.stage]
	}
	strided := 0 // the first convolution with a kernel, or the only one
	for i, part := range block.convs {
		t, err := n.find(part.conv+".weight", free, free, free, free)
		if err != nil {
			return err
		}
		if t.Shape[2] > 1 {
			strided = i
			break
		}
	}
	for i, part := range block.convs {
		s, a := 1, act
		if i == strided {
			s = stride
		}
		if i == len(block.convs)-1 && i > 0 {
			a = ""
		}
		if err := n.step(part, s, a); err != nil {
			return err
		}
		if i == block.after && block.reduce != "" {
			if err := n.excite(block.reduce, block.expand, n.squeeze, n.gate); err != nil {
				return err
			}
		}
	}
	if stride == 1 && n.channels == inputs {
		n.apply("Add", block.name, nil, x, n.last)
	}
	return nil
}
