// Calibration: whether predictions are as often right as they are confident.

package token

import (
	"math"
	"sort"
)

// CalibrationBins is the usual number of bins of a reliability diagram.
const CalibrationBins = 15

// ConfidenceCells is the number of cells into which [AdaptiveBins] counts confidences.
const ConfidenceCells = 4096

// ConfidenceBin returns the bin of a confidence among bins of equal width: bin b is
// (b/bins, (b+1)/bins], and 0 is in the first.
func ConfidenceBin(confidence float64, bins int) int {
	return sort.Search(bins-1, func(b int) bool { return confidence <= float64(b+1)/float64(bins) })
}

// ConfidenceSums are sums over predictions, by bin of their confidence: how many they are, how many
// are right, and the sum of their confidences. The lists have the same length.
type ConfidenceSums struct {
	Count, Correct, Confidence []float64
}

// ECE is the expected calibration error Σ |right − confidence| / n, that is the mean over
// predictions of the difference between accuracy and mean confidence of their bin, from 0 to 1
// (Naeini, Cooper and Hauskrecht 2015; Guo et al. 2017). It is biased upward: chance alone makes accuracies
// differ from confidences in bins of few predictions. NaN without predictions.
func (s ConfidenceSums) ECE() float64 {
	var difference, n float64
	for b := range s.Count {
		difference += math.Abs(s.Correct[b] - s.Confidence[b])
		n += s.Count[b]
	}
	return difference / n
}

// MaximumError is the largest difference between accuracy and mean confidence of a bin that has
// predictions, from 0 to 1. NaN without predictions.
func (s ConfidenceSums) MaximumError() float64 {
	out := math.NaN()
	for b, n := range s.Count {
		if d := math.Abs(s.Correct[b]-s.Confidence[b]) / n; n > 0 && !(d <= out) {
			out = d
		}
	}
	return out
}

// AdaptiveBins joins many cells of confidence, in ascending order, to bins of about equal numbers of
// predictions: cell c goes into the bin in which the middle of its predictions lies. Equal
// confidences are never parted. At most bins bins are returned, all with predictions.
func (s ConfidenceSums) AdaptiveBins(bins int) ConfidenceSums {
	var total, before float64
	for _, n := range s.Count {
		total += n
	}
	var out ConfidenceSums
	last := -1
	for c, n := range s.Count {
		if n == 0 {
			continue
		}
		if bin := min(bins-1, int((before+n/2)/total*float64(bins))); bin != last {
			last = bin
			out.Count, out.Correct, out.Confidence = append(out.Count, 0), append(out.Correct, 0), append(out.Confidence, 0)
		}
		b := len(out.Count) - 1
		out.Count[b] += n
		out.Correct[b] += s.Correct[c]
		out.Confidence[b] += s.Confidence[c]
		before += n
	}
	return out
}
