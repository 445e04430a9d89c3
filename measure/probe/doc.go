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
// # What intervals are about
//
// The error of such a score is that of the rows it is evaluated on and of those that the heads were
// fitted on: the interval is for the score on new episodes of heads fitted on as many new ones.
// [RidgeCrossFit.Without], and its like of logistic regression and nearest neighbors, refits without
// each block, so that a delete-block jackknife holds both. Deleting from the scores of the heads as
// they are leaves out that other episodes would have given other heads. How often 95 % intervals hold
// the score, and those of the difference of two models that know equally much hold 0, in percent of
// 300 draws of 600 rows with autocorrelation 0.8 (go test ./measure/probe -run Coverage -v -draws 300):
//
//	                              heads as given       refitted            differences refitted
//	episodes  features  R² of y   MSE  R²  AUROC       MSE  R²  AUROC      MSE  R²  AUROC
//	       5         8     0.23    82  83     92        93  97     94       97  96     96
//	      10         8     0.22    89  85     91        93  96     97       98  95     98
//	      20         8     0.27    89  82     94        94  92     97       98  96     97
//	      60         8     0.29    90  87     91        93  94     95       97  96     98
//	      20        64     0.08    84  75     87        92  96     97       99  98     98
//	      60        64     0.13    88  77     89        97  96     98       97  96     99
//
// AUROC is that of [score.AUROCByFold]; of all pairs together it is too low, 0.70 instead of 0.77 in the
// first row and 0.46 instead of 0.55 for a probe that finds next to nothing.
//
// Networks are not refitted: two trainings on nearly the same rows differ by more than what a block
// changes, and a jackknife of refits is twice to three times too wide. Their intervals are given the
// fitted networks, which is to be said beside them. They hold the score of new networks in 79 to 96 %,
// the difference of equal models in 82 to 97 %, the fewer and longer-lived the episodes the less; a p
// value from them is too small.
package probe
