// The analysis step by step: what Analyze calls for each model and each pair of
// models.

package geometry

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/neighbors"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// analyzer holds what the models share, and collects what is compared between
// them.
type analyzer struct {
	in     Input
	o      Options
	result *Result

	runs    [][2]int
	pairs   []points.Pair
	triples []int

	sample scope // states of the sample
	states scope // all states
	steps  scope // pairs of consecutive states
	turns  scope // triples

	labels  *Partition  // of the sample; nil without
	leading [][]float64 // the leading series of every model

	jackknifed map[string][]*stat.Jackknifed   // by metric, one per model
	boot       map[string][]*stat.Bootstrapped // by metric, one per model
	metrics    []string                        // in order of appearance
	done       int
}

const intervalsOff = "intervals are off (bootstrap 0)"

func newAnalyzer(in Input, o Options) (*analyzer, error) {
	o = o.withDefaults()
	a := &analyzer{in: in, o: o,
		result:     &Result{Resamples: o.Bootstrap, Labelled: in.Labels != nil},
		jackknifed: map[string][]*stat.Jackknifed{}, boot: map[string][]*stat.Bootstrapped{},
	}
	n := in.Models[0].Latents.N
	a.runs = runs(n, in.Episode, in.Time)
	a.pairs, a.triples = pairsOf(a.runs), triplesOf(a.runs)
	if in.Labels != nil {
		p := NewPartition(at(in.Labels, in.Sample))
		a.labels = &p
	}

	a.leading = results.LeadingSeries(in.Models)
	var leadingSample, lengths [][]float64
	for i, m := range in.Models {
		leadingSample = append(leadingSample, at(a.leading[i], in.Sample))
		length := make([]float64, len(a.pairs))
		now, next := make([]float64, m.Latents.Dim), make([]float64, m.Latents.Dim)
		for i, p := range a.pairs {
			length[i] = math.Sqrt(squaredDistance(m.Latents.Row(p.Now, now), m.Latents.Row(p.Next, next)))
		}
		lengths = append(lengths, length)
	}
	position := make(map[int]int, len(a.pairs)) // of the pair that begins at a state
	ofPairs := make([]int, len(a.pairs))
	for i, p := range a.pairs {
		position[p.Now], ofPairs[i] = i, p.Now
	}
	firstSteps := make([]int, len(a.triples))
	for i, t := range a.triples {
		firstSteps[i] = position[t]
	}
	var err error
	scopes := []struct {
		to      *scope
		n       int
		episode []int
		series  func(m int) []float64
		what    string
		warn    bool
	}{
		{&a.sample, len(leadingSample[0]), at(in.Episode, in.Sample), func(m int) []float64 { return leadingSample[m] }, "states", true},
		{&a.states, n, in.Episode, func(m int) []float64 { return a.leading[m] }, "states", in.Sample != nil},
		{&a.steps, len(a.pairs), at(in.Episode, ofPairs), func(m int) []float64 { return lengths[m] }, "pairs", true},
		{&a.turns, len(a.triples), at(in.Episode, a.triples), func(m int) []float64 { return at(lengths[m], firstSteps) }, "triples", false},
	}
	for _, s := range scopes {
		if s.n < 3 {
			s.to.reason = noPairs(s.n, 3, s.what)
			continue
		}
		series := make([][]float64, len(in.Models))
		for m := range series {
			series[m] = s.series(m)
		}
		var blocks *stat.Blocks
		if blocks, err = stat.NewBlocks(s.n, s.episode, o.Block, series...); err != nil {
			return nil, err
		}
		s.to.family = blocks.Resamples(o.Bootstrap, o.Seed)
		if o.Bootstrap <= 0 {
			continue
		}
		s.to.blocks = blocks.Coarsen(maxBlocks)
		if s.warn {
			for _, w := range blocks.Warnings() {
				if !slices.Contains(a.result.Warnings, w) {
					a.result.Warnings = append(a.result.Warnings, w)
				}
			}
		}
	}
	if a.sample.blocks != nil {
		a.result.SampleBlocks = a.sample.family.Blocks().String()
	}
	if a.steps.blocks != nil {
		a.result.TimeBlocks = a.steps.family.Blocks().String()
	}
	return a, nil
}

// keepBoot and keepJackknifed file an estimate of model m for the comparisons.
func (a *analyzer) keepBoot(metric string, m int, b *stat.Bootstrapped) {
	if a.boot[metric] == nil {
		a.boot[metric] = make([]*stat.Bootstrapped, len(a.in.Models))
		a.metrics = append(a.metrics, metric)
	}
	a.boot[metric][m] = b
}

func (a *analyzer) keepJackknifed(metric string, m int, j *stat.Jackknifed) {
	if a.jackknifed[metric] == nil {
		a.jackknifed[metric] = make([]*stat.Jackknifed, len(a.in.Models))
		a.metrics = append(a.metrics, metric)
	}
	a.jackknifed[metric][m] = j
}

// compare tests all pairs of models on every metric that was filed.
func (a *analyzer) compare() error {
	if a.o.Bootstrap <= 0 {
		return nil
	}
	names := results.Names(a.in.Models)
	for _, metric := range a.metrics {
		var compared []report.Comparison
		var err error
		if b := a.boot[metric]; b != nil {
			compared, err = results.Pairwise(metric, names, b, a.o.Seed)
		} else {
			compared, err = results.PairwiseJackknifed(metric, names, a.jackknifed[metric], a.o.Seed)
		}
		if err != nil {
			return err
		}
		a.result.Comparisons = append(a.result.Comparisons, compared...)
	}
	return nil
}

// The parts of the work that progress counts: per model, and the similarities.
const (
	partsPerModel     = 4
	partsOfSimilarity = 2
)

func (a *analyzer) step() {
	a.done++
	if a.o.Progress != nil {
		a.o.Progress(a.done, partsPerModel*len(a.in.Models)+partsOfSimilarity)
	}
}

// undefined is the number and the interval that err leaves; another error than an
// UndefinedError is returned.
func undefined(err error) (report.Value, report.Interval, error) {
	var u *stat.UndefinedError
	if !errors.As(err, &u) {
		return report.Value{}, report.Interval{}, err
	}
	v, ci := results.Undefined(err)
	return v, ci, nil
}

// jackknife is the delete-block jackknife of a statistic and its interval; nil
// without intervals.
func jackknife(estimate float64, without []float64, sizes []int) (*stat.Jackknifed, report.Interval) {
	if len(without) == 0 {
		return nil, report.NoInterval(intervalsOff)
	}
	if len(without) < 2 {
		return nil, report.NoInterval("a single block of states")
	}
	j, err := stat.DeleteBlockJackknife(estimate, without, sizes, 0)
	if err != nil {
		return nil, report.NoInterval("%s", stat.Reason(err))
	}
	return j, results.Interval(j.Interval)
}

// blockSizes are those of the jackknife, none without intervals.
func (s scope) blockSizes() []int {
	if s.blocks == nil {
		return nil
	}
	return s.blocks.Sizes()
}

// mean bootstraps the mean of values and files it under metric, if that is not
// empty.
func (a *analyzer) mean(ctx context.Context, s scope, metric string, m int, values []float64) (report.Value, report.Interval, error) {
	if s.family == nil {
		v, ci := results.Undefined(&stat.UndefinedError{Quantity: metric, Reason: s.reason})
		return v, ci, nil
	}
	b, err := stat.BootstrapMean(ctx, s.family, values, stat.BootstrapOptions{Threads: a.o.Threads})
	if err != nil {
		return report.Value{}, report.Interval{}, err
	}
	if metric != "" {
		a.keepBoot(metric, m, b)
	}
	v, ci := results.Estimate(b, "")
	if a.o.Bootstrap <= 0 {
		ci = report.NoInterval(intervalsOff)
	}
	return v, ci, nil
}

// measure fills in everything about one model.
func (a *analyzer) measure(ctx context.Context, m int) error {
	z := a.in.Models[m].Latents
	model := Model{Name: a.in.Models[m].Name, States: z.N, Samples: a.samples(), NominalDimension: z.Dim,
		Groupings: []Grouping{}, LabelConsistency: []LabelConsistency{}}
	model.RMSDistance, model.EffectiveRank = results.Spread(z)
	if !model.RMSDistance.Defined() {
		a.result.Warnings = append(a.result.Warnings, fmt.Sprintf("%s: %s: the encoder has collapsed", model.Name, model.RMSDistance.Reason))
	}
	model.NEff = results.EffectiveSize(a.leading[m], a.in.Episode)
	for _, part := range []func(context.Context, int, *Model) error{a.onSphere, a.grouped, a.labelled, a.inTime} {
		if err := part(ctx, m, &model); err != nil {
			return err
		}
		a.step()
	}
	a.result.Models = append(a.result.Models, model)
	return nil
}

func (a *analyzer) samples() int {
	if a.in.Sample != nil {
		return len(a.in.Sample)
	}
	return a.in.Models[0].Latents.N
}

// byBlocks returns the rows in the order of the sample's blocks, and the blocks'
// sizes; a single block of all rows without intervals.
func (a *analyzer) byBlocks(x matrix, blocks *stat.Blocks) (matrix, []int) {
	if blocks == nil {
		return x, []int{x.n}
	}
	order := make([]int, 0, x.n)
	for b := range blocks.Count() {
		order = append(order, blocks.Block(b)...)
	}
	return x.sel(order), blocks.Sizes()
}

func (a *analyzer) onSphere(ctx context.Context, m int, model *Model) error {
	u, err := widened(a.in.Models[m].Latents).unit()
	if err != nil {
		v, ci, err := undefined(err)
		model.Uniformity, model.UniformityCI, model.Alignment, model.AlignmentCI = v, ci, v, ci
		return err
	}
	chosen := u
	if a.in.Sample != nil {
		chosen = u.sel(a.in.Sample)
	}
	chosen, sizes := a.byBlocks(chosen, a.sample.blocks)
	value, without, err := uniformity(ctx, chosen, sizes, a.o.Threads)
	if err != nil {
		return err
	}
	model.Uniformity = report.Number(value)
	if a.sample.blocks == nil {
		without = nil
	}
	j, ci := jackknife(value, without, sizes)
	model.UniformityCI = ci
	a.keepJackknifed("uniformity", m, j)
	model.Alignment, model.AlignmentCI, err = a.mean(ctx, a.steps, "alignment", m, alignment(u, a.pairs))
	return err
}

// grouped measures the given labels and the clusters of k-means.
func (a *analyzer) grouped(ctx context.Context, m int, model *Model) error {
	x := widened(sampled(a.in.Models[m].Latents, a.in.Sample)).centred()
	if a.labels != nil {
		g := Grouping{Source: SourceLabels, Groups: a.labels.Groups()}
		if err := a.quality(ctx, m, model, &g, "silhouette_labels", x, *a.labels); err != nil {
			return err
		}
	}
	for _, k := range a.o.Clusters {
		g := Grouping{Source: SourceKMeans, Groups: k}
		found, err := kMeans(ctx, x, k, KMeansOptions{Starts: a.o.Starts, Seed: a.o.Seed, Threads: a.o.Threads})
		if err != nil {
			v, ci, err := undefined(err)
			if err != nil {
				return err
			}
			g.Silhouette, g.SilhouetteCI, g.DaviesBouldin, g.CalinskiHarabasz, g.ByGroup = v, ci, v, v, []GroupResult{}
			model.Groupings = append(model.Groupings, g)
			model.SilhouetteOf, model.GroupOf = append(model.SilhouetteOf, nil), append(model.GroupOf, nil)
			continue
		}
		g.KMeans = &KMeansSummary{Inertia: found.Inertia, Iterations: found.Iterations, Converged: found.Converged, Reseeded: found.Reseeded}
		if !found.Converged {
			a.result.Warnings = append(a.result.Warnings, fmt.Sprintf("%s: k-means with %d clusters stopped after %d iterations before it converged", model.Name, k, found.Iterations))
		}
		if a.labels != nil {
			if g.Agreement, err = a.agreement(found.Partition); err != nil {
				return err
			}
		}
		if err := a.quality(ctx, m, model, &g, fmt.Sprintf("silhouette_kmeans_%d", k), x, found.Partition); err != nil {
			return err
		}
	}
	return nil
}

// quality measures one partition and appends it to the model.
func (a *analyzer) quality(ctx context.Context, m int, model *Model, g *Grouping, metric string, x matrix, p Partition) error {
	pts, err := silhouette(ctx, x, p, a.o.Threads)
	if err != nil {
		if g.Silhouette, g.SilhouetteCI, err = undefined(err); err != nil {
			return err
		}
		g.DaviesBouldin, g.CalinskiHarabasz = g.Silhouette, g.Silhouette
	} else {
		if g.Silhouette, g.SilhouetteCI, err = a.mean(ctx, a.sample, metric, m, pts); err != nil {
			return err
		}
		d := disperse(x, p)
		for _, index := range []struct {
			to *report.Value
			of func() (float64, error)
		}{{&g.DaviesBouldin, d.daviesBouldin}, {&g.CalinskiHarabasz, func() (float64, error) { return d.calinskiHarabasz(x.n) }}} {
			v, err := index.of()
			*index.to = report.Number(v)
			if err != nil {
				*index.to, _ = results.Undefined(err)
			}
		}
	}
	groups := make([]int64, x.n)
	sums := make([]float64, p.Groups())
	for i, group := range p.Of {
		groups[i] = p.Labels[group]
		if pts != nil {
			sums[group] += pts[i]
		}
	}
	for group, label := range p.Labels {
		r := GroupResult{Label: label, Size: p.Sizes[group], Silhouette: report.Undefined("%s", g.Silhouette.Reason)}
		if pts != nil {
			r.Silhouette = report.Number(sums[group] / float64(p.Sizes[group]))
		}
		g.ByGroup = append(g.ByGroup, r)
	}
	model.Groupings = append(model.Groupings, *g)
	model.SilhouetteOf, model.GroupOf = append(model.SilhouetteOf, pts), append(model.GroupOf, groups)
	return nil
}

// agreement compares clusters with the labels. Its intervals delete blocks:
// resampled blocks would agree more, because what occurs twice agrees with itself.
func (a *analyzer) agreement(p Partition) (*Agreement, error) {
	table, err := contingencyOf(p, *a.labels)
	if err != nil {
		return nil, err
	}
	out := &Agreement{NMI: report.Number(table.nmi()), AMI: report.Number(table.ami()), ARI: report.Number(table.ari())}
	sizes := a.sample.blockSizes()
	var nmi, ari []float64
	for b := range sizes {
		members := a.sample.blocks.Block(b)
		for _, i := range members {
			table.add(p.Of[i], a.labels.Of[i], -1)
		}
		nmi, ari = append(nmi, table.nmi()), append(ari, table.ari())
		for _, i := range members {
			table.add(p.Of[i], a.labels.Of[i], 1)
		}
	}
	_, out.NMICI = jackknife(out.NMI.V, nmi, sizes)
	_, out.ARICI = jackknife(out.ARI.V, ari, sizes)
	return out, nil
}

// labelled measures how the nearest neighbours agree with the labels.
func (a *analyzer) labelled(ctx context.Context, m int, model *Model) error {
	if a.labels == nil {
		return nil
	}
	episode := a.windowLabels()
	fewest := fewestCandidates(a.samples(), a.o.ExcludeWindow, episode)
	ks := slices.DeleteFunc(slices.Clone(a.o.Neighbors), func(k int) bool { return k > fewest })
	var found []consistency
	var err error
	if len(ks) > 0 {
		found, err = labelConsistency(ctx, sampled(a.in.Models[m].Latents, a.in.Sample), *a.labels, ks, neighbors.Options{
			Threads: max(a.o.Threads, 0), Memory: a.o.Memory, Device: a.o.Device, ExcludeWindow: a.o.ExcludeWindow, Episode: episode,
		})
		if err != nil {
			return err
		}
	}
	accuracy, purity := a.labels.chance()
	for _, k := range a.o.Neighbors {
		row := LabelConsistency{K: k, AccuracyChance: report.Number(accuracy), PurityChance: report.Number(purity)}
		if k > fewest {
			reason := fmt.Sprintf("k = %d: a state has only %d others to choose neighbours from", k, fewest)
			row.Accuracy, row.AccuracyCI = report.Undefined("%s", reason), report.NoInterval("%s", reason)
			row.Purity, row.PurityCI = report.Undefined("%s", reason), report.NoInterval("%s", reason)
			model.LabelConsistency = append(model.LabelConsistency, row)
			continue
		}
		c := found[0]
		found = found[1:]
		if row.Accuracy, row.AccuracyCI, err = a.mean(ctx, a.sample, fmt.Sprintf("label_accuracy_%d", c.k), m, c.correct); err != nil {
			return err
		}
		if row.Purity, row.PurityCI, err = a.mean(ctx, a.sample, "", m, c.purity); err != nil {
			return err
		}
		model.LabelConsistency = append(model.LabelConsistency, row)
	}
	return nil
}

// inTime measures the latents along the episodes.
func (a *analyzer) inTime(ctx context.Context, m int, model *Model) error {
	x := widened(a.in.Models[m].Latents).centred()
	t := &model.Temporal
	if err := a.memory(ctx, m, x, t); err != nil {
		return err
	}

	length := steps(x, a.pairs)
	t.Steps.Pairs = len(length)
	metric := "" // steps are compared in units of the RMS distance
	var err error
	if t.Steps.Mean, t.Steps.MeanCI, err = a.mean(ctx, a.steps, metric, m, length); err != nil {
		return err
	}
	quantiles := []*report.Value{&t.Steps.P05, &t.Steps.P25, &t.Steps.Median, &t.Steps.P75, &t.Steps.P95, &t.Steps.P99, &t.Steps.Max}
	if a.steps.family == nil {
		for _, v := range append(quantiles, &t.Steps.SD, &t.Steps.Relative) {
			*v = report.Undefined("%s", a.steps.reason)
		}
		t.Steps.RelativeCI = report.NoInterval("%s", a.steps.reason)
	} else {
		t.Steps.SD = report.Number(stat.StandardDeviation(length))
		found, err := stat.Quantiles(length, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1)
		if err != nil {
			return err
		}
		for i, v := range found {
			*quantiles[i] = report.Number(v)
		}
		if model.RMSDistance.Defined() {
			model.StepLengths = make([]float64, len(length))
			for i, v := range length {
				model.StepLengths[i] = v / model.RMSDistance.V
			}
			if t.Steps.Relative, t.Steps.RelativeCI, err = a.mean(ctx, a.steps, "relative_step", m, model.StepLengths); err != nil {
				return err
			}
		} else {
			t.Steps.Relative, t.Steps.RelativeCI = report.Undefined("%s", model.RMSDistance.Reason), report.NoInterval("%s", model.RMSDistance.Reason)
		}
	}
	return a.straightness(ctx, m, x, &t.Straightness)
}

// memory measures the autocorrelation.
func (a *analyzer) memory(ctx context.Context, m int, x matrix, t *Temporal) error {
	t.Autocorrelation = []Lag{}
	var labels []int
	sizes := a.states.blockSizes()
	if sizes != nil {
		labels = a.states.blocks.Labels()
	}
	found, err := autocorrelate(ctx, x, a.runs, a.o.Lags, labels, len(sizes), a.o.Threads)
	if err != nil {
		t.Tau, t.TauCI, err = undefined(err)
		return err
	}
	for lag := range min(a.o.Lags+1, len(found.rho)) {
		var without []float64
		for b := range sizes {
			without = append(without, found.without[b][lag])
		}
		_, ci := jackknife(found.rho[lag], without, sizes)
		t.Autocorrelation = append(t.Autocorrelation, Lag{Lag: lag, Rho: report.NumberOr(found.rho[lag], "no pairs at this lag"), RhoCI: ci, Pairs: found.pairs[lag]})
	}
	t.Tau, t.TauWindow, t.TauConverged = report.Number(found.tau), found.window, found.converged
	j, ci := jackknife(found.tau, found.tauWithout, sizes)
	t.TauCI = ci
	a.keepJackknifed("autocorrelation_time", m, j)
	if !found.converged {
		a.result.Warnings = append(a.result.Warnings, fmt.Sprintf("%s: the episodes are too short for the autocorrelation time: no window up to %d states is five times as long", a.in.Models[m].Name, found.window))
	}
	return nil
}

func (a *analyzer) straightness(ctx context.Context, m int, x matrix, s *Straightness) error {
	cosine, degrees, moved := turns(x, a.triples)
	s.Triples = len(moved)
	for _, v := range moved {
		if v == 0 {
			s.Still++
		}
	}
	reason := a.turns.reason
	if reason == "" && s.Still == s.Triples {
		reason = "the latents never move twice in a row"
	}
	if reason != "" {
		s.Cosine, s.Curvature = report.Undefined("%s", reason), report.Undefined("%s", reason)
		s.CosineCI, s.CurvatureCI = report.NoInterval("%s", reason), report.NoInterval("%s", reason)
		return nil
	}
	found, err := stat.BootstrapSums(ctx, a.turns.family, [][]float64{cosine, degrees, moved}, 2, func(_ float64, sums, dst []float64) {
		dst[0], dst[1] = sums[0]/sums[2], sums[1]/sums[2]
	}, stat.BootstrapOptions{Threads: a.o.Threads})
	if err != nil {
		return err
	}
	s.Cosine, s.CosineCI = results.Estimate(found[0], "")
	s.Curvature, s.CurvatureCI = results.Estimate(found[1], "")
	if a.o.Bootstrap <= 0 {
		s.CosineCI, s.CurvatureCI = report.NoInterval(intervalsOff), report.NoInterval(intervalsOff)
	}
	a.keepBoot("straightness", m, found[0])
	return nil
}

// similarities compares every model with every other.
func (a *analyzer) similarities(ctx context.Context) error {
	count := len(a.in.Models)
	blocks := a.sample.blocks
	if blocks != nil {
		blocks = blocks.Coarsen(maxSimilarityBlocks)
	}
	var sizes []int
	spaces := make([]space, count)
	plain := make([]matrix, count)
	for m, encoded := range a.in.Models {
		plain[m] = widened(sampled(encoded.Latents, a.in.Sample)).centred()
		var ordered matrix
		ordered, sizes = a.byBlocks(plain[m], blocks)
		start := make([]int, len(sizes)+1)
		for b, size := range sizes {
			start[b+1] = start[b] + size
		}
		spaces[m] = newSpace(ordered, start)
	}
	type couple struct{ a, b int }
	var couples []couple
	for i := range count {
		for j := i; j < count; j++ {
			couples = append(couples, couple{i, j})
		}
	}
	found := make([]products, len(couples))
	err := parallel(ctx, a.o.Threads, len(couples), func() func(int) error {
		return func(c int) (err error) {
			found[c], err = between(spaces[couples[c].a], spaces[couples[c].b], couples[c].a != couples[c].b)
			return err
		}
	})
	if err != nil {
		return err
	}
	a.step()
	own := make([]products, count)
	for c, pair := range couples {
		if pair.a == pair.b {
			own[pair.a] = found[c]
		}
	}

	pairs, err := drawPairs(a.samples(), max(0, a.o.Pairs), a.o.Seed)
	if err != nil {
		return err
	}
	a.result.RSAPairs, a.result.RSAAll = len(pairs.a), pairs.all
	var labels []int
	if blocks != nil {
		labels = blocks.Labels()
	}
	var ranks *rsaResult
	if count > 1 {
		replicated := 0
		if blocks != nil {
			replicated = blocks.Count()
		}
		if ranks, err = rsa(ctx, plain, pairs, labels, replicated, a.o.Threads); err != nil {
			return err
		}
	}
	a.step()

	rows := make([][]SimilarityRow, count)
	for m := range rows {
		rows[m] = make([]SimilarityRow, count)
	}
	other := 0
	for c, pair := range couples {
		row := SimilarityRow{RSAPairs: len(pairs.a)}
		x, y := spaces[pair.a], spaces[pair.b]
		switch {
		case x.total == 0 || y.total == 0:
			row.undefined("the latents are constant")
		case pair.a == pair.b:
			row.self()
		default:
			row.fill(x, y, own[pair.a], own[pair.b], found[c], blocks != nil, sizes)
		}
		if pair.a != pair.b {
			if row.CKA.Defined() {
				row.RSA = report.NumberOr(ranks.value[other], "all distances are equal")
				row.RSASamplingError = report.NumberOr(ranks.se[other], "all distances are equal")
				_, row.RSACI = jackknife(ranks.value[other], ranks.without[other], sizes)
			}
			other++
		}
		rows[pair.a][pair.b], rows[pair.b][pair.a] = row, row
	}
	for m := range rows {
		for j, row := range rows[m] {
			a.result.Models[m].Similarity.Set(a.in.Models[j].Name, row)
		}
	}
	return nil
}

func (r *SimilarityRow) undefined(reason string) {
	v, ci := report.Undefined("%s", reason), report.NoInterval("%s", reason)
	r.CKA, r.CKADebiased, r.Procrustes, r.RSA, r.RSASamplingError = v, v, v, v, v
	r.CKACI, r.CKADebiasedCI, r.ProcrustesCI, r.RSACI = ci, ci, ci, ci
}

// self is what every space has with itself, by definition.
func (r *SimilarityRow) self() {
	none := report.NoInterval("the same latents")
	r.CKA, r.CKADebiased, r.Procrustes, r.RSA, r.RSASamplingError = report.Number(1), report.Number(1), report.Number(0), report.Number(1), report.Number(0)
	r.CKACI, r.CKADebiasedCI, r.ProcrustesCI, r.RSACI = none, none, none, none
}

// fill computes CKA and Procrustes, and their jackknifes where there are blocks.
func (r *SimilarityRow) fill(x, y space, xx, yy, xy products, intervals bool, sizes []int) {
	var cka, debiased, distance []float64
	if intervals {
		for b := range sizes {
			cka = append(cka, alignmentOf(xy.biased[b+1], xx.biased[b+1], yy.biased[b+1]))
			debiased = append(debiased, alignmentOf(xy.unbiased[b+1], xx.unbiased[b+1], yy.unbiased[b+1]))
			distance = append(distance, procrustes(xy.nuclear[b+1], xy.xTotal[b+1], xy.yTotal[b+1]))
		}
	}
	v := alignmentOf(xy.biased[0], xx.biased[0], yy.biased[0])
	r.CKA = report.Number(v)
	_, r.CKACI = jackknife(v, cka, sizes)
	v = alignmentOf(xy.unbiased[0], xx.unbiased[0], yy.unbiased[0])
	r.CKADebiased = report.NumberOr(v, "the unbiased HSIC of a space is not positive")
	_, r.CKADebiasedCI = jackknife(v, debiased, sizes)
	v = xy.distance(x, y)
	r.Procrustes = report.NumberOr(v, "the singular value decomposition did not converge")
	_, r.ProcrustesCI = jackknife(v, distance, sizes)
	if intervals && min(x.x.dim, y.x.dim) > nuclearDimension {
		r.ProcrustesCI = report.NoInterval("not computed above %d dimensions", nuclearDimension)
	}
}
