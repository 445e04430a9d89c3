// Latents that do not vary: nothing about them is measured, and no model is compared
// with them.

package geometry

import (
	"repscope/report"
)

// collapse leaves everything about a model undefined for the reason given.
func (a *analyzer) collapse(m *Model, reason string) {
	none := report.NoEstimate("%s", reason)
	m.Uniformity, m.UniformityCentered, m.Alignment, m.NEff = none, none, none, none.Value
	if a.labels != nil {
		g := Grouping{Source: SourceLabels, Groups: a.labels.Groups()}
		for i, label := range a.labels.Labels {
			g.ByGroup = append(g.ByGroup, GroupResult{Label: label, Size: a.labels.Sizes[i], Silhouette: none})
		}
		m.add(g.undefined(reason), nil, nil)
		for _, k := range a.o.Neighbors {
			m.LabelConsistency = append(m.LabelConsistency, a.consistency(k).undefined(reason))
		}
	}
	for _, k := range a.o.Clusters {
		m.add(Grouping{Source: SourceKMeans, Groups: k, ByGroup: []GroupResult{}, NotCompared: ownClusters}.undefined(reason),
			nil, nil)
	}
	t := &m.Temporal
	t.Autocorrelation, t.Tau = []Lag{}, none
	t.Steps.undefined(reason)
	t.Steps.Pairs = len(a.pairs)
	t.Straightness = report.Lack(Straightness{Triples: len(a.triples), Still: len(a.triples)}, "%s", reason)
}

// undefined is the grouping without any number.
func (g Grouping) undefined(reason string) Grouping {
	none := report.NoEstimate("%s", reason)
	g.Silhouette, g.DaviesBouldin, g.CalinskiHarabasz = none, none, none
	return g
}

// undefined leaves all numbers of steps undefined.
func (s *Steps) undefined(reason string) { *s = report.Lack(*s, "%s", reason) }

// undefined is the row without accuracy and purity.
func (c LabelConsistency) undefined(reason string) LabelConsistency {
	none := report.NoEstimate("%s", reason)
	c.Accuracy, c.Purity = none, none
	return c
}
