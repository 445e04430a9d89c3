// Metric saliency: where people look, or a model thinks that they do, on both screens.

package canvas

import (
	"errors"
	"fmt"
	"maps"
	"math"

	"repscope/analysis/canvas/internal/saliencymap"
	"repscope/analysis/canvas/internal/source"
	"repscope/measure/saliency"
	"repscope/report"
	"repscope/stat"
)

const saliencyNeeds = NeedSaliency | NeedFixations | NeedImages

// saliencyKind scores the map of the generated screen: against the map of the reference, as it is (CC,
// SIM, KL of the reference from the generated design), and against fixations on the reference.
var saliencyKind = Kind{
	Name: "saliency", About: "saliency map compared with the map of the reference and with " +
		"fixations", Needs: saliencyNeeds,
	Keys: []Key{
		{Name: "saliency_cc", About: "correlation of the saliency maps of both screens",
			Direction: report.Higher, Low: -1, High: 1, Compared: true, Improved: true},
		{Name: "saliency_sim", About: "sum over cells of the smaller value of both saliency maps, each of sum 1",
			Direction: report.Higher, Low: 0, High: 1, Compared: true, Improved: true},
		{Name: "saliency_kl",
			About: "Kullback–Leibler divergence of the saliency map of the reference from the generated one",
			Unit:  "nats", Direction: report.Lower, Low: 0, High: unbounded, Compared: true, Improved: true},
		{Name: "saliency_nss", About: "mean standardized value of the saliency map at the fixations",
			Unit: "sd", Direction: report.Higher, Low: -unbounded, High: unbounded, Compared: true, Improved: true},
		{Name: "saliency_auc_judd", About: "area under the ROC curve (Judd): fixated cells against all others",
			Direction: report.Higher, Low: 0, High: 1, Compared: true, Improved: true},
		{Name: "saliency_auc_borji", About: "area under the ROC curve (Borji): fixated cells against random cells",
			Direction: report.Higher, Low: 0, High: 1, Compared: true, Improved: true},
		{Name: "saliency_information_gain",
			About: "information of the map about the fixations beyond a center prior, per fixation",
			Unit:  "bits", Direction: report.Higher, Low: -unbounded, High: unbounded, Compared: true, Improved: true},
	},
	Definition: saliencyDefinition,
	Score: func(p *Pair, row *Row) error {
		m, f, err := p.scored(row)
		if m == nil {
			return err
		}
		p.enterAgreement(row, "saliency_", m.Reference, m.Generated)
		if p.Settings.Picture != nil {
			picture, err := p.Settings.Picture(p)
			if err != nil {
				return err
			}
			row.Reports[SaliencyPicture] = picture
		}
		if f == nil {
			return err
		}
		p.enterLocated(row, "saliency_", m.Generated, f)
		prior, err := p.Settings.Saliency.Shared.Prior(f.Width, f.Height)
		if err != nil {
			return err
		}
		row.measured("saliency_information_gain")(saliency.InformationGain(m.Generated, prior, f, saliency.GainEpsilon))
		return nil
	},
}

// saliencyShuffledKind holds maps against fixations of other samples, which lie where people look
// on any screen. Its definition names them all, since each of them counts.
var saliencyShuffledKind = Kind{
	Name: "saliency_shuffled", About: "AUC of fixations against fixations of other samples", Needs: saliencyNeeds,
	Keys: []Key{
		{Name: "saliency_auc_shuffled", About: "area under the ROC curve: fixations against fixations of other samples",
			Direction: report.Higher, Low: 0, High: 1, Compared: true, Improved: true},
		{Name: "center_prior_auc_shuffled",
			About:     "area under the ROC curve of a center prior: fixations against fixations of other samples",
			Direction: report.Neither, Low: 0, High: 1},
	},
	Definition: func(o *Setting) string {
		return saliencyDefinition(o) + "; " + o.Saliency.PoolDefinition()
	},
	Score: func(p *Pair, row *Row) error {
		m, f, err := p.scored(row)
		if f == nil {
			return err
		}
		others, prior, err := p.Settings.Saliency.OtherFixations(&p.Screens, f)
		if err != nil {
			return err
		}
		row.measured("saliency_auc_shuffled")(saliency.AUCShuffled(m.Generated, f, others))
		row.measured("center_prior_auc_shuffled")(saliency.AUCShuffled(prior, f, others))
		return nil
	},
}

// saliencyBaselineKind scores maps that know no screen: the center prior (a Gaussian about the middle,
// whose standard deviation is a quarter of the width and of the height) and the uniform map, which
// has no order and therefore no CC, NSS and AUC. The map of a design says something where it does
// better.
var saliencyBaselineKind = Kind{
	Name: "saliency_baselines", About: "baseline maps that ignore the screen, compared with the same map and " +
		"fixations", Needs: saliencyNeeds,
	Keys: []Key{
		{Name: "center_prior_cc", About: "correlation of a center prior with the saliency map of the reference",
			Direction: report.Neither, Low: -1, High: 1},
		{Name: "center_prior_sim",
			About:     "sum over cells of the smaller value of a center prior and the saliency map of the reference",
			Direction: report.Neither, Low: 0, High: 1},
		{Name: "center_prior_kl",
			About: "Kullback–Leibler divergence of the saliency map of the reference from a center prior",
			Unit:  "nats", Direction: report.Neither, Low: 0, High: unbounded},
		{Name: "center_prior_nss", About: "mean standardized value of a center prior at the fixations",
			Unit: "sd", Direction: report.Neither, Low: -unbounded, High: unbounded},
		{Name: "center_prior_auc_judd", About: "area under the ROC curve (Judd) of a center prior",
			Direction: report.Neither, Low: 0, High: 1},
		{Name: "center_prior_auc_borji", About: "area under the ROC curve (Borji) of a center prior",
			Direction: report.Neither, Low: 0, High: 1},
		{Name: "uniform_sim",
			About:     "sum over cells of the smaller value of a uniform map and the saliency map of the reference",
			Direction: report.Neither, Low: 0, High: 1},
		{Name: "uniform_kl",
			About: "Kullback–Leibler divergence of the saliency map of the reference from a uniform map",
			Unit:  "nats", Direction: report.Neither, Low: 0, High: unbounded},
		{Name: "uniform_information_gain",
			About: "information of a uniform map about the fixations beyond a center prior, per fixation",
			Unit:  "bits", Direction: report.Neither, Low: -unbounded, High: unbounded},
	},
	Definition: saliencyDefinition,
	Score: func(p *Pair, row *Row) error {
		m, f, err := p.scored(row)
		if m == nil {
			return err
		}
		c := p.Case // what all cases of a sample have in common
		key := fmt.Sprintf("%q %q %q %q", c.Sample, c.Reference.Image, c.ReferenceSaliency, c.Fixations)
		values, err := p.Settings.Saliency.Shared.Baseline(key, func() (map[string]report.Value, error) {
			return p.baselines(m, f, err)
		})
		maps.Copy(row.Values, values)
		return err
	},
}

// SaliencyPicture is the name of [Setting.Picture] among the reports of a case.
const SaliencyPicture = "saliency.png"

// saliencyDefinition says how maps are made and taken.
func saliencyDefinition(o *Setting) string {
	return "1; " + o.Saliency.Definition(o.Documented(), o.Images.Drops(), o.Seed)
}

// SaliencyMaps are the maps of both screens.
func (p *Pair) SaliencyMaps() (*saliencymap.Maps, error) {
	return p.maps.Get(func() (*saliencymap.Maps, error) {
		return p.Settings.Saliency.MapsOf(&p.Screens, p.Settings.Documented())
	})
}

// Fixations are the fixations of the case, at the size of the maps.
func (p *Pair) Fixations(m *saliencymap.Maps) (*saliency.Fixations, error) {
	return p.Settings.Saliency.FixationsOf(&p.Screens, m)
}

// baselines are the numbers of maps that know no screen; numbers of fixations are left out if
// there are none, for a reason that is returned.
func (p *Pair) baselines(m *saliencymap.Maps, f *saliency.Fixations, none error) (map[string]report.Value, error) {
	row := NewRow()
	shared := p.Settings.Saliency.Shared
	prior, err := shared.Prior(m.Reference.Width, m.Reference.Height)
	if err != nil {
		return nil, err
	}
	uniform, err := shared.Uniform(m.Reference.Width, m.Reference.Height)
	if err != nil {
		return nil, err
	}
	p.enterAgreement(row, "center_prior_", m.Reference, prior)
	row.measured("uniform_sim")(saliency.SIM(m.Reference, uniform))
	row.measured("uniform_kl")(p.divergence(m.Reference, uniform))
	if f == nil {
		return row.Values, none
	}
	p.enterLocated(row, "center_prior_", prior, f)
	row.measured("uniform_information_gain")(saliency.InformationGain(uniform, prior, f, saliency.GainEpsilon))
	return row.Values, nil
}

// scored are the maps of the case and its fixations, and why one of them is nil.
func (p *Pair) scored(row *Row) (*saliencymap.Maps, *saliency.Fixations, error) {
	m, err := p.SaliencyMaps()
	if err != nil {
		return nil, nil, err
	}
	f, err := p.Fixations(m)
	if err != nil {
		return m, nil, undefinedAsAbsent(err)
	}
	if f.Outside > 0 {
		row.Details["saliency_fixations_outside"] = f.Outside
	}
	if m.Missing > 0 {
		row.Details["saliency_fixations_missing"] = m.Missing
	}
	return m, f, nil
}

// undefinedAsAbsent is an error with which a case is no failure where a quantity is undefined.
func undefinedAsAbsent(err error) error {
	if e := (*stat.UndefinedError)(nil); errors.As(err, &e) {
		return source.Absent(err.Error())
	}
	return err
}

// enterAgreement enters the agreement of a map with the map of the reference.
func (p *Pair) enterAgreement(row *Row, prefix string, reference, m *saliency.Map) {
	row.measured(prefix + "cc")(saliency.CC(reference, m))
	row.measured(prefix + "sim")(saliency.SIM(reference, m))
	row.measured(prefix + "kl")(p.divergence(reference, m))
}

// divergence is the divergence of the reference's map from another, in the form of the options.
func (p *Pair) divergence(reference, m *saliency.Map) (float64, error) {
	switch p.Settings.Saliency.KL {
	case saliencymap.KLRatio:
		return saliency.KLRatio(reference, m, saliency.GainEpsilon)
	case saliencymap.KLExact:
		v, err := saliency.KL(reference, m, 0)
		if math.IsInf(v, 1) {
			return v, stat.Undefined("KL", "infinite: the map is 0 where the map of the reference is positive")
		}
		return v, err
	}
	return saliency.KL(reference, m, saliency.Epsilon)
}

// enterLocated enters how high a map is at fixations.
func (p *Pair) enterLocated(row *Row, prefix string, m *saliency.Map, f *saliency.Fixations) {
	row.measured(prefix + "nss")(saliency.NSS(m, f))
	row.measured(prefix + "auc_judd")(saliency.AUCJudd(m, f))
	if splits := p.Settings.Saliency.Splits; splits > 0 {
		s, err := saliency.AUCBorjiSplits(m, f, saliency.Step, splits, p.Settings.Seed)
		row.measured(prefix+"auc_borji")(s.Mean, err)
		return
	}
	row.measured(prefix + "auc_borji")(saliency.AUCBorji(m, f, saliency.Step))
}

// measured enters the number of a key, or why it is undefined.
func (r *Row) measured(key string) func(v float64, err error) {
	return func(v float64, err error) {
		if err != nil {
			r.Undefined(key, "%s", err.Error())
			return
		}
		r.Set(key, v)
	}
}
