// Which samples depend on each other, and the blocks that are deleted for intervals.

package forecast

import (
	"fmt"
	"maps"
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

// equalLeads leaves out the samples of initial times without a lead that others have, so that all
// leads, and scores over all of them, are of the same initial times. Where that leaves none, or
// nobody said which initial time a sample is of, scores over all leads are undefined (s.unequal)
// and groups of single leads remain.
func (s *summary) equalLeads(result *Result) {
	all := s.distinctLeads()
	has := map[int]map[float64]bool{} // leads of a group
	for i, g := range s.groups {
		if has[g] == nil {
			has[g] = map[float64]bool{}
		}
		has[g][s.leads[i]] = true
	}
	whole := func(g int) bool { return len(has[g]) == len(all) }
	lacking := slices.DeleteFunc(slices.Sorted(maps.Keys(has)), whole)
	if len(lacking) == 0 {
		return
	}
	var counts []string
	for _, lead := range all {
		if _, n := s.share(lead); len(counts) < 6 {
			counts = append(counts, fmt.Sprintf("%d at lead %s", n, number(lead)))
		}
	}
	if len(all) > len(counts) {
		counts = append(counts, "…")
	}
	listed := strings.Join(counts, ", ")
	switch {
	case s.in.Groups == nil && !s.evenLeads():
		s.unequal = "leads have unequal numbers of samples (" + listed + "), and their initial times are unknown"
		result.Warnings = append(result.Warnings,
			s.unequal+": scores are reported by_lead only, not over all leads; give the initial times with --groups")
		return
	case len(lacking) == len(has) && s.evenLeads():
		result.Warnings = append(result.Warnings,
			"no initial time has all leads: the entries of by_lead come from different initial times and are not "+
				"comparable")
		return
	case len(lacking) == len(has):
		s.unequal = "no initial time has all leads (samples: " + listed + ")"
		result.Warnings = append(result.Warnings,
			s.unequal+": scores over all leads would mix initial times, so scores are reported by_lead only")
		return
	}
	g := lacking[0]
	first := s.kept[slices.Index(s.groups, g)]
	missing := slices.DeleteFunc(slices.Clone(all), func(lead float64) bool { return has[g][lead] })
	out := s.keep(func(i int) bool { return whole(s.groups[i]) })
	result.Warnings = append(result.Warnings, fmt.Sprintf(
		"leads: %d of %d initial times lack a lead (the one of sample %d lacks %s); their %s are left out "+
			"for all models, so that all leads cover the same initial times",
		len(lacking), len(has), first, listLeads(missing), text.Count(out, "sample")))
}

// listLeads are leads as a text, the first of them.
func listLeads(leads []float64) string {
	var names []string
	for i, lead := range leads {
		if i == 3 {
			names = append(names, "…")
			break
		}
		names = append(names, number(lead))
	}
	return strings.Join(names, ", ")
}

// evenLeads reports whether all samples of the input are as many at every lead.
func (s *summary) evenLeads() bool {
	counts := map[float64]int{}
	for _, lead := range s.in.Leads {
		counts[lead]++
	}
	n := counts[s.in.Leads[0]]
	for _, other := range counts {
		if other != n {
			return false
		}
	}
	return true
}

// keep keeps some of the samples that are left and returns how many are not.
func (s *summary) keep(which func(i int) bool) (out int) {
	var kept, groups []int
	var leads []float64
	for i := range s.kept {
		if which(i) {
			kept, groups, leads = append(kept, s.kept[i]), append(groups, s.groups[i]), append(leads, s.leads[i])
		}
	}
	out = len(s.kept) - len(kept)
	s.kept, s.groups, s.leads = kept, groups, leads
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
		cell := place{group: g}
		if leads != nil {
			cell.lead = leads[i]
		}
		if seen[cell] {
			return true
		}
		seen[cell] = true
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
