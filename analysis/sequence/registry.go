// The registry: metrics by name, what they lack, and their options.

package sequence

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"repscope/internal/option"
	"repscope/internal/text"
)

// Registry are metrics in the order of the result. Package metrics has those that there are.
type Registry []Kind

// check finds names that two metrics have, and numbers without a range.
func (r Registry) check() error {
	names := map[string]bool{}
	for _, k := range r {
		if names[k.Name] {
			return fmt.Errorf("two metrics are named %s", k.Name)
		}
		names[k.Name] = true
		for _, key := range k.Keys {
			if !(key.Low < key.High) {
				return fmt.Errorf("%s has the range %v to %v, want Low below High", key.Name, key.Low, key.High)
			}
		}
	}
	return nil
}

// Names are the names of all metrics.
func (r Registry) Names() []string {
	names := make([]string, len(r))
	for i := range r {
		names[i] = r[i].Name
	}
	return names
}

// Find is the metric of a name or an alias; nil where there is none.
func (r Registry) Find(name string) *Kind {
	i := slices.IndexFunc(r, func(k Kind) bool { return k.Name == name || slices.Contains(k.Aliases, name) })
	if i < 0 {
		return nil
	}
	return &r[i]
}

// Select returns the metrics of names or aliases, in the order of the registry, each once; all for none. An unknown
// name is an error.
func (r Registry) Select(names []string) ([]string, error) { return option.Select(r.named(), names) }

func (r Registry) named() []option.Named {
	entries := make([]option.Named, len(r))
	for i := range r {
		entries[i] = option.Named{Name: r[i].Name, Aliases: r[i].Aliases}
	}
	return entries
}

// Resolve returns the options of all metrics: those that are given over defaults. Errors: unknown metrics and
// options, values that an option cannot have.
func (r Registry) Resolve(values map[string]map[string]any) (map[string]map[string]any, error) {
	out := map[string]map[string]any{}
	for i := range r {
		k := &r[i]
		out[k.Name] = map[string]any{}
		for _, o := range k.Options {
			out[k.Name][o.Name] = o.Default
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		k := r.Find(name)
		if k == nil {
			err := fmt.Errorf("unknown metric %q in --set; the metrics are %s", name, option.Listing(r.named()))
			return nil, text.WithHint(err, text.DidYouMean("", name, r.Names()))
		}
		for _, key := range slices.Sorted(maps.Keys(values[name])) {
			option := k.Canonical(key)
			value, err := k.Option(option, values[name][key])
			if err != nil {
				return nil, err
			}
			out[k.Name][option] = value
		}
	}
	return out, nil
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
	for _, part := range []struct {
		out  Outputs
		need Needs
	}{{Logits, NeedCleanLogits}, {HiddenStates, NeedHidden}, {Attentions, NeedAttentions}, {ContactScores, NeedContactScores}} {
		if m.Source.Has(CleanPass)&part.out != 0 {
			n |= part.need
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
	{NeedRegional, "predictions of masked regions"},
	{NeedSingle, "predictions of every residue masked alone"},
	{NeedSingleLogits, "logits of every residue masked alone"},
	{NeedCleanLogits, "logits of sequences without masks"},
	{NeedHidden, "hidden states of sequences without masks"},
	{NeedAttentions, "attentions of sequences without masks"},
	{NeedContactScores, "contact scores"},
	{NeedRegions, "the CDRs of sequences"},
	{NeedGermline, "the germline origin of residues"},
	{NeedCoordinates, "coordinates"},
	{NeedChains, "two chains"},
	{NeedConfidence, "logits of masked residues"},
}

// words lists needs.
func (n Needs) words(joined string) string {
	var out []string
	for _, part := range needed {
		if n&part.need != 0 {
			out = append(out, part.what)
		}
	}
	return strings.Join(out, joined)
}

// missing says what a metric lacks of a model; empty if it has all.
func (k *Kind) missing(m *Model, mode string) string {
	has := m.has(mode)
	if lacks := k.Needs &^ has; lacks != 0 {
		return "needs " + lacks.words(" and ")
	}
	if k.Either != 0 && k.Either&has == 0 {
		return "needs " + k.Either.words(" or ")
	}
	return ""
}

// asks is what a metric asks of a model.
func (k *Kind) asks(m *Model, mode string) Needs { return k.Needs | k.Either&m.has(mode) }

// Canonical is the name of an option that may be called by its alias.
func (k *Kind) Canonical(name string) string {
	if i := slices.IndexFunc(k.Options, func(o Option) bool { return o.Alias == name && name != "" }); i >= 0 {
		return k.Options[i].Name
	}
	return name
}

// Option is the value of an option; nil stands for the default. An unknown option and a value that it cannot have are
// errors.
func (k *Kind) Option(name string, value any) (any, error) {
	i := slices.IndexFunc(k.Options, func(o Option) bool { return o.Name == name })
	if i < 0 {
		var names []string
		for _, o := range k.Options {
			names = append(names, o.Name)
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("%s has no options, but %s.%s is set", k.Name, k.Name, name)
		}
		return nil, text.WithHint(fmt.Errorf("%s has no option %q; its options are %s", k.Name, name, strings.Join(names, ", ")), text.DidYouMean(k.Name+".", name, names))
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
		return nil, fmt.Errorf("%s.%s is %v, want %s", k.Name, name, value, kindOf(o.Default))
	}
	if o.Check != nil {
		if err := o.Check(value); err != nil {
			return nil, fmt.Errorf("%s.%s is %v: %v", k.Name, name, value, err)
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
