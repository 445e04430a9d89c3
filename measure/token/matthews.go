// The correlation of predicted with true tokens.

package token

import "math"

// Matthews is the correlation coefficient of several classes (Gorodkin 2004; Matthews 1975 for two) of n predictions,
// correct of them correct, where truth[k] tokens are k and predicted[k] are predicted as k: (c·n − Σ p·t)/√((n²
// − Σ p²)(n² − Σ t²)), 1 where all are correct and 0 where predictions do not depend on the truth. NaN where all have
// one true token, or all are predicted as one.
func Matthews(n, correct float64, truth, predicted []float64) float64 {
	var both, squareTrue, squarePredicted float64
	for k, t := range truth {
		both += t * predicted[k]
		squareTrue += t * t
		squarePredicted += predicted[k] * predicted[k]
	}
	return (correct*n - both) / math.Sqrt((n*n-squarePredicted)*(n*n-squareTrue))
}
