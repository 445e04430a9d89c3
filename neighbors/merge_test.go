// Tests of what parts make together.

package neighbors

import (
	"testing"

	"repscope/points"
)

// Parts of machines that compute distances in several ways name all of them once, in any order.
func TestBothMethods(t *testing.T) {
	t.Parallel()
	for _, test := range [][3]string{
		{"a", "a", "a"}, {"b", "a", "a, b"}, {"a, b", "b", "a, b"}, {"a, c", "b, c", "a, b, c"},
	} {
		if got := bothMethods(test[0], test[1]); got != test[2] {
			t.Errorf("%q and %q: %q, want %q", test[0], test[1], got, test[2])
		}
	}
}

func TestJoinRefusesForeignParts(t *testing.T) {
	t.Parallel()
	r := random(5)
	original := bytes8(r, 20, 4, 9)
	latents := gaussian32(r, 20, 3)
	open := func(k int) *Pass {
		p, err := NewPass(original, []points.Points{latents}, Options{Ks: []int{k}, CoRanking: CoRankingOff})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	part := func(p *Pass, lo, hi int) *Partial {
		part, err := p.Map(t.Context(), lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		return part
	}
	p := open(3)
	if _, err := p.Join(part(p, 0, 7), part(open(4), 7, 20)); err == nil {
		t.Error("parts of other passes joined")
	}
	damaged := part(p, 7, 20)
	damaged.Spaces[0].Trust = nil
	if _, err := p.Join(part(p, 0, 7), damaged); err == nil {
		t.Error("a part without sums joined")
	}
}
