// Clones: one rearrangement of genes each, and the members that somatic mutations make of it.

package sequences

import (
	"fmt"

	"repscope/stat"
)

// Sequence is a pair of chains, heavy and light.
type Sequence struct {
	ID string
	// Cluster is the clone; its members are mutants of one founder.
	Cluster int
	// Residues are letters of amino acids, CDR is 1, 2 or 3 inside a CDR, NonTemplated is 1 if the residue is not from the
	// germline, and Coordinates are the positions of Cα in ångström, NaN if not resolved.
	Residues     [Chains]string
	CDR          [Chains][]int8
	NonTemplated [Chains][]int8
	Coordinates  [Chains][][3]float32
	clone        *clone
}

// clone is a rearrangement.
type clone struct {
	v, j     [Chains]int
	germline [Chains][]byte // 0 where the genes have no residue
	founder  [Chains][]byte
	cdr      [Chains][]int8
	pair     []int // the state of each pair of touching
}

// drawClone rearranges genes: a heavy V gene, a light one that it prefers, D and J genes, a few random residues at the
// joints, and states of pairs that often differ from the genes.
func drawClone(r *stat.Random) *clone {
	c := &clone{}
	c.v[Heavy] = r.Intn(heavyGenes)
	c.v[Light] = genes.likes[c.v[Heavy]]
	if r.Float64() >= favored {
		c.v[Light] = r.Intn(lightGenes)
	}
	c.j[Heavy], c.j[Light] = r.Intn(joins), r.Intn(lightJoins)
	d := genes.d[r.Intn(len(genes.d))]
	c.add(r, Heavy, [][]byte{nil, d, nil}, []int{r.Intn(3), 0, r.Intn(3)})
	c.add(r, Light, [][]byte{nil}, []int{1 + r.Intn(2)})
	for p, sites := range touching {
		owner := sites[0].chain
		s := genes.fits[owner][c.v[owner]][p]
		for k, at := range sites {
			own := genes.fits[at.chain][c.v[at.chain]][p]
			c.germline[at.chain][c.index(at)] = states[own][k]
		}
		if r.Float64() < exchanged {
			s = r.Intn(len(states))
		}
		c.pair = append(c.pair, s)
		for k, at := range sites {
			c.founder[at.chain][c.index(at)] = states[s][k]
		}
	}
	return c
}

// add joins the genes of a chain; inner are the parts of CDR3 between V and J, each preceded by random residues, as
// many as in random.
func (c *clone) add(r *stat.Random, chain int, inner [][]byte, random []int) {
	l := &layouts[chain]
	put := func(part []byte, cdr func(k int) int8) {
		for k, b := range part {
			c.germline[chain], c.founder[chain] = append(c.germline[chain], b), append(c.founder[chain], b)
			c.cdr[chain] = append(c.cdr[chain], cdr(k))
		}
	}
	third := func(int) int8 { return 3 }
	put(genes.v[chain][c.v[chain]], l.cdr)
	put(genes.first[chain][c.v[chain]], third)
	for i, part := range inner {
		for range random[i] {
			c.germline[chain] = append(c.germline[chain], 0)
			c.founder[chain] = append(c.founder[chain], residues[r.Intn(len(residues))])
			c.cdr[chain] = append(c.cdr[chain], 3)
		}
		put(part, third)
	}
	put(genes.last[chain][c.j[chain]], third)
	put(genes.tail[chain][c.j[chain]], func(int) int8 { return 0 })
}

// index is the index of a site in its chain.
func (c *clone) index(at site) int {
	return layouts[at.chain].index(at.column, len(c.founder[at.chain]))
}

// pairedAt reports for every residue of a chain whether it has a partner.
func (c *clone) pairedAt(chain int) []bool {
	out := make([]bool, len(c.founder[chain]))
	for column, is := range paired[chain] {
		out[layouts[chain].index(column, len(out))] = is
	}
	return out
}

// rate is how often a residue mutates, on average over members.
func rate(cdr int8, paired bool) float64 {
	switch {
	case paired:
		return pairedRate
	case cdr > 0:
		return cdrRate
	}
	return frameworkRate
}

// member draws a mutant of the founder; how much it has mutated is drawn too.
func (c *clone) member(r *stat.Random, cluster, number int) Sequence {
	s := Sequence{ID: fmt.Sprintf("clone%03d.%d", cluster+1, number+1), Cluster: cluster, clone: c}
	age := 2 * r.Float64()
	for chain := range Chains {
		paired, b := c.pairedAt(chain), []byte(nil)
		for k, founder := range c.founder[chain] {
			if r.Float64() < age*rate(c.cdr[chain][k], paired[k]) {
				founder = exchange(r, founder)
			}
			b = append(b, founder)
			changed := int8(0)
			if founder != c.germline[chain][k] {
				changed = 1
			}
			s.NonTemplated[chain] = append(s.NonTemplated[chain], changed)
		}
		s.Residues[chain], s.CDR[chain] = string(b), c.cdr[chain]
	}
	s.Coordinates = fold(r, c)
	return s
}

// Make draws sequences of a seed: clones of one to largest members, until there are count.
func Make(seed uint64, count, largest int) []Sequence {
	var out []Sequence
	for cluster := 0; len(out) < count; cluster++ {
		r := stat.NewRandom(stat.StreamSequences.Key(seed, 1, uint64(cluster)))
		c := drawClone(r)
		for number := range min(1+r.Intn(largest), count-len(out)) {
			out = append(out, c.member(r, cluster, number))
		}
	}
	return out
}
