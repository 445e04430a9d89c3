// Families: named sums of every sample, and scores that are formulas over them.

package forecast

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/internal/text"
	"repscope/report"
)

// A family is a set of scores made of the same sums. A new one is a file with a
// constructor in families: --metrics, the help, the result, the CSV files, directions and
// comparisons follow from it.
//
// One of cells and field adds the sums of a variable of a sample, joint the sums of all
// together, which stand for the mean over variables where there is one. All are means or counts per
// sample: the sums of several samples are combined by their mean, each alike, and sums
// of several variables too.
type family struct {
	name  string // as --metrics takes it, next to the names of the scores
	about string // one line for the help
	// needs says why there is nothing to compute for these models; "" if there is.
	needs func(s *setting, members int) string
	// sums are the names of the sums; their places are those in what formulas get.
	sums func(s *setting, members int) []string
	// count is their number, for families of many sums: it is asked for at every sample.
	count func(s *setting, members int) int
	// cells fills out[k][cell] with values of one variable, which are averaged with the
	// weights of every region.
	cells func(c *sample, variable int, out [][]float64) error
	// field fills out[k] with sums of one variable over a region, whose weights are
	// c.weights[region].
	field func(c *sample, variable, region int, out []float64) error
	// joint fills out[k] with sums of all variables together over a region.
	joint func(c *sample, region int, out []float64) error
	// grid says that the sums cover the whole grid alone, as of a spectrum: there
	// are none of regions.
	grid bool
	// scores are what the sums make.
	scores func(s *setting, members int) []Formula
	// note is what a reader should know of the sums, for the warnings; nil or "": nothing.
	note func(s *setting) string
	// warn is what a reader should know of the sums of a model, for the warnings; nil: nothing.
	warn func(t *tally) []string
	// tables adds everything but numbers, such as histograms and curves, to the part of a
	// model; nil: none.
	tables func(t *tally, into *report.Object) error
}

// Formula is a score: a function of the means of sums over samples.
type Formula struct {
	Name      string
	About     string // how to read it
	Unit      string // "field" for the unit of the fields, "field²"; empty for a plain number
	Direction report.Direction
	Low, High float64 // the range of the score, for intervals; both 0: any number
	of        func(sums []float64) float64
	// mean says that the score of several samples is the mean of theirs.
	mean bool
	// compared makes comparisons of it; leads makes comparisons at every lead too.
	compared, leads bool
	// memory makes blocks as long as samples remember each other in it; a mean.
	memory bool
	// Perfect says that 0 is the best value, so that there is a skill score.
	Perfect bool
	// noInterval is why there is no interval; empty if there is one.
	noInterval string
	// none is why it is not a number.
	none string
	// why says, where it is not a number, why that is so for these sums; nil: none.
	why func(sums []float64) string
	// from and count are the sums that it is a function of; 0: all.
	from, count int
	// row is the path of the row that it stands in, such as events[threshold=5]; empty:
	// in the part of the model itself. list, key and value are its parts, window the window of
	// rows with a window too: fss[threshold=5;window=3].
	List, key     string
	value, window float64
}

// row is the path of the list's row.
func (f *Formula) row() string {
	if f.List == "" {
		return ""
	}
	row := report.Row(f.key, f.value)
	if f.window > 0 {
		row = strings.TrimSuffix(row, "]") + ";" + strings.TrimPrefix(report.Row("window", f.window), "[")
	}
	return f.List + row
}

// own are the columns of the sums that it is a function of.
func (f *Formula) own(columns [][]float64) [][]float64 {
	if f.count == 0 {
		return columns
	}
	return columns[f.from : f.from+f.count]
}

// families are all of them, in the order of the result.
func families() []family {
	return []family{errorFamily(), crpsFamily(), variogramFamily(), energyFamily(), patchedFamily(), pairwiseFamily(), tiledEnergyFamily(), tiledVariogramFamily(),
		spreadFamily(), rankFamily(), intervalFamily(), quantileFamily(), dawidFamily(), errorSpreadFamily(),
		eventFamily(), probabilityFamily(), tailFamily(), fractionsFamily(), spectrumFamily(), fieldFamily(), anomalyFamily()}
}

// sum returns the formula that is one sum.
func sum(k int) func([]float64) float64 { return func(s []float64) float64 { return s[k] } }

// anySetting stands for any setting, to ask for the names of scores.
func anySetting() *setting {
	s := &setting{o: Options{Thresholds: []float64{0}}, variables: []string{"v0"}}
	s.o, _ = s.o.withDefaults()
	return s
}

// Family is a set of scores that are made of the same sums, such as the scores of events.
type Family struct {
	Name, About string
	Scores      []Formula // those that an ensemble of two members can have, each once
}

// Families are all of them, in the order of the result.
func Families() []Family {
	var out []Family
	s := anySetting()
	for _, f := range families() {
		family := Family{Name: f.name, About: f.about}
		for _, score := range f.scores(s, 2) {
			if !slices.ContainsFunc(family.Scores, func(other Formula) bool { return other.Name == score.Name }) {
				family.Scores = append(family.Scores, score)
			}
		}
		out = append(out, family)
	}
	return out
}

// Described describes scores, in their order, with the skill scores of those that have one.
func Described(formulas []Formula) []report.Described {
	var out []report.Described
	for _, f := range formulas {
		name := f.Name
		if f.List != "" {
			name = f.List + "." + name
		}
		out = append(out, report.Described{Name: name, Better: f.Direction, Unit: f.Unit, Low: f.Low, High: f.High,
			Headline: slices.Contains([]string{"rmse", "crps", "energy_score", "spread_skill_ratio"}, name), About: f.About})
		if f.Perfect {
			out = append(out, report.Described{Name: "skill_scores." + name, Better: report.Higher, Low: math.Inf(-1), High: 1,
				About: "1 − " + name + " / " + name + " of a baseline"})
		}
	}
	return out
}

// MetricNames are what Options.Metrics takes: families and scores.
func MetricNames() []string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, f := range Families() {
		add(f.Name)
		for _, score := range f.Scores {
			add(score.Name)
		}
	}
	return names
}

// chosen are the families that the options ask for.
func chosen(metrics []string) ([]family, error) {
	all := families()
	if len(metrics) == 0 {
		return all, nil
	}
	names := MetricNames()
	for _, name := range metrics {
		if !slices.Contains(names, name) {
			hint := ""
			if n := text.Nearest(name, names); n != "" {
				hint = "; did you mean " + n + "?"
			}
			return nil, fmt.Errorf("metric %q is unknown: choose from %s%s", name, strings.Join(names, ", "), hint)
		}
	}
	s := anySetting()
	var out []family
	for _, f := range all {
		if slices.Contains(metrics, f.name) || slices.ContainsFunc(f.scores(s, 2), func(score Formula) bool { return slices.Contains(metrics, score.Name) }) {
			out = append(out, f)
		}
	}
	return out, nil
}

// size is the number of sums of a sample. Sums of all variables together stand after
// the sums of the variables.
func (f *family) size(s *setting, members int) (variables, regions, sums int) {
	if regions = 1; f.count != nil {
		sums = f.count(s, members)
	} else {
		sums = len(f.sums(s, members))
	}
	if f.cells != nil || f.field != nil {
		variables = len(s.variables)
	}
	if f.joint != nil {
		variables++
	}
	if !f.grid {
		regions = len(s.regions)
	}
	return variables, regions, sums
}

// byVariable says whether there are sums of variables.
func (f *family) byVariable() bool { return f.cells != nil || f.field != nil }

// add enters the sums of a sample into to, by variable, region and sum.
func (f *family) add(c *sample, to []float64) error {
	variables, regions, sums := f.size(c.setting, c.members)
	place := func(v, r int) []float64 { return to[(v*regions+r)*sums : (v*regions+r+1)*sums] }
	for v := range variables {
		for r := range regions {
			var err error
			switch {
			case f.joint != nil && v == variables-1 && variables == 2 && len(c.variables) == 1:
				copy(place(v, r), place(0, r)) // one variable is all
			case f.joint != nil && v == variables-1:
				err = f.joint(c, r, place(v, r))
			case f.field != nil:
				err = f.field(c, v, r, place(v, r))
			}
			if err != nil {
				return err
			}
		}
	}
	if f.cells == nil {
		return nil
	}
	cells := c.cells(sums)
	for v := range c.variables {
		if err := f.cells(c, v, cells); err != nil {
			return err
		}
		for r := range regions {
			for k, values := range cells {
				place(v, r)[k] = weighted(c.weights[r], values)
			}
		}
	}
	return nil
}

// weighted is the sum of values with weights, four sums at a time.
func weighted(weights, values []float64) float64 {
	var a, b, c, d float64
	values = values[:len(weights)]
	i := 0
	for ; i+4 <= len(weights); i += 4 {
		a += float64(weights[i] * values[i])
		b += float64(weights[i+1] * values[i+1])
		c += float64(weights[i+2] * values[i+2])
		d += float64(weights[i+3] * values[i+3])
	}
	for ; i < len(weights); i++ {
		a += float64(weights[i] * values[i])
	}
	return (a + b) + (c + d)
}

// unbounded is the range of any number.
func (f *Formula) within() (low, high float64) {
	if f.Low == 0 && f.High == 0 {
		return math.Inf(-1), math.Inf(1)
	}
	return f.Low, f.High
}
