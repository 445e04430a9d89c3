// Power against quadrature in high precision and scipy; see testdata/README.md.

package stat

import (
	"fmt"
	"math"
	"testing"
)

func TestTTestPower(t *testing.T) {
	t.Parallel()
	for _, c := range readTests(t).Power {
		within(t, fmt.Sprint(c[:3]), tTestPower(c[0], c[1], c[2]), c[3], 1e-9)
	}
	for _, bad := range [][2]float64{{1, 0}, {math.NaN(), 3}, {math.Inf(1), 3}} {
		if got := tTestPower(bad[0], bad[1], 0.05); !math.IsNaN(got) {
			t.Errorf("%v: %v", bad, got)
		}
	}
}

func TestMinimumDetectableEffect(t *testing.T) {
	t.Parallel()
	for _, df := range []float64{2, 7.5, 30} {
		got, err := MinimumDetectableEffect(0.2, df, PowerOptions{Power: 0.9, Alpha: 0.01})
		if err != nil {
			t.Fatal(err)
		}
		within(t, fmt.Sprint("power at the effect for ", df), tTestPower(got/0.2, df, 0.01), 0.9, 1e-9)
	}
	for _, bad := range []struct {
		stdError, df float64
		o            PowerOptions
	}{{0, 5, PowerOptions{}}, {1, 0, PowerOptions{}}, {1, 5, PowerOptions{Power: 0.01}}, {1, 5, PowerOptions{Alpha: 2}}, {math.NaN(), 5, PowerOptions{}}} {
		if _, err := MinimumDetectableEffect(bad.stdError, bad.df, bad.o); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestBlocksNeeded(t *testing.T) {
	t.Parallel()
	for _, c := range readTests(t).Needed {
		got, err := BlocksNeeded(-3*c[0], 3, PowerOptions{Power: c[1]})
		if err != nil || got != int(c[2]) {
			t.Errorf("%v: %d blocks, %v", c, got, err)
		}
	}
	if got, err := BlocksNeeded(50, 1, PowerOptions{}); err != nil || got != 2 {
		t.Errorf("a huge difference needs %d blocks, %v", got, err)
	}
	for _, bad := range [][2]float64{{0, 1}, {1, 0}, {1e-9, 1}, {math.NaN(), 1}} {
		if got, err := BlocksNeeded(bad[0], bad[1], PowerOptions{}); err == nil {
			t.Errorf("%v: %d blocks", bad, got)
		}
	}
}
