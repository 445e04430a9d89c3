// The registry of metrics: which there are, and by which names they are selected.

package generation

import (
	"fmt"
	"slices"
	"strings"
)

// registry holds the metrics in the order in which they are computed and shown.
var registry = []*Metric{&reconstructionMetric, &diversityMetric, &similarityMetric, &clustersMetric,
	&conditioningMetric, &fidelityMetric}

// Registry holds all metrics, in the order in which they are computed and shown.
func Registry() []*Metric { return slices.Clone(registry) }

// Metrics are the names of all metrics, in the order of the registry.
func Metrics() []string {
	names := make([]string, len(registry))
	for i, m := range registry {
		names[i] = m.Name
	}
	return names
}

// Find is the metric of a name or an alias; nil where there is none.
func Find(name string) *Metric {
	i := slices.IndexFunc(registry, func(m *Metric) bool { return m.Name == name || slices.Contains(m.Aliases, name) })
	if i < 0 {
		return nil
	}
	return registry[i]
}

// Select returns the metrics of the names or aliases given, in the order of the registry,
// each once; all for none. An unknown name is an error whose text lists the names.
func Select(names []string) ([]string, error) {
	if len(names) == 0 {
		return Metrics(), nil
	}
	wanted := map[string]bool{}
	for _, name := range names {
		m := Find(name)
		if m == nil {
			return nil, fmt.Errorf("unknown metric %q; the metrics are %s", name, Listing())
		}
		wanted[m.Name] = true
	}
	return slices.DeleteFunc(Metrics(), func(name string) bool { return !wanted[name] }), nil
}

// Listing names all metrics with their published names, for a help or an error.
func Listing() string {
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
