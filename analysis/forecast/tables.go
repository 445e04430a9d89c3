// The CSV files of curves: spectra, reliability diagrams and relative operating characteristics.

package forecast

import (
	"slices"
	"strings"

	"repscope/internal/run"
	"repscope/report"
)

// The CSV files of curves.
const (
	spectrumFile    = "forecast_spectrum.csv"
	reliabilityFile = "forecast_reliability.csv"
	rocFile         = "forecast_roc.csv"
)

// curveFiles are the CSV files of curves that a run writes.
func (p *plan) curveFiles() []string {
	has := func(name string) bool {
		return slices.ContainsFunc(p.families, func(f family) bool {
			return f.name == name && slices.ContainsFunc(p.models, func(m source) bool { return f.missing(p.setting, m.members) == "" })
		})
	}
	var files []string
	if has("spectrum") {
		files = append(files, spectrumFile)
	}
	if has("probabilities") {
		files = append(files, reliabilityFile, rocFile)
	}
	return files
}

// tableOf are the rows of a table of a model; nil if it has none.
func tableOf[T any](m *Model, key string) []T {
	value, _ := m.Tables.Get(key)
	rows, _ := value.([]T)
	return rows
}

// writeCurves writes a row per point of a curve.
func (r *Result) writeCurves(env *run.Env) error {
	if err := writeTable(env, r, spectrumFile, "spectrum", []string{"wavelength", "truth", "members", "mean", "error"}, func(s Spectrum) (head []any, rows [][]any) {
		for k, length := range s.Wavelength {
			rows = append(rows, []any{length, s.Truth[k], s.Members[k], s.Mean[k], s.Error[k]})
		}
		return []any{s.Variable}, rows
	}, "variable"); err != nil {
		return err
	}
	threshold, quantile := r.eventKeys()
	if err := writeTable(env, r, reliabilityFile, "reliability_diagram", []string{"probability", "share", "frequency", "recalibrated"},
		func(d ReliabilityDiagram) (head []any, rows [][]any) {
			for _, p := range d.Points {
				rows = append(rows, []any{p.Probability, p.Share, p.Frequency, p.Recalibrated})
			}
			return d.cells(), rows
		}, "variable", threshold, quantile); err != nil {
		return err
	}
	return writeTable(env, r, rocFile, "roc", []string{"pofd", "pod"}, func(c ROC) (head []any, rows [][]any) {
		for k := range c.POFD {
			rows = append(rows, []any{c.POFD[k], c.POD[k]})
		}
		return c.cells(), rows
	}, "variable", threshold, quantile)
}

// eventKeys are the keys of the rows of events.
func (r *Result) eventKeys() (threshold, quantile string) {
	if r.rule == EventAbove {
		return above, aboveQuantile
	}
	return byThreshold, byQuantile
}

// cells are the cells of an event: the variable (empty: all together), threshold and
// quantile.
func (e *EventRow) cells() []any {
	limit, quantile := report.Undefined("there is none"), report.Undefined("there is none")
	if of := e.event(); of.ofQuantile() {
		quantile = report.Number(of.value)
	}
	if e.Limit != nil { // of a quantile that of the variable
		limit = report.Number(*e.Limit)
	}
	return []any{e.Variable, limit, quantile}
}

// writeTable writes the curves of all models that have them; no file where none has.
func writeTable[T any](env *run.Env, r *Result, file, key string, columns []string, points func(T) (head []any, rows [][]any), head ...string) error {
	if !slices.ContainsFunc(r.Models, func(m Model) bool { return tableOf[T](&m, key) != nil }) {
		return nil
	}
	return env.Files.CSV(file, slices.Concat([]string{"model"}, head, columns), func(csv *report.CSV) error {
		for i := range r.Models {
			for _, curve := range tableOf[T](&r.Models[i], key) {
				begin, rows := points(curve)
				for _, row := range rows {
					if err := csv.Row(slices.Concat([]any{r.Models[i].Name}, begin, row)...); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// eventColumns are the scores of the console table of events.
var eventColumns = []struct{ name, heading string }{
	{"base_rate", "Base rate"}, {"frequency_bias", "Bias"}, {"csi", "CSI"}, {"ets", "ETS"}, {"sedi", "SEDI"}, {"brier_fair", "Brier (fair)"}, {"roc_area", "ROC area"},
}

// printEvents writes a table of the events, if there are any.
func (r *Result) printEvents(env *run.Env) error {
	events := r.events()
	headings := []string{"Event", "Model"}
	columns := eventColumns[:0:0]
	for _, c := range eventColumns {
		if slices.ContainsFunc(events, func(e namedEvent) bool { return len(r.present([]string{e.row + "." + c.name})) > 0 }) {
			headings, columns = append(headings, c.heading), append(columns, c)
		}
	}
	if len(columns) == 0 {
		return nil
	}
	table := report.NewTable("", headings...)
	for _, e := range events {
		for i := range r.Models {
			m := &r.Models[i]
			cells := []any{e.name, m.Name}
			for _, c := range columns {
				cells = append(cells, m.cells([]string{e.row + "." + c.name})...)
			}
			table.Row(cells...)
		}
	}
	table.Note("CSI, ETS, SEDI and bias are of the ensemble mean, Brier score and ROC area of the shares of members")
	return env.Table(table)
}

// namedEvent is an event of the result.
type namedEvent struct{ row, name string }

// events are those that some model has scores of, with their names for tables.
func (r *Result) events() []namedEvent {
	var out []namedEvent
	for i := range r.Models {
		for _, s := range r.Models[i].Scores {
			key, value, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(s.Row, eventsName+"["), "]"), "=")
			if !ok || !strings.HasPrefix(s.Row, eventsName+"[") {
				continue
			}
			of := event{key: key}
			e := namedEvent{s.Row, of.of(0).Sign() + " " + value}
			if of.ofQuantile() {
				e.name = of.of(0).Sign() + " quantile " + value
			}
			if !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	return out
}
