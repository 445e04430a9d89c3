// Whether generated points are copies of those that a generator was fitted on.

package fidelity

import (
	"context"
	"math"

	"repscope/measure/cluster"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// MemorizationOptions are the choices of [Memorize]; the zero value is the default.
type MemorizationOptions struct {
	// Cells is the number of cells of the data-copying test, found by k-means among the training points;
	// 0 and 1 mean one cell, all of space.
	Cells     int
	Seed      uint64            // of k-means
	Neighbors neighbors.Options // as in [Options]
}

// Memorization compares the distance of generated points to the training points with the distance of
// unseen real points (hold-out points). Without hold-out points the measures that need them are NaN,
// with a reason: generated and training points alone do not show how near is too near.
type Memorization struct {
	Reason string // why what needs hold-out points is NaN; empty where it is not

	// Copies is the share of generated points that equal a training point, and HoldoutCopies
	// the share of hold-out points.
	Copies, HoldoutCopies float64
	// Novelty is the mean distance of a generated point to the nearest training point, in the unit of the
	// points, HoldoutNovelty the same of a hold-out point: what new real points have; and TrainNovelty of a
	// training point to the nearest other one, which is about the same where these are independent.
	Novelty, HoldoutNovelty, TrainNovelty float64
	// DistanceRatio is the median over generated points of their distance to the nearest training point
	// over that to the nearest hold-out point, with 0/0 as 1 and d/0 as +Inf: about 1 for new points if there
	// are as many of both; below 1 where generated points keep to the training points. The larger of the two sets
	// is cut to the size of the other, every ⌊n/m⌋-th point, since more points are nearer.
	DistanceRatio float64
	// CloserThanMedian is the share of generated points nearer to a training point than the median
	// hold-out point, ½ for new real points; CloserThanFive nearer than the 5 % quantile, 0.05 for new
	// real points. Equal distances count half.
	CloserThanMedian, CloserThanFive float64
	// AuthPct is the percentage of authentic generated points: those farther from the nearest training
	// point than that is from the nearest other one (Alaa et al. 2022, "How faithful is your synthetic
	// data?"). It needs no hold-out points, but see HoldoutAuthPct for what real points have.
	AuthPct, HoldoutAuthPct float64
	// Copying is the data-copying test.
	Copying Copying

	// TrainDistance and HoldoutDistance are the distances of every generated point to the nearest
	// training and hold-out point, Baseline the distances of every hold-out point to the nearest training point.
	// Nearest is the training point nearest to each generated point, the first such one, and Authentic says which
	// generated points are.
	TrainDistance, HoldoutDistance, Baseline []float64
	Nearest                                  []int32
	Authentic                                []bool
}

// Memorize compares generated points [m, D] with training points [n, D] and hold-out points [h, D]
// (a set of no points: none), all of one type. At least 2 training points and 1 generated point.
// Errors: points of different type or dimension, errors of [neighbors.Check], a number of cells above the number of
// training points, the error of ctx.
func Memorize(ctx context.Context, train, holdout, generated points.Points,
	o MemorizationOptions) (*Memorization, error) {
	if err := samePoints("training", train, "generated", generated); err != nil {
		return nil, err
	}
	m := &Memorization{
		HoldoutCopies: math.NaN(), HoldoutNovelty: math.NaN(), DistanceRatio: math.NaN(), CloserThanMedian: math.NaN(),
		CloserThanFive: math.NaN(), HoldoutAuthPct: math.NaN(), Copying: Copying{CT: math.NaN(), PValue: math.NaN()},
	}
	inTrain, err := neighbors.KNearest(ctx, train, 1, o.Neighbors)
	if err != nil {
		return nil, err
	}
	near, err := neighbors.Cross(ctx, generated, train, 1, o.Neighbors)
	if err != nil {
		return nil, err
	}
	m.TrainDistance, m.Nearest = near.Distance, near.Index
	m.TrainNovelty = stat.Mean(inTrain.Distance)
	m.Copies, m.Novelty, m.Authentic = copies(near.Distance), stat.Mean(near.Distance), authentic(near, inTrain)
	m.AuthPct = percentage(m.Authentic)
	if holdout.N == 0 {
		m.Reason = "no hold-out points, so the distance of new real points to the training points is unknown"
		return m, nil
	}
	if err := samePoints("training", train, "hold-out", holdout); err != nil {
		return nil, err
	}
	base, err := neighbors.Cross(ctx, holdout, train, 1, o.Neighbors)
	if err != nil {
		return nil, err
	}
	m.Baseline = base.Distance
	m.HoldoutCopies, m.HoldoutNovelty, m.HoldoutAuthPct = copies(base.Distance), stat.Mean(base.Distance), percentage(authentic(base, inTrain))
	if err := m.ratio(ctx, train, holdout, generated, &o); err != nil {
		return nil, err
	}
	m.closer()
	m.Copying, err = dataCopying(ctx, train, holdout, generated, m, &o)
	return m, err
}

// copies is the share of distances 0.
func copies(distance []float64) float64 {
	n := 0
	for _, d := range distance {
		if d == 0 {
			n++
		}
	}
	return float64(n) / float64(len(distance))
}

// authentic reports which generated points are farther from their nearest training point than that point is from its
// nearest other training point.
func authentic(near, inTrain *neighbors.Nearest) []bool {
	out := make([]bool, near.N)
	for j, i := range near.Index {
		out[j] = near.Distance[j] > inTrain.Distance[i]
	}
	return out
}

func percentage(hits []bool) float64 {
	n := 0
	for _, hit := range hits {
		if hit {
			n++
		}
	}
	return 100 * float64(n) / float64(len(hits))
}

// ratio sets DistanceRatio and HoldoutDistance.
func (m *Memorization) ratio(ctx context.Context, train, holdout, generated points.Points,
	o *MemorizationOptions) error {
	size := min(train.N, holdout.N)
	toTrain := m.TrainDistance
	if train.N > size {
		near, err := neighbors.Cross(ctx, generated, thinned(train, size), 1, o.Neighbors)
		if err != nil {
			return err
		}
		toTrain = near.Distance
	}
	near, err := neighbors.Cross(ctx, generated, holdout, 1, o.Neighbors)
	if err != nil {
		return err
	}
	m.HoldoutDistance = near.Distance
	toHoldout := near.Distance
	if holdout.N > size {
		if near, err = neighbors.Cross(ctx, generated, thinned(holdout, size), 1, o.Neighbors); err != nil {
			return err
		}
		toHoldout = near.Distance
	}
	ratios := make([]float64, len(toTrain))
	for j, d := range toTrain {
		ratios[j] = 1
		if d != toHoldout[j] {
			ratios[j] = d / toHoldout[j]
		}
	}
	m.DistanceRatio = stat.Median(ratios)
	return nil
}

// thinned are size points, evenly spread over the order of all.
func thinned(p points.Points, size int) points.Points {
	index := make([]int, size)
	for q := range index {
		index[q] = q * p.N / size
	}
	return p.Select(index)
}

// closer sets the shares of generated points nearer than quantiles of the hold-out points.
func (m *Memorization) closer() {
	limits, err := stat.Quantiles(m.Baseline, 0.5, 0.05)
	if err != nil {
		return // distances are finite
	}
	m.CloserThanMedian, m.CloserThanFive = below(m.TrainDistance, limits[0]), below(m.TrainDistance, limits[1])
}

// below is the share of values below a limit, equal ones counted half.
func below(values []float64, limit float64) float64 {
	sum := 0.0
	for _, v := range values {
		switch {
		case v < limit:
			sum++
		case v == limit:
			sum += 0.5
		}
	}
	return sum / float64(len(values))
}

// Copying is the data-copying test of Meehan, Chaudhuri and Dasgupta (2020, "A non-parametric test to
// detect data-copying in generative models").
type Copying struct {
	// CT is the mean over cells, weighted by their share of hold-out points, of the z score of Mann and
	// Whitney's U of the distances of generated and of hold-out points to the nearest training
	// point of the cell: far below 0 where generated points are nearer (copying), far above where
	// they are farther (underfitting). Cells with fewer than 20 generated points, or without
	// hold-out or training points, are left out.
	CT float64
	// PValue is one-sided, of CT being so low if generated points were drawn as hold-out points are, all
	// independently: the normal distribution with the variance Σw²/(Σw)² of the weighted mean.
	PValue float64
	Cells  int // that count
	Reason string
}

// fewestInCell is the number of generated points below which a cell does not count, as in the authors' experiments.
const fewestInCell = 20

func dataCopying(ctx context.Context, train, holdout, generated points.Points, m *Memorization,
	o *MemorizationOptions) (Copying, error) {
	c := Copying{CT: math.NaN(), PValue: math.NaN()}
	if o.Cells <= 1 {
		c.add([]cell{{holdout: m.Baseline, generated: m.TrainDistance, weight: 1}})
		return c, nil
	}
	clusters, err := cluster.KMeans(ctx, train, o.Cells, cluster.KMeansOptions{Seed: o.Seed, Threads: o.Neighbors.Threads})
	if err != nil {
		return c, err
	}
	ofHoldout, ofGenerated := nearestCentroid(clusters, holdout), nearestCentroid(clusters, generated)
	var cells []cell
	for g := range o.Cells {
		inTrain, inHoldout, inGenerated := members(clusters.Partition.Of, g), members(ofHoldout, g), members(ofGenerated, g)
		if len(inTrain) == 0 || len(inHoldout) == 0 || len(inGenerated) < fewestInCell {
			continue
		}
		cellTrain := train.Select(inTrain)
		h, err := neighbors.Cross(ctx, holdout.Select(inHoldout), cellTrain, 1, o.Neighbors)
		if err != nil {
			return c, err
		}
		q, err := neighbors.Cross(ctx, generated.Select(inGenerated), cellTrain, 1, o.Neighbors)
		if err != nil {
			return c, err
		}
		cells = append(cells, cell{holdout: h.Distance, generated: q.Distance, weight: float64(len(inHoldout)) / float64(holdout.N)})
	}
	c.add(cells)
	return c, nil
}

// cell are the distances to the nearest training point in a cell.
type cell struct {
	holdout, generated []float64
	weight             float64
}

func (c *Copying) add(cells []cell) {
	sum, weights, squares := 0.0, 0.0, 0.0
	for _, in := range cells {
		z := mannWhitneyZ(in.generated, in.holdout)
		if math.IsNaN(z) {
			continue
		}
		c.Cells++
		sum += in.weight * z
		weights += in.weight
		squares += in.weight * in.weight
	}
	if c.Cells == 0 {
		c.Reason = "no cell has hold-out points and enough generated points at different distances"
		return
	}
	c.CT = sum / weights
	c.PValue = 0.5 * math.Erfc(-sum/math.Sqrt(2*squares))
}

// mannWhitneyZ is (U − ab/2)/√Var of the pairs in which a value of a is larger than one of b, equal ones
// counted half, with the variance for ties; NaN where all values are equal.
func mannWhitneyZ(a, b []float64) float64 {
	all := append(append([]float64(nil), a...), b...)
	ranks := stat.Ranks(all)
	na, nb := float64(len(a)), float64(len(b))
	n := na + nb
	u := stat.Sum(ranks[:len(a)]) - na*(na+1)/2
	squares := 0.0
	for _, r := range ranks {
		squares += (r - (n+1)/2) * (r - (n+1)/2)
	}
	variance := na * nb / (n * (n - 1)) * squares
	if variance <= 0 {
		return math.NaN()
	}
	return (u - na*nb/2) / math.Sqrt(variance)
}

// nearestCentroid is the cluster of the nearest centroid of each point, the first such one.
func nearestCentroid(clusters *cluster.KMeansResult, pts points.Points) []int {
	group, row := make([]int, pts.N), make([]float64, pts.Dim)
	for i := range group {
		pts.Row(i, row)
		best := math.Inf(1)
		for g := 0; g < len(clusters.Centroids)/pts.Dim; g++ {
			d := 0.0
			for k, v := range row {
				e := v - clusters.Centroids[g*pts.Dim+k]
				d += float64(e * e)
			}
			if d < best {
				best, group[i] = d, g
			}
		}
	}
	return group
}

// members are the points of a group.
func members(groups []int, group int) []int {
	var index []int
	for i, g := range groups {
		if g == group {
			index = append(index, i)
		}
	}
	return index
}
