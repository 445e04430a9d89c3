// The CSV files of curves: spectra, reliability diagrams and relative operating characteristics.

package command

import (
	"slices"
	"strings"

	"repscope/analysis/forecast"
	"repscope/internal/run"
	"repscope/report"
)

// The CSV files of curves.
const (
	spectrumFile    = "forecast_spectrum.csv"
	reliabilityFile = "forecast_reliability.csv"
	rocFile         = "forecast_roc.csv"
)

// writeCurves writes a row per point of a curve.
func writeCurves(r *forecast.Result, env *run.Env) error {
	if err := writeTable(env, r, spectrumFile, "spectrum", []string{"wavelength", "truth", "members", "mean", "error"}, func(s forecast.Spectrum) (head []any, rows [][]any) {
		for k, length := range s.Wavelength {
			rows = append(rows, []any{length, s.Truth[k], s.Members[k], s.Mean[k], s.Error[k]})
		}
		return []any{s.Variable}, rows
	}, "variable"); err != nil {
		return err
	}
	threshold, quantile := r.EventKeys()
	if err := writeTable(env, r, reliabilityFile, "reliability_diagram", []string{"probability", "share", "frequency", "recalibrated"},
		func(d forecast.ReliabilityDiagram) (head []any, rows [][]any) {
			for _, p := range d.Points {
				rows = append(rows, []any{p.Probability, p.Share, p.Frequency, p.Recalibrated})
			}
			return eventCells(&d.EventRow), rows
		}, "variable", threshold, quantile); err != nil {
		return err
	}
	return writeTable(env, r, rocFile, "roc", []string{"pofd", "pod"}, func(c forecast.ROC) (head []any, rows [][]any) {
		for k := range c.POFD {
			rows = append(rows, []any{c.POFD[k], c.POD[k]})
		}
		return eventCells(&c.EventRow), rows
	}, "variable", threshold, quantile)
}

// eventCells are the cells of an event: the variable (empty: all together), threshold and
// quantile.
func eventCells(e *forecast.EventRow) []any {
	limit, quantile := report.Undefined("there is none"), report.Undefined("there is none")
	if of := e.Event(); of.OfQuantile() {
		quantile = report.Number(of.Value)
	}
	if e.Limit != nil { // of a quantile: the limit of the variable
		limit = report.Number(*e.Limit)
	}
	return []any{e.Variable, limit, quantile}
}

// writeTable writes the curves of all models that have them; no file where none has.
func writeTable[T any](env *run.Env, r *forecast.Result, file, key string, columns []string,
	points func(T) (head []any, rows [][]any), head ...string) error {
	if !slices.ContainsFunc(r.Models, func(m forecast.Model) bool { return forecast.Table[T](&m, key) != nil }) {
		return nil
	}
	return env.Files.CSV(file, slices.Concat([]string{"model"}, head, columns), func(csv *report.CSV) error {
		for i := range r.Models {
			for _, curve := range forecast.Table[T](&r.Models[i], key) {
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
func printEvents(r *forecast.Result, env *run.Env) error {
	events := namedEvents(r)
	headings := []string{"Event", "Model"}
	columns := eventColumns[:0:0]
	for _, c := range eventColumns {
		if slices.ContainsFunc(events, func(e namedEvent) bool { return len(present(r, []string{e.row + "." + c.name})) > 0 }) {
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
				cells = append(cells, cellsOf(m, []string{e.row + "." + c.name})...)
			}
			table.Row(cells...)
		}
	}
	table.Note("CSI, ETS, SEDI and bias: of the ensemble mean; Brier score and ROC area: of the shares of members")
	return env.Details(table)
}

// namedEvent is an event of the result.
type namedEvent struct{ row, name string }

// namedEvents are those that some model has scores of, with their names for tables.
func namedEvents(r *forecast.Result) []namedEvent {
	var out []namedEvent
	for i := range r.Models {
		for _, s := range r.Models[i].Scores {
			key, value, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(s.Row, forecast.EventTable+"["), "]"), "=")
			if !ok || !strings.HasPrefix(s.Row, forecast.EventTable+"[") {
				continue
			}
			event := forecast.Event{Key: key}
			e := namedEvent{s.Row, event.Sign() + " " + value}
			if event.OfQuantile() {
				e.name = event.Sign() + " quantile " + value
			}
			if !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	return out
}
