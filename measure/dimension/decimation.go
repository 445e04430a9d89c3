// The decimation curve: the dimension of random subsets, at one scale after the other.

package dimension

import (
	"context"
	"errors"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/stat"
)

// Decimation is the Two-NN dimension of random subsets of one size: a dimension
// that changes with the size depends on the scale at which the set is looked at.
type Decimation struct {
	Size    int     // points per subset
	Subsets int     // disjoint subsets of that size that were looked at
	ID      float64 // mean of the maximum likelihood estimates
	SD      float64 // their standard deviation; NaN for one subset
}

// minimumDecimated is the smallest subset of the decimation curve.
const minimumDecimated = 50

// In the approximate mode a step of the curve looks at fewer subsets than there are, decimatedSubsets
// or more, and in these at the neighbors of some members, decimatedPoints of all subsets: their
// ratios give the dimension to 0.8 %.
const decimatedPoints, decimatedSubsets = 1 << 14, 8

// Decimate splits the kept points into 1, 2, 4, … random disjoint subsets of at least
// 50 and estimates the dimension of each; in an approximate search a step looks at
// some of very many subsets, and at the neighbors that some of their points have among all of
// the subset. The draw depends on the seed alone, so that all models
// are decimated alike when they have the same duplicates. Subsets without a
// dimension do not count, nor steps without any.
func (d *Distinct) Decimate(ctx context.Context, seed uint64) ([]Decimation, error) {
	order := stat.NewRandom(stat.StreamDecimation.Key(seed)).Perm(len(d.Index))
	var curve []Decimation
	for parts := 1; len(order)/parts >= minimumDecimated || parts == 1; parts *= 2 {
		size, used := len(order)/parts, parts
		asking := size
		if d.search.Approximate {
			used = min(parts, max(decimatedSubsets, (decimatedPoints+size-1)/size))
			asking = min(size, (decimatedPoints+used-1)/used)
		}
		estimates, err := d.subsets(ctx, order, size, used, asking)
		if err != nil {
			return nil, err
		}
		if len(estimates) > 0 {
			curve = append(curve, Decimation{Size: size, Subsets: used, ID: stat.Mean(estimates), SD: stat.StandardDeviation(estimates)})
		}
	}
	return curve, nil
}

// smallSubset is the size of subsets up to which one of them is too little work for all threads.
const smallSubset = 1 << 12

// subsets estimates the dimension of the first subsets of an order by the neighbors of that many
// points of each.
func (d *Distinct) subsets(ctx context.Context, order []int, size, count, asking int) ([]float64, error) {
	if size == len(order) {
		total, err := sumLog(d.Ratios(1, 2))
		if err != nil {
			return nil, nil
		}
		return []float64{float64(len(order)) / total}, nil
	}
	threads, searching := 1, d
	if size <= smallSubset && count > 1 && len(d.search.Options.Device.Contexts()) == 0 {
		one := *d
		one.search.Options.Threads = 1
		threads, searching = d.search.Options.Threads, &one
	}
	estimate := make([]float64, count)
	err := parallel.Try(ctx, threads, count, func(_, part int) error {
		estimate[part] = math.NaN()
		ratio, err := searching.ratiosWithin(ctx, order[part*size:(part+1)*size], asking)
		if _, ok := errors.AsType[*stat.UndefinedError](err); ok {
			return nil // too few outside the window
		}
		if err != nil {
			return err
		}
		if total, err := sumLog(ratio); err == nil { // a subset on a lattice has no dimension; the others count
			estimate[part] = float64(len(ratio)) / total
		}
		return nil
	})
	return slices.DeleteFunc(estimate, math.IsNaN), err
}

// ratiosWithin returns r2/r1 of the first members, as many as asking, among all of them. Members
// are positions in d.Index.
// The neighbors of a member that are members too are its nearest members; only where
// its list has fewer than two are all members searched.
func (d *Distinct) ratiosWithin(ctx context.Context, members []int, asking int) ([]float64, error) {
	belongs := make([]bool, len(d.Index))
	for _, m := range members {
		belongs[m] = true
	}
	ratio := make([]float64, asking)
	var short []int // places in members
	var r [2]float64
	for position, m := range members[:asking] {
		if d.listed(m, belongs, r[:]) < 2 {
			short = append(short, position)
		}
		ratio[position] = r[1] / r[0]
	}
	if len(short) == 0 {
		return ratio, nil
	}
	if len(short) > len(members)/2 && d.set == nil { // then all are asking, or nearly
		nearest, _, err := d.search.all(ctx, d.all.Select(d.originals(members)), 2, false)
		if err != nil {
			return nil, err
		}
		return ratios(nearest, 1, 2)[:asking], nil
	}
	return ratio, d.lookUp(ctx, members, short, ratio)
}

// lookUp fills the ratios of some members, given by their places, from their distances
// to all members of their set.
func (d *Distinct) lookUp(ctx context.Context, members, places []int, ratio []float64) error {
	set := func(m int) int {
		if d.set == nil {
			return 0
		}
		return d.set[m]
	}
	within := map[int][]int{}
	for _, m := range members {
		within[set(m)] = append(within[set(m)], m)
	}
	asking := map[int][]int{}
	for _, at := range places {
		asking[set(members[at])] = append(asking[set(members[at])], at)
	}
	for s, places := range asking {
		if len(within[s]) < 3 {
			return stat.Undefined("intrinsic dimension",
				"an exclusion window of %d frames leaves too few of a subset of %d "+
					"latents", d.search.Window.Frames, len(members))
		}
		queries := make([]int, len(places))
		for q, at := range places {
			queries[q] = members[at]
		}
		distance, err := d.nearestThree(ctx, d.originals(queries), d.originals(within[s]))
		if err != nil {
			return err
		}
		for q, at := range places {
			ratio[at] = distance[3*q+2] / distance[3*q+1] // points are distinct, so that the first of three is the query itself
		}
	}
	return nil
}

// fewQueries are faster on their own: a search copies, centers and bounds all points first.
const fewQueries = 16

// nearestThree are the distances of each query to its three nearest members.
func (d *Distinct) nearestThree(ctx context.Context, queries, members []int) ([]float64, error) {
	if len(queries) <= fewQueries && len(d.search.Options.Device.Contexts()) == 0 {
		return d.all.DistancesAmong(ctx, queries, members, 3, d.search.Options.Threads)
	}
	nearest, err := d.all.Select(members).Cross(ctx, d.all.Select(queries), 3, d.search.Options)
	if err != nil {
		return nil, err
	}
	return nearest.Distance, nil
}

// originals are the points at positions in d.Index.
func (d *Distinct) originals(positions []int) []int {
	index := make([]int, len(positions))
	for i, p := range positions {
		index[i] = d.Index[p]
	}
	return index
}
