// The closed form is compared with the integral; the bound of Ville with independent p values.

package conformal

import (
	"math"
	"math/rand/v2"
	"testing"
)

// integral is ln ∫₀¹ κⁿ e^((1−κ)a) dκ by Simpson's rule around the maximum.
func integral(n int, a float64) float64 {
	log := func(k float64) float64 { return float64(n)*math.Log(k) + (1-k)*a }
	peak := 1.0
	if a > float64(n) {
		peak = float64(n) / a
	}
	if peak == 0 {
		peak = 1e-9
	}
	const steps = 200_000
	sum := 0.0
	for i := range steps + 1 {
		weight := 2.0 + 2*float64(i%2)
		if i == 0 || i == steps {
			weight = 1
		}
		if k := float64(i) / steps; k > 0 || n == 0 {
			sum += weight * math.Exp(log(max(k, 1e-300))-log(peak))
		}
	}
	return math.Log(sum/(3*steps)) + log(peak)
}

func TestMartingale_Integral(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 10, 100, 3000} {
		for _, mean := range []float64{0, 1e-6, 0.1, 0.5, 0.98, 1, 1.02, 3, 20} {
			m := Martingale{n: n, sum: mean * float64(n)}
			if got, want := m.log(), integral(n, m.sum); math.Abs(got-want) > 1e-7*max(1, math.Abs(want)) {
				t.Errorf("n %d, −Σ ln p %v: ln M = %v, want %v", n, m.sum, got, want)
			}
		}
	}
}

// One bet of p: ∫ κ p^(κ−1) dκ = (p ln p − p + 1)/(p ln² p), of Vovk, Nouretdinov & Gammerman 2003.
func TestMartingale_OneStep(t *testing.T) {
	t.Parallel()
	for _, p := range []float64{1e-300, 1e-8, 0.01, 0.3, 0.9, 0.999} {
		var m Martingale
		got, err := m.Update(p)
		l := math.Log(p)
		want := math.Log((p*l-p+1)/(l*l)) - l
		if err != nil || math.Abs(got-want) > 1e-6 {
			t.Errorf("p %v: ln M = %v (%v), want %v", p, got, err, want)
		}
	}
	var m Martingale
	if got, err := m.Update(1); err != nil || math.Abs(got-math.Log(0.5)) > 1e-12 {
		t.Errorf("p 1: %v (%v), want ln ½", got, err)
	}
}

func TestMartingale_Extremes(t *testing.T) {
	t.Parallel()
	for _, p := range []float64{0, -1, 1.5, math.NaN(), math.Inf(1)} {
		if _, err := new(Martingale).Update(p); err == nil {
			t.Errorf("p %v is taken", p)
		}
	}
	for _, p := range []float64{5e-324, 1} {
		var m Martingale
		for range 100_000 {
			if v, err := m.Update(p); err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("p %v: ln M = %v (%v)", p, v, err)
			}
		}
	}
}

// Independent uniform p values reach 20 with probability 5 % at most.
func TestMartingale_Ville(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	const draws = 2000
	reached := 0
	for range draws {
		var m Martingale
		for range 300 {
			v, err := m.Update(1 - r.Float64())
			if err != nil {
				t.Fatal(err)
			}
			if v >= math.Log(20) {
				reached++
				break
			}
		}
	}
	if share := float64(reached) / draws; share > 0.05 {
		t.Errorf("%.3f of the martingales reach 20, want at most 0.05", share)
	}
}
