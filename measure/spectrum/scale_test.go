// Points in their units: raw, of unit length, in units of the RMS distance.

package spectrum

import (
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
)

func TestScaled(t *testing.T) {
	t.Parallel()
	z := points.Float64([]float64{3, 4, 0, 0, -5, 12}, 2)
	raw, err := Scaled(z, ScaleRaw)
	if err != nil || &raw.F64[0] != &z.F64[0] {
		t.Errorf("raw points are not those given: %v", err)
	}
	unit, err := Scaled(z, ScaleL2)
	if err != nil || !slices.Equal(unit.F64, []float64{0.6, 0.8, 0, 0, -5.0 / 13, 12.0 / 13}) {
		t.Errorf("unit points %v, %v", unit.F64, err)
	}
	rms, err := Scaled(z, ScaleRMS)
	if err != nil {
		t.Fatal(err)
	}
	// Squared distances 25, 169 and 128 of three pairs; a random pair of different
	// points has their mean, which is 2·tr C.
	of, err := RMSDistance(z)
	if err != nil {
		t.Fatal(err)
	}
	measuretest.Near(t, "RMS distance", of, math.Sqrt((25.0+169+128)/3), 1e-15)
	measuretest.Near(t, "scaled", rms.F64[5], 12/of, 1e-15)
	if after, err := RMSDistance(rms); err != nil || math.Abs(after-1) > 1e-15 {
		t.Errorf("RMS distance of scaled points %v, %v", after, err)
	}
	if _, err := Scaled(points.Float64([]float64{2, 2}, 1), ScaleRMS); err == nil || !strings.Contains(err.Error(), "constant") {
		t.Errorf("constant points: %v", err)
	}
	if _, err := Scaled(z, "sd"); err == nil || !strings.Contains(err.Error(), "want raw, l2 or rms") {
		t.Errorf("unknown scale: %v", err)
	}
}
