// What analyzes of latents share: the models' latents, their checks, and the
// diagnostics of a collapsed encoder.

package results

import (
	"fmt"
	"strconv"
	"strings"

	"repscope/measure/spectrum"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// Encoded is one model's latents.
type Encoded = points.Encoded

// Check returns an error unless there are models with n latents each and, if
// episode is not nil, n episode labels.
func Check(models []Encoded, n int, episode []int) error {
	if len(models) == 0 {
		return fmt.Errorf("no models to compare")
	}
	for _, m := range models {
		if m.Latents.N != n {
			return fmt.Errorf("%s: %d latents for %d states", m.Name, m.Latents.N, n)
		}
		if err := CheckMagnitude(m.Name, m.Latents); err != nil {
			return err
		}
	}
	if episode != nil && len(episode) != n {
		return fmt.Errorf("%d episode labels for %d states", len(episode), n)
	}
	return nil
}

// CheckMagnitude is an error for points that are too small or too large to compute with; see
// [points.CheckMagnitude].
func CheckMagnitude(name string, p points.Points) error {
	if p.F64 == nil {
		return nil // other types are not
	}
	if err := points.CheckMagnitude(p.Magnitude()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Names returns the models' names.
func Names(models []Encoded) []string {
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = m.Name
	}
	return names
}

// Spread returns √(2·tr C) and the entropy effective rank of latents: what tells
// a collapsed encoder. Constant latents leave both undefined.
func Spread(z points.Points) (rms, effectiveRank report.Value) {
	s, err := spectrum.New(z)
	if err != nil {
		undefined := Undefined(err).Value
		return undefined, undefined
	}
	return report.Number(s.RMSDistance()), report.Number(s.EffectiveRank)
}

// DuplicateShare is the share of duplicates above which a reader should know of
// them wherever neighbors are looked at.
const DuplicateShare = 0.05

// EffectiveSizeOf is the number of independent observations that the dependent values
// are worth, by their autocorrelation inside episodes, and whether they span enough
// autocorrelation times for it ([stat.AutocorrelationTime]).
func EffectiveSizeOf(values []float64, episode []int) (n report.Value, reliable bool) {
	t, err := stat.IntegratedAutocorrelationTime(values, episode)
	if err != nil {
		undefined := Undefined(err).Value
		return undefined, false
	}
	return report.Number(t.EffectiveSampleSize), t.Reliable
}

// LongestBlocks are the blocks of n observations that the statistics of an analysis
// share where pieces of episodes are blocks: for each statistic the influence of every
// observation on it, by model, asks for a length, as do the differences of models, and
// the longest is taken. Of equal ones it is one that says why it carries no test.
// Errors as for [stat.NewBlocks].
func LongestBlocks(n int, episode []int, spec stat.BlockSpec, statistics ...[][]float64) (*stat.Blocks, error) {
	best, err := stat.NewBlocks(n, episode, spec, stat.Differences(statistics[0]...)...)
	if err != nil {
		return nil, err
	}
	for _, series := range statistics[1:] {
		b, err := stat.NewBlocks(n, episode, spec, stat.Differences(series...)...)
		if err != nil {
			return nil, err
		}
		if b.Length() > best.Length() || b.Length() == best.Length() && best.Untestable() == "" {
			best = b
		}
	}
	return best, nil
}

// LeadingSeries is the leading series of each model: it passes twice over all latents,
// so compute it once for block lengths and effective sizes.
func LeadingSeries(models []Encoded) [][]float64 {
	out := make([][]float64, len(models))
	for i, m := range models {
		out[i] = leadingSeries(m.Latents)
	}
	return out
}

// leadingSeries is the coordinate of the latents that varies most, the first of
// equals: the series whose dependence decides block lengths and effective sample
// sizes.
func leadingSeries(z points.Points) []float64 {
	mean, square := make([]float64, z.Dim), make([]float64, z.Dim)
	row := make([]float64, z.Dim)
	for i := range z.N {
		for k, v := range z.Row(i, row) {
			mean[k] += v / float64(z.N)
		}
	}
	for i := range z.N {
		for k, v := range z.Row(i, row) {
			d := v - mean[k]
			square[k] += float64(d * d)
		}
	}
	widest := 0
	for k, v := range square {
		if v > square[widest] {
			widest = k
		}
	}
	out := make([]float64, z.N)
	for i := range out {
		out[i] = z.Row(i, row)[widest]
	}
	return out
}

// FarLatents warns of few latents that hold most of the variance of their model, as latents of the
// blank frame that every episode of a game begins with may: numbers, which are named after
// "rest on these", are then about them. time are the frames of the states, nil their places. Empty
// where no few do.
func FarLatents(name string, z points.Points, time []int, numbers string) string {
	mean, row, squares := make([]float64, z.Dim), make([]float64, z.Dim), make([]float64, z.N)
	scale := z.Magnitude()
	for i := range z.N {
		for k, v := range z.Row(i, row) {
			mean[k] += v / scale / float64(z.N)
		}
	}
	for i := range z.N {
		for k, v := range z.Row(i, row) {
			d := v/scale - mean[k]
			squares[i] += float64(d * d)
		}
	}
	l := stat.LeverageOfSquares(squares)
	if !l.Decides() {
		return ""
	}
	return fmt.Sprintf(
		"%s: %d of %d latents have %.0f %% of the variance (frames %s): %s depend on these few latents; check them",
		name, len(l.Far), z.N, 100*l.Share, Named(l.Far, func(i int) string { return strconv.Itoa(TimeOf(time, i)) }),
		numbers)
}

// mostNamed is how many observations a warning names.
const mostNamed = 6

// Named lists the first observations by their names, and how many more there are.
func Named(index []int, name func(i int) string) string {
	var out []string
	for _, i := range index[:min(len(index), mostNamed)] {
		out = append(out, name(i))
	}
	if more := len(index) - mostNamed; more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}

// TimeOf is the frame of a state; its place where frames are not known.
func TimeOf(time []int, i int) int {
	if time == nil {
		return i
	}
	return time[i]
}
