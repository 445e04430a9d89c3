// The effective sample size of latents.

package results

import (
	"context"

	"repscope/measure/motion"
	"repscope/points"
	"repscope/report"
)

// EffectiveSizeOfMean is the number of independent states that the mean latent of these
// states is worth, by the autocorrelation of the whole vectors inside episodes, and
// whether it may be relied on; see [motion.EffectiveSize]. time orders the states of an
// episode, in frames: states of a sample keep theirs. nil means that they follow each other.
func EffectiveSizeOfMean(ctx context.Context, latents points.Points, episode, time []int,
	threads int) (size report.Value, reliable bool, err error) {
	t, err := motion.EffectiveSize(ctx, latents, episode, time, threads)
	if err != nil {
		if ctx.Err() != nil {
			return report.Value{}, false, err
		}
		size = Undefined(err).Value
		return size, false, nil
	}
	return report.Number(t.EffectiveSampleSize), t.Reliable, nil
}
