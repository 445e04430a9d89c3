// Package variant measures how scores of substitutions in a protein agree with measurements of
// their effects, as ProteinGym does (Notin et al. 2023, "ProteinGym: large-scale benchmarks for
// protein fitness prediction and design"): rank correlation, NDCG, AUC, MCC and top recall of an
// assay, and the means over assays, proteins and functions.
//
//	measured, scores := []float64{0.1, -2, 0.7, -1}, []float64{-0.5, -4, 0, -6}
//	fit := []bool{true, false, true, false} // as the assay defines it
//	agreement, err := variant.NewAgreement(measured, scores, fit, nil)
//	if err != nil {
//		return err
//	}
//	auc, err := agreement.Value(variant.AUC) // 1; rank correlations need 10 variants
//
// Scores of a masked language model are sums over the mutated positions of ln p(to) − ln p(from),
// each position hidden alone (masked marginal) or nothing hidden (wild-type marginal; Meier et al.
// 2021, "Language models enable zero-shot prediction of the effects of mutations on protein
// function"): [LogRatio]. Baselines without a model: [Similarity] and [Frequencies].
package variant
