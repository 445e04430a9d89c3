// Events: values that reach a threshold, of the ensemble mean and as probabilities.

package forecast

import (
	"fmt"
	"math"

	"repscope/measure/verification"
	"repscope/report"
	"repscope/stat"
)

// The list of events in a result, and the keys of its rows: values from a threshold or from a quantile
// of the truth on, and values above them.
const (
	EventTable    = "events"
	byThreshold   = "threshold"
	byQuantile    = "quantile"
	above         = "above"
	aboveQuantile = "above_quantile"
)

// Event is one that is scored: by a threshold, or by a quantile of the truth.
type Event struct {
	Key   string
	Value float64
}

// of is the event of values that begins at a limit.
func (e Event) of(limit float64) verification.Event {
	return verification.Event{Threshold: limit, Beyond: e.Key == above || e.Key == aboveQuantile}
}

// Sign is how values and the limit are compared: ≥ or >.
func (e Event) Sign() string { return e.of(0).Sign() }

// OfQuantile says whether it begins at a quantile of the truth.
func (e Event) OfQuantile() bool { return e.Key == byQuantile || e.Key == aboveQuantile }

// events are those that the options ask for.
func (o *Options) events() []Event {
	threshold, quantile := eventKeys(o.EventRule)
	var out []Event
	for _, v := range o.Thresholds {
		out = append(out, Event{threshold, v})
	}
	for _, v := range o.EventQuantiles {
		out = append(out, Event{quantile, v})
	}
	return out
}

// noEvents is why there is nothing to compute without events.
func noEvents(s *setting, _ int) string {
	if len(s.o.events()) == 0 {
		return "no event is defined: give --thresholds or --event-quantiles"
	}
	return ""
}

// verifying is the scratch memory of the scores of package verification.
type verifying struct {
	counts     []int
	transforms map[verification.TransformKind]*verification.Transform
	field      []float64
}

// event is event k of a variable.
func (c *sample) event(k, v int) verification.Event {
	return c.o.events()[k].of(c.limits[k][v])
}

// counts are how many of the members have an event, by cell. The next call fills the
// same memory.
func (c *sample) counts(e verification.Event, members ...[]float64) []int {
	if c.verifying.counts == nil {
		c.verifying.counts = make([]int, c.size())
	}
	e.CountMembers(c.verifying.counts, members...)
	return c.verifying.counts
}

// scored is a formula of a score that may be undefined: f gets the sums from on.
func scored(formula Formula, e Event, f func(sums []float64) (float64, error)) Formula {
	formula.List, formula.key, formula.value = EventTable, e.Key, e.Value
	formula.of = func(sums []float64) float64 {
		v, err := f(sums)
		if err != nil {
			return math.NaN()
		}
		return v
	}
	formula.why = func(sums []float64) string {
		_, err := f(sums)
		return stat.Reason(err)
	}
	return formula
}

// eventFamily are contingency tables of the ensemble mean.
func eventFamily() family {
	const size = 4
	parts := [size]string{"hits", "misses", "false_alarms", "correct_negatives"}
	abouts := [size]string{"an event that was forecast",
		"an event that was not forecast", "a forecast event that did not occur", "no event, and none forecast"}
	return family{
		name: EventTable, about: "events of --thresholds and --event-quantiles: hits and misses of the ensemble mean, CSI, ETS, HSS, SEDI", needs: noEvents,
		sums: func(s *setting, _ int) []string {
			var names []string
			for _, e := range s.o.events() {
				for _, part := range parts {
					names = append(names, part+report.Row(e.Key, e.Value))
				}
			}
			return names
		},
		count: func(s *setting, _ int) int { return size * len(s.o.events()) },
		field: func(c *sample, v, region int, out []float64) error {
			for k := range c.limits {
				copy(out[size*k:], c.event(k, v).Table(c.meanOf(v), c.truthOf(v), c.weights[region]).Sums())
			}
			return nil
		},
		warn: func(t *tally) []string {
			return t.rare(func(k int, means []float64) float64 { return means[size*k] + means[size*k+1] })
		},
		scores: func(s *setting, _ int) []Formula {
			var out []Formula
			for k, e := range s.o.events() {
				for i, part := range parts {
					formula := scored(Formula{Name: part, About: "share of cells with " + abouts[i],
						Direction: report.Neither, High: 1, mean: true}, e,
						func(sums []float64) (float64, error) { return sums[i], nil })
					formula.from, formula.count = size*k, size
					out = append(out, formula)
				}
				for _, score := range tableScores() {
					of := scored(score.Formula, e, func(sums []float64) (float64, error) { return score.of(verification.TableOf(sums)) })
					of.from, of.count = size*k, size
					out = append(out, of)
				}
			}
			return out
		},
	}
}

// tableScore is a score of contingency tables.
type tableScore struct {
	Formula
	of func(verification.Table) (float64, error)
}

func tableScores() []tableScore {
	type t = verification.Table
	inf := math.Inf(1)
	return []tableScore{
		{Formula{Name: "base_rate", About: "share of cells with the event", Direction: report.Neither, High: 1}, t.BaseRate},
		{Formula{Name: "pod", About: "probability of detection: hits/(hits + misses)", Direction: report.Higher, High: 1}, t.POD},
		{Formula{Name: "pofd", About: "probability of false detection: false alarms/(false alarms + correct negatives)",
			Direction: report.Lower, High: 1}, t.POFD},
		{Formula{Name: "far", About: "false alarm ratio: false alarms/(hits + false alarms)", Direction: report.Lower,
			High: 1}, t.FAR},
		{Formula{Name: "csi", About: "critical success index: hits/(hits + misses + false alarms)",
			Direction: report.Higher, High: 1}, t.CSI},
		{Formula{Name: "ets", About: "equitable threat score: CSI corrected for hits expected by " +
			"chance", Direction: report.Higher,
			Low: -1.0 / 3, High: 1, compared: true}, t.ETS},
		{Formula{Name: "hss", About: "Heidke skill score: share of correct cells corrected for " +
			"chance", Direction: report.Higher,
			Low: -1, High: 1}, t.HSS},
		{Formula{Name: "sedi", About: "symmetric extremal dependence index, for rare events", Direction: report.Higher,
			Low: -1, High: 1}, t.SEDI},
		{Formula{Name: "frequency_bias", About: "number of forecast events divided by the number of observed " +
			"events; 1 is best",
			Direction: report.Neither, High: inf}, t.FrequencyBias},
	}
}

// probabilityFamily are scores of events as shares of members.
func probabilityFamily() family {
	size := func(members int) int { return 2 * (members + 1) }
	return family{
		name: "probabilities", about: "event probabilities as shares of members: Brier score and its components, " +
			"ROC, reliability (CORP)", needs: noEvents,
		sums: func(s *setting, members int) []string {
			var names []string
			for _, e := range s.o.events() {
				for _, part := range []string{"event", "no event"} {
					for k := range members + 1 {
						names = append(names, fmt.Sprintf("%s at %d members%s", part, k, report.Row(e.Key, e.Value)))
					}
				}
			}
			return names
		},
		count: func(s *setting, members int) int { return size(members) * len(s.o.events()) },
		field: func(c *sample, v, region int, out []float64) error {
			for k := range c.limits {
				e := c.event(k, v)
				part := out[k*size(c.members) : (k+1)*size(c.members)]
				clear(part)
				verification.ProbabilitiesOf(part).AddField(e, c.counts(e, c.membersOf(v)...), c.truthOf(v), c.weights[region])
			}
			return nil
		},
		scores: func(s *setting, members int) []Formula {
			var out []Formula
			for k, e := range s.o.events() {
				for _, score := range probabilityScores() {
					of := scored(score.Formula, e, func(sums []float64) (float64, error) { return score.of(verification.ProbabilitiesOf(sums)) })
					of.from, of.count = k*size(members), size(members)
					out = append(out, of)
				}
			}
			return out
		},
		warn: func(t *tally) []string {
			return t.rare(
				func(k int, means []float64) float64 { return stat.Sum(means[k*size(t.members):][:t.members+1]) },
			)
		},
		tables: func(t *tally, into *report.Object) error { return t.diagrams(into) },
	}
}

// probabilityScore is a score of probabilities of an event.
type probabilityScore struct {
	Formula
	of func(verification.Probabilities) (float64, error)
}

// brier makes a score of a part of the Brier score.
func brier(part func(verification.Brier) float64) func(verification.Probabilities) (float64, error) {
	return func(p verification.Probabilities) (float64, error) {
		b, err := p.Brier()
		if err != nil {
			return math.NaN(), err
		}
		v := part(b)
		switch {
		case math.IsNaN(v) && b.Uncertainty == 0:
			return v, stat.Undefined("Brier score", "the event occurs in no cell or in every cell")
		case math.IsNaN(v):
			return v, stat.Undefined("Brier score", "the fair score needs two members")
		}
		return v, nil
	}
}

func probabilityScores() []probabilityScore {
	type b = verification.Brier
	inf := math.Inf(1)
	corp := func(part func(verification.Reliability) float64) func(verification.Probabilities) (float64, error) {
		return func(p verification.Probabilities) (float64, error) {
			r, err := p.Reliability()
			return part(r), err
		}
	}
	return []probabilityScore{
		{Formula{Name: "brier", About: "Brier score of the probabilities given by the shares of " +
			"members", Direction: report.Lower, High: 1, mean: true,
			Perfect: true},
			brier(func(b b) float64 { return b.Score })},
		{Formula{Name: "brier_fair", About: "Brier score corrected to an infinite ensemble (Ferro 2014)",
			Direction: report.Lower, Low: -1, High: 1, mean: true, compared: true, Perfect: true},
			brier(func(b b) float64 { return b.Fair })},
		{Formula{Name: "brier_skill", About: "1 − brier/uncertainty: skill relative to forecasting the base rate " +
			"of these samples",
			Direction: report.Higher, Low: -inf, High: 1},
			brier(func(b b) float64 { return b.Skill })},
		{Formula{Name: "brier_fair_skill", About: "1 − brier_fair/uncertainty", Direction: report.Higher, Low: -inf, High: inf},
			brier(func(b b) float64 { return b.FairSkill })},
		{Formula{Name: "brier_reliability", About: "component of brier due to probabilities that differ from " +
			"observed frequencies",
			Direction: report.Lower, High: 1,
			noInterval: "positive by chance alone"},
			brier(func(b b) float64 { return b.Reliability })},
		{Formula{Name: "brier_resolution", About: "component of brier gained by frequencies that differ between " +
			"forecast probabilities", Direction: report.Higher, High: 0.25},
			brier(func(b b) float64 { return b.Resolution })},
		{Formula{Name: "brier_uncertainty", About: "Brier score of forecasting the base rate", Direction: report.Neither,
			High: 0.25},
			brier(func(b b) float64 { return b.Uncertainty })},
		{Formula{Name: "roc_area", About: "area under the relative operating characteristic; 0.5 by chance",
			Direction: report.Higher, High: 1},
			func(p verification.Probabilities) (float64, error) {
				_, area, err := p.ROC()
				return area, err
			}},
		{Formula{Name: "corp_miscalibration", About: "component of brier that isotonic recalibration would remove; " +
			"positive by chance alone", Direction: report.Lower, High: 1,
			noInterval: "positive by chance alone"},
			corp(func(r verification.Reliability) float64 { return r.Miscalibration })},
		{Formula{Name: "corp_discrimination", About: "improvement of recalibrated forecasts over the base rate; " +
			"positive by chance alone", Direction: report.Higher, High: 0.25,
			noInterval: "positive by chance alone"},
			corp(func(r verification.Reliability) float64 { return r.Discrimination })},
	}
}

// EventRow begins the rows of tables of events. One of the first four is there.
type EventRow struct {
	Threshold     *float64 `json:"threshold,omitempty" report:"parameter"` // values from it on
	Quantile      *float64 `json:"quantile,omitempty" report:"parameter"`  // values from it on
	Above         *float64 `json:"above,omitempty" report:"parameter"`
	AboveQuantile *float64 `json:"above_quantile,omitempty" report:"parameter"`
	Variable      string   `json:"variable,omitempty" report:"parameter"` // empty: all together
	// Limit is the value that the event begins at; for a quantile, the quantile of the variable.
	Limit *float64 `json:"limit,omitempty"`
}

// Event is the event of the row.
func (r *EventRow) Event() Event {
	switch {
	case r.Threshold != nil:
		return Event{byThreshold, *r.Threshold}
	case r.Above != nil:
		return Event{above, *r.Above}
	case r.AboveQuantile != nil:
		return Event{aboveQuantile, *r.AboveQuantile}
	}
	return Event{byQuantile, *r.Quantile}
}

// row describes an event of a variable or all.
func (t *tally) row(k int, e Event, variable int) EventRow {
	var r EventRow
	switch e.Key {
	case byThreshold:
		r.Threshold, r.Limit = &e.Value, &e.Value
	case above:
		r.Above, r.Limit = &e.Value, &e.Value
	case byQuantile:
		r.Quantile = &e.Value
	default:
		r.AboveQuantile = &e.Value
	}
	if r.Limit == nil && len(t.setting.variables) == 1 {
		r.Limit = &t.limits[k][0]
	}
	if variable != all {
		r.Variable = t.setting.variables[variable]
		r.Limit = &t.limits[k][variable]
	}
	return r
}

// ReliabilityDiagram is the reliability diagram of an event, by CORP.
type ReliabilityDiagram struct {
	EventRow
	Points []ReliabilityPoint `json:"points"`
}

// ReliabilityPoint is a probability that was forecast.
type ReliabilityPoint struct {
	Probability  float64 `json:"probability" report:"parameter"`
	Share        float64 `json:"share"` // of cells
	Frequency    float64 `json:"frequency"`
	Recalibrated float64 `json:"recalibrated"`
}

// ROC is the relative operating characteristic of an event: the rates of forecasting it
// where at least k members do, from more than all to none.
type ROC struct {
	EventRow
	POFD []float64 `json:"pofd"`
	POD  []float64 `json:"pod"`
}

// parts are all variables together, and if there are several, each.
func (t *tally) parts() []int {
	parts := []int{all}
	if len(t.setting.variables) > 1 {
		for v := range t.setting.variables {
			parts = append(parts, v)
		}
	}
	return parts
}

// diagrams adds reliability_diagram and roc, a row per event and variable.
func (t *tally) diagrams(into *report.Object) error {
	var diagrams []ReliabilityDiagram
	curves := []ROC{} // empty where no event occurs
	size := 2 * (t.members + 1)
	for _, v := range t.parts() {
		means := t.means(v, 0)
		for k, e := range t.o.events() {
			p := verification.ProbabilitiesOf(means[k*size : (k+1)*size])
			r, err := p.Reliability()
			if err != nil {
				return err
			}
			diagram := ReliabilityDiagram{EventRow: t.row(k, e, v)}
			for _, point := range r.Points {
				diagram.Points = append(diagram.Points,
					ReliabilityPoint{point.Probability, point.Weight, point.Frequency, point.Recalibrated})
			}
			diagrams = append(diagrams, diagram)
			if points, _, err := p.ROC(); err == nil {
				curve := ROC{EventRow: t.row(k, e, v)}
				for _, point := range points {
					curve.POFD, curve.POD = append(curve.POFD, point.POFD), append(curve.POD, point.POD)
				}
				curves = append(curves, curve)
			}
		}
	}
	into.Set("reliability_diagram", diagrams)
	into.Set("roc", curves)
	return nil
}

// EventKeys are the keys of the rows of events.
func (r *Result) EventKeys() (threshold, quantile string) { return eventKeys(r.rule) }

func eventKeys(rule string) (threshold, quantile string) {
	if rule == EventAbove {
		return above, aboveQuantile
	}
	return byThreshold, byQuantile
}

// Same says whether two rows are of one event and variable.
func (e EventRow) Same(other EventRow) bool {
	return e.Variable == other.Variable && e.Event() == other.Event()
}
