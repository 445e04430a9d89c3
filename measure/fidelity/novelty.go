// Memorization without each block of generated and of real points.

package fidelity

import (
	"context"
	"fmt"
	"math"

	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// Deletions are numbers of [Memorization] without blocks; Authentic is the share.
type Deletions struct{ Novelty, Copies, Authentic Deletion }

// Deletion is a number without each block of generated points and then without each block of real points: for a
// jackknife of two samples. NaN where nothing is left.
type Deletion struct {
	Without []float64
	// Changes[b][j] is the change of the number without block b of real points that comes from block j of generated
	// points; see [twosample.CountOnce].
	Changes [][]float64
}

// MemorizationWithout returns the deletions of m, which [Memorize] made of the points. Time is one search among the
// real points for neighbors of all points. Errors: points of different type or dimension, blocks of another number of
// points, the error of ctx.
func MemorizationWithout(ctx context.Context, real, generated points.Points, ofReal, ofGenerated *stat.Blocks,
	m *Memorization, o neighbors.Options) (*Deletions, error) {
	if err := samePoints("real", real, "generated", generated); err != nil {
		return nil, err
	}
	blockOfReal, blockOfGenerated := ofReal.Labels(), ofGenerated.Labels()
	if len(blockOfReal) != real.N || len(blockOfGenerated) != generated.N || len(m.TrainDistance) != generated.N {
		return nil, fmt.Errorf(
			"deletions: blocks of %d real and %d generated points and %d distances, want %d, %d and %d",
			len(blockOfReal), len(blockOfGenerated), len(m.TrainDistance), real.N, generated.N, generated.N)
	}
	members := make([][]int, ofReal.Count())
	for i, b := range blockOfReal {
		members[b] = append(members[b], i)
	}
	near, err := newTwoBlocks(ctx, generated, real, members, nil, o)
	if err != nil {
		return nil, err
	}
	others, err := newTwoBlocks(ctx, real, real, members, blockOfReal, o)
	if err != nil {
		return nil, err
	}
	out := &Deletions{}
	all := sumsOf(near, others, -1, blockOfGenerated, ofGenerated.Count())
	for b := range ofGenerated.Count() {
		out.add(all, b, generated.N-ofGenerated.Sizes()[b])
	}
	for b := range members {
		sums := sumsOf(near, others, b, blockOfGenerated, ofGenerated.Count())
		out.add(sums, -1, generated.N)
		out.change(sums, all, generated.N)
	}
	return out, nil
}

// numbers are the three of one block of generated points: sums of distances, copies and authentic points.
type numbers [3]float64

func (d *Deletions) of() [3]*Deletion { return [3]*Deletion{&d.Novelty, &d.Copies, &d.Authentic} }

// add appends the means over n generated points of all blocks but one (-1: of all).
func (d *Deletions) add(blocks []numbers, without, n int) {
	for k, to := range d.of() {
		sum := 0.0
		for b, block := range blocks {
			if b != without {
				sum += block[k]
			}
		}
		to.Without = append(to.Without, sum/float64(n))
	}
}

// change appends the changes of the blocks.
func (d *Deletions) change(blocks, all []numbers, n int) {
	for k, to := range d.of() {
		row := make([]float64, len(blocks))
		for b := range row {
			row[b] = (blocks[b][k] - all[b][k]) / float64(n)
		}
		to.Changes = append(to.Changes, row)
	}
}

// sumsOf are the numbers of each of count blocks of generated points, without a block of real points (-1: with all).
func sumsOf(near, others []twoBlocks, block int, labels []int, count int) []numbers {
	out := make([]numbers, count)
	for i := range near {
		nearest, to := near[i].without(block), &out[labels[i]]
		to[0] += nearest.distance
		switch {
		case math.IsNaN(nearest.distance):
			to[1], to[2] = math.NaN(), math.NaN()
			continue
		case nearest.distance == 0:
			to[1]++
		}
		if nearest.point >= 0 && nearest.distance > others[nearest.point].without(block).distance {
			to[2]++
		}
	}
	return out
}

// neighbor is a point and its distance; -1 and NaN for none.
type neighbor struct {
	point    int
	distance float64
}

// twoBlocks are the nearest point of all, its block, and the nearest point of the other blocks.
type twoBlocks struct {
	block         int
	first, second neighbor
}

func (t *twoBlocks) without(block int) neighbor {
	if block == t.block {
		return t.second
	}
	return t.first
}

// newTwoBlocks searches every block for the neighbors of the queries. home, if not nil, is the block of each query,
// which is one of the points and no neighbor of itself.
func newTwoBlocks(ctx context.Context, queries, pts points.Points, members [][]int, home []int, o neighbors.Options,
) ([]twoBlocks, error) {
	none := neighbor{-1, math.NaN()}
	out := make([]twoBlocks, queries.N)
	for i := range out {
		out[i] = twoBlocks{-1, none, none}
	}
	for b, index := range members {
		k := 1
		if home != nil {
			k = min(2, len(index))
		}
		search, err := neighbors.Cross(ctx, queries, pts.Select(index), k, o)
		if err != nil {
			return nil, err
		}
		for i := range out {
			for q := range k {
				n := neighbor{index[search.Index[i*k+q]], search.Distance[i*k+q]}
				if home == nil || n.point != i {
					out[i].take(b, n)
					break
				}
			}
		}
	}
	return out, nil
}

// take enters the nearest point of a block; of points at equal distance the first is nearer.
func (t *twoBlocks) take(block int, n neighbor) {
	nearer := func(than neighbor) bool {
		return than.point < 0 || n.distance < than.distance || n.distance == than.distance && n.point < than.point
	}
	switch {
	case nearer(t.first):
		t.block, t.first, t.second = block, n, t.first
	case nearer(t.second):
		t.second = n
	}
}
