// This file is for what a metric is: which way it is better, its unit and its range.

package report

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Direction says which values of a metric are better.
type Direction string

// The directions of metrics.
const (
	Higher  Direction = "higher" // more is better
	Lower   Direction = "lower"  // less is better
	Neither Direction = "none"   // neither is, as of a dimension
)

// Arrow is ↑ where higher values are better, ↓ where lower ones are, and empty for neither.
func (d Direction) Arrow() string {
	switch d {
	case Higher:
		return "↑"
	case Lower:
		return "↓"
	}
	return ""
}

// Metric describes a number that a result holds for every model. It stands under the
// metric's name in "metrics" of the result file.
type Metric struct {
	Direction Direction `json:"direction"`
	Unit      string    `json:"unit,omitempty"`
	// Range are the limits of its values, where there are any.
	Range *Limits `json:"range,omitempty"`
	// Headline says that it is one of the few numbers that stand for the analysis.
	Headline bool `json:"headline,omitempty"`
}

// Described is a metric of an analysis under its name: the path of [Object.Number] without its rows
// (by_k.trustworthiness), or the end of one (mse describes probes.mse too).
type Described struct {
	Name      string
	Better    Direction
	Unit      string
	Low, High float64 // its range; infinite ends are none, and two zeros no range
	Headline  bool    // one of the few that stand for the analysis
	About     string  // what it measures, in a line without a full stop
	Cite      string  // keys of references, separated by spaces
}

// Metric is what a result file says of it.
func (d *Described) Metric() Metric {
	m := Metric{Direction: d.Better, Unit: d.Unit, Headline: d.Headline}
	if d.Low < d.High && !(math.IsInf(d.Low, 0) && math.IsInf(d.High, 0)) {
		m.Range = &Limits{d.Low, d.High}
	}
	return m
}

// Limits are the least and the largest value that a metric can have; infinite ones are none.
type Limits struct{ Low, High float64 }

// MarshalJSON writes [low, high], with null for a missing limit.
func (l Limits) MarshalJSON() ([]byte, error) {
	var ends [2]*float64
	for i, v := range []float64{l.Low, l.High} {
		if !math.IsInf(v, 0) {
			ends[i] = &v
		}
	}
	return json.Marshal(ends)
}

// limitsOf are limits as they were read; nil for anything else.
func limitsOf(v any) *Limits {
	list, _ := v.([]any)
	if len(list) != 2 {
		return nil
	}
	ends := [2]float64{math.Inf(-1), math.Inf(1)}
	for i, item := range list {
		if n, ok := item.(json.Number); ok {
			if f, err := n.Float64(); err == nil {
				ends[i] = f
			}
		}
	}
	return &Limits{ends[0], ends[1]}
}

// Headlines returns the indices of at most n paths whose numbers represent an analysis. For each metric named by
// headline, in the order of the paths, it takes the middle row, or the first row if rows are named by text. Without a
// headline, single numbers come before numbers that depend on a parameter.
func Headlines(paths []string, headline func(path string) bool, limit int) []int {
	var families []string
	members := map[string][]int{}
	add := func(named bool) {
		for i, path := range paths {
			f := Family(path)
			if named && !headline(path) {
				continue
			}
			if members[f] == nil {
				families = append(families, f)
			}
			members[f] = append(members[f], i)
		}
	}
	if add(true); len(families) == 0 {
		add(false)
		slices.SortStableFunc(families, func(a, b string) int { return min(len(members[a]), 2) - min(len(members[b]), 2) })
	}
	var chosen []int
	for _, f := range families[:min(limit, len(families))] {
		family := members[f]
		if place := len(family) / 2; SplitPath(paths[family[place]]).Parametric {
			chosen = append(chosen, family[place])
		} else {
			chosen = append(chosen, family[0])
		}
	}
	slices.Sort(chosen)
	return chosen
}

// Describe enters what metrics are, in their order.
func (r *Result) Describe(metrics ...Described) {
	for i := range metrics {
		r.Metrics.Set(metrics[i].Name, metrics[i].Metric())
	}
}

// Headline reports whether the metric at a path represents its analysis.
func (r *Result) Headline(path string) bool {
	m, _ := r.MetricOf(path)
	return m.Headline
}

// MetricOf returns the metric at a path of [Object.Number], by the longest end of
// the path without its rows that the result describes; ok is false of others.
func (r *Result) MetricOf(path string) (m Metric, ok bool) {
	for name := Family(path); ; {
		if v, known := r.Metrics.Get(name); known {
			return metricOf(v)
		}
		_, rest, more := strings.Cut(name, ".")
		if !more {
			return Metric{}, false
		}
		name = rest
	}
}

// metricOf is a metric as it was entered or read; ok is false of anything else.
func metricOf(v any) (Metric, bool) {
	switch v := v.(type) {
	case Metric:
		return v, true
	case Object:
		direction, _ := v.values["direction"].(string)
		unit, _ := v.values["unit"].(string)
		headline, _ := v.values["headline"].(bool)
		m := Metric{Direction: Direction(direction), Unit: unit, Range: limitsOf(v.values["range"]), Headline: headline}
		return m, m.Direction.valid()
	}
	return Metric{}, false
}

func (d Direction) valid() bool { return d == Higher || d == Lower || d == Neither }

// Family is a path of [Object.Number] without its rows: by_k.trustworthiness of
// by_k[k=10].trustworthiness. All of them are one metric, asked for several times.
func Family(path string) string {
	if !strings.Contains(path, "[") {
		return path
	}
	var b strings.Builder
	for path != "" {
		before, rest, ok := strings.Cut(path, "[")
		b.WriteString(before)
		if !ok {
			break
		}
		_, path, _ = strings.Cut(rest, "]")
	}
	return b.String()
}

// Row is the step of a path to the row of a list whose member key is a number:
// "[k=10]".
func Row(key string, v float64) string {
	return "[" + key + "=" + strconv.FormatFloat(v, jsonFormat(v), -1, 64) + "]"
}

// checkMetrics finds metrics that say no direction.
func (p *parser) checkMetrics(m members) error {
	for i, key := range m.keys {
		place := ".metrics." + key
		part, ok := m.items[i].value.(members)
		if !ok {
			return p.wrong(m.items[i], place, "an object")
		}
		if _, ok := metricOf(part.object()); !ok {
			for k, name := range part.keys {
				if name == "direction" {
					return p.wrong(part.items[k], place+".direction", "one of higher, lower, none")
				}
			}
			return p.errorf(m.items[i].offset, place, "it has no direction")
		}
	}
	return nil
}
