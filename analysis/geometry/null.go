// The null: what similarities of models, and the agreement of clusters with labels, are when
// episodes are given to other episodes, so that only their memory is shared.

package geometry

import (
	"context"

	"repscope/analysis/internal/results"
	"repscope/internal/parallel"
	"repscope/measure/cluster"
	"repscope/measure/similarity"
	"repscope/report"
	"repscope/stat"
)

// Chance is a score under the null; see [stat.EpisodeNull].
type Chance = results.Chance

// SimilarityNull holds the similarities of two models under the null in time: what spaces have that share nothing,
// and the p value of having as much.
type SimilarityNull struct {
	Permutations int    `json:"permutations"`
	CKA          Chance `json:"cka"`
	CKADebiased  Chance `json:"cka_debiased"`
	CKABetween   Chance `json:"cka_between"`
	Procrustes   Chance `json:"procrustes"`
	// RSA and RSABetween use at most 20,000 of the pairs of states.
	RSA        Chance `json:"rsa"`
	RSABetween Chance `json:"rsa_between"`
}

// AgreementNull holds the agreement of clusters with labels under the null in time.
type AgreementNull struct {
	Permutations int    `json:"permutations"`
	NMI          Chance `json:"nmi"`
	AMI          Chance `json:"ami"`
	ARI          Chance `json:"ari"`
}

// The most pairs of states that RSA ranks in each order of the null, and the most orders at once: each holds a space.
const (
	nullPairs  = 20_000
	nullOrders = 8
)

// orders are the null of the sampled states, and its orders with marks for orders near the given one.
func (a *analyzer) orders() (null *stat.EpisodeNull, orders [][]int, near []bool, err error) {
	if null, err = stat.NewEpisodeNull(a.samples(), at(a.in.Episode, a.in.Sample), a.o.Seed); err != nil {
		return nil, nil, nil, err
	}
	for p := range a.o.Permutations {
		order, close := null.Order(p)
		orders, near = append(orders, order), append(near, close)
	}
	return null, orders, near, nil
}

// under fills in the null of some couples of spaces.
func (a *analyzer) under(ctx context.Context, spaces []*similarity.Space, couples [][2]int,
	rows []*SimilarityRow) error {
	if a.o.Permutations <= 0 {
		return nil
	}
	pairs, err := similarity.DrawPairs(a.samples(), nullPairs, a.o.Seed)
	if err != nil {
		return err
	}
	null, orders, near, err := a.orders()
	if err != nil {
		return err
	}
	threads := min(parallel.Workers(a.o.Threads, nullOrders), nullOrders)
	scores, shuffled, err := similarity.Shuffled(ctx, spaces, couples, orders, pairs, threads)
	if err != nil {
		return err
	}
	for c, row := range rows {
		if !row.CKA.Defined() {
			continue
		}
		row.Null = &SimilarityNull{Permutations: len(orders)}
		for _, m := range []struct {
			of        func(similarity.Scores) float64
			to        *Chance
			estimate  *report.Estimate // whose jackknife is inconsistent near chance; nil for none
			falls     bool
			low, high float64
		}{
			{of: func(s similarity.Scores) float64 { return s.CKA }, to: &row.Null.CKA, estimate: &row.CKA, high: 1},
			{of: func(s similarity.Scores) float64 { return s.CKADebiased }, to: &row.Null.CKADebiased,
				estimate: &row.CKADebiased, low: -1, high: 1},
			{of: func(s similarity.Scores) float64 { return s.CKABetween }, to: &row.Null.CKABetween,
				estimate: &row.CKABetween, low: -1, high: 1},
			{of: func(s similarity.Scores) float64 { return s.Procrustes }, to: &row.Null.Procrustes, falls: true},
			{of: func(s similarity.Scores) float64 { return s.RSA }, to: &row.Null.RSA},
			{of: func(s similarity.Scores) float64 { return s.RSABetween }, to: &row.Null.RSABetween},
		} {
			values := make([]float64, len(orders))
			for o := range orders {
				values[o] = m.of(shuffled[o][c])
			}
			chance := null.ChanceOf(m.of(scores[c]), values, near, m.falls)
			*m.to = results.ChanceOf(chance)
			if m.estimate != nil {
				results.NearChance(m.estimate, chance, a.similarityBlocks().df(), m.low, m.high)
			}
		}
	}
	return nil
}

// agreementUnder fills in the null of the agreement of clusters with the labels, which are given to other states.
func (a *analyzer) agreementUnder(ctx context.Context, p cluster.Partition, to *Agreement) error {
	if a.o.Permutations <= 0 {
		return nil
	}
	null, orders, near, err := a.orders()
	if err != nil {
		return err
	}
	scores := [3][]float64{}
	for k := range scores {
		scores[k] = make([]float64, len(orders))
	}
	err = parallel.Try(ctx, a.o.Threads, len(orders), func(_, o int) error {
		labels := *a.labels
		labels.Of = at(labels.Of, orders[o])
		table, err := cluster.NewContingency(p, labels)
		if err == nil {
			scores[0][o], scores[1][o], scores[2][o] = table.NMI(), table.AMI(), table.ARI()
		}
		return err
	})
	if err != nil {
		return err
	}
	to.Null = &AgreementNull{Permutations: len(orders)}
	for k, m := range []struct {
		estimate *report.Estimate
		to       *Chance
		low      float64
	}{{&to.NMI, &to.Null.NMI, 0}, {&to.AMI, &to.Null.AMI, -1}, {&to.ARI, &to.Null.ARI, -1}} {
		chance := null.ChanceOf(m.estimate.Float(), scores[k], near, false)
		*m.to = results.ChanceOf(chance)
		results.NearChance(m.estimate, chance, a.sample.coarsened(MaxRefits).df(), m.low, 1)
	}
	return nil
}
