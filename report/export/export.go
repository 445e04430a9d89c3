// Package export writes results in the forms of other programs: records of Every Eval Ever, evaluation results of
// models on the Hugging Face Hub, and tables as Parquet.
//
//	r, err := report.Read("neighborhood.json")
//	files, err := export.EveryEvalEver(r, &export.Options{Organization: "example-lab", Relationship: "first_party"})
package export

import (
	"fmt"
	"slices"
	"strings"

	"repscope/internal/text"
	"repscope/report"
)

// Output is a file to be written, by its name with slashes below the folder of all.
type Output struct {
	Name    string
	Content []byte
}

// Options are what a result does not say.
type Options struct {
	// Metrics are the numbers: paths, paths without rows, or patterns with *; none: the headline numbers.
	Metrics []string
	// Dataset is a name of the data; DatasetID the dataset on the Hugging Face Hub, if it is there, and Revision its
	// commit.
	Dataset, DatasetID, Revision string
	// ModelIDs are names of models as DEVELOPER/MODEL, by the names in the result.
	ModelIDs map[string]string
	// Organization made the evaluation; Relationship is its relation to the developer of the models.
	Organization, Relationship string
	// Tasks are the tasks of the benchmark, by path of the number; a task under "" belongs to the only number.
	Tasks map[string]string
	// SourceURL is a page about the evaluation, SourceName its name.
	SourceURL, SourceName string
}

// score is a number of a model that is exported.
type score struct {
	report.Named
	metric  report.Metric
	samples int // over which it was computed; 0 if the result does not say
}

// scores are the chosen numbers of a model that have a value and, if it is wanted, a direction, in the order of the
// result.
func scores(r *report.Result, model report.Object, chosen []string, directed bool) []score {
	var list []score
	for n := range model.Estimates() {
		m, isDeclared := r.MetricOf(n.Path)
		if !isDeclared || directed && m.Direction == report.Neither || !n.Value.Defined() || !isChosen(r, n.Path, chosen) {
			continue
		}
		list = append(list, score{n, m, samplesOf(model, n.Path)})
	}
	return list
}

// isChosen reports whether a number is one of those that are asked for.
func isChosen(r *report.Result, path string, chosen []string) bool {
	if len(chosen) == 0 {
		return r.Headline(path)
	}
	return slices.ContainsFunc(chosen, func(pattern string) bool {
		return pattern == path || text.Wildcard(pattern, report.Family(path))
	})
}

// samplesOf is the member "samples" next to a number, or of the nearest object around it; 0 without one.
func samplesOf(model report.Object, path string) int {
	for path != "" {
		path = path[:max(strings.LastIndexByte(path, '.'), 0)]
		if n, err := model.Number(strings.TrimPrefix(path+".samples", ".")); err == nil && n.Defined() {
			return int(n.V)
		}
	}
	return 0
}

// models visits the models of a result that have numbers to export, with a direction if it is wanted. Errors: no model
// has one of the chosen numbers.
func models(r *report.Result, chosen []string, directed bool, visit func(name string, list []score) error) error {
	hasValues := false
	for _, name := range r.Models.Keys() {
		if r.Unmeasured(name) != "" {
			continue
		}
		model, err := r.Model(name)
		if err != nil {
			return err
		}
		list := scores(r, model, chosen, directed)
		if len(list) == 0 {
			continue
		}
		hasValues = true
		if err := visit(name, list); err != nil {
			return err
		}
	}
	if hasValues {
		return nil
	}
	names := slices.DeleteFunc(r.Metrics.Keys(), func(name string) bool {
		m, _ := r.MetricOf(name)
		return directed && m.Direction == report.Neither
	})
	what := ""
	if directed {
		what = " and a better direction"
	}
	if len(chosen) > 0 {
		return fmt.Errorf("%s: no number of --metrics %s has a value%s; found: %s", r.Analysis, strings.Join(chosen,
			","), what, text.Few(names, 10))
	}
	return fmt.Errorf("%s: no headline number has a value%s; choose numbers with --metrics; found: %s", r.Analysis,
		what, text.Few(names, 10))
}

// inputOf is the model or the latents of a name among the inputs.
func inputOf(r *report.Result, name string) (report.Input, bool) {
	i := slices.IndexFunc(r.Inputs, func(in report.Input) bool { return in.Name == name })
	if i < 0 {
		return report.Input{}, false
	}
	return r.Inputs[i], true
}
