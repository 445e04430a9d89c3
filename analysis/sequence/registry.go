// Which metrics there are, in the order of the result, what they lack, and their options.

package sequence

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"repscope/internal/run"
)

var registry []Kind

func init() {
	for _, k := range []Kind{
		maskedAccuracy,
		crossEntropy,
		perplexity,
		contactPrecision,
		chainProbe,
		positionProbe,
		cdrProbe,
		cdrClassProbe,
		regionAccuracy,
		regionLoss,
		regionPerplexity,
		crossChain,
		pseudoPerplexity,
		onePassPerplexity,
		regionGermline,
		perPosition,
		perResidue,
		confusion,
		topK,
		unigram,
		calibration,
		substitutions,
	} {
		Register(k)
	}
	Command.Manual = fmt.Sprintf(manual, metricHelp(), optionHelp())
}

// listing names all metrics with their aliases.
func listing() string {
	var parts []string
	for _, k := range registry {
		text := k.Name
		if len(k.Aliases) > 0 {
			text += " (" + strings.Join(k.Aliases, ", ") + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// has is what there is of a model for metrics, in a mode of regions.
func (m *Model) has(mode string) Needs {
	n := m.Sequences.Knows() & (NeedRegions | NeedGermline | NeedCoordinates | NeedChains)
	predicted := func(kind PassKind, need, logits Needs) {
		if m.Source.Has(kind)&(Logits|Predicted) != 0 {
			n |= need
		}
		if m.Source.Has(kind)&Logits != 0 {
			n |= logits
		}
	}
	predicted(MaskedPass, NeedMasked, NeedConfidence)
	predicted(SinglePass, NeedSingle, NeedSingleLogits)
	kind := map[string]PassKind{RegionStandard: MaskedPass, RegionPerPosition: SinglePass, RegionLevel: RegionPass}[mode]
	predicted(kind, NeedRegional, 0)
	for _, of := range []struct {
		out  Outputs
		need Needs
	}{{Logits, NeedCleanLogits}, {HiddenStates, NeedHidden}, {Attentions, NeedAttentions}, {ContactScores, NeedContactScores}} {
		if m.Source.Has(CleanPass)&of.out != 0 {
			n |= of.need
		}
	}
	return n
}

// needed says in words what each need is.
var needed = []struct {
	need Needs
	what string
}{
	{NeedMasked, "predictions of masked residues"},
	{NeedRegional, "predictions of the residues of regions"},
	{NeedSingle, "predictions of every residue masked alone"},
	{NeedSingleLogits, "logits of every residue masked alone"},
	{NeedCleanLogits, "logits of sequences without masks"},
	{NeedHidden, "hidden states of sequences without masks"},
	{NeedAttentions, "attentions of sequences without masks"},
	{NeedContactScores, "contact scores"},
	{NeedRegions, "the CDRs of sequences"},
	{NeedGermline, "which residues are not of the germline"},
	{NeedCoordinates, "coordinates"},
	{NeedChains, "two chains"},
	{NeedConfidence, "logits of masked residues"},
}

// words lists needs.
func (n Needs) words(joined string) string {
	var out []string
	for _, of := range needed {
		if n&of.need != 0 {
			out = append(out, of.what)
		}
	}
	return strings.Join(out, joined)
}

// missing says what a metric lacks of a model; empty if it has all.
func (k *Kind) missing(m *Model, mode string) string {
	has := m.has(mode)
	if lacks := k.Needs &^ has; lacks != 0 {
		return "it needs " + lacks.words(" and ")
	}
	if k.Either != 0 && k.Either&has == 0 {
		return "it needs " + k.Either.words(" or ")
	}
	return ""
}

// asks is what a metric asks of a model.
func (k *Kind) asks(m *Model, mode string) Needs { return k.Needs | k.Either&m.has(mode) }

// canonical is the name of an option that may be called by its alias.
func (k *Kind) canonical(name string) string {
	if i := slices.IndexFunc(k.Options, func(o Option) bool { return o.Alias == name && name != "" }); i >= 0 {
		return k.Options[i].Name
	}
	return name
}

// option checks the value of an option; null is the default.
func (k *Kind) option(name string, value any) (any, error) {
	i := slices.IndexFunc(k.Options, func(o Option) bool { return o.Name == name })
	if i < 0 {
		var names []string
		for _, o := range k.Options {
			names = append(names, o.Name)
		}
		if len(names) == 0 {
			return nil, run.Usage("%s has no options, and %s.%s is set", k.Name, k.Name, name)
		}
		return nil, run.Hint(run.Usage("%s has no option %q; its options are %s", k.Name, name, strings.Join(names, ", ")), run.DidYouMean(k.Name+".", name, names))
	}
	o := k.Options[i]
	if value == nil {
		value = o.Default
	}
	if whole, ok := value.(int); ok {
		if _, want := o.Default.(float64); want {
			value = float64(whole)
		}
	}
	if o.Default != nil && fmt.Sprintf("%T", value) != fmt.Sprintf("%T", o.Default) {
		return nil, run.Usage("%s.%s is %v, want %s", k.Name, name, value, kindOf(o.Default))
	}
	if o.Check != nil {
		if err := o.Check(value); err != nil {
			return nil, run.Usage("%s.%s is %v: %v", k.Name, name, value, err)
		}
	}
	return value, nil
}

// kindOf says in words what a value is.
func kindOf(value any) string {
	switch value.(type) {
	case int:
		return "a whole number"
	case float64:
		return "a number"
	case bool:
		return "true or false"
	case string:
		return "a text"
	}
	return "a list"
}

// sorted are the keys of a map, ascending.
func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
