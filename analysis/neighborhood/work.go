// The work of an analysis in units: blocks of rows of the pass, and the scores of
// all rows.

package neighborhood

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"repscope/analysis/internal/results"
	"repscope/internal/option"
	"repscope/internal/text"
	"repscope/neighbors"
	"repscope/points"
	"repscope/shard"
	"repscope/stat"
)

// Definition is the version of what the numbers mean; see [shard.Identity]. 4: the null in time exchanges whole
// episodes of equal length.
const Definition = 4

// unitStates is the number of states in a unit of work.
const unitStates = 256

// Units is the number of units for n states.
func Units(n int) int { return (n + unitStates - 1) / unitStates }

// plan is the work of one analysis.
type plan struct {
	in       Input
	o        Options
	ks       []int
	frames   neighbors.Space
	spaces   []neighbors.Space // of every model's latents
	series   [][]float64       // the leading series of each model
	settings neighbors.Options

	latentMetric neighbors.Metric

	// collapsed[i] says why model i has no neighborhoods to compare, empty where it has; live
	// are the others. pass compares those, nil without any.
	collapsed []string
	live      []int
	pass      *neighbors.Pass
	cut       *cut         // the null of episodes of unequal lengths; nil: the pass has the null
	blocks    *stat.Blocks // what the jackknife deletes; nil without intervals
	reason    string       // why there are none
	deleted   string       // what the blocks are, for captions
	warnings  []string
	automatic bool // the exclusion window follows from the autocorrelation times
}

// Work returns the analysis in units of some hundred states, whose neighbors are
// ranked among all; see [Analyze] for the result and the errors. A sample
// (Options.Approximate) is not divided.
func Work(in Input, o Options) (shard.Work[*Part, *Result], error) {
	var none shard.Work[*Part, *Result]
	if o.Approximate {
		return none, errors.New("an analysis of a sample of states cannot be divided into units")
	}
	p, err := newPlan(in, o)
	if err != nil {
		return none, err
	}
	if err := p.open(); err != nil {
		return none, err
	}
	n := in.Frames.N
	return shard.Work[*Part, *Result]{
		Units:    Units(n),
		Identity: p.identity,
		Map: func(ctx context.Context, r shard.Range) (*Part, error) {
			return p.measure(ctx, r.Lo*unitStates, min(r.Hi*unitStates, n))
		},
		Join:  p.join,
		Merge: p.merge,
	}, nil
}

// Part is the outcome of a range of states: of all states, and of the states of episodes cut to one length, nil
// without any.
type Part struct {
	All neighbors.Partial
	Cut *neighbors.Partial
}

// measure ranks the states lo … hi−1, and the same share of the states of episodes cut to one length.
func (p *plan) measure(ctx context.Context, lo, hi int) (*Part, error) {
	all, err := p.rank(ctx, p.pass, len(p.live), lo, hi)
	if err != nil {
		return nil, err
	}
	part := &Part{All: *all}
	if p.cut == nil || p.cut.pass == nil {
		return part, nil
	}
	n, short := p.in.Frames.N, len(p.cut.states)
	if lo, hi = lo*short/n, hi*short/n; lo < hi {
		part.Cut, err = p.rank(ctx, p.cut.pass, len(p.cut.live), lo, hi)
	}
	return part, err
}

// rank ranks the states lo … hi−1 of a pass over a number of models: with the models that the memory of a study has, the
// others in one pass. Curves, penalties of states, permutations and passes on GPUs are remembered as all else;
// numbers that are not [neighbors.Pass.Separable] never are, nor a sample (Options.Approximate), which is cheap.
func (p *plan) rank(ctx context.Context, pass *neighbors.Pass, models, lo, hi int) (*neighbors.Partial, error) {
	if pass == nil {
		return &neighbors.Partial{Lo: lo, Hi: hi}, nil
	}
	if !shard.Remembers(ctx) || !pass.Separable() {
		return pass.Map(ctx, lo, hi)
	}
	whole, err := pass.Identity(ctx)
	if err != nil {
		return nil, err
	}
	identity := func(e int) shard.Identity { return p.identityOf(whole.Of(e), lo, hi) }
	spaces, err := shard.RememberEach(ctx, models, identity, func(missing []int) ([]*neighbors.Alone, error) {
		return separated(pass.Of(missing...).Map(ctx, lo, hi))
	}, nil)
	if err != nil {
		return nil, err
	}
	part, err := pass.Together(ctx, lo, hi, spaces)
	if errors.Is(err, neighbors.ErrOriginals) {
		return pass.Map(ctx, lo, hi)
	}
	return part, err
}

// separated are the embedded spaces of a part.
func separated(part *neighbors.Partial, err error) ([]*neighbors.Alone, error) {
	if err != nil {
		return nil, err
	}
	return part.Separate(), nil
}

// identityOf is the identity of the sums of one model: of the pass over its latents alone.
func (p *plan) identityOf(pass neighbors.Identity, lo, hi int) shard.Identity {
	text, err := json.Marshal(pass) // without the short forms of String
	if err != nil {
		return shard.Identity{Inputs: []shard.Field{{Name: "pass"}}} // unknown
	}
	id := shard.Identity{Analysis: "neighborhood", Definition: Definition}
	return id.OfModel(pass.Embedded[0].Digest, shard.Option("pass", string(text)),
		shard.Option("rows", []int{lo, hi}), shard.Option("on a GPU", p.pass.OnGPU()))
}

// join makes one part of two that follow each other.
func (p *plan) join(a, b *Part) (*Part, error) {
	part := &Part{All: neighbors.Partial{Lo: a.All.Lo, Hi: b.All.Hi}, Cut: cmp.Or(a.Cut, b.Cut)}
	if p.pass == nil {
		return part, nil
	}
	all, err := p.pass.Join(&a.All, &b.All)
	if err != nil {
		return nil, err
	}
	part.All = *all
	if a.Cut != nil && b.Cut != nil && p.cut != nil && p.cut.pass != nil {
		part.Cut, err = p.cut.pass.Join(a.Cut, b.Cut)
	}
	return part, err
}

// newPlan checks input and options.
func newPlan(in Input, o Options) (*plan, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	p := &plan{in: in, o: o, ks: o.K}
	if p.ks == nil {
		p.ks = []int{5, 10, 20}
	}
	p.settings = neighbors.Options{
		Ks:      p.ks,
		Threads: max(o.Threads, 0), Memory: o.Memory, Device: o.Device,
		ExcludeWindow: o.ExcludeWindow, Episode: in.Episode,
		CoRanking: o.CoRanking, PerPoint: o.PerPoint, Progress: o.Progress, Ties: o.Ties, Seed: o.Seed,
	}
	var err error
	if p.latentMetric, err = o.latentMetric(); err != nil {
		return nil, err
	}
	if p.frames, err = neighbors.NewSpace(in.source(), in.Frames, o.Metric); err != nil {
		return nil, err
	}
	p.series = results.LeadingSeries(in.Models)
	if err := p.decideWindow(); err != nil {
		return nil, err
	}
	switch o := p.o; {
	case o.ExcludeWindow > 0 && in.Sampled:
		p.settings.Time = in.Time
	case o.ExcludeWindow > 0:
		labels, warning := results.ExcludeWindow(in.Episode, in.Time, o.ExcludeWindow)
		p.settings.Episode = labels
		p.warn(warning)
	}
	if p.spaces, err = in.latents(p.latentMetric, o.Scale, o.Threads); err != nil {
		return nil, err
	}
	p.findCollapsed()
	return p, p.openNull()
}

// decideWindow makes an automatic window one of frames: the longest autocorrelation time
// of the models.
func (p *plan) decideWindow() error {
	if p.o.ExcludeWindow != results.AutoWindow {
		return nil
	}
	if p.in.Sampled {
		return errors.New("an automatic exclusion window needs consecutive states, but a sample was drawn")
	}
	var taus []float64
	for _, series := range p.series {
		taus = append(taus, autocorrelationTime(series, p.in.Episode).Float())
	}
	var warning string
	n := p.in.Frames.N
	p.o.ExcludeWindow, warning = results.WindowOf(taus, results.WidestWindow(n, p.in.Episode),
		"every state half of the others as candidates")
	p.automatic, p.settings.ExcludeWindow = true, p.o.ExcludeWindow
	p.warn(warning)
	return nil
}

// open opens the pass, with blocks of states for the jackknife grouped by the
// series of every model; without, and with the reason, where they leave too little.
func (p *plan) open() (err error) {
	if !p.o.Intervals {
		p.reason = "intervals are off"
		return p.openPass(p.settings)
	}
	blocks, err := stat.NewBlocks(p.in.Frames.N, p.in.Episode, p.o.Block, p.series...)
	if err != nil {
		return err
	}
	for _, w := range blocks.Warnings() {
		p.warn(w)
	}
	blocks = blocks.Coarsen(maxBlocks)
	with := p.settings
	with.Blocks = blocks.Labels()
	if failed := p.openPass(with); failed != nil {
		if err = p.openPass(p.settings); err != nil {
			return err
		}
		p.warn(fmt.Sprintf("no intervals: %v", failed))
		p.reason = failed.Error()
		return nil
	}
	p.blocks, p.deleted = blocks, fmt.Sprintf("%s (%s)", text.Count(blocks.Count(), "block"), blocks)
	return nil
}

// findCollapsed says which models have no neighborhoods to compare.
func (p *plan) findCollapsed() {
	frames := p.frames.Collapsed()
	for i, s := range p.spaces {
		reason := ""
		switch {
		case frames:
			reason = "all original states are equal"
		case s.Collapsed():
			reason = "all latents are equal, so the encoder has collapsed"
		default:
			p.live = append(p.live, i)
		}
		p.collapsed = append(p.collapsed, reason)
	}
}

// openPass opens the pass over the models that can be compared.
func (p *plan) openPass(with neighbors.Options) (err error) {
	var spaces []neighbors.Space
	for _, i := range p.live {
		spaces = append(spaces, p.spaces[i])
	}
	if len(spaces) > 0 {
		p.pass, err = neighbors.NewPassOf(p.frames, spaces, with)
	}
	return err
}

// identity is the identity of everything the numbers follow from.
func (p *plan) identity() shard.Identity {
	in, o := p.in, p.o
	id := shard.Identity{
		Analysis: "neighborhood", Definition: Definition,
		Inputs: []shard.Field{
			{Name: "frames", Value: shard.Digest(in.Frames)},
			{Name: "episodes and times", Value: shard.Digest(points.Points{}, in.Episode, in.Time)},
			{Name: "equal states", Value: shard.Digest(points.Points{}, in.Same)},
			{Name: "sampled", Value: strconv.FormatBool(in.Sampled)},
		},
		Options: slices.Concat(option.Of(&o).Identity("k"), o.Identity(), []shard.Field{
			shard.Option("k", p.ks), shard.Option("per point", o.PerPoint), shard.Option("latent scale", o.Scale),
		}),
	}
	id.Inputs = append(id.Inputs, results.Digests(in.Models)...)
	return id
}

// result is the result of the plan before anything is compared.
func (p *plan) result() *Result {
	return &Result{
		Samples: p.in.Frames.N, K: p.ks, ExcludeWindow: p.o.ExcludeWindow, Blocks: p.deleted,
		Warnings: slices.Clone(p.warnings), sampled: p.in.Sampled, automatic: p.automatic,
	}
}

// merge makes scores, intervals and comparisons of the sums of all rows.
func (p *plan) merge(_ context.Context, parts []*Part) (*Result, error) {
	var compared, short []neighbors.Preservation
	var all, cut []*neighbors.Partial
	for _, part := range parts {
		all = append(all, &part.All)
		if part.Cut != nil {
			cut = append(cut, part.Cut)
		}
	}
	var err error
	if p.pass != nil {
		if compared, err = p.pass.Merge(all...); err != nil {
			return nil, err
		}
	}
	if p.cut != nil && p.cut.pass != nil {
		if short, err = p.cut.pass.Merge(cut...); err != nil {
			return nil, err
		}
	}
	result := p.result()
	jackknifes := make([][]jackknifed, len(p.in.Models)) // of each model and k
	for i, encoded := range p.in.Models {
		if reason := p.collapsed[i]; reason != "" {
			m, err := p.undefined(i, reason)
			if err != nil {
				return nil, err
			}
			result.diagnose(&m, encoded.Latents)
			jackknifes[i] = make([]jackknifed, len(p.ks))
			result.Models = append(result.Models, m)
			continue
		}
		scores := &compared[slices.Index(p.live, i)]
		m := newModel(encoded, p.in, p.series[i], scores, p.o.Ties, p.noCurves())
		result.diagnose(&m, encoded.Latents)
		if trust, _ := m.PointScores(0); trust != nil && p.blocks != nil {
			result.warn(results.LengthWarning(m.Name+": trustworthiness", "state", trust, p.in.Episode))
		}
		if err := m.curveIntervals(scores.Curves, p.blocks, p.reason); err != nil {
			return nil, err
		}
		for q := range m.ByK {
			j, err := m.ByK[q].intervals(&scores.ByK[q], p.blocks, p.reason)
			if err != nil {
				return nil, err
			}
			jackknifes[i] = append(jackknifes[i], j)
		}
		p.fillNull(&m, i, exactNulls(compared), exactNulls(short))
		result.Models = append(result.Models, m)
	}
	result.fillChance()
	result.fillWindow()
	result.duplicateWarnings()
	result.warnOfTime()
	if p.blocks == nil {
		return result, nil
	}
	return result, p.compare(result, jackknifes)
}

// noCurves says why there are no co-ranking curves.
func (p *plan) noCurves() string {
	if p.o.CoRanking == neighbors.CoRankingOff {
		return "off (--coranking off)"
	}
	return fmt.Sprintf("more than %d states (compute them with --coranking full)", neighbors.AutoCoRankingPoints)
}

// compare tests all pairs of models at every k.
func (p *plan) compare(result *Result, jackknifes [][]jackknifed) error {
	for _, metric := range []struct {
		name string
		of   func(jackknifed) *stat.Jackknifed
	}{
		{"trustworthiness", func(j jackknifed) *stat.Jackknifed { return j.trust }},
		{"continuity", func(j jackknifed) *stat.Jackknifed { return j.cont }},
	} {
		for q, k := range p.ks {
			estimates := make([]*stat.Jackknifed, len(jackknifes))
			for i := range estimates {
				estimates[i] = metric.of(jackknifes[i][q])
			}
			row := results.Metric{
				Name: fmt.Sprintf("%s@%d", metric.name, k), Family: metric.name,
				Path: fmt.Sprintf("by_k[k=%d].%s", k, metric.name),
			}
			pairs, err := results.Pairwise(row, results.Names(p.in.Models), estimates, p.o.Seed)
			if err != nil {
				return err
			}
			result.Comparisons = append(result.Comparisons, pairs...)
		}
	}
	results.Correct(result.Comparisons, p.o.Family)
	return nil
}

// sampledResult is the analysis on a sample of reference states.
func sampledResult(ctx context.Context, in Input, o Options) (*Result, error) {
	all := o // without options of all states together
	all.PerPoint, all.CoRanking = false, neighbors.CoRankingOff
	p, err := newPlan(in, all)
	if err != nil {
		return nil, err
	}
	if err := p.openPass(p.settings); err != nil {
		return nil, err
	}
	result := p.result()
	return result, result.compareSampled(ctx, p, o)
}

// warn adds a warning once.
func (p *plan) warn(text string) {
	if text != "" && !slices.Contains(p.warnings, text) {
		p.warnings = append(p.warnings, text)
	}
}
