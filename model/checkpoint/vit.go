// Vision transformers of all families: one builder, which takes the names of the parts from the table of families and
// all sizes from the tensors.

package checkpoint

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/model/checkpoint/internal/known"
	"repscope/model/graph"
)

// vit is a vision transformer under construction.
type vit struct {
	*builder
	family     *family
	width      int
	heads      int
	channels   int
	patch      []int // extents of a patch: height and width, of clips with the number of frames before them
	epsilon    float32
	activation Activation
	special    int       // tokens before the patches
	grid       []string  // values of one element: the numbers of patches along each axis
	turn       *rotation // of queries and keys; nil: none
	side       int       // of the square of patches with learned positions, or with ones relative to each other
	pairs      string    // rows of the tables of relative positions for all pairs of tokens

	after           bool // blocks normalize the results of their parts, not the inputs
	keysWithoutBias bool // the part of the keys of a common bias is left out
}

// buildViT is images [B, C, H, W], or clips [B, T, C, H, W], to tokens [B, S+N, E]: S special tokens, then the N
// patches, row by row and frame by frame. Families that pool tokens themselves give vectors [B, D].
func buildViT(b *builder, f *family) error {
	label, err := b.label(f)
	if err != nil {
		return err
	}
	b.model.Architecture, b.graph.Name = label, label
	v := &vit{builder: b, family: f}
	for _, step := range []func() error{b.refuseFinal, v.sizes, v.tokens, v.blocks, v.end} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// sizes reads the convolution of the patches and decides what no tensor tells.
func (v *vit) sizes() error {
	err := v.readPatch(3)
	if err != nil {
		return err
	}
	if v.activation, err = v.activationOf(v.family); err != nil {
		return err
	}
	if norm := v.part(v.family, "fc_norm"); norm != "" && v.family.has("qkv") && v.part(v.family, "q_bias", 0) == "" &&
		!v.has(v.family.name("qkv", 0)+".bias") {
		return fmt.Errorf("the model has %q and no %q: no tensor shows whether its blocks normalize before or "+
			"after; export the model to ONNX",
			v.prefix+norm+".weight", v.prefix+v.family.name("qkv", 0)+".bias")
	}
	// The largest CLIP of EVA alone normalizes after its parts; its tensors have the names of the others.
	if v.family.label == "EVA" {
		v.after = v.width == 1792 || strings.Contains(v.settings.PublishedName(), "eva02_enormous")
	}
	if v.heads, err = v.builder.heads(v.width, 0); err == nil && v.heads == 0 {
		if v.heads = known.Heads(v.layout()); v.heads > 0 {
			v.model.Notes = append(v.model.Notes, fmt.Sprintf("%d attention heads, as published models of this name "+
				"or of the width %d have", v.heads, v.width))
		} else {
			v.heads, err = v.builder.heads(v.width, v.family.heads)
		}
	}
	if err != nil {
		return err
	}
	if v.heads == 0 {
		return fmt.Errorf("the number of heads is unknown: no option, no configuration (%s) next to the file, and "+
			"no published model has the width %d, or several have it with different numbers", headNames[0],
			v.width)
	}
	epsilon := v.family.epsilon
	if v.family.preEpsilon > 0 && v.part(v.family, "pre_norm") != "" {
		epsilon = v.family.preEpsilon
	}
	v.epsilon, err = v.smallest(epsilon)
	v.settings.Decide("heads", v.heads)
	v.settings.Decide("layer_norm_eps", v.epsilon)
	return err
}

// layout is the layout as the tensors show it.
func (v *vit) layout() known.Layout {
	gated := func(parts [3]string) bool { return v.part(v.family, parts[0], 0) != "" }
	return known.Layout{Width: v.width, Name: v.settings.PublishedName(), Rotary: v.family.rotary != nil,
		Gated: slices.ContainsFunc(v.family.gated, gated), Scaled: v.part(v.family, "scale1", 0) != "",
		Pooled: v.family.poolHeads > 0}
}

// readPatch reads the convolution of the patches, of two axes or of up to more.
func (v *vit) readPatch(axes int) error {
	key := v.family.name("patch") + ".weight"
	t, err := v.find(key, anyShape...)
	if err != nil {
		return err
	}
	if len(t.Shape) == 2 && v.family.resample.linear {
		return v.patchRows(key, t.Shape)
	}
	if n := len(t.Shape); n != 4 && n != 2+axes {
		return fmt.Errorf("tensor %q has shape %v, want [width channels height width] or, of clips, [width "+
			"channels frames height width]", v.prefix+key, t.Shape)
	}
	v.width, v.channels, v.patch = t.Shape[0], t.Shape[1], slices.Clone(t.Shape[2:])
	if _, err = v.tensor(key, t.Shape...); err != nil {
		return err
	}
	return cmp.Or(v.settings.Agree("patch_size", v.patch[len(v.patch)-1]), v.settings.Agree("num_channels", v.channels))
}

// patchRows makes a convolution of a product of the pixels of a patch, row by row with the channels last.
func (v *vit) patchRows(key string, shape []int) error {
	channels, _, err := v.settings.Integer("num_channels")
	if err != nil {
		return err
	}
	channels = cmp.Or(channels, 3)
	side := squareSide(shape[1] / channels)
	if side == 0 || side*side*channels != shape[1] {
		return fmt.Errorf("tensor %q has shape %v, want square patches of %d channels", v.prefix+key, shape, channels)
	}
	values, _, err := v.read(key, shape...)
	if err != nil {
		return err
	}
	moved := make([]float32, len(values))
	for i, x := range values {
		row, column := i/shape[1], i%shape[1]
		pixel, channel := column/channels, column%channels
		moved[(row*channels+channel)*side*side+pixel] = x
	}
	v.width, v.channels, v.patch = shape[0], channels, []int{side, side}
	v.graph.Constants[key] = graph.Floats(moved, shape[0], channels, side, side)
	v.model.Parameters += len(values)
	return nil
}

// convolvePatches applies the convolution of the patches to the last value.
func (v *vit) convolvePatches() error {
	key := v.family.name("patch")
	inputs := []string{key + ".weight"}
	if v.has(key + ".bias") {
		if _, err := v.tensor(key+".bias", v.width); err != nil {
			return err
		}
		inputs = append(inputs, key+".bias")
	}
	strides := make([]int64, len(v.patch))
	for i, p := range v.patch {
		strides[i] = int64(p)
	}
	v.node("Conv", key, map[string]graph.Attribute{"strides": integers(strides...)}, inputs...)
	return nil
}

// smallest is the epsilon of the layer normalizations: of the configuration, else of the family.
func (b *builder) smallest(otherwise float64) (float32, error) {
	x, where, err := b.settings.Float("layer_norm_eps", "layernorm_eps", "layer_norm_epsilon")
	if err != nil || where == "" {
		return float32(otherwise), err
	}
	if x != otherwise {
		b.warn("epsilon of the layer normalization %g, from %s", x, where)
	}
	return float32(x), nil
}

// tokens makes tokens [B, S+N, E] of the input.
func (v *vit) tokens() error {
	size := func(name string) graph.Dim { return graph.Dim{Name: name, Size: -1} }
	dims := []graph.Dim{size("batch"), size("time"), {Size: v.channels}, size("height"), size("width")}
	if len(v.patch) == 2 {
		dims = slices.Delete(dims, 1, 2)
	}
	v.input(dims...)
	if len(v.patch) == 3 {
		v.node("Transpose", "frames", map[string]graph.Attribute{"perm": integers(0, 2, 1, 3, 4)})
	}
	key := v.family.name("patch")
	if err := v.convolvePatches(); err != nil {
		return err
	}
	map2d := v.last
	if len(v.patch) == 2 {
		v.node("Transpose", key, map[string]graph.Attribute{"perm": integers(0, 2, 3, 1)})
		v.node("Reshape", key, nil, v.ints(0, -1, int64(v.width)))
	} else {
		v.node("Reshape", key, nil, v.ints(0, int64(v.width), -1))
		v.node("Transpose", key, map[string]graph.Attribute{"perm": integers(0, 2, 1)})
	}
	tokens := v.last
	shape := v.apply("Shape", key, nil, map2d)
	for i := range v.patch {
		v.grid = append(v.grid, v.apply("Slice", key, nil, shape, v.ints(int64(2+i)), v.ints(int64(3+i))))
	}
	v.last = tokens
	first, err := v.positions()
	if err != nil {
		return err
	}
	if err := v.before(first); err != nil {
		return err
	}
	if err := v.makeRotation(); err != nil {
		return err
	}
	if name := v.part(v.family, "pre_norm"); name != "" {
		return v.norm(name)
	}
	return nil
}

// specials are the names of the special tokens that a file has, in their order, and how many tokens each is.
func (v *vit) specials() (names []string, counts []int, err error) {
	for _, part := range []string{"cls", "dist", "registers"} {
		name := v.part(v.family, part)
		if name == "" {
			continue
		}
		t := v.state[v.prefix+name]
		n := 1
		for _, d := range t.Shape {
			n *= d
		}
		vector := len(t.Shape) == 1 && n == v.width && strings.HasSuffix(name, "class_embedding")
		if !vector && (len(t.Shape) != 3 || t.Shape[0] != 1 || t.Shape[2] != v.width) {
			return nil, nil, fmt.Errorf("tensor %q has shape %v, want %v", v.prefix+name, t.Shape, []int{1, 1, v.width})
		}
		if v.used[v.prefix+name] = true; n == 0 {
			continue // a configuration without registers
		}
		names, counts = append(names, name), append(counts, n/v.width)
	}
	return names, counts, nil
}

// positions adds the learned positions of the patches to the last value, and returns the positions of special tokens.
func (v *vit) positions() (first []float32, err error) {
	v.model.Check = v.checkGrid
	name := v.part(v.family, "positions")
	if name == "" && v.family.waves {
		return nil, v.addWaves()
	}
	if name == "" {
		if f := v.family; f.rotary == nil && v.part(f, "table", 0) == "" && v.part(f, "shared_table") == "" {
			return nil, fmt.Errorf("there are no positions of patches in %q, and tensors do not tell whether the model "+
				"computes positions; %s", v.prefix+f.name("positions"), exportHint)
		}
		v.model.State = v.stateOfGrid([]int{16, 16, 16}[3-len(v.patch):])
		return nil, nil
	}
	values, shape, err := v.read(name, anyShape...)
	if err != nil {
		return nil, err
	}
	if n := len(shape); n < 2 || shape[n-1] != v.width || len(values) != shape[n-2]*v.width {
		return nil, fmt.Errorf("tensor %q has shape %v, want [tokens %d]", v.prefix+name, shape, v.width)
	}
	_, counts, err := v.specials()
	if err != nil {
		return nil, err
	}
	grid, before, err := v.positionGrid(shape[len(shape)-2], counts)
	if err != nil {
		return nil, fmt.Errorf("tensor %q has shape %v: %w", v.prefix+name, shape, err)
	}
	v.model.Parameters += len(values)
	v.model.State, v.side = v.stateOfGrid(grid), grid[len(grid)-1]
	tokens := v.last
	v.addPositions(tokens, values[before*v.width:], grid)
	return values[:before*v.width], nil
}

// addWaves adds the positions of VideoMAE to the last value: sines and cosines of the index of a token. There are as
// many as the clips of the configuration have, else of 16 frames of 224×224.
func (v *vit) addWaves() error {
	frames, _, err := v.settings.Integer("num_frames")
	side, _, also := v.settings.Integer("image_size")
	if err = cmp.Or(err, also); err != nil {
		return err
	}
	grid := []int{cmp.Or(frames, 16) / v.patch[0], cmp.Or(side, 224) / v.patch[1], cmp.Or(side, 224) / v.patch[2]}
	n, err := graph.Elements(append(slices.Clone(grid), v.width))
	if err != nil || n < 1 || n > 1<<28 {
		return fmt.Errorf("num_frames and image_size of the configuration give a grid of %v patches; want at least 1", grid)
	}
	values := make([]float32, n)
	for i := range values {
		token, j := i/v.width, i%v.width
		angle := float64(token) / math.Pow(10000, float64(j/2*2)/float64(v.width))
		values[i] = float32([]float64{math.Sin(angle), math.Cos(angle)}[j%2])
	}
	v.model.State = v.stateOfGrid(grid)
	v.model.Check = func(shape []int) error {
		if want := v.model.State; len(shape) == 5 && (shape[1] != want[0] || shape[3] != want[2] || shape[4] != want[3]) {
			return fmt.Errorf("clips of %d frames of %d×%d: the positions of the model are of %d frames of %d×%d (num_frames "+
				"and image_size of the configuration)", shape[1], shape[3], shape[4], want[0], want[2], want[3])
		}
		return nil
	}
	v.node("Add", "positions", nil, v.floats(values, 1, n/v.width, v.width))
	return nil
}

// scales are the factors (n + offset) / m between a grid of m patches and the grid of the input, n, with 1 for the
// first two axes. Where the grids are the same, all are 1.
func (v *vit) scales(where string, grid []int, offset float64) string {
	var same string
	for i, n := range v.grid {
		equal := v.apply("Equal", where, nil, n, v.ints(int64(grid[i])))
		if i > 0 {
			equal = v.apply("And", where, nil, same, equal)
		}
		same = equal
	}
	added := v.apply("Where", where, nil, same, v.scalar(0), v.scalar(float32(offset)))
	factors := []string{v.floats([]float32{1, 1}, 2)}
	for i, n := range v.grid {
		v.apply("Cast", where, map[string]graph.Attribute{"to": integer(1)}, n)
		v.node("Add", where, nil, added)
		factors = append(factors, v.node("Div", where, nil, v.scalar(float32(grid[i]))))
	}
	return v.apply("Concat", where, map[string]graph.Attribute{"axis": integer(0)}, factors...)
}

// stateOfGrid is the shape of one state of some patches: [C, H, W] or [T, C, H, W].
func (v *vit) stateOfGrid(grid []int) []int {
	state := []int{v.channels}
	for i, n := range grid {
		state = append(state, n*v.patch[i])
	}
	if len(grid) == 3 {
		state[0], state[1] = state[1], state[0]
	}
	return state
}

// positionGrid divides positions among special tokens and a grid of patches: a square, and of clips one for each tube
// of the frames in the configuration, 16 without one.
func (v *vit) positionGrid(positions int, counts []int) (grid []int, before int, err error) {
	var choices []int // numbers of special tokens that have a position
	sum := 0
	for _, n := range counts {
		sum += n
		choices = append(choices, sum)
	}
	slices.Reverse(choices)
	if v.family.bare || len(counts) == 0 {
		choices = append(choices, 0)
	}
	frames := 0
	if len(v.patch) == 3 {
		if frames, _, err = v.settings.Integer("frames_per_clip", "num_frames"); err != nil {
			return nil, 0, err
		}
	}
	for _, before := range choices {
		n := positions - before
		if len(v.patch) == 3 {
			depth := cmp.Or(frames, 16) / v.patch[0]
			if side := squareSide(n / max(depth, 1)); side > 0 && depth*side*side == n {
				return []int{depth, side, side}, before, nil
			}
			continue
		}
		if side := squareSide(n); side > 0 {
			return []int{side, side}, before, nil
		}
	}
	return nil, 0, fmt.Errorf("its %d positions are no square grid of patches after %v special tokens; export "+
		"the model to ONNX", positions, choices)
}

// addPositions adds positions of a grid to tokens, resampled to the grid of the input as the original code does.
func (v *vit) addPositions(tokens string, values []float32, grid []int) {
	where := v.family.name("positions")
	n := len(values) / v.width
	moved := make([]float32, len(values)) // channels first
	for i := range n {
		for j := range v.width {
			moved[j*n+i] = values[i*v.width+j]
		}
	}
	v.graph.Constants["position_grid"] = graph.Floats(moved, append([]int{1, v.width}, grid...)...)
	how := v.family.resample
	registers := v.part(v.family, "registers") != ""
	attributes := map[string]graph.Attribute{"mode": word("cubic"),
		"coordinate_transformation_mode": word("half_pixel"), "cubic_coeff_a": number(-0.75)}
	switch {
	case len(grid) == 3:
		attributes = map[string]graph.Attribute{"mode": word("linear"), "coordinate_transformation_mode": word("half_pixel")}
	case how.antialias, how.withRegisters && registers:
		attributes["antialias"], attributes["exclude_outside"] = integer(1), integer(1)
		attributes["cubic_coeff_a"] = number(-0.5)
	}
	if how.linear {
		attributes["mode"] = word("linear")
	}
	if how.offset > 0 && !registers {
		v.apply("Resize", where, attributes, "position_grid", "", v.scales(where, grid, how.offset))
	} else {
		target := v.apply("Concat", where, map[string]graph.Attribute{"axis": integer(0)},
			append([]string{v.ints(1, int64(v.width))}, v.grid...)...)
		v.apply("Resize", where, attributes, "position_grid", "", "", target)
	}
	v.node("Reshape", where, nil, v.ints(1, int64(v.width), -1))
	positions := v.node("Transpose", where, map[string]graph.Attribute{"perm": integers(0, 2, 1)})
	v.apply("Add", where, nil, tokens, positions)
}

// before puts the special tokens before the patches; first are the positions of the first of them.
func (v *vit) before(first []float32) error {
	names, counts, err := v.specials()
	if err != nil || len(names) == 0 {
		return err
	}
	var values []float32
	for i, name := range names {
		part, _, err := v.read(name, anyShape...)
		if err != nil {
			return err
		}
		v.model.Parameters += len(part)
		v.special += counts[i]
		values = append(values, part...)
	}
	for i, p := range first {
		values[i] += p
	}
	tokens := v.last
	v.graph.Constants["special"] = graph.Floats(values, 1, v.special, v.width)
	inputShape := v.apply("Shape", "special", nil, "x")
	batch := v.apply("Slice", "special", nil, inputShape, v.ints(0), v.ints(1))
	target := v.apply("Concat", "special", map[string]graph.Attribute{"axis": integer(0)}, batch,
		v.ints(int64(v.special), int64(v.width)))
	expanded := v.apply("Expand", "special", nil, "special", target)
	v.apply("Concat", "tokens", map[string]graph.Attribute{"axis": integer(1)}, expanded, tokens)
	return nil
}

// checkGrid says whether an input is a whole number of patches.
func (v *vit) checkGrid(shape []int) error {
	if len(shape) != 2+len(v.patch) {
		return nil // the graph says so better
	}
	key := v.prefix + v.family.name("patch") + ".weight"
	if len(v.patch) == 3 {
		if n := shape[1]; n == 0 || n%v.patch[0] != 0 {
			return fmt.Errorf("clips of %d frames are not a whole number of tubes of %d frames (tensor %q)", n, v.patch[0], key)
		}
	}
	n := len(shape)
	p := len(v.patch)
	return checkPatches(shape[n-2], shape[n-1], v.patch[p-2], v.patch[p-1], key)
}

// norm is the layer normalization of the last value.
func (v *vit) norm(name string) error { return v.layerNorm(name, v.width, v.epsilon) }

// blocks applies all blocks.
func (v *vit) blocks() error {
	depth := 0
	for v.has(v.family.name("norm1", depth) + ".weight") {
		depth++
	}
	if err := cmp.Or(v.settings.Agree("hidden_size", v.width), v.settings.Agree("num_hidden_layers", depth)); err != nil {
		return err
	}
	for i := range max(1, depth) {
		if err := v.block(i); err != nil {
			return err
		}
	}
	return nil
}

// block is x + scale·attention(norm(x)), then x + scale·MLP(norm(x)), on tokens [B, N, E].
func (v *vit) block(i int) error {
	f := v.family
	x := v.last
	if err := v.normalize("norm1", false, i); err != nil {
		return err
	}
	attention := f.name("attention", i)
	q, k, value, err := v.project(i)
	if err != nil {
		return err
	}
	if v.turn != nil {
		q, k = v.rotate(attention, q, v.turn), v.rotate(attention, k, v.turn)
	}
	if err := v.attend(i, q, k, value); err != nil {
		return err
	}
	if err := v.innerNorm("inner_norm", v.width, i); err != nil {
		return err
	}
	if _, err := v.affine(f.name("proj", i), v.width, v.width); err != nil {
		return err
	}
	if err := cmp.Or(v.layerScale("scale1", i), v.normalize("norm1", true, i)); err != nil {
		return err
	}
	x = v.apply("Add", attention+".residual", nil, x, v.last)
	if err := v.normalize("norm2", false, i); err != nil {
		return err
	}
	if err := v.mlp(i); err != nil {
		return err
	}
	if err := cmp.Or(v.layerScale("scale2", i), v.normalize("norm2", true, i)); err != nil {
		return err
	}
	v.apply("Add", f.name("block", i), nil, x, v.last)
	return nil
}

// normalize applies a normalization of block i if its place, before or after a part, is the one of the model.
func (v *vit) normalize(part string, after bool, i int) error {
	if v.after != after {
		return nil
	}
	return v.norm(v.family.name(part, i))
}

// innerNorm normalizes the last value where the file has a normalization before the last product of a part.
func (v *vit) innerNorm(part string, width int, i ...int) error {
	if name := v.part(v.family, part, i...); name != "" {
		return v.layerNorm(name, width, v.epsilon)
	}
	return nil
}

// affine is [builder.linear] with a bias where the file has one.
func (v *vit) affine(name string, out, in int) (int, error) {
	return v.linear(name, out, in, v.has(name+".bias"))
}

// layerScale multiplies the last value by a factor for each feature, where the file has them.
func (v *vit) layerScale(part string, i int) error {
	name := v.part(v.family, part, i)
	if name == "" {
		return nil
	}
	if _, err := v.tensor(name, v.width); err != nil {
		return err
	}
	v.node("Mul", name, nil, name)
	return nil
}

// project makes queries, keys and values [B, heads, N, d] of the last value.
func (v *vit) project(i ...int) (q, k, value string, err error) {
	f, x := v.family, v.last
	var parts [3]string
	if f.has("qkv") {
		if parts, err = v.together(f.name("qkv", i...), i); err != nil {
			return "", "", "", err
		}
	} else {
		for j, part := range []string{"q", "k", "v"} {
			key := f.name(part, i...)
			v.last = x
			if _, err := v.affine(key, v.width, v.width); err != nil {
				return "", "", "", err
			}
			if bias := v.part(f, part+"_bias", i...); bias != "" {
				if _, err := v.tensor(bias, v.width); err != nil {
					return "", "", "", err
				}
				v.node("Add", key, nil, bias)
			}
			v.node("Reshape", key, nil, v.ints(0, 0, int64(v.heads), int64(v.width/v.heads)))
			parts[j] = v.node("Transpose", key, map[string]graph.Attribute{"perm": integers(0, 2, 1, 3)})
		}
	}
	for j, part := range []string{"q_norm", "k_norm"} {
		if name := v.part(f, part, i...); name != "" {
			v.last = parts[j]
			if err := v.layerNorm(name, v.width/v.heads, v.epsilon); err != nil {
				return "", "", "", err
			}
			parts[j] = v.last
		}
	}
	return parts[0], parts[1], parts[2], nil
}

// together makes queries, keys and values of one product. A mask of the bias, as DINOv3 has it, leaves out the bias of
// the keys.
func (v *vit) together(name string, i []int) (parts [3]string, err error) {
	weight, bias := name+".weight", name+".bias"
	if !v.has(weight) { // torch.nn.MultiheadAttention
		weight, bias = name+"_weight", name+"_bias"
	}
	if _, err := v.tensor(weight, 3*v.width, v.width); err != nil {
		return parts, err
	}
	v.node("Linear", name, nil, weight, "")
	if v.has(bias) {
		values, _, err := v.read(bias, 3*v.width)
		if err != nil {
			return parts, err
		}
		mask := name + ".bias_mask"
		if v.has(mask) || v.keysWithoutBias {
			v.used[v.prefix+mask] = true
			clear(values[v.width : 2*v.width])
		}
		v.model.Parameters += len(values)
		v.graph.Constants[bias] = graph.Floats(values, 3*v.width)
		v.node("Add", name, nil, bias)
	}
	if v.part(v.family, "q_bias", i...) != "" {
		if err := v.twoBiases(name, i); err != nil {
			return parts, err
		}
	}
	split := strings.TrimSuffix(name, ".qkv") + ".split"
	v.node("Reshape", split, nil, v.ints(0, 0, 3, int64(v.heads), int64(v.width/v.heads)))
	v.node("Transpose", split, map[string]graph.Attribute{"perm": integers(2, 0, 3, 1, 4)})
	for j, part := range v.split(split, v.last) {
		parts[j] = v.apply("Squeeze", split, nil, part, v.ints(0))
	}
	return parts, nil
}

// twoBiases adds biases of queries and values alone.
func (v *vit) twoBiases(name string, i []int) error {
	values := make([]float32, 3*v.width)
	for part, first := range map[string]int{"q_bias": 0, "v_bias": 2 * v.width} {
		bias, _, err := v.read(v.family.name(part, i...), v.width)
		if err != nil {
			return err
		}
		copy(values[first:], bias)
		v.model.Parameters += len(bias)
	}
	v.node("Add", name, nil, v.floats(values, 3*v.width))
	return nil
}

// mlp is two products with an activation between them, or a gated one.
func (v *vit) mlp(i ...int) error {
	f, x := v.family, v.last
	for _, gated := range f.gated {
		gate, up, down := f.name(gated[0], i...), f.name(gated[1], i...), f.name(gated[2], i...)
		if !v.has(gate + ".weight") {
			continue
		}
		if gate == up { // one product for both
			hidden, err := v.affine(gate, free, v.width)
			if err != nil {
				return err
			}
			return v.packed(gate, down, hidden)
		}
		hidden, err := v.affine(gate, free, v.width)
		if err != nil {
			return err
		}
		if v.family.gateAsConfigured {
			v.activate(v.activation, gate)
		} else {
			v.node("Silu", gate, nil)
		}
		gateValue := v.last
		v.last = x
		if _, err := v.affine(up, hidden, v.width); err != nil {
			return err
		}
		v.apply("Mul", up, nil, gateValue, v.last)
		if err := v.innerNorm("mlp_norm", hidden, i...); err != nil {
			return err
		}
		_, err = v.affine(down, v.width, hidden)
		return err
	}
	hidden, err := v.affine(f.name("fc1", i...), free, v.width)
	if err != nil {
		return err
	}
	last := f.name("fc2", i...)
	if t, ok := v.state[v.prefix+last+".weight"]; ok && len(t.Shape) == 2 && 2*t.Shape[1] == hidden {
		return v.packed(f.name("fc1", i...), last, hidden)
	}
	v.activate(v.activation, strings.TrimSuffix(f.name("fc1", i...), ".fc1")+".act")
	_, err = v.affine(last, v.width, hidden)
	return err
}

// packed ends a gated MLP whose first product has both halves: silu(a)·b.
func (v *vit) packed(first, last string, hidden int) error {
	if hidden%2 != 0 {
		return fmt.Errorf("tensor %q has %d rows, want two halves", v.prefix+first+".weight", hidden)
	}
	both, half := v.last, int64(hidden/2)
	v.apply("Slice", first, nil, both, v.ints(0), v.ints(half), v.ints(-1))
	gate := v.node("Silu", first, nil)
	up := v.apply("Slice", first, nil, both, v.ints(half), v.ints(2*half), v.ints(-1))
	v.apply("Mul", first, nil, gate, up)
	_, err := v.affine(last, v.width, hidden/2)
	return err
}

// end is the last normalization, and the pooling of families that have their own.
func (v *vit) end() error {
	f := v.family
	if pre := v.part(f, "pre_norm"); f.pooled == nil && (pre != "" || f.bare) && v.part(f, "norm")+v.part(f, "fc_norm") == "" {
		return fmt.Errorf("the model has no last normalization, as encoders have it that turn queries and keys by positions "+
			"that no tensor records; %s", exportHint)
	}
	if f.pooled == nil {
		for _, part := range []string{"norm", "fc_norm"} {
			name := v.part(f, part)
			if name == "" {
				continue
			}
			if part == "fc_norm" { // of the mean of the patches
				v.node("Slice", name, nil, v.ints(int64(v.special)), v.ints(math.MaxInt64), v.ints(1))
				v.node("ReduceMean", name, map[string]graph.Attribute{"keepdims": integer(0)}, v.ints(1))
			}
			if err := v.norm(name); err != nil {
				return err
			}
		}
		if v.part(f, "pool_latent") != "" {
			if err := poolLatent(v); err != nil {
				return err
			}
		}
		v.output(v.last)
		return nil
	}
	if err := f.pooled(v); err != nil {
		return err
	}
	v.output(v.last)
	return nil
}

// word is an attribute of a text.
func word(s string) graph.Attribute { return graph.Attribute{Kind: graph.AttributeString, String: s} }

// label is the name of the architecture that a configuration tells for a family, else the name of the family.
func (b *builder) label(f *family) (string, error) {
	kind, _, err := b.settings.Text("model_type")
	if err != nil {
		return "", err
	}
	if label, ok := labels[kind]; ok {
		return label, nil
	}
	return f.label, nil
}

// labels are names of architectures by the model_type of Hugging Face's configurations.
var labels = map[string]string{
	"vit": "ViT", "deit": "DeiT", "vit_mae": "ViT-MAE", "ijepa": "I-JEPA", "dinov2": "DINOv2",
	"dinov2_with_registers": "DINOv2 with registers",
	"dinov3_vit":            "DINOv3 ViT", "vjepa2": "V-JEPA 2", "convnext": "ConvNeXt", "convnextv2": "ConvNeXt V2",
	"dinov3_convnext": "DINOv3 ConvNeXt", "swin": "Swin", "swinv2": "Swin V2", "bert": "BERT",
	"beit": "BEiT", "data2vec-vision": "data2vec", "videomae": "VideoMAE", "vivit": "ViViT",
	"siglip2": "SigLIP 2", "siglip2_vision_model": "SigLIP 2",
	"roberta": "RoBERTa", "esm": "ESM-2",
}
