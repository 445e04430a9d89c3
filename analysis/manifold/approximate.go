// The approximate mode: nearest neighbors of very many latents.

package manifold

import (
	"context"
	"fmt"

	"repscope/neighbors"
	"repscope/report"
)

// LatentRecall is the share of true nearest neighbors that the approximate search
// found, measured on seeded queries with its standard error; which neighbor of
// several at equal distance does not matter.
type LatentRecall struct {
	Value         report.Value `json:"value"`
	StandardError report.Value `json:"standard_error"`
	K             int          `json:"k"`       // neighbors of each latent
	Queries       int          `json:"queries"` // latents whose lists were compared with exact ones
	Exact         bool         `json:"exact"`   // the search was exact, because an approximate one would save little: nothing had to be compared
}

type exactPointsKey struct{}

// exactPoints is the number of latents up to which a search is exact anyway; 0: as long as
// that takes seconds.
func exactPoints(ctx context.Context) int {
	n, _ := ctx.Value(exactPointsKey{}).(int)
	return n
}

// recallOf is the recall as the result file holds it, nil for an exact search.
func recallOf(r *neighbors.SearchRecall) *LatentRecall {
	if r == nil {
		return nil
	}
	return &LatentRecall{
		Value: report.Number(r.Value), StandardError: report.Number(r.StandardError),
		K: r.K, Queries: r.Queries, Exact: r.Exact,
	}
}

// warning is one where the recall is low.
func (r *LatentRecall) warning(model string) string {
	if r == nil || !(r.Value.Float() < neighbors.SufficientRecall) {
		return ""
	}
	return fmt.Sprintf("%s: the approximate search found %.3f ± %.3f of the true neighbors, less than %v: "+
		"intrinsic dimensions may be wrong; remove --approx",
		model, r.Value.Float(), r.StandardError.Float(), neighbors.SufficientRecall)
}

func (r *LatentRecall) String() string {
	if r.Exact {
		return "1: the search was exact, because an approximate search would save little"
	}
	return fmt.Sprintf("%.4f ± %.4f of %d neighbors on %d latents",
		r.Value.Float(), r.StandardError.Float(), r.K, r.Queries)
}
