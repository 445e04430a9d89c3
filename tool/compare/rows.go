// Which metrics are compared, and which way they are better.

package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/internal/text"
	"repscope/report"
	"repscope/stat"
)

// Unknown is the direction of a metric that no file describes.
const Unknown report.Direction = "unknown"

// candidate is a metric of a group.
type candidate struct {
	path      string
	metric    report.Metric
	described bool // the files say that models are compared by it
	named     bool // by its whole name
	asked     bool // by --higher or --lower
}

// rows fills the table with the compared numbers.
func (c *comparer) rows() error {
	var unused []string
	for _, pattern := range slices.Concat(c.o.Metrics, c.o.Higher, c.o.Lower) {
		if !slices.Contains(unused, pattern) {
			unused = append(unused, pattern)
		}
	}
	words := &vocabulary{}
	candidates := make([][]candidate, len(c.groups))
	for i, g := range c.groups {
		candidates[i] = c.candidates(g)
		for _, k := range candidates[i] {
			words.add(g.analysis, k.path)
		}
	}
	for i, g := range c.groups {
		for _, k := range candidates[i] {
			use := func(patterns []string) bool {
				present := false
				for _, pattern := range patterns {
					if words.names(pattern, g.analysis, k.path) {
						present = true
						unused = slices.DeleteFunc(unused, func(p string) bool { return p == pattern })
					}
				}
				return present
			}
			higher, lower := use(c.o.Higher), use(c.o.Lower)
			switch {
			case higher && lower:
				return fmt.Errorf("--higher and --lower both name %s", k.path)
			case higher:
				k.metric.Direction = report.Higher
			case lower:
				k.metric.Direction = report.Lower
			}
			if chosen := use(c.o.Metrics); !chosen && (len(c.o.Metrics) > 0 || !k.described && !higher && !lower) {
				continue
			}
			k.asked = higher || lower
			if err := c.addRow(g, k); err != nil {
				return err
			}
		}
	}
	if len(unused) > 0 {
		return unknownMetric(unused[0], words.paths())
	}
	if len(c.result.Table) == 0 && len(c.o.Metrics) == 0 {
		if err := c.foreignRows(candidates); err != nil {
			return err
		}
	}
	if len(c.result.Table) == 0 {
		return c.noMetric(words.paths())
	}
	if err := c.undefined(); err != nil {
		return err
	}
	c.undirected()
	c.lonely()
	return nil
}

// foreignRows fills the table with all numbers of files of other layouts if no number has a well-known name.
func (c *comparer) foreignRows(candidates [][]candidate) error {
	for i, g := range c.groups {
		if slices.ContainsFunc(g.files, func(f *File) bool { return f.result != nil }) {
			continue
		}
		for _, k := range candidates[i] {
			if err := c.addRow(g, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// undefined is the error for a table without any number, with the first reason.
func (c *comparer) undefined() error {
	var first error
	for _, row := range c.result.Table {
		for x, cell := range row.Cells {
			switch {
			case cell == nil:
			case cell.Value.Defined():
				return nil
			case first == nil:
				first = fmt.Errorf("no model has a number to compare: %s of %s: %s", row.Title(), c.result.Models[x], why(cell.Value))
			}
		}
	}
	return first
}

// undirected warns of metrics whose better direction is unknown.
func (c *comparer) undirected() {
	var names []string
	seen := map[string]bool{}
	for _, row := range c.result.Table {
		if row.Direction == Unknown && !seen[row.Metric] {
			seen[row.Metric] = true
			names = append(names, row.Metric)
		}
	}
	switch n := len(names); {
	case n == 1:
		c.warn("%s has no known direction, so it ranks no model: set it with --higher %s or --lower %s", names[0], names[0], names[0])
	case n > 1:
		c.warn("%s have no known direction, so they rank no model: set it with --higher or --lower", text.Few(names, 5))
	}
}

// unknownMetric says what a pattern could have meant.
func unknownMetric(pattern string, paths []string) error {
	slices.Sort(paths)
	paths = slices.Compact(paths)
	var names []string
	for _, path := range paths {
		names = append(names, path, report.Family(path), lastStep(path))
	}
	hint := ""
	if near := text.Nearest(pattern, names); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	shown := paths
	if len(shown) > 20 {
		shown = append(slices.Clone(shown[:20]), fmt.Sprintf("%d more", len(paths)-20))
	}
	return fmt.Errorf("no model has a metric %q (there are %s)%s", pattern, strings.Join(shown, ", "), hint)
}

// noMetric says why there is nothing to compare.
func (c *comparer) noMetric(paths []string) error {
	slices.Sort(paths)
	if paths = slices.Compact(paths); len(paths) == 0 {
		return fmt.Errorf("the files have no numbers")
	}
	return fmt.Errorf("the files do not say which of their numbers compare models; choose some with --metrics, such as --metrics %s", paths[0])
}

// lonely warns of models that have no metric in common with any other.
func (c *comparer) lonely() {
	if len(c.result.Models) < 2 {
		return
	}
	shared := 0
	for _, row := range c.result.Table {
		n := 0
		for _, cell := range row.Cells {
			if cell != nil {
				n++
			}
		}
		if n > 1 {
			shared++
		}
	}
	if shared == 0 {
		c.warn("no metric is common to two models, so nothing is compared: check the files and --metrics")
	}
}

// candidates are the metrics of a group in the order in which files and models have
// them.
func (c *comparer) candidates(g *group) []candidate {
	var out []candidate
	seen := map[string]bool{}
	for _, f := range g.files {
		for _, m := range f.Models {
			for _, n := range m.Numbers {
				if seen[n.Path] {
					continue
				}
				seen[n.Path] = true
				metric, described := f.describe(m, n.Path)
				named := false
				if f.result != nil {
					_, named = f.result.Metrics.Get(report.Family(n.Path))
				}
				out = append(out, candidate{path: n.Path, metric: metric, described: described, named: named})
			}
		}
	}
	return out
}

// describe says what a number of a model is. A metric that is described by the end of
// its path stands for it only where the model has it nowhere else: slope is not
// raw.slope.
func (f *File) describe(m *FileModel, path string) (metric report.Metric, described bool) {
	if f.result != nil && f.result.Metrics.Len() > 0 {
		if metric, described = f.result.MetricOf(path); described {
			// A result that names no range has plain errors, except shares and correlations.
			standard, _ := WellKnown(path)
			if metric.Range == nil && standard.Range != nil && !math.IsInf(standard.Range.High, 1) && standard.Direction == metric.Direction {
				metric.Range = standard.Range
			}
			return metric, !m.elsewhere(f.result, report.Family(path))
		}
	} else if metric, described = f.metrics[path]; described {
		return metric, true
	} else if metric, described = WellKnown(path); described {
		return metric, true
	}
	return report.Metric{Direction: Unknown}, f.result == nil && (f.described || !strings.Contains(path, "."))
}

// elsewhere reports whether the name by which a result describes a metric is the name of
// another number of the model: slope of raw.slope.
func (m *FileModel) elsewhere(r *report.Result, family string) bool {
	for name := family; ; {
		if _, known := r.Metrics.Get(name); known {
			return name != family && slices.ContainsFunc(m.Numbers, func(n report.Named) bool { return report.Family(n.Path) == name })
		}
		_, rest, more := strings.Cut(name, ".")
		if !more {
			return false
		}
		name = rest
	}
}

// addRow adds a metric to the table.
func (c *comparer) addRow(g *group, k candidate) error {
	row := &Row{Task: g.task, Analysis: g.analysis, Metric: k.path, Direction: k.metric.Direction, Unit: k.metric.Unit,
		summary: slices.ContainsFunc(g.files, func(f *File) bool { return f.summary }), headline: k.metric.Headline, named: k.named, asked: k.asked, scale: scaleOf(k.metric)}
	for _, name := range c.result.Models {
		e, ok := estimateOf(name, k.path, g.models[name], row.scale)
		if !ok {
			row.Cells = append(row.Cells, nil)
			continue
		}
		cell := &Cell{Value: e.value, CI: e.interval, Runs: len(e.runs), of: e}
		if e.sd.Defined() {
			cell.SD = new(e.sd)
		}
		var err error
		if cell.Ungraded, err = c.ungraded(g, row, e, k.metric); err != nil {
			return err
		}
		row.Cells = append(row.Cells, cell)
	}
	c.result.Table = append(c.result.Table, row)
	return nil
}

// scaleOf is the scale on which the errors of a metric are symmetric.
func scaleOf(m report.Metric) stat.Scale {
	if m.Range == nil {
		return stat.Scale{}
	}
	return stat.RangeScale(m.Range.Low, m.Range.High)
}
