// Package probe measures what can be read out of representations by simple heads: ridge
// regression, multinomial logistic regression, a small network and nearest neighbors, each
// fitted and evaluated by grouped folds, so that every episode is predicted by a head that has
// not seen it.
//
//	folds, err := probe.GroupFolds(episodes, 5)
//	data := probe.Data{X: latents, Groups: episodes, Folds: folds}
//	fit, err := probe.CrossFitRidge(ctx, data, points.Float64(rewards, 1), probe.RidgeOptions{})
//	r2, err := score.R2(rewards, fit.Predicted[0])
//	r2s := make([]float64, blocks.Count())
//	err = fit.Without(ctx, blocks, func(j int, predicted [][]float64) error {
//		left, _ := score.Regress(score.Outside(blocks, j, rewards), score.Outside(blocks, j, predicted[0]))
//		r2s[j] = left.R2 // NaN where undefined
//		return nil
//	})
//	jackknifed, err := blocks.Jackknife(r2, r2s, nil)
//
// The error of such a score is that of the rows it is evaluated on and of those that the heads were
// fitted on. [RidgeCrossFit.Without], and its like of logistic regression, nearest neighbors and
// means, refits without each block, so that a delete-block jackknife holds both.
package probe
