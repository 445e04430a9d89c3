// Pairs that decide a line by themselves, and models whose order rests on them.

package smoothness

import (
	"context"
	"fmt"
	"math"

	"repscope/analysis/internal/results"
	"repscope/report"
	"repscope/stat"
)

// Leverage says how few pairs hold the variance of the pixel distances, which is what a
// least-squares line and R² rest on, and what the relation is without them.
type Leverage struct {
	// TopShare is what the hundredth of the pairs holds that lies farthest from the mean distance.
	TopShare report.Value `json:"top_percent_share"`
	// Pairs lie more than 3.2 standard deviations from the mean distance (√10), and Share is what
	// they hold. Where it is half or more, Without is the relation of the other pairs.
	Pairs   int          `json:"pairs"`
	Share   report.Value `json:"share"`
	Without Without      `json:"without"`
}

// Without is a relation without the pairs that decide the line.
type Without struct {
	Slope    report.Estimate `json:"slope"`
	RSquared report.Estimate `json:"r_squared"`
	Spearman report.Estimate `json:"spearman"`
	TheilSen report.Estimate `json:"theil_sen"`
}

// leverage is the leverage of the pixel distances of one horizon.
type leverage struct {
	stat.Leverage
	rest          []int // the pairs that are not far; nil where they do not decide
	pixel         []float64
	grouping      *grouping
	without       []*measured // of every model, for the rest
	reason, share string
}

// leverage looks for pairs that decide the line at a horizon.
func (p *plan) leverage(h int, pixel []float64, g *grouping) (*leverage, error) {
	l := &leverage{Leverage: stat.LeverageOf(pixel), reason: "no small set of pairs has half of the variance of " +
		"the pixel distances"}
	if l.Top == 0 {
		l.reason = "the pixel distances do not vary"
	}
	if !l.Decides() {
		return l, nil
	}
	l.share = fmt.Sprintf(
		"%d of %d pairs have %.0f %% of the variance of the pixel distances", len(l.Far), len(pixel), 100*l.Share)
	var owner []int
	far := l.Far
	for i, d := range pixel {
		if len(far) > 0 && far[0] == i {
			far = far[1:]
			continue
		}
		l.rest, l.pixel, owner = append(l.rest, i), append(l.pixel, d), append(owner, p.in.Pairs[h][i].Now)
	}
	if g == nil {
		return l, nil
	}
	var err error
	l.grouping, err = g.owning(owner)
	return l, err
}

// relate computes the relation of one model without the pairs that decide the line; nil where
// none do.
func (l *leverage) relate(ctx context.Context, p *plan, latent []float64, u unit) (*measured, error) {
	if l.rest == nil {
		return nil, nil
	}
	rest := make([]float64, len(l.rest))
	for k, i := range l.rest {
		rest[k] = latent[i]
	}
	return p.relate(ctx, l.grouping, l.pixel, rest, u)
}

// of is what the result says of the leverage, and of a model without the pairs that decide.
func (l *leverage) of(m *measured) Leverage {
	out := Leverage{TopShare: report.Number(l.Top), Pairs: len(l.Far), Share: report.Number(l.Share)}
	if l.Top == 0 {
		out = report.Lack(out, "%s", l.reason)
	}
	if m == nil {
		out.Without = report.Lack(Without{}, "%s", l.reason)
		return out
	}
	r := &m.relation
	out.Without = Without{r.Slope, r.RSquared, r.Spearman, r.TheilSen}
	return out
}

// warning names the pairs that decide the line; empty where none do.
func (l *leverage) warning(p *plan, h int) string {
	if l.rest == nil {
		return ""
	}
	frames := results.Named(l.Far, func(i int) string {
		pair := p.in.Pairs[h][i]
		return fmt.Sprintf("%d→%d", results.TimeOf(p.in.Time, pair.Now), results.TimeOf(p.in.Time, pair.Next))
	})
	return fmt.Sprintf("%s and determine slope and R² (frames %s): use the numbers without these pairs "+
		"(leverage.without) or the Theil–Sen slope", l.share, frames)
}

// withdraw takes the p values from comparisons of lines that a few pairs decide and the other
// pairs do not confirm, and from comparisons of two numbers of one kind that contradict each other.
// rows are by metric, for the same pairs of models; without those without the pairs.
func (l *leverage) withdraw(rows, without map[string][]report.Comparison) {
	for _, c := range []struct{ line, robust, names string }{
		{"slope", "theil_sen", "slope and Theil–Sen slope"}, {"r_squared", "spearman", "R² and Spearman's correlation"},
	} {
		for i := range rows[c.line] {
			row := &rows[c.line][i]
			for k := range without[c.line] {
				other := &without[c.line][k]
				if of(row, other) && decided(row) && !(decided(other) && alike(row, other)) {
					results.Withdraw(row,
						"%s; without them this difference disappears (%s)", l.share, difference(other))
				}
			}
			for k := range rows[c.robust] {
				other := &rows[c.robust][k]
				if of(row, other) && decided(row) && decided(other) && !alike(row, other) {
					reason := c.names + " rank the models in the opposite order"
					results.Withdraw(row, "%s", reason)
					results.Withdraw(other, "%s", reason)
				}
			}
		}
	}
}

func of(a, b *report.Comparison) bool { return a.A == b.A && a.B == b.B }

// decided reports whether a test tells the models apart.
func decided(c *report.Comparison) bool { return c.P.Defined() && c.P.V < 0.05 }

// alike reports whether two differences have the same sign.
func alike(a, b *report.Comparison) bool {
	return math.Signbit(a.Difference.V) == math.Signbit(b.Difference.V)
}

// difference is the difference of a comparison with its p value.
func difference(c *report.Comparison) string {
	if !c.P.Defined() {
		return c.P.Reason
	}
	return fmt.Sprintf("difference %.3g, p %.2g", c.Difference.V, c.P.V)
}
