// The precision of the pairs that are scored highest.

package contact

import (
	"fmt"
	"math"

	"repscope/measure/internal/radix"
)

// Range is a set of pairs of residues, by how far they are from each other in the sequence.
type Range struct {
	Name string
	// Min ≤ |i − j| < Max; Max = 0: any. Residues are counted through both chains.
	Min, Max int
	Chains   ChainPairs
}

// ChainPairs says which chains the two residues of a pair are of.
type ChainPairs int8

// The pairs of chains.
const (
	AnyChains ChainPairs = iota
	SameChain
	TwoChains
)

// Standard are the ranges that are reported: all pairs from a least separation on (6 is usual),
// local (3 to 5), short (6 to 11), medium (12 to 23) and long (from 24), and of the pairs from
// the least separation on those inside one chain and those between two.
func Standard(least int) []Range {
	return []Range{
		{Name: "all", Min: least},
		{Name: "local", Min: 3, Max: 6},
		{Name: "short", Min: 6, Max: 12},
		{Name: "medium", Min: 12, Max: 24},
		{Name: "long", Min: 24},
		{Name: "within", Min: least, Chains: SameChain},
		{Name: "between", Min: least, Chains: TwoChains},
	}
}

// has reports whether a pair is in the range.
func (r *Range) has(separation int, same bool) bool {
	if separation < r.Min || r.Max > 0 && separation >= r.Max {
		return false
	}
	return r.Chains == AnyChains || same == (r.Chains == SameChain)
}

// Steps is the number of depths at which precision is taken: of the first k·L/10 pairs.
const Steps = 10

// Precision is how many of the pairs with the highest scores touch.
type Precision struct {
	Range
	// Length L is the number of residues with coordinates.
	Length int
	// Pairs of the range whose contact is known, and Contacts among them.
	Pairs, Contacts int
	// Hits are the pairs that touch among the first Depth ones: min(⌊k·L/10⌋, Pairs), at least one,
	// for k = 1 … 10; all 0 without pairs.
	Hits  [Steps]float64
	Depth [Steps]int
}

// At is the precision among the first k·L/10 pairs, k from 1 to 10, from 0 to 1: P@L for 10,
// P@L/2 for 5, P@L/5 for 2. NaN without pairs.
func (p *Precision) At(k int) float64 { return p.Hits[k-1] / float64(p.Depth[k-1]) }

// AUC is the mean of the ten precisions, the area under their curve as the evaluation of ESM
// has it (Rao et al. 2021, "Transformer protein language models are unsupervised structure
// learners"). NaN without pairs.
func (p *Precision) AUC() float64 {
	sum := 0.0
	for k := range Steps {
		sum += p.At(k + 1)
	}
	return sum / Steps
}

// Chance is the share of contacts among the pairs: the precision that is expected of a random
// order, at any depth. NaN without pairs.
func (p *Precision) Chance() float64 { return float64(p.Contacts) / float64(p.Pairs) }

// Precisions ranks pairs by score and counts contacts among the first pairs, for every range. Pairs
// with equal scores share their contacts evenly (the mean over all orders). Pairs with unknown contact
// state are left out. Errors: another number of residues, NaN scores.
func Precisions(s *Scores, truth *Contacts, ranges []Range) ([]Precision, error) {
	if s.N != truth.N || truth.Chains != nil && len(truth.Chains) != truth.N {
		return nil, fmt.Errorf(
			"scores of %d residues, but contacts of %d and chains of %d", s.N, truth.N, len(truth.Chains))
	}
	least := math.MaxInt
	for _, r := range ranges {
		least = min(least, max(r.Min, 1))
	}
	out := make([]Precision, len(ranges))
	for k, r := range ranges {
		out[k] = Precision{Range: r, Length: truth.Resolved}
	}
	pairs := make([]radix.Entry[pair], 0, s.N*(s.N-1)/2) // by falling scores
	for i := range s.N {
		for j := i + least; j < s.N; j++ {
			v, state := s.Values[i*s.N+j], truth.Pairs[i*s.N+j]
			if math.IsNaN(v) {
				return nil, fmt.Errorf("the score of residues %d and %d is NaN", i, j)
			} else if state == Unknown {
				continue
			}
			pairs = append(pairs, radix.Entry[pair]{Key: descending(v), Value: pair{int32(i), int32(j)}})
			same := truth.chain(i) == truth.chain(j)
			for k := range out {
				if p := &out[k]; p.has(j-i, same) {
					p.Pairs++
					if state == Touching {
						p.Contacts++
					}
				}
			}
		}
	}
	pairs = radix.Sort(pairs)
	for k := range out {
		p := &out[k]
		deepest, above := min(max(p.Length, 1), p.Pairs), 0
		var group, ends []float64 // the contacts among the pairs of each score, and how many these are
		for first, last := 0, 0; above < deepest; first = last {
			hits, size := 0, 0
			for ; last < len(pairs) && pairs[last].Key == pairs[first].Key; last++ {
				i, j := int(pairs[last].Value.i), int(pairs[last].Value.j)
				if !p.has(j-i, truth.chain(i) == truth.chain(j)) {
					continue
				}
				size++
				if truth.Pairs[i*s.N+j] == Touching {
					hits++
				}
			}
			if size > 0 {
				group, ends = append(group, float64(hits)), append(ends, float64(size))
				above += size
			}
		}
		p.count(group, ends)
	}
	return out, nil
}

// pair is two residues.
type pair struct{ i, j int32 }

// descending is the bits of a score as numbers in the order of falling scores; 0 and −0 have the same.
func descending(score float64) uint64 {
	bits := math.Float64bits(score + 0)
	if bits>>63 != 0 {
		return bits
	}
	return ^bits &^ (1 << 63)
}

// count fills the hits from the hits of groups of equal scores, in their order.
func (p *Precision) count(hits, sizes []float64) {
	if p.Pairs == 0 {
		return
	}
	group, above, hit := 0, 0.0, 0.0 // groups that are whole above the depth, their pairs and hits
	for k := range Steps {
		depth := min(max((k+1)*p.Length/Steps, 1), p.Pairs)
		for above+sizes[group] < float64(depth) {
			above += sizes[group]
			hit += hits[group]
			group++
		}
		p.Depth[k] = depth
		p.Hits[k] = hit + hits[group]*((float64(depth)-above)/sizes[group])
	}
}
