// The effective sample size of a mean from autocovariances that a caller computes, of
// vectors for example.

package stat

// CovarianceWindow adds up the autocovariances of n observations lag by lag, as
// [IntegratedAutocorrelationTime] does, until its window closes.
type CovarianceWindow struct {
	w     window
	lag   int
	ended bool
}

// NewCovarianceWindow begins with the variance of n observations about their mean.
func NewCovarianceWindow(n int, variance float64) *CovarianceWindow {
	c := &CovarianceWindow{w: window{n: float64(n), variance: variance}}
	c.w.add(0, float64(n), variance)
	return c
}

// Add enters the next lags: for each, the number of pairs at this distance and the mean of their
// products. It reports whether the window is still open; it closes at the first lag of at least 5·τ.
func (c *CovarianceWindow) Add(lags int, pairs, covariance float64) bool {
	if c.ended {
		return false
	}
	c.lag += lags
	c.w.add(c.lag, pairs, covariance)
	c.w.lags += float64(lags - 1)
	c.w.covariances += float64(float64(lags-1) * covariance)
	c.ended = float64(c.lag) >= 5*c.w.tau()
	return !c.ended
}

// Result returns τ, the window, whether it closed, and the effective sample size. span is the largest
// lag of the observations, episodes is their number of episodes, and complete says that no window was
// cut before the end of an episode: see [AutocorrelationTime] for reliability.
func (c *CovarianceWindow) Result(span, episodes int, complete bool) AutocorrelationTime {
	t := AutocorrelationTime{Tau: c.w.tau(), Window: c.lag, Converged: c.ended}
	t.EffectiveSampleSize = min(max(c.w.size(), 1), c.w.n)
	t.Reliable = t.Converged && float64(span) >= reliableTimes*t.Tau || !t.Converged && complete && episodes >= reliableEpisodes
	return t
}
