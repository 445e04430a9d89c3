// The work of an analysis in units: the scores of blocks of samples, and the
// statistics of all scores.

package reconstruction

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"repscope/analysis/internal/results"
	"repscope/internal/fault"
	"repscope/internal/option"
	"repscope/internal/parallel"
	"repscope/measure/object"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
)

// Definition is the version of what the numbers mean; see [shard.Identity].
const Definition = 1

// BlockValues bounds the pixels that are held of a model at a time.
const BlockValues = 1 << 20

// Part is the outcome of a range of units: of samples that follow each other.
type Part struct{ Steps []PartOfStep }

// PartOfStep are the scores of one number of steps ahead. All lists are by sample, with
// NaN where its episode has ended.
type PartOfStep struct {
	Energy []float64 // gradient energy of the true frame
	Moved  []float64 // number of pixels that move
	// One step ahead alone: the squared length of the true step, and the areas of the
	// objects of the true frame.
	Motion []float64
	Areas  [][]int
	Models []Scores // models of the input, then the baselines; empty where they do not predict so far
}

// Scores are the scores of one model's predictions.
type Scores struct {
	MSE, MAE, SSIM []float64
	Energy         []float64 // gradient energy
	Moving, Static []float64 // sums of squared errors over pixels that move, and over those that do not
	// One step ahead alone: the squared length of the predicted step and its cosine with
	// the true one, the number of predicted objects, the distances of matched ones, summed,
	// and which true objects are matched.
	Motion, Cosine    []float64
	Objects, Distance []float64
	Hits              [][]bool
	Failed            string // of one step ahead: why some frames could not be made; empty where they could
}

// plan is the work of one analysis.
type plan struct {
	in     Input // without baselines among the models
	o      Options
	models []Predictions // with them
	states []int         // that the samples are of
	block  int           // samples of a unit
	ssim   error         // why there is no structural similarity; nil if there is
}

// Work returns the analysis in units of blocks of samples; see [Analyze] for the result
// and the errors.
func Work(in Input, o Options) (shard.Work[*Part, *Result], error) {
	var none shard.Work[*Part, *Result]
	o, err := o.withDefaults()
	if err != nil {
		return none, err
	}
	if err := in.check(); err != nil {
		return none, err
	}
	p := &plan{in: in, o: o, models: in.withBaselines(o.Threads), states: in.States()}
	// At least 16, so that threads have something to share.
	p.block = min(max(BlockValues/(in.Shape.Size()*in.steps()), 16), 1024)
	_, p.ssim = newSSIM(in.Shape, o.Window)
	return shard.Work[*Part, *Result]{
		Units:    (len(in.Samples) + p.block - 1) / p.block,
		Identity: p.identity,
		Map:      p.compareAll,
		Merge:    p.merge,
	}, nil
}

// withBaselines are the models of the input and the baselines.
func (in Input) withBaselines(threads int) []Predictions {
	return append(append([]Predictions(nil), in.Models...), copyLast(in), newMeanFrame(in, threads).predictions())
}

// identity is the identity of everything the numbers follow from.
func (p *plan) identity() shard.Identity {
	id := p.common()
	for _, m := range p.in.Models {
		id.Inputs = append(id.Inputs, shard.Field{Name: "predictions " + m.Name, Value: fmt.Sprintf("%s, %d steps", digest(m.Frames), m.steps())})
	}
	return id
}

// common is the identity without the models.
func (p *plan) common() shard.Identity {
	states, next := make([]int, len(p.in.Samples)), []int{} // a state of −1 tells that states are predicted themselves
	for i, s := range p.in.Samples {
		states[i] = s.State
		next = append(next, s.Next...)
	}
	return shard.Identity{
		Analysis: "reconstruction", Definition: Definition,
		Inputs: []shard.Field{
			{Name: "frames", Value: digest(p.in.Frames)},
			{Name: "samples and episodes", Value: shard.Digest(points.Points{}, states, next, p.in.Episode)},
		},
		Options: slices.Concat(option.Of(&p.o).Identity(), p.o.Identity(), []shard.Field{shard.Option("shape", p.in.Shape.String())}),
	}
}

// identityOf is the identity of the scores of model i at the samples lo … hi−1; one after the last: of the true
// frames and the baselines.
func (p *plan) identityOf(common shard.Identity, i, lo, hi int) shard.Identity {
	common.Options = slices.DeleteFunc(slices.Clone(common.Options),
		func(f shard.Field) bool { return slices.Contains(afterwards, f.Name) })
	if i == len(p.in.Models) {
		return common.OfModel("the true frames and the baselines",
			shard.Option("samples", []int{lo, hi}), shard.Option("steps", p.in.steps()))
	}
	m := p.in.Models[i]
	content := digest(m.Frames)
	return common.OfModel(content, shard.Option("samples", []int{lo, hi}), shard.Option("steps", m.steps()),
		shard.Option("forward", m.Forward))
}

// afterwards are the options by which the scores of samples do not change.
var afterwards = []string{"bootstrap", "block", "family", "seed"}

// digest is the digest of frames, as the value of a field.
func digest(f Frames) string {
	if f.Digest == nil {
		return "unknown"
	}
	text, err := f.Digest()
	if err != nil {
		return "unknown: " + err.Error()
	}
	return text
}

// steps is how many steps ahead a model predicts.
func (m Predictions) steps() int { return max(m.Steps, 1) }

// compareAll scores the samples of a range of units.
func (p *plan) compareAll(ctx context.Context, r shard.Range) (*Part, error) {
	lo, hi := r.Lo*p.block, min(r.Hi*p.block, len(p.in.Samples))
	common := sync.OnceValue(p.common)
	count := len(p.in.Models)
	parts, err := shard.RememberEach(ctx, count+1, func(i int) shard.Identity { return p.identityOf(common(), i, lo, hi) },
		func(missing []int) ([]*Part, error) {
			models := slices.Clone(missing)
			if last := len(models) - 1; models[last] == count {
				models = append(models, count+1) // both baselines
			}
			part, err := p.compareSome(ctx, lo, hi, models)
			if err != nil {
				return nil, err
			}
			var out []*Part
			for _, i := range missing {
				out = append(out, part.alone(i, count))
			}
			return out, nil
		}, func(part *Part) bool {
			return !slices.ContainsFunc(part.Steps[0].Models, func(s Scores) bool { return s.Failed != "" })
		})
	if err != nil {
		return nil, err
	}
	truth := parts[count]
	for step := range truth.Steps {
		s := &truth.Steps[step]
		baselines := s.Models
		s.Models = nil
		for _, part := range parts[:count] {
			s.Models = append(s.Models, part.Steps[step].Models...)
		}
		s.Models = append(s.Models, baselines...)
	}
	return truth, nil
}

// alone is the part of one of the given models, with nothing else; or, after the last, all that is no scores of these.
func (part *Part) alone(i, count int) *Part {
	out := &Part{}
	for _, s := range part.Steps {
		if i < count {
			out.Steps = append(out.Steps, PartOfStep{Models: s.Models[i : i+1]})
			continue
		}
		s.Models = s.Models[count:]
		out.Steps = append(out.Steps, s)
	}
	return out
}

// compareSome scores some of the models at the samples lo … hi−1.
func (p *plan) compareSome(ctx context.Context, lo, hi int, models []int) (*Part, error) {
	part := newPart(p, hi-lo)
	c := &comparer{plan: p, size: p.in.Shape.Size(), some: models, total: (hi - lo) * len(models), part: part, first: lo,
		scenes: object.NewBackgrounds(p.in.Frames.Read, p.in.Shape.Size(), p.in.Episode, p.o.Threads)}
	c.scorers = make([]*scorer, parallel.Workers(p.o.Threads, p.block))
	for i := range c.scorers {
		c.scorers[i] = newScorer(p.in.Shape, p.o)
	}
	for start := lo; start < hi; start += p.block {
		if err := c.compare(ctx, start, min(start+p.block, hi)); err != nil {
			return nil, err
		}
	}
	return part, nil
}

// withoutFailed is the plan and the scores without the models that could not make some
// frames, and these with the reason.
func (p *plan) withoutFailed(all *Part) (*plan, []report.Unmeasured) {
	reasons := make([]string, len(p.models))
	for k, m := range all.Steps[0].Models {
		reasons[k] = m.Failed
	}
	q := *p
	var failed []report.Unmeasured
	if q.models, failed = results.WithoutFailed(p.models, reasons, func(m Predictions) string { return m.Name }); len(failed) == 0 {
		return p, nil
	}
	q.in.Models = results.Kept(p.in.Models, reasons)
	for i := range all.Steps {
		all.Steps[i].Models = results.Kept(all.Steps[i].Models, reasons)
	}
	return &q, failed
}

// newPart makes room for the scores of n samples.
func newPart(p *plan, n int) *Part {
	part := &Part{}
	for step := range p.in.steps() {
		s := PartOfStep{Energy: undefined(n), Moved: undefined(n)}
		if step == 0 {
			s.Motion, s.Areas = undefined(n), make([][]int, n)
		}
		for _, m := range p.models {
			var scores Scores
			if step < m.steps() {
				for _, list := range scores.lists() {
					*list = undefined(n)
				}
				if step == 0 {
					for _, list := range scores.firstLists() {
						*list = undefined(n)
					}
					scores.Hits = make([][]bool, n)
				}
			}
			s.Models = append(s.Models, scores)
		}
		part.Steps = append(part.Steps, s)
	}
	return part
}

// lists are the numbers of every number of steps ahead.
func (s *Scores) lists() []*[]float64 {
	return []*[]float64{&s.MSE, &s.MAE, &s.SSIM, &s.Energy, &s.Moving, &s.Static}
}

// firstLists are the lists of one step ahead alone.
func (s *Scores) firstLists() []*[]float64 {
	return []*[]float64{&s.Motion, &s.Cosine, &s.Objects, &s.Distance}
}

// comparer scores one block of samples after the other.
type comparer struct {
	*plan
	some    []int // models
	size    int
	scorers []*scorer // by worker
	part    *Part
	first   int // sample of the part's first row

	current []float64   // frames of the samples' states, of those that are there
	now     []int       // by sample: where in current; −1 for none
	truth   [][]float64 // by step: of those that are there
	place   [][]int     // by step and sample: where in truth; −1 for none
	scenes  *object.Backgrounds
	behind  [][]float64     // background of the episode of every sample
	objects []*object.Found // of the true next frame of every sample
	done    int
	total   int
}

// compare scores the samples lo ≤ i < hi by all models.
func (c *comparer) compare(ctx context.Context, lo, hi int) error {
	if err := c.readTruth(ctx, lo, hi); err != nil {
		return err
	}
	if err := c.readBackgrounds(ctx, lo, hi); err != nil {
		return err
	}
	if err := c.scoreTruth(ctx, lo, hi); err != nil {
		return err
	}
	var all, forward []int
	for i := range hi - lo {
		all = append(all, lo+i)
		if c.now[i] >= 0 {
			forward = append(forward, lo+i)
		}
	}
	var frames []float64
	for _, k := range c.some {
		m, samples := c.models[k], all
		if m.Forward {
			samples = forward
		}
		each := m.steps() * c.size
		if need := len(samples) * each; cap(frames) < need {
			frames = make([]float64, need)
		}
		frames = frames[:len(samples)*each]
		failed := &c.part.Steps[0].Models[k].Failed
		if *failed != "" {
			continue
		}
		err := m.Frames.Read(ctx, frames, samples)
		if err == nil {
			err = parallel.Try(ctx, c.o.Threads, len(samples), func(worker, i int) error {
				return c.score(c.scorers[worker], k, samples[i], samples[i]-lo, frames[i*each:(i+1)*each])
			})
		}
		if err != nil {
			if k >= len(c.in.Models) || !fault.OfModel(ctx, err) {
				return fmt.Errorf("%s: %w", m.Name, err)
			}
			*failed = err.Error()
		}
		c.done += len(all)
		if c.o.Progress != nil {
			c.o.Progress(c.done, c.total)
		}
	}
	return nil
}

// score enters the scores of one sample of a block, with predictions of all steps.
func (c *comparer) score(s *scorer, model, sample, i int, predicted []float64) error {
	m := c.models[model]
	for step := range m.steps() {
		k := c.place[step][i]
		if k < 0 {
			continue
		}
		to, row := &c.part.Steps[step], sample-c.first
		v := s.compare(c.before(i), c.truth[step][k*c.size:(k+1)*c.size], predicted[step*c.size:(step+1)*c.size])
		if v.mse-v.mse != 0 {
			return fmt.Errorf(
				"the prediction of state %d, %d steps ahead, contains NaN or Inf", c.states[sample], step+1)
		}
		of := &to.Models[model]
		of.MSE[row], of.MAE[row], of.SSIM[row] = v.mse, v.mae, v.ssim
		of.Energy[row], of.Moving[row], of.Static[row] = v.energy, v.moving, v.static
	}
	return c.scoreFirst(s, model, sample, i, predicted[:c.size])
}

// scoreFirst enters the scores of one step ahead alone: motion and objects.
func (c *comparer) scoreFirst(s *scorer, model, sample, i int, predicted []float64) error {
	scores, row := &c.part.Steps[0].Models[model], sample-c.first
	k := c.place[0][i]
	if before := c.before(i); before != nil {
		m := motionOf(before, c.truth[0][k*c.size:(k+1)*c.size], predicted)
		scores.Motion[row], scores.Cosine[row] = m.predicted, m.cosine()
	}
	objects, err := s.finder.Find(predicted, c.behind[i])
	if err != nil {
		return err
	}
	matched, err := matchObjects(c.objects[i], objects)
	if err != nil {
		return err
	}
	scores.Objects[row], scores.Distance[row], scores.Hits[row] = float64(matched.predicted), matched.distance, matched.hits
	return nil
}

// readBackgrounds takes the backgrounds of the episodes of the samples lo ≤ i < hi.
func (c *comparer) readBackgrounds(ctx context.Context, lo, hi int) error {
	c.behind, c.objects = make([][]float64, hi-lo), make([]*object.Found, hi-lo)
	for i := range c.behind {
		var err error
		if c.behind[i], err = c.scenes.Of(ctx, c.in.Episode[c.in.Samples[lo+i].Next[0]]); err != nil {
			return err
		}
	}
	return nil
}

// readTruth reads the current frames and the true next ones.
func (c *comparer) readTruth(ctx context.Context, lo, hi int) error {
	n := hi - lo
	states := make([]int, 0, n)
	c.now = make([]int, n)
	for i := range c.now {
		c.now[i] = -1
		if state := c.in.Samples[lo+i].State; state >= 0 {
			c.now[i] = len(states)
			states = append(states, state)
		}
	}
	if c.truth == nil {
		c.truth, c.place = make([][]float64, c.in.steps()), make([][]int, c.in.steps())
	}
	c.current = slices.Grow(c.current[:0], len(states)*c.size)[:len(states)*c.size]
	if err := c.in.Frames.Read(ctx, c.current, states); err != nil {
		return err
	}
	for step := range c.truth {
		next, place := make([]int, 0, n), make([]int, n)
		for i := range place {
			place[i] = -1
			if state := c.in.Samples[lo+i].Next[step]; state >= 0 {
				place[i] = len(next)
				next = append(next, state)
			}
		}
		if need := len(next) * c.size; cap(c.truth[step]) < need {
			c.truth[step] = make([]float64, need)
		}
		c.truth[step], c.place[step] = c.truth[step][:len(next)*c.size], place
		if err := c.in.Frames.Read(ctx, c.truth[step], next); err != nil {
			return err
		}
	}
	return nil
}

// before is the current frame of a sample of a block; nil where there is none.
func (c *comparer) before(i int) []float64 {
	k := c.now[i]
	if k < 0 {
		return nil
	}
	return c.current[k*c.size : (k+1)*c.size]
}

// scoreTruth enters what depends on true frames alone.
func (c *comparer) scoreTruth(ctx context.Context, lo, hi int) error {
	return parallel.Try(ctx, c.o.Threads, hi-lo, func(worker, i int) error {
		for step, place := range c.place {
			k := place[i]
			if k < 0 {
				continue
			}
			truth := c.truth[step][k*c.size : (k+1)*c.size]
			energy, moved := c.scorers[worker].truth(c.before(i), truth)
			if energy-energy != 0 {
				return fmt.Errorf("frames: the frame of state %d contains NaN or Inf", c.in.Samples[lo+i].Next[step])
			}
			to, row := &c.part.Steps[step], lo+i-c.first
			to.Energy[row], to.Moved[row] = energy, moved
			if step > 0 {
				continue
			}
			var err error
			if c.objects[i], err = c.scorers[worker].finder.Find(truth, c.behind[i]); err != nil {
				return err
			}
			if before := c.before(i); before != nil {
				to.Motion[row] = motionOf(before, truth, truth).truth
			}
			for _, o := range c.objects[i].Objects {
				to.Areas[row] = append(to.Areas[row], o.Area)
			}
		}
		return nil
	})
}
