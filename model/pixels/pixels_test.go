// What the checks let through and what they do not.

package pixels

import (
	"math"
	"testing"
)

func TestLevelsCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values, plane, state int
		good                 bool
	}{
		{256, 12, 12, true}, {256, 4, 12, true}, {768, 4, 12, true}, {768, 2, 12, true},
		{0, 12, 12, false}, {255, 12, 12, false}, {256, 0, 12, false}, {256, 5, 12, false}, {768, 12, 12, false},
		{256, math.MaxInt32 + 1, math.MaxInt32 + 1, false},
	} {
		if err := (Levels{make([]float32, c.values), c.plane}).Check(c.state); (err == nil) != c.good {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestNoiseCheck(t *testing.T) {
	t.Parallel()
	good := Noise{Kind: Brightness, Clip: ClipReflect, Low: -1, High: 1, Level: 0.5}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for _, change := range []func(n *Noise){
		func(n *Noise) { n.Kind = 3 }, func(n *Noise) { n.Kind = -1 }, func(n *Noise) { n.Clip = 3 }, func(n *Noise) { n.Clip = -1 },
		func(n *Noise) { n.High = n.Low }, func(n *Noise) { n.Low = float32(math.NaN()) },
		func(n *Noise) { n.Level = -0.1 }, func(n *Noise) { n.Level = math.NaN() },
	} {
		bad := good
		change(&bad)
		if err := bad.Check(); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

func TestScalingCheck(t *testing.T) {
	t.Parallel()
	one, two := []float32{1}, []float32{1, 1}
	for _, s := range []Scaling{{}, {Mean: one, Std: one, Plane: 12}, {Mean: two, Std: two, Plane: 6}, {Mean: two, Std: two, Plane: 3}} {
		if err := s.Check(12); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for _, s := range []Scaling{{Mean: one}, {Mean: one, Std: one}, {Mean: two, Std: one, Plane: 6}, {Mean: two, Std: two, Plane: 12}} {
		if err := s.Check(12); err == nil {
			t.Errorf("%+v is taken", s)
		}
	}
}
