// The manual of --help, with the scores of the families.

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

// folded is a text in lines of at most width characters, indented after the first.
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
H × W cells) against the truth [N,V,H,W]. Samples are streamed, so arrays may be larger
than memory; --memory bounds the number of threads. (Compressed npz members are unpacked
whole.) An array [N,V,H,W] is a forecast of one member. Arrays of one variable may omit
its axis: [N,H,W], forecasts [N,S,H,W], a climatology [H,W].

Persistence (--input) predicts the initial field of the variable with the same name.
Climatology (--climatology) predicts the mean over other times; with the value target, it
is the mean target over all other initial times. Both are models of the run. skill_scores
are 1 - score / score of persistence, or of climatology if there is no persistence.

--metrics accepts families and scores:
`

const manualAfter = `
Cells are weighted by --weights, by the cosine of their latitude (--lat), or by the product
of both. A cell of weight 0 (a mask) has no influence, even if it contains NaN. Windows
treat it as a cell without event, as outside the grid; spectra replace it by the mean of
the weighted cells. --regions adds the scores of parts of the grid; their weights multiply
the weights of cells. All variables have equal weight: by_variable lists each in its unit.
Scores over all variables mix their units; scale such variables beforehand.

by_lead lists the scores of each of --leads. All leads cover the same initial times
(--groups); initial times that lack a lead are left out. There are no scores over all
leads if no initial time has every lead, or if initial times are unknown and leads have
unequal numbers of samples.

All samples have equal weight: a score is a function of means over samples. NAME_sd is
the standard deviation over samples (ddof 0), NAME_batch_sd the standard deviation over
batches of --batch-size samples, with a short last batch weighted by its samples.

Intervals and comparisons use the jackknife over blocks of samples. Samples of one group
(--groups) count as dependent. Groups with one sample of every lead are initial times:
blocks are consecutive initial times, as long as the autocorrelation of the scores. Groups
with several samples of a lead are periods such as simulations: each is a block (--block
episode does this for initial times, too). Fewer than 5 groups are cut into pieces.

An event is a value at or above one of --thresholds, or at or above a quantile of all true
values of the variable (--event-quantiles). With --event-rule above it is a value above
it: every cell has rain of at least 0. Probabilities are shares of members. Windows
(--fss-windows) around border cells reach beyond the grid, where there is no event;
windows of even size reach one cell further up and left. effective_resolution is the
wavelength at which members fall below half the power of the truth. diebold_mariano, in
the result file, tests equal accuracy over the sequence of initial times; it needs at
least 50 of them with short autocorrelation.

--documented-json writes {metrics, evaluation_config} of the first model in the published
format. Its standard deviations are over batches, or over samples without --batch-size;
"std_over" records which.`
