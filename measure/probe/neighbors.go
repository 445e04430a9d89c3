// The nearest neighbors of other episodes as a probe, and what asks for no features at all.

package probe

import (
	"context"
	"fmt"
	"slices"

	"repscope/measure/internal/matrix"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// NeighborOptions are the choices of a nearest-neighbor probe; the zero value is the default.
type NeighborOptions struct {
	K       int              // 0 for 20
	Metric  neighbors.Metric // euclidean or cosine
	Memory  int64            // of the search, 0 for the default of [neighbors.Options]
	Threads int              // ≤ 0: all processors; results do not depend on it
}

const neighborsName = "nearest-neighbor probe"

// NeighborCrossFit holds predictions of rows by their nearest neighbors in other folds.
type NeighborCrossFit struct {
	// Predicted[e][i·T + t] is the prediction of target t of row i from Data.X (e = 0) and from
	// Data.Others[e−1].
	Predicted [][]float64

	data  Data
	y     points.Points
	o     NeighborOptions
	held  *held
	train [][]int
	near  [][]*neighbors.Nearest // [e][fold], places in train
}

// spare is how many neighbors are kept beyond those that predict, for refits without blocks.
func spare(k int) int { return 3*k + 64 }

// CrossFitNeighbors predicts every row by the mean target [n, T] of its K nearest rows in other folds
// (all if there are fewer), with the lower index first at equal distances. Classes are predicted with
// targets of 0 and 1, whose mean is the share of votes. Distances use unscaled features of one type.
// Errors: unequal shapes, NaN or Inf, K below 0, errors of [neighbors.Cross].
func CrossFitNeighbors(ctx context.Context, d Data, y points.Points, o NeighborOptions) (*NeighborCrossFit, error) {
	if o.K == 0 {
		o.K = 20
	}
	if o.K < 0 {
		return nil, fmt.Errorf("%s: %d neighbors, want at least 1", neighborsName, o.K)
	}
	if err := d.checkTargets(neighborsName, y); err != nil {
		return nil, err
	}
	c := &NeighborCrossFit{data: d, y: y, o: o, held: &held{n: d.X.N, rows: d.rowsOf(), coordinates: make([][]matrix.Matrix, 1+len(d.Others))}}
	c.Predicted = c.held.room(y.Dim)
	for f := range c.held.rows {
		c.train = append(c.train, d.train(f))
	}
	for e := range d.all() {
		var lists []*neighbors.Nearest
		for f, rows := range c.held.rows {
			near, err := c.search(ctx, e, rows, c.train[f], o.K+spare(o.K), o.Threads)
			if err != nil {
				return nil, err
			}
			for r, i := range rows {
				c.mean(c.Predicted[e], i, c.train[f], near.Index[r*near.K:r*near.K+min(o.K, near.K)])
			}
			lists = append(lists, near)
		}
		c.near = append(c.near, lists)
	}
	return c, nil
}

// search finds the nearest of some rows for others.
func (c *NeighborCrossFit) search(ctx context.Context, e int, rows, train []int,
	k, threads int) (*neighbors.Nearest, error) {
	near, err := neighbors.Cross(ctx, c.data.all()[e].Select(rows), c.data.X.Select(train), min(k, len(train)),
		neighbors.Options{Metric: c.o.Metric, Memory: c.o.Memory, Threads: threads})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", neighborsName, err)
	}
	return near, nil
}

// mean writes the mean target of places in train.
func (c *NeighborCrossFit) mean(dst []float64, i int, train []int, places []int32) {
	mean, row := dst[i*c.y.Dim:(i+1)*c.y.Dim], make([]float64, c.y.Dim)
	clear(mean)
	for _, place := range places {
		for t, v := range c.y.Row(train[place], row) {
			mean[t] += v
		}
	}
	for t := range mean {
		mean[t] /= float64(len(places)) // NaN for none
	}
}

// Without predicts every row without the rows of block 0, 1, … among its neighbors, and calls visit as
// [RidgeCrossFit.Without] does. Lists that run out are searched again.
func (c *NeighborCrossFit) Without(ctx context.Context, blocks *stat.Blocks,
	visit func(block int, predicted [][]float64) error) error {
	r := refits{neighborsName, c.o.Threads, c.held, c.Predicted}
	return r.each(ctx, blocks, visit, func(_ int, gone []int, dst [][]float64) error {
		for f := range c.held.rows {
			if len(common(gone, c.train[f])) == 0 {
				continue
			}
			if err := c.without(ctx, f, gone, dst); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *NeighborCrossFit) without(ctx context.Context, f int, gone []int, dst [][]float64) error {
	keep := outside(c.train[f], gone)
	lost := make([]bool, len(c.train[f]))
	for at, i := range c.train[f] {
		_, lost[at] = slices.BinarySearch(gone, i)
	}
	k := min(c.o.K, len(keep))
	for e := range dst {
		near := c.near[e][f]
		var again []int
		for r, i := range c.held.rows[f] {
			var places []int32
			for _, place := range near.Index[r*near.K : (r+1)*near.K] {
				if !lost[place] && len(places) < k {
					places = append(places, place)
				}
			}
			if len(places) < k {
				again = append(again, i)
				continue
			}
			c.mean(dst[e], i, c.train[f], places)
		}
		if len(again) == 0 {
			continue
		}
		result, err := c.search(ctx, e, again, keep, k, 1)
		if err != nil {
			return err
		}
		for r, i := range again {
			c.mean(dst[e], i, keep, result.Index[r*k:(r+1)*k])
		}
	}
	return nil
}

// CrossFitMean predicts every row by the mean of the targets [n, T] of the rows of other folds: the
// baseline without features. For targets of 0 and 1 it is the share of each class, whose largest is
// the majority class. NaN for a fold without training rows. Without Data.Train the mean is computed
// from the sums of the other folds. Errors: unequal shapes, NaN or Inf.
func CrossFitMean(d Data, y points.Points) ([]float64, error) {
	if err := d.checkTargets("mean", y); err != nil {
		return nil, err
	}
	out := make([]float64, d.X.N*y.Dim)
	d.means(y, nil, out)
	return out, nil
}

// means writes the predictions of CrossFitMean without rows, which are ascending.
func (d *Data) means(y points.Points, gone []int, dst []float64) {
	rows := d.rowsOf()
	counts, sums, row := make([]float64, len(rows)), make([][]float64, y.Dim), make([]float64, y.Dim)
	for t := range sums {
		sums[t] = make([]float64, len(rows))
	}
	add := func(f, i int) {
		if _, out := slices.BinarySearch(gone, i); out {
			return
		}
		counts[f]++
		for t, v := range y.Row(i, row) {
			sums[t][f] += v
		}
	}
	if d.Train == nil {
		for i, f := range d.Folds {
			add(f, i)
		}
	}
	for f := range d.Train {
		for _, i := range d.Train[f] {
			add(f, i)
		}
	}
	for t, byFold := range sums {
		total, count := stat.Sum(byFold), stat.Sum(counts)
		for f := range rows {
			mean := (total - byFold[f]) / (count - counts[f])
			if d.Train != nil { // the sums are over the fold's own training rows
				mean = byFold[f] / counts[f]
			}
			for _, i := range rows[f] {
				dst[i*y.Dim+t] = mean
			}
		}
	}
}

// MeanWithout calls visit with the predictions of [CrossFitMean] without the rows of block 0, 1, …, as
// [RidgeCrossFit.Without] does.
func MeanWithout(ctx context.Context, d Data, y points.Points, blocks *stat.Blocks,
	visit func(block int, predicted [][]float64) error) error {
	predicted, err := CrossFitMean(d, y)
	if err != nil {
		return err
	}
	h := &held{n: d.X.N, rows: d.rowsOf(), coordinates: make([][]matrix.Matrix, 1)}
	r := refits{"mean", 1, h, [][]float64{predicted}}
	return r.each(ctx, blocks, visit, func(_ int, gone []int, dst [][]float64) error {
		d.means(y, gone, dst[0])
		return nil
	})
}

// checkTargets checks the data, its features and targets.
func (d *Data) checkTargets(quantity string, y points.Points) error {
	if err := d.check(quantity); err != nil {
		return err
	}
	if y.N != d.X.N || y.Dim == 0 {
		return fmt.Errorf("%s: targets of shape [%d, %d] for %d rows of features", quantity, y.N, y.Dim, d.X.N)
	}
	if err := checkFeatures("targets of "+quantity, y); err != nil {
		return err
	}
	return nil
}
