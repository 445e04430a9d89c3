// Precision, recall, density and coverage of generated points.

package fidelity

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"repscope/internal/parallel"
	"repscope/neighbors"
	"repscope/points"
)

// DefaultKs are the default numbers of neighbors; 5 is used by Naeem et al. (2020) and 3 by
// Kynkäänniemi et al. (2019).
func DefaultKs() []int { return []int{3, 5, 10} }

// Options are the choices of [PRDC]; the zero value is the default.
type Options struct {
	// Ks are the numbers of neighbors, each at least 1 and below the number of real and of generated
	// points; nil means [DefaultKs]. The order is kept; a repeated k is an error.
	Ks []int
	// Halves, if not nil, says how both samples are halved for the errors of the scores.
	Halves *Halves
	// Neighbors has Threads, Memory, Metric, Device and Progress of the search; other fields are not
	// used.
	Neighbors neighbors.Options
}

// Manifolds are the scores of generated points relative to real points at every k.
type Manifolds struct {
	Real, Generated int // numbers of points
	ByK             []AtK
}

// Scores are shares of balls that hold points of the other kind. The ball of a point reaches to its
// k-th nearest neighbor among the other points of its own kind, which is not inside: a point at
// distance d is inside where d < r, and where d = 0. The second says that a copy of a point is
// inside its ball even where k others are copies too and r = 0; the authors' program leaves these
// out and gives the same scores otherwise. Where many distances tie, as between grids, points at
// just the distance r are outside.
//
// Generated points equal to the real ones score 1 in all of them but Density, which is 1 there if no
// point has k copies or more.
type Scores struct {
	// Precision is the share of generated points inside the ball of a real point (Kynkäänniemi et al.
	// 2019, "Improved precision and recall metric for assessing generative models"), in [0, 1].
	Precision float64
	// Recall is the share of real points inside the ball of a generated point, in [0, 1].
	Recall float64
	// Density is the mean over generated points of the number of real points whose ball holds it, over k
	// (Naeem et al. 2020, "Reliable fidelity and diversity metrics for generative models"): about 1
	// where both are draws of one distribution, above where generated points keep to the dense part.
	Density float64
	// Coverage is the share of real points whose ball holds a generated point (Naeem et al. 2020), in [0, 1].
	// Draws of one distribution, equally many, have 1 − (n−1)…(n−k)/((2n−1)…(2n−k)), about 1 − 2⁻ᵏ.
	Coverage float64
}

// AtK is everything about one number of neighbors.
type AtK struct {
	K int
	Scores
	// Error has the errors of the scores; nil without Options.Halves.
	Error *Errors
	// RealBalls is, for every generated point, the number of real points whose ball holds it: its mean
	// over k is Density, the share above 0 Precision.
	RealBalls []int32
	// Holding is, for every real point, the number of generated points in its ball: the share above 0
	// is Coverage.
	Holding []int32
	// GeneratedBalls is, for every real point, the number of generated points whose ball holds it: the
	// share above 0 is Recall.
	GeneratedBalls []int32
	// ZeroReal and ZeroGenerated are the numbers of real and of generated points whose ball has radius
	// 0, because k others are copies of them: it holds copies alone.
	ZeroReal, ZeroGenerated int
}

// PRDC computes precision, recall, density and coverage of generated points [m, D] relative to real
// points [n, D] of the same type, for all k together: one neighbor search within each sample and one
// pass over the pairs of both. Errors: points of different type or dimension, errors of
// [neighbors.Check] (NaN, Inf), a k that is too large for a sample or repeated, the error of ctx.
func PRDC(ctx context.Context, real, generated points.Points, o Options) (*Manifolds, error) {
	ks, err := o.check(real, generated)
	if err != nil {
		return nil, err
	}
	var splits [][]bool
	var h Halves
	if o.Halves != nil {
		h, splits = *o.Halves, o.Halves.Of.Splits()
	}
	largest, within := slices.Max(ks), o.search()
	ofReal, err := newLists(ctx, real, largest, splits, h.Real, within)
	if err != nil {
		return nil, err
	}
	ofGenerated, err := newLists(ctx, generated, largest, splits, h.Generated, within)
	if err != nil {
		return nil, err
	}
	c := newCounts(ks, real.N, generated.N)
	for q, k := range ks {
		c.found.ByK[q].ZeroReal, c.found.ByK[q].ZeroGenerated = ofReal.zero(k), ofGenerated.zero(k)
	}
	if o.Halves != nil {
		if c.halves, err = newHalfSums(ctx, &h, len(splits), ofReal, ofGenerated, ks, within.Threads); err != nil {
			return nil, err
		}
	}
	if _, err := neighbors.Enclose(ctx, generated, real, ofGenerated.Nearest, ofReal.Nearest, within, c.add); err != nil {
		return nil, err
	}
	return c.manifolds()
}

// search are the options of the search for neighbors.
func (o *Options) search() neighbors.Options {
	from := o.Neighbors
	return neighbors.Options{
		Threads: parallel.Workers(from.Threads, math.MaxInt), Memory: from.Memory, Metric: from.Metric, Device: from.Device, Progress: from.Progress,
	}
}

// counts gathers the outcomes of single points, by k.
type counts struct {
	found  *Manifolds
	halves *halfSums // nil without halves
}

func newCounts(ks []int, real, generated int) *counts {
	c := &counts{found: &Manifolds{Real: real, Generated: generated}}
	for _, k := range ks {
		c.found.ByK = append(c.found.ByK, AtK{
			K: k, RealBalls: make([]int32, generated), Holding: make([]int32, real), GeneratedBalls: make([]int32, real),
		})
	}
	return c
}

// add takes the pairs of generated point j. Goroutines share the real points.
func (c *counts) add(worker, j int, enclosed []neighbors.Enclosed) {
	for a := range c.found.ByK {
		scores := &c.found.ByK[a]
		k := int32(scores.K)
		for _, f := range enclosed {
			if f.OfPoint < k {
				scores.RealBalls[j]++
				atomic.AddInt32(&scores.Holding[f.Point], 1)
			}
			if f.OfQuery < k {
				atomic.AddInt32(&scores.GeneratedBalls[f.Point], 1)
			}
		}
	}
	if c.halves != nil {
		c.halves.add(worker, j, enclosed)
	}
}

func (c *counts) manifolds() (*Manifolds, error) {
	for q := range c.found.ByK {
		scores := &c.found.ByK[q]
		scores.score()
		if c.halves == nil {
			continue
		}
		var err error
		if scores.Error, err = c.halves.errors(q, scores.Scores); err != nil {
			return nil, err
		}
	}
	return c.found, nil
}

func (a *AtK) score() {
	sum := 0.0
	for _, c := range a.RealBalls {
		sum += float64(c)
	}
	a.Density = sum / float64(a.K) / float64(len(a.RealBalls))
	a.Precision, a.Coverage, a.Recall = positive(a.RealBalls), positive(a.Holding), positive(a.GeneratedBalls)
}

// positive is the share of counts above 0.
func positive(counts []int32) float64 {
	n := 0
	for _, c := range counts {
		if c > 0 {
			n++
		}
	}
	return float64(n) / float64(len(counts))
}

func (o *Options) check(real, generated points.Points) ([]int, error) {
	if err := samePoints("real", real, "generated", generated); err != nil {
		return nil, err
	}
	if err := neighbors.Check("real points", real, o.Neighbors.Metric); err != nil {
		return nil, err
	}
	if err := neighbors.Check("generated points", generated, o.Neighbors.Metric); err != nil {
		return nil, err
	}
	ks := o.Ks
	if ks == nil {
		ks = DefaultKs()
	}
	for q, k := range ks {
		if least := min(real.N, generated.N); k < 1 || k >= least {
			return nil, fmt.Errorf("k = %d: want at least 1 and less than the %d real and the %d generated points",
				k, real.N, generated.N)
		}
		if slices.Contains(ks[:q], k) {
			return nil, fmt.Errorf("k = %d occurs twice", k)
		}
	}
	if o.Halves != nil {
		return ks, o.Halves.check(real.N, generated.N)
	}
	return ks, nil
}

// samePoints reports points whose distance is not defined.
func samePoints(first string, a points.Points, second string, b points.Points) error {
	if a.Dim != b.Dim {
		return fmt.Errorf(
			"%s points have dimension %d, but %s points have %d: want equal dimensions", first, a.Dim, second, b.Dim)
	}
	if x, y := a.Type(), b.Type(); x != y {
		return fmt.Errorf("%s points are %s, but %s points are %s: want the same type", first, x, second, y)
	}
	return nil
}
