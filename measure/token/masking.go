// Which positions are hidden from a model.

package token

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"repscope/stat"
)

// Rule is a way to choose the positions that are hidden.
type Rule int

// The rules.
const (
	// Uniform hides every residue with probability Rate, independently.
	Uniform Rule = iota
	// Gumbel hides max(1, ⌊Rate·n + ½⌋) of n residues, drawn without replacement with
	// probabilities proportional to their weights (Gumbel-top-k; Kool, van Hoof and Welling 2019).
	Gumbel
	// Ranked hides as many, the residues of the largest weights; equal ones in random order.
	Ranked
)

// Masking hides residues; special tokens never. The weight of a residue is
// 1 + CDR·[it is in a CDR] + NonGermline·[it is not templated]; unknown residues count as not.
type Masking struct {
	Rule             Rule
	Rate             float64 // in (0, 1]
	CDR, NonGermline float64 // ≥ 0
	Seed             uint64
}

// Check returns an error for numbers out of range.
func (m Masking) Check() error {
	if !(m.Rate > 0 && m.Rate <= 1) {
		return fmt.Errorf("the share of masked residues is %v, want above 0 and at most 1", m.Rate)
	}
	for _, w := range []float64{m.CDR, m.NonGermline} {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("the weight of masking is %v, want a number of at least 0", w)
		}
	}
	return nil
}

// SequenceKey is the key of a sequence by its id: 64 bits of its SHA-256.
func SequenceKey(id string) uint64 {
	sum := sha256.Sum256([]byte(id))
	return binary.LittleEndian.Uint64(sum[:])
}

// Positions returns the positions to hide of the sequence with a key, ascending. The draw of a
// position is a function of seed, key and position: the mask does not depend on batch, order,
// padding or device. cdr and nonTemplated may be nil. No residues give no positions.
func (m Masking) Positions(key uint64, special []bool, cdr, nonTemplated []int8) []int {
	stream := stat.StreamMask.Key(m.Seed, key)
	var out []int
	if m.Rule == Uniform {
		for i, s := range special {
			if !s && uniform(stream, i) < m.Rate {
				out = append(out, i)
			}
		}
		return out
	}
	var all []candidate
	for i, s := range special {
		if s {
			continue
		}
		c := candidate{position: i, draw: uniform(stream, i)}
		weight := 1.0
		if cdr != nil && cdr[i] != 0 {
			weight += m.CDR
		}
		if nonTemplated != nil && nonTemplated[i] == 1 {
			weight += m.NonGermline
		}
		if m.Rule == Ranked {
			c.order = -weight
		} else {
			// The largest of ln w + Gumbel noise is the smallest of exponential times of rate w.
			c.order = -math.Log(c.draw) / weight
		}
		all = append(all, c)
	}
	slices.SortFunc(all, candidate.compare)
	for _, c := range all[:m.count(len(all))] {
		out = append(out, c.position)
	}
	slices.Sort(out)
	return out
}

// count is the number of n residues that Gumbel and Ranked hide.
func (m Masking) count(n int) int {
	return min(n, max(1, int(math.Floor(m.Rate*float64(n)+0.5))))
}

// candidate is a residue that may be hidden: the smallest order first, then the smallest draw.
type candidate struct {
	position    int
	order, draw float64
}

func (a candidate) compare(b candidate) int {
	for _, pair := range [][2]float64{{a.order, b.order}, {a.draw, b.draw}} {
		if pair[0] != pair[1] {
			if pair[0] < pair[1] {
				return -1
			}
			return 1
		}
	}
	return a.position - b.position
}

// uniform is the draw of a position, inside (0, 1).
func uniform(key stat.Key, position int) float64 {
	words := key.Uint32x4(uint64(position))
	bits := uint64(words[1])<<32 | uint64(words[0])
	return (float64(bits>>12) + 0.5) * 0x1p-52
}
