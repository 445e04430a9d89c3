// Package known has facts of published models that their tensors do not tell.
package known

import (
	"regexp"
	"slices"
)

// Layout is a vision transformer as its tensors show it, and its published name.
type Layout struct {
	Width  int
	Name   string // "" for none
	Rotary bool   // positions turn queries and keys
	Gated  bool   // MLPs have a gate
	Scaled bool   // LayerScale
	Pooled bool   // pooled by attention to a token, as in the Perception Encoder
}

// Heads is the number of attention heads of published models of a layout; 0: none has it, or several have different
// ones. The name decides before the width.
func Heads(l Layout) int {
	if n := named(l); n > 0 {
		return n
	}
	switch l.Width {
	case 192, 384, 768:
		return l.Width / 64
	case 1280:
		if l.Rotary && l.Gated { // the huge DINOv3
			return 20
		}
		return 16
	case 1024, 1152, 1664:
		return 16
	case 1408:
		if l.Rotary {
			return 22
		}
		return 16
	case 1536:
		if l.Pooled {
			return 16
		}
		if !l.Rotary && l.Scaled { // DINOv2; SigLIP has 16, without LayerScale
			return 24
		}
	case 4096:
		return 32
	}
	return 0
}

// heads are the widths of heads of published models whose own width does not tell them.
var heads = []struct {
	names  *regexp.Regexp
	size   int
	widths []int // of models
}{
	{regexp.MustCompile(`^vit_base_patch16_gap_224`), 48, []int{768}},
	{regexp.MustCompile(`giantopt|^vit_pe_\w+_gigantic`), 96, []int{1536}},
	{regexp.MustCompile(`_giant_`), 64, []int{1536}},
	{regexp.MustCompile(`^vit_huge_plus_`), 64, []int{1280}},
	{regexp.MustCompile(`^aimv2_`), 128, []int{1024, 1536, 2048, 3072}},
	{regexp.MustCompile(`^test_vit`), 32, []int{64, 96}},
	{regexp.MustCompile(`vit_|^deit`), 64, []int{256, 320, 512, 640, 832, 896}},
}

// named is the number of heads by the name of the model; 0: the name does not tell.
func named(l Layout) int {
	for _, h := range heads {
		if h.names.MatchString(l.Name) && slices.Contains(h.widths, l.Width) {
			return l.Width / h.size
		}
	}
	return 0
}
