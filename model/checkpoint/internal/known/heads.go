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
	if size := named(l); size > 0 {
		return l.Width / size
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

// wide are the widths of heads of published models that have another number of heads than others of their width.
var wide = []struct {
	pattern     *regexp.Regexp
	width, size int // of the model, 0 for any, and of a head
}{
	{regexp.MustCompile(`^vit_base_patch16_gap_224`), 768, 48},
	{regexp.MustCompile(`giantopt|^vit_pe_\w+_gigantic`), 1536, 96},
	{regexp.MustCompile(`_giant_`), 1536, 64},
	{regexp.MustCompile(`^vit_huge_plus_`), 1280, 64},
	{regexp.MustCompile(`^aimv2_`), 0, 128},
	{regexp.MustCompile(`^test_vit`), 0, 32},
}

// family are names of models whose heads are 64 wide at the widths of usual.
var (
	family = regexp.MustCompile(`vit_|^deit`)
	usual  = []int{256, 320, 512, 640, 832, 896}
)

// named is the width of a head by the name of the model; 0: the name does not tell.
func named(l Layout) int {
	for _, w := range wide {
		if l.Name != "" && w.pattern.MatchString(l.Name) && (w.width == 0 || w.width == l.Width) && l.Width%w.size == 0 {
			return w.size
		}
	}
	if slices.Contains(usual, l.Width) && family.MatchString(l.Name) {
		return 64
	}
	return 0
}
