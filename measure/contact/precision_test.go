// Properties of precision, and what it refuses.

package contact

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/measure/measuretest"
)

// TestPrecisionOfTruth: the truth itself is precise as far as there are contacts.
func TestPrecisionOfTruth(t *testing.T) {
	t.Parallel()
	g := readGolden(t).Structures[1]
	truth := g.truth(t)
	s := &Scores{N: truth.N, Values: make([]float64, len(truth.Pairs))}
	for k, state := range truth.Pairs {
		s.Values[k] = float64(state)
	}
	all, err := Precisions(s, truth, Standard(6))
	must(t, err)
	for _, p := range all {
		for k := range Steps {
			measuretest.Near(t, p.Name, p.At(k+1), min(1, float64(p.Contacts)/float64(p.Depth[k])), 1e-15)
		}
	}
}

// TestPrecisionOfTies: pairs of equal scores count as the mean over their orders, and those that all have
// one score as chance.
func TestPrecisionOfTies(t *testing.T) {
	t.Parallel()
	g := readGolden(t).Structures[0]
	truth := g.truth(t)
	r := rand.New(rand.NewPCG(3, 4))
	constant := &Scores{N: truth.N, Values: make([]float64, truth.N*truth.N)}
	all, err := Precisions(constant, truth, Standard(6))
	must(t, err)
	for _, p := range all {
		measuretest.Near(t, p.Name, p.At(Steps), p.Chance(), 1e-14)
	}
	coarse := &Scores{N: truth.N, Values: make([]float64, truth.N*truth.N)}
	for k := range coarse.Values {
		coarse.Values[k] = float64(r.IntN(4))
	}
	want, err := Precisions(coarse, truth, Standard(6)[:1])
	must(t, err)
	const draws = 4000
	sum := 0.0
	for range draws {
		broken := &Scores{N: truth.N, Values: make([]float64, truth.N*truth.N)}
		for k, v := range coarse.Values {
			broken.Values[k] = v + 0.5*r.Float64()
		}
		p, err := Precisions(broken, truth, Standard(6)[:1])
		must(t, err)
		sum += p[0].At(Steps)
	}
	measuretest.Near(t, "mean over orders", sum/draws, want[0].At(Steps), 5*0.5/math.Sqrt(draws*30))
}

// TestPrecisionBySorting: the counts of the definition, for scores of any sign and size with ties, zeros of both
// signs and infinities.
func TestPrecisionBySorting(t *testing.T) {
	t.Parallel()
	truth := readGolden(t).Structures[1].truth(t)
	r := rand.New(rand.NewPCG(7, 8))
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 1, -1, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64}
	for trial := range 20 {
		s := &Scores{N: truth.N, Values: make([]float64, truth.N*truth.N)}
		for k := range s.Values {
			s.Values[k] = r.NormFloat64() * math.Exp(20*r.NormFloat64())
			if r.IntN(20) < trial {
				s.Values[k] = special[r.IntN(len(special))]
			}
		}
		all, err := Precisions(s, truth, Standard(6))
		must(t, err)
		for _, p := range all {
			type scored struct{ score, touching float64 }
			var pairs []scored
			contacts := 0.0
			for i := range s.N {
				for j := i + 1; j < s.N; j++ {
					if state := truth.Pairs[i*s.N+j]; state != Unknown && p.has(j-i, truth.chain(i) == truth.chain(j)) {
						pairs = append(pairs, scored{s.Values[i*s.N+j], 0})
						if state == Touching {
							pairs[len(pairs)-1].touching = 1
							contacts++
						}
					}
				}
			}
			slices.SortFunc(pairs, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
			if p.Pairs != len(pairs) || float64(p.Contacts) != contacts {
				t.Fatalf("%s: %d pairs with %d contacts, want %d with %v", p.Name, p.Pairs, p.Contacts, len(pairs), contacts)
			}
			for k := range p.Depth {
				want := 0.0
				for first := 0; len(pairs) > 0 && first < p.Depth[k]; {
					last, hits := first, 0.0
					for ; last < len(pairs) && pairs[last].score == pairs[first].score; last++ {
						hits += pairs[last].touching
					}
					want += hits * min(1, float64(p.Depth[k]-first)/float64(last-first))
					first = last
				}
				measuretest.Near(t, p.Name, p.Hits[k], want, 1e-12)
			}
		}
	}
}

// TestPrecisionEdges: no pairs, and fewer pairs than residues.
func TestPrecisionEdges(t *testing.T) {
	t.Parallel()
	truth, err := Truth(make([]float32, 3*8), Threshold)
	must(t, err)
	s := &Scores{N: 8, Values: make([]float64, 64)}
	all, err := Precisions(s, truth, Standard(6))
	must(t, err)
	if p := all[0]; p.Pairs != 3 || p.Depth[Steps-1] != 3 || p.Depth[0] != 1 || p.At(Steps) != 1 {
		t.Errorf("of 8 residues: %+v", p)
	}
	for _, k := range []int{4, 6} { // long, between
		if p := all[k]; p.Pairs != 0 || !math.IsNaN(p.At(1)) || !math.IsNaN(p.AUC()) || !math.IsNaN(p.Chance()) {
			t.Errorf("%s without pairs: %+v", p.Name, p)
		}
	}
	s.Values[6] = math.NaN()
	if _, err := Precisions(s, truth, Standard(6)); err == nil || !strings.Contains(err.Error(), "residues 0 and 6 is NaN") {
		t.Error(err)
	}
	_, err = Precisions(&Scores{N: 3, Values: make([]float64, 9)}, truth, Standard(6))
	if err == nil || !strings.Contains(err.Error(), "scores of 3 residues, but contacts of 8") {
		t.Error(err)
	}
}

func BenchmarkPrecisions(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	n := 240
	xyz := make([]float32, 3*n)
	for k := range xyz {
		xyz[k] = float32(r.NormFloat64() * 12)
	}
	truth, err := Truth(xyz, Threshold)
	must(b, err)
	attention := make([]float32, 4*n*n)
	for k := range attention {
		attention[k] = r.Float32()
	}
	for b.Loop() {
		s, err := Heads(attention, 4, n, count(0, n))
		must(b, err)
		_, err = Precisions(s, truth, Standard(6))
		must(b, err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "sequences/s")
}
