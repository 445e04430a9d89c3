// Which way a number is better: by the descriptions of metrics or by flags, before anything is computed.

package validate

import (
	"slices"
	"strings"

	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// Directions are the directions of metrics, by the name of the analysis, a dot and the name of the metric, and by the
// name of the metric where all analyses agree.
type Directions map[string]report.Direction

// The sources of a direction.
const (
	fromDescription = "description"
	fromFlag        = "flag"
	fromNone        = "none"
)

type direction struct {
	direction report.Direction
	from      string
}

// directionsOf collects the metrics of analyses.
func directionsOf(commands []run.Command) Directions {
	d := Directions{}
	for _, c := range commands {
		if c.Metrics == nil {
			continue
		}
		for _, m := range c.Metrics() {
			d[c.Name+"."+m.Name] = m.Better
			if before, ok := d[m.Name]; ok && before != m.Better {
				d[m.Name] = report.Neither
			} else if !ok {
				d[m.Name] = m.Better
			}
		}
	}
	return d
}

// of is the direction of a column: a flag, else the description of the metric with the longest name that ends the
// column's, without rows.
func (d Directions) of(name string, c Columns) direction {
	matches := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return text.Wildcard(p, name) })
	}
	switch {
	case matches(c.Higher):
		return direction{report.Higher, fromFlag}
	case matches(c.Lower):
		return direction{report.Lower, fromFlag}
	}
	path := report.Family(name)
	analysis, rest, more := strings.Cut(path, ".")
	for more && rest != "" {
		if better, ok := d[analysis+"."+rest]; ok {
			return described(better)
		}
		_, rest, more = strings.Cut(rest, ".")
	}
	for rest := path; ; {
		if better, ok := d[rest]; ok {
			return described(better)
		}
		_, after, more := strings.Cut(rest, ".")
		if !more {
			return direction{Unknown, fromNone}
		}
		rest = after
	}
}

func described(better report.Direction) direction {
	if better == report.Neither {
		return direction{Unknown, fromDescription}
	}
	return direction{better, fromDescription}
}
