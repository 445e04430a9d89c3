// What a run says of models that cannot be measured.

package run

import (
	"slices"
	"strings"

	"repscope/report"
)

// LeaveOut enters a model that cannot be measured: its row in results, tables and figures
// holds the reason of the error, with its hints, and a warning names it. The others are
// measured as they would be without it. A name counts once.
func (e *Env) LeaveOut(name string, err error) {
	if slices.ContainsFunc(e.unmeasured, func(u report.Unmeasured) bool { return u.Name == name }) {
		return
	}
	u := report.Unmeasured{Name: name, Reason: reasonWithHints(name, err)}
	e.unmeasured = append(e.unmeasured, u)
	e.Warn("model %s is not measured: %s", u.Name, u.Reason)
}

// Unmeasured are the models that were left out, in that order.
func (e *Env) Unmeasured() []report.Unmeasured { return e.unmeasured }

// Untold returns the ones that it did not return before: each is told once on the console.
func (e *Env) Untold() []report.Unmeasured {
	untold := e.unmeasured[e.told:]
	e.told = len(e.unmeasured)
	return untold
}

// reasonWithHints is what an error says of a model of the given name, on one line.
func reasonWithHints(name string, err error) string {
	reason := err.Error()
	for _, role := range []string{"model", "latents", "baseline", "predictions"} {
		if rest, ok := strings.CutPrefix(reason, role+" "+name+": "); ok {
			reason = rest
			break
		}
	}
	for _, hint := range hintsOf(err) {
		reason += "; " + hint
	}
	return strings.ReplaceAll(reason, "\n", "; ")
}
