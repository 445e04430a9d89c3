// The part of fidelity that compares generated and real samples as wholes: distances of
// distributions, the effective number of different samples, and classifiers.

package generation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/measure/embedding"
	"repscope/measure/fidelity"
	"repscope/measure/spectrum"
	"repscope/measure/twosample"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// Distances are the distances of generated and real samples.
type Distances struct {
	MMD             Estimate // squared, unbiased, Gaussian kernel of the median distance
	MMDP            report.Value
	Bandwidth       float64
	Energy          Estimate // the root
	EnergyP         report.Value
	KID             Estimate
	KIDP            report.Value
	Frechet         Estimate
	FrechetInfinity report.Value
	Permutations    int
	Compared        [2]int // generated and real samples whose pairs are compared
	// Vendi is the effective number of different generated samples, of order 1, VendiTwo of order 2;
	// VendiReal the number of as many real ones.
	Vendi, VendiTwo          Estimate
	VendiInfinity, VendiReal report.Value
}

// TwoSamples is how well a classifier tells generated from real samples.
type TwoSamples struct {
	Name          string // logistic or neighbors
	AUC, Accuracy Estimate
	// P is the two-sided p value of AUC being ½, from its error with all classifiers fitted again.
	P               report.Value
	JensenShannon   report.Value
	JensenShannonCI report.Interval
	Dim             int // of the principal components that it sees; 0: all coordinates
}

// Numbers beyond which less is computed, and what then.
const (
	permutations      = 199
	mostFrechetBlocks = 32   // coordinates up to which the Fréchet distance is computed without each block
	perCoordinate     = 4    // generated samples of each coordinate that its limit takes
	mostVendiBlocks   = 64   // coordinates or samples up to which the Vendi score is computed without each block
	classifierBlocks  = 20   // of each kind, without which classifiers are fitted again
	classifierDim     = 50   // principal components that classifiers see at most
	mostCompared      = 5000 // samples of each kind that are compared in pairs and classified
	votes             = 20
)

// blocking are the blocks of two kinds of samples, the generated ones first.
type blocking struct {
	of              string // of their items
	pool            *stat.Blocks
	generated, real *stat.Blocks
	why             error // there are none
	doubt           string
}

// blocking deals both kinds to at most that many blocks each.
func (w *fidelityWork) blocking(x, y *cloud, limit int) *blocking {
	b := &blocking{of: w.space, doubt: w.doubt}
	if b.why = w.few(y.points.N, x.points.N); b.why == nil {
		b.deal(w.a, x, y, limit)
	}
	return b
}

// deal makes the blocks of generated and of real samples; none in a run without intervals.
func (b *blocking) deal(a *analyzer, generated, real *cloud, limit int) {
	if !a.o.Intervals {
		return
	}
	dealt := func(c *cloud) *stat.Blocks {
		if b.why != nil {
			return nil
		}
		var blocks *stat.Blocks
		if blocks, b.why = a.blocks(c.points.N, c.labels, c.groups, limit); b.why != nil {
			return nil
		}
		return blocks.Coarsen(limit)
	}
	b.generated, b.real = dealt(generated), dealt(real)
	if b.why == nil {
		b.pool, b.why = twosample.Pool(b.generated, b.real)
	}
}

// nearest is a mean of values of the nearest real samples, with the interval of deleting the blocks of both kinds; see
// [twosample.CountOnce].
func (b *blocking) nearest(path string, value float64, without []float64, changes [][]float64) Estimate {
	if b.generated == nil || b.why != nil || without == nil {
		return estimate(path, value, nil, b.why)
	}
	without, err := twosample.CountOnce(value, without, changes, b.generated, b.real)
	if err != nil {
		return estimate(path, value, nil, err)
	}
	return b.estimate(path, value, without, 0)
}

// estimate is a number with the interval of deleting the blocks of both kinds.
// The number is at least low.
func (b *blocking) estimate(path string, value float64, without []float64, low float64) Estimate {
	return b.scaled(path, value, without, func(j *stat.Jackknifed) { j.Within(low, math.Inf(1)) })
}

// scaled is estimate with an interval of a scale.
func (b *blocking) scaled(path string, value float64, without []float64, scale func(j *stat.Jackknifed)) Estimate {
	if b.generated == nil || b.why != nil || without == nil {
		return estimate(path, value, nil, b.why)
	}
	j, err := twosample.JackknifeBlocks(value, without, b.generated, b.real)
	if err != nil {
		return estimate(path, value, nil, err)
	}
	scale(j)
	e := estimate(path, value, j, nil)
	b.share(&e)
	return e
}

// share says that the blocks of real samples are shared with other generators.
func (b *blocking) share(e *Estimate) {
	if b.real != nil && e.Jackknife != nil {
		e.Shared, e.Items = b.real.Count(), fmt.Sprintf("real %s in %v", b.of, b.real.Sizes())
	}
}

// distances fills in d.
func (w *fidelityWork) distances(ctx context.Context, d *Distances) error {
	x, y := spread(w.generated, mostCompared), spread(w.real, mostCompared)
	b := w.blocking(x, y, mostHalved)
	d.Compared, d.Permutations = [2]int{x.points.N, y.points.N}, permutations
	o := twosample.Options{Blocks: b.pool, GroupsX: x.groups, GroupsY: y.groups, Permutations: permutations, Seed: w.a.o.Seed, Threads: w.a.o.Threads}
	mmd, err := twosample.MMD(ctx, x.points, y.points, twosample.MMDOptions{Options: o})
	if d.MMD, d.MMDP, err = b.distance("fidelity.mmd", mmdDistance(mmd), err, math.Inf(-1)); err != nil {
		return err
	}
	if mmd != nil {
		d.Bandwidth = mmd.Bandwidth
	}
	energy, err := twosample.Energy(ctx, x.points, y.points, o)
	if energy != nil {
		energy = energy.Root()
	}
	if d.Energy, d.EnergyP, err = b.distance("fidelity.energy_distance", energy, err, 0); err != nil {
		return err
	}
	kid, err := twosample.KID(ctx, x.points, y.points, o)
	if d.KID, d.KIDP, err = b.distance("fidelity.kid", kid, err, math.Inf(-1)); err != nil {
		return err
	}
	d.KID.withoutTails(cubicTails, x, y)
	b = w.blocking(w.generated, w.real, mostHalved)
	if err := w.frechet(ctx, b, d); err != nil {
		return err
	}
	return w.vendi(ctx, b, d)
}

// tails are heavy if one sample has this share of the sum of the distances from the mean to some power, or one group
// the share groupTails: the errors of a cubic kernel need sixth moments, and of a covariance fourth ones. The largest
// of 150 normal samples in 3 dimensions has 0.2 of the sixth powers, and with Student's t with 3 degrees of freedom
// 0.9. Of n samples, fewer than enough, the share is √(enough/n) times as large, and 9 in 10 normal samples keep their
// intervals.
type tails struct{ power, share, enough float64 }

var cubicTails, squareTails = tails{6, 0.35, 150}, tails{4, 0.4, 30}

// groupTails is more than the share of one in a dozen of groups that differ.
const groupTails = 0.7

// withoutTails takes the interval of a distance away, and its comparisons, where a few samples decide it: other samples
// have another largest one and another distance, and no interval holds it.
func (e *Estimate) withoutTails(t tails, generated, real *cloud) {
	for _, c := range []*cloud{generated, real} {
		if e.Jackknife == nil {
			return
		}
		share, one := twosample.LargestShare(t.power, c.points, nil), "sample"
		heavy := share >= t.share*math.Sqrt(max(1, t.enough/float64(c.points.N)))
		if !heavy && c.groups != nil {
			share, one = twosample.LargestShare(t.power, c.points, c.groups), "group"
			heavy = share >= groupTails
		}
		if heavy {
			*e = withoutError(e.Path, e.Value.Float(), fmt.Sprintf("heavy tails: one %s has %.0f %% of the sum of the "+
				"distances from the mean to the power of %.0f, and decides this one; use MMD or the energy "+
				"distance", one, 100*share, t.power))
		}
	}
}

func mmdDistance(r *twosample.MMDResult) *twosample.Distance {
	if r == nil {
		return nil
	}
	return &r.Distance
}

// distance is one with its p value, or why there is none. Where it does not differ from 0 its interval comes from the
// permutations.
func (b *blocking) distance(path string, d *twosample.Distance, err error,
	low float64) (Estimate, report.Value, error) {
	var none *stat.UndefinedError
	if errors.As(err, &none) {
		return undefined(path, none.Reason), report.Undefined("%s", none.Reason), nil
	}
	if err != nil {
		return Estimate{}, report.Value{}, err
	}
	e := b.estimate(path, d.Value, d.Without, low)
	if e.Jackknife != nil && e.CI.Defined() && d.P > 0.05 {
		// Near 0 the distance is a degenerate statistic, and its jackknife is inconsistent. A distance that the
		// test misses has the error of the jackknife, too, which only makes the interval longer above.
		if i, ok := stat.NullInterval(d.Value, d.Null, e.Jackknife.DF); ok {
			e.CI = report.Between(max(i.Low, low), max(i.High, e.CI.High))
		}
	}
	if b.doubt != "" {
		return e, report.Undefined("%s", b.doubt), nil
	}
	return e, report.NumberOr(d.P, d.Reason), nil
}

// frechet fills in the Fréchet distance and its limit.
func (w *fidelityWork) frechet(ctx context.Context, blocks *blocking, d *Distances) error {
	x, y := w.generated.points, w.real.points
	value, err := twosample.Frechet(x, y)
	if err != nil {
		reason := stat.Reason(err)
		d.Frechet, d.FrechetInfinity = undefined("fidelity.frechet_distance", reason), report.Undefined("%s", reason)
		return nil
	}
	d.Frechet = estimate("fidelity.frechet_distance", value, nil, blocks.why)
	switch {
	case blocks.pool == nil:
	case x.Dim > mostFrechetBlocks:
		d.Frechet.CI = report.NoInterval(
			"intervals are computed for up to %d coordinates, found %d", mostFrechetBlocks, x.Dim)
	default:
		labels, without := blocks.pool.Labels(), make([]float64, blocks.pool.Count())
		for b := range without {
			if err := ctx.Err(); err != nil {
				return err
			}
			keep := func(from, n int) (index []int) {
				for i := range n {
					if labels[from+i] != b {
						index = append(index, i)
					}
				}
				return index
			}
			if without[b], err = twosample.Frechet(x.Select(keep(0, x.N)), y.Select(keep(x.N, y.N))); err != nil {
				without[b] = math.NaN()
			}
		}
		// Its root is a distance, whose error is more symmetric: by groups of unequal size 92 of 100 intervals of the
		// square hold, and 97 of its root.
		d.Frechet = blocks.scaled("fidelity.frechet_distance", value, without,
			func(j *stat.Jackknifed) { j.OnPowerScale(0.5).Within(0, math.Inf(1)) })
		d.Frechet.withoutTails(squareTails, w.generated, w.real)
	}
	if x.N < perCoordinate*x.Dim {
		d.FrechetInfinity = report.Undefined(
			"found %d generated samples of %d coordinates; the limit needs %d of each", x.N, x.Dim, perCoordinate)
		return nil
	}
	limit, err := twosample.FrechetInfinity(ctx, x, y, twosample.InfinityOptions{Seed: w.a.o.Seed, Threads: w.a.o.Threads})
	if err != nil {
		d.FrechetInfinity = report.Undefined("%s", stat.Reason(err))
		return ctx.Err()
	}
	d.FrechetInfinity = report.Number(limit.Limit)
	return nil
}

// vendi fills in the Vendi scores.
func (w *fidelityWork) vendi(ctx context.Context, b *blocking, d *Distances) error {
	const path, pathTwo = "fidelity.vendi_score", "fidelity.vendi_two"
	z := w.generated.points
	all, err := spectrum.Vendi(z)
	if err != nil {
		reason := stat.Reason(err)
		d.Vendi, d.VendiTwo = undefined(path, reason), undefined(pathTwo, reason)
		d.VendiInfinity, d.VendiReal = report.Undefined("%s", reason), report.Undefined("%s", reason)
		return nil
	}
	d.Vendi, d.VendiTwo, d.VendiInfinity = estimate(path, all.One, nil, b.why), estimate(pathTwo, all.Two, nil, b.why), report.Number(all.Infinity)
	points := w.real.points
	if points.N > z.N {
		first, _ := splitGroups(&cloud{points: points}, z.N, w.a.o.Seed, 0)
		points = points.Select(first)
	}
	if real, err := spectrum.Vendi(points); err != nil {
		d.VendiReal = report.Undefined("%s", stat.Reason(err))
	} else {
		d.VendiReal = report.Number(real.One)
	}
	if b.generated == nil {
		return nil
	}
	_, without, err := spectrum.VendiTwo(ctx, z, b.generated, w.a.o.Threads)
	if err != nil {
		return err
	}
	j, err := b.generated.Jackknife(all.Two, without, nil)
	d.VendiTwo = estimate(pathTwo, all.Two, j, err)
	if least := min(z.N, z.Dim); least > mostVendiBlocks {
		d.Vendi.CI = report.NoInterval(
			"intervals are computed for up to %d samples or coordinates, found %d", mostVendiBlocks, least)
		return nil
	}
	scores, err := spectrum.VendiWithout(ctx, z, b.generated, w.a.o.Threads)
	if err != nil {
		return err
	}
	ones := make([]float64, len(scores))
	for b, s := range scores {
		ones[b] = s.One
	}
	j, err = b.generated.Jackknife(all.One, ones, nil)
	d.Vendi = estimate(path, all.One, j, err)
	return nil
}

// plainDistances are the squared MMD, the root of the energy distance, KID and the Fréchet distance without more; NaN
// where one is undefined.
func (w *fidelityWork) plainDistances(ctx context.Context, x, y points.Points) (out [4]float64, err error) {
	o := twosample.Options{Seed: w.a.o.Seed, Threads: w.a.o.Threads}
	out = [4]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	var none *stat.UndefinedError
	if d, err := twosample.MMD(ctx, x, y, twosample.MMDOptions{Options: o}); err == nil {
		out[0] = d.Value
	} else if !errors.As(err, &none) {
		return out, err
	}
	if d, err := twosample.Energy(ctx, x, y, o); err == nil {
		out[1] = d.Root().Value
	} else if !errors.As(err, &none) {
		return out, err
	}
	if d, err := twosample.KID(ctx, x, y, o); err == nil {
		out[2] = d.Value
	} else if !errors.As(err, &none) {
		return out, err
	}
	if d, err := twosample.Frechet(x, y); err == nil {
		out[3] = d
	}
	return out, nil
}

// classifiers fills in those that tell generated from real samples.
func (w *fidelityWork) classifiers(ctx context.Context, f *Fidelity) error {
	x, y := spread(w.generated, mostCompared), spread(w.real, mostCompared)
	dim := 0
	if x.points.Dim > classifierDim {
		if dim = classifierDim; !w.project(x, y, dim) {
			dim = 0
		}
	}
	for _, c := range []TwoSamples{{Name: "logistic"}, {Name: "neighbors"}} {
		if x.points.Dim > classifierDim {
			c.none("all samples are equal")
			f.Classifiers = append(f.Classifiers, c)
			continue
		}
		o := fidelity.ClassifierOptions{GeneratedGroups: x.groups, RealGroups: y.groups, Neighbors: w.search()}
		if c.Name == "neighbors" {
			o.Votes = votes
		}
		b := w.blocking(x, y, classifierBlocks)
		b.of += " of classifiers"
		o.Blocks = b.pool
		c.Dim = dim
		classifier, err := fidelity.Classify(ctx, y.points, x.points, o)
		var none *stat.UndefinedError
		if errors.As(err, &none) {
			c.none(none.Reason)
			f.Classifiers = append(f.Classifiers, c)
			continue
		}
		if err != nil {
			return err
		}
		c.take(classifier, b)
		f.Classifiers = append(f.Classifiers, c)
	}
	return nil
}

func (c *TwoSamples) path(name string) string {
	if c.Name == "logistic" {
		return "fidelity.classifier." + name
	}
	return "fidelity." + c.Name + "_classifier." + name
}

func (c *TwoSamples) none(reason string) {
	c.AUC, c.Accuracy = undefined(c.path("auc"), reason), undefined(c.path("accuracy"), reason)
	c.P, c.JensenShannon, c.JensenShannonCI = report.Undefined("%s", reason), report.Undefined("%s", reason), report.NoInterval("%s", reason)
}

func (c *TwoSamples) take(classifier *fidelity.Classifier, b *blocking) {
	c.AUC = estimate(c.path("auc"), classifier.AUC, classifier.AUCError, b.why)
	c.Accuracy = withoutError(c.path("accuracy"), classifier.Accuracy,
		"no valid standard error exists for the accuracy over folds; see auc")
	b.share(&c.AUC)
	c.JensenShannon, c.JensenShannonCI = report.Number(classifier.JensenShannon), estimate("", 0, classifier.DivergenceError, b.why).CI
	c.P = report.Undefined("intervals are off, or there is no standard error for a test")
	if j := classifier.AUCError; j != nil {
		switch {
		case b.doubt != "":
			c.P = report.Undefined("%s", b.doubt)
		case j.StdError > 0:
			c.P = report.Number(stat.TTestP((classifier.AUC-0.5)/j.StdError, j.DF))
		}
		if v := classifier.JensenShannonInterval; v.Defined() {
			c.JensenShannonCI = results.Interval(v)
		}
	}
}

// spread are at most that many samples, evenly from all.
func spread(c *cloud, limit int) *cloud {
	n := c.points.N
	if n <= limit {
		return &cloud{c.points, c.labels, c.groups}
	}
	index := make([]int, limit)
	for q := range index {
		index[q] = q * n / limit
	}
	return c.at(index)
}

// project puts the leading principal components of all samples in the place of their coordinates.
func (w *fidelityWork) project(x, y *cloud, dim int) bool {
	all := points.Float64(slices.Concat(float64s(x.points).F64, float64s(y.points).F64), x.points.Dim)
	c, err := embedding.PCA(all, dim)
	if err != nil {
		return false // all samples are equal
	}
	at := x.points.N * c.Count
	x.points, y.points = points.Float64(c.Scores[:at], c.Count), points.Float64(c.Scores[at:], c.Count)
	return true
}
