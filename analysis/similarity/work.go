// The work of an analysis in units: one pair of models after the other.

package similarity

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/kernel"
	"repscope/internal/option"
	"repscope/internal/text"
	"repscope/measure/similarity"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// Definition is the version of what the numbers mean; see [shard.Identity].
const Definition = 1

// MaxBlocks is the largest number of blocks that are deleted in turn: measures are computed again for each.
const MaxBlocks = 50

// Measured is one pair of models: its scores in order, and what the pair is compared by, nil where it is undefined.
type Measured struct {
	Scores     []Score
	Jackknives []*stat.Jackknifed
}

// analyzer holds what the pairs share.
type analyzer struct {
	in       Input
	o        Options
	couples  [][2]int
	names    []string // of the scores
	blocks   *stat.Blocks
	null     *stat.EpisodeNull
	orders   [][]int
	near     []bool
	models   []Model
	warnings []string
}

// Work returns the analysis in units; see [Analyze] for the result and the errors.
func Work(in Input, o Options) (shard.Work[*Part, *Result], error) {
	var none shard.Work[*Part, *Result]
	o = o.withDefaults()
	if err := in.check(o); err != nil {
		return none, err
	}
	a := &analyzer{in: in, o: o}
	for i := range in.Models {
		for j := i + 1; j < len(in.Models); j++ {
			a.couples = append(a.couples, [2]int{i, j})
		}
	}
	if err := a.prepare(); err != nil {
		return none, err
	}
	return shard.Work[*Part, *Result]{Units: len(a.couples), Identity: a.identity, Map: a.measure, Merge: a.merge}, nil
}

// Part is the outcome of a range of pairs.
type Part struct{ Pairs []Measured }

// prepare makes the blocks and the orders.
func (a *analyzer) prepare() error {
	n := a.in.Models[0].Latents.N
	a.names = similarity.ScoreNames(a.options())
	for _, m := range a.in.Models {
		one := Model{Name: m.Name, States: n, NominalDimension: m.Latents.Dim, ConstantUnits: constantUnits(m.Latents)}
		_, one.EffectiveRank = results.Spread(m.Latents)
		a.models = append(a.models, one)
	}
	if a.o.Intervals {
		blocks, err := stat.NewBlocks(n, a.in.Episode, a.o.Block, results.LeadingSeries(a.in.Models)...)
		if err != nil {
			return err
		}
		a.warnings = append(a.warnings, blocks.Warnings()...)
		a.blocks = blocks.Coarsen(MaxBlocks)
	}
	if a.o.Permutations <= 0 {
		return nil
	}
	episode := a.in.Episode
	if a.o.Null == NullIndependent {
		episode = make([]int, n)
		for i := range episode {
			episode[i] = i
		}
	}
	var err error
	if a.null, err = stat.NewEpisodeNull(n, episode, a.o.Seed); err != nil {
		return err
	}
	for p := range a.o.Permutations {
		order, close := a.null.Permutation(p)
		a.orders, a.near = append(a.orders, order), append(a.near, close)
	}
	return nil
}

// constantUnits counts the coordinates with one value.
func constantUnits(z points.Points) int {
	constant := slices.Repeat([]bool{true}, z.Dim)
	first := slices.Clone(z.Row(0, make([]float64, z.Dim)))
	row := make([]float64, z.Dim)
	for i := range z.N {
		for k, v := range z.Row(i, row) {
			constant[k] = constant[k] && v == first[k]
		}
	}
	count := 0
	for _, c := range constant {
		if c {
			count++
		}
	}
	return count
}

// options are those of the measures.
func (a *analyzer) options() similarity.Options {
	return similarity.Options{
		Measures: a.o.Measures, K: a.o.K, Metric: a.o.Metric, Bandwidth: a.o.Bandwidth, Pairs: a.o.Pairs,
		Episode: a.in.Episode, Orders: a.orders, Blocks: a.blocks, Deleted: withIntervals,
		Seed: a.o.Seed, Memory: a.o.Memory, Threads: a.o.Threads,
	}
}

// identity is that of everything the numbers follow from.
func (a *analyzer) identity() shard.Identity {
	id := a.common()
	id.Inputs = append(id.Inputs, results.Digests(a.in.Models)...)
	return id
}

// common is the identity without the models.
func (a *analyzer) common() shard.Identity {
	o := a.o
	return shard.Identity{
		Analysis: "similarity", Definition: Definition, Kernel: fmt.Sprintf("kc=%d", kernel.KC),
		Inputs:  []shard.Field{{Name: "episodes", Value: shard.Digest(points.Points{}, a.in.Episode)}},
		Options: append(option.Of(&o).Identity("reference"), o.Identity()...),
	}
}

// identityOf is that of what the scores of a pair follow from. Blocks follow from all models.
func (a *analyzer) identityOf(c int) shard.Identity {
	blocks := ""
	if a.blocks != nil {
		blocks = shard.Digest(points.Points{}, a.blocks.Labels())
	}
	first, second := a.in.Models[a.couples[c][0]].Latents, a.in.Models[a.couples[c][1]].Latents
	return a.common().OfModel(shard.Digest(first), shard.Option("beside", shard.Digest(second)), shard.Option("blocks", blocks))
}

// measure computes a range of pairs.
func (a *analyzer) measure(ctx context.Context, r shard.Range) (*Part, error) {
	prepared := make([]*similarity.Prepared, len(a.in.Models))
	space := func(m int) (*similarity.Prepared, error) {
		var err error
		if prepared[m] == nil {
			if prepared[m], err = similarity.Prepare(a.in.Models[m].Latents); err != nil {
				return nil, fmt.Errorf("%s: %w", a.in.Models[m].Name, err)
			}
		}
		return prepared[m], nil
	}
	part := &Part{}
	for c := r.Lo; c < r.Hi; c++ {
		couple := a.couples[c]
		measured, err := shard.Remember(ctx, func() shard.Identity { return a.identityOf(c) }, func() (Measured, error) {
			first, err := space(couple[0])
			if err != nil {
				return Measured{}, err
			}
			second, err := space(couple[1])
			if err != nil {
				return Measured{}, err
			}
			return a.compare(ctx, couple, first, second)
		})
		if err != nil {
			return nil, fmt.Errorf("%s and %s: %w", a.in.Models[couple[0]].Name, a.in.Models[couple[1]].Name, err)
		}
		part.Pairs = append(part.Pairs, measured)
		if a.o.Progress != nil {
			a.o.Progress(c-r.Lo+1, r.Hi-r.Lo)
		}
	}
	return part, nil
}

// compare computes the scores of one pair.
func (a *analyzer) compare(ctx context.Context, couple [2]int, first, second *similarity.Prepared) (Measured, error) {
	var out Measured
	collapsed := ""
	for _, m := range couple {
		if e := a.models[m].EffectiveRank; collapsed == "" && !e.Defined() {
			collapsed = a.in.Models[m].Name + ": " + e.Reason
		}
	}
	if collapsed != "" {
		for range a.names {
			out.Scores = append(out.Scores, Score{Value: report.NoEstimate("%s", collapsed)})
			out.Jackknives = append(out.Jackknives, nil)
		}
		return out, nil
	}
	series, err := similarity.Score(ctx, first, second, a.options())
	if err != nil {
		return out, err
	}
	for _, s := range series {
		score, jackknife, err := a.score(s, first.Len())
		if err != nil {
			return out, err
		}
		out.Scores, out.Jackknives = append(out.Scores, score), append(out.Jackknives, jackknife)
	}
	return out, nil
}

// score is a series as the result has it.
func (a *analyzer) score(s similarity.Series, n int) (Score, *stat.Jackknifed, error) {
	if math.IsNaN(s.Value) {
		return Score{Value: report.NoEstimate("%s", s.Reason)}, nil, nil
	}
	out := Score{Value: report.WithInterval(report.Number(s.Value), report.NoInterval("intervals are off (--bootstrap 0)"))}
	var jackknife *stat.Jackknifed
	df := 0.0
	switch {
	case a.blocks == nil:
	case s.Without == nil:
		out.Value.CI = report.NoInterval("deleting blocks does not give the error of %s", s.Measure.Name)
	default:
		var err error
		if jackknife, err = a.blocks.Jackknife(s.Value, s.Without, nil); err != nil {
			return out, nil, err
		}
		out.Value.CI = results.Interval(jackknife.Within(s.Measure.Low, s.Measure.High).Interval)
		df = float64(a.blocks.Count() - 1)
	}
	if a.null == nil {
		return out, jackknife, nil
	}
	chance := a.null.ChanceOf(s.Value, s.Null, a.near, s.Measure.Falls)
	none := report.Undefined("one pair")
	out.Null = &Chance{Permutations: len(a.orders), Chance: results.ChanceOf(chance), PHolm: none}
	if jackknife != nil {
		results.NearChance(&out.Value, chance, df, s.Measure.Low, s.Measure.High)
	}
	same := s.Measure.SameScore(n)
	out.Null.Adjusted = fraction(s.Value, chance.Mean, same, math.Inf(-1))
	out.Null.Gated = fraction(s.Value, chance.Threshold, same, 0)
	return out, jackknife, nil
}

// fraction is (v − from)/(to − from), at least least.
func fraction(v, from, to, least float64) report.Value {
	if math.IsNaN(from) || from == to {
		return report.Undefined("the null does not leave room between chance and identical spaces")
	}
	return report.Number(max((v-from)/(to-from), least))
}

// merge puts the pairs together and corrects their p values.
func (a *analyzer) merge(_ context.Context, parts []*Part) (*Result, error) {
	result := &Result{Models: a.models, Scores: a.names, Warnings: slices.Clone(a.warnings)}
	if a.blocks != nil {
		result.Blocks = a.blocks.String()
	}
	var measured []Measured
	for _, part := range parts {
		measured = append(measured, part.Pairs...)
	}
	for s := range a.names {
		p := make([]float64, len(measured))
		for c := range measured {
			p[c] = math.NaN()
			if null := measured[c].Scores[s].Null; null != nil {
				p[c] = null.P.Float()
			}
		}
		for c, v := range stat.Holm(p) {
			if null := measured[c].Scores[s].Null; null != nil {
				null.PHolm = report.NumberOr(v, null.P.Reason)
			}
		}
	}
	for c, m := range measured {
		pair := Pair{A: a.in.Models[a.couples[c][0]].Name, B: a.in.Models[a.couples[c][1]].Name}
		for s, name := range a.names {
			pair.Scores.Set(name, m.Scores[s])
		}
		result.Pairs = append(result.Pairs, pair)
	}
	a.warn(result)
	if a.o.Reference == "" {
		return result, nil
	}
	return result, a.compareTo(result, measured)
}

// warn names what a reader of the numbers should know.
func (a *analyzer) warn(r *Result) {
	for _, m := range r.Models {
		if !m.EffectiveRank.Defined() {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s: %s: the pairs with it have no scores", m.Name, m.EffectiveRank.Reason))
		}
	}
	if a.null == nil {
		return
	}
	if distinct := a.null.Distinct(); distinct < 20 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the episodes have %g different orders: no p values; use more episodes "+
			"or longer ones", distinct))
	} else if !a.null.Exchanges() && a.o.Null == NullTime {
		r.Warnings = append(r.Warnings, "fewer than 5 episodes: the null rotates them in time, and p values hold "+
			"approximately, for long stationary episodes")
	}
}

// compareTo tests which models are more like the reference.
func (a *analyzer) compareTo(r *Result, measured []Measured) error {
	names := results.Names(a.in.Models)
	reference := slices.Index(names, a.o.Reference)
	for s, name := range a.names {
		estimates := make([]*stat.Jackknifed, len(names))
		for c, couple := range a.couples {
			switch reference {
			case couple[0]:
				estimates[couple[1]] = measured[c].Jackknives[s]
			case couple[1]:
				estimates[couple[0]] = measured[c].Jackknives[s]
			default:
				continue
			}
			other := couple[0] + couple[1] - reference
			r.Models[other].Reference.Set(name, measured[c].Scores[s].Value)
		}
		metric := results.Metric{Name: "reference." + name, Family: "reference." + name}
		compared, err := results.Pairwise(metric, names, estimates, a.o.Seed)
		if err != nil {
			return err
		}
		r.Comparisons = append(r.Comparisons, compared...)
	}
	results.Correct(r.Comparisons, a.o.Family)
	return nil
}

// Bytes is about what an analysis holds: all spaces as float64, and for each thread one space and cross products more.
func Bytes(models []Encoded, threads int) int64 {
	var all, most int64
	for _, m := range models {
		one := 8 * int64(m.Latents.N) * int64(m.Latents.Dim)
		all += one
		most = max(most, one+5*8*int64(m.Latents.Dim)*int64(m.Latents.Dim))
	}
	return all + int64(max(threads, 1))*most
}

// Pairs describes the number of pairs of models in words.
func Pairs(models int) string { return text.Count(models*(models-1)/2, "pair") }
