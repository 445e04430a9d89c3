// Persistence and climatology, which are models like forecasts.

package forecast

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"repscope/internal/text"
)

// addBaselines adds persistence and climatology, if there is what they are made of.
func (p *plan) addBaselines(d Dims) error {
	if p.in.Fields != nil {
		if err := p.addPersistence(d); err != nil {
			return err
		}
	}
	if p.in.Climate == nil && !p.in.FromTarget {
		return nil
	}
	if err := p.addClimate(d); err != nil {
		return err
	}
	p.models = append(p.models, source{name: Climatology, kind: "baseline", from: p.climate.from, members: 1, array: p.climate.array,
		read: func(c *sample, dst []float64) error {
			copy(dst, c.climate)
			return nil
		}})
	return nil
}

// addPersistence predicts the input field of the same variable.
func (p *plan) addPersistence(d Dims) error {
	a := p.in.Fields
	s := a.Shape()
	if len(s) != 4 || s[0] != d.N || s[2] != d.H || s[3] != d.W {
		return fmt.Errorf("input: %s has shape %v, want [%d,Vin,%d,%d]%s", a.Name(), stored(a), d.N, d.H, d.W, d.note)
	}
	names := p.in.FieldVariables
	if names == nil {
		if s[1] != d.V {
			return fmt.Errorf("input: %s has %s and the target has %d: name them with --input-variables, so that "+
				"persistence can match them",
				a.Name(), text.Count(s[1], "variable"), d.V)
		}
		names = p.variables
	}
	if len(names) != s[1] {
		return fmt.Errorf("input: %s named (%s), but %s has %d: give one name per variable",
			text.Count(len(names), "variable"), strings.Join(names, ", "), a.Name(), s[1])
	}
	if err := distinct("input variable", names); err != nil {
		return err
	}
	position := make([]int, d.V)
	for v, name := range p.variables {
		if position[v] = slices.Index(names, name); position[v] < 0 {
			return fmt.Errorf("input: persistence needs the variable %[2]q; %[1]s has "+
				"%[3]s", a.Name(), name, strings.Join(names, ", "))
		}
	}
	p.arrays = append(p.arrays, inputArray{"input", a})
	array, size, all := len(p.arrays)-1, d.H*d.W, s[1]*d.H*d.W
	p.models = append(p.models, source{name: Persistence, kind: "baseline", from: "the input fields", members: 1, array: array,
		read: func(c *sample, dst []float64) error {
			if len(c.rest) < all {
				c.rest = make([]float64, all)
			}
			if err := p.read(array, c.rest[:all], c.index); err != nil {
				return err
			}
			for v, k := range position {
				copy(dst[v*size:(v+1)*size], c.rest[k*size:(k+1)*size])
			}
			return nil
		}})
	return nil
}

// climate are the fields that do not know the sample.
type climate struct {
	from  string
	array int
	plan  *plan
	each  bool // a field per sample
	once  sync.Once
	err   error
	field []float64     // one for all; of FromTarget the sum over all targets
	count int           // of targets in it
	group []int         // of FromTarget: of every sample
	of    map[int][]int // the samples of a group
}

// addClimate checks what the climatology is made of.
func (p *plan) addClimate(d Dims) error {
	p.climate = &climate{plan: p, from: "the mean of the target over the other groups"}
	p.anomalies = true
	if p.in.FromTarget {
		if p.in.Climate != nil {
			return fmt.Errorf("climatology: given twice, as fields and from the target; choose one")
		}
		p.climate.group = groupsOf(p.in, d.N)
		p.climate.of = map[int][]int{}
		for i, g := range p.climate.group {
			p.climate.of[g] = append(p.climate.of[g], i)
		}
		if len(p.climate.of) < 2 {
			return fmt.Errorf("climatology of the target: all samples belong to one group, so no other group is " +
				"left to average; give more groups, or the fields with --climatology")
		}
		return nil
	}
	a := p.in.Climate
	s := a.Shape()
	p.climate.from, p.climate.each = "climatology", len(s) == 4
	p.arrays = append(p.arrays, inputArray{"climatology", a})
	p.climate.array = len(p.arrays) - 1
	want := []int{d.V, d.H, d.W}
	if p.climate.each {
		want = []int{d.N, d.V, d.H, d.W}
	}
	if !slices.Equal(s, want) {
		return fmt.Errorf("climatology: %s has shape %v, want [%d,%d,%d], or %v with one field per sample%s", a.Name(),
			stored(a), d.V, d.H, d.W, d, d.note)
	}
	return nil
}

// prepare reads what all samples share.
func (k *climate) prepare(ctx context.Context, p *plan) error {
	k.once.Do(func() {
		d := len(p.variables) * p.size()
		switch {
		case k.each:
		case k.group == nil:
			k.field = make([]float64, d)
			for v := range p.variables { // variables are its first axis
				if k.err = p.read(k.array, k.field[v*p.size():(v+1)*p.size()], v); k.err != nil {
					return
				}
			}
		default:
			k.field = make([]float64, d)
			k.err = k.total(ctx, p)
		}
	})
	return k.err
}

// total adds up all targets, but for those with NaN if these are skipped.
func (k *climate) total(ctx context.Context, p *plan) error {
	return p.eachTarget(ctx, func(truth []float64) {
		k.count++
		for j, v := range truth {
			k.field[j] += v
		}
	})
}

// enter gives a sample its climatology.
func (k *climate) enter(c *sample) error {
	p := k.plan
	d := len(c.truth)
	if k.field != nil && k.group == nil {
		c.climate = k.field
		return nil
	}
	if len(c.climateField) == 0 {
		c.climateField = make([]float64, d)
	}
	c.climate = c.climateField
	if k.each {
		return p.read(k.array, c.climate, c.index)
	}
	return k.withoutOwn(c)
}

// withoutOwn is the mean over the targets of the other groups.
func (k *climate) withoutOwn(c *sample) error {
	copy(c.climate, k.field)
	count := k.count
	if len(c.rest) < len(c.truth) {
		c.rest = make([]float64, len(c.truth))
	}
	row := c.rest[:len(c.truth)]
	for _, i := range k.of[k.group[c.index]] {
		from := c.truth
		if i != c.index {
			if err := k.plan.read(0, row, i); err != nil {
				if _, ok := err.(*NonFiniteError); ok && k.plan.o.SkipNaN {
					continue
				}
				return err
			}
			from = row
		}
		count--
		for j, v := range from {
			c.climate[j] -= v
		}
	}
	if count == 0 {
		return fmt.Errorf("climatology of the target: no other group has finite values")
	}
	for j := range c.climate {
		c.climate[j] /= float64(count)
	}
	return nil
}
