// From nearest states to duplicates, states that are too near, and shares with their intervals.

package audit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/measure/twosample"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// merge computes the result.
func (a *auditor) merge(ctx context.Context, outcomes []*Outcome) (*Result, error) {
	same, err := a.lookup.equal(ctx)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	if r.Parts, err = a.parts(ctx, same); err != nil {
		return nil, err
	}
	if r.Recordings, err = a.recordings(ctx, same); err != nil {
		return nil, err
	}
	for d := range a.divisions {
		test, err := a.test(ctx, d, outcomes, same, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.divisions[d].name, err)
		}
		r.Tests = append(r.Tests, *test)
	}
	if a.o.Repair != "" {
		r.Repaired, err = a.repair(ctx, r.Tests)
	}
	return r, err
}

// parts describes the parts of the split.
func (a *auditor) parts(ctx context.Context, same []int32) ([]Part, error) {
	var out []Part
	for _, name := range a.names {
		p := Part{Name: name}
		episodes, seen := map[int]bool{}, map[int32]bool{}
		var rows []int
		for i, part := range a.in.Split {
			if part != name {
				continue
			}
			rows = append(rows, i)
			episodes[a.episode[i]] = true
			if seen[same[i]] {
				p.Duplicates++
			}
			seen[same[i]] = true
		}
		p.States, p.Episodes = len(rows), len(episodes)
		var err error
		if p.EffectiveSize, err = a.effective(ctx, rows); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// mostValues bounds the values that effective sizes and drift look at.
const mostValues = 1 << 24

// features are what effective sizes and drift are about: the first latents, or the states.
func (a *auditor) features() points.Points {
	if len(a.in.Latents) > 0 {
		return a.in.Latents[0].Latents
	}
	return a.in.States
}

// effective is the number of independent states that rows are worth: of the first of them, where there are very many.
func (a *auditor) effective(ctx context.Context, rows []int) (report.Value, error) {
	if a.in.Episode == nil || a.in.Sequences != nil {
		return report.Number(float64(len(rows))), nil
	}
	f := a.features()
	count := min(len(rows), max(mostValues/max(f.Dim, 1), 100))
	rows = rows[:count:count]
	episode := points.Pick(a.episode, rows)
	size, _, err := results.EffectiveSizeOfMean(ctx, f.Select(rows), episode, rows, a.o.Threads)
	if err != nil || !size.Defined() {
		return size, err
	}
	return size, nil
}

// test is the audit of one part.
func (a *auditor) test(ctx context.Context, d int, outcomes []*Outcome, same []int32, r *Result) (*Test, error) {
	part := a.divisions[d]
	t := &Test{Name: part.name, States: len(part.test), Training: len(part.train)}
	var leakingTrain []int
	t.Near.References = a.references[d]
	var back []float64
	for k, s := range a.searches {
		if s.division != d {
			continue
		}
		index, distance := joined(outcomes, k, s.queries)
		switch s.kind {
		case withinTrain:
			t.Reference = distance
			t.Near.ExpectedFalseAlarm = a.expected(d, distance)
			slices.Sort(t.Reference)
		case trainToTest:
			back = distance
		default:
			for q, i := range part.test {
				row := Tested{State: i, Nearest: -1, Distance: distance[q]}
				if index[q] >= 0 {
					row.Nearest = a.orders[d][index[q]]
				}
				t.Rows = append(t.Rows, row)
			}
		}
	}
	t.Near.Threshold = a.threshold(d, t.Reference)
	if t.Reference == nil {
		t.Near.ExpectedFalseAlarm = report.Undefined("there are no distances inside the training set")
	}
	duplicate := a.o.Tolerance * a.o.Range * math.Sqrt(float64(a.in.States.Dim))
	groups := map[int32]bool{}
	for q := range t.Rows {
		row := &t.Rows[q]
		row.Duplicate = row.Distance <= duplicate
		row.Near = a.near(row.Distance, t.Near.Threshold)
		row.P = math.NaN()
		if n := len(t.Reference); n > 0 {
			asNear, _ := slices.BinarySearchFunc(t.Reference, row.Distance, func(v, d float64) int {
				if v <= d {
					return -1
				}
				return 1
			})
			row.P = float64(1+asNear) / float64(1+n)
		}
		if row.Duplicate {
			t.Duplicates.Rows++
			groups[same[row.State]] = true
		}
		if row.Near {
			t.Near.Rows++
		}
		if row.Leaks() {
			t.LeakingRows++
		}
	}
	t.Duplicates.Groups = len(groups)
	for q, v := range back {
		if v <= duplicate || a.near(v, t.Near.Threshold) {
			leakingTrain = append(leakingTrain, a.orders[d][q])
		}
	}
	blocks, reason := a.blocks(t, r)
	if err := a.shares(t, blocks, reason); err != nil {
		return nil, err
	}
	t.EpisodesOnBothSides = bothSides(a.episode, part)
	if a.in.Group != nil {
		t.GroupsOnBothSides = new(bothSides(a.in.Group, part))
	}
	t.Labels = a.labels(part, same)
	var err error
	if t.Clusters, err = a.clusters(ctx, part); err != nil {
		return nil, err
	}
	if t.Drift, err = a.drift(ctx, part); err != nil {
		return nil, err
	}
	if rho := a.follow(part); rho > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("neighboring states are alike (correlation %.2f), and without "+
			"--episodes each counts as a recording by itself: give --episodes", rho))
		if t.Drift != nil {
			t.Drift.P = report.Undefined("%s; give --episodes", text.Alike("neighboring states", rho, "state"))
		}
	}
	return t, a.scores(ctx, t, part, leakingTrain, grouping{blocks, reason})
}

// near says whether a distance is too small. Sequences that reach the identity are, by definition.
func (a *auditor) near(distance float64, threshold report.Value) bool {
	if a.in.Sequences != nil {
		return !math.IsNaN(distance)
	}
	return threshold.Defined() && distance < threshold.V
}

// threshold is the distance below which a state is too near: at most the share FalseAlarm of the references, counted
// among themselves and one more state, lies below it.
func (a *auditor) threshold(d int, reference []float64) report.Value {
	n := len(reference)
	if a.in.Sequences != nil {
		return report.Number(1 - a.o.LeastIdentity)
	}
	if n == 0 {
		return report.Undefined("%s; give --episodes, or more of them", a.lacking[d])
	}
	k := int(math.Floor(a.o.FalseAlarm*float64(n+1))) - 1
	switch {
	case k < 0:
		return report.Undefined("%d training states are too few for a share of %g: want at least %d", n, a.o.FalseAlarm,
			int(math.Ceil(1/a.o.FalseAlarm))-1)
	case reference[k] == 0:
		return report.Undefined("the share %g of training states have an equal state in another episode", a.o.FalseAlarm)
	}
	return report.Number(reference[k])
}

// expected is the share of independent states below the threshold. Test states are near to one episode more than
// references, and the quantile of few independent references varies: with V the relative variance of the share below
// it between episodes, the mean share is about FalseAlarm·E/(E−1)·exp(V/2) for E episodes.
func (a *auditor) expected(d int, distance []float64) report.Value {
	sorted := slices.Sorted(slices.Values(distance))
	limit := a.threshold(d, sorted)
	if !limit.Defined() {
		return limit
	}
	var shares []float64
	counts := map[int][2]int{}
	var order []int
	for q, v := range distance {
		e := a.episode[a.orders[d][q]]
		c, seen := counts[e]
		if !seen {
			order = append(order, e)
		}
		c[0]++
		if v <= limit.V {
			c[1]++
		}
		counts[e] = c
	}
	for _, e := range order {
		shares = append(shares, float64(counts[e][1])/float64(counts[e][0]))
	}
	count := float64(len(shares))
	mean, square := stat.Mean(shares), 0.0
	for _, s := range shares {
		square += (s - mean) * (s - mean)
	}
	all := map[int]bool{}
	for _, i := range a.orders[d] {
		all[a.episode[i]] = true
	}
	episodes := float64(len(all))
	variance := square / (count * max(count-1, 1)) / (mean * mean)
	return report.Number(min(1, a.o.FalseAlarm*episodes/(episodes-1)*math.Exp(variance/2)))
}

// blocks groups tested states by their episodes; reason says why there are none.
func (a *auditor) blocks(t *Test, r *Result) (blocks *stat.Blocks, reason string) {
	if !a.o.Intervals {
		return nil, "intervals are off (--bootstrap 0)"
	}
	episode, leaking := make([]int, len(t.Rows)), make([]float64, len(t.Rows))
	for q, row := range t.Rows {
		episode[q] = a.episode[row.State]
		if row.Leaks() {
			leaking[q] = 1
		}
	}
	blocks, err := stat.NewBlocks(len(t.Rows), episode, a.o.Block, leaking)
	if err != nil {
		return nil, stat.Reason(err)
	}
	if a.in.Episode == nil {
		blocks = blocks.InOrder()
	}
	for _, w := range blocks.Warnings() {
		if !slices.Contains(r.Warnings, w) {
			r.Warnings = append(r.Warnings, w)
		}
	}
	if r.Blocks == "" {
		r.Blocks = blocks.String()
		if a.in.Episode == nil {
			r.Blocks = strings.Replace(r.Blocks, "episode", "state", 1)
		}
	}
	return blocks, ""
}

// shares fills in the shares of tested states.
func (a *auditor) shares(t *Test, blocks *stat.Blocks, reason string) error {
	n := len(t.Rows)
	share := func(rows int, hit func(r *Tested) bool) (report.Estimate, error) {
		value := report.Number(float64(rows) / float64(n))
		if blocks == nil {
			return report.WithInterval(value, report.NoInterval("%s", reason)), nil
		}
		hits := make([]float64, n)
		for q := range t.Rows {
			if hit(&t.Rows[q]) {
				hits[q] = 1
			}
		}
		j, err := stat.JackknifeMean(blocks, hits)
		if err != nil {
			return report.WithInterval(value, report.NoInterval("%s", stat.Reason(err))), nil
		}
		return report.WithInterval(value, results.Interval(j.AsShare(n).Interval)), nil
	}
	var err error
	if t.Leaking, err = share(t.LeakingRows, (*Tested).Leaks); err != nil {
		return err
	}
	if t.Duplicates.Share, err = share(t.Duplicates.Rows, func(r *Tested) bool { return r.Duplicate }); err != nil {
		return err
	}
	if limit := t.Near.Threshold; !limit.Defined() {
		t.Near.Share = report.NoEstimate("%s", limit.Reason)
	} else if t.Near.Share, err = share(t.Near.Rows, func(r *Tested) bool { return r.Near }); err != nil {
		return err
	}
	return a.nearerThanNext(t, blocks, reason)
}

// nearerThanNext compares the nearest training state of each state with its own next state.
func (a *auditor) nearerThanNext(t *Test, blocks *stat.Blocks, reason string) error {
	if a.in.Episode == nil || a.in.Sequences != nil {
		t.Near.NearerThanNext = report.NoEstimate("the states are no recordings (no --episodes)")
		return nil
	}
	follows := make([]float64, len(t.Rows))
	nearer := make([]float64, len(t.Rows))
	count, hits := 0.0, 0.0
	for q, row := range t.Rows {
		next := row.State + 1
		if next >= len(a.episode) || a.episode[next] != a.episode[row.State] {
			continue
		}
		follows[q] = 1
		count++
		if row.Nearest != next && row.Distance < a.steps[row.State] {
			nearer[q] = 1
			hits++
		}
	}
	if count == 0 {
		t.Near.NearerThanNext = report.NoEstimate("no state has a next one")
		return nil
	}
	t.Near.NearerThanNext = ratio(blocks, reason, hits/count, nearer, follows)
	return nil
}

// ratio is Σa/Σb with its interval as a share.
func ratio(blocks *stat.Blocks, reason string, value float64, a, b []float64) report.Estimate {
	if blocks == nil {
		return report.WithInterval(report.Number(value), report.NoInterval("%s", reason))
	}
	j, err := stat.JackknifeSums(blocks, [][]float64{a, b}, 1, func(_ float64, sums,
		dst []float64) {
		dst[0] = sums[0] / sums[1]
	})
	if err != nil {
		return report.WithInterval(report.Number(value), report.NoInterval("%s", stat.Reason(err)))
	}
	n := 0
	for _, v := range b {
		n += int(v)
	}
	return report.WithInterval(report.Number(value), results.Interval(j[0].AsShare(n).Interval))
}

// bothSides counts units with states among tested and training ones.
func bothSides(unit []int, part division) int {
	tested, both := map[int]bool{}, map[int]bool{}
	for _, i := range part.test {
		tested[unit[i]] = true
	}
	for _, i := range part.train {
		if tested[unit[i]] {
			both[unit[i]] = true
		}
	}
	return len(both)
}

// labels looks at targets that are classes; nil without.
func (a *auditor) labels(part division, same []int32) *Labels {
	var out *Labels
	conflicting := map[int]bool{}
	unseen := map[int]bool{}
	shift, targets := 0.0, 0.0
	for _, target := range a.in.Targets {
		if target.Class == nil {
			continue
		}
		out = &Labels{}
		targets++
		class, differ := map[int32]int{}, map[int32]bool{}
		for i, s := range same {
			if c, ok := class[s]; ok && c != target.Class[i] {
				differ[s] = true
			}
			class[s] = target.Class[i]
		}
		for i, s := range same {
			if differ[s] {
				conflicting[i] = true
			}
		}
		shares := [2]map[int]float64{{}, {}}
		for side, rows := range [][]int{part.test, part.train} {
			for _, i := range rows {
				shares[side][target.Class[i]] += 1 / float64(len(rows))
			}
		}
		for _, i := range part.test {
			if shares[1][target.Class[i]] == 0 {
				unseen[i] = true
			}
		}
		var classes []int
		for _, side := range shares {
			for c := range side {
				classes = append(classes, c)
			}
		}
		slices.Sort(classes)
		for _, c := range slices.Compact(classes) {
			shift += math.Abs(shares[0][c]-shares[1][c]) / 2
		}
	}
	if out != nil {
		out.Conflicting, out.Unseen, out.Shift = len(conflicting), len(unseen), report.Number(shift/targets)
	}
	return out
}

// Drift is how far the test states are from the training states as a whole: the energy distance of both, which is 0
// for equal distributions, and the share of random exchanges of episodes between both with at least this distance.
type Drift struct {
	Energy report.Value `json:"energy"`
	P      report.Value `json:"p"`
}

// mostDrift is the most states of each side that drift is measured on, evenly chosen.
const mostDrift = 1000

func (a *auditor) drift(ctx context.Context, part division) (*Drift, error) {
	if a.o.Permutations == 0 || a.in.Sequences != nil && len(a.in.Latents) == 0 {
		return nil, nil
	}
	f := a.features()
	var sides [2]points.Points
	var groups [2][]int
	limit := min(mostDrift, max(mostValues/max(f.Dim, 1), 20))
	for side, rows := range [][]int{part.test, part.train} {
		chosen := evenly(rows, limit)
		sides[side], groups[side] = f.Select(chosen), points.Pick(a.episode, chosen)
	}
	o := twosample.Options{GroupsX: groups[0], GroupsY: groups[1], Permutations: a.o.Permutations, Seed: a.o.Seed,
		Threads: a.o.Threads}
	distance, err := twosample.Energy(ctx, sides[0], sides[1], o)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		none := report.Undefined("%s", stat.Reason(err))
		return &Drift{none, none}, nil
	}
	out := &Drift{Energy: report.Number(distance.Value), P: report.NumberOr(distance.P, distance.Reason)}
	if fewest := min(distance.Units[0], distance.Units[1]); fewest < 2 {
		out.P = report.Undefined("one side has %s, too few for a permutation test", text.Count(fewest, "episode"))
	}
	if bothSides(a.episode, part) > 0 {
		out.P = report.Undefined("episodes have states on both sides, which are not independent")
	}
	return out, nil
}

// follow is the correlation of neighboring states of the side on which they are more alike, where there are no episodes
// and it exceeds what independent states have; else 0.
func (a *auditor) follow(part division) float64 {
	if a.in.Episode != nil || a.in.Sequences != nil {
		return 0
	}
	f := a.features()
	largest := 0.0
	for _, rows := range [][]int{part.test, part.train} {
		rows = rows[:min(len(rows), max(mostValues/max(f.Dim, 1), stat.FewestNeighbors))]
		largest = max(largest, results.AlikeRows(f.Select(rows), nil))
	}
	return largest
}

// evenly chooses at most count elements at equal distances.
func evenly(list []int, count int) []int {
	if len(list) <= count {
		return list
	}
	out := make([]int, count)
	for k := range out {
		out[k] = list[k*len(list)/count]
	}
	return out
}
