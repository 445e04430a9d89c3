// What an analysis would do, before it is done.

package forecast

import (
	"slices"
)

// Planned is what an analysis would do.
type Planned struct {
	Samples   int
	Variables []string
	Models    []PlannedModel
	Bytes     int64 // held at a time, about
	// Families are those that some model has scores of, Scores the names of these.
	Families, Scores []string
}

// PlannedModel is a forecast or a baseline of it.
type PlannedModel struct {
	Name, Kind string
	Members    int
}

// Plan says what [Analyze] would do; the errors are those that need no sample.
func Plan(in Input, o Options) (*Planned, error) {
	p, err := newPlan(in, o)
	if err != nil {
		return nil, err
	}
	out := &Planned{Samples: p.n, Variables: p.variables, Bytes: int64(max(p.workers(), 1)) * p.sampleBytes()}
	add := func(to *[]string, name string) {
		if !slices.Contains(*to, name) {
			*to = append(*to, name)
		}
	}
	for _, m := range p.models {
		out.Models = append(out.Models, PlannedModel{m.name, m.kind, m.members})
		for f := range p.families {
			family := &p.families[f]
			if family.missing(p.setting, m.members) != "" {
				continue
			}
			add(&out.Families, family.name)
			for _, score := range family.scores(p.setting, m.members) {
				if p.wanted(family, &score) {
					add(&out.Scores, score.Name)
				}
			}
		}
	}
	return out, nil
}
