// Published pairs of colors, and what scikit-image says of others.

package color

import (
	"math"
	"math/rand/v2"
	"testing"
)

// sharma is table 1 of Sharma, Wu & Dalal (2005): pairs on which wrong implementations
// differ, with their differences to four decimals.
var sharma = []struct {
	a, b Lab
	want float64
}{
	{Lab{50.0000, 2.6772, -79.7751}, Lab{50.0000, 0.0000, -82.7485}, 2.0425},
	{Lab{50.0000, 3.1571, -77.2803}, Lab{50.0000, 0.0000, -82.7485}, 2.8615},
	{Lab{50.0000, 2.8361, -74.0200}, Lab{50.0000, 0.0000, -82.7485}, 3.4412},
	{Lab{50.0000, -1.3802, -84.2814}, Lab{50.0000, 0.0000, -82.7485}, 1.0000},
	{Lab{50.0000, -1.1848, -84.8006}, Lab{50.0000, 0.0000, -82.7485}, 1.0000},
	{Lab{50.0000, -0.9009, -85.5211}, Lab{50.0000, 0.0000, -82.7485}, 1.0000},
	{Lab{50.0000, 0.0000, 0.0000}, Lab{50.0000, -1.0000, 2.0000}, 2.3669},
	{Lab{50.0000, -1.0000, 2.0000}, Lab{50.0000, 0.0000, 0.0000}, 2.3669},
	{Lab{50.0000, 2.4900, -0.0010}, Lab{50.0000, -2.4900, 0.0009}, 7.1792},
	{Lab{50.0000, 2.4900, -0.0010}, Lab{50.0000, -2.4900, 0.0010}, 7.1792},
	{Lab{50.0000, 2.4900, -0.0010}, Lab{50.0000, -2.4900, 0.0011}, 7.2195},
	{Lab{50.0000, 2.4900, -0.0010}, Lab{50.0000, -2.4900, 0.0012}, 7.2195},
	{Lab{50.0000, -0.0010, 2.4900}, Lab{50.0000, 0.0009, -2.4900}, 4.8045},
	{Lab{50.0000, -0.0010, 2.4900}, Lab{50.0000, 0.0010, -2.4900}, 4.8045},
	{Lab{50.0000, -0.0010, 2.4900}, Lab{50.0000, 0.0011, -2.4900}, 4.7461},
	{Lab{50.0000, 2.5000, 0.0000}, Lab{50.0000, 0.0000, -2.5000}, 4.3065},
	{Lab{50.0000, 2.5000, 0.0000}, Lab{73.0000, 25.0000, -18.0000}, 27.1492},
	{Lab{50.0000, 2.5000, 0.0000}, Lab{61.0000, -5.0000, 29.0000}, 22.8977},
	{Lab{50.0000, 2.5000, 0.0000}, Lab{56.0000, -27.0000, -3.0000}, 31.9030},
	{Lab{50.0000, 2.5000, 0.0000}, Lab{58.0000, 24.0000, 15.0000}, 19.4535},
	{Lab{50.0000, 2.5000, 0.0000}, Lab{50.0000, 3.1736, 0.5854}, 1.0000},
	{Lab{50.0000, 2.5000, 0.0000}, Lab{50.0000, 3.2972, 0.0000}, 1.0000},
	{Lab{50.0000, 2.5000, 0.0000}, Lab{50.0000, 1.8634, 0.5757}, 1.0000},
	{Lab{50.0000, 2.5000, 0.0000}, Lab{50.0000, 3.2592, 0.3350}, 1.0000},
	{Lab{60.2574, -34.0099, 36.2677}, Lab{60.4626, -34.1751, 39.4387}, 1.2644},
	{Lab{63.0109, -31.0961, -5.8663}, Lab{62.8187, -29.7946, -4.0864}, 1.2630},
	{Lab{61.2901, 3.7196, -5.3901}, Lab{61.4292, 2.2480, -4.9620}, 1.8731},
	{Lab{35.0831, -44.1164, 3.7933}, Lab{35.0232, -40.0716, 1.5901}, 1.8645},
	{Lab{22.7233, 20.0904, -46.6940}, Lab{23.0331, 14.9730, -42.5619}, 2.0373},
	{Lab{36.4612, 47.8580, 18.3852}, Lab{36.2715, 50.5065, 21.2231}, 1.4146},
	{Lab{90.8027, -2.0831, 1.4410}, Lab{91.1528, -1.6435, 0.0447}, 1.4441},
	{Lab{90.9257, -0.5406, -0.9208}, Lab{88.6381, -0.8985, -0.7239}, 1.5381},
	{Lab{6.7747, -0.2908, -2.4247}, Lab{5.8714, -0.0985, -2.2286}, 0.6377},
	{Lab{2.0776, 0.0795, -1.1350}, Lab{0.9033, -0.0636, -0.5514}, 0.9082},
}

func TestCIEDE2000(t *testing.T) {
	t.Parallel()
	if len(sharma) != 34 {
		t.Fatalf("%d pairs, want 34", len(sharma))
	}
	for i, c := range sharma {
		for _, got := range []float64{CIEDE2000(c.a, c.b), CIEDE2000(c.b, c.a)} {
			near(t, "pair", got, c.want, 0.00005+1e-9)
			if t.Failed() {
				t.Fatalf("pair %d: %v and %v", i+1, c.a, c.b)
			}
		}
	}
	for _, c := range readGolden(t).Pairs {
		near(t, "difference", CIEDE2000(c.A.lab(), c.B.lab()), c.Difference, 1e-10)
	}
}

// TestCIEDE2000Properties: no color differs from itself, the order of two makes no
// difference, grays differ by lightness alone, and what is not finite has no difference.
func TestCIEDE2000Properties(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func() Lab { return Lab{100 * rng.Float64(), 60 * rng.NormFloat64(), 60 * rng.NormFloat64()} }
	for range 2000 {
		a, b := draw(), draw()
		if rng.IntN(4) == 0 {
			b = Lab{a.L, -a.A, -a.B} // opposite hues
		}
		d, back := CIEDE2000(a, b), CIEDE2000(b, a)
		if !(d > 0) || math.Abs(d-back) > 1e-12*d || CIEDE2000(a, a) != 0 {
			t.Fatalf("%v and %v: %v, in the other order %v, with itself %v", a, b, d, back, CIEDE2000(a, a))
		}
	}
	near(t, "black and white", CIEDE2000(Lab{}, Lab{L: 100}), 100, 1e-12)
	if d, signed := CIEDE2000(Lab{L: 40}, Lab{50, 3, 4}), CIEDE2000(Lab{40, math.Copysign(0, -1), 0}, Lab{50, 3, 4}); d != signed {
		t.Errorf("from a gray %v, from one with −0 %v", d, signed)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, c := range []Lab{{L: v}, {L: 50, A: v}, {L: 50, B: v}} {
			if d := CIEDE2000(c, Lab{50, 10, 10}); !math.IsNaN(d) {
				t.Errorf("%v: difference %v, want NaN", c, d)
			}
		}
	}
}

func TestLab(t *testing.T) {
	t.Parallel()
	for _, c := range readGolden(t).Colors {
		got, want, other := c.RGB.srgb().Lab(), c.Lab.lab(), c.Skimage.lab()
		for _, v := range [][3]float64{{got.L, want.L, other.L}, {got.A, want.A, other.A}, {got.B, want.B, other.B}} {
			near(t, "coordinate", v[0], v[1], 1e-12)
			near(t, "coordinate beside scikit-image", v[0], v[2], 0.02)
		}
	}
	for i := range 256 {
		gray := FromBytes(uint8(i), uint8(i), uint8(i)).Lab()
		if gray.A != 0 || gray.B != 0 || gray.L < 0 || gray.L > 100 {
			t.Errorf("gray %d: %v", i, gray)
		}
	}
	if white := FromBytes(255, 255, 255).Lab(); white != (Lab{L: 100}) {
		t.Errorf("white: %v", white)
	}
	if black := FromBytes(0, 0, 0).Lab(); black != (Lab{}) {
		t.Errorf("black: %v", black)
	}
}

func BenchmarkCIEDE2000(b *testing.B) {
	x, y := FromBytes(20, 90, 200), FromBytes(30, 80, 210)
	for b.Loop() {
		CIEDE2000(x.Lab(), y.Lab())
	}
}
