// Novelty without each block of generated and of real points.

package fidelity

import (
	"context"
	"fmt"
	"math"

	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// NoveltyWithout returns the mean distance of generated points to the nearest real point, [Memorization.Novelty],
// without each block of generated points and then without each block of real points: for a jackknife of two samples.
// distance is [Memorization.TrainDistance] of each generated point. NaN where nothing is left. Time is one search for
// neighbors. Errors: points of different type or dimension, blocks of another number of points, the error of ctx.
func NoveltyWithout(ctx context.Context, real, generated points.Points, ofReal, ofGenerated *stat.Blocks,
	distance []float64, o neighbors.Options) ([]float64, error) {
	if err := samePoints("real", real, "generated", generated); err != nil {
		return nil, err
	}
	blockOfReal, blockOfGenerated := ofReal.Labels(), ofGenerated.Labels()
	if len(blockOfReal) != real.N || len(blockOfGenerated) != generated.N || len(distance) != generated.N {
		return nil, fmt.Errorf(
			"novelty: blocks of %d real and %d generated points and %d distances, want %d, %d and %d",
			len(blockOfReal), len(blockOfGenerated), len(distance), real.N, generated.N, generated.N)
	}
	out := make([]float64, 0, ofGenerated.Count()+ofReal.Count())
	for b := range ofGenerated.Count() {
		sum, n := 0.0, 0.0
		for i, d := range distance {
			if blockOfGenerated[i] != b {
				sum, n = sum+d, n+1
			}
		}
		out = append(out, sum/n)
	}
	// The two nearest blocks of each generated point.
	type two struct {
		nearest       int
		first, second float64
	}
	near := make([]two, generated.N)
	for i := range near {
		near[i] = two{-1, math.NaN(), math.NaN()}
	}
	members := make([][]int, ofReal.Count())
	for i, b := range blockOfReal {
		members[b] = append(members[b], i)
	}
	for b, index := range members {
		search, err := neighbors.Cross(ctx, generated, real.Select(index), 1, o)
		if err != nil {
			return nil, err
		}
		for i, d := range search.Distance {
			switch n := &near[i]; {
			case n.nearest < 0 || d < n.first:
				n.nearest, n.first, n.second = b, d, n.first
			case !(d >= n.second):
				n.second = d
			}
		}
	}
	all := stat.Sum(distance)
	moved := make([]float64, len(members))
	for _, n := range near {
		moved[n.nearest] += n.second - n.first
	}
	for _, m := range moved {
		out = append(out, (all+m)/float64(generated.N))
	}
	return out, nil
}
