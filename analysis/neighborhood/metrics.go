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
			About: "trustworthiness: 1 minus rank penalties of states that are among the k nearest only in latent " +
				"space", Cite: "venna2001"},
		{Name: "by_k.continuity", Better: report.Higher, High: 1, Headline: true,
			About: "continuity: 1 minus rank penalties of states that are among the k nearest only in the original " +
				"space", Cite: "venna2001"},
		{Name: "by_k.q_nx", Better: report.Higher, High: 1,
			About: "share of the k nearest neighbors common to both spaces", Cite: "lee2009"},
		{Name: "by_k.r_nx", Better: report.Higher, Low: -inf, High: 1, Headline: true,
			About: "Q_NX rescaled: 0 for independent states, 1 for equal neighbors", Cite: "lee2013"},
		{Name: "by_k.lcmc", Better: report.Higher, Low: -1, High: 1,
			About: "local continuity meta-criterion: Q_NX minus its expectation for independent " +
				"states", Cite: "chen2009"},
		{Name: "by_k.mrre_false", Better: report.Higher, High: 1,
			About: "1 minus the mean relative rank error of false neighbors", Cite: "lee2009"},
		{Name: "by_k.mrre_missing", Better: report.Higher, High: 1,
			About: "1 minus the mean relative rank error of missing neighbors", Cite: "lee2009"},
		{Name: "auc_r_nx", Better: report.Higher, Low: -inf, High: 1, Headline: true,
			About: "area under R_NX over all K, with weights 1/K", Cite: "lee2013"},
		{Name: "q_local", Better: report.Higher, High: 1,
			About: "mean of Q_NX up to the K that maximizes LCMC", Cite: "lee2009"},
		{Name: "q_global", Better: report.Higher, High: 1,
			About: "mean of Q_NX from the K that maximizes LCMC", Cite: "lee2009"},
	}
}
