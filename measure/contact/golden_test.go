// The numbers of NumPy and scikit-learn in testdata.

package contact

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"repscope/measure/measuretest"
)

type golden struct {
	Structures []structure
	// Regressions are those of scikit-learn.
	Regressions []struct {
		Penalty      Penalty
		C            float64
		Dim          int
		X            []float32
		Touching     []bool
		Coefficients []float64
		Intercept    float64
	}
}

type structure struct {
	Heavy, Light, Layers, Heads int
	Coordinates                 []*float32
	Attention                   []float32
	Contact                     []int8
	Score                       []float64
	Ranges                      []struct {
		Name            string
		Pairs, Contacts int
		At              []*float64
		AUC             *float64
	}
	Masses []struct {
		Total, First, Cross, Joint, Expected float64
		FirstToSecond                        float64 `json:"first_to_second"`
		ExpectedJoint                        float64 `json:"expected_joint"`
	}
}

func readGolden(t testing.TB) (g golden) {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	must(t, err)
	must(t, json.Unmarshal(data, &g))
	return g
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// length is the number of tokens, with one at each end that is no residue.
func (s *structure) length() int { return s.Heavy + s.Light + 2 }

// keep are the residues.
func (s *structure) keep() []int { return count(1, s.Heavy+s.Light) }

func count(first, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = first + i
	}
	return out
}

func (s *structure) truth(t testing.TB) *Contacts {
	t.Helper()
	xyz := make([]float32, len(s.Coordinates))
	for k, v := range s.Coordinates {
		if xyz[k] = float32(math.NaN()); v != nil {
			xyz[k] = *v
		}
	}
	truth, err := Truth(xyz, Threshold)
	must(t, err)
	truth.Chains = make([]int8, truth.N)
	for i := s.Heavy; i < truth.N; i++ {
		truth.Chains[i] = 1
	}
	return truth
}

func TestGoldenPrecision(t *testing.T) {
	t.Parallel()
	for _, g := range readGolden(t).Structures {
		truth := g.truth(t)
		for k, state := range truth.Pairs {
			if state != g.Contact[k] {
				t.Fatalf("pair %d is %d, want %d", k, state, g.Contact[k])
			}
		}
		last := (g.Layers + 9) / 10
		score, err := Heads(g.Attention[(g.Layers-last)*g.Heads*g.length()*g.length():], last*g.Heads, g.length(), g.keep())
		must(t, err)
		for k, v := range score.Values {
			measuretest.Near(t, "score", v, g.Score[k], 1e-11)
		}
		all, err := Precisions(score, truth, Standard(6))
		must(t, err)
		for k, want := range g.Ranges {
			p := all[k]
			if p.Name != want.Name || p.Pairs != want.Pairs || p.Contacts != want.Contacts {
				t.Errorf("range %s has %d pairs and %d contacts, want %+v", p.Name, p.Pairs, p.Contacts, want)
			}
			for k, at := range want.At {
				measuretest.Near(t, want.Name, p.At(k+1), *at, 1e-15)
			}
			measuretest.Near(t, want.Name+" AUC", p.AUC(), *want.AUC, 1e-15)
		}
	}
}

func TestGoldenCrossing(t *testing.T) {
	t.Parallel()
	for _, g := range readGolden(t).Structures {
		square := g.length() * g.length()
		for h, want := range g.Masses {
			a, err := Crossing(g.Attention[h*square:(h+1)*square], g.length(), count(1, g.Heavy), count(1+g.Heavy, g.Light), Interface)
			must(t, err)
			measuretest.Near(t, "total", a.Total, want.Total, 1e-12)
			measuretest.Near(t, "first", a.First, want.First, 1e-12)
			measuretest.Near(t, "cross", a.Cross(), want.Cross, 1e-12)
			measuretest.Near(t, "first to second", a.FirstToSecond, want.FirstToSecond, 1e-12)
			measuretest.Near(t, "joint", a.Joint, want.Joint, 1e-12)
			measuretest.Near(t, "expected", a.Expected, want.Expected, 1e-12)
			measuretest.Near(t, "expected joint", a.ExpectedJoint, want.ExpectedJoint, 1e-12)
		}
	}
}

func TestGoldenLogistic(t *testing.T) {
	t.Parallel()
	for _, g := range readGolden(t).Regressions {
		p := &Pairs{Heads: g.Dim, X: g.X, Touching: g.Touching, I: make([]int32, len(g.Touching)), J: make([]int32, len(g.Touching))}
		l, err := FitLogistic(context.Background(), []*Pairs{p}, LogisticOptions{Penalty: g.Penalty, C: g.C})
		must(t, err)
		if !l.Converged {
			t.Errorf("%s C=%v did not converge", g.Penalty, g.C)
		}
		for k, want := range g.Coefficients {
			measuretest.Near(t, string(g.Penalty), l.Coefficients[k], want, 1e-9)
			if want == 0 && l.Coefficients[k] != 0 {
				t.Errorf("weight %d is %v, want none", k, l.Coefficients[k])
			}
		}
		measuretest.Near(t, "intercept", l.Intercept, g.Intercept, 1e-9)
	}
}
