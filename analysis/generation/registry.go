// The registry of metrics: the one place that says which there are, what they need and how
// they are read. Flags, help, errors, tables and plans follow from it.

package generation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repscope/internal/run"
	"repscope/report"
)

// Tier says how far a metric may be relied on when generators are chosen by it.
type Tier string

// The tiers.
const (
	High   Tier = "high"
	Medium Tier = "medium"
	Low    Tier = "low"
)

// Need is an input that a metric cannot do without.
type Need struct {
	flag string // that gives it; NAME stands for the generator
	has  func(in *Input, g *Generator) bool
}

// The inputs that metrics need.
var (
	needReconstruction = Need{"--reconstruction NAME=FILE", func(_ *Input, g *Generator) bool { return g.Reconstruction != nil }}
	needGenerated      = Need{"--generated NAME=FILE", func(_ *Input, g *Generator) bool { return g.Generated != nil }}
	needLatents        = Need{"--latents NAME=FILE", func(_ *Input, g *Generator) bool { return g.Latents != nil }}
	needReference      = Need{"--generated NAME=FILE and --real FILE", func(in *Input, g *Generator) bool { return g.Generated != nil && in.Real != nil }}
	needPredictions    = Need{"--predictions NAME=FILE or --classifier FILE.onnx", func(_ *Input,
		g *Generator) bool {
		return g.Predictions != nil
	}}
)

// Metric is a row of the registry.
type Metric struct {
	Name    string
	Aliases []string // published names
	Tier    Tier
	Summary string // for the help: what it measures
	Target  string // published, such as "IoU > 0.7"
	Needs   []Need

	// compute sets the metric's field of m, or returns a skipped error with the reason why
	// there is nothing to set.
	compute func(ctx context.Context, a *analyzer, g *Generator, m *Model) error
	// object is the metric's part of the result file; nil where it was not computed. The
	// keys interpretation and tier are added to it.
	object func(m *Model, labels labels) *report.Object
	// interpretation is one sentence: direction, the range that can be reached on these
	// data, the published target.
	interpretation func(m *Model) string
	// estimates are the numbers by which generators are compared, and the scores of
	// samples; nil: none.
	estimates func(m *Model) []Estimate
	// scores are per-sample scores whose mean is a number of the result; nil: none.
	scores func(m *Model) []Scores
	// tables go to the console, a row for each generator or label; nil: none.
	tables func(r *Result) []*report.Table
	// csv writes a file <name>, a row for each generator and label; nil: none.
	csv *csvFile
	// describe enters directions and units; nil: none.
	describe []described
}

// csvFile is a CSV file of a metric.
type csvFile struct {
	name    string
	columns []string
	rows    func(m *Model, labels labels, row func(cells ...any) error) error
}

// described are numbers and the direction in which they are better.
type described struct {
	direction report.Direction
	unit      string
	names     []string
}

// registry holds the metrics in the order in which they are computed and shown.
var registry []*Metric

func init() {
	registry = []*Metric{&reconstructionMetric, &diversityMetric, &similarityMetric, &clustersMetric, &conditioningMetric, &fidelityMetric}
	Command.Manual = fmt.Sprintf(manual, metricHelp())
}

// metricHelp is a paragraph for every metric.
func metricHelp() string {
	var b strings.Builder
	for _, m := range registry {
		var flags []string
		for _, need := range m.Needs {
			flags = append(flags, need.flag)
		}
		fmt.Fprintf(&b, "  %-15s %s;\n%18stier %s, needs %s", m.Name, m.Summary, "", m.Tier, strings.Join(flags, " and "))
		if m.Target != "" {
			fmt.Fprintf(&b, "; published target %s", m.Target)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Metrics are the names of all metrics, in the order of the registry.
func Metrics() []string {
	names := make([]string, len(registry))
	for i, m := range registry {
		names[i] = m.Name
	}
	return names
}

// metricNames are all names that --metrics takes.
func metricNames() []string {
	var names []string
	for _, m := range registry {
		names = append(names, m.Name)
	}
	for _, m := range registry {
		names = append(names, m.Aliases...)
	}
	return names
}

// find is the metric of a name or an alias; nil where there is none.
func find(name string) *Metric {
	i := slices.IndexFunc(registry, func(m *Metric) bool { return m.Name == name || slices.Contains(m.Aliases, name) })
	if i < 0 {
		return nil
	}
	return registry[i]
}

// Select returns the metrics of the names or aliases given, in the order of the registry,
// each once; all for none. An unknown name is wrong usage whose text lists the names.
func Select(names []string) ([]string, error) {
	if len(names) == 0 {
		return Metrics(), nil
	}
	wanted := map[string]bool{}
	for _, name := range names {
		m := find(name)
		if m == nil {
			return nil, run.Hint(run.Usage("there is no metric %q; the metrics are %s", name, listing()), run.DidYouMean("", name, metricNames()))
		}
		wanted[m.Name] = true
	}
	return slices.DeleteFunc(Metrics(), func(name string) bool { return !wanted[name] }), nil
}

// listing names all metrics with their published names.
func listing() string {
	var parts []string
	for _, m := range registry {
		text := m.Name
		if len(m.Aliases) > 0 {
			text += " (" + strings.Join(m.Aliases, ", ") + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// needs begins the reason of a metric whose input is not given.
const needs = "it needs "

// missing says which inputs a metric lacks; empty if it has all.
func (m *Metric) missing(in *Input, g *Generator) string {
	var flags []string
	for _, need := range m.Needs {
		if !need.has(in, g) {
			flags = append(flags, need.flag)
		}
	}
	if len(flags) == 0 {
		return ""
	}
	return needs + strings.ReplaceAll(strings.Join(flags, " and "), "NAME", g.Name)
}

// skipped is why a metric is not computed, as an error.
type skipped struct{ reason string }

func (s *skipped) Error() string { return s.reason }

// skip is an error that leaves a metric out, with its reason.
func skip(format string, args ...any) error { return &skipped{fmt.Sprintf(format, args...)} }

// skippedObject stands in the place of a metric that was not computed.
func skippedObject(reason string) report.Object {
	var o report.Object
	o.Set("skipped", true)
	o.Set("reason", reason)
	return o
}

// object is the generator's part of the result file.
func (m *Model) object(metrics []string, names labels) report.Object {
	var o, left report.Object
	if m.Drawn != nil {
		o.Set("draws", m.Drawn.object())
	}
	for _, name := range metrics {
		row := find(name)
		i := slices.IndexFunc(m.Skipped, func(s Skipped) bool { return s.Metric == name })
		if i >= 0 {
			o.Set(name, skippedObject(m.Skipped[i].Reason))
			left.Set(name, m.Skipped[i].Reason)
			continue
		}
		part := row.object(m, names)
		part.Set("tier", string(row.Tier))
		if row.interpretation != nil {
			part.Set("interpretation", row.interpretation(m))
		}
		o.Set(name, *part)
	}
	o.Set("skipped", left)
	return o
}
