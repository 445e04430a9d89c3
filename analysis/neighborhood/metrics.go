// What the numbers of a model are.

package neighborhood

import (
	"math"

	"repscope/report"
)

// Metrics describes the numbers of a model.
func Metrics() []report.Described {
	inf := math.Inf(1)
	return []report.Described{
		{Name: "by_k.trustworthiness", Better: report.Higher, High: 1, Headline: true,
			About: "1 less the penalties of states among the k nearest latents that are no near states", Cite: "venna2001"},
		{Name: "by_k.continuity", Better: report.Higher, High: 1, Headline: true,
			About: "1 less the penalties of states among the k nearest states whose latents are not near", Cite: "venna2001"},
		{Name: "by_k.q_nx", Better: report.Higher, High: 1,
			About: "share of the k nearest that are common to both spaces", Cite: "lee2009"},
		{Name: "by_k.r_nx", Better: report.Higher, Low: -inf, High: 1, Headline: true,
			About: "common neighbours beyond those of independent states: 0 for these, 1 at most", Cite: "lee2013"},
		{Name: "by_k.lcmc", Better: report.Higher, Low: -1, High: 1,
			About: "local continuity meta-criterion: Q_NX less its expectation", Cite: "chen2009"},
		{Name: "by_k.mrre_false", Better: report.Higher, High: 1,
			About: "1 less the mean relative rank error of false neighbours", Cite: "lee2009"},
		{Name: "by_k.mrre_missing", Better: report.Higher, High: 1,
			About: "1 less the mean relative rank error of missing neighbours", Cite: "lee2009"},
		{Name: "auc_r_nx", Better: report.Higher, Low: -inf, High: 1, Headline: true,
			About: "area under R_NX over all K, with weights 1/K", Cite: "lee2013"},
		{Name: "q_local", Better: report.Higher, High: 1,
			About: "mean of Q_NX up to the K that maximizes LCMC", Cite: "lee2009"},
		{Name: "q_global", Better: report.Higher, High: 1,
			About: "mean of Q_NX from the K that maximizes LCMC", Cite: "lee2009"},
	}
}
