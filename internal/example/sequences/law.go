// The law of the sequences: genes, the fold of a domain, and pairs of residues that fit each other.

package sequences

import (
	"slices"

	"repscope/stat"
)

// residues are the twenty amino acids.
const residues = "LAGVSERTIDPKQNFYMHWC"

// groups are amino acids that mutations exchange most.
var groups = []string{"LAVIMC", "FYWH", "STNQ", "DE", "KR", "G", "P"}

// states are the possible states of two residues in contact: each determines the other.
var states = [][2]byte{{'K', 'E'}, {'E', 'K'}, {'R', 'D'}, {'D', 'R'}, {'F', 'G'}, {'G', 'F'}, {'Y', 'S'}, {'S', 'Y'}}

// The chains of a sequence.
const (
	Heavy = iota
	Light
	Chains
)

// The sizes of the law.
const (
	strandLength = 5
	turnLength   = 2
	tailLength   = strandLength + 1 // FWR4: a strand and the last residue
	heavyGenes   = 6                // V genes
	lightGenes   = 4
	joins        = 3 // J genes of the heavy chain; the light one shares the first two
	lightJoins   = 2
	lawSeed      = 7

	// exchanged is the probability that a pair is drawn at random instead of from the germline.
	exchanged = 0.55
	// The mean rates of somatic mutations, and the rate of residues that would lose their partner.
	frameworkRate = 0.03
	cdrRate       = 0.12
	pairedRate    = 0.02
	// favored is how often a light V gene is the one that its heavy V gene prefers.
	favored = 0.5
	// similar is the share of mutations that stay in a group.
	similar = 0.7
)

// The strands of a domain, in the order of the sequence.
const (
	strandA = iota
	strandB
	strandC
	strandC2 // C'
	strandD
	strandE
	strandF
	strandG
	strands
)

// layout is the layout of a chain. A column counts the residues before CDR3 from the start, and the residues after it,
// the tail, from CDR3 on.
type layout struct {
	cdr1, cdr2 int
	first      [strands]int // column of the first residue of each strand
	head       int          // columns before CDR3
}

var layouts = [Chains]layout{newLayout(6, 6), newLayout(5, 5)}

func newLayout(cdr1, cdr2 int) layout {
	l := layout{cdr1: cdr1, cdr2: cdr2}
	column := 0
	for s, gap := range [strands]int{turnLength, cdr1, turnLength, cdr2, turnLength, turnLength, 0, 0} {
		l.first[s] = column
		column += strandLength + gap
	}
	l.head = l.first[strandG]
	return l
}

// columns is the number of columns.
func (l *layout) columns() int { return l.head + tailLength }

// cdr is 1 or 2 for the columns of the first two CDRs, else 0.
func (l *layout) cdr(column int) int8 {
	switch {
	case column >= l.first[strandB]+strandLength && column < l.first[strandC]:
		return 1
	case column >= l.first[strandC2]+strandLength && column < l.first[strandD]:
		return 2
	}
	return 0
}

// index is the index of a column in a chain of length residues.
func (l *layout) index(column, length int) int {
	if column < l.head {
		return column
	}
	return length - l.columns() + column
}

// site is a column of a chain.
type site struct{ chain, column int }

// touching are the pairs of residues that depend on each other: neighbors on strands side by side,
// six or more residues apart in the sequence, and across the interface of the chains. No residue
// is in two pairs.
var touching = touchingPairs()

func touchingPairs() [][2]site {
	inside := []struct{ s, i, t, j int }{
		{strandA, 0, strandB, 4}, {strandA, 2, strandB, 2},
		{strandB, 0, strandE, 4}, {strandB, 1, strandE, 3}, {strandB, 3, strandE, 1},
		{strandD, 2, strandE, 2},
		{strandC, 4, strandF, 0}, {strandC, 2, strandF, 2}, {strandC, 0, strandF, 4},
		{strandC, 1, strandC2, 3},
		{strandF, 1, strandG, 3}, {strandF, 3, strandG, 1},
	}
	var out [][2]site
	for chain := range Chains {
		for _, p := range inside {
			out = append(out, [2]site{{chain, layouts[chain].first[p.s] + p.i}, {chain, layouts[chain].first[p.t] + p.j}})
		}
	}
	for i := 0; i < strandLength; i += 2 {
		out = append(out,
			[2]site{{Heavy, layouts[Heavy].first[strandC2] + i}, {Light, layouts[Light].first[strandG] + strandLength - 1 - i}},
			[2]site{{Heavy, layouts[Heavy].first[strandG] + strandLength - 1 - i}, {Light, layouts[Light].first[strandC2] + i}})
	}
	return out
}

// paired reports for every column of a chain whether it has a partner.
var paired = func() (out [Chains][]bool) {
	for chain := range Chains {
		out[chain] = make([]bool, layouts[chain].columns())
	}
	for _, p := range touching {
		out[p[0].chain][p[0].column], out[p[1].chain][p[1].column] = true, true
	}
	return out
}()

// genome are the genes: of every V gene the residues by column up to CDR3 and the first of CDR3, of
// every J gene the last of CDR3 and the residues after it. fits holds the state that a V gene has
// at each pair.
type genome struct {
	v     [Chains][][]byte
	first [Chains][][]byte // of CDR3, by V gene
	last  [Chains][][]byte // of CDR3, by J gene
	tail  [Chains][][]byte // by J gene
	d     [][]byte
	fits  [Chains][][]int // [chain][V gene][pair]
	likes []int           // the light V gene that a heavy one prefers
}

var genes = newGenome()

func newGenome() *genome {
	r := stat.NewRandom(stat.StreamSequences.Key(lawSeed, 0))
	g := &genome{d: [][]byte{[]byte("YYGS"), []byte("DWNG"), []byte("SGSW"), []byte("TVLR")}}
	g.v[Heavy], g.v[Light] = family(r, Heavy, heavyGenes), family(r, Light, lightGenes)
	for range heavyGenes {
		g.first[Heavy] = append(g.first[Heavy], []byte("AR"))
		g.likes = append(g.likes, r.Intn(lightGenes))
	}
	for _, text := range []string{"QQY", "QQS", "MQA", "LQH"} {
		g.first[Light] = append(g.first[Light], []byte(text))
	}
	g.last[Heavy] = [][]byte{[]byte("FDY"), []byte("MDV"), []byte("LQH")}
	g.last[Light] = [][]byte{[]byte("PT"), []byte("VV")}
	g.tail[Heavy], g.tail[Light] = tails(r, joins), tails(r, lightJoins)
	for chain, count := range []int{heavyGenes, lightGenes} {
		for range count {
			fit := make([]int, len(touching))
			for p := range fit {
				fit[p] = r.Intn(len(states))
			}
			g.fits[chain] = append(g.fits[chain], fit)
		}
	}
	return g
}

// family makes V genes: frameworks differ from each other in a quarter of their columns, CDRs in most.
func family(r *stat.Random, chain, count int) [][]byte {
	l := &layouts[chain]
	common := make([]byte, l.head)
	for k := range common {
		common[k] = residues[r.Intn(len(residues))]
	}
	out := make([][]byte, count)
	for i := range out {
		out[i] = slices.Clone(common)
		for k := range out[i] {
			if l.cdr(k) > 0 || r.Float64() < 0.25 {
				out[i][k] = residues[r.Intn(len(residues))]
			}
		}
	}
	return out
}

// tails makes the parts of J genes after CDR3.
func tails(r *stat.Random, count int) [][]byte {
	out := make([][]byte, count)
	for i := range out {
		out[i] = make([]byte, tailLength)
		for k := range out[i] {
			out[i][k] = residues[r.Intn(len(residues))]
		}
	}
	return out
}

// exchange draws the result of a mutation of a residue.
func exchange(r *stat.Random, from byte) byte {
	if g := groupOf(from); len(g) > 1 && r.Float64() < similar {
		for {
			if to := g[r.Intn(len(g))]; to != from {
				return to
			}
		}
	}
	for {
		if to := residues[r.Intn(len(residues))]; to != from {
			return to
		}
	}
}

// exchangeProbability is the probability of [exchange].
func exchangeProbability(from, to byte) float64 {
	if from == to {
		return 0
	}
	p := 1 / float64(len(residues)-1)
	g := groupOf(from)
	if len(g) == 1 {
		return p
	}
	p *= 1 - similar
	if g == groupOf(to) {
		p += similar / float64(len(g)-1)
	}
	return p
}

func groupOf(residue byte) string {
	for _, g := range groups {
		if slices.Contains([]byte(g), residue) {
			return g
		}
	}
	return ""
}
