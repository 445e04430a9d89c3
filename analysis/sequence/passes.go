// The hidden positions of the passes over a sequence.

package sequence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"repscope/measure/token"
)

// Complete checks a record that was read, labels its regions and chooses the hidden positions.
func (r *Record) Complete(mask Masker) error {
	n := len(r.Tokens)
	if len(r.Chains) != n || len(r.Special) != n || r.CDR != nil && len(r.CDR) != n || r.NonTemplated != nil && len(r.NonTemplated) != n ||
		r.Coordinates != nil && len(r.Coordinates) != 3*n {
		return fmt.Errorf("sequence %s: its lists differ in length from its %d tokens", r.ID, n)
	}
	if r.CDR != nil && r.Regions == nil {
		r.Regions = token.Label(r.Chains, r.Special, r.CDR)
	}
	if r.Masked == nil {
		if mask == nil {
			return fmt.Errorf("sequence %s: the masked residues are unknown", r.ID)
		}
		if r.Masked = mask(r); r.Masked == nil {
			r.Masked = []int{}
		}
	}
	return nil
}

// PassesOf are the passes of a kind over a sequence: one, or one for each residue or region
// in their order. A standard mask that hides nothing makes none.
func PassesOf(r *Record, kind PassKind) []Pass {
	var out []Pass
	switch kind {
	case MaskedPass:
		if len(r.Masked) > 0 {
			out = append(out, Pass{Record: r, Kind: kind, Hidden: r.Masked})
		}
	case CleanPass:
		out = append(out, Pass{Record: r, Kind: kind})
	case SinglePass:
		for _, at := range r.Residues() {
			out = append(out, Pass{Record: r, Kind: kind, Hidden: []int{at}})
		}
	case RegionPass:
		hidden := map[token.Region][]int{}
		for position, region := range r.Regions {
			if region != token.NoRegion {
				hidden[region] = append(hidden[region], position)
			}
		}
		for _, region := range slices.Sorted(maps.Keys(hidden)) {
			out = append(out, Pass{Record: r, Kind: kind, Hidden: hidden[region], Region: region})
		}
	}
	return out
}

// anySource stands for a model that answers every pass.
type anySource struct{}

func (anySource) Has(PassKind) Outputs { return Logits | HiddenStates | Attentions | ContactScores }
func (anySource) Answer(context.Context, []Pass, Outputs, func(int, *Output) error) error {
	return errors.New("no model")
}

// NeededPasses are the passes that a model must be shown, as a mask plan has them: the masked one; the clean one if a
// metric that is asked for, and the sequences allow, needs it; every residue alone with --region-mode per-position,
// or for a metric that is named or looks at some sequences alone; every region with region-level. wants names the
// sequences, where only such metrics need a kind.
func NeededPasses(registry Registry, c Choice, s Sequences) (kinds []PassKind,
	wants func(kind PassKind, sequence int) bool, err error) {
	names, err := registry.Select(c.Metrics)
	if err != nil {
		return nil, nil, err
	}
	mode, setting := cmp.Or(c.Mode, RegionStandard), &Setting{Substitutions: c.Substitutions}
	if setting.Options, err = registry.Resolve(c.Set); err != nil {
		return nil, nil, err
	}
	always := map[PassKind]bool{MaskedPass: true, SinglePass: mode == RegionPerPosition, RegionPass: mode == RegionLevel}
	some := map[PassKind][]*Kind{}
	for _, name := range names {
		k := registry.Find(name)
		if k.missing(&Model{Sequences: s, Source: anySource{}}, mode) != "" || k.Lacks != nil && k.Lacks(setting) != "" {
			continue
		}
		for kind, needs := range map[PassKind]Needs{
			CleanPass: NeedCleanLogits | NeedHidden | NeedAttentions | NeedContactScores, SinglePass: NeedSingle | NeedSingleLogits} {
			switch {
			case (k.Needs|k.Either)&needs == 0 || kind == SinglePass && len(c.Metrics) == 0 && k.Wants == nil:
			case k.Wants == nil:
				always[kind] = true
			default:
				some[kind] = append(some[kind], k)
			}
		}
	}
	for _, kind := range []PassKind{MaskedPass, CleanPass, SinglePass, RegionPass} {
		if always[kind] || some[kind] != nil {
			kinds = append(kinds, kind)
		}
	}
	return kinds, func(kind PassKind, sequence int) bool {
		return always[kind] || slices.ContainsFunc(some[kind], func(k *Kind) bool { return k.Wants(setting, sequence) })
	}, nil
}
