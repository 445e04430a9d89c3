// The results of a comparison: the scores and their formulas.

package neighbors

// Scores are the measures of one neighborhood size k over a set of points.
//
// With m_i the number of candidates of point i (n−1, or fewer inside an exclusion window), the worst embedding of point
// i earns the penalty
//
//	w_i = k(2m_i−3k+1)/2 for 2k ≤ m_i, and (m_i−k)(m_i−k+1)/2 otherwise;
//
// Σ_i w_i is the Normalizer. It is n·k·(2n−3k−1)/2 for k < n/2 and n·(n−k)·(n−k−1)/2 for k ≥ n/2 when nothing is
// excluded. The scores are therefore the scores of Venna and Kaski, in [0, 1] for every k.
type Scores struct {
	// Points is the number of points the score is over.
	Points int
	// TrustPenalty is Σ_i Σ_{j ∈ N̂_i^k \ N_i^k} (r_ij − k): an integer, or its expectation
	// where TiesAverage and distances tie.
	TrustPenalty float64
	// ContPenalty is Σ_i Σ_{j ∈ N_i^k \ N̂_i^k} (r̂_ij − k), likewise.
	ContPenalty float64
	// Normalizer is the penalty of the worst embedding.
	Normalizer int64
	// Trustworthiness is 1 − TrustPenalty/Normalizer, in [0, 1].
	Trustworthiness float64
	// Continuity is 1 − ContPenalty/Normalizer, in [0, 1].
	Continuity float64
	// Common is Σ_i |N_i^k ∩ N̂_i^k|, likewise.
	Common float64
	// QNX is the share of common neighbors, Common/(n·k).
	QNX float64
	// RNX is (Q_NX − q)/(1 − q) with q = mean_i k/m_i, the chance level: ((n−1)·Q_NX − k)/(n−1−k) when nothing is
	// excluded. 1 is perfect, 0 chance.
	RNX float64
	// LCMC is Q_NX − mean_i k/m_i, the local continuity meta-criterion.
	LCMC float64
	// MRREFalse is 1 − Σ_i Σ_{j∈N̂_i^k} |r_ij−r̂_ij|/r̂_ij / Σ_i H_i with
	// H_i = Σ_{l=1..k} |m_i+2−2l|/l; 1 is perfect.
	MRREFalse float64
	// MRREMissing is the same over j ∈ N_i^k, divided by r_ij.
	MRREMissing float64
	// Chance is the trustworthiness, and the continuity, expected when ranks
	// are uniform on 1..m_i: 1 − Σ_i k(m_i−k)(m_i−k+1)/(2m_i) / Normalizer,
	// about 1/2 for k much smaller than n.
	Chance float64
}

// Replicate holds the scores with one block deleted both as reference points and as neighbors.
type Replicate struct {
	// Block is the id of the deleted block, from Options.Blocks.
	Block int
	Scores
}

// AtK has all results for one neighborhood size.
type AtK struct {
	K int
	Scores

	// Replicates has one entry per block, ordered by block id, when Options.Blocks is set.
	Replicates []Replicate

	// Null has one entry per permutation, when Options.Permutations is set.
	Null []NullScores

	// PointTrustPenalty and PointContPenalty are the penalties of each point and PointNormalizer the worst case of each,
	// when Options.PerPoint is set: a point's own score is 1 − penalty/normalizer.
	PointTrustPenalty, PointContPenalty []float64
	PointNormalizer                     []int64
}

// Curves are the co-ranking curves over all K = 1..n−2 (up to two below the
// smallest number of candidates where an exclusion window is set); entry K−1
// belongs to neighborhood size K.
type Curves struct {
	QNX, RNX []float64
	// AUCRNX is Σ_K R_NX(K)/K / Σ_K 1/K.
	AUCRNX float64
	// KStar maximizes LCMC(K), the smallest such K at ties.
	KStar int
	// QLocal is the mean of Q_NX over 1..KStar, QGlobal over KStar..n−2.
	QLocal, QGlobal float64
	// Without has one entry per block, ordered by block id, when Options.Blocks is set.
	Without []CurveReplicate
}

// CurveReplicate holds the numbers of the curves with one block deleted from both roles. Beyond K = 64 the curve is
// interpolated between K that are 2 % apart. QLocal and QGlobal reach to the K* of all points or to the K* of the
// points outside the block, whichever takes them farther from all points' numbers.
type CurveReplicate struct{ AUCRNX, QLocal, QGlobal float64 }

// Preservation measures how well one embedded space preserves the neighborhoods of the original space.
type Preservation struct {
	// N is the number of points.
	N int
	// ByK has one entry per k of Options.Ks, in that order.
	ByK []AtK
	// Curves are the co-ranking curves, nil if not requested.
	Curves *Curves
	// Original and Embedded are the counts of the two spaces. Original.Ties
	// belong to this comparison: ranks of embedded neighbors in the original.
	// Original.Redecided is over all embedded spaces of the pass.
	Original, Embedded SpaceCounts
	// MinCandidates is the smallest number of candidates of a point: n−1, or
	// less with an exclusion window.
	MinCandidates int
}
