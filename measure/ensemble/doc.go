// Package ensemble scores forecasts that are ensembles: continuous ranked probability
// score, energy score, variogram score, scores of quantiles and intervals, moments of the
// ensemble, and ranks of the truth among its members.
//
//	sample, err := ensemble.NewSample(truth, members) // members [S][cells], one after the other
//	…
//	crps := ensemble.CRPS(sample)
//	fmt.Println(crps.Score(ensemble.Fair), crps.Skill(), crps.Spread(ensemble.Fair))
//	moments := ensemble.MomentsOf(sample.Range(0, 64*64)) // of the first variable
//	fmt.Println(moments.MSE(), moments.SpreadSkillRatio())
//
// A score of one sample is a set of sums over its cells, which are added for a score of
// several samples: [Terms], [Moments], [Mean] and counts of ranks have no other state. A
// lower score is better, all but the documented variogram score are proper: in expectation
// no forecast scores better than the distribution the truth comes from. [Fair] estimates
// are so for the distribution that the members are drawn from, whatever their number; the
// others are for the distribution that has these members.
//
// Numbers are float32 or float64; everything that is summed over cells is summed in
// float64, in one order, so that the bits do not depend on the number of threads. A NaN or
// Inf in a cell that has a weight makes the scores NaN that it enters, or infinite.
//
// Papers: Gneiting & Raftery, JASA 102 (2007); Ferro, QJRMS 140 (2014), of fair scores;
// Scheuerer & Hamill, Monthly Weather Review 143 (2015), of the variogram score; Bracher,
// Ray, Gneiting & Reich, PLOS Computational Biology 17 (2021), of weighted intervals.
package ensemble
