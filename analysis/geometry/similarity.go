// Similarity between models.

package geometry

import (
	"context"
	"math"

	"repscope/internal/parallel"
	"repscope/measure/similarity"
	"repscope/report"
)

// couple is the numbers of two models, a < b.
type couple struct{ a, b int }

// couplesOf lists the couples of count models: (0,1), (0,2), …, (1,2), ….
func couplesOf(count int) []couple {
	var out []couple
	for a := range count {
		for b := a + 1; b < count; b++ {
			out = append(out, couple{a, b})
		}
	}
	return out
}

// similarities compares every model with every other and returns the rows of the
// matrices.
func (a *analyzer) similarities(ctx context.Context) (*Similarities, error) {
	spaces, found, err := a.compareSpaces(ctx)
	if err != nil {
		return nil, err
	}
	a.progress.step()
	out := &Similarities{}
	ranks, err := a.rankDistances(ctx, spaces, out)
	if err != nil {
		return nil, err
	}
	a.progress.step()

	out.Rows = make([][]SimilarityRow, len(spaces))
	for m, space := range spaces {
		out.Rows[m] = make([]SimilarityRow, len(spaces))
		out.Rows[m][m] = SimilarityRow{RSAPairs: out.RSAPairs}
		if a.collapsed[m] || !space.Varies() {
			out.Rows[m][m].undefined(constant)
		} else {
			out.Rows[m][m].self()
		}
	}
	for c, pair := range couplesOf(len(spaces)) {
		row := SimilarityRow{RSAPairs: out.RSAPairs}
		if found[c] == nil {
			row.undefined(constant)
		} else {
			if err := row.fill(found[c], &ranks[c], a.similarityBlocks()); err != nil {
				return nil, err
			}
			if largest := similarity.ProcrustesBlockDimension; a.sample.blocks != nil && min(spaces[pair.a].Dim(), spaces[pair.b].Dim()) > largest {
				row.Procrustes.CI = report.NoInterval("not computed above %d dimensions", largest)
			}
		}
		out.Rows[pair.a][pair.b], out.Rows[pair.b][pair.a] = row, row
	}
	return out, nil
}

// similarityBlocks are the blocks of the sample that similarities are computed without.
func (a *analyzer) similarityBlocks() scope { return a.sample.coarsened(maxSimilarityBlocks) }

// compareSpaces measures CKA and Procrustes of every couple; nil where latents are
// constant.
func (a *analyzer) compareSpaces(ctx context.Context) ([]*similarity.Space, []*similarity.Similarity, error) {
	spaces, blocks := make([]*similarity.Space, len(a.in.Models)), a.similarityBlocks().blocks
	err := parallel.Try(ctx, a.o.Threads, len(spaces), func(_, m int) (err error) {
		spaces[m], err = similarity.NewSpace(sampled(a.in.Models[m].Latents, a.in.Sample), blocks)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	couples := couplesOf(len(spaces))
	found := make([]*similarity.Similarity, len(couples))
	err = parallel.Try(ctx, a.o.Threads, len(couples), func(_, c int) (err error) {
		if p := couples[c]; !a.collapsed[p.a] && !a.collapsed[p.b] && spaces[p.a].Varies() && spaces[p.b].Varies() {
			found[c], err = similarity.Compare(spaces[p.a], spaces[p.b])
		}
		return err
	})
	return spaces, found, err
}

// rankDistances correlates the ranks of the distances of every couple.
func (a *analyzer) rankDistances(ctx context.Context, spaces []*similarity.Space, out *Similarities) ([]similarity.RankCorrelation, error) {
	pairs, err := similarity.DrawPairs(a.samples(), max(0, a.o.Pairs), a.o.Seed)
	if err != nil {
		return nil, err
	}
	out.RSAPairs, out.RSAAll = pairs.Len(), pairs.All()
	if len(spaces) < 2 {
		return nil, nil
	}
	return similarity.RSA(ctx, spaces, pairs, a.o.Threads)
}

// constant is the reason of what latents that do not vary have not.
const constant = "the latents are constant"

func (r *SimilarityRow) undefined(reason string) {
	none := report.NoEstimate("%s", reason)
	r.CKA, r.CKADebiased, r.Procrustes, r.RSA, r.RSASamplingError = none, none, none, none, none.Value
}

// self is what every space that varies has with itself, by definition.
func (r *SimilarityRow) self() {
	same := func(v float64) report.Estimate {
		return report.WithInterval(report.Number(v), report.NoInterval("the same latents"))
	}
	r.CKA, r.CKADebiased, r.Procrustes, r.RSA, r.RSASamplingError = same(1), same(1), same(0), same(1), report.Number(0)
}

// fill takes over what was measured, with intervals by deleting blocks.
func (r *SimilarityRow) fill(s *similarity.Similarity, rsa *similarity.RankCorrelation, blocks scope) error {
	for _, measure := range []struct {
		of        similarity.Estimate
		to        *report.Estimate
		low, high float64
		reason    string // why it is undefined
	}{
		{s.CKA, &r.CKA, 0, 1, ""},
		{s.CKADebiased, &r.CKADebiased, -1, 1, "the unbiased HSIC of a space is not positive"},
		{s.Procrustes, &r.Procrustes, 0, math.Sqrt2, "the singular value decomposition did not converge"},
		{rsa.Estimate, &r.RSA, -1, 1, equalDistances},
	} {
		j, err := blocks.jackknife(measure.of.Value, measure.of.Without, nil)
		if err != nil {
			return err
		}
		if measure.to == &r.RSA && j != nil {
			j.WithoutPairTerms(rsa.ByBlocks, 1)
		}
		*measure.to = within(report.NumberOr(measure.of.Value, measure.reason), j, measure.low, measure.high)
	}
	r.RSASamplingError = report.NumberOr(rsa.SamplingError, equalDistances)
	return nil
}

// equalDistances is the reason of what a space of equal distances has not.
const equalDistances = "all distances are equal"
