// The figure of predictions by region: accuracy and perplexity of both chains, from the first framework to
// the last.

package command

import (
	"fmt"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/sequence"
	"repscope/measure/token"
	"repscope/plots"
	"repscope/report"
)

// figureRegions is the name of the file.
const figureRegions = "sequence_regions"

// mostBars is the number of models beyond which regions are shown as a map of colors, without intervals.
const mostBars = 5

// regionScores are the rows of the figure.
var regionScores = []struct {
	score, label string
	decimals     int
}{{"accuracy", "Accuracy", 2}, {"ppl", "Perplexity", 1}}

// regionChains are its columns.
var regionChains = []struct {
	title   string
	regions []token.Region
}{
	{"Heavy chain", []token.Region{token.HeavyFWR1, token.HeavyCDR1, token.HeavyFWR2, token.HeavyCDR2, token.HeavyFWR3, token.HeavyCDR3, token.HeavyFWR4}},
	{"Light chain", []token.Region{token.LightFWR1, token.LightCDR1, token.LightFWR2, token.LightCDR2, token.LightFWR3, token.LightCDR3, token.LightFWR4}},
}

// regionKey is the key of a score of a region.
func regionKey(region token.Region, score string) string {
	return "region/" + region.String() + "/" + score
}

// regionFigure draws the scores by region of all models of a dataset; nil where no model has any. Chains
// and scores that no model has are left out.
func regionFigure(d *sequence.DatasetResult) *plots.Figure {
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, Title: "Predictions by region"}
	for i := range d.Models {
		f.Series = append(f.Series, d.Models[i].Name)
	}
	many := len(d.Models) > mostBars
	rows := 0
	for _, score := range regionScores {
		columns, top := 0, 0.0
		for _, chain := range regionChains {
			top = max(top, highest(d, score.score, chain.regions))
		}
		for _, chain := range regionChains {
			if highest(d, score.score, chain.regions) == 0 {
				continue
			}
			tile := plots.Tile{Row: rows, Column: columns, Title: chain.title}
			if many {
				tile.Title += ", " + strings.ToLower(score.label)
				tile.Panel = regionMap(d, score.score, score.decimals, top, chain.regions, columns == 0)
			} else {
				tile.Panel = regionBars(d, score.score, score.label, top, chain.regions)
			}
			f.Tiles = append(f.Tiles, tile)
			columns++
		}
		if columns > 0 {
			rows++
		}
	}
	switch {
	case rows == 0:
		return nil
	case many:
		f.HeightMM = 8 + float64(rows)*(14+6*float64(len(d.Models)))
	default:
		f.HeightMM = 12 + 56*float64(rows)
		if d.Blocks != "" {
			f.Footnote = fmt.Sprintf("Error bars: 95 %% intervals, jackknife over %s.", d.Blocks)
		}
	}
	return f
}

// highest is the largest end of an interval of a score, or the largest score, in some regions; 0 where no model
// has any.
func highest(d *sequence.DatasetResult, score string, regions []token.Region) float64 {
	top := 0.0
	for i := range d.Models {
		for _, r := range regions {
			v := scoreOf(&d.Models[i], regionKey(r, score))
			if !v.Defined() {
				continue
			}
			top = max(top, v.Float())
			if _, high := output.Ends(v.CI); high > top {
				top = high
			}
		}
	}
	return top
}

// scoreOf is a number of a model with its interval; undefined where it was not computed.
func scoreOf(m *sequence.ModelResult, key string) report.Estimate {
	v, _ := m.Object.Get(key)
	if e, ok := v.(report.Estimate); ok {
		return e
	}
	return report.NoEstimate("not computed")
}

// shortName is the name of a region without its chain: CDR1.
func shortName(r token.Region) string { return strings.ToUpper(r.String()[1:]) }

// regionBars shows a score with intervals, a group of bars for each region.
func regionBars(d *sequence.DatasetResult, score, label string, top float64, regions []token.Region) plots.Panel {
	panel := &plots.GroupedBars{Y: plots.Axis{Label: label, Max: 1.03 * top}}
	if score == "accuracy" {
		panel.Y.Max = 1
	}
	for _, r := range regions {
		panel.Groups = append(panel.Groups, shortName(r))
	}
	for i := range d.Models {
		series := plots.BarSeries{Name: d.Models[i].Name}
		for _, r := range regions {
			output.AppendBar(&series, scoreOf(&d.Models[i], regionKey(r, score)))
		}
		panel.Series = append(panel.Series, series)
	}
	return panel
}

// regionMap shows a score of many models, a row each.
func regionMap(d *sequence.DatasetResult, score string, decimals int, top float64, regions []token.Region,
	named bool) plots.Panel {
	panel := &plots.HeatMap{Decimals: decimals, Scale: plots.ColorScale{Ramp: plots.RampMagnitude, High: top}}
	if score == "accuracy" {
		panel.Scale.High = 1
	}
	for _, r := range regions {
		panel.Columns = append(panel.Columns, shortName(r))
	}
	for i := range d.Models {
		row := make([]float64, len(regions))
		for k, r := range regions {
			v := scoreOf(&d.Models[i], regionKey(r, score))
			row[k] = v.Float()
		}
		panel.Values = append(panel.Values, row)
		if named {
			panel.Rows = append(panel.Rows, d.Models[i].Name)
		}
	}
	return panel
}
