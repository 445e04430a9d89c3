// What is hidden in the passes over a sequence.

package sequence

import (
	"fmt"
	"slices"

	"repscope/measure/token"
)

// complete checks a record that was read, labels its regions and chooses what is hidden.
func (r *Record) complete(mask Masker) error {
	n := len(r.Tokens)
	if len(r.Chains) != n || len(r.Special) != n || r.CDR != nil && len(r.CDR) != n || r.NonTemplated != nil && len(r.NonTemplated) != n ||
		r.Coordinates != nil && len(r.Coordinates) != 3*n {
		return fmt.Errorf("sequence %s: its lists are not of the length %d of its tokens", r.ID, n)
	}
	if r.CDR != nil && r.Regions == nil {
		r.Regions = token.Label(r.Chains, r.Special, r.CDR)
	}
	if r.Masked == nil {
		if mask == nil {
			return fmt.Errorf("sequence %s: it is not given which residues are masked", r.ID)
		}
		if r.Masked = mask(r); r.Masked == nil {
			r.Masked = []int{}
		}
	}
	return nil
}

// passesOf are the passes of a kind over a sequence: one, or one for each residue or region
// in their order. A standard mask that hides nothing makes none.
func passesOf(r *Record, kind PassKind) []Pass {
	var out []Pass
	switch kind {
	case MaskedPass:
		if len(r.Masked) > 0 {
			out = append(out, Pass{Record: r, Kind: kind, Hidden: r.Masked})
		}
	case CleanPass:
		out = append(out, Pass{Record: r, Kind: kind})
	case SinglePass:
		for _, at := range r.residues() {
			out = append(out, Pass{Record: r, Kind: kind, Hidden: []int{at}})
		}
	case RegionPass:
		hidden := map[token.Region][]int{}
		for at, region := range r.Regions {
			if region != token.NoRegion {
				hidden[region] = append(hidden[region], at)
			}
		}
		for _, region := range sorted(hidden) {
			out = append(out, Pass{Record: r, Kind: kind, Hidden: hidden[region], Region: region})
		}
	}
	return out
}

// hides reports whether a position is hidden.
func (p *Pass) hides(at int) bool {
	_, ok := slices.BinarySearch(p.Hidden, at)
	return ok
}
