// Records of Every Eval Ever (github.com/evaleval/every_eval_ever).

package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"repscope/report"
)

// isEveryEval reports whether an object is a record.
func isEveryEval(o report.Object) bool {
	results, _ := o.Get("evaluation_results")
	_, hasResults := results.([]any)
	_, hasModel := get(o, "model_info").(report.Object)
	return hasResults && hasModel
}

// readEveryEval reads a record: every evaluation is a task, and its score a number of the model. Several scores of an
// evaluation are told apart by the names of their metrics.
func readEveryEval(path string, o report.Object) ([]*File, error) {
	model := cmp.Or(textOf(member(o, "model_info"), "id"), textOf(member(o, "model_info"), "name"))
	if model == "" {
		return nil, fmt.Errorf(`%s: "model_info" has neither "id" nor "name"`, path)
	}
	list, _ := get(o, "evaluation_results").([]any)
	tasks := map[string]*File{}
	var files []*File
	for i, entry := range list {
		result, _ := entry.(report.Object)
		config, details := member(result, "metric_config"), member(result, "score_details")
		task := textOf(result, "evaluation_name")
		v, err := numberOf(details, "score")
		if task == "" || err != nil {
			return nil, fmt.Errorf(`%s: evaluation_results[%d]: want "evaluation_name", and a number "score" in `+
				`"score_details"`, path, i)
		}
		f := tasks[task]
		if f == nil {
			f = &File{Path: path, Task: task, Layout: layoutEveryEval, inside: true, described: true,
				metrics: map[string]report.Metric{}}
			f.add(model, nil).settled = true
			tasks[task], files = f, append(files, f)
		}
		name := cmp.Or(textOf(config, "metric_id"), textOf(config, "metric_name"), roleScore)
		m := f.Models[0]
		if _, twice := m.find(name); twice {
			return nil, fmt.Errorf("%s: evaluation_results[%d]: %s has %s twice; want a metric_id for each", path, i, task,
				name)
		}
		if lower, ok := get(config, "lower_is_better").(bool); ok {
			f.metrics[name] = report.Metric{Direction: report.Higher}
			if lower {
				f.metrics[name] = report.Metric{Direction: report.Lower}
			}
		}
		h := &harnessTask{path: path, task: task}
		interval, err := everyInterval(h, v, member(details, "uncertainty"), f.metrics[name].Direction == report.Higher)
		if err != nil {
			return nil, err
		}
		m.Numbers = append(m.Numbers, report.Named{Path: name, SD: report.Undefined("no spread was computed"),
			Value: report.NumberOr(v, "the record has no finite number"), Interval: interval})
		m.index()
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: the record has no evaluation_results", path)
	}
	return files, nil
}

// everyInterval is the interval of the record if it is one of 95 %, else the one of its standard error and number of
// samples, as of lm-evaluation-harness.
func everyInterval(h *harnessTask, v float64, o report.Object, higher bool) (report.Interval, error) {
	ci := member(o, "confidence_interval")
	low, errLow := numberOf(ci, "lower")
	high, errHigh := numberOf(ci, "upper")
	level, errLevel := numberOf(ci, "confidence_level")
	if errLow == nil && errHigh == nil && errLevel == nil && math.Abs(level-0.95) < 1e-9 && low <= v && v <= high {
		return report.Between(low, high), nil
	}
	h.n, _ = numberOf(o, "num_samples")
	if !(h.n >= 1 && h.n == math.Trunc(h.n)) {
		h.n = 0
	}
	return h.interval(v, get(member(o, "standard_error"), "value"), "standard_error", higher)
}

// numberOf is a member that is a number.
func numberOf(o report.Object, key string) (float64, error) {
	number, ok := get(o, key).(json.Number)
	if !ok {
		return math.NaN(), fmt.Errorf("%q is no number", key)
	}
	v, err := number.Float64()
	if err != nil {
		v = math.NaN()
	}
	return v, err
}
