// The metrics that distances are measured in.

package rows

import (
	"fmt"
	"math"
)

// Metric is the measure of the distance of two points.
type Metric uint8

const (
	// Euclidean is the L2 distance ‖x−y‖.
	Euclidean Metric = iota
	// Cosine is 1 − x·y/(‖x‖‖y‖), in [0, 2]; a point of norm zero is an error.
	Cosine
	// Precomputed means that the points are a matrix of distances: float32 or float64 [n, n], row i holding the distances
	// from point i. They must be finite, not negative and symmetric up to a rounding of 1e-4 relative. Rows are used
	// unchanged; the diagonal is ignored.
	Precomputed
)

// String returns the metric's name as it is written on the command line.
func (m Metric) String() string {
	switch m {
	case Euclidean:
		return "euclidean"
	case Cosine:
		return "cosine"
	case Precomputed:
		return "precomputed"
	}
	return fmt.Sprintf("Metric(%d)", uint8(m))
}

// ParseMetric returns the metric of that name, "euclidean", "cosine" or "precomputed".
func ParseMetric(name string) (Metric, error) {
	for _, m := range []Metric{Euclidean, Cosine, Precomputed} {
		if m.String() == name {
			return m, nil
		}
	}
	return 0, fmt.Errorf("metric %q: want euclidean, cosine or precomputed", name)
}

// Distance turns a key into the distance.
func (m Metric) Distance(key float64) float64 {
	if m != Euclidean {
		return key
	}
	return math.Sqrt(key)
}
