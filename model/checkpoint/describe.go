// The table of known architectures: how they are recognized and described.

package checkpoint

import (
	"fmt"
	"slices"
	"strings"
)

// modelArchitecture describes a known encoder.
type modelArchitecture struct {
	Name string
	// Input and Output are the shapes, with names for free sizes, e.g. "[B, C, T, H, W]".
	Input, Output string
	// Keys are the names of its tensors; i stands for the number of a layer.
	Keys []string
	// Optional are names of tensors that a file may have or lack.
	Optional []string
	// Options are the applicable options, with their descriptions.
	Options []string

	// signature are names of tensors that only this architecture has.
	signature []string
	build     func(b *builder) error
}

var architectures = []modelArchitecture{
	{
		Name: "ConvEncoder", Input: "[B, C, T, H, W]", Output: "[B, T, D]",
		Keys:      expand("conv_layers.i.{weight,bias} layer_norms.i.{weight,bias} final_norm.{weight,bias} fc.{weight,bias}"),
		Options:   []string{"activation: " + choices(activationNames(), "silu") + "; also from the configuration"},
		signature: []string{"conv_layers.0.weight", "final_norm.weight"}, build: buildConvEncoder,
	},
	{
		Name: "VideoViT", Input: "[B, C, T, H, W]", Output: "[B, T, E]",
		Keys: expand("patch_embed.conv_spatial.{weight,bias} " + videoBlock("blocks.i.") + " norm.{weight,bias} " +
			videoBlock("temporal_blocks.i.") + " temporal_norm.{weight,bias}"),
		Optional:  []string{"blocks.i.attn.rotary_emb.inv_freq", "temporal_blocks.i.attn.rotary_emb.inv_freq"},
		Options:   []string{"heads: required if neither attn.rotary_emb.inv_freq nor the configuration has them"},
		signature: []string{"patch_embed.conv_spatial.weight", "temporal_norm.weight"}, build: buildVideoViT,
	},
	{
		Name: "DQN CNN", Input: "[B, C, 84, 84]", Output: "[B, D]",
		Keys:      expand("conv1.{weight,bias} conv2.{weight,bias} conv3.{weight,bias} fc_enc.{weight,bias}"),
		Options:   []string{"final activation: " + choices(finalActivations, finalActivations[0])},
		signature: []string{"conv1.weight", "fc_enc.weight"}, build: buildDQN,
	},
	{
		Name: "ViT-MAE", Input: "[B, C, H, W]", Output: "[B, 1+N, E]",
		Keys: expand("embeddings.{cls_token,position_embeddings} embeddings.patch_embeddings.projection.{weight,bias} " +
			"encoder.layer.i.attention.attention.{query,key,value}.weight encoder.layer.i.attention.output.dense.{weight,bias} " +
			"encoder.layer.i.{intermediate,output}.dense.{weight,bias} encoder.layer.i.{layernorm_before,layernorm_after}.{weight,bias} layernorm.{weight,bias}"),
		Optional: expand("encoder.layer.i.attention.attention.{query,key,value}.bias"),
		Options: []string{"heads: from the configuration (num_attention_heads) or the option, else 8",
			"activation: from the configuration (hidden_act) or the option, else gelu"},
		signature: []string{"embeddings.patch_embeddings.projection.weight", "embeddings.position_embeddings"}, build: buildViTMAE,
	},
}

func videoBlock(p string) string {
	return p + "{norm1,norm2}.{weight,bias} " + p + "attn.qkv.weight " + p + "attn.proj.{weight,bias} " + p + "mlp.{fc1,fc2}.{weight,bias}"
}

// expand lists the names of patterns such as a.{b,c}.{d,e}.
func expand(patterns string) []string {
	var names []string
	for _, p := range strings.Fields(patterns) {
		open := strings.IndexByte(p, '{')
		if open < 0 {
			names = append(names, p)
			continue
		}
		close := open + strings.IndexByte(p[open:], '}')
		for _, choice := range strings.Split(p[open+1:close], ",") {
			names = append(names, expand(p[:open]+choice+p[close+1:])...)
		}
	}
	return names
}

// Help is the table of architectures as text of at most 100 columns, for a
// binary's manual.
func Help() string {
	var s strings.Builder
	for i, a := range architectures {
		if i > 0 {
			s.WriteByte('\n')
		}
		fmt.Fprintf(&s, "%s  %s → %s\n", a.Name, a.Input, a.Output)
		wrap(&s, "keys: ", a.Keys, " ")
		if len(a.Optional) > 0 {
			wrap(&s, "optional keys: ", a.Optional, " ")
		}
		for _, o := range a.Options {
			fmt.Fprintf(&s, "  %s\n", o)
		}
	}
	return s.String()
}

func wrap(s *strings.Builder, title string, words []string, separator string) {
	line := "  " + title
	for i, w := range words {
		if len(line)+len(w) > 99 {
			fmt.Fprintln(s, strings.TrimRight(line, " "))
			line = "    "
		}
		line += w
		if i < len(words)-1 {
			line += separator
		}
	}
	fmt.Fprintln(s, line)
}

func namesOf(list []modelArchitecture) string {
	var names []string
	for _, a := range list {
		names = append(names, a.Name)
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// match looks for the signature under any common prefix.
func (a *modelArchitecture) match(state State) (prefix string, ok bool) {
	var prefixes []string
	for key := range state {
		p, ok := strings.CutSuffix(key, a.signature[0])
		if !ok || p != "" && !strings.HasSuffix(p, ".") {
			continue
		}
		if !slices.ContainsFunc(a.signature, func(s string) bool { _, has := state[p+s]; return !has }) {
			prefixes = append(prefixes, p)
		}
	}
	if len(prefixes) == 0 {
		return "", false
	}
	slices.Sort(prefixes)
	return prefixes[0], true
}

// nearest names the architecture that shares most of its tensors' names with a state dict, and the missing tensors.
func nearest(state State) string {
	// Names without the numbers of layers, under every prefix.
	has := map[string]bool{}
	for key := range state {
		parts := strings.Split(key, ".")
		for i, p := range parts {
			if p != "" && strings.Trim(p, "0123456789") == "" {
				parts[i] = "i"
			}
		}
		for i := range min(len(parts), 8) {
			has[strings.Join(parts[i:], ".")] = true
		}
	}
	best, highest, name := "", 0.0, ""
	for _, a := range architectures {
		var missing []string
		for _, k := range a.Keys {
			if !has[k] {
				missing = append(missing, k)
			}
		}
		n := len(a.Keys) - len(missing)
		// A quarter of the names: less is chance, such as a lone "norm.weight".
		if share := float64(n) / float64(len(a.Keys)); share >= 0.25 && share > highest {
			highest, name = share, a.Name
			best = fmt.Sprintf("has %d of the %d kinds of tensors and lacks %s", n, len(a.Keys), list(missing))
			if len(missing) == 0 {
				best = "has all its kinds of tensors, but not under one prefix"
			}
		}
	}
	if name == "" {
		return "none is similar"
	}
	return fmt.Sprintf("the nearest is %s: the file %s", name, best)
}
