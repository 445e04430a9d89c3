// Swin transformers, versions 1 and 2: attention within windows, every second block with shifted ones.

package checkpoint

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"

	"repscope/model/graph"
)

// windowing is what a library does where maps are no whole number of windows.
type windowing struct {
	rolledFirst bool // maps are rolled, then padded; else padded, then rolled
	together    bool // no shift along either axis where one of them has a single window; else axis by axis
	padded      bool // maps smaller than a window are padded to it; else refused
}

// swin is a Swin transformer under construction: a transformer whose width, heads and window change with the stage. The
// values between its parts are maps [B, H, W, C].
type swin struct {
	*vit
	cosine  bool      // version 2: attention by cosines, normalizations after the parts of a block
	windows []int     // the window of each stage
	native  int       // height of the images that a configuration names; 0: none
	before  []int     // windows of the stages in the training before; none: the same
	size    [2]string // height and width of the maps of a stage, values of one element
	padded  [2]string // the same, as whole numbers of windows
	count   [2]string // numbers of windows
	shift   [2]string
	mask    string // of shifted windows: [windows, N, N]
	index   string // rows of the table of positions for all pairs of a window
}

// Layouts of Swin transformers.
const (
	swinBlock = ` patch=patch_embed.proj pre_norm=patch_embed.norm block=layers.*.blocks.* norm1=.norm1 attention=.attn
		qkv=.attn.qkv q_bias=.attn.q_bias v_bias=.attn.v_bias proj=.attn.proj norm2=.norm2 fc1=.mlp.fc1 fc2=.mlp.fc2
		table=.attn.relative_position_bias_table index=.attn.relative_position_index
		coordinates=.attn.relative_coords_table logit_scale=.attn.logit_scale cpb1=.attn.cpb_mlp.0
		cpb2=.attn.cpb_mlp.2 window_mask=.attn_mask norm=norm `
	swinTIMM = swinBlock + `merge1=layers.1.downsample merge2=layers.2.downsample
		merge3=layers.3.downsample`
	swinOriginal = swinBlock + `merge1=layers.0.downsample merge2=layers.1.downsample
		merge3=layers.2.downsample`
	swinHugging = `patch=embeddings.patch_embeddings.projection pre_norm=embeddings.norm
		block=encoder.layers.*.blocks.* norm1=.layernorm_before attention=.attention.self q=.attention.self.query
		k=.attention.self.key v=.attention.self.value proj=.attention.output.dense norm2=.layernorm_after
		fc1=.intermediate.dense fc2=.output.dense table=.attention.self.relative_position_bias_table
		index=.attention.self.relative_position_index coordinates=.attention.self.relative_coords_table
		logit_scale=.attention.self.logit_scale cpb1=.attention.self.continuous_position_bias_mlp.0
		cpb2=.attention.self.continuous_position_bias_mlp.2 norm=layernorm merge1=encoder.layers.0.downsample
		merge2=encoder.layers.1.downsample merge3=encoder.layers.2.downsample`
	swinTorchvision = `stages=1,3,5,7 patch=features.0.0 pre_norm=features.0.2 block=features.@.* norm1=.norm1
		attention=.attn qkv=.attn.qkv proj=.attn.proj norm2=.norm2 fc1=.mlp.0 fc2=.mlp.3
		table=.attn.relative_position_bias_table index=.attn.relative_position_index
		coordinates=.attn.relative_coords_table logit_scale=.attn.logit_scale cpb1=.attn.cpb_mlp.0
		cpb2=.attn.cpb_mlp.2 norm=norm merge1=features.2 merge2=features.4 merge3=features.6`
)

// buildSwin is [B, C, H, W] → [B, D]: patches, stages of blocks with a merging of 2×2 positions between them, the
// normalized mean over positions.
func buildSwin(b *builder, f *family) error {
	s := &swin{vit: &vit{builder: b, family: f}}
	for _, step := range []func() error{b.refuseHeads, b.refuseFinal, s.sizes, s.patches} {
		if err := step(); err != nil {
			return err
		}
	}
	for stage := range s.windows {
		if stage > 0 {
			if err := s.merge(stage); err != nil {
				return err
			}
		}
		if err := s.begin(stage); err != nil {
			return err
		}
		for block := 0; block == 0 || s.part(f, "norm1", stage, block) != ""; block++ {
			if err := s.block(stage, block); err != nil {
				return err
			}
		}
	}
	if err := s.norm(f.name("norm")); err != nil {
		return err
	}
	s.node("ReduceMean", "avgpool", map[string]graph.Attribute{"keepdims": integer(0)}, s.ints(1, 2))
	s.output(s.last)
	return nil
}

// sizes reads the sizes of patches and windows, and decides what no tensor tells.
func (s *swin) sizes() error {
	label, err := s.label(s.family)
	if err != nil {
		return err
	}
	if s.cosine = s.part(s.family, "logit_scale", 0, 0) != ""; s.cosine {
		label, s.keysWithoutBias = "Swin V2", true
	}
	s.model.Architecture, s.graph.Name = label, label
	if err := s.readPatch(2); err != nil {
		return err
	}
	if s.activation, err = s.activationOf(s.family); err != nil {
		return err
	}
	if s.epsilon, err = s.smallest(s.family.epsilon); err != nil {
		return err
	}
	s.settings.Decide("layer_norm_eps", s.epsilon)
	largest := 0 // positions of the first stage that all windows fit
	for stage := 0; stage == 0 || stage < 4 && s.part(s.family, "norm1", stage, 0) != ""; stage++ {
		w, err := s.windowOf(stage)
		if err != nil {
			return err
		}
		s.windows = append(s.windows, w)
		largest = max(largest, w<<stage)
	}
	s.model.State = []int{s.channels, largest * s.patch[0], largest * s.patch[1]}
	s.model.Check = func(shape []int) error {
		if err := s.checkGrid(shape); err != nil || len(shape) != 4 || s.family.windows.padded {
			return err
		}
		h, w := shape[2]/s.patch[0], shape[3]/s.patch[1]
		for stage, window := range s.windows {
			if min(h, w) < window {
				return fmt.Errorf("frames of %d×%d have %d×%d positions in stage %d, fewer than its window of %d: want at "+
					"least %d×%d", shape[2], shape[3], h, w, stage+1, window, largest*s.patch[0], largest*s.patch[1])
			}
			h, w = (h+1)/2, (w+1)/2
		}
		return nil
	}
	return nil
}

// swinName is what the names of published models say of windows and images.
var swinName = regexp.MustCompile(`window(\d+)(?:to(\d+))?_(\d+)(?:to(\d+))?`)

// mostWindow bounds windows, whose tables grow with the fourth power.
const mostWindow = 32

// windowOf is the height of the windows of a stage: of the table of positions, of the coordinates, or of the
// configuration.
func (s *swin) windowOf(stage int) (int, error) {
	side, name := 0, s.part(s.family, "table", stage, 0)
	if !s.cosine {
		t, err := s.find(s.family.name("table", stage, 0), free, free)
		if err != nil {
			return 0, err
		}
		side = squareSide(t.Shape[0])
	} else if name = s.part(s.family, "coordinates", stage, 0); name != "" {
		t, err := s.find(name, 1, free, free, 2)
		if err != nil {
			return 0, err
		}
		if side = t.Shape[1]; side != t.Shape[2] {
			side = 0
		}
	} else {
		return s.configuredWindow(stage)
	}
	if side%2 == 0 || side/2 >= mostWindow {
		return 0, fmt.Errorf("tensor %q has shape %v, want positions in square windows of at most %d×%d", s.prefix+name,
			s.state[s.prefix+name].Shape, mostWindow, mostWindow)
	}
	return (side + 1) / 2, nil
}

// configuredWindow is the window where tensors do not tell it: at most the map of the images of the training.
func (s *swin) configuredWindow(stage int) (int, error) {
	window, where, err := s.settings.Integer("window_size")
	if err != nil {
		return 0, err
	}
	if s.native, _, err = s.settings.Integer("image_size", "img_size"); err != nil {
		return 0, err
	}
	if s.before, err = s.settings.Integers("pretrained_window_sizes"); err != nil {
		return 0, err
	}
	if window == 0 {
		name := s.settings.PublishedName()
		if m := swinName.FindStringSubmatch(name); m != nil {
			where = name
			window, _ = strconv.Atoi(cmp.Or(m[2], m[1]))
			s.native, _ = strconv.Atoi(cmp.Or(m[4], m[3]))
			first, _ := strconv.Atoi(m[1])
			trained, _ := strconv.Atoi(m[3])
			for stage := 0; m[2] != "" && stage < 4; stage++ {
				s.before = append(s.before, min(first, max(1, trained/s.patch[0]>>stage)))
			}
		}
	}
	if window < 1 || window > mostWindow {
		return 0, fmt.Errorf("the window of attention is %d: want one of at most %d from a configuration next to the file, "+
			"such as a config.json with \"window_size\": 8, \"image_size\": 256", window, mostWindow)
	}
	if s.native > 0 {
		window = min(window, max(1, s.native/s.patch[0]>>stage))
	}
	if stage == 0 {
		s.model.Notes = append(s.model.Notes, fmt.Sprintf("windows of %d×%d, from %s", window, window, where))
		s.settings.Decide("window_size", window)
		s.settings.Decide("image_size", s.native)
		s.settings.Decide("pretrained_window_size", s.before)
	}
	return window, nil
}

// patches makes the normalized map of the first stage.
func (s *swin) patches() error {
	size := func(name string) graph.Dim { return graph.Dim{Name: name, Size: -1} }
	s.input(size("batch"), graph.Dim{Size: s.channels}, size("height"), size("width"))
	if err := s.convolvePatches(); err != nil {
		return err
	}
	s.node("Transpose", s.family.name("patch"), map[string]graph.Attribute{"perm": integers(0, 2, 3, 1)})
	if name := s.part(s.family, "pre_norm"); name != "" {
		return s.layerNorm(name, s.width, 1e-5)
	}
	return nil
}

// merge joins 2×2 positions: their features in the order of columns, and a product to fewer.
func (s *swin) merge(stage int) error {
	name := s.family.name("merge" + strconv.Itoa(stage))
	var padding, half [2]string
	x := s.last
	for i, n := range s.size {
		padding[i] = s.apply("Mod", name, nil, n, s.ints(2))
		s.apply("Add", name, nil, n, s.ints(1))
		half[i] = s.node("Div", name, nil, s.ints(2))
	}
	s.pad(name, x, padding)
	x, width := s.last, int64(s.width)
	shape := s.join(name, s.ints(-1), half[0], s.ints(2), half[1], s.ints(2, width))
	s.apply("Reshape", name, nil, x, shape)
	s.node("Transpose", name, map[string]graph.Attribute{"perm": integers(0, 1, 3, 4, 2, 5)})
	s.node("Reshape", name, nil, s.ints(0, 0, 0, 4*width))
	if !s.cosine {
		if err := s.layerNorm(name+".norm", 4*s.width, 1e-5); err != nil {
			return err
		}
	}
	out, err := s.linear(name+".reduction", free, 4*s.width, false)
	if err != nil {
		return err
	}
	if s.width = out; !s.cosine {
		return nil
	}
	return s.layerNorm(name+".norm", out, 1e-5)
}

// pad adds zeros below and to the right of a map.
func (s *swin) pad(where, x string, padding [2]string) {
	pads := s.join(where, s.ints(0, 0, 0, 0, 0), padding[0], padding[1], s.ints(0))
	s.apply("Pad", where, nil, x, pads)
}

// join is a list of integers of shorter ones.
func (b *builder) join(where string, parts ...string) string {
	return b.apply("Concat", where, map[string]graph.Attribute{"axis": integer(0)}, parts...)
}

// begin computes what all blocks of a stage share.
func (s *swin) begin(stage int) error {
	where := fmt.Sprintf("stage%d", stage)
	x, window := s.last, s.windows[stage]
	heads := "table"
	axes := []int{free, free}
	if s.cosine {
		heads, axes = "logit_scale", []int{free, 1, 1}
	}
	t, err := s.find(s.family.name(heads, stage, 0), axes...)
	if err != nil {
		return err
	}
	if s.heads = t.Shape[len(t.Shape)-1]; s.cosine {
		s.heads = t.Shape[0]
	}
	if s.width%s.heads != 0 {
		return fmt.Errorf("%d heads of stage %d do not divide its width %d", s.heads, stage+1, s.width)
	}
	w := s.ints(int64(window))
	shape := s.apply("Shape", where, nil, x)
	var single [2]string
	for i := range s.size {
		s.size[i] = s.apply("Slice", where, nil, shape, s.ints(int64(1+i)), s.ints(int64(2+i)))
		s.node("Add", where, nil, s.ints(int64(window-1)))
		s.count[i] = s.node("Div", where, nil, w)
		s.padded[i] = s.node("Mul", where, nil, w)
		single[i] = s.apply("LessOrEqual", where, nil, s.size[i], w)
	}
	if s.family.windows.together {
		single[0] = s.apply("Or", where, nil, single[0], single[1])
		single[1] = single[0]
	}
	for i := range s.shift {
		s.shift[i] = s.apply("Where", where, nil, single[i], s.ints(0), s.ints(int64(window/2)))
		if native := s.native / s.patch[0] >> stage; s.family.windows.together && s.native > 0 {
			s.shift[i] = s.ints(int64(window / 2)) // decided when the model was made
			if native <= window {
				s.shift[i] = s.ints(0)
			}
		}
	}
	s.index, s.mask = s.pairs(window), s.regions(where, window)
	s.last = x
	return nil
}

// pairs are the rows of a table of (2w−1)² relative positions for the pairs of positions of a window, [w²·w²].
func (s *swin) pairs(w int) string {
	index := make([]int64, 0, w*w*w*w)
	for i := range w * w {
		for j := range w * w {
			row, column := i/w-j/w+w-1, i%w-j%w+w-1
			index = append(index, int64(row*(2*w-1)+column))
		}
	}
	return s.ints(index...)
}

// regions is the mask of shifted windows [windows, N, N]: −100 between positions that the shift made neighbors.
func (s *swin) regions(where string, window int) string {
	w := int64(window)
	var axes [2]string
	for i, n := range s.padded {
		index := s.counting(where, n)
		s.apply("Sub", where, nil, n, s.ints(w))
		inner := s.apply("GreaterOrEqual", where, nil, index, s.last)
		s.apply("Sub", where, nil, n, s.shift[i])
		last := s.apply("GreaterOrEqual", where, nil, index, s.last)
		inner = s.apply("Where", where, nil, inner, s.ints(1), s.ints(0))
		last = s.apply("Where", where, nil, last, s.ints(1), s.ints(0))
		s.apply("Add", where, nil, inner, last)
		shape := []int64{-1, 1, w, 1}
		if i == 1 {
			shape = []int64{1, -1, 1, w}
		}
		axes[i] = s.node("Reshape", where, nil, s.ints(shape...))
	}
	s.apply("Mul", where, nil, axes[0], s.ints(3))
	s.node("Add", where, nil, axes[1])
	regions := s.node("Reshape", where, nil, s.ints(-1, w*w))
	row := s.apply("Unsqueeze", where, nil, regions, s.ints(1))
	column := s.apply("Unsqueeze", where, nil, regions, s.ints(2))
	same := s.apply("Equal", where, nil, row, column)
	return s.apply("Where", where, nil, same, s.scalar(0), s.scalar(-100))
}

// rolled moves a map along both axes: position i takes position (i + shift) mod size, or, back, (i − shift) mod
// size.
func (s *swin) rolled(where, x string, back bool, modulus [2]string) string {
	for i, m := range modulus {
		n, op := m, "Add"
		if back {
			n, op = s.size[i], "Sub"
		}
		index := s.counting(where, n)
		s.apply(op, where, nil, index, s.shift[i])
		index = s.node("Mod", where, nil, m)
		x = s.apply("Gather", where, map[string]graph.Attribute{"axis": integer(int64(1 + i))}, x, index)
	}
	return x
}

// block is x + attention(norm(x)), then x + MLP(norm(x)); version 2 normalizes the outputs of both instead.
func (s *swin) block(stage, block int) error {
	f := s.family
	step := func(norm string, part func() error) error {
		x := s.last
		if !s.cosine {
			if err := s.norm(norm); err != nil {
				return err
			}
		}
		if err := part(); err != nil {
			return err
		}
		if s.cosine {
			if err := s.norm(norm); err != nil {
				return err
			}
		}
		s.apply("Add", f.name("block", stage, block), nil, x, s.last)
		return nil
	}
	for _, part := range []string{"index", "coordinates", "window_mask"} {
		s.used[s.prefix+f.name(part, stage, block)] = true
	}
	if err := step(f.name("norm1", stage, block), func() error { return s.attend(stage, block) }); err != nil {
		return err
	}
	return step(f.name("norm2", stage, block), func() error { return s.mlp(stage, block) })
}

// attend is attention within windows, which every second block shifts by half a window.
func (s *swin) attend(stage, block int) error {
	f, window, shifted := s.family, int64(s.windows[stage]), block%2 == 1
	name, x, width := f.name("attention", stage, block), s.last, int64(s.width)
	modulus := s.padded
	if f.windows.rolledFirst {
		modulus = s.size
	}
	if shifted && f.windows.rolledFirst {
		x = s.rolled(name, x, false, modulus)
	}
	var padding [2]string
	for i := range padding {
		padding[i] = s.apply("Sub", name, nil, s.padded[i], s.size[i])
	}
	s.pad(name, x, padding)
	if x = s.last; shifted && !f.windows.rolledFirst {
		x = s.rolled(name, x, false, modulus)
	}
	w := s.ints(window)
	shape := s.join(name, s.ints(-1), s.count[0], w, s.count[1], w, s.ints(width))
	s.apply("Reshape", name, nil, x, shape)
	s.node("Transpose", name, map[string]graph.Attribute{"perm": integers(0, 1, 3, 2, 4, 5)})
	s.node("Reshape", name, nil, s.ints(-1, window*window, width))
	if err := s.within(name, shifted, stage, block); err != nil {
		return err
	}
	x = s.last
	shape = s.join(name, s.ints(-1), s.count[0], s.count[1], s.ints(window, window, width))
	s.apply("Reshape", name, nil, x, shape)
	x = s.node("Transpose", name, map[string]graph.Attribute{"perm": integers(0, 1, 3, 2, 4, 5)})
	shape = s.join(name, s.ints(-1), s.padded[0], s.padded[1], s.ints(width))
	x = s.apply("Reshape", name, nil, x, shape)
	if shifted {
		s.rolled(name, x, true, modulus)
		return nil
	}
	s.apply("Slice", name, nil, x, s.ints(0, 0), s.join(name, s.size[0], s.size[1]), s.ints(1, 2))
	return nil
}

// within is the attention of windows [B·windows, N, C].
func (s *swin) within(name string, shifted bool, stage, block int) error {
	q, k, v, err := s.project(stage, block)
	if err != nil {
		return err
	}
	if s.cosine {
		q, k = s.unit(name, q), s.unit(name, k)
	}
	bias, err := s.bias(stage, block)
	if err != nil {
		return err
	}
	n := int64(s.windows[stage] * s.windows[stage])
	shape := ""
	if shifted { // of all windows and heads: [windows·heads, N, N]
		mask := s.apply("Unsqueeze", name, nil, s.mask, s.ints(1))
		s.apply("Add", name, nil, mask, bias)
		bias = s.node("Reshape", name, nil, s.ints(-1, n, n))
		rows := s.apply("Shape", name, nil, bias)
		rows = s.apply("Slice", name, nil, rows, s.ints(0), s.ints(1))
		shape = s.join(name, s.ints(-1), rows, s.ints(n, n))
	}
	s.scores(name, q, k)
	if s.cosine {
		scale := s.family.name("logit_scale", stage, block)
		if _, err := s.tensor(scale, s.heads, 1, 1); err != nil {
			return err
		}
		x := s.last
		s.apply("Min", name, nil, scale, s.scalar(float32(math.Log(100))))
		s.node("Exp", name, nil)
		s.apply("Mul", name, nil, x, s.last)
	} else {
		s.node("Mul", name, nil, s.scalar(float32(1/math.Sqrt(float64(s.width/s.heads)))))
	}
	if shifted {
		s.node("Reshape", name, nil, shape)
	}
	s.node("Add", name, nil, bias)
	s.node("Softmax", name+".weights", map[string]graph.Attribute{"axis": integer(-1)})
	if shifted {
		s.node("Reshape", name, nil, s.ints(-1, int64(s.heads), n, n))
	}
	s.weighted(name, v, s.width)
	_, err = s.affine(s.family.name("proj", stage, block), s.width, s.width)
	return err
}

// unit divides the last axis by its norm.
func (s *swin) unit(name, x string) string {
	norm := s.apply("ReduceL2", name, nil, x, s.ints(-1))
	norm = s.apply("Max", name, nil, norm, s.scalar(1e-12))
	return s.apply("Div", name, nil, x, norm)
}

// bias is added to the scores of each head, by relative position [heads, N, N]: of a table, or 16·sigmoid of a network
// of the coordinates.
func (s *swin) bias(stage, block int) (string, error) {
	f, window := s.family, s.windows[stage]
	side := 2*window - 1
	name := f.name("table", stage, block)
	if s.cosine {
		if err := s.network(stage, block, side); err != nil {
			return "", err
		}
	} else {
		if _, err := s.tensor(name, side*side, s.heads); err != nil {
			return "", err
		}
		s.last = name
	}
	n := int64(window * window)
	s.node("Gather", name, map[string]graph.Attribute{"axis": integer(0)}, s.index)
	s.node("Reshape", name, nil, s.ints(n, n, int64(s.heads)))
	s.node("Transpose", name, map[string]graph.Attribute{"perm": integers(2, 0, 1)})
	if s.cosine {
		s.node("Sigmoid", name, nil)
		s.node("Mul", name, nil, s.scalar(16))
	}
	return s.last, nil
}

// network makes the table of positions of version 2: [side², heads] of the coordinates of the file, or of
// sign(c)·log₂(1 + 8|c|)/3, c from −1 to 1 over the window, or over the window of the training before.
func (s *swin) network(stage, block, side int) error {
	f, window := s.family, s.windows[stage]
	var values []float32
	if name := s.part(f, "coordinates", stage, block); name != "" {
		var err error
		if values, _, err = s.read(name, 1, side, side, 2); err != nil {
			return err
		}
	} else {
		reach := window
		if stage < len(s.before) && s.before[stage] > 0 {
			reach = s.before[stage]
		}
		coordinate := func(i int) float32 {
			x := 8 * float64(i-window+1) / float64(max(reach-1, 1))
			return float32(math.Copysign(math.Log2(math.Abs(x)+1)/3, x))
		}
		for i := range side * side {
			values = append(values, coordinate(i/side), coordinate(i%side))
		}
	}
	s.last = s.floats(values, side*side, 2)
	first, second := f.name("cpb1", stage, block), f.name("cpb2", stage, block)
	hidden, err := s.affine(first, free, 2)
	if err != nil {
		return err
	}
	s.node("Relu", first, nil)
	_, err = s.affine(second, s.heads, hidden)
	return err
}
