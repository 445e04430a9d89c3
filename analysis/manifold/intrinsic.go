// The intrinsic dimensions of one model: estimates, intervals, scales.

package manifold

import (
	"context"
	"errors"
	"repscope/measure/dimension"
	"repscope/neighbors"
	"repscope/report"
	"repscope/stat"
	"slices"
)

// intrinsic fills in the intrinsic dimensions and returns the jackknife of the
// maximum likelihood Two-NN, nil where undefined.
func (m *Model) intrinsic(ctx context.Context, z neighbors.Space, rms float64, blocks *stat.Blocks, o Options) (*stat.Jackknifed, error) {
	k := jackknifeNeighbors
	for _, order := range slices.Concat(o.GrideOrders, o.Neighbors) {
		k = max(k, order)
	}
	d, err := dimension.NewDistinct(ctx, z, k, o.DuplicateTolerance*rms, o.search(ctx))
	if undefined, ok := errors.AsType[*stat.UndefinedError](err); ok {
		m.undefinedIntrinsic(undefined.Reason)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m.TwoNN.NUsed, m.TwoNN.Duplicates, m.Recall = len(d.Index), d.Duplicates, recallOf(d.Recall)
	ratio := d.Ratios(1, 2)
	estimate, err := dimension.NewTwoNN(ratio)
	if err != nil {
		m.undefinedIntrinsic(err.Error())
		return nil, nil
	}
	mle, fit := jackknife(d, blocks, estimate)
	m.TwoNN.fill(estimate, mle, fit)
	if err := m.show(o.Estimator, ratio, mle, fit); err != nil {
		return nil, err
	}
	m.multiscale(d, o)
	curve, err := d.Decimate(ctx, o.Seed)
	if err != nil {
		return nil, err
	}
	for _, c := range curve {
		m.Decimation = append(m.Decimation, DecimationRow{Size: c.Size, Subsets: c.Subsets,
			ID: report.Number(c.ID), SD: report.NumberOr(c.SD, "one subset")})
	}
	return mle, nil
}

// fill takes over the estimates and their jackknifes.
func (r *TwoNNResult) fill(estimate dimension.TwoNN, mle, fit *stat.Jackknifed) {
	r.MLE, r.MLEUnbiased = report.Number(estimate.MLE), report.Number(estimate.MLEUnbiased)
	r.MLECI = report.Between(estimate.MLECI[0], estimate.MLECI[1])
	r.Fit = report.NumberOr(estimate.Fit, "the smallest nine tenths of the ratios are all 1")
	r.MLEBlockCI, r.FitBlockCI = blockInterval(mle), blockInterval(fit)
}

// show chooses the estimate that tables and figures show.
func (m *Model) show(estimator Estimator, ratio []float64, mle, fit *stat.Jackknifed) error {
	if estimator == EstimatorDocumented {
		documented, err := dimension.DocumentedTwoNN(ratio)
		if err != nil {
			return err
		}
		v := report.Number(documented)
		m.TwoNN.Documented, m.IntrinsicDimension = &v, v
		const reason = "the documented formula has no interval"
		m.IntrinsicDimensionCI, m.IntrinsicDimensionError = report.NoInterval(reason), report.Undefined(reason)
		return nil
	}
	shown := mle
	m.IntrinsicDimension, m.IntrinsicDimensionCI = m.TwoNN.MLE, m.TwoNN.MLEBlockCI
	if estimator == EstimatorFit {
		m.IntrinsicDimension, m.IntrinsicDimensionCI, shown = m.TwoNN.Fit, m.TwoNN.FitBlockCI, fit
	}
	m.IntrinsicDimensionError = report.Undefined("intervals are off")
	if shown != nil {
		m.IntrinsicDimensionError = report.NumberOr(shown.StdError, shown.Reason)
	}
	return nil
}

// multiscale fills in the estimates from neighbours of several orders.
func (m *Model) multiscale(d *dimension.Distinct, o Options) {
	m.Gride, m.LevinaBickel, m.Decimation = []GrideResult{}, []LBResult{}, []DecimationRow{}
	for _, n2 := range o.GrideOrders {
		if n2 <= d.Nearest.K {
			id, err := dimension.Gride(d.Ratios(n2/2, n2), n2/2, n2)
			m.Gride = append(m.Gride, GrideResult{N1: n2 / 2, N2: n2, ID: valueOf(id, err)})
		}
	}
	for _, k := range o.Neighbors {
		if k <= d.Nearest.K {
			id, err := dimension.LevinaBickel(d.Nearest.Distance, d.Nearest.K, k)
			m.LevinaBickel = append(m.LevinaBickel, LBResult{K: k, ID: valueOf(id, err)})
		}
	}
}

func valueOf(v float64, err error) report.Value {
	if err != nil {
		return report.Undefined("%s", err.Error())
	}
	return report.Number(v)
}
