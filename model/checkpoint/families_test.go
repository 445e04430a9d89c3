// Published families against the libraries that published them.

package checkpoint

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
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
	{"clip", "CLIP", Options{}},
	{"clip_vision", "CLIP", Options{}},
	{"siglip", "SigLIP", Options{}},
	{"vjepa2", "V-JEPA 2", Options{}},
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
			if _, err := os.Stat(filepath.Join(dir, "weights.safetensors")); err == nil {
				path = filepath.Join(dir, "weights.safetensors")
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
