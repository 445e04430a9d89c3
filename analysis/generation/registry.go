// The registry of metrics: which there are, and by which names they are selected.

package generation

import (
	"slices"

	"repscope/internal/option"
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

// Select returns the metrics of names or aliases, in the order of the registry, each once; all for none. An unknown
// name is an error whose text lists the names.
func Select(names []string) ([]string, error) { return option.Select(namedMetrics(), names) }

// Listing names all metrics with their published names, for a help or an error.
func Listing() string { return option.Listing(namedMetrics()) }

func namedMetrics() []option.Named {
	entries := make([]option.Named, len(registry))
	for i, m := range registry {
		entries[i] = option.Named{Name: m.Name, Aliases: m.Aliases}
	}
	return entries
}
