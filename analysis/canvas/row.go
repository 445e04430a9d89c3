// The numbers of a case.

package canvas

import (
	"errors"
	"math"

	"repscope/analysis/canvas/internal/source"
	"repscope/report"
)

// Row are the numbers of a case. Every key of every kind that was scored is in Values.
type Row struct {
	Values map[string]report.Value
	// Details are texts and lists next to the numbers: "tool_unique_list", "gt_caption".
	Details map[string]any
	// Reports are files of the case by name ("layout_iou_report.json"), as values to be
	// written; filled where [Settings.Reports] says so.
	Reports map[string]any
	// Failures are the inputs that could not be read, once each, in their order.
	Failures []string
	// Owners are the kinds that own the details and reports, Failed the kinds that failed, and Known the kinds that an
	// earlier run has computed.
	Owners        map[string]string `json:"-"`
	Failed, Known map[string]bool   `json:"-"`
}

// NewRow returns an empty row.
func NewRow() *Row {
	return &Row{Values: map[string]report.Value{}, Details: map[string]any{}, Reports: map[string]any{},
		Owners: map[string]string{}, Failed: map[string]bool{}, Known: map[string]bool{}}
}

// Set enters a number.
func (r *Row) Set(key string, v float64) { r.Values[key] = report.Number(v) }

// Undefined enters null with a reason.
func (r *Row) Undefined(key, reason string, args ...any) {
	r.Values[key] = report.Undefined(reason, args...)
}

// fail counts an input that could not be read.
func (r *Row) fail(err error) {
	for _, f := range r.Failures {
		if f == err.Error() {
			return
		}
	}
	r.Failures = append(r.Failures, err.Error())
}

// scoreKind computes one kind, and says why it has no numbers.
func scoreKind(k *Kind, p *Pair, row *Row) {
	reason := "not computed"
	if err := k.Score(p, row); err != nil {
		reason = err.Error()
		if !errors.As(err, new(source.Absent)) {
			row.fail(err)
			row.Failed[k.Name] = true
		}
	}
	p.describe(k, row)
	row.own(k.Name)
	for _, key := range k.Keys {
		if _, entered := row.Values[key.Name]; !entered {
			row.Values[key.Name] = report.Value{V: math.NaN(), Reason: reason}
		}
	}
}

// own enters whose the details and reports are that nobody has yet.
func (r *Row) own(kind string) {
	for key := range r.Details {
		if r.Owners[key] == "" {
			r.Owners[key] = kind
		}
	}
	for name := range r.Reports {
		if r.Owners[name] == "" {
			r.Owners[name] = kind
		}
	}
}
