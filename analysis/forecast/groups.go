// Which samples depend on each other, and the blocks that are deleted for intervals.

package forecast

import (
	"slices"
	"strings"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/stat"
)

// groupsOf are the groups of all samples: those given, else the k-th sample of every lead
// is of group k, so that leads of one initial time are together whichever runs faster.
func groupsOf(in Input, n int) []int {
	if in.Groups != nil {
		return in.Groups
	}
	out := make([]int, n)
	seen := map[float64]int{}
	for i := range out {
		lead := 0.0
		if in.Leads != nil {
			lead = in.Leads[i]
		}
		out[i] = seen[lead]
		seen[lead]++
	}
	return out
}

// fewGroups is the number of groups below which their pieces are blocks.
const fewGroups = 5

// blocksOf groups samples for intervals. Groups of one sample per lead are initial times:
// blocks are pieces of their series, as long as the memory of the statistics asks for.
// Groups with several samples of a lead are stretches of time, such as simulations, each
// a block. Of few groups the samples of each are the series.
func blocksOf(groups []int, leads []float64, spec stat.BlockSpec, influence [][]float64) (*stat.Blocks, error) {
	labels := slices.Clone(groups)
	slices.Sort(labels)
	labels = slices.Compact(labels)
	owner := make([]int, len(groups))
	for i, g := range groups {
		owner[i], _ = slices.BinarySearch(labels, g)
	}
	if len(labels) < fewGroups {
		return results.LongestBlocks(len(groups), groups, spec, influence)
	}
	if !inSeries(groups, leads, spec) {
		spec.Kind = stat.EpisodeBlocks
		return stat.NewBlocks(len(groups), groups, spec)
	}
	byGroup := make([][]float64, len(influence))
	for k, values := range influence {
		byGroup[k] = make([]float64, len(labels))
		for i, v := range values {
			byGroup[k][owner[i]] += v
		}
	}
	if spec.Kind == stat.AutoBlocks {
		spec = stat.BlockSpec{Kind: stat.MovingBlocks}
	}
	blocks, err := stat.NewBlocks(len(labels), nil, spec, stat.Differences(byGroup...)...)
	if err != nil || len(labels) == len(groups) && slices.IsSorted(groups) {
		return blocks, err
	}
	return blocks.Owning(owner)
}

// inSeries reports whether groups that follow each other are taken to depend on each other.
func inSeries(groups []int, leads []float64, spec stat.BlockSpec) bool {
	return spec.Kind != stat.EpisodeBlocks && (spec.Kind != stat.AutoBlocks || !stretches(groups, leads))
}

// stretches reports whether some group has several samples of a lead.
func stretches(groups []int, leads []float64) bool {
	type place struct {
		group int
		lead  float64
	}
	seen := map[place]bool{}
	for i, g := range groups {
		at := place{group: g}
		if leads != nil {
			at.lead = leads[i]
		}
		if seen[at] {
			return true
		}
		seen[at] = true
	}
	return false
}

// describeBlocks names the blocks that are deleted in turn.
func describeBlocks(b *stat.Blocks) string {
	if b.Kind() == stat.EpisodeBlocks && b.Length() == 0 && strings.HasSuffix(b.String(), "episodes") {
		return text.Count(b.Count(), "group")
	}
	if b.Length() == 1 {
		return text.Count(b.Count(), "initial time")
	}
	return results.Deleted(b)
}

// warnings of blocks, but for that they are pieces of one series in time, which is what
// forecasts have.
func warningsOf(b *stat.Blocks) []string {
	return slices.DeleteFunc(b.Warnings(), func(w string) bool { return strings.Contains(w, "pieces of one episode") })
}
