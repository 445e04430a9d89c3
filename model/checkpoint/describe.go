// The table of known architectures: how they are recognized and described.

package checkpoint

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"repscope/model/checkpoint/internal/statedict"
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
	outside   []string                              // beginnings of names that are other parts of the model
	accepts   func(state State, prefix string) bool // what names do not tell; nil: any
	limited   bool                                  // most tensors of a file must have names that it knows
	build     func(b *builder) error
	known     map[string]bool // generic names of its tensors without their endings
}

var architectures = []modelArchitecture{
	{
		Name: "ConvEncoder", Input: "[B, C, T, H, W]", Output: "[B, T, D]",
		Keys:      expand("conv_layers.i.{weight,bias} layer_norms.i.{weight,bias} final_norm.{weight,bias} fc.{weight,bias}"),
		Options:   []string{"activation: " + choices(activationNames(), "silu"), "activation also from the configuration"},
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
}

func init() {
	for i := range families {
		architectures = append(architectures, families[i].architectureOf())
	}
	for i := range architectures {
		a := &architectures[i]
		a.known = map[string]bool{}
		for _, key := range slices.Concat(a.Keys, a.Optional) {
			a.known[ending.ReplaceAllString(generic(key), "")] = true
		}
	}
}

var (
	digits = regexp.MustCompile(`\d+`)
	ending = regexp.MustCompile(`[._](weight|bias|bias_mask|gamma|beta|running_mean|running_var|num_batches_tracked)$`)
)

// generic is a name with i for its numbers.
func generic(name string) string { return digits.ReplaceAllString(name, "i") }

// knows reports whether a name without prefix is of one of the architecture's tensors.
func (a *modelArchitecture) knows(name string) bool {
	name = generic(name)
	return a.known[name] || a.known[ending.ReplaceAllString(name, "")]
}

// elsewhere reports whether a name without prefix is of another part of the model.
func (a *modelArchitecture) elsewhere(name string) bool {
	return slices.ContainsFunc(a.outside, func(part string) bool { return strings.HasPrefix(name, part) })
}

// fits reports whether a state dict is of the architecture: at most a fifth of its tensors has names that it does not
// know, and what else tells.
func (a *modelArchitecture) fits(state State, prefix string) bool {
	if a.accepts != nil && !a.accepts(state, prefix) {
		return false
	}
	all, strange := 0, 0
	for key := range state {
		inner, ok := strings.CutPrefix(key, prefix)
		if !ok || a.elsewhere(inner) {
			continue
		}
		all++
		if !a.knows(inner) {
			strange++
		}
	}
	return !a.limited || 5*strange <= all
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
		if slices.ContainsFunc(architectures[:i], func(other modelArchitecture) bool { return other.Name == a.Name }) {
			continue // another layout of the same
		}
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
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
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
		if !slices.ContainsFunc(a.signature, func(s string) bool {
			_, has := state[p+s]
			return !has
		}) && a.fits(state, p) {
			prefixes = append(prefixes, p)
		}
	}
	if len(prefixes) == 0 {
		return "", false
	}
	slices.SortFunc(prefixes, func(a, b string) int {
		return cmp.Or(cmp.Compare(slowness(a), slowness(b)), strings.Compare(a, b))
	})
	return prefixes[0], true
}

// slowness is 1 for the prefix of a copy that follows the trained encoder, as contrastive training keeps for its keys.
func slowness(prefix string) int {
	for _, copied := range []string{"encoder_k.", "momentum_encoder.", "target"} {
		if strings.Contains(prefix, copied) {
			return 1
		}
	}
	return 0
}

// strange are the tensors of a state dict whose names an architecture does not have under any prefix, in order.
func (a *modelArchitecture) strange(state State) []string {
	var list []string
	for key := range state {
		parts := strings.Split(key, ".")
		readable := a.elsewhere(key)
		for i := range parts {
			readable = readable || a.knows(strings.Join(parts[i:], "."))
		}
		if !readable {
			list = append(list, key)
		}
	}
	slices.Sort(list)
	return list
}

// declines reports whether shapes, or tensors of another architecture, show that a state dict is no such encoder.
func (a *modelArchitecture) declines(state State) bool {
	for key := range state {
		prefix, ok := strings.CutSuffix(key, a.signature[0])
		if ok && (prefix == "" || strings.HasSuffix(prefix, ".")) && a.accepts != nil && !a.accepts(state, prefix) {
			return true
		}
	}
	return false
}

// nearest names the architecture that shares most of its tensors' names with
// a state dict, and the missing ones.
func nearest(state State) string {
	// Names without the numbers of layers, under every prefix.
	has := map[string]bool{}
	for key := range state {
		parts := strings.Split(generic(key), ".")
		for i := range min(len(parts), 8) {
			has[strings.Join(parts[i:], ".")] = true
		}
	}
	best, highest, name := "", 0.0, ""
	for _, a := range architectures {
		if a.declines(state) {
			continue
		}
		var missing []string
		for _, k := range a.Keys {
			if !has[generic(k)] {
				missing = append(missing, k)
			}
		}
		n := len(a.Keys) - len(missing)
		// A quarter of the names: less is chance, such as a lone "norm.weight". Among these, that with the fewest names
		// on one side alone.
		strange := a.strange(state)
		share := float64(n) / float64(len(a.Keys))
		if alike := share * (1 - float64(len(strange))/float64(len(state))); share >= 0.25 && alike > highest {
			highest, name = alike, a.Name
			best = fmt.Sprintf("has %d of the %d kinds of tensors and lacks %s", n, len(a.Keys), statedict.List(missing))
			switch {
			case len(missing) == 0 && len(strange) > 0:
				best = "has all its kinds of tensors, and others, such as " + statedict.List(strange[:1])
			case len(missing) == 0:
				best = "has all its kinds of tensors, but not under one prefix"
			}
		}
	}
	if name == "" {
		return "none is similar"
	}
	return fmt.Sprintf("the nearest is %s: the file %s", name, best)
}
