// The blocks that intervals delete in turn: all cases of a sample.

package canvas

import (
	"fmt"
	"strings"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/points"
	"repscope/stat"
)

// fewestSamples is how many samples intervals need.
const fewestSamples = 3

// numberSamples numbers the blocks of samples: a sample each, or length consecutive samples.
func numberSamples(cases []Case, length int) map[string]int {
	out := map[string]int{}
	for i := range cases {
		if _, ok := out[cases[i].Sample]; !ok {
			out[cases[i].Sample] = len(out) / max(length, 1)
		}
	}
	return out
}

// bySample groups cases by the blocks of their samples. Fewer than 3 are an error. Intervals are wider where
// neighboring samples are alike.
func (p *plan) bySample(samples []string) (*stat.Blocks, error) {
	numbers := make([]int, len(samples))
	for i, sample := range samples {
		numbers[i] = p.block[sample]
	}
	labels, n := points.Numbered(numbers)
	if n < fewestSamples {
		return nil, stat.Undefined("interval", "only %s, want at least %d", p.count(n), fewestSamples)
	}
	blocks, err := stat.NewBlocks(len(labels), labels, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		return nil, err
	}
	return blocks.InOrder(), nil
}

// count names n of the units that intervals delete in turn.
func (p *plan) count(n int) string {
	if p.o.Block.Length > 1 {
		return fmt.Sprintf("%s of %d samples", text.Count(n, "block"), p.o.Block.Length)
	}
	return text.Count(n, "sample")
}

// ofSamples says of samples what package stat says of episodes.
func ofSamples(j *stat.Jackknifed) *stat.Jackknifed {
	j.Untestable = strings.ReplaceAll(j.Untestable, "episodes of such unequal lengths", "samples of such unequal numbers of cases")
	j.Untestable = strings.ReplaceAll(j.Untestable, "episode", "sample")
	j.Warnings = append([]string(nil), j.Warnings...)
	for i, w := range j.Warnings {
		j.Warnings[i] = strings.ReplaceAll(w, "episode", "sample")
	}
	return j
}

// jackknifeMean is the mean of values of cases with its error over samples; err is why there is
// none.
func (p *plan) jackknifeMean(samples []string, values []float64) (*stat.Jackknifed, error) {
	blocks, err := p.bySample(samples)
	if err != nil {
		return nil, err
	}
	j, err := stat.JackknifeMean(blocks, values)
	if err != nil {
		return nil, err
	}
	return ofSamples(j), nil
}

// within is the jackknife with the interval of a key.
func (k *Key) within(j *stat.Jackknifed) *stat.Jackknifed {
	return results.Ranged(j, k.Low, k.High, k.Log)
}

// difference is the key of a difference of two numbers of this one.
func (k *Key) difference(name string) Key {
	width := k.High - k.Low
	return Key{Name: name, Unit: k.Unit, Direction: k.Direction, Low: -width, High: width}
}
