// Masks: what they depend on, how many positions they hide, and how often each.

package token

import (
	"math"
	"slices"
	"testing"
)

// maskee is a sequence of 40 residues between special tokens, of which some are in CDRs and some
// are not templated.
func maskee() (special []bool, cdr, nonTemplated []int8) {
	special, cdr, nonTemplated = make([]bool, 42), make([]int8, 42), make([]int8, 42)
	special[0], special[41] = true, true
	for i := 10; i < 16; i++ {
		cdr[i] = 1
	}
	for i := 14; i < 20; i++ {
		nonTemplated[i] = 1
	}
	return special, cdr, nonTemplated
}

// frequencies returns how often each position is hidden over many keys.
func frequencies(m Masking, keys int) (share []float64, sizes map[int]int) {
	special, cdr, nonTemplated := maskee()
	share, sizes = make([]float64, len(special)), map[int]int{}
	for k := range keys {
		hidden := m.Positions(uint64(k), special, cdr, nonTemplated)
		sizes[len(hidden)]++
		for _, i := range hidden {
			share[i] += 1 / float64(keys)
		}
	}
	return share, sizes
}

func TestUniformMasking(t *testing.T) {
	t.Parallel()
	share, sizes := frequencies(Masking{Rate: 0.15, Seed: 7}, 20000)
	if share[0] != 0 || share[41] != 0 {
		t.Error("special tokens are hidden")
	}
	se := math.Sqrt(0.15 * 0.85 / 20000)
	for i, f := range share[1:41] {
		if math.Abs(f-0.15) > 4.5*se {
			t.Errorf("position %d is hidden with frequency %.4f, want 0.15 ± %.4f", i+1, f, se)
		}
	}
	// The number of hidden residues is binomial: 40 · 0.15 with variance 40 · 0.15 · 0.85.
	var mean, square float64
	for n, times := range sizes {
		mean += float64(n*times) / 20000
		square += float64(n*n*times) / 20000
	}
	if v := square - mean*mean; math.Abs(v-5.1) > 0.3 {
		t.Errorf("the variance of the number of hidden residues is %.3f, want 5.1: draws depend on each other", v)
	}
}

// Drawing one of three by weights 1, 2, 5 hides each in proportion; see sizes and weights of more.
func TestGumbelMasking(t *testing.T) {
	t.Parallel()
	m := Masking{Rule: Gumbel, Rate: 1.0 / 3, CDR: 1, NonGermline: 3, Seed: 3}
	share := make([]float64, 3)
	const keys = 30000
	for k := range keys {
		hidden := m.Positions(uint64(k), make([]bool, 3), []int8{0, 3, 2}, []int8{0, 0, 1})
		if len(hidden) != 1 {
			t.Fatalf("%d hidden, want 1", len(hidden))
		}
		share[hidden[0]]++
	}
	for i, w := range []float64{1, 2, 5} {
		p := w / 8
		if f := share[i] / keys; math.Abs(f-p) > 4.5*math.Sqrt(p*(1-p)/keys) {
			t.Errorf("weight %v is drawn with frequency %.4f, want %.4f", w, f, p)
		}
	}
	if _, sizes := frequencies(Masking{Rule: Gumbel, Rate: 0.15, CDR: 1, NonGermline: 1}, 500); sizes[6] != 500 {
		t.Errorf("numbers of hidden residues %v, want 6 of 40 always", sizes)
	}
}

func TestRankedMasking(t *testing.T) {
	t.Parallel()
	// Weights: 3 at 14 and 15, 2.5 at 16 … 19, 1.5 at 10 … 13, else 1: six are always the same.
	share, _ := frequencies(Masking{Rule: Ranked, Rate: 0.15, CDR: 0.5, NonGermline: 1.5}, 100)
	for i, f := range share {
		if want := i >= 14 && i < 20; (f > 0.99) != want || !want && f != 0 {
			t.Errorf("position %d is hidden with frequency %v", i, f)
		}
	}
	// Equal weights are ranked at random: two of 10 … 13 beside the six.
	share, _ = frequencies(Masking{Rule: Ranked, Rate: 0.2, CDR: 0.5, NonGermline: 1.5}, 4000)
	for i := 10; i < 14; i++ {
		if math.Abs(share[i]-0.5) > 0.04 {
			t.Errorf("position %d of equal weight is hidden with frequency %v, want 0.5", i, share[i])
		}
	}
}

// The mask of a sequence is a function of seed, key and position: padding, and what else is
// masked, have no part in it.
func TestMaskingIsCounterBased(t *testing.T) {
	t.Parallel()
	special, cdr, nonTemplated := maskee()
	for _, rule := range []Rule{Uniform, Gumbel, Ranked} {
		m := Masking{Rule: rule, Rate: 0.3, CDR: 1, NonGermline: 1, Seed: 5}
		first := m.Positions(9, special, cdr, nonTemplated)
		pad := make([]bool, 60)
		for i := range pad {
			pad[i] = i >= len(special) || special[i]
		}
		longer := append(slices.Clone(cdr), make([]int8, 18)...)
		if padded := m.Positions(9, pad, longer, append(slices.Clone(nonTemplated), make([]int8, 18)...)); !slices.Equal(first, padded) {
			t.Errorf("rule %d: %v with padding, %v without", rule, padded, first)
		}
		other := m
		other.Seed++
		if rule != Ranked && (slices.Equal(first, m.Positions(10, special, cdr, nonTemplated)) ||
			slices.Equal(first, other.Positions(9, special, cdr, nonTemplated))) {
			t.Errorf("rule %d: another key or seed hides the same", rule)
		}
		if !slices.IsSorted(first) || m.Positions(9, []bool{true}, nil, nil) != nil {
			t.Errorf("rule %d: %v, want ascending positions, and none where there are no residues", rule, first)
		}
		if got := len(Masking{Rule: rule, Rate: 1}.Positions(1, special, nil, nil)); got != 40 {
			t.Errorf("rule %d hides %d of 40 residues at a rate of 1", rule, got)
		}
	}
}

// The masks of two keys are what they were: a change would be another result under the same seed.
func TestMaskingStays(t *testing.T) {
	t.Parallel()
	special, cdr, nonTemplated := maskee()
	for _, c := range []struct {
		rule Rule
		want []int
	}{
		{Uniform, []int{9, 12, 22, 28, 39}},
		{Gumbel, []int{14, 17, 18, 19, 33, 34}},
		{Ranked, []int{10, 11, 12, 14, 15, 16}},
	} {
		m := Masking{Rule: c.rule, Rate: 0.15, CDR: 1, NonGermline: 1, Seed: 42}
		if got := m.Positions(SequenceKey("a"), special, cdr, nonTemplated); !slices.Equal(got, c.want) {
			t.Errorf("rule %d hides %v, want %v", c.rule, got, c.want)
		}
	}
}

func TestMaskingCheck(t *testing.T) {
	t.Parallel()
	if err := (Masking{Rate: 0.15}).Check(); err != nil {
		t.Error(err)
	}
	for _, m := range []Masking{{}, {Rate: 1.5}, {Rate: math.NaN()}, {Rate: 0.1, CDR: -1}, {Rate: 0.1, NonGermline: math.Inf(1)}} {
		if m.Check() == nil {
			t.Errorf("%+v is taken", m)
		}
	}
}
