// Calibration against scikit-learn and NumPy, and its bounds.

package token

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"repscope/measure/measuretest"
)

// tally sums up confidences by bin.
func tally(confidence, correct []float64, bins int) ConfidenceSums {
	s := ConfidenceSums{make([]float64, bins), make([]float64, bins), make([]float64, bins)}
	for i, c := range confidence {
		b := ConfidenceBin(c, bins)
		s.Count[b]++
		s.Correct[b] += correct[i]
		s.Confidence[b] += c
	}
	return s
}

func TestCalibrationGolden(t *testing.T) {
	t.Parallel()
	g := readGolden(t).Calibration
	s := tally(g.Confidence, g.Correct, g.Bins)
	for b, n := range g.Count {
		measuretest.Near(t, "count", s.Count[b], n, 0)
		measuretest.Near(t, "accuracy", s.Correct[b]/n, g.Accuracy[b], 1e-12)
		measuretest.Near(t, "mean confidence", s.Confidence[b]/n, g.MeanConfidence[b], 1e-12)
	}
	measuretest.Near(t, "ECE", s.ECE(), g.ECE, 1e-12)
	measuretest.Near(t, "maximum error", s.MaximumError(), g.Maximum, 1e-12)
	cells := tally(g.Confidence, g.Correct, ConfidenceCells)
	measuretest.Near(t, "adaptive ECE", cells.AdaptiveBins(g.Bins).ECE(), g.Adaptive, 1e-12)
	for text, want := range g.Edges {
		edge, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got := ConfidenceBin(edge, g.Bins); got != want {
			t.Errorf("confidence %s is in bin %d, want %d: bins hold their upper end", text, got, want)
		}
	}
}

// Bins never part equal confidences, hold all predictions, and are of nearly equal numbers where they can be.
func TestAdaptiveBins(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 9))
	for range 200 {
		cells := ConfidenceSums{make([]float64, 50), make([]float64, 50), make([]float64, 50)}
		var n, most float64
		for c := range cells.Count {
			if random.IntN(3) > 0 {
				cells.Count[c] = float64(random.IntN(20))
				cells.Correct[c] = math.Floor(random.Float64() * cells.Count[c])
				cells.Confidence[c] = cells.Count[c] * (float64(c) + 0.5) / 50
			}
			n, most = n+cells.Count[c], max(most, cells.Count[c])
		}
		bins := 1 + random.IntN(20)
		s := cells.AdaptiveBins(bins)
		var sum float64
		for b, m := range s.Count {
			sum += m
			if m == 0 || m > n/float64(bins)+most {
				t.Errorf("bin %d has %v of %v predictions", b, m, n)
			}
		}
		if sum != n || len(s.Count) > bins {
			t.Errorf("%v predictions in %d bins, want %v in %d", sum, len(s.Count), n, bins)
		}
		// Coarser bins cancel more; one bin leaves the difference of the means.
		if one, all := cells.AdaptiveBins(1).ECE(), cells.ECE(); s.ECE() > all+1e-12 || one > s.ECE()+1e-12 {
			t.Errorf("ECE of %d bins is %v, of all cells %v, of one %v", bins, s.ECE(), all, one)
		}
	}
}

func TestCalibrationOfNothing(t *testing.T) {
	t.Parallel()
	s := tally(nil, nil, 5)
	if !math.IsNaN(s.ECE()) || !math.IsNaN(s.MaximumError()) || len(s.AdaptiveBins(3).Count) != 0 {
		t.Error("the calibration of no predictions is defined")
	}
	right := tally([]float64{1, 1, 0.25, 0}, []float64{1, 1, 0, 0}, 4)
	measuretest.Near(t, "ECE", right.ECE(), 0.25/4, 1e-15)
	measuretest.Near(t, "maximum error", right.MaximumError(), 0.25/2, 1e-15)
}
