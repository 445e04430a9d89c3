// The figure of substitutions: how scores order measured variants, and what the model says of every
// substitution of a wild type next to the measurements.

package command

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"repscope/analysis/internal/output"
	"repscope/analysis/sequence"
	"repscope/analysis/sequence/metrics"
	"repscope/plots"
	"repscope/report"
)

// What a heat map of substitutions shows at most: residues in a row, and rows of them.
const (
	heatColumns = 60
	heatRows    = 2
)

// heatLetters are the rows of a map: amino acids by their kind.
const heatLetters = "GAVLIMPFWYSTCNQHKRDE"

// drawSubstitutions draws the figure; nil where no model has the metric.
func drawSubstitutions(d *sequence.DatasetResult) *plots.Figure {
	var models []*sequence.ModelResult
	for i := range d.Models {
		if _, ok := d.Models[i].Kept["substitutions"]; ok {
			models = append(models, &d.Models[i])
		}
	}
	if len(models) == 0 {
		return nil
	}
	kept := models[0].Kept["substitutions"].(*metrics.SubstitutionMap)
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, HeightMM: 62, RowHeights: []float64{56}, Legend: plots.LegendBelow}
	for i := range d.Models {
		f.Series = append(f.Series, d.Models[i].Name)
	}
	f.Tiles = append(f.Tiles, plots.Tile{Title: "Ranking of measured variants", Panel: correlationBars(models)})
	f.Footnote = "Spearman correlation between variant scores and measurements"
	if kept.Assays > 1 {
		f.Footnote += fmt.Sprintf(", averaged over proteins, then over functions, of %d assays", kept.Assays)
	}
	f.Footnote += "; lines: baselines without a model."
	addMaps(kept, f, models)
	return f
}

// correlationBars are the Spearman correlations of all scores; those that need no model are lines.
func correlationBars(models []*sequence.ModelResult) plots.Panel {
	p := &plots.GroupedBars{Y: plots.Axis{Label: "Spearman correlation"}}
	labels := [metrics.ScoreCount]string{"masked marginal", "wild-type marginal", "ΔPLL", "BLOSUM62", "position frequency", "germline identity"}
	var shown []int
	for score := range metrics.ScoreCount {
		for _, m := range models {
			v, _, ok := m.Number(metrics.SubstitutionKey(score, "spearman", ""))
			if !ok {
				continue
			}
			if metrics.ModelScore(score) {
				shown, p.Groups = append(shown, score), append(p.Groups, labels[score])
			} else if v.Defined() {
				p.References = append(p.References, plots.Reference{Value: v.Float(), Label: labels[score]})
			}
			break
		}
	}
	for _, m := range models {
		s := plots.BarSeries{Name: m.Name}
		for _, score := range shown {
			v, ci, ok := m.Number(metrics.SubstitutionKey(score, "spearman", ""))
			if !ok {
				v, ci = report.Undefined("unknown for this model"), report.NoInterval("unknown for this model")
			}
			output.AppendBar(&s, report.WithInterval(v, ci))
		}
		p.Series = append(p.Series, s)
	}
	return p
}

// addMaps adds the maps of the first assay: scores of the first model, and measurements.
func addMaps(k *metrics.SubstitutionMap, f *plots.Figure, models []*sequence.ModelResult) {
	all := slices.Sorted(maps.Keys(k.Mutated))
	shown := all[:min(len(all), heatRows*heatColumns)]
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range k.Single {
		low, high = min(low, v), max(high, v)
	}
	if k.Ratios != nil {
		predicted := func(residue, token int) float64 { return float64(k.Ratios[residue*k.Tokens+token]) }
		most := largest(k, shown, predicted)
		addMap(k, f, shown, fmt.Sprintf("%s: score of every substitution, %s", plots.Escape(models[0].Name), plots.Escape(k.Assay)),
			plots.ColorScale{Ramp: plots.RampDiverging, Low: -most, High: most, Label: "ln p(substitution) − ln p(wild type) (nats)"}, predicted)
	}
	if low < high {
		addMap(k, f, shown, "Measured, "+plots.Escape(k.Assay),
			plots.ColorScale{Ramp: plots.RampSequential, Low: low, High: high, Label: "Measured effect (unit of the table)"},
			func(residue, token int) float64 {
				if v, ok := k.Single[[2]int{residue, token}]; ok {
					return v
				}
				return math.NaN()
			})
	}
	if len(f.Tiles) > 1 {
		f.Footnote += " Columns: substituted wild-type residues, numbered within their chain. Gray: the wild-type " +
			"residue, or no measurement."
		if len(shown) < len(all) {
			f.Footnote += fmt.Sprintf(" Shown: the first %d of %d residues.", len(shown), len(all))
		}
	}
}

// addMap adds a map in rows.
func addMap(k *metrics.SubstitutionMap, f *plots.Figure, shown []int, title string, scale plots.ColorScale,
	value func(residue, token int) float64) {
	names := make([]string, len(heatLetters))
	for i := range names {
		names[i] = heatLetters[i : i+1]
	}
	rows := (len(shown) + heatColumns - 1) / heatColumns
	columns := (len(shown) + rows - 1) / rows
	for part := range slices.Chunk(shown, columns) {
		panel := &plots.HeatMap{Y: plots.Axis{Label: "Substitution"}, Rows: names, Columns: residueNames(k, part), Decimals: -1, Ordered: true,
			Scale: scale, Values: heatValues(k, part, value)}
		height := 62.0
		if part[len(part)-1] != shown[len(shown)-1] {
			panel.Scale.Label, height = "", 54
		}
		f.Tiles = append(f.Tiles, plots.Tile{Row: len(f.RowHeights), Title: title, Panel: panel})
		title = ""
		f.RowHeights = append(f.RowHeights, height)
		f.HeightMM += height + 5
	}
}

// largest is the largest size of what a map shows.
func largest(k *metrics.SubstitutionMap, shown []int, value func(residue, token int) float64) float64 {
	highest := 1e-6
	for _, row := range heatValues(k, shown, value) {
		for _, v := range row {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				highest = max(highest, math.Abs(v))
			}
		}
	}
	return highest
}

// heatValues are a map: a row for each letter, a column for each residue; NaN at the wild type.
func heatValues(k *metrics.SubstitutionMap, shown []int, value func(residue, token int) float64) [][]float64 {
	out := make([][]float64, len(heatLetters))
	for i := range out {
		letter := heatLetters[i]
		token := slices.Index(k.Names, string(letter))
		for _, residue := range shown {
			v := math.NaN()
			if token >= 0 && k.Letters[residue] != letter {
				v = value(residue, token)
			}
			out[i] = append(out[i], v)
		}
	}
	return out
}

// residueNames name residues by their letter and their number, which counts from 1 in the chain.
func residueNames(k *metrics.SubstitutionMap, shown []int) []string {
	number := map[int8]int{}
	var all []string
	for i, letter := range k.Letters {
		number[k.Chains[i]]++
		all = append(all, string(letter)+strconv.Itoa(number[k.Chains[i]]))
	}
	out := make([]string, len(shown))
	for j, i := range shown {
		out[j] = all[i]
	}
	return out
}
