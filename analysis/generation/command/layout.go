// How the numbers of metrics are written and read: the part of the result file, the sentence that
// says how to read it, the tables, the CSV file, directions and units.

package command

import (
	"fmt"
	"slices"
	"strings"

	"repscope/analysis/generation"
	"repscope/report"
)

// layout is how the numbers of a metric are written.
type layout struct {
	metric  string // its name
	tier    string // how far it may be relied on when generators are chosen by it: high, medium, low
	summary string // for the help: what it measures
	target  string // published, such as "IoU > 0.7"

	// object is the metric's part of the result file. The keys interpretation and tier are added
	// to it.
	object func(m *generation.Model, names labels) *report.Object
	// interpretation is one sentence: direction, the range that can be reached on these
	// data, the published target.
	interpretation func(m *generation.Model) string
	// tables go to the console, a row for each generator or label.
	tables func(r *generation.Result) []*report.Table
	// file is the name of a CSV file, with a row for each generator and label.
	file    string
	columns []string
	rows    func(m *generation.Model, names labels, row func(cells ...any) error) error
}

// layouts are the layouts of all metrics, in the order of the registry.
var layouts = []*layout{&reconstructionLayout, &diversityLayout, &similarityLayout, &clustersLayout,
	&conditioningLayout, &fidelityLayout}

// layoutOf is the layout of a metric.
func layoutOf(metric string) *layout {
	return layouts[slices.IndexFunc(layouts, func(l *layout) bool { return l.metric == metric })]
}

// metricHelp is a paragraph for every metric.
func metricHelp() string {
	var b strings.Builder
	for _, l := range layouts {
		var options []string
		for _, need := range generation.Find(l.metric).Needs {
			options = append(options, need.Option)
		}
		fmt.Fprintf(&b, "  %-15s %s;\n%18stier %s, needs %s", l.metric, l.summary, "", l.tier, strings.Join(options, " and "))
		if l.target != "" {
			fmt.Fprintf(&b, "; published target %s", l.target)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Objects are the generators' parts of the result file. drawn says of the generators whose samples were drawn by the
// program how.
func Objects(r *generation.Result, in *generation.Input, drawn map[string]*Drawn) report.Object {
	var out report.Object
	for i := range r.Models {
		m := &r.Models[i]
		out.Set(m.Name, object(m, r.Metrics, in.LabelNames, drawn[m.Name]))
	}
	return out
}

func object(m *generation.Model, metrics []string, names labels, drawn *Drawn) report.Object {
	var o, skipped report.Object
	if drawn != nil {
		o.Set("draws", drawn.object())
	}
	for _, name := range metrics {
		if i := slices.IndexFunc(m.Skipped, func(s generation.Skipped) bool { return s.Metric == name }); i >= 0 {
			o.Set(name, skippedObject(m.Skipped[i].Reason))
			skipped.Set(name, m.Skipped[i].Reason)
			continue
		}
		l := layoutOf(name)
		part := l.object(m, names)
		part.Set("tier", l.tier)
		part.Set("interpretation", l.interpretation(m))
		o.Set(name, *part)
	}
	o.Set("skipped", skipped)
	return o
}
