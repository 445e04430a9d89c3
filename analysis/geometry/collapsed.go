// Latents that do not vary: nothing about them is measured, and no model is compared
// with them.

package geometry

import (
	"repscope/report"
)

// collapse leaves everything about a model undefined for the reason given.
func (a *analyzer) collapse(m *Model, reason string) {
	v, none := report.Undefined("%s", reason), report.NoInterval("%s", reason)
	m.Uniformity, m.UniformityCentered, m.Alignment, m.NEff = v, v, v, v
	m.UniformityCI, m.UniformityCenteredCI, m.AlignmentCI = none, none, none
	if a.labels != nil {
		g := Grouping{Source: SourceLabels, Groups: a.labels.Groups()}
		for i, label := range a.labels.Labels {
			g.ByGroup = append(g.ByGroup, GroupResult{Label: label, Size: a.labels.Sizes[i], Silhouette: v})
		}
		m.add(g.undefined(reason), nil, nil)
		for _, k := range a.o.Neighbors {
			m.LabelConsistency = append(m.LabelConsistency, a.consistency(k).undefined(reason))
		}
	}
	for _, k := range a.o.Clusters {
		m.add(Grouping{Source: SourceKMeans, Groups: k, ByGroup: []GroupResult{}, NotCompared: ownClusters}.undefined(reason), nil, nil)
	}
	t := &m.Temporal
	t.Autocorrelation, t.Tau, t.TauCI = []Lag{}, v, none
	t.Steps.undefined(reason)
	t.Steps.Pairs = len(a.pairs)
	t.Straightness = Straightness{Cosine: v, CosineCI: none, Independent: v, Curvature: v, CurvatureCI: none, Triples: len(a.triples), Still: len(a.triples)}
}

// undefined is the grouping without any number.
func (g Grouping) undefined(reason string) Grouping {
	v, none := report.Undefined("%s", reason), report.NoInterval("%s", reason)
	g.Silhouette, g.DaviesBouldin, g.CalinskiHarabasz = v, v, v
	g.SilhouetteCI, g.DaviesBouldinCI, g.CalinskiHarabaszCI = none, none, none
	return g
}

// undefined leaves all numbers of steps undefined.
func (s *Steps) undefined(reason string) {
	v, none := report.Undefined("%s", reason), report.NoInterval("%s", reason)
	s.Mean, s.Relative, s.RelativeRMS, s.SD = v, v, v, v
	s.MeanCI, s.RelativeCI, s.RelativeRMSCI = none, none, none
	s.P05, s.P25, s.Median, s.P75, s.P95, s.P99, s.Max = v, v, v, v, v, v, v
}

// undefined is the row without accuracy and purity.
func (c LabelConsistency) undefined(reason string) LabelConsistency {
	v, none := report.Undefined("%s", reason), report.NoInterval("%s", reason)
	c.Accuracy, c.AccuracyCI, c.Purity, c.PurityCI = v, none, v, none
	return c
}
