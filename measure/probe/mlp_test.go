// The network against slopes by differences, and what it must give again.

package probe

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/internal/kernel"
	"repscope/measure/measuretest"
	"repscope/measure/score"
	"repscope/points"
	"repscope/stat"
)

// naiveLoss is the mean loss of a batch in float64, written without the network's code.
func naiveLoss(n *network, p []float64, x, y points.Points, class []int) float64 {
	w1, p := p[:n.dim*n.hidden], p[n.dim*n.hidden:]
	b1, p := p[:n.hidden], p[n.hidden:]
	w2, b2 := p[:n.hidden*n.outputs], p[n.hidden*n.outputs:]
	total := 0.0
	for i := range x.N {
		out := slices.Clone(b2)
		for h := range n.hidden {
			z := b1[h]
			for k, v := range x.Row(i, nil) {
				z += (v - n.mean[k]) / n.scale[k] * w1[k*n.hidden+h]
			}
			if n.activation == SiLU {
				z /= 1 + math.Exp(-z)
			} else {
				z = max(z, 0)
			}
			for t := range out {
				out[t] += z * w2[h*n.outputs+t]
			}
		}
		if class != nil {
			sum := 0.0
			for _, o := range out {
				sum += math.Exp(o)
			}
			total += math.Log(sum) - out[class[i]]
			continue
		}
		goal := newSquares(y, allRows(y.N))
		for t, o := range out {
			e := o - (y.Row(i, nil)[t]-goal.mean[t])/goal.scale[t]
			total += e * e / 2 / float64(len(out))
		}
	}
	return total / float64(x.N)
}

func TestNetworkSlopes(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	x, y, class := measuretest.Normal(random, 9, 3), measuretest.Normal(random, 9, 2), []int{0, 1, 1, 0, 0, 1, 0, 1, 1}
	for _, activation := range []Activation{ReLU, SiLU} {
		for _, labels := range [][]int{nil, class} {
			o, err := MLPOptions{Hidden: 5, Activation: activation}.withDefaults()
			if err != nil {
				t.Fatal(err)
			}
			n := newNetwork(x, allRows(x.N), 2, o)
			var goal objective = newSquares(y, allRows(y.N))
			if labels != nil {
				goal = newEntropy(labels, 2, allRows(x.N))
			}
			n.start(stat.StreamMLP.Key(1, 1), goal)
			stat.FillNormal32(n.second, stat.StreamMLP.Key(1, 2), 0)
			n.step(x, allRows(x.N), goal)
			p := make([]float64, len(n.parameters))
			for i, v := range n.parameters {
				p[i] = float64(v)
			}
			for i := range p {
				const h = 1e-5
				at := p[i]
				p[i] = at + h
				up := naiveLoss(n, p, x, y, labels)
				p[i] = at - h
				down := naiveLoss(n, p, x, y, labels)
				p[i] = at
				measuretest.Near(t, "slope", float64(n.slopes[i]), (up-down)/(2*h), 2e-5)
			}
		}
	}
}

// Adam's first steps on the parabola x² from 1, by the formulas of the paper.
func TestAdam(t *testing.T) {
	t.Parallel()
	p, a := []float32{1}, newAdam(1, 0.1)
	x, m, v := 1.0, 0.0, 0.0
	for step := 1; step <= 5; step++ {
		a.step(p, []float32{2 * p[0]})
		g := 2 * x
		m, v = 0.9*m+0.1*g, 0.999*v+0.001*g*g
		x -= 0.1 * (m / (1 - math.Pow(0.9, float64(step)))) / (math.Sqrt(v/(1-math.Pow(0.999, float64(step)))) + 1e-8)
		measuretest.Near(t, "parameter", float64(p[0]), x, 1e-5)
	}
}

func TestMLPLearnsAndRepeats(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 10))
	const n = 600
	x := measuretest.Normal(random, n, 3)
	y, class, groups := make([]float64, n), make([]int, n), make([]int, n)
	for i := range n {
		row := x.Row(i, nil)
		y[i] = 100 + 7*(row[0]*row[1]+math.Abs(row[2]))
		if row[0]*row[1] > 0 {
			class[i] = 1
		}
		groups[i] = i / 50
	}
	folds, err := GroupFolds(groups, 3)
	if err != nil {
		t.Fatal(err)
	}
	d := Data{X: x, Others: []points.Points{x}, Groups: groups, Folds: folds}
	o := MLPOptions{Hidden: 32, Epochs: 60, Batch: 32, Rate: 5e-3, Seed: 3, Threads: 1, Activation: SiLU}
	fit, err := CrossFitMLP(t.Context(), d, points.Float64(y, 1), o)
	if err != nil {
		t.Fatal(err)
	}
	if r2, err := score.R2(y, fit.Predicted[0]); err != nil || r2 < 0.8 {
		t.Errorf("R² %v of a product and an absolute value, %v", r2, err)
	}
	if !slices.Equal(fit.Predicted[0], fit.Predicted[1]) {
		t.Error("equal features are predicted differently")
	}
	classes, err := CrossFitMLPClassifier(t.Context(), d, class, 2, o)
	if err != nil {
		t.Fatal(err)
	}
	confusion, err := score.NewConfusion(2, class, mostProbable(2, classes.Predicted[0]))
	if err != nil {
		t.Fatal(err)
	}
	if confusion.BalancedAccuracy() < 0.85 {
		t.Errorf("balanced accuracy %v of an exclusive or", confusion.BalancedAccuracy())
	}
	o.Threads = 3
	again, err := CrossFitMLP(t.Context(), d, points.Float64(y, 1), o)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(fit.Predicted[0], again.Predicted[0]) {
		t.Error("the number of threads changes predictions")
	}
}

// Where there is nothing to learn, a network predicts nearly the mean, or the frequencies.
func TestMLPWithoutSignal(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 1))
	const n = 300
	x, y, class, groups := measuretest.Normal(random, n, 40), make([]float64, n), make([]int, n), make([]int, n)
	for i := range y {
		groups[i] = i / 20
		if random.IntN(12) == 0 { // sparse, as rewards are
			y[i], class[i] = float64(10*(1+random.IntN(5))), 1
		}
	}
	folds, err := GroupFolds(groups, 5)
	if err != nil {
		t.Fatal(err)
	}
	d := Data{X: x, Groups: groups, Folds: folds}
	fit, err := CrossFitMLP(t.Context(), d, points.Float64(y, 1), MLPOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r2, err := score.R2(y, fit.Predicted[0]); err != nil || r2 < -0.1 {
		t.Errorf("R² %v of noise (%v), want nearly 0", r2, err)
	}
	classes, err := CrossFitMLPClassifier(t.Context(), d, class, 2, MLPOptions{})
	if err != nil {
		t.Fatal(err)
	}
	brier, base := 0.0, 0.0
	for i, k := range class {
		e := classes.Predicted[0][2*i+1] - float64(k)
		brier, base = brier+e*e, base+float64(k)
	}
	if share := base / n; brier/n > 1.15*share*(1-share) {
		t.Errorf("Brier score %v of noise, that of the frequency is %v", brier/n, share*(1-share))
	}
}

// The bytes of predictions, on every machine and with every kernel (REPSCOPE_KERNEL).
func TestMLPBytes(t *testing.T) {
	t.Parallel()
	x, y, groups := make([]float32, 400*7), make([]float64, 400), make([]int, 400)
	stat.FillUniform32(x, stat.NewKey(1), 0)
	for i := range y {
		groups[i], y[i] = i/40, float64(x[7*i])-float64(x[7*i+1])
	}
	folds, err := GroupFolds(groups, 5)
	if err != nil {
		t.Fatal(err)
	}
	d := Data{X: points.Float32(x, 7), Groups: groups, Folds: folds}
	fit, err := CrossFitMLP(t.Context(), d, points.Float64(y, 1), MLPOptions{Epochs: 10, Activation: SiLU, Batch: 50})
	if err != nil {
		t.Fatal(err)
	}
	data, err := binary.Append(nil, binary.LittleEndian, fit.Predicted[0])
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(data))[:16]; got != "06dfadf5279c5fb1" {
		t.Errorf("digest %s of predictions", got)
	}
	class := make([]int, len(y))
	for i, v := range y {
		class[i] = min(max(int(4*v+2), 0), 3)
	}
	classes, err := CrossFitMLPClassifier(t.Context(), d, class, 4, MLPOptions{Epochs: 10, Hidden: 36, Batch: 50})
	if err != nil {
		t.Fatal(err)
	}
	if data, err = binary.Append(nil, binary.LittleEndian, classes.Predicted[0]); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(data))[:16]; got != "a9e39bf3bf6bfea4" {
		t.Errorf("digest %s of probabilities", got)
	}
}

func TestMLPDegenerate(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	x, groups := measuretest.Normal(random, 40, 3), make([]int, 40)
	class := make([]int, 40)
	y := make([]float64, 40)
	for i := range groups {
		groups[i], y[i], class[i] = i/10, 0.1, 1
		x.F64[i*3+2] = 4 // does not vary
	}
	class[3] = 2 // of one episode: no head of another fold knows it
	folds, err := GroupFolds(groups, 4)
	if err != nil {
		t.Fatal(err)
	}
	d, o := Data{X: x, Groups: groups, Folds: folds}, MLPOptions{Hidden: 4, Epochs: 3}
	fit, err := CrossFitMLP(t.Context(), d, points.Float64(y, 1), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range fit.Predicted[0] {
		if p != y[i] {
			t.Errorf("row %d: %v of a constant target 0.1", i, p)
		}
	}
	classes, err := CrossFitMLPClassifier(t.Context(), d, class, 3, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if p := classes.Predicted[0][i*3 : i*3+3]; p[0] != 0 || p[1] != 1 || p[2] != 0 {
			t.Errorf("row %d: probabilities %v where only class 1 is known", i, p)
		}
	}
	two, err := GroupFolds([]int{0, 0, 1, 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	_, err = CrossFitMLP(t.Context(), Data{X: x.Select([]int{0, 1, 2, 3}), Groups: []int{0, 0, 1, 1}, Folds: two}, points.Float64(y[:4], 1), o)
	if stat.Reason(err) != "only one group for training and validation, want at least 2" {
		t.Errorf("one group: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := CrossFitMLP(ctx, d, points.Float64(y, 1), o); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	for _, bad := range []MLPOptions{{Hidden: -1}, {Rate: math.NaN()}, {Activation: 7}, {Epochs: -1}, {Batch: -2}, {Patience: -1}} {
		if _, err := CrossFitMLP(t.Context(), d, points.Float64(y, 1), bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// TestNarrowProducts: products of few columns, which are computed as their transposes, have the bits of those columns
// among others.
func TestNarrowProducts(t *testing.T) {
	t.Parallel()
	const rows, depth, width = 70, 300, 9
	key := stat.StreamMLP.Key(1, 3)
	a, b := make([]float32, rows*depth), make([]float32, depth*width)
	stat.FillNormal32(a, key, 0)
	stat.FillNormal32(b, key, uint64(len(a)))
	n := &network{narrow: make([]float32, mostNarrow*rows)}
	want := make([]float32, rows*width)
	n.multiply(rows, width, depth, kernel.Rows(a, depth), kernel.Columns(b, width), want)
	for columns := 1; columns < width; columns++ {
		few := make([]float32, depth*columns)
		for k := range depth {
			copy(few[k*columns:(k+1)*columns], b[k*width:])
		}
		for _, count := range []int{1, 4, 5, rows} {
			got := make([]float32, count*columns)
			n.multiply(count, columns, depth, kernel.Rows(a, depth), kernel.Columns(few, columns), got)
			for i, v := range got {
				if w := want[i/columns*width+i%columns]; v != w {
					t.Fatalf("%d × %d: element %d is %v, want %v", count, columns, i, v, w)
				}
			}
		}
	}
}
