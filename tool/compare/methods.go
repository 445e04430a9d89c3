// What --methods says of comparisons of results.

package compare

import (
	"iter"
	"slices"
	"strings"

	"repscope/measure/study"
	"repscope/report"
	"repscope/report/methods"
)

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	saySources(d)
	if hasUngraded(d) {
		d.Say("Means leave out samples without a score. Bounds of such a mean give all of them the lowest, and all of " +
			"them the highest possible score; " +
			"with the error of sampling they reach from the lower end of the interval of the one to the upper end of the other.")
	}
	ways := sources(d)
	if len(ways) > 0 {
		d.Section("Differences")
	}
	if slices.Contains(ways, "comparison") {
		d.Say("If one result holds both models, the difference is taken from it; it deletes the same blocks for both models.")
	}
	if slices.Contains(ways, "samples") {
		d.Say("Differences across results are paired by sample, and their mean is tested by Student's t over blocks: the " +
			"groups of samples where there are at least five, else stretches as long as the memory of the samples.")
		switch {
		case !d.Has("independent"): // a result of another version
		case d.Yes("independent"):
			d.Say("Samples without a group in common were taken as independent, whatever their order.")
		default:
			d.Say("Where each sample was a group of its own and neighboring samples were alike (correlation above 2/√n), " +
				"intervals are wider and no p value is reported.")
		}
	}
	if slices.Contains(ways, "runs") {
		d.Say("Where there are several training runs and no samples, differences are tested by Welch's t test " +
			"[@welch1947] of one number for each run; where their numbers of runs differ and one is below five, by the distribution of Behrens and Fisher.")
	}
	if slices.Contains(ways, "intervals") {
		d.Say("If nothing is paired, the interval of a difference combines the two models' intervals as if their errors were independent.")
	}
	if len(ways) > 0 {
		sayDecisions(d)
	}
	sayStudies(d)
	if slices.ContainsFunc(d.Result.Inputs, func(in report.Input) bool { return in.Role == "losses" }) {
		d.Section("Losses")
		columns := d.List("loss-columns")
		if columns == "" {
			columns = methods.Join(DefaultLossColumns())
		}
		d.Say("Losses come from the columns %s; losses of different names are different functions and are not ranked.", columns)
	}
}

// saySources names the compared numbers.
func saySources(d *methods.Draft) {
	d.Section("Results")
	d.Say("Compared are the models %s.", methods.Join(d.Result.Models.Keys()))
	if names := d.List("names"); names != "" {
		d.Say("Models were given names: %s.", names)
	}
	if list := d.Values("metrics"); len(list) > 0 {
		d.Say("The metrics were chosen: %s.", methods.Join(list))
	} else {
		d.Say("The metrics are those by which the results say that models are compared.")
	}
	for _, way := range []string{"higher", "lower"} {
		if list := d.Values(way); len(list) > 0 {
			d.Say("Of %s %s is taken to be better.", methods.Join(list), way)
		}
	}
	if baseline := baselineOf(d); baseline != "" {
		d.Say("Differences are those from the baseline %s.", baseline)
	}
	if d.Yes("allow-different") {
		d.Say("Results of other data, definitions or options are compared, not in pairs.")
	}
}

// baselineOf is the model that others are compared with, if there is one.
func baselineOf(d *methods.Draft) string {
	name, _ := d.Result.Extra.Get("baseline")
	text, _ := name.(string)
	return text
}

// sources are the ways in which differences came about.
func sources(d *methods.Draft) []string {
	var out []string
	for c := range cellsOf(d) {
		if from, _ := c.Get("from"); from != nil {
			if text, _ := from.(string); !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// hasUngraded reports whether some mean leaves out samples.
func hasUngraded(d *methods.Draft) bool {
	for c := range cellsOf(d) {
		if _, ok := c.Get("ungraded"); ok {
			return true
		}
	}
	return false
}

// cellsOf are the cells of the table of a result.
func cellsOf(d *methods.Draft) iter.Seq[report.Object] {
	return func(yield func(report.Object) bool) {
		table, _ := d.Result.Extra.Get("table")
		rows, _ := table.([]any)
		for _, row := range rows {
			o, _ := row.(report.Object)
			models := member(o, "models")
			for _, name := range models.Keys() {
				if !yield(member(models, name)) {
					return
				}
			}
		}
	}
}

// sayDecisions describes how differences are decided.
func sayDecisions(d *methods.Draft) {
	over := "all rows of a metric in all tasks"
	switch d.Text("family") {
	case FamilyRun:
		over = "the whole table"
	case FamilyTask:
		over = "all rows of a metric in one task"
	}
	d.Say("p values are two-sided and corrected by Holm's procedure [@holm1979] over %s; a difference is decided where the corrected one is below 0.05. "+
		"A model's rank is one more than the number of models found better, over all pairs; undecided rows carry the difference that the test would have found with 80 %% power.", over)
	d.Say("The false discovery rates of Benjamini and Yekutieli [@benjamini2001] over the whole table are also reported.")
	d.Say("Models that may be the best form a 95 %% confidence set, by multiple comparisons with the best [@hsu1984]: each is held against all others at once, " +
		"one-sidedly, by flipping the signs of blocks for all models together where they share them, else by " +
		"Bonferroni's bound over its pairs. Nothing is marked in rows where no difference is decided.")
	if fixed := d.Values("fixed"); len(fixed) > 0 {
		d.Say("%s are taken to have no other training runs.", methods.Join(fixed))
	}
	if metric := d.Text("select"); metric != "" {
		d.Say("The checkpoint is chosen by %s, with those that may be the best.", metric)
	}
	if bounds := d.Values("fail-if-worse"); len(bounds) > 0 {
		d.Say("Bounds were set: %s.", strings.Join(bounds, ", "))
	}
}

// sayStudies describes the numbers over several tasks.
func sayStudies(d *methods.Draft) {
	all, _ := d.Result.Extra.Get("studies")
	if list, _ := all.([]any); len(list) == 0 {
		return
	}
	d.Section("Several tasks")
	d.Say("Over the tasks: interquartile mean, mean, median, optimality gap, probability of improvement, performance profiles and average ranks [@agarwal2021]; tasks weigh alike.")
	if d.Text("scale") != "" {
		d.Say("Scores were scaled, (score − worst)/(best − worst), with the ends given for each task.")
	}
	if d.Text("interval") == study.Jackknife.String() {
		d.Say("Intervals come from the jackknife inside tasks with Student's t.")
	} else {
		d.Say("Intervals are percentiles of %s bootstrap resamples, stratified by tasks.", d.Text("bootstrap"))
	}
	d.Say("Which models differ over tasks is tested by Wilcoxon's signed ranks of the tasks' differences [@wilcoxon1945] with Holm's correction over all pairs, and by Friedman's test in the form of Iman and Davenport [@iman1980].")
}
