// Similarity between models.

package geometry

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"repscope/internal/parallel"
	"repscope/measure/similarity"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
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
	blocks := a.similarityBlocks()
	spaces := make([]*similarity.Space, len(a.in.Models))
	err := parallel.Try(ctx, a.o.Threads, len(spaces), func(_, m int) (err error) {
		spaces[m], err = similarity.NewSpace(sampled(a.in.Models[m].Latents, a.in.Sample), blocks.blocks)
		return err
	})
	if err != nil {
		return nil, err
	}
	pairs, err := similarity.DrawPairs(a.samples(), max(0, a.o.Pairs), a.o.Seed)
	if err != nil {
		return nil, err
	}
	out, couples := &Similarities{RSAPairs: pairs.Len(), RSAAll: pairs.All()}, couplesOf(len(spaces))
	a.progress.step()
	rows, err := shard.RememberEach(ctx, len(couples), a.identityOfCouples(couples), func(missing []int) ([]*SimilarityRow, error) {
		some := make([]couple, len(missing))
		for at, c := range missing {
			some[at] = couples[c]
		}
		return a.compareSpaces(ctx, spaces, some, pairs)
	}, nil)
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
	for c, pair := range couples {
		out.Rows[pair.a][pair.b], out.Rows[pair.b][pair.a] = *rows[c], *rows[c]
	}
	return out, nil
}

// identityOfCouples names the inputs and options that the similarity of two models follows from.
func (a *analyzer) identityOfCouples(couples []couple) func(c int) shard.Identity {
	common := sync.OnceValue(func() shard.Identity {
		id, blocks := a.common(), a.similarityBlocks()
		id.Options = slices.DeleteFunc(id.Options, func(f shard.Field) bool { return !slices.Contains(ofCouples, f.Name) })
		text, labels := blocks.reason, []int(nil)
		if blocks.blocks != nil {
			text, labels = blocks.blocks.String(), blocks.blocks.Labels()
		}
		id.Options = append(id.Options, shard.Option("blocks", fmt.Sprintf("%d %s %s", blocks.n, text, shard.Digest(points.Points{}, labels))))
		return id
	})
	digests := make([]string, len(a.in.Models))
	return func(c int) shard.Identity {
		pair := couples[c]
		for _, m := range []int{pair.a, pair.b} {
			if digests[m] == "" {
				digests[m] = shard.Digest(a.in.Models[m].Latents)
			}
		}
		return common().OfModel(digests[pair.a], shard.Option("beside", digests[pair.b]))
	}
}

// ofCouples are the options of similarities.
var ofCouples = []string{"rsa-pairs", "permutations", "bootstrap", "block", "seed"}

// similarityBlocks are the blocks of the sample that similarities are computed without.
func (a *analyzer) similarityBlocks() scope { return a.sample.coarsened(MaxSimilarityBlocks) }

// compareSpaces measures some couples of spaces.
func (a *analyzer) compareSpaces(ctx context.Context, spaces []*similarity.Space, couples []couple,
	pairs *similarity.Pairs) ([]*SimilarityRow, error) {
	similarities := make([]*similarity.Similarity, len(couples)) // nil where latents are constant
	err := parallel.Try(ctx, a.o.Threads, len(couples), func(_, c int) (err error) {
		if p := couples[c]; !a.collapsed[p.a] && !a.collapsed[p.b] && spaces[p.a].Varies() && spaces[p.b].Varies() {
			similarities[c], err = similarity.Compare(spaces[p.a], spaces[p.b])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	numbers := make([][2]int, len(couples))
	for c, p := range couples {
		numbers[c] = [2]int{p.a, p.b}
	}
	ranks, err := similarity.RSAOf(ctx, spaces, numbers, pairs, a.o.Threads)
	if err != nil {
		return nil, err
	}
	apart, err := similarity.RSAOf(ctx, spaces, numbers, pairs.Between(spaces[0]), a.o.Threads)
	if err != nil {
		return nil, err
	}
	rows, blocks := make([]*SimilarityRow, len(couples)), a.similarityBlocks()
	for c, pair := range couples {
		row := &SimilarityRow{RSAPairs: pairs.Len()}
		rows[c] = row
		if similarities[c] == nil {
			row.undefined(constant)
			continue
		}
		if err := row.fill(similarities[c], &ranks[c], &apart[c], blocks); err != nil {
			return nil, err
		}
		if largest := similarity.ProcrustesBlockDimension; a.sample.blocks != nil && min(spaces[pair.a].Dim(), spaces[pair.b].Dim()) > largest {
			row.Procrustes.CI = report.NoInterval("not computed above %d dimensions", largest)
		}
	}
	return rows, a.under(ctx, spaces, numbers, rows)
}

// SimilarityBytes is about what similarities hold: the latents of all models as float64, of one twice more while
// its blocks are put together, and of one in each order of the null at once.
func SimilarityBytes(models []Encoded) int64 {
	var all, largest int64
	for _, m := range models {
		one := 8 * int64(m.Latents.N) * int64(m.Latents.Dim)
		all, largest = all+one, max(largest, one)
	}
	return all + (2+nullOrders)*largest
}

// constant is the reason of what latents that do not vary have not.
const constant = "the latents are constant"

func (r *SimilarityRow) undefined(reason string) {
	none := report.NoEstimate("%s", reason)
	r.CKA, r.CKADebiased, r.Procrustes, r.RSA, r.RSASamplingError = none, none, none, none, none.Value
	r.CKABetween, r.RSABetween = none, none
}

// self is what every space that varies has with itself, by definition.
func (r *SimilarityRow) self() {
	same := func(v float64) report.Estimate {
		return report.WithInterval(report.Number(v), report.NoInterval("the same latents"))
	}
	r.CKA, r.CKADebiased, r.Procrustes, r.RSA, r.RSASamplingError = same(1), same(1), same(0), same(1), report.Number(0)
	r.CKABetween, r.RSABetween = same(1), same(1)
}

// fill takes over the measurements, with intervals by deleting blocks.
func (r *SimilarityRow) fill(s *similarity.Similarity, rsa, apart *similarity.RankCorrelation, blocks scope) error {
	for _, measure := range []struct {
		of        similarity.Estimate
		to        *report.Estimate
		low, high float64
		reason    string                      // why it is undefined
		pairs     *similarity.RankCorrelation // over pairs of states; nil: over states
	}{
		{s.CKA, &r.CKA, 0, 1, "", nil},
		{s.CKADebiased, &r.CKADebiased, -1, 1, "the unbiased HSIC of a space is not positive", nil},
		{s.Procrustes, &r.Procrustes, 0, math.Sqrt2, "the singular value decomposition did not converge", nil},
		{rsa.Estimate, &r.RSA, -1, 1, equalDistances, rsa},
		{s.CKABetween, &r.CKABetween, -1, 1, blocks.noneBetween(), nil},
		{apart.Estimate, &r.RSABetween, -1, 1, equalDistances, apart},
	} {
		j, err := blocks.jackknife(measure.of.Value, measure.of.Without, nil)
		if err != nil {
			return err
		}
		if measure.pairs != nil && j != nil {
			j.WithoutPairTerms(measure.pairs.ByBlocks, 1)
		}
		*measure.to = within(report.NumberOr(measure.of.Value, measure.reason), j, measure.low, measure.high)
	}
	if !r.CKABetween.Defined() {
		r.RSABetween = report.NoEstimate("%s", r.CKABetween.Reason)
	}
	r.RSASamplingError = report.NumberOr(rsa.SamplingError, equalDistances)
	return nil
}

// noneBetween is why there is no similarity between blocks.
func (s scope) noneBetween() string {
	switch {
	case s.blocks == nil:
		return intervalsOff + ": no blocks of states"
	case s.blocks.Count() < 4:
		return fmt.Sprintf("%d blocks of states, want at least 4", s.blocks.Count())
	}
	return "a space does not vary between blocks"
}

// equalDistances is the reason of what a space of equal distances has not.
const equalDistances = "all distances are equal"

// SimilarityOf is how similar model a is to the model of a name; zero where they were not compared.
func (r *Result) SimilarityOf(a int, name string) SimilarityRow {
	row, _ := r.Models[a].Similarity.Get(name)
	s, _ := row.(SimilarityRow)
	return s
}
