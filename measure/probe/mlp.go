// A small network, cross-fitted by groups.

package probe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"repscope/internal/parallel"
	"repscope/points"
	"repscope/stat"
)

// Activation is the activation function of the hidden layer of a network.
type Activation int

const (
	// ReLU is max(z, 0).
	ReLU Activation = iota
	// SiLU is z/(1 + e^−z).
	SiLU
)

// MLPOptions are the choices of a network; the zero value is the default.
type MLPOptions struct {
	Hidden     int        // units of the hidden layer, 0 for 128
	Activation Activation // default ReLU
	Epochs     int        // at most this number, 0 for 200
	Patience   int        // epochs without a smaller validation loss after which training ends, 0 for 20
	Batch      int        // rows of a step, 0 for 256
	Rate       float64    // step size of Adam, 0 for 10⁻³
	Seed       uint64     // of weights, validation episodes and batches
	Threads    int        // ≤ 0: all processors; results do not depend on it
}

func (o MLPOptions) withDefaults() (MLPOptions, error) {
	for _, c := range []struct {
		value   *int
		of      int
		meaning string
	}{{&o.Hidden, 128, "hidden units"}, {&o.Epochs, 200, "epochs"}, {&o.Patience, 20, "epochs of patience"}, {&o.Batch, 256, "rows of a batch"}} {
		if *c.value == 0 {
			*c.value = c.of
		}
		if *c.value < 0 {
			return o, fmt.Errorf("%s: %d %s, want at least 1", mlpName, *c.value, c.meaning)
		}
	}
	if o.Rate == 0 {
		o.Rate = 1e-3
	}
	if !(o.Rate > 0) || math.IsInf(o.Rate, 1) {
		return o, fmt.Errorf("%s: step size %v, want a finite number above 0", mlpName, o.Rate)
	}
	if o.Activation != ReLU && o.Activation != SiLU {
		return o, fmt.Errorf("%s: unknown activation %d", mlpName, o.Activation)
	}
	return o, nil
}

const mlpName = "network"

// MLPCrossFit holds predictions of rows by networks that were fitted without their fold.
type MLPCrossFit struct {
	// Predicted[e][i·T + t] is the prediction of target t, or the probability of class t, of row i from
	// Data.X (e = 0) and from Data.Others[e−1].
	Predicted [][]float64
	// Epochs is the number of epochs of the network of each fold until its validation loss was
	// smallest, and Loss that loss: the mean squared error of standardized targets, or the log loss.
	Epochs []int
	Loss   []float64
}

// CrossFitMLP fits for every fold, on the rows of the other folds, a network with one hidden layer
// that predicts the targets [n, T], and predicts the fold.
//
// Features and targets are standardized by the rows to be fitted. Weights of the hidden layer start as
// He et al. (2015) have it, outputs at 0 with the mean, or the frequencies of classes, as
// their biases, and follow Adam (Kingma and Ba 2015, β = 0.9 and 0.999) on the mean squared error of
// batches without replacement. Of the episodes to be fitted, those drawn until they have a fifth of the rows
// are left to validation: training ends when their loss has not fallen for a while, and the
// weights with the smallest one are taken. A constant target is predicted as such.
//
// All of it is float32 arithmetic in a fixed order, a function of data, options and seed: the same
// bytes for any number of threads, on any machine. There are no refits without blocks: an
// interval from deletions of predictions is one given the fitted networks, which leaves out that others
// would have been fitted on other episodes. Compare folds instead (Nadeau and Bengio 2003).
//
// Errors: shapes that do not match, NaN or Inf, an option out of range, one group to fit and
// validate on ([stat.UndefinedError]), and the error of ctx.
func CrossFitMLP(ctx context.Context, d Data, y points.Points, o MLPOptions) (*MLPCrossFit, error) {
	if y.N != d.X.N || y.Dim == 0 {
		return nil, fmt.Errorf("%s: targets of shape [%d, %d] for %d rows of features", mlpName, y.N, y.Dim, d.X.N)
	}
	if err := checkFeatures("targets of a "+mlpName, y); err != nil {
		return nil, err
	}
	return crossFitMLP(ctx, &d, y.Dim, o, func(train []int) objective { return newSquares(y, train) })
}

// CrossFitMLPClassifier does the same for classes 0 … classes−1: the network has a logit for each, and
// its loss is the log loss. A class without rows to fit on has probability 0. Errors as for
// [CrossFitMLP], and a class out of range.
func CrossFitMLPClassifier(ctx context.Context, d Data, class []int, classes int, o MLPOptions) (*MLPCrossFit, error) {
	if len(class) != d.X.N {
		return nil, fmt.Errorf("%s: %d classes for %d rows", mlpName, len(class), d.X.N)
	}
	for i, k := range class {
		if k < 0 || k >= classes {
			return nil, fmt.Errorf("%s: row %d has class %d, want 0 … %d", mlpName, i, k, classes-1)
		}
	}
	return crossFitMLP(ctx, &d, classes, o, func(train []int) objective { return newEntropy(class, classes, train) })
}

func crossFitMLP(ctx context.Context, d *Data, outputs int, o MLPOptions,
	newObjective func(train []int) objective) (*MLPCrossFit, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := d.check(mlpName); err != nil {
		return nil, err
	}
	for _, x := range d.all() {
		if err := checkFeatures(mlpName, x); err != nil {
			return nil, err
		}
	}
	rows := d.rowsOf()
	c := &MLPCrossFit{Epochs: make([]int, len(rows)), Loss: make([]float64, len(rows))}
	for range d.all() {
		c.Predicted = append(c.Predicted, make([]float64, d.X.N*outputs))
	}
	err = parallel.Try(ctx, o.Threads, len(rows), func(_, f int) error {
		train := d.train(f)
		goal := newObjective(train)
		n, err := trainNetwork(ctx, d, train, goal, o, uint64(f))
		if err != nil {
			return err
		}
		c.Epochs[f], c.Loss[f] = n.epochs, n.loss
		for e, x := range d.all() {
			n.predict(x, rows[f], goal, func(row int, values []float64) { copy(c.Predicted[e][row*outputs:], values) })
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Uses of the stream of a fold.
const (
	drawValidation = iota
	drawHidden
	drawBatches
)

// validation splits rows by groups: those that are drawn until they have a fifth of the rows, and the
// others.
func validation(groups, rows []int, key stat.Key) (fit, held []int, err error) {
	labels := slices.Compact(slices.Sorted(slices.Values(points.Pick(groups, rows))))
	if len(labels) < 2 {
		return nil, nil, stat.Undefined(mlpName, "only one group for training and validation, want at least 2")
	}
	size := map[int]int{}
	for _, i := range rows {
		size[groups[i]]++
	}
	out, count := map[int]bool{}, 0
	for k, label := range stat.NewRandom(key).Perm(len(labels)) {
		if k == len(labels)-1 || 5*count >= len(rows) {
			break
		}
		out[labels[label]] = true
		count += size[labels[label]]
	}
	for _, i := range rows {
		if out[groups[i]] {
			held = append(held, i)
		} else {
			fit = append(fit, i)
		}
	}
	return fit, held, nil
}

// objective is what the outputs of a network are for.
type objective interface {
	outputs() int
	// start sets the biases of the outputs before training.
	start(bias []float32)
	// loss returns the sum of the losses of rows with outputs [len(rows), T] and replaces these by
	// the slopes of the mean loss.
	loss(rows []int, outputs []float32) float64
	// finish turns the outputs of a row into predictions.
	finish(outputs []float32, values []float64)
}

var errDiverged = errors.New(mlpName + ": training diverges; want a smaller step size")

// trainNetwork fits a network to rows.
func trainNetwork(ctx context.Context, d *Data, rows []int, goal objective, o MLPOptions,
	fold uint64) (*network, error) {
	key := func(use, at uint64) stat.Key { return stat.StreamMLP.Key(o.Seed, fold, use, at) }
	fit, held, err := validation(d.Groups, rows, key(drawValidation, 0))
	if err != nil {
		return nil, err
	}
	n := newNetwork(d.X, rows, goal.outputs(), o)
	n.start(key(drawHidden, 0), goal)
	n.prepare(d.X, rows)
	best, steps := slices.Clone(n.parameters), newAdam(len(n.parameters), o.Rate)
	n.loss = n.lossOf(d.X, held, goal)
	for epoch := 1; epoch <= o.Epochs && epoch-n.epochs <= o.Patience; epoch++ {
		order := slices.Clone(fit)
		stat.NewRandom(key(drawBatches, uint64(epoch))).Shuffle(order)
		for batch := range slices.Chunk(order, o.Batch) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			n.step(d.X, batch, goal)
			steps.step(n.parameters, n.slopes)
		}
		loss := n.lossOf(d.X, held, goal)
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return nil, errDiverged
		}
		if loss < n.loss {
			n.loss, n.epochs = loss, epoch
			copy(best, n.parameters)
		}
	}
	copy(n.parameters, best)
	return n, nil
}
