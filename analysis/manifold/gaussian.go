// How far latents are from an isotropic Gaussian: SIGReg's sliced statistic and BHEP, with what they are by chance.

package manifold

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"repscope/measure/normality"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

const (
	// mostPairs is the number of latents up to which BHEP, which takes all pairs of each draw, is computed.
	mostPairs = 10_000
	// leastTested is the number of latents, apart in time, below which no null is drawn.
	leastTested = 20
	// independentTau is the autocorrelation time up to which all latents count as independent: estimates of independent
	// ones scatter about 1 by less.
	independentTau = 1.15
	// tausApart is how many autocorrelation times tested latents are apart at least.
	tausApart = 2
)

// Gaussianity is the distance of the latents from an isotropic Gaussian; see package normality.
type Gaussianity struct {
	// Scale is the scale of the latents; isotropic: less their mean, divided by the root mean variance of a coordinate.
	Scale normality.Scale `json:"scale"`
	// TestedStates are the latents of the null; latents of one episode are at least Apart frames apart: 1 where all
	// are tested.
	TestedStates int               `json:"tested_states"`
	Apart        int               `json:"apart"`
	SIGReg       GaussianStatistic `json:"sigreg"`
	BHEP         GaussianStatistic `json:"bhep"`
}

// GaussianStatistic is a statistic that grows with the number of latents, and its null.
type GaussianStatistic struct {
	// Statistic is computed from all latents, Tested from the tested ones.
	Statistic report.Value `json:"statistic"`
	Tested    report.Value `json:"tested"`
	// NullMean and NullSD describe the statistic of as many independent Gaussian latents of the same dimension; Excess
	// is Tested − NullMean.
	NullMean report.Value `json:"null_mean"`
	NullSD   report.Value `json:"null_sd"`
	Excess   report.Value `json:"excess"`
	// P belongs to the hypothesis that the latents are an isotropic Gaussian, by the null: at least 1/(1 + draws).
	P report.Value `json:"p"`
}

// undefined gives every number of the null, and with all the statistic too, a reason.
func (g *GaussianStatistic) undefined(all bool, reason string) {
	v := report.Undefined("%s", reason)
	if g.Tested, g.NullMean, g.NullSD, g.Excess, g.P = v, v, v, v, v; all {
		g.Statistic = v
	}
}

func (g *Gaussianity) undefined(reason string) {
	g.SIGReg.undefined(true, reason)
	g.BHEP.undefined(true, reason)
}

// nulls are the nulls of an analysis by shape: models of one dimension share theirs.
type nulls struct {
	sync.Mutex
	known map[normality.Shape]normality.Draws
}

func (n *nulls) draws(ctx context.Context, s normality.Shape, o Options) (normality.Draws, error) {
	n.Lock()
	defer n.Unlock()
	if d, ok := n.known[s]; ok {
		return d, nil
	}
	d, err := normality.Null(ctx, s, o.GaussianScale, s.N <= mostPairs, o.GaussianDraws, o.Seed, o.Threads)
	if err == nil {
		if n.known == nil {
			n.known = map[normality.Shape]normality.Draws{}
		}
		n.known[s] = d
	}
	return d, err
}

// gaussian fills in the distance of the latents z of a model from a Gaussian.
func (m *Model) gaussian(ctx context.Context, z points.Points, tau stat.AutocorrelationTime, p *plan) error {
	if p.o.GaussianSlices == 0 {
		return nil
	}
	g := &Gaussianity{Scale: p.o.GaussianScale}
	m.Gaussianity = g
	directions := normality.Directions(z.Dim, p.o.GaussianSlices, p.o.Seed)
	statistics := func(z points.Points, sliced, bhep *report.Value) error {
		x, err := normality.Standardize(z, p.o.GaussianScale)
		if err != nil {
			return err
		}
		*sliced = report.Number(normality.Sliced(x, z.Dim, directions))
		if *bhep = report.Undefined("pairs of more than %d latents take too long; use --samples",
			mostPairs); z.N <= mostPairs {
			*bhep = report.Number(normality.BHEP(x, z.Dim))
		}
		return nil
	}
	err := statistics(z, &g.SIGReg.Statistic, &g.BHEP.Statistic)
	if undefined, ok := errors.AsType[*stat.UndefinedError](err); ok {
		g.undefined(undefined.Reason)
		return nil
	}
	if err != nil {
		return err
	}
	tested, reason := p.apart(z, tau, g)
	if reason == "" {
		err = statistics(tested, &g.SIGReg.Tested, &g.BHEP.Tested)
		if undefined, ok := errors.AsType[*stat.UndefinedError](err); ok {
			reason, err = undefined.Reason, nil
		}
	}
	if err != nil {
		return err
	}
	if reason != "" {
		g.SIGReg.undefined(false, reason)
		g.BHEP.undefined(false, reason)
		return nil
	}
	null, err := p.nulls.draws(ctx, normality.Shape{N: tested.N, Dim: z.Dim, Slices: p.o.GaussianSlices}, p.o)
	if err != nil {
		return err
	}
	g.SIGReg.compare(null.Sliced)
	g.BHEP.compare(null.BHEP)
	return nil
}

// compare holds the statistic of the tested latents against its null.
func (g *GaussianStatistic) compare(null []float64) {
	if !g.Tested.Defined() {
		g.undefined(false, g.Tested.Reason)
		return
	}
	mean := stat.Mean(null)
	g.NullMean, g.NullSD = report.Number(mean), report.NumberOr(stat.StandardDeviation(null), "one draw")
	g.Excess, g.P = report.Number(g.Tested.V-mean), report.Number(normality.P(g.Tested.V, null))
}

// apart are the latents that count as independent: all, or latents of an episode that are some autocorrelation times
// apart. A reason says why there are too few.
func (p *plan) apart(z points.Points, tau stat.AutocorrelationTime, g *Gaussianity) (points.Points, string) {
	if !(tau.Tau > 0) {
		return z, "the dependence of the latents is not known"
	}
	if g.Apart = 1; tau.Tau > independentTau {
		g.Apart = int(math.Ceil(tausApart * tau.Tau))
	}
	last, data, row := map[int]int{}, []float64(nil), make([]float64, z.Dim)
	for i := range z.N {
		episode, time := 0, i
		if p.in.Episode != nil {
			episode = p.in.Episode[i]
		}
		if p.in.Time != nil {
			time = p.in.Time[i]
		}
		if before, ok := last[episode]; ok && time-before < g.Apart {
			continue
		}
		last[episode] = time
		data = append(data, z.Row(i, row)...)
	}
	out := points.Float64(data, z.Dim)
	if g.TestedStates = out.N; g.TestedStates < leastTested {
		return z, fmt.Sprintf("the latents depend on each other: %d are at least %d frames apart (twice the "+
			"autocorrelation time), want at least %d for a null", out.N, g.Apart, leastTested)
	}
	return out, ""
}
