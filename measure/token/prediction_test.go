// Predictions against NumPy, SciPy and scikit-learn, against a plain version, and what they must keep.

package token

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"repscope/measure/measuretest"
)

type golden struct {
	Predictions []struct {
		Vocabulary                     int
		Logits                         []float32
		Targets, Predicted, Rank       []int
		NLL, Prob, Confidence, Entropy []float64
		Brier                          []float64
		Accuracy, Perplexity, MCC      float64
		LogLoss                        float64 `json:"log_loss"`
		Top                            map[int]float64
	}
	Calibration struct {
		Bins                   int
		Confidence, Correct    []float64
		Count, Accuracy        []float64
		MeanConfidence         []float64 `json:"mean_confidence"`
		ECE, Maximum, Adaptive float64
		Edges                  map[string]int
	}
}

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestPredictGolden(t *testing.T) {
	t.Parallel()
	for _, c := range readGolden(t).Predictions {
		var loss, right float64
		top := map[int]float64{3: 0, 5: 0, 10: 0}
		for i, target := range c.Targets {
			p, err := Predict(c.Logits[i*c.Vocabulary:][:c.Vocabulary], target)
			if err != nil {
				t.Fatal(err)
			}
			if p.Target != target || p.Predicted != c.Predicted[i] || p.Rank != c.Rank[i] || p.Correct() != (p.Rank == 0) {
				t.Errorf("position %d: %d predicted at rank %d, want %d at %d", i, p.Predicted, p.Rank, c.Predicted[i], c.Rank[i])
			}
			measuretest.Near(t, "NLL", p.NLL, c.NLL[i], 1e-13)
			measuretest.Near(t, "probability", p.Prob, c.Prob[i], 1e-14)
			measuretest.Near(t, "confidence", p.Confidence, c.Confidence[i], 1e-14)
			measuretest.Near(t, "entropy", p.Entropy, c.Entropy[i], 1e-13)
			measuretest.Near(t, "Brier score", p.Brier, c.Brier[i], 1e-13)
			n := float64(len(c.Targets))
			loss += p.NLL / n
			if p.Correct() {
				right += 1 / n
			}
			for k := range top {
				if p.Rank < k {
					top[k] += 1 / n
				}
			}
		}
		measuretest.Near(t, "log loss", loss, c.LogLoss, 1e-12)
		measuretest.Near(t, "perplexity", math.Exp(loss), c.Perplexity, 1e-12)
		measuretest.Near(t, "accuracy", right, c.Accuracy, 1e-12)
		truth, predicted := make([]float64, c.Vocabulary), make([]float64, c.Vocabulary)
		for i, target := range c.Targets {
			truth[target]++
			predicted[c.Predicted[i]]++
		}
		n := float64(len(c.Targets))
		measuretest.Near(t, "Matthews correlation", Matthews(n, math.Round(right*n), truth, predicted), c.MCC, 1e-12)
		for k, share := range c.Top {
			measuretest.Near(t, "top-k accuracy", top[k], share, 1e-12)
		}
	}
}

// plain is Predict as it is defined, in float64 without a trick.
func plain(logits []float32, target int) Prediction {
	p := Prediction{Target: target}
	for k, v := range logits {
		if v > logits[p.Predicted] {
			p.Predicted = k
		}
		if v > logits[target] || v == logits[target] && k < target {
			p.Rank++
		}
	}
	top, total := float64(logits[p.Predicted]), 0.0
	for _, v := range logits {
		total += math.Exp(float64(v) - top)
	}
	for k, v := range logits {
		q := math.Exp(float64(v)-top) / total
		if q > 0 {
			p.Entropy -= q * math.Log(q)
		}
		truth := 0.0
		if k == target {
			truth = 1
		}
		p.Brier += (q - truth) * (q - truth)
		p.Confidence = max(p.Confidence, q)
	}
	p.NLL = math.Log(total) + top - float64(logits[target])
	p.Prob = math.Exp(-p.NLL)
	return p
}

func TestPredictAgainstDefinition(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 14))
	for range 5000 {
		logits := make([]float32, 1+random.IntN(100))
		scale := math.Pow(10, 4*random.Float64()-2)
		for k := range logits {
			logits[k] = float32(scale * random.NormFloat64())
			if random.IntN(4) == 0 { // ties
				logits[k] = logits[random.IntN(k+1)]
			}
			if k > 0 && random.IntN(10) == 0 {
				logits[k] = float32(math.Inf(-1))
			}
		}
		target := random.IntN(len(logits))
		got, err := Predict(logits, target)
		if err != nil {
			t.Fatal(err)
		}
		want := plain(logits, target)
		if got.Predicted != want.Predicted || got.Rank != want.Rank {
			t.Fatalf("%v: %d at rank %d, want %d at %d", logits, got.Predicted, got.Rank, want.Predicted, want.Rank)
		}
		if got.NLL != want.NLL { // +Inf is equal
			measuretest.Near(t, "NLL", got.NLL, want.NLL, 1e-12)
		}
		measuretest.Near(t, "probability", got.Prob, want.Prob, 1e-12)
		measuretest.Near(t, "confidence", got.Confidence, want.Confidence, 1e-13)
		measuretest.Near(t, "entropy", got.Entropy, want.Entropy, 1e-12)
		measuretest.Near(t, "Brier score", got.Brier, want.Brier, 1e-12)
		if got.Entropy < 0 || got.Brier < -1e-15 || got.Brier > 2+1e-15 || got.Confidence > 1 {
			t.Errorf("%v: %+v is out of range", logits, got)
		}
	}
}

// A constant added to all logits changes nothing, and neither do tokens that cannot be.
func TestPredictInvariances(t *testing.T) {
	t.Parallel()
	logits := []float32{0.5, 2, -1, 0.25, 2, 1}
	first, err := Predict(logits, 4)
	if err != nil {
		t.Fatal(err)
	}
	if first.Predicted != 1 || first.Rank != 1 {
		t.Errorf("of equal logits the first is %d at rank %d of the second, want 1 and 1", first.Predicted, first.Rank)
	}
	shifted := make([]float32, len(logits))
	for k, v := range logits {
		shifted[k] = v + 64
	}
	if p, err := Predict(shifted, 4); err != nil || p != first {
		t.Errorf("%+v of shifted logits, want %+v (%v)", p, first, err)
	}
	for range 20 {
		logits = append(logits, float32(math.Inf(-1)))
		if p, err := Predict(logits, 4); err != nil || p != first {
			t.Errorf("%+v with %d logits, want %+v (%v)", p, len(logits), first, err)
		}
	}
	if p, err := Predict(logits, 10); err != nil || !math.IsInf(p.NLL, 1) || p.Prob != 0 || p.Rank != 10 {
		t.Errorf("%+v of a token that cannot be, want probability 0 at rank 10 (%v)", p, err)
	}
	if p, err := Predict([]float32{3}, 0); err != nil || p != (Prediction{Prob: 1, Confidence: 1}) {
		t.Errorf("%+v of one token, want certainty (%v)", p, err)
	}
}

func TestPredictErrors(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		logits []float32
		target int
		want   string
	}{
		{[]float32{1, 2}, 2, "target 2, want a token of the 2 of the logits"},
		{[]float32{1, 2}, -1, "target -1"},
		{nil, 0, "target 0, want a token of the 0"},
		{[]float32{1, nan, 3}, 0, "logit 1 is NaN"},
		{[]float32{1, 2, 3, 4, 5, 6, 7, nan}, 0, "logit 7 is NaN"},
		{[]float32{inf, 2}, 0, "logit 0 is +Inf"},
		{[]float32{-inf, -inf}, 0, "all logits are −Inf"},
	} {
		if _, err := Predict(c.logits, c.target); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func TestAntibody(t *testing.T) {
	t.Parallel()
	a := Antibody()
	if a.Size() != 32 || a.Names[4] != "L" || a.Names[23] != "C" || a.Names[29] != "." || a.Names[a.Mask] != "<mask>" {
		t.Errorf("%d tokens: %q", a.Size(), a.Names)
	}
}
