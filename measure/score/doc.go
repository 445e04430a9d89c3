// Package score says how good predictions are: of real targets (mean squared error, R², explained variance), of
// rankings (AUROC) and of classes (accuracy, balanced accuracy, macro F1), as scikit-learn defines them, and without
// each block of observations, exactly and at the cost of one pass.
//
//	influence, err := score.RegressionInfluence(truth, predicted)
//	blocks, err := stat.NewBlocks(len(truth), episodes, stat.BlockSpec{}, influence.R2)
//	all, without, err := score.RegressionWithout(blocks, truth, predicted)
//	jackknifed, err := blocks.Jackknife(all.R2, score.Values(without, score.Regression.R2Of), influence.R2)
//
// Scores of cross-fitted classes and numbers are over all predictions together. For rankings
// [AUROCByFold] counts pairs that one head has ranked, which is what cross-fitting leaves comparable.
//
// An undefined score, such as R² of a constant target and AUROC of one class, is a
// [stat.UndefinedError] where it is all that was asked for, and NaN among several numbers and
// among deletions. Predictions that are NaN are errors: a caller leaves out what it has no
// prediction or no target for.
package score
