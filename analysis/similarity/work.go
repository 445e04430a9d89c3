// The work of an analysis in units: one pair of models after the other.

package similarity

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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

// CoupleScores is one pair of models: its scores in order, and what the pair is compared by, nil where it is undefined.
type CoupleScores struct {
	Scores     []PairScore
	Jackknives []*stat.Jackknifed
}

// analyzer holds what the pairs share.
type analyzer struct {
	in       Input
	o        Options
	couples  [][2]int
	layers   [][2]int // couples of models with layers
	seams    []seam
	names    []string // of the scores
	blocks   *stat.Blocks
	null     *stat.EpisodeNull
	cropped  []int // states of episodes of equal length, for the null; nil: all
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
	in, err := in.scaled(o.Scale)
	if err != nil {
		return none, err
	}
	a := &analyzer{in: in, o: o, couples: couplesOf(len(in.Models)), layers: couplesOf(len(in.Layers))}
	if o.Stitch {
		a.seams = in.seams()
	}
	if err := a.prepare(); err != nil {
		return none, err
	}
	return shard.Work[*Part, *Result]{
		Units: len(a.couples) + len(a.layers) + len(a.seams), Identity: a.identity, Map: a.measure, Merge: a.merge,
	}, nil
}

// couplesOf are all pairs a < b of a number of models, in the order (0,1), (0,2), ….
func couplesOf(models int) [][2]int {
	var out [][2]int
	for a := range models {
		for b := a + 1; b < models; b++ {
			out = append(out, [2]int{a, b})
		}
	}
	return out
}

// Part is the outcome of a range of pairs: of models, then of models with layers, then of stitched ones.
type Part struct {
	Pairs    []CoupleScores
	Layers   []LayerPair
	Stitches []StitchScores
}

// prepare makes the blocks and the orders.
func (a *analyzer) prepare() error {
	n := a.in.Models[0].Latents.N
	a.names = similarity.ScoreNames(a.options())
	for _, m := range a.in.Models {
		one := Model{
			Name: m.Name, States: n, NominalDimension: m.Latents.Dim,
			ConstantUnits: similarity.ConstantUnits(m.Latents),
		}
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
	} else if a.cropped = stat.EqualLengths(episode); a.cropped != nil {
		n, episode = len(a.cropped), points.Pick(episode, a.cropped)
	}
	var err error
	if a.null, err = stat.NewEpisodeNull(n, episode, a.o.Seed); err != nil {
		return err
	}
	for p := range a.o.Permutations {
		order, close := a.null.Order(p)
		a.orders, a.near = append(a.orders, order), append(a.near, close)
	}
	return nil
}

// options are the options of the measures.
func (a *analyzer) options() similarity.Options {
	return similarity.Options{
		Measures: a.o.Measures, K: a.o.K, Metric: a.o.Metric, Bandwidth: a.o.Bandwidth, Pairs: a.o.Pairs,
		Episode: a.in.Episode, Orders: a.orders, Blocks: a.blocks, Deleted: withIntervals,
		Seed: a.o.Seed, Memory: a.o.Memory, Threads: a.o.Threads,
	}
}

// identity names everything that the numbers follow from.
func (a *analyzer) identity() shard.Identity {
	id := a.common()
	id.Inputs = append(id.Inputs, results.Digests(a.in.Models)...)
	if len(a.in.Layers) > 0 {
		id.Inputs = append(id.Inputs, a.in.layerDigests()...)
		id.Options = append(id.Options, shard.Option("layer-measures", a.o.LayerMeasures))
	}
	if len(a.seams) > 0 {
		id.Inputs = append(id.Inputs, a.in.stageDigests()...)
		id.Options = append(id.Options, shard.Option("stitch-permutations", a.o.StitchPermutations))
	}
	return id
}

// common is the identity without the models and their layers.
func (a *analyzer) common() shard.Identity {
	o := a.o
	return shard.Identity{
		Analysis: "similarity", Definition: Definition, Kernel: fmt.Sprintf("kc=%d", kernel.KC),
		Inputs: []shard.Field{{Name: "episodes", Value: shard.Digest(points.Points{}, a.in.Episode)}},
		Options: append(option.Of(&o).Identity("reference", "layer-measures", "stitch", "stitch-permutations"),
			o.Identity()...),
	}
}

// identityOf names everything that the scores of a pair follow from. Blocks follow from all models.
func (a *analyzer) identityOf(c int) shard.Identity {
	blocks := ""
	if a.blocks != nil {
		blocks = shard.Digest(points.Points{}, a.blocks.Labels())
	}
	first, second := a.in.Models[a.couples[c][0]], a.in.Models[a.couples[c][1]]
	return a.common().OfModel(shard.Digest(first.Latents), shard.Option("beside", shard.Digest(second.Latents)),
		shard.Option("blocks", blocks))
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
	progress := func(c int) {
		if a.o.Progress != nil {
			a.o.Progress(c-r.Lo+1, r.Hi-r.Lo)
		}
	}
	for c := r.Lo; c < r.Hi; c++ {
		if s := c - len(a.couples) - len(a.layers); s >= 0 {
			stitches, err := a.stitch(ctx, a.seams[s])
			if err != nil {
				return nil, fmt.Errorf("stitching to %s: %w", a.in.Layers[a.seams[s].to].Name, err)
			}
			part.Stitches = append(part.Stitches, stitches...)
			progress(c)
			continue
		}
		if l := c - len(a.couples); l >= 0 {
			scores, err := a.compareLayers(ctx, a.layers[l])
			if err != nil {
				return nil, err
			}
			part.Layers = append(part.Layers, scores...)
			progress(c)
			continue
		}
		couple := a.couples[c]
		identity := func() shard.Identity { return a.identityOf(c) }
		measured, err := shard.Remember(ctx, identity, func() (CoupleScores, error) {
			first, err := space(couple[0])
			if err != nil {
				return CoupleScores{}, err
			}
			second, err := space(couple[1])
			if err != nil {
				return CoupleScores{}, err
			}
			return a.compare(ctx, couple, first, second)
		})
		if err != nil {
			return nil, fmt.Errorf("%s and %s: %w", a.in.Models[couple[0]].Name, a.in.Models[couple[1]].Name, err)
		}
		part.Pairs = append(part.Pairs, measured.about(a.in.Models[couple[0]].Name, a.in.Models[couple[1]].Name))
		progress(c)
	}
	return part, nil
}

// sides stand in reasons for the names of the models of a pair, which may be others when the pair is remembered.
var sides = [2]string{"\x00first\x00", "\x00second\x00"}

// about enters the names of the models into the reasons of the scores.
func (c CoupleScores) about(first, second string) CoupleScores {
	names := strings.NewReplacer(sides[0], first, sides[1], second)
	c.Scores = slices.Clone(c.Scores)
	for k := range c.Scores {
		s := &c.Scores[k]
		s.Value.Reason = names.Replace(s.Value.Reason)
		s.Value.CI.Reason = names.Replace(s.Value.CI.Reason)
		if s.Null != nil {
			null := *s.Null
			null.Value.Reason = names.Replace(null.Value.Reason)
			s.Null = &null
		}
	}
	return c
}

// compare computes the scores of one pair.
func (a *analyzer) compare(ctx context.Context, couple [2]int, first, second *similarity.Prepared,
) (CoupleScores, error) {
	var out CoupleScores
	collapsed := ""
	for side, m := range couple {
		if e := a.models[m].EffectiveRank; collapsed == "" && !e.Defined() {
			collapsed = sides[side] + ": " + e.Reason
		}
	}
	if collapsed != "" {
		for range a.names {
			out.Scores = append(out.Scores, PairScore{Value: report.NoEstimate("%s", collapsed)})
			out.Jackknives = append(out.Jackknives, nil)
		}
		return out, nil
	}
	o := a.options()
	if a.cropped != nil {
		o.Orders = nil
	}
	first.Named(sides[0])
	second.Named(sides[1])
	series, err := similarity.Score(ctx, first, second, o)
	if err != nil {
		return out, err
	}
	under := series
	if a.cropped != nil {
		o = a.options()
		o.Blocks, o.Episode = nil, points.Pick(o.Episode, a.cropped)
		if under, err = similarity.Score(ctx, first.Select(a.cropped), second.Select(a.cropped), o); err != nil {
			return out, err
		}
	}
	for i, s := range series {
		score, jackknife, err := a.score(s, under[i], first.Len())
		if err != nil {
			return out, err
		}
		out.Scores, out.Jackknives = append(out.Scores, score), append(out.Jackknives, jackknife)
	}
	return out, nil
}

// score is a series as the result has it; under is the same score with the orders of the null.
func (a *analyzer) score(s, under similarity.Series, n int) (PairScore, *stat.Jackknifed, error) {
	if math.IsNaN(s.Value) {
		return PairScore{Value: report.NoEstimate("%s", s.Reason)}, nil, nil
	}
	out := PairScore{Value: report.WithInterval(report.Number(s.Value), results.IntervalOf(nil))}
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
	chance := a.null.ChanceOf(under.Value, under.Null, a.near, s.Measure.Falls)
	out.Null = &ScoreNull{
		Permutations: len(under.Null), States: n, Value: report.NumberOr(under.Value, under.Reason),
		Chance: results.ChanceOf(chance),
	}
	if a.cropped != nil {
		n = len(a.cropped)
		out.Null.States = n
	}
	if jackknife != nil {
		results.NearChance(&out.Value, chance, df, s.Measure.Low, s.Measure.High)
	}
	same := s.Measure.SameScore(n)
	out.Null.Adjusted = fraction(under.Value, chance.Mean, same, math.Inf(-1))
	out.Null.Gated = fraction(under.Value, chance.Threshold, same, 0)
	return out, jackknife, nil
}

// fraction is (v − from)/(to − from), at least least.
func fraction(v, from, to, least float64) report.Value {
	if math.IsNaN(v) || math.IsNaN(from) || from == to {
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
	var measured []CoupleScores
	var stitched []StitchScores
	for _, part := range parts {
		measured = append(measured, part.Pairs...)
		result.Layers = append(result.Layers, part.Layers...)
		for _, s := range part.Stitches {
			stitched, result.Stitches = append(stitched, s), append(result.Stitches, s.Stitch)
		}
	}
	for s := range a.names {
		correct(len(measured), func(c int) *ScoreNull { return measured[c].Scores[s].Null })
	}
	correct(len(result.Stitches), func(i int) *ScoreNull { return result.Stitches[i].Error.Null })
	correct(len(result.Stitches), func(i int) *ScoreNull { return result.Stitches[i].Agreement.Null })
	for c, m := range measured {
		pair := ModelPair{A: a.in.Models[a.couples[c][0]].Name, B: a.in.Models[a.couples[c][1]].Name}
		for s, name := range a.names {
			pair.Scores.Set(name, m.Scores[s])
		}
		result.Pairs = append(result.Pairs, pair)
	}
	result.Runs = a.runs(result)
	a.warn(result)
	if a.o.Reference == "" {
		return result, nil
	}
	if err := a.compareTo(result, measured); err != nil {
		return nil, err
	}
	if err := a.compareStitched(result, stitched); err != nil {
		return nil, err
	}
	results.Correct(result.Comparisons, a.o.Family)
	return result, nil
}

// correct corrects the p values of n nulls by Holm's method; those that are nil have none.
func correct(n int, null func(i int) *ScoreNull) {
	p := make([]float64, n)
	for i := range p {
		p[i] = math.NaN()
		if one := null(i); one != nil {
			p[i] = one.P.Float()
		}
	}
	for i, v := range stat.Holm(p) {
		if one := null(i); one != nil {
			one.PHolm = report.NumberOr(v, one.P.Reason)
		}
	}
}

// warn names what a reader of the numbers should know.
func (a *analyzer) warn(r *Result) {
	for _, m := range r.Models {
		if !m.EffectiveRank.Defined() {
			r.Warnings = append(r.Warnings,
				fmt.Sprintf("%s: %s: the pairs with it have no scores", m.Name, m.EffectiveRank.Reason))
		}
	}
	if a.null == nil {
		return
	}
	few := func(pairs, orders int, kind, flag string) {
		if tests := float64(pairs); pairs > 1 && orders > 0 && tests/float64(orders+1) > results.Level {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%d permutations cannot give a p (Holm) of %g or less for %d "+
				"pairs%s: use %s %g", orders, results.Level, pairs, kind, flag, math.Ceil(tests/results.Level)-1))
		}
	}
	few(len(r.Pairs), len(a.orders), "", "--permutations")
	few(len(r.Stitches), min(len(a.orders), a.o.StitchPermutations), " of stitched layers", "--stitch-permutations")
	if all := len(a.in.Episode); a.cropped != nil && 2*len(a.cropped) < all {
		r.Warnings = append(r.Warnings, fmt.Sprintf("episodes are of very unequal lengths: the null uses %d of %d "+
			"states, cut to one length", len(a.cropped), all))
	}
	if distinct := a.null.Distinct(); distinct < 20 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the episodes have %g different orders: no p values; use more "+
			"episodes or longer ones", distinct))
	} else if !a.null.Exchanges() && a.o.Null == NullTime {
		r.Warnings = append(r.Warnings, "fewer than 5 episodes: the null rotates them in time, and p values hold "+
			"approximately, for long stationary episodes")
	}
	a.warnOfOrder(r)
}

// warnOfOrder warns of models whose neighboring states are alike where the null takes states as independent.
func (a *analyzer) warnOfOrder(r *Result) {
	if a.o.Null != NullIndependent {
		return
	}
	var alike []string
	for _, m := range a.in.Models {
		if rho := results.AlikeRows(m.Latents, nil); rho > 0 {
			alike = append(alike, fmt.Sprintf("%s (correlation %.2f)", m.Name, rho))
		}
	}
	if len(alike) > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("neighboring states are alike in %s: p values of independent states "+
			"are near 0 for unrelated spaces too; use --null time", text.Few(alike, 4)))
	}
}

// compareTo tests which models are more like the reference.
func (a *analyzer) compareTo(r *Result, measured []CoupleScores) error {
	names := results.Names(a.in.Models)
	reference := slices.Index(names, a.o.Reference)
	for s, name := range a.names {
		estimates := make([]*stat.Jackknifed, len(names))
		metric := results.Metric{}
		for c, couple := range a.couples {
			if couple[0] != reference && couple[1] != reference {
				continue
			}
			model := couple[0] + couple[1] - reference
			score := s
			if other, ok := reversed(name); ok && couple[0] == reference { // from the model to the reference
				score = slices.Index(a.names, other)
			}
			estimates[model] = measured[c].Jackknives[score]
			metric.Path = enterReference(&r.Models[model].Reference, name, measured[c].Scores[score].Value)
		}
		metric.Name, metric.Family = metric.Path, metric.Path
		compared, err := results.Pairwise(metric, names, estimates, a.o.Seed)
		if err != nil {
			return err
		}
		r.Comparisons = append(r.Comparisons, compared...)
	}
	return nil
}

// compareStitched tests which models are better stitched to the reference: the last of their layers before the part
// after its last layer.
func (a *analyzer) compareStitched(r *Result, stitched []StitchScores) error {
	names := results.Names(a.in.Models)
	for k, measure := range []similarity.Measure{stitchError, stitchAgreement} {
		estimates := make([]*stat.Jackknifed, len(names))
		metric := results.Metric{Name: "reference." + measure.Name}
		metric.Path, metric.Family = metric.Name, metric.Name
		for _, s := range stitched { // the last layers come last
			if m := slices.Index(names, s.Stitch.From); s.Stitch.To == a.o.Reference && m >= 0 {
				score := []PairScore{s.Stitch.Error, s.Stitch.Agreement}[k]
				r.Models[m].Reference.Set(measure.Name, score.Value)
				estimates[m] = s.Jackknives[k]
			}
		}
		compared, err := results.Pairwise(metric, names, estimates, a.o.Seed)
		if err != nil {
			return err
		}
		r.Comparisons = append(r.Comparisons, compared...)
	}
	return nil
}

// reversed is the name of a directed score in the other direction.
func reversed(name string) (other string, ok bool) {
	if base, ok := strings.CutSuffix(name, "_ab"); ok {
		return base + "_ba", true
	}
	base, ok := strings.CutSuffix(name, "_ba")
	return base + "_ab", ok
}

// SizedScore is a score of a number of neighbors.
type SizedScore struct {
	K         int             `json:"k" report:"parameter"`
	PairScore report.Estimate `json:"score"`
}

// enterReference enters a score into the likeness to the reference and returns its path: mutual_knn[k=10].score for a
// number of neighbors, predictivity_to and predictivity_from for the directions to the reference and back.
func enterReference(to *report.Object, name string, v report.Estimate) string {
	if base, k, ok := strings.Cut(name, "@"); ok {
		number, _ := strconv.Atoi(k)
		rows, _ := to.Get(base)
		list, _ := rows.([]SizedScore)
		to.Set(base, append(list, SizedScore{number, v}))
		return fmt.Sprintf("reference.%s[k=%d].score", base, number)
	}
	name = strings.Replace(strings.Replace(name, "_ab", "_to", 1), "_ba", "_from", 1)
	to.Set(name, v)
	return "reference." + name
}

// Bytes is about what an analysis holds: all spaces as float64, twice for the regressions of predictivity, and for each
// thread one space and cross products more.
func (in Input) Bytes(threads int) int64 {
	var all, largest int64
	models := slices.Clone(in.Models)
	for _, model := range in.Layers {
		models = append(models, model.Layers...)
	}
	for _, m := range models {
		one := 8 * int64(m.Latents.N) * int64(m.Latents.Dim)
		all += 2 * one
		largest = max(largest, one+12*8*int64(m.Latents.Dim)*int64(m.Latents.Dim))
	}
	return all + int64(max(threads, 1))*largest
}
