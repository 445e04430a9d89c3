// Package probe measures what can be read out of representations by simple heads: ridge
// regression, multinomial logistic regression, a small network and nearest neighbors, each
// fitted and evaluated by grouped folds, so that every episode is predicted by a head that has
// not seen it.
//
//	folds, err := probe.GroupFolds(episodes, 5)
//	data := probe.Data{X: latents, Groups: episodes, Folds: folds}
//	fit, err := probe.CrossFitRidge(ctx, data, points.Float64(rewards, 1), probe.RidgeOptions{})
//	r2, err := score.R2(rewards, fit.Predicted[0])
//
// The error of such a score is that of the data it is evaluated on and of the data that the
// heads were fitted on. Ridge heads are refitted without each block ([RidgeCrossFit.Without]),
// so that a delete-block jackknife of their scores holds both.
package probe
