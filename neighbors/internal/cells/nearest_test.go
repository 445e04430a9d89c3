// Where approximation begins.

package cells

import (
	"testing"

	"repscope/points"
)

// Approximation begins earlier with longer lists and where a distance is dear.
func TestExactPoints(t *testing.T) {
	row := func(dim int) points.Points { return points.Float32(make([]float32, dim), dim) }
	short, long := exactPoints(row(64), searchWidth(10)), exactPoints(row(64), searchWidth(64))
	deep, bytes := exactPoints(row(4096), searchWidth(10)), exactPoints(points.Uint8(make([]uint8, 4096), 4096), searchWidth(10))
	if !(30000 < long && long < short && short < 100000 && 5000 < deep && deep < bytes && bytes < short) {
		t.Errorf("exact up to %d points with short lists, %d with long ones, %d of 4096 coordinates, %d of bytes", short, long, deep, bytes)
	}
}
