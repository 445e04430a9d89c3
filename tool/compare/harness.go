// Results of lm-evaluation-harness.

package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/internal/filename"
	"repscope/internal/gunzip"
	"repscope/report"
	"repscope/stat"
)

// isHarness reports whether an object holds tasks of lm-evaluation-harness: "results" and other members.
func isHarness(o report.Object) bool {
	results, _ := o.Get("results")
	if _, ok := results.(report.Object); !ok {
		return false
	}
	return slices.ContainsFunc([]string{"config", "configs", "versions", "n-shot", "n-samples", "higher_is_better", "lm_eval_version", "group_subtasks"},
		func(key string) bool { _, ok := o.Get(key); return ok })
}

// readHarness reads a file of results: every task is one, and every metric with its standard error.
func readHarness(path string, o report.Object) ([]*File, error) {
	results := member(o, "results")
	model := harnessModel(o)
	if model == "" {
		model = filename.Stem(gunzip.Name(path))
	}
	var files []*File
	for _, task := range results.Keys() {
		value, _ := results.Get(task)
		part, ok := value.(report.Object)
		if !ok {
			return nil, fmt.Errorf("%s: results: %q is no object of metrics; want {task: {metric: number}}", path, task)
		}
		f := &File{Path: path, Task: task, Layout: layoutHarness, inside: true, described: true, metrics: map[string]report.Metric{}}
		h := harnessTask{path: path, task: task, n: harnessSamples(o, task, 0), better: member(member(o, "higher_is_better"), task), file: f}
		subtasks, _ := get(member(o, "group_subtasks"), task).([]any)
		f.summary = len(subtasks) > 0
		for _, key := range []string{"n-shot", "versions"} {
			if v := get(member(o, key), task); v != nil {
				f.Options.Set(key, v)
			}
		}
		for _, key := range []string{"limit", "gen_kwargs"} {
			if v := get(member(o, "config"), key); v != nil {
				f.Options.Set(key, v)
			}
		}
		numbers, err := h.numbers(part)
		if err != nil {
			return nil, err
		}
		if len(numbers) == 0 {
			continue // a group whose metrics are not averaged
		}
		f.add(model, numbers).settled = true
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf(`%s: results: no task has a number; want {"results": {task: {"acc,none": number}}}`, path)
	}
	return files, nil
}

// member is the object of a name, empty where there is none.
func member(o report.Object, key string) report.Object {
	v, _ := o.Get(key)
	part, _ := v.(report.Object)
	return part
}

// harnessModel is the name of the model: the loaded checkpoint, or else the kind of model.
func harnessModel(o report.Object) string {
	if name := textOf(o, "model_name"); name != "" {
		return name
	}
	config := member(o, "config")
	args := member(config, "model_args")
	keys := []string{"pretrained", "path", "model"}
	for _, key := range keys {
		if name := textOf(args, key); name != "" {
			return name
		}
	}
	for _, key := range keys {
		for _, pair := range strings.Split(textOf(config, "model_args"), ",") {
			if name, ok := strings.CutPrefix(strings.TrimSpace(pair), key+"="); ok && name != "" {
				return name
			}
		}
	}
	return textOf(config, "model")
}

// maxHarnessGroups bounds how deep groups of tasks hold groups.
const maxHarnessGroups = 32

// harnessSamples is the number of samples of a task, or of all tasks of a group; 0 where the file does not say it.
func harnessSamples(o report.Object, task string, depth int) float64 {
	samples := member(member(o, "n-samples"), task)
	for _, v := range []any{get(samples, "effective"), get(member(member(o, "results"), task), "sample_len"), get(samples, "original")} {
		number, _ := v.(json.Number)
		if n, err := number.Float64(); err == nil && n >= 1 && n == math.Trunc(n) && n < 1<<53 {
			return n
		}
	}
	subtasks, _ := get(member(o, "group_subtasks"), task).([]any)
	var sum float64
	for _, v := range subtasks {
		name, _ := v.(string)
		if depth == maxHarnessGroups {
			return 0
		}
		n := harnessSamples(o, name, depth+1)
		if n == 0 {
			return 0
		}
		sum += n
	}
	return sum
}

func get(o report.Object, key string) any {
	v, _ := o.Get(key)
	return v
}

// harnessTask are the metrics of one task.
type harnessTask struct {
	path, task string
	n          float64 // samples
	better     report.Object
	file       *File
}

// numbers returns the numbers of a task; "metric,filter" and "metric_stderr,filter" belong together.
func (h *harnessTask) numbers(part report.Object) ([]report.Named, error) {
	var out []report.Named
	for _, key := range part.Keys() {
		name, filter, _ := strings.Cut(key, ",")
		value := get(part, key)
		number, isNumber := value.(json.Number)
		if !isNumber && value != nil || strings.HasSuffix(name, "_stderr") || key == "sample_len" {
			continue
		}
		v, err := number.Float64()
		if err != nil { // also of null, as which NaN of Python's JSON is read
			v = math.NaN()
		}
		path := harnessPath(name, filter)
		if slices.ContainsFunc(out, func(n report.Named) bool { return n.Path == path }) {
			return nil, fmt.Errorf("%s: results: task %s has the metric %s twice, with the filter none and without one", h.path, h.task, name)
		}
		errorKey := name + "_stderr"
		if strings.Contains(key, ",") {
			errorKey += "," + filter
		}
		higher, _ := get(h.better, name).(bool)
		interval, err := h.interval(v, get(part, errorKey), errorKey, higher)
		if err != nil {
			return nil, err
		}
		out = append(out, report.Named{Path: path, Value: report.NumberOr(v, "the file has no finite number"), Interval: interval,
			SD: report.Undefined("no spread was computed")})
		switch better := get(h.better, name).(type) {
		case bool:
			direction := report.Lower
			if better {
				direction = report.Higher
			}
			h.file.metrics[path] = report.Metric{Direction: direction}
		}
	}
	return out, nil
}

// harnessPath is the path of a metric of what a filter left of the answers.
func harnessPath(name, filter string) string {
	if filter != "" && filter != "none" {
		return name + "[filter=" + filter + "]"
	}
	return name
}

// interval is the interval of a mean with a standard error: Wilson's for a share of samples, whose number follows from
// both, and for means of scores from 0 to 1 if the number of samples is known; else Student's t.
func (h *harnessTask) interval(v float64, entry any, key string, higher bool) (report.Interval, error) {
	number, ok := entry.(json.Number)
	if !ok {
		return report.NoInterval("the file has no standard error"), nil // "N/A", or no member
	}
	se, err := number.Float64()
	n := h.n
	if n == 0 && se > 0 && v > 0 && v < 1 {
		if share := v*(1-v)/(se*se) + 1; isWhole(share) && share < 1<<31 {
			n = math.Round(share)
		}
	}
	isShare := n > 1 && v >= 0 && v <= 1 && math.Abs(se*se*(n-1)-v*(1-v)) <= 1e-9 && isWhole(v*n)
	switch {
	case math.IsNaN(se) || math.IsNaN(v):
		return report.NoInterval("the standard error is not a number"), nil
	case err != nil || se < 0 || math.IsInf(se, 0):
		return report.Interval{}, fmt.Errorf("%s: results: %s of task %s is %s, want a number from 0", h.path, key, h.task, number)
	case n == 1:
		return report.NoInterval("one sample shows no error"), nil
	case isShare:
		return wilson(math.Round(v*n), n), nil
	case se == 0:
		return report.NoInterval("the standard error is 0: nothing shows the error"), nil
	case h.n == 0:
		return report.NoInterval("the file has a standard error, and not the number of samples (n-samples)"), nil
	}
	t := quantile(h.n - 1)
	if higher && v > 0 && v < 1 && se*se*(h.n-1) <= v*(1-v) {
		// Scores from 0 to 1 vary no more than this, and are skewed near an end: treated as the number of samples of
		// 0 or 1 that has this error.
		normal := quantile(math.Inf(1))
		effective := v * (1 - v) / (se * se) * (normal / t) * (normal / t)
		return wilson(v*effective, effective), nil
	}
	return report.Between(v-t*se, v+t*se), nil
}

// wilson is the interval of a share of n samples.
func wilson(hits, n float64) report.Interval {
	i, err := stat.Wilson(hits, n, 0)
	if err != nil {
		return report.NoInterval("%s", stat.Reason(err))
	}
	return intervalOf(i)
}

// isWhole reports whether a number is a count, but for rounding.
func isWhole(v float64) bool { return math.Abs(v-math.Round(v)) < 1e-6 }
