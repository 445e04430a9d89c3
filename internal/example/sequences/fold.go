// The fold: two sheets of four strands in each chain, loops between them, and the chains face to face.

package sequences

import (
	"math"

	"repscope/stat"
)

// Distances of the fold in ångström.
const (
	rise    = 3.4  // from residue to residue of a strand
	beside  = 4.8  // between strands of a sheet
	sheets  = 10.0 // between the sheets of a chain
	facing  = 6.0  // between the sheets of the interface
	jitter  = 0.15 // standard deviation of every coordinate
	missing = 0.04 // share of the residues of CDRs that are not resolved
)

// strandPlace is the position of a strand: its sheet, 0 at the interface, the index in it, and its direction.
var strandPlace = [strands]struct {
	sheet, place int
	up           bool
}{
	strandA: {1, 0, false}, strandB: {1, 1, true}, strandE: {1, 2, false}, strandD: {1, 3, true},
	strandG: {0, 0, false}, strandF: {0, 1, true}, strandC: {0, 2, false}, strandC2: {0, 3, true},
}

// fold computes the positions of the residues of both chains. Neighbors on adjacent strands are 4.8 Å apart, the next
// ones along the strand 5.9 Å, the ones after them more than 8 Å. The light chain is the heavy one rotated by half a
// turn around the axis of the strands, so that its first strands face the last ones of the other.
func fold(r *stat.Random, c *clone) (out [Chains][][3]float32) {
	for chain := range Chains {
		length := len(c.founder[chain])
		points := make([][3]float64, length)
		placed := make([]bool, length)
		for s, p := range strandPlace {
			for k := range strandLength {
				i := layouts[chain].index(layouts[chain].first[s]+k, length)
				z := float64(k)
				if !p.up {
					z = strandLength - 1 - z
				}
				points[i], placed[i] = turned(chain, [3]float64{beside * float64(p.place), facing/2 + sheets*float64(p.sheet), rise * z}), true
			}
		}
		loops(points, placed)
		for i, p := range points {
			var q [3]float32
			hidden := r.Float64() < missing && c.cdr[chain][i] > 0
			for d := range q {
				q[d] = float32(math.Round(1000*(p[d]+float64(jitter*r.Normal()))) / 1000)
				if hidden {
					q[d] = float32(math.NaN())
				}
			}
			out[chain] = append(out[chain], q)
		}
	}
	return out
}

// turned is the position in the light chain of a position in the heavy one.
func turned(chain int, p [3]float64) [3]float64 {
	if chain == Light {
		return [3]float64{3*beside - p[0], -p[1], p[2]}
	}
	return p
}

// loops puts the residues between strands on arcs that bulge away from the middle of the strands.
func loops(points [][3]float64, placed []bool) {
	const middle = rise * (strandLength - 1) / 2
	for first := 0; first < len(points); first++ {
		if placed[first] {
			continue
		}
		end := first
		for end < len(points) && !placed[end] {
			end++
		}
		n := end - first
		from, to := points[first-1], [3]float64{}
		if end == len(points) { // the last residue goes on as the strand does
			for d := range from {
				to[d] = 2*points[first-1][d] - points[first-3][d]
			}
		} else {
			to = points[end]
		}
		away := 1.0
		if from[2] < middle {
			away = -1
		}
		for k := range n {
			t := float64(k+1) / float64(n+1)
			for d := range from {
				points[first+k][d] = from[d] + float64(t*(to[d]-from[d]))
			}
			points[first+k][2] += float64(away * 1.6 * float64(n) * 4 * t * (1 - t))
		}
		first = end
	}
}
