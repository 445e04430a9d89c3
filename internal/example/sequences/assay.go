// Measured substitutions: the effect under the law, with noise.

package sequences

import (
	"math"

	"repscope/stat"
)

// Mutation replaces a residue. Position counts the residues of the chain from 0.
type Mutation struct {
	Chain, Position int
	From, To        byte
}

// Variant is a sequence with mutations, and its measurement.
type Variant struct {
	Mutations []Mutation
	// Law is the logarithm of the ratio of the variant's probability under the law to the wild type's, Score is Law and
	// noise.
	Law, Score float64
}

// Assay measures variants of one sequence.
type Assay struct {
	Name     string
	WildType *Sequence
	Variants []Variant
}

// noise is the standard deviation of a measurement, in units of Law.
const noise = 1.5

// measure draws count variants of a sequence: single mutants, every fourth a double mutant.
func measure(seed uint64, name string, wild *Sequence, count int) Assay {
	r := stat.NewRandom(stat.StreamSequences.Key(seed, 2, uint64(wild.Cluster)))
	a := Assay{Name: name, WildType: wild}
	drawn := map[string]bool{}
	for len(a.Variants) < count {
		m := wild.single(r)
		if len(a.Variants)%4 == 0 {
			m = append(m, wild.single(r)...)
		}
		if key := wild.key(m); key != "" && !drawn[key] {
			drawn[key] = true
			law := wild.law(m)
			a.Variants = append(a.Variants, Variant{Mutations: m, Law: law, Score: math.Round(1e4*(law+float64(noise*r.Normal()))) / 1e4})
		}
	}
	return a
}

// single draws a mutation of any residue.
func (s *Sequence) single(r *stat.Random) []Mutation {
	chain, index := Heavy, r.Intn(len(s.Residues[Heavy])+len(s.Residues[Light]))
	if n := len(s.Residues[Heavy]); index >= n {
		chain, index = Light, index-n
	}
	from := s.Residues[chain][index]
	to := from
	for to == from {
		to = residues[r.Intn(len(residues))]
	}
	return []Mutation{{chain, index, from, to}}
}

// key names the variant; it is empty if two mutations are at one position.
func (s *Sequence) key(m []Mutation) string {
	if len(m) == 2 && m[0].Chain == m[1].Chain && m[0].Position == m[1].Position {
		return ""
	}
	mutant := s.mutant(m)
	return string(mutant[Heavy]) + ":" + string(mutant[Light])
}

func (s *Sequence) mutant(m []Mutation) [Chains][]byte {
	out := [Chains][]byte{[]byte(s.Residues[Heavy]), []byte(s.Residues[Light])}
	for _, a := range m {
		out[a.Chain][a.Position] = a.To
	}
	return out
}

// law is ln P(mutant) − ln P(wild type), conditional on the genes of the clone: the residues of a pair together, all
// others each on its own. Random residues of CDR3 are all equally likely.
func (s *Sequence) law(m []Mutation) float64 {
	return s.clone.logProbability(s.mutant(m)) - s.clone.logProbability(s.mutant(nil))
}

func (c *clone) logProbability(chains [Chains][]byte) float64 {
	sum := 0.0
	for p, sites := range touching {
		a, b := chains[sites[0].chain][c.index(sites[0])], chains[sites[1].chain][c.index(sites[1])]
		germline := genes.fits[sites[0].chain][c.v[sites[0].chain]][p]
		probability := 0.0
		for k, state := range states {
			weight := exchanged / float64(len(states))
			if k == germline {
				weight += 1 - exchanged
			}
			probability += float64(weight * mutated(state[0], a, pairedRate) * mutated(state[1], b, pairedRate))
		}
		sum += math.Log(probability)
	}
	for chain := range Chains {
		paired := c.pairedAt(chain)
		for k, residue := range chains[chain] {
			if germline := c.germline[chain][k]; germline != 0 && !paired[k] {
				sum += math.Log(mutated(germline, residue, rate(c.cdr[chain][k], false)))
			}
		}
	}
	return sum
}

// mutated is the probability that a residue is found where another one was.
func mutated(from, to byte, rate float64) float64 {
	if from == to {
		return 1 - rate
	}
	return rate * exchangeProbability(from, to)
}
