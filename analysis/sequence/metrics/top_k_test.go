// Top-k accuracies against plain loops.

package metrics

import (
	"fmt"
	"testing"

	"repscope/analysis/sequence"
)

func TestTopK(t *testing.T) {
	t.Parallel()
	c := tokenCases(t)[sequence.RegionStandard]
	for _, k := range []int{3, 5, 10} {
		share, _ := c.mean(nil, func(p scoredResidue) float64 { return map[bool]float64{true: 1}[p.Rank < k] })
		c.check(t, fmt.Sprintf("top%d_acc", k), share)
	}
	mrr, _ := c.mean(nil, func(p scoredResidue) float64 { return 1 / (1 + float64(p.Rank)) })
	c.check(t, "mean_reciprocal_rank", mrr)
}
