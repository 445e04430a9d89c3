// The metric fidelity: whether generated samples lie where real ones lie, reach all of them, and
// are new.

package generation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repscope/measure/fidelity"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// Fidelity compares generated samples with the real ones that the generator was trained on: by
// latents where both have them, else by the cells of grids or the columns of tables, which are in
// units of the standard deviations of the real ones. Samples that are not valid are left out.
type Fidelity struct {
	Space                string // latents or samples
	Real, Generated, Dim int
	Ball                 Ball   // at the usual k
	ByK                  []Ball // ascending
	ByLabel              []LabelFidelity
	Left                 []SkippedLabel
	Distances            Distances
	Classifiers          []TwoSamples
	Memorization         Memorization
	// Baseline compares two halves of the real samples.
	Baseline FidelityBaseline
	// Degenerate says that most balls have radius 0, so that scores by neighbors count copies; empty
	// where they have not.
	Degenerate string
}

// Ball is precision, recall, density and coverage at one k.
type Ball struct {
	K                                    int
	Precision, Recall, Density, Coverage Estimate

	ZeroReal, ZeroGenerated int // balls of radius 0
}

// LabelFidelity is the fidelity of the samples of one label.
type LabelFidelity struct {
	Label, Real, Generated int
	Ball
}

// FidelityBaseline are the numbers of one half of the real samples, in the place of generated ones, against the other:
// means over some splits.
type FidelityBaseline struct {
	First, Second, Splits     int
	Ball                      fidelity.Scores
	MMD, Energy, Frechet, KID float64
	Reason                    string // why there are none
}

// fidelityMetric is its row of the registry.
var fidelityMetric = Metric{
	Name: "fidelity", Needs: []Need{needFidelity},
	Reads: []string{inGenerated, inReal, inLatents, inRealLatents}, compute: computeFidelity,
	Estimates: func(m *Model) []Estimate { return m.Fidelity.estimates() },
}

// usualK is the k of the headline, and leastForErrors the number of samples of each kind below which
// numbers have no intervals: blocks and halves of so few do not show their error.
const usualK, leastForErrors = 5, 20

// mostHalved is the number of blocks of each kind that are halved together.
const mostHalved = 60

// cloud is one kind of sample as points.
type cloud struct {
	points         points.Points
	labels, groups []int
}

func (c *cloud) at(index []int) *cloud {
	return &cloud{points: c.points.Select(index), labels: chosen(c.labels, index), groups: chosen(c.groups, index)}
}

// fidelityWork is what the parts of the metric share.
type fidelityWork struct {
	a               *analyzer
	space           string
	tied            bool // distances tie, as distances of grids do
	real, generated *cloud
	labels          []int  // of all samples of both kinds, valid or not
	doubt           string // why there are no p values; empty: there are
}

func computeFidelity(ctx context.Context, a *analyzer, g *Generator, m *Model) error {
	w, err := newFidelityWork(a, g)
	if err != nil {
		return err
	}
	f := &Fidelity{Space: w.space, Real: w.real.points.N, Generated: w.generated.points.N, Dim: w.real.points.Dim}
	ks := slices.DeleteFunc(fidelity.DefaultKs(), func(k int) bool { return !hasBalls(f.Generated, f.Real, k) })
	if f.ByK, err = w.balls(ctx, "fidelity.", w.real, w.generated, ks); err != nil {
		return err
	}
	if f.Ball = noBall(f.Generated, f.Real); slices.Contains(ks, usualK) {
		f.Ball = f.ByK[slices.Index(ks, usualK)]
		f.Degenerate = f.Ball.degenerate(f.Real, f.Generated)
	}
	if err := w.byLabel(ctx, f); err != nil {
		return err
	}
	if err := w.distances(ctx, &f.Distances); err != nil {
		return err
	}
	if err := w.classifiers(ctx, f); err != nil {
		return err
	}
	if err := w.memorization(ctx, g, f); err != nil {
		return err
	}
	if err := w.baseline(ctx, f); err != nil {
		return err
	}
	m.Fidelity = f
	return nil
}

// hasBalls reports whether samples have k neighbors: from leastForErrors on in halves too.
func hasBalls(generated, real, k int) bool {
	least := min(generated, real)
	if least < leastForErrors {
		return k < least
	}
	return 2*k < least
}

// noBall are the numbers of balls where samples have no usualK neighbors.
func noBall(generated, real int) Ball {
	reason := fmt.Sprintf(
		"found %d generated and %d real samples; %d neighbors need %d of each", generated, real, usualK,
		usualK+1)
	return Ball{K: usualK, Precision: undefined("fidelity.precision", reason),
		Recall:  undefined("fidelity.recall", reason),
		Density: undefined("fidelity.density", reason), Coverage: undefined("fidelity.coverage", reason)}
}

// degenerate says that most balls of a kind have radius 0.
func (b *Ball) degenerate(real, generated int) string {
	var parts []string
	for _, kind := range []struct {
		zero, n      int
		name, scores string
	}{{b.ZeroReal, real, "real", "precision, density and coverage measure"}, {b.ZeroGenerated, generated, "generated",
		"recall measures"}} {
		if 2*kind.zero > kind.n {
			parts = append(parts, fmt.Sprintf("%d of %d %s samples have %d copies or more, so %s copies only",
				kind.zero, kind.n, kind.name, b.K, kind.scores))
		}
	}
	return strings.Join(parts, "; ")
}

// few is why numbers of so few samples have no intervals; nil where there are enough, or none are
// asked for.
func (w *fidelityWork) few(real, generated int) error {
	if min(real, generated) >= leastForErrors || !w.a.o.Intervals {
		return nil
	}
	return stat.Undefined("error",
		"found %d generated and %d real samples; standard errors need %d of each", generated, real,
		leastForErrors)
}

// newFidelityWork chooses the samples that are compared.
func newFidelityWork(a *analyzer, g *Generator) (*fidelityWork, error) {
	w := &fidelityWork{a: a}
	if latentsOfBoth(&a.in, g) {
		w.space = "latents"
		latents, real := g.Latents, a.in.RealLatents
		if latents.Points.Dim != real.Points.Dim {
			return nil, fmt.Errorf("latents of %s have dimension %d, but latents of real samples (%s) have %d: "+
				"want equal dimensions", latents.Name, latents.Points.Dim, real.Name, real.Points.Dim)
		}
		w.doubt = doubted(a.related, []string{inLatents, inRealLatents}, g.Name)
		w.generated = &cloud{float64s(latents.Points), latents.Labels, latents.Groups}
		w.real = &cloud{float64s(real.Points), real.Labels, real.Groups}
		w.labels = DistinctLabels(latents.Labels, real.Labels)
	} else {
		w.space, w.tied = "samples", a.in.Real.Binary()
		w.doubt = doubted(a.related, []string{inGenerated, inReal}, g.Name)
		w.generated, w.real = validCloud(g.Generated), validCloud(a.in.Real)
		w.labels = DistinctLabels(g.Generated.Labels, a.in.Real.Labels)
		if w.generated.points.N == 0 || w.real.points.N == 0 {
			return nil, skip("no valid sample")
		}
		scaleColumns(a.in.Real, w.real, w.generated)
	}
	return w, nil
}

// float64s are points in float64, so that files of different types can be compared.
func float64s(p points.Points) points.Points {
	if p.F64 != nil || p.N == 0 {
		return p
	}
	x := make([]float64, 0, p.N*p.Dim)
	row := make([]float64, p.Dim)
	for i := range p.N {
		x = append(x, p.Row(i, row)...)
	}
	return points.Float64(x, p.Dim)
}

// validCloud are the valid ones of samples.
func validCloud(s *Samples) *cloud {
	valid := s.onlyValid()
	return &cloud{points: valid.Rows, labels: valid.Labels, groups: valid.Groups}
}

// scaleColumns centers columns of tables at the means of the real ones, and divides them by their standard deviations,
// so that no number depends on the origin of a unit; a column in which the real ones do not vary is not divided. Cells
// of grids have one unit.
func scaleColumns(samples *Samples, real *cloud, others ...*cloud) {
	if samples.Binary() {
		return
	}
	dim := real.points.Dim
	factor, origin, column := make([]float64, dim), make([]float64, dim), make([]float64, real.points.N)
	row := make([]float64, dim)
	for k := range factor {
		for i := range column {
			column[i] = real.points.Row(i, row)[k]
		}
		factor[k], origin[k] = 1, meanOf(column)
		if sd := deviation(column); sd > 0 {
			factor[k] = 1 / sd
		}
	}
	for _, c := range append(others, real) {
		scaled := slices.Clone(float64s(c.points).F64)
		for i := range scaled {
			scaled[i] = (scaled[i] - origin[i%dim]) * factor[i%dim]
		}
		c.points = points.Float64(scaled, dim)
	}
}

func (w *fidelityWork) search() neighbors.Options { return neighbors.Options{Threads: w.a.o.Threads} }

// balls are precision, recall, density and coverage of some of the samples, at every k.
func (w *fidelityWork) balls(ctx context.Context, path string, real, generated *cloud, ks []int) ([]Ball, error) {
	if len(ks) == 0 {
		return nil, nil
	}
	halves, why := w.halves(real, generated)
	scores, err := fidelity.PRDC(ctx, real.points, generated.points,
		fidelity.Options{Ks: ks, Halves: halves, Neighbors: w.search()})
	if err != nil {
		return nil, err
	}
	var out []Ball
	for _, ball := range scores.ByK {
		b := Ball{K: ball.K, ZeroReal: ball.ZeroReal, ZeroGenerated: ball.ZeroGenerated}
		prefix := path
		if ball.K != usualK {
			prefix = fmt.Sprintf("%sby_k.%d.", path, ball.K)
		}
		errs := ball.Error
		if errs == nil {
			errs = &fidelity.Errors{}
		}
		for _, score := range []struct {
			to    *Estimate
			name  string
			value float64
			j     *stat.Jackknifed
		}{
			{&b.Precision, "precision", ball.Precision, errs.Precision}, {&b.Recall, "recall", ball.Recall, errs.Recall},
			{&b.Density, "density", ball.Density, errs.Density}, {&b.Coverage, "coverage", ball.Coverage, errs.Coverage},
		} {
			*score.to = estimate(prefix+score.name, score.value, score.j, why)
			if score.j != nil && score.to == &b.Density && w.tied {
				*score.to = withoutError(prefix+score.name, score.value,
					"distances between grids tie, so halves underestimate the error of density")
			} else if score.j != nil {
				score.to.Shared, score.to.Items = len(score.j.BlockSizes), fmt.Sprintf("halves of %s in %v", w.space,
					score.j.BlockSizes)
			}
		}
		out = append(out, b)
	}
	return out, nil
}

// halves are the halves of samples, or why there are none.
func (w *fidelityWork) halves(real, generated *cloud) (*fidelity.Halves, error) {
	if err := w.few(real.points.N, generated.points.N); err != nil || !w.a.o.Intervals {
		return nil, err
	}
	limit := min(mostHalved, real.points.N, generated.points.N)
	a, err := w.a.blocks(real.points.N, real.labels, real.groups, limit)
	if err != nil {
		return nil, err
	}
	b, err := w.a.blocks(generated.points.N, generated.labels, generated.groups, limit)
	if err != nil {
		return nil, err
	}
	h, err := fidelity.NewHalves(a, b, w.a.o.Seed)
	if err != nil {
		return nil, err
	}
	return h, nil
}

// byLabel takes the labels with enough samples of both kinds.
func (w *fidelityWork) byLabel(ctx context.Context, f *Fidelity) error {
	if w.generated.labels == nil || w.real.labels == nil {
		return nil
	}
	ofGenerated, ofReal := members(w.labels, w.generated.labels), members(w.labels, w.real.labels)
	for k, label := range w.labels {
		n, m := len(ofReal[k]), len(ofGenerated[k])
		if !hasBalls(m, n, usualK) {
			f.Left = append(f.Left, SkippedLabel{label, noBall(m, n).Precision.Value.Reason})
			continue
		}
		real, generated := w.real.at(ofReal[k]), w.generated.at(ofGenerated[k])
		real.labels, generated.labels = nil, nil
		balls, err := w.balls(ctx, "", real, generated, []int{usualK})
		if err != nil {
			return err
		}
		f.ByLabel = append(f.ByLabel, LabelFidelity{Label: label, Real: n, Generated: m, Ball: balls[0]})
	}
	return nil
}

// baselineSplits is the number of splits of the real samples; of many samples one has little error.
func baselineSplits(n int) int {
	if n > 2000 {
		return 1
	}
	return 8
}

// baseline holds halves of the real samples against each other.
func (w *fidelityWork) baseline(ctx context.Context, f *Fidelity) error {
	b := &f.Baseline
	n := w.real.points.N
	if n < 2*leastForErrors {
		b.Reason = fmt.Sprintf("found %d real samples; two halves need %d", n, 2*leastForErrors)
		return nil
	}
	for split := range baselineSplits(n) {
		first, second := splitGroups(w.real, min(n/2, w.generated.points.N), w.a.o.Seed, uint64(split))
		if min(len(first), len(second)) < leastForErrors {
			b.Reason = "the real samples have too few groups to split in halves"
			return nil
		}
		x, y := w.real.points.Select(first), w.real.points.Select(second)
		if err := w.addBaseline(ctx, b, x, y); err != nil {
			return err
		}
	}
	splits := float64(b.Splits)
	for _, v := range []*float64{&b.Ball.Precision, &b.Ball.Recall, &b.Ball.Density, &b.Ball.Coverage, &b.MMD, &b.Energy, &b.Frechet, &b.KID} {
		*v /= splits
	}
	return nil
}

func (w *fidelityWork) addBaseline(ctx context.Context, b *FidelityBaseline, x, y points.Points) error {
	b.First, b.Second = x.N, y.N
	b.Splits++
	scores, err := fidelity.PRDC(ctx, y, x, fidelity.Options{Ks: []int{usualK}, Neighbors: w.search()})
	if err != nil {
		return err
	}
	s := scores.ByK[0].Scores
	b.Ball.Precision += s.Precision
	b.Ball.Recall += s.Recall
	b.Ball.Density += s.Density
	b.Ball.Coverage += s.Coverage
	d, err := w.plainDistances(ctx, spread(&cloud{points: x}, mostCompared).points,
		spread(&cloud{points: y}, mostCompared).points)
	if err != nil {
		return err
	}
	b.MMD += d[0]
	b.Energy += d[1]
	b.KID += d[2]
	b.Frechet += d[3]
	return nil
}

// splitGroups draws groups of samples until there are as many as the first part should have; the others are the
// second.
func splitGroups(c *cloud, size int, seed, split uint64) (first, second []int) {
	groups := make([][]int, 0, c.points.N)
	if c.groups == nil {
		for i := range c.points.N {
			groups = append(groups, []int{i})
		}
	} else {
		groups = members(DistinctLabels(c.groups), c.groups)
	}
	for _, g := range stat.NewRandom(stat.StreamRealHalves.Key(seed, split)).Perm(len(groups)) {
		if len(first) < size {
			first = append(first, groups[g]...)
		} else {
			second = append(second, groups[g]...)
		}
	}
	slices.Sort(first)
	slices.Sort(second)
	return first, second
}

func (f *Fidelity) estimates() []Estimate {
	if f == nil {
		return nil
	}
	d := &f.Distances
	out := []Estimate{f.Ball.Precision, f.Ball.Recall, f.Ball.Density, f.Ball.Coverage, d.MMD, d.Energy, d.KID, d.Frechet, d.Vendi, f.Memorization.Novelty}
	for _, c := range f.Classifiers {
		out = append(out, c.AUC)
	}
	return out
}

// needFidelity is generated and real samples, or latents of both.
var needFidelity = Need{"--generated NAME=FILE and --real FILE, or --latents NAME=FILE and --real-latents FILE", func(in *Input, g *Generator) bool {
	return g.Generated != nil && in.Real != nil || latentsOfBoth(in, g)
}}

// latentsOfBoth reports whether there are latents of the generator and others of real samples: latents of a
// reference row are the real ones themselves.
func latentsOfBoth(in *Input, g *Generator) bool {
	return g.Latents != nil && in.RealLatents != nil && !g.Reference
}
