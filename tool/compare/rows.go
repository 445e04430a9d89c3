// Which metrics are compared, and which way they are better.

package compare

import (
	"fmt"
	"slices"
	"strings"

	"repscope/internal/text"
	"repscope/report"
)

// Unknown is the direction of a metric of which nobody said it.
const Unknown report.Direction = "unknown"

// candidate is a metric of a group.
type candidate struct {
	path      string
	metric    report.Metric
	described bool // the files say that models are compared by it
}

// rows fills the table with what is compared.
func (c *comparer) rows() error {
	var unused []string
	for _, pattern := range slices.Concat(c.o.Metrics, c.o.Higher, c.o.Lower) {
		if !slices.Contains(unused, pattern) {
			unused = append(unused, pattern)
		}
	}
	var known []string
	for _, g := range c.groups {
		for _, k := range c.candidates(g) {
			known = append(known, k.path)
			use := func(patterns []string) bool {
				found := false
				for _, pattern := range patterns {
					if matches(pattern, g.analysis, k.path) {
						found = true
						unused = slices.DeleteFunc(unused, func(p string) bool { return p == pattern })
					}
				}
				return found
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
			if err := c.addRow(g, k); err != nil {
				return err
			}
		}
	}
	if len(unused) > 0 {
		return unknownMetric(unused[0], known)
	}
	if len(c.result.Table) == 0 {
		return c.noMetric(known)
	}
	c.lonely()
	return nil
}

// unknownMetric says what a pattern could have meant.
func unknownMetric(pattern string, known []string) error {
	slices.Sort(known)
	known = slices.Compact(known)
	var names []string
	for _, path := range known {
		names = append(names, path, report.Family(path), lastStep(path))
	}
	hint := ""
	if near := text.Nearest(pattern, names); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	shown := known
	if len(shown) > 20 {
		shown = append(slices.Clone(shown[:20]), fmt.Sprintf("%d more", len(known)-20))
	}
	return fmt.Errorf("no model has a metric %q (there are %s)%s", pattern, strings.Join(shown, ", "), hint)
}

// noMetric says why there is nothing to compare.
func (c *comparer) noMetric(known []string) error {
	slices.Sort(known)
	if known = slices.Compact(known); len(known) == 0 {
		return fmt.Errorf("the files have no numbers")
	}
	return fmt.Errorf("the files do not say which of their numbers compare models; choose some with --metrics, such as --metrics %s", known[0])
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
		c.warn("no metric is common to two models: nothing is compared")
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
				out = append(out, candidate{n.Path, metric, described})
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
			return metric, !m.elsewhere(f.result, report.Family(path))
		}
	} else if metric, described = report.WellKnown(path); described {
		return metric, true
	}
	return report.Metric{Direction: Unknown}, f.result == nil && !strings.Contains(path, ".")
}

// elsewhere reports whether the name by which a result describes a metric is that of
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

// lastStep is the last name of a path.
func lastStep(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// addRow adds a metric to the table.
func (c *comparer) addRow(g *group, k candidate) error {
	row := &Row{Task: g.task, Analysis: g.analysis, Metric: k.path, Direction: k.metric.Direction, Unit: k.metric.Unit, pairs: map[[2]int]*pair{}}
	for _, name := range c.result.Models {
		e, ok := estimateOf(name, k.path, g.models[name])
		if !ok {
			row.Cells = append(row.Cells, nil)
			continue
		}
		cell := &Cell{Value: e.value, CI: e.interval, Runs: len(e.runs), of: e}
		if e.sd.Defined() {
			cell.SD = new(e.sd)
		}
		row.Cells = append(row.Cells, cell)
	}
	if row.Direction == Unknown {
		c.warn("which way %s is better is not known: say it with --higher %s or --lower %s", k.path, k.path, k.path)
	}
	c.result.Table = append(c.result.Table, row)
	return nil
}

// matches reports whether a pattern names a metric: by its path, its path without rows,
// or the end of either; ANALYSIS: before it restricts it to one.
func matches(pattern, analysis, path string) bool {
	if of, rest, ok := strings.Cut(pattern, ":"); ok {
		if !wildcard(of, analysis) {
			return false
		}
		pattern = rest
	}
	for _, name := range []string{path, report.Family(path), lastStep(path)} {
		if wildcard(pattern, name) {
			return true
		}
	}
	return false
}

// wildcard reports whether a pattern with * (any text) and ? (any letter) is a name.
func wildcard(pattern, name string) bool {
	p, n := []rune(pattern), []rune(name)
	i, star, from := 0, -1, 0
	for k := 0; k < len(n); {
		switch {
		case i < len(p) && p[i] == '*':
			star, from = i, k
			i++
		case i < len(p) && (p[i] == '?' || p[i] == n[k]):
			i++
			k++
		case star >= 0:
			from++
			i, k = star+1, from
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
