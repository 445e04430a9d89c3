// Package report writes and reads results: the result
// file (JSON), CSV files, console tables, and the transaction that makes all
// files of a run appear together or not at all.
//
// A result file starts with its schema and says where every number comes from:
//
//	{"schema":"repscope/1","analysis":"neighborhood","version":"…","seed":42,"device":"cpu",
//	 "inputs":[{"role":"frames","path":"…","sha256":"…","dtype":"uint8","shape":[10000,84,84]}],
//	 "options":{…},"models":{"jepa":{…}},"comparisons":[…],"warnings":["…"]}
//
// Numbers are float64 in the shortest decimal form that reads back to the same
// bits. Undefined numbers are null, and the object that holds the null has a
// "reason". Intervals are [low, high]. Two runs over the same inputs with the
// same seed write the same bytes but for "started" and "elapsed_s".
//
// The per-model part is an ordinary struct with json tags:
//
//	type Model struct {
//		Slope   report.Value    `json:"slope"`
//		SlopeCI report.Interval `json:"slope_ci"`
//		Pairs   int             `json:"pairs"`
//	}
//	result.Models.Set("jepa", Model{
//		Slope:   report.Number(0.013),
//		SlopeCI: report.Between(0.011, 0.016),
//		Pairs:   5976,
//	})
//
// and a whole run is written as
//
//	files, err := report.Begin("evaluation_plots/smoothness_analysis")
//	if err != nil {
//		return err
//	}
//	defer files.Abort() // does nothing after Commit
//	err = files.CSV("smoothness_summary.csv", []string{"Model", "Slope"}, func(csv *report.CSV) error {
//		return csv.Row("jepa", 0.013)
//	})
//	…
//	err = files.JSON("smoothness.json", result)
//	…
//	return files.Commit()
//
// It is read as
//
//	result, err := report.Read("evaluation_plots/smoothness_analysis/smoothness.json")
//	if err != nil {
//		return err
//	}
//	for _, name := range result.Models.Keys() {
//		model, err := result.Model(name)
//		if err != nil {
//			return err
//		}
//		slope, err := model.Number("slope")
//		…
//	}
package report
