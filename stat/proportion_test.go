// Shares and corrections against scipy; see testdata/README.md.

package stat

import (
	"fmt"
	"math"
	"testing"
)

func TestWilson(t *testing.T) {
	t.Parallel()
	for _, c := range readTests(t).Wilson {
		got, err := Wilson(c[0], c[1], c[2])
		if err != nil {
			t.Fatal(err)
		}
		within(t, fmt.Sprint(c[:3], " low"), got.Low, c[3], 1e-12)
		within(t, fmt.Sprint(c[:3], " high"), got.High, c[4], 1e-12)
	}
	for _, bad := range [][3]float64{{0, 0, 0}, {2, 1, 0}, {-1, 3, 0}, {math.NaN(), 3, 0}, {1, math.Inf(1), 0}, {1, 2, 1}} {
		if v, err := Wilson(bad[0], bad[1], bad[2]); err == nil || v.Defined() {
			t.Errorf("%v: %+v, %v", bad, v, err)
		}
	}
}

func TestMcNemar(t *testing.T) {
	t.Parallel()
	for _, c := range readTests(t).Mcnemar {
		got, err := McNemar(int(c[0]), int(c[1]))
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got-c[2]) > 1e-11*c[2] {
			t.Errorf("%v: got %v", c, got)
		}
	}
	if _, err := McNemar(-1, 3); err == nil {
		t.Error("a negative count is accepted")
	}
}
