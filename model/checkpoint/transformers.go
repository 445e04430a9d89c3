// The known transformers. Their attention is written as the plain operators of
// an ONNX export, so that package fuse fuses both alike.

package checkpoint

import (
	"fmt"
	"math"
	"strings"

	"repscope/model/graph"
)

// headNames are the names under which configurations give the number of heads.
var headNames = []string{"num_heads", "n_heads", "num_attention_heads", "heads", "nheads", "n_head", "encoder_heads", "encoder_num_heads", "num_encoder_heads"}

// heads chooses the number of attention heads if no tensor determines it: the option, the configuration, or otherwise;
// 0 if unknown.
func (b *builder) heads(width, otherwise int) (int, error) {
	n, where := b.options.Heads, "option"
	if n == 0 {
		var err error
		if n, where, err = b.settings.Integer(headNames...); err != nil {
			return 0, fmt.Errorf("number of heads: %w", err)
		}
	}
	if n == 0 {
		if n, where = otherwise, "the default"; n == 0 {
			return 0, nil
		}
		b.warn("%d attention heads, the default: neither an option nor a configuration has the number", n)
	}
	if width%n != 0 {
		return 0, fmt.Errorf("%d heads (%s) do not divide the width %d", n, where, width)
	}
	return n, nil
}

// layerNorm normalizes the last value over its last axis.
func (b *builder) layerNorm(name string, width int, epsilon float32) error {
	weight, bias := name+".weight", name+".bias"
	if !b.has(weight) && b.has(name+".gamma") { // the old names
		weight, bias = name+".gamma", name+".beta"
	}
	if err := b.tensors([]int{width}, weight, bias); err != nil {
		return err
	}
	b.node("LayerNormalization", name, map[string]graph.Attribute{"epsilon": number(epsilon)}, weight, bias)
	return nil
}

// linear applies y = x·Wᵀ + b to the last value; out may be free.
func (b *builder) linear(name string, out, in int, bias bool) (int, error) {
	shape, err := b.tensor(name+".weight", out, in)
	if err != nil {
		return 0, err
	}
	out = shape[0]
	b.node("Linear", name, nil, name+".weight", "")
	if bias {
		if _, err := b.tensor(name+".bias", out); err != nil {
			return 0, err
		}
		b.node("Add", name, nil, name+".bias")
	}
	return out, nil
}

// scalar adds a constant of one element and returns its name.
func (b *builder) scalar(x float32) string {
	b.count++
	name := fmt.Sprintf("number_%d", b.count)
	b.graph.Constants[name] = graph.Floats([]float32{x}, 1)
	return name
}

// attention is softmax(q·kᵀ/√d)·v of values [B, heads, N, d]; the result is [B, N, heads·d].
func (b *builder) attention(name, q, k, v string, heads, width int) {
	b.attentionWeights(name, q, k, "", width/heads)
	b.weighted(name, v, width)
}

// attentionWeights is softmax(q·kᵀ/√d + bias) of values [B, heads, N, d]; an empty bias is none.
func (b *builder) attentionWeights(name, q, k, bias string, d int) string {
	b.scores(name, q, k)
	b.node("Mul", name+".scores", nil, b.scalar(float32(1/math.Sqrt(float64(d)))))
	if bias != "" {
		b.node("Add", name+".scores", nil, bias)
	}
	return b.node("Softmax", name+".weights", map[string]graph.Attribute{"axis": integer(-1)})
}

// scores is q·kᵀ of values [B, heads, N, d].
func (b *builder) scores(name, q, k string) {
	name += ".scores"
	b.apply("Transpose", name, map[string]graph.Attribute{"perm": integers(0, 1, 3, 2)}, k)
	b.apply("MatMul", name, nil, q, b.last)
}

// weighted is the mean of values [B, heads, N, d] by the weights in the last value: [B, N, heads·d].
func (b *builder) weighted(name, v string, width int) {
	values := name + ".values"
	b.node("MatMul", values, nil, v)
	b.node("Transpose", values, map[string]graph.Attribute{"perm": integers(0, 2, 1, 3)})
	b.node("Reshape", values, nil, b.ints(0, 0, int64(width)))
}

// split takes the three parts of a value along its first axis, each with that axis of size one.
func (b *builder) split(name, x string) []string {
	b.apply("Split", name, map[string]graph.Attribute{"axis": integer(0)}, x, b.ints(1, 1, 1))
	n := b.graph.Nodes[len(b.graph.Nodes)-1]
	n.Outputs = []string{b.last + "_q", b.last + "_k", b.last + "_v"}
	return n.Outputs
}

// patches applies a convolution whose kernel is its stride to images
// [B, C, H, W]; the result is tokens [B, N, E], row by row.
func (b *builder) patches(weight, bias string, height, width, embedding int) {
	h, w := int64(height), int64(width)
	b.node("Conv", weight, map[string]graph.Attribute{"strides": integers(h, w)}, weight, bias)
	b.node("Transpose", "tokens", map[string]graph.Attribute{"perm": integers(0, 2, 3, 1)})
	b.node("Reshape", "tokens", nil, b.ints(0, -1, int64(embedding)))
}

// checkPatches checks that frames are a whole number of patches.
func checkPatches(h, w, patchH, patchW int, key string) error {
	if h%patchH != 0 || w%patchW != 0 || h == 0 || w == 0 {
		return fmt.Errorf("frames of %d×%d are not a whole number of patches of %d×%d (tensor %q)", h, w, patchH, patchW, key)
	}
	return nil
}

// videoViT is the state of buildVideoViT.
type videoViT struct {
	*builder
	embedding int
	rotary    bool // the file has the frequencies
	heads     int  // where it has not
	// tables holds the rotations made so far, by stack of blocks and frequencies.
	tables map[string]*rotation
}

// rotaryBase is the base of the frequencies where the file lacks them.
const rotaryBase = 10000

// buildVideoViT is [B, C, T, H, W] → [B, T, E]: patches of one frame each (a convolution with kernel and stride 1, p,
// p), pre-norm transformer blocks within a frame, layer normalization, the mean over patches, pre-norm blocks over the
// frames of a clip, layer normalization. Every attention rotates queries and keys by a rotary embedding of the token's
// index. E, p, the numbers of blocks and of heads and the widths of the MLPs come from the tensors; the size of the
// frames and T are free.
func buildVideoViT(b *builder) error {
	switch {
	case b.options.Activation != "":
		return fmt.Errorf("activation %q: the architecture has GELU", b.options.Activation)
	case b.options.FinalActivation != "":
		return fmt.Errorf("final activation %q: the architecture has no final activation", b.options.FinalActivation)
	}
	const conv = "patch_embed.conv_spatial"
	w, err := b.tensor(conv+".weight", free, free, 1, free, free)
	if err != nil {
		return err
	}
	embedding, channels, patchH, patchW := w[0], w[1], w[3], w[4]
	if _, err := b.tensor(conv+".bias", embedding); err != nil {
		return err
	}
	// One frame at a time: the kernel has no extent in time.
	b.graph.Constants[conv+".weight"].Shape = []int{embedding, channels, patchH, patchW}

	v := &videoViT{builder: b, embedding: embedding, tables: map[string]*rotation{}}
	depth, temporal := max(1, b.layers("blocks", "norm1.weight")), max(1, b.layers("temporal_blocks", "norm1.weight"))
	if err := v.decideHeads(depth, temporal); err != nil {
		return err
	}

	size := func(name string) graph.Dim { return graph.Dim{Name: name, Size: -1} }
	b.input(size("batch"), graph.Dim{Size: channels}, size("time"), size("height"), size("width"))
	shape := b.frames()
	b.patches(conv+".weight", conv+".bias", patchH, patchW, embedding)
	for i := range depth {
		if err := v.block("blocks", i); err != nil {
			return err
		}
	}
	if err := b.layerNorm("norm", embedding, 1e-5); err != nil {
		return err
	}
	b.node("ReduceMean", "mean", map[string]graph.Attribute{"keepdims": integer(0)}, b.ints(1))
	b.sequence(shape, embedding)
	for i := range temporal {
		if err := v.block("temporal_blocks", i); err != nil {
			return err
		}
	}
	if err := b.layerNorm("temporal_norm", embedding, 1e-5); err != nil {
		return err
	}
	b.output(b.last)

	b.model.State = []int{channels, 6, 16 * patchH, 16 * patchW}
	b.model.Check = func(shape []int) error {
		if len(shape) != 5 {
			return nil // the graph has a better error
		}
		return checkPatches(shape[3], shape[4], patchH, patchW, b.prefix+conv+".weight")
	}
	return nil
}

// block is x + attention(norm(x)), then x + MLP(norm(x)), on tokens [B, N, E].
// Nodes have the names of PyTorch's modules whose output they make.
func (v *videoViT) block(stack string, i int) error {
	b, width := v.builder, v.embedding
	name := fmt.Sprintf("%s.%d.", stack, i)
	frequencies, heads, err := v.frequencies(name + "attn.rotary_emb.inv_freq")
	if err != nil {
		return err
	}
	x := b.last
	if err := b.layerNorm(name+"norm1", width, 1e-5); err != nil {
		return err
	}
	if _, err := b.linear(name+"attn.qkv", 3*width, width, false); err != nil {
		return err
	}
	attn := name + "attn"
	b.node("Reshape", attn+".split", nil, b.ints(0, 0, 3, int64(heads), int64(width/heads)))
	qkv := b.node("Transpose", attn+".split", map[string]graph.Attribute{"perm": integers(2, 0, 3, 1, 4)})
	var parts [3]string
	for k, part := range b.split(attn+".split", qkv) {
		parts[k] = b.apply("Squeeze", attn+".split", nil, part, b.ints(0))
	}
	tables := v.table(stack, frequencies, x)
	for k := range 2 {
		parts[k] = b.rotate(attn+".rotary_emb", parts[k], tables)
	}
	b.attention(attn, parts[0], parts[1], parts[2], heads, width)
	if _, err := b.linear(name+"attn.proj", width, width, true); err != nil {
		return err
	}
	x = b.apply("Add", attn+".residual", nil, x, b.last)
	if err := b.layerNorm(name+"norm2", width, 1e-5); err != nil {
		return err
	}
	hidden, err := b.linear(name+"mlp.fc1", free, width, true)
	if err != nil {
		return err
	}
	b.node("Gelu", name+"mlp.act", nil)
	if _, err := b.linear(name+"mlp.fc2", width, hidden, true); err != nil {
		return err
	}
	b.apply("Add", strings.TrimSuffix(name, "."), nil, x, b.last)
	return nil
}

// decideHeads chooses the number of heads if no block's frequencies determine it.
func (v *videoViT) decideHeads(depth, temporal int) (err error) {
	for _, stack := range []struct {
		name   string
		blocks int
	}{{"blocks", depth}, {"temporal_blocks", temporal}} {
		for i := range stack.blocks {
			v.rotary = v.rotary || v.has(fmt.Sprintf("%s.%d.attn.rotary_emb.inv_freq", stack.name, i))
		}
	}
	if v.rotary {
		return nil
	}
	if v.heads, err = v.builder.heads(v.embedding, 0); err != nil {
		return err
	}
	if v.heads == 0 {
		return fmt.Errorf("the number of heads is unknown: no tensor %q, no option, no configuration (%s) next to the file",
			v.prefix+"blocks.0.attn.rotary_emb.inv_freq", headNames[0])
	}
	if d := v.embedding / v.heads; d%2 != 0 {
		return fmt.Errorf("%d heads: the width %d of a head is odd, but a rotary embedding needs pairs", v.heads, d)
	}
	v.settings.Decide("heads", v.heads)
	return nil
}

// frequencies are the frequencies of a block's rotary embedding, and the number of heads.
func (v *videoViT) frequencies(key string) ([]float32, int, error) {
	b, width := v.builder, v.embedding
	if !v.rotary {
		return rotaryFrequencies(rotaryBase, width/v.heads), v.heads, nil
	}
	values, shape, err := b.read(key, free)
	if err != nil {
		return nil, 0, err
	}
	heads := width / (2 * shape[0])
	if heads*2*shape[0] != width {
		return nil, 0, fmt.Errorf("tensor %q has shape %v, want half the width of a head: a divisor of %d/2", b.prefix+key, shape, width)
	}
	if b.options.Heads != 0 && b.options.Heads != heads {
		return nil, 0, fmt.Errorf("heads %d: tensor %q has shape %v, which means %d", b.options.Heads, b.prefix+key, shape, heads)
	}
	return values, heads, nil
}

// rotaryFrequencies are base^(−2i/d), i < d/2, as PyTorch computes them in float32.
func rotaryFrequencies(base float64, d int) []float32 {
	f := make([]float32, d/2)
	for i := range f {
		f[i] = 1 / float32(math.Pow(base, float64(float32(2*i)/float32(d))))
	}
	return f
}

// table makes the cosines and sines [N, d/2 twice] of the angles index·frequency
// for the tokens of x, [B, N, E]; blocks of one stack share them.
func (v *videoViT) table(stack string, frequencies []float32, x string) *rotation {
	key := fmt.Sprint(stack, frequencies)
	if t, ok := v.tables[key]; ok {
		return t
	}
	shape := v.apply("Shape", "rotary", nil, x)
	n := v.apply("Slice", "rotary", nil, shape, v.ints(1), v.ints(2))
	t := v.rotateIndex(frequencies, n)
	v.tables[key] = t
	return t
}

// shape is the constant shape of a scalar; integerScalar an integer without axes.
func (b *builder) shape() string {
	b.count++
	name := fmt.Sprintf("shape_%d", b.count)
	b.graph.Constants[name] = &graph.Tensor{DType: graph.Int64, Shape: []int{0}, I64: []int64{}}
	return name
}

func (b *builder) integerScalar(x int64) string {
	b.count++
	name := fmt.Sprintf("integer_%d", b.count)
	b.graph.Constants[name] = &graph.Tensor{DType: graph.Int64, Shape: []int{}, I64: []int64{x}}
	return name
}
