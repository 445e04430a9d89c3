// Checks of a tensor: its numbers, and its shape in messages.

package statedict

import (
	"fmt"
	"strings"

	"repscope/model/graph"
)

// Free marks a size that the tensor itself determines.
const Free = -1

// CheckFinite finds NaN and infinity among elements of a tensor; values begins at index first in row-major order.
func CheckFinite(key string, shape []int, values []float32, first int) error {
	for i, v := range values {
		if v-v == 0 {
			continue
		}
		what := "NaN"
		if v == v {
			what = "infinity"
		}
		return fmt.Errorf("tensor %q contains %s at %v: the weights are damaged, or training diverged", key, what,
			graph.Position(shape, first+i))
	}
	return nil
}

// ShapeText is a wanted shape for a message; any for free sizes.
func ShapeText(want []int) string {
	parts := make([]string, len(want))
	for i, d := range want {
		if parts[i] = fmt.Sprint(d); d == Free {
			parts[i] = "any"
		}
	}
	return "[" + strings.Join(parts, " ") + "]"
}
