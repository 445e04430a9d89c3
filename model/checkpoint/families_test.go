// Published families against the libraries that published them.

package checkpoint

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/mmap"
	"repscope/model/checkpoint/internal/settings"
)

// goldenFamilies are the folders of testdata/families: the architecture, and what their files do not tell.
var goldenFamilies = []struct {
	folder, architecture string
	options              Options
}{
	{"vit", "ViT", Options{}},
	{"deit", "DeiT", Options{}},
	{"mae", "ViT-MAE", Options{}},
	{"ijepa", "I-JEPA", Options{}},
	{"dinov2", "DINOv2", Options{}},
	{"dinov2_swiglu", "DINOv2", Options{}},
	{"dinov2_registers", "DINOv2 with registers", Options{}},
	{"dinov3", "DINOv3 ViT", Options{}},
	{"dinov3_gated", "DINOv3 ViT", Options{}},
	{"dinov3_gated_gelu", "DINOv3 ViT", Options{}},
	{"clip", "CLIP", Options{}},
	{"clip_vision", "CLIP", Options{}},
	{"clip_whole", "CLIP", Options{}},
	{"siglip_whole", "SigLIP", Options{}},
	{"siglip", "SigLIP", Options{}},
	{"siglip2", "SigLIP 2", Options{}},
	{"vjepa2", "V-JEPA 2", Options{}},
	{"videomae", "VideoMAE", Options{}},
	{"videomae_classifier", "VideoMAE", Options{}},
	{"vivit", "ViViT", Options{}},
	{"timm_vit", "ViT (timm)", Options{Heads: 2}},
	{"timm_registers", "ViT (timm)", Options{Heads: 2}},
	{"timm_swiglu", "ViT (timm)", Options{Heads: 2}},
	{"timm_gap", "ViT (timm)", Options{Heads: 2}},
	{"timm_clip", "ViT (timm)", Options{Heads: 2}},
	{"timm_siglip", "ViT (timm)", Options{Heads: 2}},
	{"timm_distilled", "ViT (timm)", Options{Heads: 2}},
	{"timm_dinov3", "DINOv3 ViT", Options{Heads: 2}},
	{"convnext", "ConvNeXt", Options{}},
	{"convnext_v2", "ConvNeXt V2", Options{}},
	{"convnext_dinov3", "DINOv3 ConvNeXt", Options{}},
	{"timm_convnext", "ConvNeXt", Options{}},
	{"timm_convnext_v2", "ConvNeXt V2", Options{}},
	{"torchvision_convnext", "ConvNeXt", Options{}},
	{"resnet", "ResNet", Options{}},
	{"resnet_basic", "ResNet", Options{}},
	{"timm_resnet", "ResNet", Options{}},
	{"timm_resnext", "ResNet", Options{}},
	{"timm_resnet_deep", "ResNet", Options{}},
	{"resnet_sequence", "ResNet", Options{}},
	{"dinov2_original", "DINOv2", Options{Heads: 2}},
	{"dinov2_original_registers", "DINOv2", Options{Heads: 2}},
	{"dinov2_original_swiglu", "DINOv2", Options{Heads: 2}},
	{"dinov3_original", "DINOv3 ViT", Options{Heads: 2}},
	{"dinov3_original_swiglu", "DINOv3 ViT", Options{Heads: 2}},
	{"ijepa_original", "ViT (timm)", Options{Heads: 2}},
	{"vjepa1_original", "ViT (timm)", Options{Heads: 2}},
	{"vjepa2_original", "V-JEPA 2", Options{Heads: 2}},
	{"open_clip", "OpenCLIP", Options{Heads: 2}},
	{"torchvision_vit", "ViT (torchvision)", Options{Heads: 2}},
	{"beit", "BEiT", Options{}},
	{"beit_shared", "BEiT", Options{}},
	{"data2vec_vision", "data2vec", Options{}},
	{"timm_beit", "BEiT", Options{Heads: 2}},
	{"timm_beit_shared", "BEiT", Options{Heads: 2}},
	{"timm_eva", "EVA", Options{Heads: 2}},
	{"timm_eva_after", "EVA", Options{Heads: 2}},
	{"timm_eva02", "EVA-02", Options{Heads: 2}},
	{"timm_eva02_base", "EVA-02", Options{Heads: 2}},
	{"timm_eva02_clip", "EVA-02", Options{Heads: 2}},
	{"timm_pe_core", "Perception Encoder", Options{Heads: 2}},
	{"timm_pe_core_gigantic", "Perception Encoder", Options{Heads: 2}},
	{"timm_bit", "ResNetV2", Options{}},
	{"timm_resnet_v2", "ResNetV2", Options{}},
	{"timm_resnet_v2_basic", "ResNetV2", Options{}},
	{"swin", "Swin", Options{}},
	{"swin_v2", "Swin V2", Options{}},
	{"swin_v2_before", "Swin V2", Options{}},
	{"timm_swin", "Swin", Options{}},
	{"timm_swin_v2", "Swin V2", Options{}},
	{"timm_swin_v2_before", "Swin V2", Options{}},
	{"torchvision_swin", "Swin", Options{}},
	{"torchvision_swin_v2", "Swin V2", Options{}},
	{"cleanrl_nature", "Nature CNN", Options{}},
	{"nature_eight_bits", "Nature CNN", Options{}},
	{"sb3_nature", "Nature CNN", Options{}},
	{"sb3_saved", "MLP of an agent", Options{}},
	{"sb3_vectors", "MLP of an agent", Options{}},
	{"sb3_latent_pi", "MLP of an agent", Options{}},
	{"sb3_values", "MLP of an agent", Options{}},
	{"cleanrl_impala", "IMPALA CNN", Options{}},
	{"procgen_impala", "IMPALA CNN", Options{}},
	{"torchbeast_impala", "IMPALA CNN", Options{}},
	{"efficientnet", "EfficientNet", Options{}},
	{"timm_efficientnet", "EfficientNet", Options{}},
	{"timm_tf_efficientnet", "EfficientNet", Options{}},
	{"timm_efficientnet_v2", "EfficientNetV2", Options{}},
	{"timm_efficientnet_lite", "EfficientNet-Lite", Options{}},
	{"timm_mobilenet_v3", "MobileNetV3", Options{}},
	{"timm_mobilenet_v3_small", "MobileNetV3", Options{}},
	{"torchvision_efficientnet", "EfficientNet", Options{}},
	{"torchvision_efficientnet_v2", "EfficientNetV2", Options{}},
	{"torchvision_mobilenet_v3", "MobileNetV3", Options{}},
	{"torchvision_mobilenet_v3_small", "MobileNetV3", Options{}},
}

// TestFamilies: outputs equal those of the library within 1e-5 of the largest, at the size of the positions and at
// another one.
func TestFamilies(t *testing.T) {
	root := filepath.Join("testdata", "families")
	if dir := os.Getenv("REPSCOPE_FAMILIES"); dir != "" {
		root = dir
	}
	for _, c := range goldenFamilies {
		t.Run(c.folder, func(t *testing.T) {
			dir := filepath.Join(root, c.folder)
			path := dir
			for _, file := range []string{"weights.safetensors", "model.zip"} {
				if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
					path = filepath.Join(dir, file)
				}
			}
			golden := arraysIn(t, filepath.Join(dir, "golden.npz"))
			for i := 0; golden[fmt.Sprint("x", i)] != nil; i++ {
				n, err := Open(path, c.options)
				if err != nil {
					t.Fatal(err)
				}
				x, want := golden[fmt.Sprint("x", i)], golden[fmt.Sprint("y", i)]
				if n.Architecture != c.architecture {
					t.Errorf("architecture %s, want %s", n.Architecture, c.architecture)
				}
				if err := n.Check(x.Shape); err != nil {
					t.Error(err)
				}
				got := run(t, n.Graph, x)
				worst, largest := 0.0, 0.0
				if !slices.Equal(got.Shape, want.Shape) {
					t.Fatalf("input %v gives %v, want %v", x.Shape, got.Shape, want.Shape)
				}
				for j, w := range want.F32 {
					worst, largest = max(worst, math.Abs(float64(got.F32[j])-float64(w))), max(largest, math.Abs(float64(w)))
				}
				t.Logf("input %v: largest difference %.1e of %.3g; notes %q, warnings %q, settings %q", x.Shape, worst, largest, n.Notes, n.Warnings, n.Settings)
				if !(worst <= 1e-5*largest) {
					t.Errorf("input %v: largest difference %.1e of %.3g", x.Shape, worst, largest)
				}
				if err := n.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Prefixes in any order, and of the two encoders of contrastive training the trained one.
func TestFamilyPrefixes(t *testing.T) {
	for _, folder := range []string{"timm_resnet", "timm_swin", "timm_efficientnet", "cleanrl_impala"} {
		prefixes(t, folder)
	}
}

func prefixes(t *testing.T, folder string) {
	path := filepath.Join("testdata", "families", folder, "weights.safetensors")
	file, err := mmap.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := readSafetensors(file)
	if err != nil {
		t.Fatal(err)
	}
	golden := arraysIn(t, filepath.Join("testdata", "families", folder, "golden.npz"))
	for _, prefix := range []string{"_fsdp_wrapped_module.", "encoder._checkpoint_wrapped_module.", "module.encoder_q.", "backbone.", "model._orig_mod.encoder.", "_orig_mod.module.student.backbone.", "teacher.", "ema.module."} {
		state := State{}
		for key, tensor := range plain {
			state[prefix+strings.Replace(key, ".0.", ".0._fsdp_wrapped_module.", 1)] = tensor
			if prefix == "module.encoder_q." {
				state["module.encoder_k."+strings.Replace(key, ".0.", ".0._fsdp_wrapped_module.", 1)] = Tensor{Shape: tensor.Shape, Read: func() ([]float32, error) { return nil, errors.New("the keys are read") }}
			}
		}
		n, err := Build(state, Options{})
		if err != nil {
			t.Errorf("%s: %s: %v", folder, prefix, err)
			continue
		}
		got, want := run(t, n.Graph, golden["x0"]), golden["y0"]
		for j, w := range want.F32 {
			if math.Abs(float64(got.F32[j])-float64(w)) > 1e-5*max(1, math.Abs(float64(w))) {
				t.Errorf("%s: %s: output %d is %g, want %g", folder, prefix, j, got.F32[j], w)
				break
			}
		}
	}
}

// Models with the tensors of a family that are another one: read as that, they gave other numbers.
func TestFamilies_NearRelativesAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, folder, prefix string
		heads                int
		change               map[string][]int // shapes; nil: without the tensor
		want                 string
	}{
		{"timm's ViTs with axial rotary positions", "timm_dinov3", "", 2, map[string][]int{"cls_token": nil},
			"there are no positions of patches"},
		{"LCNet and HardCoRe-NAS", "timm_mobilenet_v3", "", 0, map[string][]int{"blocks.1.0.conv_dw.weight": {16, 1, 5, 5}},
			"the kernels of the stages are 3553351"},
		{"an EfficientNetV2 of fewer stages", "timm_efficientnet_v2", "", 0, map[string][]int{"blocks.5.0.conv_pw.weight": nil,
			"blocks.5.0.conv_dw.weight": nil, "blocks.5.0.conv_pwl.weight": nil}, "5 stages of blocks, want 6 to 7"},
		{"the vision tower of Qwen 3", "timm_vit", "", 2, map[string][]int{"norm.weight": nil, "norm.bias": nil,
			"cls_token": nil, "pos_embed": {1, 16, 24}}, "no last normalization"},
		{"the ResNet of a hybrid ViT", "timm_resnet", "patch_embed.backbone.", 0, nil, "no known architecture"},
	} {
		file, err := mmap.Open(filepath.Join("testdata", "families", c.folder, "weights.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		plain, err := readSafetensors(file)
		if err != nil {
			t.Fatal(err)
		}
		state := State{}
		for key, tensor := range plain {
			state[c.prefix+key] = tensor
		}
		for key, shape := range c.change {
			if _, ok := state[key]; !ok {
				t.Errorf("%s: no tensor %q", c.what, key)
			}
			if delete(state, key); shape != nil {
				state[key] = zeros(shape...)
			}
		}
		if _, err := Build(state, Options{Heads: c.heads}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
}

// What a family cannot know is refused in words.
func TestFamilyErrors(t *testing.T) {
	block := State{
		"blocks.0.norm1.weight": zeros(32), "blocks.0.norm1.bias": zeros(32), "blocks.0.norm2.weight": zeros(32), "blocks.0.norm2.bias": zeros(32),
		"blocks.0.attn.qkv.weight": zeros(96, 32), "blocks.0.attn.qkv.bias": zeros(96), "blocks.0.attn.proj.weight": zeros(32, 32),
		"blocks.0.attn.proj.bias": zeros(32), "blocks.0.mlp.fc1.weight": zeros(64, 32), "blocks.0.mlp.fc1.bias": zeros(64),
		"blocks.0.mlp.fc2.weight": zeros(32, 64), "blocks.0.mlp.fc2.bias": zeros(32), "norm.weight": zeros(32), "norm.bias": zeros(32),
		"patch_embed.proj.weight": zeros(32, 3, 4, 4), "patch_embed.proj.bias": zeros(32), "cls_token": zeros(1, 1, 32), "pos_embed": zeros(1, 17, 32),
	}
	with := func(change State, without ...string) State {
		s := State{}
		maps.Copy(s, block)
		maps.Copy(s, change)
		for _, key := range without {
			delete(s, key)
		}
		return s
	}
	two := Options{Heads: 2}
	for _, c := range []struct {
		name    string
		state   State
		options Options
		want    string
	}{
		{"good", block, two, ""},
		{"heads", block, Options{}, "no published model has the width 32"},
		{"no divisor", block, Options{Heads: 5}, "5 heads (option) do not divide the width 32"},
		{"positions", with(State{"pos_embed": zeros(1, 15, 32)}), two, `"pos_embed" has shape [1 15 32]: its 15 positions are no square grid`},
		{"without positions", with(nil, "pos_embed"), two, `there are no positions of patches in "pos_embed"`},
		{"class token", with(State{"cls_token": zeros(1, 1, 31)}), two, `"cls_token" has shape [1 1 31], want [1 1 32]`},
		{"relative positions", with(State{"blocks.0.attn.relative_position_bias_table": zeros(9, 2)}), two, "1 tensors that the architecture does not have"},
		{"post-norm", with(State{"fc_norm.weight": zeros(32), "fc_norm.bias": zeros(32)}, "blocks.0.attn.qkv.bias", "norm.weight", "norm.bias"), two,
			"whether its blocks normalize before or after"},
		{"no last normalization", with(nil, "norm.weight", "norm.bias"), two, "no last normalization"},
		{"a network before the blocks", with(State{"patch_embed.backbone.conv1.weight": zeros(1)}), two,
			"1 tensors that the architecture does not have"},
		{"missing", with(nil, "blocks.0.mlp.fc2.weight"), two, `"blocks.0.mlp.fc2.weight" is missing`},
		{"no patch", with(State{"patch_embed.proj.weight": zeros(32, 3, 0, 4)}), two, "shape [32 3 0 4], want at least one element"},
		{"no width", with(State{"patch_embed.proj.weight": zeros(0, 3, 4, 4)}), two, "shape [0 3 4 4], want at least one element"},
		{"no positions", with(State{"pos_embed": zeros(1, 0, 32)}), two, "shape [1 0 32], want at least one element"},
		{"a scalar", with(State{"cls_token": zeros()}), two, `"cls_token" has shape [], want [1 1 32]`},
		{"two axes of patches", with(State{"patch_embed.proj.weight": zeros(32, 3)}), two, "shape [32 3], want [width channels"},
		{"final activation", block, Options{Heads: 2, FinalActivation: "relu"}, "no final activation"},
	} {
		n, err := Build(c.state, c.options)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if err == nil && n.Check([]int{1, 3, 16, 18}) == nil {
			t.Errorf("%s: frames of no whole number of patches pass", c.name)
		}
	}
}

// A configuration of transformers that describes another model than the tensors is refused, at any depth of the folder.
func TestFamilies_ContradictingConfiguration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ folder, value, other, want string }{
		{"vit", `"hidden_size": 24`, `"hidden_size": 48`, "hidden_size is 48, but the tensors have 24"},
		{"vit", `"hidden_size": 24`, `"hidden_size": "24"`, `hidden_size is "24", but the tensors have 24`},
		{"vit", `"num_hidden_layers": 2`, `"num_hidden_layers": 1`, "num_hidden_layers is 1, but the tensors have 2"},
		{"vit", `"num_hidden_layers": 2`, `"num_hidden_layers": 1000000000`, "num_hidden_layers is 1000000000, but the tensors have 2"},
		{"vit", `"patch_size": 4`, `"patch_size": -4`, "patch_size is -4, but the tensors have 4"},
		{"vit", `"num_channels": 3`, `"num_channels": 1`, "num_channels is 1, but the tensors have 3"},
		{"vit", `"hidden_size": 24`, `"other": 24`, ""},
		{"vit", `"model_type": "vit"`, `"hidden_sizes": [1]`, ""},
		{"clip_whole", `"patch_size": 4`, `"patch_size": 8`, "vision_config.patch_size is 8, but the tensors have 4"},
	} {
		source, folder := filepath.Join("testdata", "families", c.folder), t.TempDir()
		entries, err := os.ReadDir(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			data, err := os.ReadFile(filepath.Join(source, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if entry.Name() == "config.json" {
				if !strings.Contains(string(data), c.value) {
					t.Fatalf("%s has no %s", source, c.value)
				}
				data = []byte(strings.ReplaceAll(string(data), c.value, c.other))
			}
			if err := os.WriteFile(filepath.Join(folder, entry.Name()), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Open(folder, Options{Heads: 2}); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v, want %q", c.folder, c.other, err, c.want)
		}
	}
}

// What the new families cannot know, and frames that do not fit, are refused in words. Each change is made to a golden
// model: a shape, or nil for a tensor that is dropped.
func TestNewFamilyErrors(t *testing.T) {
	table := "layers.0.blocks.0.attn.relative_position_bias_table"
	for _, c := range []struct {
		folder  string
		change  map[string][]int
		options Options
		config  any
		frames  []int
		want    string
	}{
		{"timm_swin", nil, Options{Heads: 2}, nil, nil, "heads 2: the architecture has no attention"},
		{"timm_swin", map[string][]int{table: {24, 1}}, Options{}, nil, nil, "want positions in square windows of at most 32×32"},
		{"timm_swin", map[string][]int{table: {81 * 81, 1}}, Options{}, nil, nil, "want positions in square windows of at most 32×32"},
		{"timm_swin", map[string][]int{"layers.3.blocks.0.mlp.fc2.weight": nil}, Options{}, nil, nil, `"layers.3.blocks.0.mlp.fc2.weight" is missing`},
		{"timm_swin", nil, Options{}, nil, []int{1, 3, 24, 48}, "fewer than its window of 3: want at least 48×48"},
		{"timm_swin", nil, Options{}, nil, []int{1, 3, 49, 48}, "not a whole number of patches"},
		{"timm_swin_v2", nil, Options{}, nil, nil, `the window of attention is 0: want one of at most 32`},
		{"timm_swin_v2", nil, Options{}, map[string]any{"window_size": 64}, nil, `the window of attention is 64`},
		{"timm_efficientnet", map[string][]int{"blocks.3.0.se.conv_reduce.weight": nil}, Options{}, nil, nil, "have squeeze and excitation, and the kernels"},
		{"timm_efficientnet", nil, Options{}, map[string]any{"architecture": "efficientnet_es"}, nil, `the architecture "efficientnet_es"`},
		{"timm_efficientnet", nil, Options{Activation: "relu"}, nil, nil, "the architecture has its own"},
		{"timm_resnet", nil, Options{}, map[string]any{"architecture": "resnetblur18"}, nil, "which has steps that no tensor records; export the model to ONNX"},
		{"timm_resnet", map[string][]int{"layer1.0.se.conv.weight": {2, 8, 1, 1}}, Options{}, nil, nil, "torch.onnx.export(model.eval(), x,"},
		{"cleanrl_nature", nil, Options{}, nil, []int{1, 4, 64, 64}, "the weights take 245 (tensor \"network.7.weight\"): want frames such as 84×84"},
		{"cleanrl_nature", nil, Options{}, nil, []int{1, 4, 20, 84}, "frames of 20×84 are too small: want frames such as 84×84"},
		{"cleanrl_impala", map[string][]int{"network.1.res_block0.conv1.weight": {3, 4, 3, 3}}, Options{}, nil, nil, `"network.1.res_block0.conv1.bias" has shape [4]`},
		{"cleanrl_impala", nil, Options{}, nil, []int{1, 3, 84, 84}, "the weights take 256"},
		{"timm_beit", nil, Options{Heads: 2}, nil, []int{1, 3, 24, 20}, "of 4×4 patches (tensor \"blocks.0.attn.relative_position_bias_table\"): want frames of 16×16"},
		{"timm_beit", map[string][]int{"blocks.1.attn.relative_position_bias_table": {28, 2}}, Options{Heads: 2}, nil, nil, "of other patches than the table before"},
		{"timm_beit", map[string][]int{"blocks.0.attn.relative_position_bias_table": {53, 2}}, Options{Heads: 2}, nil, nil, "has shape [53 2], want (2s−1)²+3 rows"},
		{"timm_clip", map[string][]int{"norm.weight": nil, "norm.bias": nil}, Options{Heads: 2}, nil, nil, "no last normalization, as encoders have it that turn"},
		{"timm_bit", map[string][]int{"stages.0.blocks.1.norm2.weight": {16}}, Options{}, nil, nil, "has shape [16], want [32]"},
		{"bert", nil, Options{}, nil, nil, "the number of heads is unknown"},
		{"bert", nil, Options{Heads: 3}, nil, nil, "3 heads (option) do not divide the width 16"},
		{"esm2", nil, Options{Heads: 2}, map[string]any{"position_embedding_type": "relative_key"}, nil, "want absolute or rotary"},
	} {
		path := filepath.Join("testdata", "families", c.folder, "weights.safetensors")
		if _, err := os.Stat(path); err != nil {
			path = filepath.Join("testdata", "families", c.folder, "model.safetensors")
		}
		file, err := mmap.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		state, err := readSafetensors(file)
		if err != nil {
			t.Fatal(err)
		}
		for key, shape := range c.change {
			if delete(state, key); shape != nil {
				state[key] = zeros(shape...)
			}
		}
		n, err := build(state, c.options, &settings.Settings{Inside: c.config})
		if err == nil && c.frames != nil {
			err = n.Check(c.frames)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %q", c.folder, c.change, err, c.want)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The largest ConvNeXt of timm has another epsilon in all its normalizations, which no tensor records.
func TestConvNeXt_Epsilon(t *testing.T) {
	for name, want := range map[string]float32{
		"convnext_tiny": 1e-6, "convnext_xxlarge": 1e-5, "convnext_xxlarge.clip_laion2b": 1e-5,
	} {
		file, err := mmap.Open(filepath.Join("testdata", "families", "timm_convnext", "weights.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		state, err := readSafetensors(file)
		if err != nil {
			t.Fatal(err)
		}
		n, err := build(state, Options{}, &settings.Settings{Inside: map[string]any{"architecture": name}})
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, node := range n.Graph.Nodes {
			if e, ok := node.Attributes["epsilon"]; ok {
				if count++; e.Float != want {
					t.Errorf("%s: %s has the epsilon %g, want %g", name, node.Name, e.Float, want)
				}
			}
		}
		if count < 9 {
			t.Errorf("%s: %d normalizations", name, count)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}
