// The intrinsic dimensions of one model: estimates, intervals, scales.

package manifold

import (
	"context"
	"fmt"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/parallel"
	"repscope/measure/dimension"
	"repscope/report"
	"repscope/stat"
)

const (
	// halfNeighbors is the length of neighbor lists from which the first few within a
	// half of the latents are read.
	halfNeighbors = 32
	// HalvedOrder is the largest order of neighbors with an interval. Higher ones are as
	// far away as decides their error, and farther in a half: its interval would be 1.3
	// to 1.9 times as wide as the error.
	HalvedOrder = 5
	// HalvedNeighbors is the largest number of neighbors of Levina–Bickel with an interval, which holds 96 to 100
	// times in 100, and by which models are compared: it finds changes of noise that Two-NN does not see.
	HalvedNeighbors = 20
	// HalvedLatents is the number of latents from which an interval is given.
	HalvedLatents = 40
)

// Listed is the number of neighbors of each of n latents that the analysis keeps in lists, 1 or more.
func (o Options) Listed(n int) int {
	o = o.withDefaults(n)
	return slices.Max(slices.Concat([]int{halfNeighbors}, o.GrideOrders, o.Neighbors))
}

// neighbors finds the distinct latents of a model and their neighbors; rms is told the RMS distance.
func (p *plan) neighbors(ctx context.Context, model int, rms <-chan float64) (*dimension.Distinct, error) {
	return dimension.NewDistinct(ctx, p.spaces[model], p.o.Listed(p.in.Models[model].Latents.N), func() (float64, error) {
		select {
		case v := <-rms:
			return p.o.DuplicateTolerance * v, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}, p.search(ctx))
}

// intrinsic fills in the intrinsic dimensions from neighbors, and the halves of the maximum
// likelihood Two-NN that models are compared by.
func (m *Model) intrinsic(ctx context.Context, d *dimension.Distinct, p *plan, out *Measured) error {
	o := p.o
	m.TwoNN.NUsed, m.TwoNN.Duplicates, m.Recall = len(d.Index), d.Duplicates, recallOf(d.Recall)
	m.NeighborsInTime = m.inTime(d)
	ratio := d.Ratios(1, 2)
	m.TwoNN.Tied = report.Number(tied(ratio))
	estimate, err := dimension.NewTwoNN(ratio)
	if err != nil {
		m.undefinedIntrinsic(err.Error())
		return nil
	}
	var h halves
	m.twoNN(estimate, &h, out)
	var curve []dimension.Decimation
	err = parallel.Try(ctx, o.Threads, 2, func(_, task int) (err error) {
		if task == 0 {
			curve, err = d.Decimate(ctx, o.Seed)
			return err
		}
		if err := m.multiscale(ctx, d, &h, p, out); err != nil {
			return err
		}
		return h.answer(ctx, d, p)
	})
	if err != nil {
		return err
	}
	if err := m.show(o.Estimator, ratio, out); err != nil {
		return err
	}
	m.Decimation = []DecimationRow{}
	for _, c := range curve {
		m.Decimation = append(m.Decimation, DecimationRow{Size: c.Size, Subsets: c.Subsets,
			ID: report.Number(c.ID), SD: report.NumberOr(c.SD, "one subset")})
	}
	return nil
}

// twoNN fills in the Two-NN estimates and asks for their intervals.
func (m *Model) twoNN(estimate dimension.TwoNN, h *halves, out *Measured) {
	r := &m.TwoNN
	r.MLE, r.MLEUnbiased = report.Number(estimate.MLE), report.Number(estimate.MLEUnbiased)
	r.MLECI = report.Between(estimate.MLECI[0], estimate.MLECI[1])
	if r.MLECIAssumes = independentRatios; m.ExcludeWindow > 0 {
		r.MLECIAssumes = windowedRatios
	}
	r.Fit = report.NumberOr(estimate.Fit, "the smallest nine tenths of the ratios are all 1")
	h.ask(1, 2, []float64{estimate.MLE, estimate.Fit}, func(half *dimension.Half, dst []float64) {
		if of, err := half.TwoNN(); err == nil {
			dst[0], dst[1] = of.MLE, of.Fit
		}
	}, func(estimates []*stat.Jackknifed, reason string) {
		if reason != "" {
			r.MLEHalvesCI, r.FitHalvesCI = report.NoInterval("%s", reason), report.NoInterval("%s", reason)
			return
		}
		out.TwoNN, out.Fit = estimates[0], estimates[1]
		r.MLEHalvesCI, r.FitHalvesCI = results.Interval(out.TwoNN.Interval), results.Interval(out.Fit.Interval)
		if !r.Fit.Defined() {
			r.FitHalvesCI = report.NoInterval("%s", r.Fit.Reason)
		}
	})
}

// windowedRatios is what the interval mle_ci assumes where neighbors in time are left out.
const windowedRatios = "independent ratios, but ratios of neighbors share points and follow each other in " +
	"time, so coverage with an exclusion window is 69 to 91 %: use mle_halves_ci"

// independentRatios is what the interval mle_ci assumes.
const independentRatios = "independent ratios, but ratios of neighbors share points, so the interval is " +
	"too narrow by a factor of about 1.3 and its coverage is about 86 %"

// halves are the statistics of one model whose errors are estimated from halves of the blocks, all
// at once: finding the neighbors within a half is much of the work.
type halves struct {
	statistics []dimension.HalfStatistic
	asked      []halved
}

// halved is the estimates of one statistic, and the function that receives their intervals.
type halved struct {
	estimates []float64
	tell      func(found []*stat.Jackknifed, reason string)
}

// ask adds a statistic of ratios of distances to neighbors of two orders, see [dimension.HalfStatistic], with its
// values of all latents; tell learns the errors, or the reason why there are none.
func (h *halves) ask(
	n1, n2 int, estimates []float64, statistic func(half *dimension.Half, dst []float64), tell func(intervals []*stat.Jackknifed, reason string),
) {
	h.statistics = append(h.statistics, dimension.HalfStatistic{N1: n1, N2: n2, Size: len(estimates), Of: statistic})
	h.asked = append(h.asked, halved{estimates, tell})
}

// answer estimates the errors, on a log scale: dimensions are positive.
func (h *halves) answer(ctx context.Context, d *dimension.Distinct, p *plan) error {
	none := func(reason string) error {
		for _, a := range h.asked {
			a.tell(nil, reason)
		}
		return nil
	}
	if p.off != "" {
		return none(p.off)
	}
	if n := len(d.Index); n < HalvedLatents {
		return none(fmt.Sprintf("%d latents are too few for an interval, want at least %d", n, HalvedLatents))
	}
	splits, err := p.blocks.Halves(p.o.Seed)
	if err != nil {
		return none(stat.Reason(err))
	}
	first, second, err := d.Halved(ctx, splits, h.statistics...)
	if err != nil {
		return err
	}
	for t, a := range h.asked {
		intervals := make([]*stat.Jackknifed, len(a.estimates))
		for i, v := range a.estimates {
			if intervals[i], err = splits.Estimate(v, first[t][i], second[t][i]); err != nil {
				return err
			}
			intervals[i].OnLogScale()
			if !intervals[i].Interval.Defined() {
				intervals[i].Interval.Reason = "undefined on halves of the latents"
			}
		}
		a.tell(intervals, "")
	}
	return nil
}

// show chooses the estimate that tables and figures show.
func (m *Model) show(estimator Estimator, ratio []float64, out *Measured) error {
	shown := out.TwoNN
	m.IntrinsicDimension = report.WithInterval(m.TwoNN.MLE, m.TwoNN.MLEHalvesCI)
	switch estimator {
	case EstimatorDocumented:
		documented, err := dimension.DocumentedTwoNN(ratio)
		if err != nil {
			return err
		}
		v := report.Number(documented)
		const reason = "the documented formula has no interval"
		m.TwoNN.Documented, m.IntrinsicDimension = &v, report.WithInterval(v, report.NoInterval(reason))
		m.IntrinsicDimensionError = report.Undefined(reason)
		return nil
	case EstimatorFit:
		m.IntrinsicDimension, shown = report.WithInterval(m.TwoNN.Fit, m.TwoNN.FitHalvesCI), out.Fit
	}
	m.IntrinsicDimensionError = report.Undefined("%s", m.IntrinsicDimension.CI.Reason)
	if shown != nil {
		m.IntrinsicDimensionError = report.NumberOr(shown.StdError, shown.Interval.Reason)
	}
	return nil
}

// comparedNeighbors is the number of neighbors of Levina–Bickel by which models are compared, the largest with an
// interval; 0 for none.
func (p *plan) comparedNeighbors() int {
	largest := 0
	for _, k := range p.o.Neighbors {
		if k <= HalvedNeighbors {
			largest = max(largest, k)
		}
	}
	return largest
}

// scale is an estimate from ratios of distances to neighbors of two orders, see [dimension.HalfStatistic]: of all
// latents, and of a half of them, near the estimate of all.
type scale struct {
	n1, n2 int
	id     *report.Estimate
	all    func() (float64, error)
	half   func(half *dimension.Half, near float64) (float64, error)
	most   int               // the largest n2 with an interval
	keep   **stat.Jackknifed // where its error is kept; nil for nowhere
	found  float64
	err    error
}

// multiscale fills in the estimates from neighbors of several orders and asks for their intervals.
func (m *Model) multiscale(ctx context.Context, d *dimension.Distinct, h *halves, p *plan, out *Measured) error {
	m.Gride, m.LevinaBickel = []GrideResult{}, []LBResult{}
	reaches := func(order int) bool { return order <= d.Nearest.K }
	for _, n2 := range p.o.GrideOrders {
		if reaches(n2) {
			m.Gride = append(m.Gride, GrideResult{N1: n2 / 2, N2: n2})
		}
	}
	for _, k := range p.o.Neighbors {
		if reaches(k) {
			m.LevinaBickel = append(m.LevinaBickel, LBResult{K: k})
		}
	}
	var scales []scale
	for i := range m.Gride {
		g := &m.Gride[i]
		scales = append(scales, scale{
			n1: g.N1, n2: g.N2, id: &g.ID,
			all:  func() (float64, error) { return dimension.Gride(d.Ratios(g.N1, g.N2), g.N1, g.N2) },
			half: (*dimension.Half).Gride,
			most: HalvedOrder,
		})
	}
	for i := range m.LevinaBickel {
		l := &m.LevinaBickel[i]
		scales = append(scales, scale{
			n2: l.K, id: &l.ID,
			all:  func() (float64, error) { return dimension.LevinaBickel(d.Nearest.Distance, d.Nearest.K, l.K) },
			half: func(half *dimension.Half, _ float64) (float64, error) { return half.LevinaBickel() },
			most: HalvedNeighbors,
		})
		if l.K == p.comparedNeighbors() {
			scales[len(scales)-1].keep = &out.LevinaBickel
		}
	}
	err := parallel.For(ctx, p.o.Threads, len(scales), func(_, i int) {
		// The largest order, which takes longest, comes first.
		s := &scales[len(scales)-1-i]
		s.found, s.err = s.all()
	})
	for _, s := range scales {
		s.enter(h, p)
	}
	return err
}

// enter fills in the estimate and asks for its interval.
func (s *scale) enter(h *halves, p *plan) {
	v, err := s.found, s.err
	if err != nil {
		*s.id = report.NoEstimate("%s", err.Error())
		return
	}
	s.id.Value = report.Number(v)
	if p.off == "" && s.n2 > s.most {
		s.id.CI = report.NoInterval(
			"halves of the latents have neighbors of orders above %d at a different scale", s.most)
		return
	}
	h.ask(s.n1, s.n2, []float64{v}, func(half *dimension.Half, dst []float64) {
		if id, err := s.half(half, v); err == nil {
			dst[0] = id
		}
	}, func(estimates []*stat.Jackknifed, reason string) {
		if s.id.CI = report.NoInterval("%s", reason); reason == "" {
			s.id.CI = results.Interval(estimates[0].Interval)
			if s.keep != nil {
				*s.keep = estimates[0]
			}
		}
	})
}

func (m *Model) undefinedIntrinsic(reason string) {
	v, none := report.Undefined("%s", reason), report.NoInterval("%s", reason)
	m.IntrinsicDimension, m.IntrinsicDimensionError = report.WithInterval(v, none), v
	if !m.NeighborsInTime.Defined() || m.TwoNN.NUsed == 0 {
		m.NeighborsInTime = v
	}
	m.TwoNN.MLE, m.TwoNN.MLEUnbiased, m.TwoNN.Fit = v, v, v
	if m.TwoNN.NUsed == 0 {
		m.TwoNN.Tied = v
	}
	m.TwoNN.MLECI, m.TwoNN.MLEHalvesCI, m.TwoNN.FitHalvesCI = none, none, none
	m.Gride, m.LevinaBickel, m.Decimation = []GrideResult{}, []LBResult{}, []DecimationRow{}
}
