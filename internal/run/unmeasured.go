// Models that cannot be measured: what a run says of them, and how it tells their errors
// from its own.

package run

import (
	"context"
	"errors"
	"slices"
	"strings"

	"repscope/report"
)

// Unmeasured is a model that a run could not measure, and why.
type Unmeasured struct{ Name, Reason string }

// LeaveOut enters a model that cannot be measured: its row in results, tables and figures
// holds the reason of the error, with its hints, and a warning names it. The others are
// measured as they would be without it. A name counts once.
func (e *Env) LeaveOut(name string, err error) {
	if slices.ContainsFunc(e.unmeasured, func(u Unmeasured) bool { return u.Name == name }) {
		return
	}
	u := Unmeasured{name, reasonWithHints(name, err)}
	e.unmeasured = append(e.unmeasured, u)
	e.Warn("model %s is not measured, the others are: %s", u.Name, u.Reason)
}

// Unmeasured are the models that were left out, in that order.
func (e *Env) Unmeasured() []Unmeasured { return e.unmeasured }

// Untold are those of them that it did not return before: each is told once on the console.
func (e *Env) Untold() []Unmeasured {
	untold := e.unmeasured[e.told:]
	e.told = len(e.unmeasured)
	return untold
}

// Object is what stands in the place of the model's numbers in a result: that it is skipped,
// and why.
func (u Unmeasured) Object() report.Object {
	var o report.Object
	o.Set("skipped", true)
	o.Set("reason", u.Reason)
	return o
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

// OfModel reports whether an error that came up while a model was opened, read or run is
// one of that model, which may be left out. Wrong usage, an interrupt, what stops the whole
// run, and what is marked by [OfRun] are not.
func OfModel(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil || errors.Is(err, context.Canceled) || exitCode(err) == exitUsage {
		return false
	}
	_, run := errors.AsType[*ofRun](err)
	return !run
}

// OfRun marks an error that no model is to blame for, such as frames that cannot be read.
// A nil error stays nil.
func OfRun(err error) error {
	if err == nil {
		return nil
	}
	return &ofRun{err}
}

// ofRun is an error that no model is to blame for.
type ofRun struct{ error }

func (e *ofRun) Unwrap() error { return e.error }
