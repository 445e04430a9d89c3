// The figures: which there are, and scores of all samples, by lead and by variable.

package command

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"repscope/analysis/forecast"
	"repscope/analysis/internal/output"
	"repscope/internal/run"
	"repscope/plots"
	"repscope/report"
)

// drawing is what figures show: a result, and the units of its variables.
type drawing struct {
	*forecast.Result
	units    []string // of the variables; empty: not known
	leadUnit string   // empty: not known
}

// panelScore is a score that figures show.
type panelScore struct{ name, title, label string }

// panelScores are the scores of the figures of all samples and of leads.
var panelScores = []panelScore{
	{"rmse", "Error of the ensemble mean", "RMSE"},
	{"mae", "Absolute error of the ensemble mean", "MAE"},
	{"bias", "Bias of the ensemble mean", "Bias"},
	{"crps", "Marginal distributions", "CRPS"},
	{"energy_score", "All variables and cells", "Energy score"},
	{"variogram_score", "Pairs of cells", "Variogram score"},
	{"patched_energy_score", "Patches", "Patched energy score"},
	{"pairwise_energy_score", "Neighboring cells", "Pairwise energy score"},
	{"spread_skill_ratio", "Calibration", "Spread/skill"},
}

// skillScores are those that heat maps set against a baseline.
var skillScores = []string{"rmse", "crps", "energy_score", "variogram_score"}

// fewVariables is the number of variables that have panels of their own.
const fewVariables = 4

// contents says which figures a run has, by what its scores are.
type contents struct {
	has                      func(score string) bool // for some model
	leads, baseline, several bool
	byLeadAlone              bool // no score is over all leads
	variables                int
}

// figureNames are the figures of a run, in the order in which they are written.
func (c contents) figureNames() []string {
	var names []string
	add := func(name string, wanted bool) {
		if wanted {
			names = append(names, name)
		}
	}
	any := slices.ContainsFunc(panelScores, func(p panelScore) bool { return c.has(p.name) })
	if c.byLeadAlone {
		add("forecast_by_lead", any)
		return c.withCases(names)
	}
	skill := slices.ContainsFunc(skillScores, c.has)
	add("forecast_scores", any)
	add("forecast_by_lead", any && c.leads)
	add("forecast_by_variable", c.variables > 1 && (c.has("rmse") || c.has("crps")))
	add("forecast_skill", skill && c.baseline)
	add("forecast_rank_histogram", c.several && c.has("rank_bias"))
	add("forecast_spread_skill", c.several && c.has("spread_skill_ratio"))
	add("forecast_reliability", c.has("brier"))
	add("forecast_fss", c.has("fss"))
	add("forecast_spectrum", c.has("log_spectral_distance"))
	return c.withCases(names)
}

// withCases are names with the names of the maps.
func (c contents) withCases(names []string) []string {
	for v := range min(c.variables, fewVariables) {
		names = append(names, caseName(v))
	}
	return names
}

// figureFiles are the files of all figures but the maps.
func figureFiles() []string {
	all := contents{has: func(string) bool { return true }, leads: true, baseline: true, several: true}
	all.variables = 2 // as for several
	var files []string
	for _, name := range all.figureNames() {
		files = append(files, name+".figure")
	}
	return files
}

// caseName is the name of the maps of a variable.
func caseName(v int) string {
	if v == 0 {
		return "forecast_case"
	}
	return fmt.Sprintf("forecast_case_%d", v+1)
}

// contentsOf are the contents of a result.
func contentsOf(r *forecast.Result) contents {
	c := contents{leads: r.Leads != nil, variables: len(r.Variables), byLeadAlone: r.ByLeadAlone}
	c.has = func(score string) bool {
		return slices.ContainsFunc(r.Formulas, func(f forecast.Formula) bool { return f.Name == score })
	}
	for i := range r.Models {
		c.baseline = c.baseline || r.Models[i].Kind == "baseline" && len(r.Models) > 1
		c.several = c.several || r.Models[i].Members > 1
	}
	return c
}

// planFigures says which figures a run would write.
func planFigures(env *run.Env, in *forecast.Input, p *forecast.Planned) {
	c := contents{leads: in.Leads != nil, variables: len(p.Variables)}
	for _, m := range p.Models {
		c.baseline = c.baseline || m.Kind == "baseline" && len(p.Models) > 1
		c.several = c.several || m.Members > 1
	}
	c.has = func(score string) bool { return slices.Contains(p.Scores, score) }
	env.PlanFigures(c.figureNames()...)
}

// figures draws what a result looks like.
func (s *settings) figures(ctx context.Context, env *run.Env, in *forecast.Input, o forecast.Options,
	r *forecast.Result) error {
	d := &drawing{Result: r, units: s.units, leadUnit: s.leadUnit}
	if s.example.On() && d.units == nil {
		d.units = exampleUnits
	}
	if s.example.On() && d.leadUnit == "" {
		d.leadUnit = "h"
	}
	if len(d.units) != len(r.Variables) {
		d.units = make([]string, len(r.Variables))
	}
	maps := sync.OnceValues(func() ([]*plots.Figure, error) {
		shown, err := forecast.TypicalCase(ctx, *in, o, r, fewVariables, mapRows)
		if err != nil {
			return nil, err
		}
		return d.maps(shown)
	})
	var drawings []run.Drawing
	cases := 0
	for _, name := range contentsOf(r).figureNames() {
		draw := func() (*plots.Figure, error) { return d.plain(name), nil }
		if name == caseName(cases) {
			variable := cases
			draw = func() (*plots.Figure, error) {
				drawn, err := maps()
				if err != nil {
					return nil, err
				}
				return drawn[variable], nil
			}
			cases++
		}
		drawings = append(drawings, output.Drawing(name, draw))
	}
	return env.Figures(ctx, drawings)
}

// plain is a figure of the result alone; nil for maps.
func (d *drawing) plain(name string) *plots.Figure {
	switch name {
	case "forecast_scores":
		return d.scores()
	case "forecast_by_lead":
		return d.byLead()
	case "forecast_by_variable":
		return d.variables()
	case "forecast_skill":
		return d.skill()
	case "forecast_rank_histogram":
		return d.ranks()
	case "forecast_spread_skill":
		return d.spreadSkill()
	case "forecast_reliability":
		return d.reliability()
	case "forecast_fss":
		return d.fractions()
	case "forecast_spectrum":
		return d.spectra()
	}
	return nil
}

// names are the names of the models.
func (d *drawing) names() []string {
	var names []string
	for i := range d.Models {
		names = append(names, d.Models[i].Name)
	}
	return names
}

// presentPanels are the main scores that some model has.
func (d *drawing) presentPanels() []panelScore {
	has := contentsOf(d.Result).has
	return slices.DeleteFunc(slices.Clone(panelScores), func(p panelScore) bool { return !has(p.name) })
}

// unit is the unit of a score of all variables together, in brackets behind a label; empty for variables of different
// units.
func (d *drawing) unit(score string) string {
	same := d.units[0]
	for _, u := range d.units {
		if u != same {
			return ""
		}
	}
	return d.unitOf(score, same)
}

// unitOf is the unit of a score of fields of a unit.
func (d *drawing) unitOf(score, field string) string {
	for _, f := range d.Formulas {
		if f.Name != score || field == "" {
			continue
		}
		switch f.Unit {
		case "field":
			return " (" + field + ")"
		case "field²":
			return " (" + squared(field) + ")"
		}
		return ""
	}
	return ""
}

// squared is the square of a unit.
func squared(unit string) string {
	if strings.ContainsAny(unit, "/·* ") {
		unit = "(" + unit + ")"
	}
	return unit + "²"
}

// caption is the footnote of figures: what intervals are, and which models are baselines.
func (d *drawing) caption(intervals string) string {
	var parts, baselines []string
	for i := range d.Models {
		if d.Models[i].Kind == "baseline" {
			baselines = append(baselines, d.Models[i].Name)
		}
	}
	switch len(baselines) {
	case 1:
		parts = append(parts, "Baseline: "+baselines[0]+".")
	case 2:
		parts = append(parts, "Baselines: "+strings.Join(baselines, " and ")+".")
	}
	if d.Blocks != "" && intervals != "" {
		parts = append(parts, fmt.Sprintf("%s: 95 %% intervals, jackknife over %s.", intervals, d.Blocks))
	}
	return strings.Join(parts, " ")
}

// figure is a figure with a number of rows of panels.
func (d *drawing) figure(title, intervals string, rows int, rowMM float64) *plots.Figure {
	legend := 5 * math.Ceil(float64(len(d.Models))/5)
	return &plots.Figure{WidthMM: plots.DoubleColumnMM, HeightMM: rowMM*float64(rows) + legend + 9, Series: d.names(), Footnote: d.caption(intervals),
		Notes: output.IntervalNotes(d.Warnings), Title: title}
}

// scoreOf is a score with the reason where a model has none.
func scoreOf(m *forecast.Model, path string) forecast.Score {
	s, ok := m.Score(path)
	if !ok {
		why := "not computed"
		if reason, there := m.Skipped.Get(path); there {
			why, _ = reason.(string)
		}
		s.Value, s.CI = report.Undefined("%s", why), report.NoInterval("%s", why)
	}
	return s
}

// scores are bars of the main scores over all samples.
func (d *drawing) scores() *plots.Figure {
	list := d.presentPanels()
	figure := d.figure("Forecast scores", "Error bars", (len(list)+2)/3, 46)
	for i, p := range list {
		bars := &plots.Bars{Y: plots.Axis{Label: p.label + d.unit(p.name)}, NamesInLegend: len(d.Models) > 3}
		switch p.name {
		case "spread_skill_ratio":
			bars.References, bars.NoValues = []plots.Reference{{Value: 1}}, len(d.Models) > 6
		case "bias": // about 0: its digits would say nothing
			bars.NoValues = true
		}
		for k := range d.Models {
			if p.name == "spread_skill_ratio" && d.Models[k].Members == 1 {
				continue
			}
			s := scoreOf(&d.Models[k], p.name)
			bars.Bars = append(bars.Bars, output.Bar(d.Models[k].Name, s.Estimate, 1))
		}
		figure.Tiles = append(figure.Tiles, plots.Tile{Panel: bars, Title: p.title, Row: i / 3, Column: i % 3})
	}
	return figure
}

// leadAxis is the axis of leads, with a mark at each of a few.
func (d *drawing) leadAxis() plots.Axis {
	axis := plots.Axis{Label: d.leadLabel(), Zero: true}
	if leads := d.Models[0].ByLead; len(leads) <= 8 {
		for i := range leads {
			axis.Ticks = append(axis.Ticks, leads[i].Lead)
		}
	}
	return axis
}

// leadLabel is the label of leads with their unit.
func (d *drawing) leadLabel() string {
	if d.leadUnit == "" {
		return "Lead"
	}
	return "Lead (" + d.leadUnit + ")"
}

// byLead are curves of the main scores by lead, with the bands of their intervals.
func (d *drawing) byLead() *plots.Figure {
	list := d.presentPanels()
	figure := d.figure("Forecast scores by lead", "Bands", (len(list)+2)/3, 46)
	for i, p := range list {
		curves := &plots.Curves{X: d.leadAxis(), Y: plots.Axis{Label: p.label + d.unit(p.name)}}
		switch p.name {
		case "spread_skill_ratio":
			curves.References = []plots.Reference{{Value: 1}}
		case "bias":
			curves.References = []plots.Reference{{Value: 0}}
		default:
			curves.Y.Zero = true
		}
		for k := range d.Models {
			m := &d.Models[k]
			if p.name == "spread_skill_ratio" && m.Members == 1 {
				continue
			}
			series := plots.CurveSeries{Name: m.Name}
			for j := range m.ByLead {
				if s, ok := m.ByLead[j].Score(p.name); ok {
					output.AppendPoint(&series, m.ByLead[j].Lead, s.Estimate)
				}
			}
			if len(series.X) == 0 {
				series.Reason = scoreOf(m, p.name).Value.Reason
			}
			curves.Series = append(curves.Series, series)
		}
		figure.Tiles = append(figure.Tiles, plots.Tile{Panel: curves, Title: p.title, Row: i / 3, Column: i % 3})
	}
	return figure
}

// variables are bars of the error of the mean and of the CRPS by variable; of many
// variables heat maps, in which each is divided by its largest value of a model.
func (d *drawing) variables() *plots.Figure {
	has := contentsOf(d.Result).has
	list := slices.DeleteFunc([]panelScore{panelScores[0], panelScores[3]},
		func(p panelScore) bool { return !has(p.name) })
	if len(d.Variables) > fewVariables {
		return d.manyVariables(list)
	}
	figure := d.figure("Forecast scores by variable", "Error bars", len(list), 48)
	for i, p := range list {
		for v, name := range d.Variables {
			bars := &plots.Bars{Y: plots.Axis{Label: p.label + d.unitOf(p.name, d.units[v])}, NamesInLegend: true}
			for k := range d.Models {
				s, ok := forecast.FindScore(d.ByVariable[k][v], p.name)
				if !ok {
					s = scoreOf(&d.Models[k], p.name)
				}
				bars.Bars = append(bars.Bars, output.Bar(d.Models[k].Name, s.Estimate, 1))
			}
			figure.Tiles = append(figure.Tiles, plots.Tile{Panel: bars, Title: name, Row: i, Column: v})
		}
	}
	return figure
}

// manyVariables are heat maps of scores by variable.
func (d *drawing) manyVariables(list []panelScore) *plots.Figure {
	rows := float64(len(d.Models))
	figure := &plots.Figure{WidthMM: plots.DoubleColumnMM, HeightMM: float64(len(list)) * (38 + 6*rows), Series: d.names(), Legend: plots.LegendNone,
		Footnote: d.caption("") + " The values of each variable are divided by the largest value of all " +
			"models.", Title: "Forecast " +
			"scores by variable"}
	for i, p := range list {
		grid := &plots.HeatMap{Rows: d.names(), Columns: d.Variables, Scale: plots.ColorScale{Ramp: plots.RampMagnitude, High: 1, Label: p.label + " " +
			"/ largest of all models"}}
		for k := range d.Models {
			row := make([]float64, len(d.Variables))
			for v := range row {
				row[v] = d.valueOf(k, v, p.name) / d.largest(v, p.name)
			}
			grid.Values = append(grid.Values, row)
		}
		figure.Tiles = append(figure.Tiles, plots.Tile{Panel: grid, Title: p.label, Row: i})
	}
	return figure
}

// valueOf is a score of a model and variable; NaN if it has none.
func (d *drawing) valueOf(model, variable int, score string) float64 {
	if s, ok := forecast.FindScore(d.ByVariable[model][variable], score); ok {
		return s.Value.Float()
	}
	return math.NaN()
}

// largest is the largest value of a score of a variable.
func (d *drawing) largest(variable int, score string) float64 {
	largest := 0.0
	for k := range d.Models {
		if v := d.valueOf(k, variable, score); v > largest {
			largest = v
		}
	}
	return largest
}

// baseline is the model that others are set against; nil without.
func (d *drawing) baseline() *forecast.Model {
	for i := range d.Models {
		if d.Models[i].Kind == "baseline" {
			return &d.Models[i]
		}
	}
	return nil
}

// skill are heat maps of skill over the baseline: of models by lead, a map per score, or
// without leads of models by score.
func (d *drawing) skill() *plots.Figure {
	base := d.baseline()
	has := contentsOf(d.Result).has
	list := slices.DeleteFunc(slices.Clone(panelScores),
		func(p panelScore) bool { return !slices.Contains(skillScores, p.name) || !has(p.name) })
	figure := &plots.Figure{WidthMM: plots.DoubleColumnMM, Series: d.names(), Legend: plots.LegendNone, Title: "Skill over " + base.Name,
		Footnote: fmt.Sprintf(
			"Skill: 1 − score/score of %s. A perfect forecast has 1; below 0 the forecast is worse.", base.Name)}
	rows := slices.DeleteFunc(d.names(), func(name string) bool { return name == base.Name })
	scale := plots.ColorScale{Ramp: plots.RampDiverging, Low: -1, High: 1, Label: "Skill over " + plots.Escape(base.Name)}
	value := func(m *forecast.Model, score forecast.Score, other forecast.Score) float64 {
		return 1 - score.Value.Float()/other.Value.Float()
	}
	if !contentsOf(d.Result).leads {
		grid := &plots.HeatMap{Rows: rows, Scale: scale}
		for _, p := range list {
			grid.Columns = append(grid.Columns, p.label)
		}
		for k := range d.Models {
			if m := &d.Models[k]; m != base {
				var row []float64
				for _, p := range list {
					row = append(row, value(m, scoreOf(m, p.name), scoreOf(base, p.name)))
				}
				grid.Values = append(grid.Values, row)
			}
		}
		figure.Tiles = []plots.Tile{{Panel: grid}}
		figure.WidthMM, figure.HeightMM = 50+22*float64(len(list)), 38+7*float64(len(rows))
		return figure
	}
	for i, p := range list {
		grid := &plots.HeatMap{X: plots.Axis{Label: d.leadLabel()}, Rows: rows, Scale: scale}
		for k := range d.Models {
			m := &d.Models[k]
			if m == base {
				continue
			}
			var row []float64
			for j := range m.ByLead {
				own, _ := m.ByLead[j].Score(p.name)
				other, _ := base.ByLead[j].Score(p.name)
				row = append(row, value(m, own, other))
			}
			grid.Values = append(grid.Values, row)
		}
		for _, l := range base.ByLead {
			grid.Columns = append(grid.Columns, strconv.FormatFloat(l.Lead, 'g', -1, 64))
		}
		figure.Tiles = append(figure.Tiles, plots.Tile{Panel: grid, Title: p.label, Row: i / 2, Column: i % 2})
	}
	figure.HeightMM = float64((len(list)+1)/2)*(36+6.5*float64(len(rows))) + 10
	return figure
}
