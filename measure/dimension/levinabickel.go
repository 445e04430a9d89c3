// Levina–Bickel: the dimension from the growth of neighbor distances.

package dimension

import (
	"fmt"
	"math"

	"repscope/internal/kernel"
)

// LevinaBickel returns the maximum likelihood estimate of Levina & Bickel 2004
// ("Maximum likelihood estimation of intrinsic dimension") with k neighbors,
// averaged over points as MacKay & Ghahramani 2005 correct it: the inverse of the
// mean over points i and neighbors j < k of
// ln(r_k(i)/r_j(i)). distance holds stride ≥ k ascending neighbor distances
// per point, all positive: duplicates are removed before. k outside 2 … stride, a
// distance that is 0 or infinite, and distances that are all equal are errors.
func LevinaBickel(distance []float64, stride, k int) (float64, error) {
	if k < 2 || k > stride {
		return 0, fmt.Errorf("levina–bickel: k = %d, want 2 ≤ k ≤ %d", k, stride)
	}
	n := len(distance) / stride
	total, logs := 0.0, make([]float64, k-1)
	for i := range n {
		row := distance[i*stride : i*stride+k]
		if !(row[0] > 0) || math.IsInf(row[k-1], 0) {
			return 0, fmt.Errorf(
				"levina–bickel: nearest neighbor distance of point %d is %v, want a positive number", i, row[0])
		}
		for l, r := range row[:k-1] {
			logs[l] = row[k-1] / r
		}
		kernel.Log(logs, logs)
		for _, l := range logs {
			total += l
		}
	}
	return levinaBickel(n, k, total)
}

// levinaBickel is [LevinaBickel] of n points with k neighbors from the sum of the logarithms of all ratios.
func levinaBickel(n, k int, total float64) (float64, error) {
	if total == 0 {
		return 0, fmt.Errorf(
			"levina–bickel: all %d neighbor distances of every point are equal, so no dimension is defined", k)
	}
	return float64(n) * float64(k-1) / total, nil
}
