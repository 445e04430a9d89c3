// Errors of transitions that are known already.

package surprise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/measure/violation"
)

// known scores errors that are known already.
func (p *plan) known(ctx context.Context) (*Result, error) {
	e := p.in.Errors
	r, places, err := p.rows()
	if err != nil {
		return nil, err
	}
	var all []*predictor
	for k, name := range e.Names {
		pr := &predictor{name: name, errors: slices.Clone(e.Values[k])}
		for i, kind := range e.Violation {
			if kind != "" {
				pr.errors[i] = math.NaN() // of no untouched transition
			}
			if math.IsNaN(e.Values[k][i]) && !p.o.SkipNaN {
				return nil, fmt.Errorf("errors %s: row %d is NaN, want a number (--skip-nan leaves it out)", name, i)
			}
		}
		for u := range r.units {
			made := erred{}
			for _, rows := range places[u] {
				values := make([]float64, len(rows))
				for i, row := range rows {
					values[i] = e.Values[k][row]
				}
				made.errors = append(made.errors, values)
			}
			pr.units = append(pr.units, made)
		}
		all = append(all, pr)
	}
	result := &Result{}
	for _, u := range r.units {
		result.Made = append(result.Made, Made{Kind: u.kind, Size: u.size, Made: len(u.moments)})
	}
	scores, err := r.finish(ctx, result, all)
	if err != nil {
		return nil, err
	}
	for u, unit := range r.units {
		if len(unit.moments) > 0 {
			result.Shown = r.shown(u, unit.moments[len(unit.moments)/2], scores)
			break
		}
	}
	return result, nil
}

// rows finds untouched and violated episodes; places are the rows of violated episodes by unit and moment, from the
// violation on.
func (p *plan) rows() (r *recording, places [][][]int, err error) {
	e := p.in.Errors
	r = &recording{o: &p.o, episode: e.Episode}
	episodes := map[int][]int{} // rows, by label
	var labels []int
	for i, label := range e.Episode {
		if episodes[label] == nil {
			labels = append(labels, label)
		}
		episodes[label] = append(episodes[label], i)
	}
	twins := map[int]int{} // label, by pair
	var violated []int
	for _, label := range labels {
		rows := episodes[label]
		for k, i := range rows {
			if e.Violation[i] != e.Violation[rows[0]] || e.Size[i] != e.Size[rows[0]] || e.Pair[i] != e.Pair[rows[0]] {
				return nil, nil, fmt.Errorf("row %d: an episode has one violation, size and pair, but episode %d "+
					"has others in row %d", i, label, rows[0])
			}
			if k > 0 && e.Step[i] <= e.Step[rows[k-1]] {
				return nil, nil, fmt.Errorf("row %d: step %d of episode %d does not follow the one before it: "+
					"want ascending steps", i, e.Step[i], label)
			}
		}
		if e.Violation[rows[0]] != "" {
			violated = append(violated, label)
			continue
		}
		r.order = append(r.order, rows...)
		if other, twice := twins[e.Pair[rows[0]]]; twice {
			return nil, nil, fmt.Errorf("episodes %d and %d are both untouched and have the pair %d: want one", other, label,
				e.Pair[rows[0]])
		}
		twins[e.Pair[rows[0]]] = label
	}
	if len(violated) == 0 {
		return nil, nil, fmt.Errorf("no row has a violation")
	}
	var units []unit
	drawn := map[int]int{}
	byUnit := map[unit][]int{}
	for _, label := range violated {
		rows := episodes[label]
		u := unit{violation.Kind(e.Violation[rows[0]]), e.Size[rows[0]]}
		if byUnit[u] == nil {
			units = append(units, u)
		}
		byUnit[u] = append(byUnit[u], label)
	}
	kinds := kindsOf(units)
	slices.SortStableFunc(units, func(a, b unit) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.kind), slices.Index(kinds, b.kind)), cmp.Compare(a.size, b.size))
	})
	moments := map[[2]int]int{} // of a twin and a draw
	for _, u := range units {
		one := made{unit: u, span: func(n int) int { return n }}
		var list [][]int
		taken := map[int]int{}
		for _, label := range byUnit[u] {
			rows := episodes[label]
			twin, paired := twins[e.Pair[rows[0]]]
			if !paired {
				return nil, nil, fmt.Errorf("episode %d has the pair %d, which no untouched episode has; "+
					"untouched episodes have an empty violation", label, e.Pair[rows[0]])
			}
			draw := taken[twin]
			taken[twin]++
			m, seen := moments[[2]int{twin, draw}]
			if !seen {
				before, after, err := split(e.Step, episodes[twin], twin)
				if err != nil {
					return nil, nil, err
				}
				m = len(r.draw)
				moments[[2]int{twin, draw}] = m
				r.before, r.after, r.draw = append(r.before, before), append(r.after, after), append(r.draw, drawn[twin])
				drawn[twin]++
			}
			_, after, err := split(e.Step, rows, label)
			if err != nil {
				return nil, nil, err
			}
			n := min(len(after), len(r.after[m]), p.o.Horizon)
			for k, row := range after[:n] {
				if e.Step[row] != e.Step[r.after[m][k]] {
					return nil, nil, fmt.Errorf("row %d: step %d of episode %d has no equal in its untouched episode %d", row,
						e.Step[row], label, twin)
				}
			}
			one.moments, list = append(one.moments, m), append(list, after[:n])
		}
		r.units, places = append(r.units, one), append(places, list)
	}
	return r, places, nil
}

// kindsOf are the kinds of units, in the order in which they first occur.
func kindsOf(units []unit) []violation.Kind {
	var out []violation.Kind
	for _, u := range units {
		if !slices.Contains(out, u.kind) {
			out = append(out, u.kind)
		}
	}
	return out
}

// split divides the rows of an episode at step 0.
func split(step, rows []int, label int) (before, after []int, err error) {
	k := slices.IndexFunc(rows, func(i int) bool { return step[i] >= 0 })
	if k < 0 || step[rows[k]] != 0 {
		return nil, nil, fmt.Errorf("episode %d has no row of step 0, the first impossible transition", label)
	}
	return rows[:k], rows[k:], nil
}
