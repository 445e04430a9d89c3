// Regions of the two chains of an antibody.

package token

// Region is a part of the variable domain of one chain. The zero Region is none: special
// tokens, and residues of chains whose frameworks are undefined.
type Region int8

// The regions, in the order of the sequence: of the heavy chain, then of the light one.
const (
	NoRegion Region = iota
	HeavyFWR1
	HeavyCDR1
	HeavyFWR2
	HeavyCDR2
	HeavyFWR3
	HeavyCDR3
	HeavyFWR4
	LightFWR1
	LightCDR1
	LightFWR2
	LightCDR2
	LightFWR3
	LightCDR3
	LightFWR4
)

// Regions is the number of regions of both chains: they are 1 … Regions.
const Regions = int(LightFWR4)

// perChain is the number of regions of a chain.
const perChain = Regions / 2

var regionNames = []string{"", "hfwr1", "hcdr1", "hfwr2", "hcdr2", "hfwr3", "hcdr3", "hfwr4",
	"lfwr1", "lcdr1", "lfwr2", "lcdr2", "lfwr3", "lcdr3", "lfwr4"}

// String is the name of a region in result files, such as "hcdr3".
func (r Region) String() string { return regionNames[r] }

// cdrRegions returns the six complementarity-determining regions, in the order of the sequence.
func cdrRegions() []Region {
	return []Region{HeavyCDR1, HeavyCDR2, HeavyCDR3, LightCDR1, LightCDR2, LightCDR3}
}

// frameworkRegions returns the eight framework regions, in the order of the sequence.
func frameworkRegions() []Region {
	return []Region{HeavyFWR1, HeavyFWR2, HeavyFWR3, HeavyFWR4, LightFWR1, LightFWR2, LightFWR3, LightFWR4}
}

// Label returns the region of every token. CDR n of a chain is where cdr is n. Its frameworks
// are defined where all three CDRs exist, in order and apart: FWR1 before the first token of
// CDR1, FWR2 after the last of CDR1 and before the first of CDR2, and so on to FWR4 after CDR3.
// Tokens of value 0 between two of the same CDR, special ones, and tokens of chains without
// frameworks have [NoRegion]. chains is 0 (heavy) or 1 (light); all lists have the length of
// the sequence, and values are those that the readers of sequences let through.
func Label(chains []int8, special []bool, cdr []int8) []Region {
	out := make([]Region, len(chains))
	for chain := range int8(2) {
		first, last, _ := spans(chain, chains, special, cdr)
		framed := framework(first, last)
		for i, c := range chains {
			if c != chain || special[i] {
				continue
			}
			base := Region(int(chain) * perChain)
			if n := cdr[i]; n != 0 {
				out[i] = base + Region(2*n)
				continue
			}
			for n := 1; framed && n <= 4; n++ {
				if (n == 1 || i > last[n-1]) && (n == 4 || i < first[n]) {
					out[i] = base + Region(2*n-1)
				}
			}
		}
	}
	return out
}

// Unframed returns how many of the chains of a sequence have residues but no frameworks, since
// not all three CDRs exist in order: see [Label].
func Unframed(chains []int8, special []bool, cdr []int8) int {
	n := 0
	for chain := range int8(2) {
		if first, last, residues := spans(chain, chains, special, cdr); residues > 0 && !framework(first, last) {
			n++
		}
	}
	return n
}

// spans returns the first and the last token of CDR 1, 2 and 3 of a chain, −1 for those that there
// are not, and the number of its residues.
func spans(chain int8, chains []int8, special []bool, cdr []int8) (first, last [4]int, residues int) {
	for n := range first {
		first[n], last[n] = -1, -1
	}
	for i, c := range chains {
		if c != chain || special[i] {
			continue
		}
		residues++
		if n := cdr[i]; n != 0 {
			if first[n] < 0 {
				first[n] = i
			}
			last[n] = i
		}
	}
	return first, last, residues
}

// framework reports whether three CDRs exist and follow each other.
func framework(first, last [4]int) bool {
	return first[1] >= 0 && last[1] < first[2] && last[2] < first[3]
}

// Group is a set of positions scored together: a region, or an aggregate of several. A score of a group
// is the score of all its positions, not the mean of the scores of its regions.
type Group struct {
	Name    string
	regions uint16 // bit r: region r
	// origin is the origin of the residues by the germline: any, or templated and non-templated ones,
	// whatever their region.
	origin origin
}

type origin int8

const (
	anyOrigin origin = iota
	germline
	nongermline
)

// Groups returns the 14 regions in the order of the sequence, then the aggregates all_cdr,
// all_fwr, heavy, light and overall, which are sums of regions, and germline and nongermline,
// which are all residues whose non-templated mask is 0 and 1.
func Groups() []Group {
	var out []Group
	for r := HeavyFWR1; r <= LightFWR4; r++ {
		out = append(out, Group{Name: r.String(), regions: 1 << r})
	}
	cdrs, frameworks := union(cdrRegions()...), union(frameworkRegions()...)
	heavy := uint16(1<<LightFWR1 - 1<<HeavyFWR1)
	return append(out,
		Group{Name: "all_cdr", regions: cdrs}, Group{Name: "all_fwr", regions: frameworks},
		Group{Name: "heavy", regions: heavy}, Group{Name: "light", regions: heavy << perChain},
		Group{Name: "overall", regions: cdrs | frameworks},
		Group{Name: "germline", origin: germline}, Group{Name: "nongermline", origin: nongermline})
}

// GroupNames are the names of [Groups].
func GroupNames() []string {
	var out []string
	for _, g := range Groups() {
		out = append(out, g.Name)
	}
	return out
}

func union(regions ...Region) uint16 {
	var out uint16
	for _, r := range regions {
		out |= 1 << r
	}
	return out
}

// Has reports whether a residue belongs to the group, by its region and by its non-templated
// mask, where −1 is unknown.
func (g Group) Has(r Region, nonTemplated int8) bool {
	switch g.origin {
	case germline:
		return nonTemplated == 0
	case nongermline:
		return nonTemplated == 1
	}
	return r != NoRegion && g.regions>>r&1 == 1
}

// ByOrigin reports whether the group asks for the non-templated mask.
func (g Group) ByOrigin() bool { return g.origin != anyOrigin }

// Regions returns the regions that a group is the sum of, in the order of the sequence; none
// of germline and nongermline.
func (g Group) Regions() []Region {
	var out []Region
	for r := HeavyFWR1; r <= LightFWR4; r++ {
		if g.regions>>r&1 == 1 {
			out = append(out, r)
		}
	}
	return out
}
