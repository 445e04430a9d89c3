// A violated episode for the figure.

package surprise

import (
	"context"

	"repscope/measure/violation"
)

// shownModels is how many predictors are shown along an episode.
const shownModels = 4

// show makes one violated episode again, with its frames: the first violation, at its largest size, for which some
// model has errors.
func (p *plan) show(ctx context.Context, r *recording, result *Result, all []*scored) error {
	for u, unit := range r.units {
		if len(unit.moments) == 0 || u+1 < len(r.units) && r.units[u+1].kind == unit.kind {
			continue
		}
		m := unit.moments[len(unit.moments)/2]
		shown := r.shown(u, m, all)
		if len(shown.Names) == 0 {
			continue
		}
		result.Shown = shown
		if p.in.Last == nil || p.in.Shape.Height == 0 {
			return nil
		}
		v, err := p.violate(ctx, violation.New(p.scene()), unit.unit, m)
		if err != nil {
			return err
		}
		for i, s := range v.states {
			pair := [2][]float64{make([]float64, p.frameSize()), make([]float64, p.frameSize())}
			if err := p.read(ctx, pair[1], []int{p.all[m].after[i]}); err != nil {
				return err
			}
			if s < 0 {
				pair[0] = v.frames[-1-s]
			} else if err := p.read(ctx, pair[0], []int{s}); err != nil {
				return err
			}
			result.Shown.Violated, result.Shown.Twin = append(result.Shown.Violated, pair[0]), append(result.Shown.Twin, pair[1])
		}
		return nil
	}
	return nil
}

// shown are the errors along a violated episode and its twin.
func (r *recording) shown(u, m int, all []*scored) *Shown {
	unit := &r.units[u]
	out := &Shown{Kind: unit.kind, Size: unit.size, Episode: r.episode[r.after[m][0]], AtState: r.after[m][0]}
	for _, s := range all {
		if s.reason != "" || s.predictor.units[u].reason != "" || len(out.Names) == shownModels {
			continue
		}
		t := &s.units[u][m]
		out.Step = nil
		var violated, twin []float64
		for i, v := range t.before {
			out.Step = append(out.Step, i-len(t.before))
			violated, twin = append(violated, v), append(twin, v)
		}
		for i, v := range t.errors {
			out.Step = append(out.Step, i)
			violated, twin = append(violated, v), append(twin, t.twin[i])
		}
		out.Names = append(out.Names, s.name)
		out.Errors, out.Twins = append(out.Errors, violated), append(out.Twins, twin)
	}
	return out
}
