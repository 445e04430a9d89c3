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

var regionNames = []string{"", "hfwr1", "hcdr1", "hfwr2", "hcdr2", "hfwr3", "hcdr3", "hfwr4",
	"lfwr1", "lcdr1", "lfwr2", "lcdr2", "lfwr3", "lcdr3", "lfwr4"}

// String is the name of a region in result files, such as "hcdr3".
func (r Region) String() string { return regionNames[r] }
