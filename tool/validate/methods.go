// What --methods says of a validation.

package validate

import (
	"cmp"

	"repscope/report"
	"repscope/report/methods"
)

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	d.Section("Validity of numbers for selection")
	part, _ := d.Result.Extra.Get("outcome")
	facts, _ := part.(report.Object)
	fact := func(key string) string {
		value, _ := facts.Get(key)
		text, _ := value.(string)
		return text
	}
	outcome := cmp.Or(d.Text("outcome"), fact("name"))
	d.Say("Each number was compared with the outcome, %s, by Spearman's and Kendall's rank correlations over all rows, "+
		"within runs and between the means of runs.", outcome)
	if run := d.Text("run"); run != "" {
		d.Say("Runs are told apart by %s.", run)
	}
	if step := cmp.Or(d.Text("after"), fact("step")); step != "" && step != None {
		d.Say("Checkpoints are ordered by %s, and partial correlations are of the ranks after regression on its ranks.", step)
	} else if step == None {
		d.Say("Rows of a run were taken to have no order.")
	}
	if list := d.Values("numbers"); len(list) > 0 {
		d.Say("The numbers were chosen: %s.", methods.Join(list))
	}
	for _, way := range []string{"higher", "lower"} {
		if list := d.Values(way); len(list) > 0 {
			d.Say("Of %s, %s values were taken to be better before the analysis.", methods.Join(list), way)
		}
	}
	d.Say("Selection regret is the outcome of the best row of a run less the outcome of the row that the number " +
		"chooses, as a mean over runs.")
	switch {
	case len(d.Values("outcome-halves")) > 0:
		d.Say("The best row was chosen by one half of the evaluation and judged by the other, both ways round (%s).",
			methods.Join(d.Values("outcome-halves")))
	case d.Text("outcome-se") != "":
		d.Say("The best row was chosen by a half of the evaluation and judged by the other; halves were drawn from the "+
			"standard errors of the outcome (%s).", d.Text("outcome-se"))
	case fact("oracle_from") == "halves":
		d.Say("The best row was chosen by one half of the evaluation and judged by the other, both ways round.")
	default:
		d.Say("The best row has the largest observed outcome, which is too large if outcomes have errors.")
	}
	if loss := cmp.Or(d.Text("validation-loss"), fact("validation_loss")); loss != "" {
		d.Say("Regrets were compared with the last checkpoint, a random one and the least %s.", loss)
	} else {
		d.Say("Regrets were compared with the last checkpoint and a random one.")
	}
	if n := d.Number("permutations"); n > 0 {
		test, _ := d.Result.Extra.Get("test")
		words, _ := test.(string)
		d.Say("p values come from %g draws (%s), one-sided in the direction of a number and two-sided where it is "+
			"not known; they were corrected over all numbers by Holm's procedure [@holm1979] and by the largest "+
			"statistic of each draw [@westfall1993].", n, words)
	} else {
		d.Say("No p values were computed.")
	}
	if d.Number("bootstrap") > 0 {
		d.Say("Intervals at 95 %% use Student's t over runs: for correlations over all rows by deleting each run in turn, " +
			"on Fisher's scale; for regrets after a transformation that removes their skewness [@hall1992].")
	}
}
