// Neighbour distances without duplicates, and the dimension seen at several
// scales: decimation and neighbour orders.

package manifold

import (
	"context"
	"fmt"

	"repscope/neighbors"
	"repscope/stat"
)

// distinct is a set of latents with duplicates removed, and its neighbours.
type distinct struct {
	index      []int // of the kept latents, ascending
	nearest    *neighbors.Nearest
	recall     *LatentRecall // of nearest; nil where the search is exact
	duplicates int
}

// withoutDuplicates removes every latent within tolerance of one of lower
// index that is kept, and returns the k nearest neighbours among the rest.
// Duplicates carry no scale: one of them makes r1 zero and ln(r2/r1) infinite.
func withoutDuplicates(ctx context.Context, z neighbors.Space, k int, tolerance float64, s searcher) (*distinct, error) {
	d := &distinct{index: make([]int, z.Points().N)}
	for i := range d.index {
		d.index[i] = i
	}
	current := z
	for {
		if len(d.index) < 3 {
			return nil, &stat.UndefinedError{Quantity: "intrinsic dimension", Reason: fmt.Sprintf("%d of %d latents are distinct, want at least 3", len(d.index), z.Points().N)}
		}
		nearest, recall, err := s.nearest(ctx, current, min(k, len(d.index)-1), true)
		if err != nil {
			return nil, err
		}
		dropped := dropDuplicates(nearest, tolerance)
		kept := d.index[:0]
		for i, original := range d.index {
			if !dropped[i] {
				kept = append(kept, original)
			}
		}
		if len(kept) == len(dropped) {
			d.nearest, d.recall, d.duplicates = nearest, recall, z.Points().N-len(kept)
			return d, nil
		}
		d.index = kept
		current = z.Select(kept)
	}
}

// dropDuplicates marks the points that have a neighbour of lower index, itself
// kept, within tolerance.
func dropDuplicates(nearest *neighbors.Nearest, tolerance float64) []bool {
	dropped := make([]bool, nearest.N)
	for i := range nearest.N {
		for m := i * nearest.K; m < (i+1)*nearest.K && nearest.Distance[m] <= tolerance; m++ {
			if j := int(nearest.Index[m]); j < i && !dropped[j] {
				dropped[i] = true
				break
			}
		}
	}
	return dropped
}

// ratios returns r_{n2}/r_{n1} of every point.
func (d *distinct) ratios(n1, n2 int) []float64 {
	out := make([]float64, d.nearest.N)
	for i := range out {
		row := d.nearest.Distance[i*d.nearest.K:]
		out[i] = row[n2-1] / row[n1-1]
	}
	return out
}

// Decimation is the Two-NN dimension of random subsets of one size: a dimension
// that changes with the size depends on the scale at which the set is looked at.
type Decimation struct {
	Size    int     // latents per subset
	Subsets int     // disjoint subsets of that size that were looked at
	ID      float64 // mean of the maximum likelihood estimates
	SD      float64 // their standard deviation; NaN for one subset
}

// minimumDecimated is the smallest subset of the decimation curve.
const minimumDecimated = 50

// In the approximate mode a step of the curve looks at fewer subsets than there are:
// at enough for decimatedPoints latents, and at decimatedSubsets at least.
const decimatedPoints, decimatedSubsets = 1 << 17, 8

// decimate splits the distinct latents into 1, 2, 4, … random disjoint subsets
// and estimates the dimension of each. The draw depends on the seed alone, so
// that all models are decimated alike when they have the same duplicates.
func decimate(ctx context.Context, z neighbors.Space, d *distinct, seed uint64, s searcher) ([]Decimation, error) {
	order := stat.NewRandom(stat.StreamDecimation.Key(seed)).Perm(len(d.index))
	var curve []Decimation
	for parts := 1; len(order)/parts >= minimumDecimated || parts == 1; parts *= 2 {
		size, used := len(order)/parts, parts
		if s.approximate {
			used = min(parts, max(decimatedSubsets, (decimatedPoints+size-1)/size))
		}
		step := Decimation{Size: size, Subsets: used}
		estimates := make([]float64, 0, used)
		for part := range used {
			var ratio []float64
			if parts == 1 {
				ratio = d.ratios(1, 2)
			} else {
				var err error
				if ratio, err = d.ratiosWithin(ctx, z, order[part*size:(part+1)*size], s); err != nil {
					return nil, err
				}
			}
			total, err := sumLog(ratio)
			if err != nil {
				continue // a subset on a lattice has no dimension; the others count
			}
			estimates = append(estimates, float64(len(ratio))/total)
		}
		if len(estimates) == 0 {
			continue
		}
		step.ID, step.SD = stat.Mean(estimates), stat.StandardDeviation(estimates)
		curve = append(curve, step)
	}
	return curve, nil
}

// ratiosWithin returns r2/r1 of the members, positions in d.index, among themselves.
// The neighbours of a member that are members too are its nearest members; only where
// its list has fewer than two are all members looked at.
func (d *distinct) ratiosWithin(ctx context.Context, z neighbors.Space, members []int, s searcher) ([]float64, error) {
	belongs := make([]bool, len(d.index))
	for _, m := range members {
		belongs[m] = true
	}
	ratio := make([]float64, len(members))
	var short []int // places in members
	for at, m := range members {
		var r [2]float64
		found := 0
		for l := m * d.nearest.K; l < (m+1)*d.nearest.K && found < 2; l++ {
			if belongs[d.nearest.Index[l]] {
				r[found] = d.nearest.Distance[l]
				found++
			}
		}
		ratio[at] = r[1] / r[0]
		if found < 2 {
			short = append(short, at)
		}
	}
	if len(short) == 0 {
		return ratio, nil
	}
	pts := z.Select(at(d.index, members))
	if len(short) > len(members)/2 {
		nearest, _, err := s.nearest(ctx, pts, 2, false)
		if err != nil {
			return nil, err
		}
		return (&distinct{nearest: nearest}).ratios(1, 2), nil
	}
	// The first of three is the member itself: others are farther than duplicates.
	nearest, err := pts.Cross(ctx, pts.Select(short), 3, s.options)
	if err != nil {
		return nil, err
	}
	for q, v := range (&distinct{nearest: nearest}).ratios(2, 3) {
		ratio[short[q]] = v
	}
	return ratio, nil
}

func at(x, index []int) []int {
	out := make([]int, len(index))
	for i, at := range index {
		out[i] = x[at]
	}
	return out
}
