// Evaluation results of models on the Hugging Face Hub: files .eval_results/*.yaml of a model repository.

package export

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"repscope/internal/filename"
	"repscope/report"
)

// hubEntry is an entry of a file; names as in EvalResultEntry of huggingface_hub.
type hubEntry struct {
	Dataset hubDataset `yaml:"dataset"`
	Value   float64    `yaml:"value"`
	Date    string     `yaml:"date,omitempty"`
	Source  *hubSource `yaml:"source,omitempty"`
	Notes   string     `yaml:"notes,omitempty"`
}

type hubDataset struct {
	ID       string `yaml:"id"`
	Task     string `yaml:"task_id"`
	Revision string `yaml:"revision,omitempty"`
}

type hubSource struct {
	URL  string `yaml:"url"`
	Name string `yaml:"name,omitempty"`
}

// EvalResults returns a file MODEL/.eval_results/ANALYSIS.yaml for each model of a result, with an entry for each of
// the numbers that have a task. The format has no field of uncertainty: interval, standard error and number of samples
// are in the notes. Errors: no number to export; several numbers for a task without the name of one.
func EvalResults(r *report.Result, o *Options) ([]Output, error) {
	chosen := []string{}
	for path := range o.Tasks {
		if path != "" {
			chosen = append(chosen, path)
		}
	}
	if len(chosen) == 0 {
		chosen = o.Metrics
	}
	var files []Output
	err := models(r, chosen, false, func(name string, list []score) error {
		var entries []hubEntry
		for i := range list {
			s := &list[i]
			task := o.task(s.Path)
			if task == o.Tasks[""] && len(list) > 1 {
				return fmt.Errorf("%s: %d numbers for the task %s (%s); name one with --metrics, or give each a task: "+
					"--task-id METRIC=TASK",
					r.Analysis, len(list), task, list[0].Path+", "+list[1].Path)
			}
			entry := hubEntry{Dataset: hubDataset{o.DatasetID, task, o.Revision}, Value: s.Value.V, Date: r.Started,
				Notes: notes(r, s)}
			if o.SourceURL != "" {
				entry.Source = &hubSource{o.SourceURL, o.SourceName}
			}
			entries = append(entries, entry)
		}
		content, err := yaml.Marshal(entries)
		files = append(files, Output{filename.Of(name) + "/.eval_results/" + r.Analysis + ".yaml", content})
		return err
	})
	return files, err
}

// task is the task of a number.
func (o *Options) task(path string) string {
	for _, key := range []string{path, report.Family(path)} {
		if task, ok := o.Tasks[key]; ok {
			return task
		}
	}
	return o.Tasks[""]
}

// notes say what number it is, and how sure.
func notes(r *report.Result, s *score) string {
	parts := []string{fmt.Sprintf("repscope %s %s %s", r.Version, r.Analysis, s.Path)}
	if s.Interval.Defined() {
		parts = append(parts, fmt.Sprintf("95 %% interval %v to %v", s.Interval.Low, s.Interval.High))
	}
	if s.StdError.Defined() {
		parts = append(parts, fmt.Sprintf("standard error %v", s.StdError.V))
		if r.Blocks != "" {
			parts = append(parts, "jackknife over "+r.Blocks)
		}
	}
	if s.samples > 0 {
		parts = append(parts, fmt.Sprintf("n = %d", s.samples))
	}
	return strings.Join(parts, "; ")
}
