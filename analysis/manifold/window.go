// Neighbors in time: how many there are, and how far the exclusion window reaches.

package manifold

import (
	"fmt"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/measure/dimension"
	"repscope/report"
)

// AutoWindow is the exclusion window of the longest autocorrelation time of the models.
const AutoWindow = results.AutoWindow

// leastApart is the number of latents more than an automatic window apart that it leaves
// at least.
const leastApart = 20

// manyInTime is the share of nearest neighbors in time from which an intrinsic
// dimension is rather the dimension of a path.
const manyInTime = 0.2

// frames is an autocorrelation time as a window.
func frames(tau float64) int { return results.FramesOf(tau) }

// decideWindow sets the window of the searches, and warns where an automatic one would
// leave too few latents.
func (p *plan) decideWindow() {
	p.window = dimension.Window{Frames: p.o.ExcludeWindow, Episode: p.in.Episode, Time: p.in.Time}
	if p.o.ExcludeWindow != AutoWindow {
		return
	}
	longest := 0.0
	for _, t := range p.memory {
		longest = max(longest, t.Tau)
	}
	p.window.Frames = frames(longest)
	n, limit := p.in.Models[0].Latents.N, p.widestWindow()
	if p.window.Frames > limit {
		p.warnings = append(p.warnings, fmt.Sprintf(
			"the autocorrelation time of %.3g frames is long for %d latents; the exclusion window is limited to %d "+
				"frames, which leaves %d latents that far apart",
			longest, n, limit, leastApart))
		p.window.Frames = limit
	}
}

// widestWindow leaves enough latents.
func (p *plan) widestWindow() int { return max(1, p.in.Models[0].Latents.N/leastApart-1) }

// ordersWarning says that there are too few latents outside the window for some orders.
func (p *plan) ordersWarning(models []Model) string {
	if p.window.Frames == 0 {
		return ""
	}
	for _, m := range models {
		if m.TwoNN.MLE.Defined() && (len(m.Gride) < len(p.o.GrideOrders) || len(m.LevinaBickel) < len(p.o.Neighbors)) {
			return fmt.Sprintf("too few latents are more than %d frames apart for neighbors of higher orders: "+
				"Gride and Levina–Bickel omit these orders; use more latents", p.window.Frames)
		}
	}
	return ""
}

// inTime is the share of nearest neighbors in time.
func (m *Model) inTime(d *dimension.Distinct) report.Value {
	if !m.Tau.Defined() {
		return report.Undefined("%s", m.Tau.Reason)
	}
	return report.Number(d.InTime(frames(m.Tau.V)))
}

// timeWarning is one for the models whose neighbors are in time.
func (p *plan) timeWarning(models []Model) string {
	worst, suggested := 0.0, 0
	var names []string // the worst first
	for _, m := range models {
		share := m.NeighborsInTime.Float()
		if !(share > manyInTime) {
			continue
		}
		if names = append(names, m.Name); share > worst {
			worst, names[0], names[len(names)-1] = share, m.Name, names[0]
		}
		suggested = min(max(suggested, frames(m.Tau.V)), p.widestWindow())
	}
	if len(names) == 0 || suggested <= p.window.Frames {
		return ""
	}
	highest := fmt.Sprintf("%.0f %%", 100*worst)
	if len(names) > 1 {
		highest = "up to " + highest
	}
	with := ""
	if p.window.Frames > 0 {
		with = fmt.Sprintf(" with a window of %d frames", p.window.Frames)
	}
	return fmt.Sprintf("%s: %s of the latents have a nearest neighbor of about the same time%s: intrinsic "+
		"dimensions describe the path and its sampling rate; exclude neighbors in time with --exclude-window %d",
		text.Names(names), highest, with, suggested)
}
