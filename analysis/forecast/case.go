// One case as fields, for maps: the truth, and mean, a member and spread of every model.

package forecast

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Case is a sample as maps show it: fields of the first variables [H·W].
type Case struct {
	Sample        int
	Lead          float64
	Height, Width int
	Truth         [][]float64 // by variable
	Models        []CaseModel
	Left          int // models that are not shown
}

// CaseModel are the fields of a model by variable. Member and Spread are nil of one
// member.
type CaseModel struct {
	Name                 string
	Mean, Member, Spread [][]float64
}

// typical is the sample of the median squared error of the first model,
// among the samples of the middle lead.
func (r *Result) typical() int {
	order := make([]int, 0, len(r.Samples))
	leads := slices.Clone(r.Leads)
	slices.Sort(leads)
	leads = slices.Compact(leads)
	for i := range r.Samples {
		if r.Leads == nil || r.Leads[i] == leads[len(leads)/2] {
			order = append(order, i)
		}
	}
	for _, name := range []string{"mse", "mae", "crps", "energy_score"} {
		s, ok := r.Models[0].Score(name)
		if ok && len(s.Sample) == len(r.Samples) {
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Sample[a], s.Sample[b]) })
			break
		}
	}
	return order[len(order)/2]
}

// TypicalCase reads the sample of the median squared error of the first model: fields of the first
// variables, of at most that many models.
func TypicalCase(ctx context.Context, in Input, o Options, r *Result, variables, models int) (*Case, error) {
	p, err := newPlan(in, o)
	if err != nil {
		return nil, err
	}
	row := r.typical()
	c := newSample(p.setting, p.mostMembers())
	c.index = r.Samples[row]
	out := &Case{Sample: c.index, Height: p.height, Width: p.width}
	if r.Leads != nil {
		out.Lead = r.Leads[row]
	}
	if err := p.read(0, c.truth, c.index); err != nil {
		return nil, err
	}
	variables = min(len(p.variables), variables)
	for v := range variables {
		out.Truth = append(out.Truth, slices.Clone(c.truthOf(v)))
	}
	for _, m := range p.models {
		if m.name == Climatology && m.kind == "baseline" {
			continue
		}
		if len(out.Models) == models {
			out.Left++
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := m.read(c, c.ensemble[:m.members*len(c.mean)]); err != nil {
			return nil, err
		}
		c.begin(m.members)
		out.Models = append(out.Models, c.shown(m.name, variables))
	}
	out.blank(p.masked)
	return out, nil
}

// blank takes away what stands in cells without weight.
func (c *Case) blank(cells []int) {
	fields := c.Truth
	for _, m := range c.Models {
		fields = slices.Concat(fields, m.Mean, m.Member, m.Spread)
	}
	for _, field := range fields {
		for _, cell := range cells {
			field[cell] = math.NaN()
		}
	}
}

// mostMembers is the largest number of members of a model.
func (p *plan) mostMembers() int {
	largest := 0
	for _, m := range p.models {
		largest = max(largest, m.members)
	}
	return largest
}

// shown are the maps of the sample's model.
func (c *sample) shown(name string, variables int) CaseModel {
	m := CaseModel{Name: name}
	for v := range variables {
		mean := slices.Clone(c.meanOf(v))
		m.Mean = append(m.Mean, mean)
		if c.members == 1 {
			continue
		}
		m.Member = append(m.Member, slices.Clone(c.member(0, v)))
		spread := make([]float64, len(mean))
		for k := range c.members {
			for i, x := range c.member(k, v) {
				spread[i] += (x - mean[i]) * (x - mean[i])
			}
		}
		for i := range spread {
			spread[i] = math.Sqrt(spread[i] / float64(c.members-1))
		}
		m.Spread = append(m.Spread, spread)
	}
	return m
}
