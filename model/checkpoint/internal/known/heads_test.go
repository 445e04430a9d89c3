// Numbers of heads against those of published models.

package known

import "testing"

// The number of heads by name and, where that is clear, by width alone: as timm 1.0.31 makes the models.
func TestHeads(t *testing.T) {
	for _, c := range []struct {
		layout Layout
		want   int
	}{
		{Layout{Width: 768, Name: "vit_base_patch16_gap_224"}, 16},
		{Layout{Width: 768, Name: "vit_base_patch16_siglip_gap_224"}, 12},
		{Layout{Width: 768}, 12},
		{Layout{Width: 64, Name: "test_vit2"}, 2},
		{Layout{Width: 96, Name: "test_vit3"}, 3},
		{Layout{Width: 256, Name: "vit_xsmall_patch16_clip_224"}, 4},
		{Layout{Width: 512, Name: "deit3_medium_patch16_224"}, 8},
		{Layout{Width: 640, Name: "vit_betwixt_patch16_reg4_gap_256"}, 10},
		{Layout{Width: 832, Name: "vit_so150m2_patch16_reg1_gap_256"}, 13},
		{Layout{Width: 896, Name: "vit_base_patch16_plus_240"}, 14},
		{Layout{Width: 512}, 0},
		{Layout{Width: 1024, Name: "aimv2_large_patch14_224", Gated: true}, 8},
		{Layout{Width: 1024, Name: "vit_large_patch16_224"}, 16},
		{Layout{Width: 1280, Name: "vit_huge_plus_patch16_dinov3", Rotary: true, Gated: true, Scaled: true}, 20},
		{Layout{Width: 1280, Rotary: true, Gated: true, Scaled: true}, 20},
		{Layout{Width: 1280, Rotary: true}, 16},
		{Layout{Width: 1536, Name: "vit_giantopt_patch16_siglip_256"}, 16},
		{Layout{Width: 1536}, 0},
		{Layout{Width: 1536, Gated: true, Scaled: true}, 24},
		{Layout{Width: 1536, Name: "vit_giant_patch14_reg4_dinov2", Gated: true, Scaled: true}, 24},
		{Layout{Width: 1536, Name: "vit_pe_lang_gigantic_patch14_448", Rotary: true, Scaled: true}, 16},
		{Layout{Width: 1536, Rotary: true, Scaled: true}, 0},
		{Layout{Width: 1536, Rotary: true, Pooled: true}, 16},
	} {
		if got := Heads(c.layout); got != c.want {
			t.Errorf("%+v: %d heads, want %d", c.layout, got, c.want)
		}
	}
}
