// What --help prints: the scores are those of the families.

package command

import (
	"strings"

	"repscope/analysis/forecast"
)

// manual is printed by --help.
func manual() string {
	var b strings.Builder
	b.WriteString(manualBefore)
	for _, f := range forecast.Families() {
		b.WriteString("\n" + f.Name + ": " + f.About + "\n")
		for _, score := range f.Scores {
			b.WriteString(folded("  "+score.Name+": "+score.About, 86))
		}
	}
	return b.String() + manualAfter
}

// folded is a text in lines of at most so many characters, indented after the first.
func folded(text string, width int) string {
	var b strings.Builder
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	line := indent
	for word := range strings.FieldsSeq(text) {
		if strings.TrimSpace(line) != "" && len([]rune(line))+1+len([]rune(word)) > width {
			b.WriteString(line + "\n")
			line = indent + "  "
		}
		if strings.TrimSpace(line) != "" {
			line += " "
		}
		line += word
	}
	return b.String() + line + "\n"
}

const manualBefore = `forecast scores ensemble forecasts [N,S,V,H,W] of N samples (S members, V variables,
H × W cells) against the truth [N,V,H,W]. Samples are read one at a time, by as many
threads as --memory has room for: arrays may be larger than memory. (Compressed npz
members are unpacked whole.) An array [N,V,H,W] is a forecast of one member. Arrays of
one variable may have no axis for it: [N,H,W], forecasts [N,S,H,W], a climatology [H,W].

Persistence (--input) predicts the input field of the same variable, which is found by
its name; climatology (--climatology) the mean of other times, or with target the mean
of the targets of all other initial times. Both are models of the run, and skill_scores
are 1 - score / score of persistence, or without it of climatology.

--metrics takes families and scores:
`

const manualAfter = `
Cells count by --weights, by the cosines of their latitudes (--lat), or by the product of
both. A cell of weight 0 (a mask) counts nowhere, whatever it holds, NaN too: scores are
those of the field without it. Windows have no event there, as outside the grid; waves
are those of the field filled with the mean of the cells that count. --regions gives the
scores of parts of the grid beside those of all, with the products of their weights and
those of cells. Variables count alike: by_variable has each, in its unit. Scores of all
variables together add up different units; scale such variables beforehand.

by_lead has the samples of each of --leads. All leads are of the same initial times
(--groups): those that lack a lead are left out. Where none has all, or nobody says which
is which and leads have unequal numbers of samples, there are no scores over all leads.

Every sample has its scores and counts alike: a score is a function of means over
samples, NAME_sd the standard deviation over samples (ddof 0), NAME_batch_sd that over
batches of --batch-size, the last of which counts by its samples.

Intervals and comparisons delete blocks of samples in turn. Samples of one of --groups
depend on each other. Groups with one sample of every lead are initial times: blocks are
runs of them, as long as the scores remember each other. Groups with several samples of
a lead are stretches of time, such as simulations: each is a block (--block episode does
this for initial times, too). Fewer than 5 groups are cut into pieces.

An event is a value of at least one of --thresholds, or of at least a quantile of all
true values of the variable (--event-quantiles), or with --event-rule above a value above
it: rain of at least 0 is everywhere. Probabilities are shares of members. Windows
(--fss-windows) around all cells reach beyond the grid, where no event is; those of even
size one cell further up and left. effective_resolution is the wavelength at which
members fall below half of the power of truth. diebold_mariano, in the result file, tests
equal accuracy over the sequence of initial times, of at least 50 that forget soon.

--documented-json writes {metrics, evaluation_config} of the first model as published,
with the standard deviation over batches, or without --batch-size over samples:
"std_over" says which.`
