// Equal points, against comparing all pairs.

package rows

import (
	"context"
	"math"
	"testing"

	"repscope/points"
)

func TestFindDuplicates(t *testing.T) {
	t.Parallel()
	for i, dim := range []int{1, 9, 40, 100} {
		r := random(uint64(i))
		data := bytes8(r, 50, dim, 2)
		for _, p := range []points.Points{data, integers32(data)} {
			p = p.Select([]int{0, 1, 2, 3, 1, 4, 5, 0, 1})
			equal, err := FindDuplicates(context.Background(), p, Euclidean, 2)
			if err != nil {
				t.Fatal(err)
			}
			wanted := 0
			for i := range p.N {
				f := 0
				for ; !equalPoints(p, i, f); f++ {
				}
				if int(equal.First[i]) != f {
					t.Errorf("dim %d: first[%d] = %d, want %d", dim, i, equal.First[i], f)
				}
				if f < i {
					wanted++
				}
			}
			if equal.Count != wanted {
				t.Errorf("dim %d: %d duplicates, want %d", dim, equal.Count, wanted)
			}
		}
	}
}

// Any other value, order, type or shape gives another digest; −0 is 0.
func TestDigest(t *testing.T) {
	t.Parallel()
	digest := func(p points.Points) string {
		equal, err := FindDuplicates(context.Background(), p, Euclidean, 1)
		if err != nil {
			t.Fatal(err)
		}
		sum := equal.Digest()
		return string(sum[:])
	}
	data := []float32{1, 2, 3, 4, 5, 0}
	want := digest(points.Float32(data, 2))
	negative := []float32{1, 2, 3, 4, 5, float32(math.Copysign(0, -1))}
	if digest(points.Float32(negative, 2)) != want {
		t.Error("−0 is told from 0")
	}
	for name, p := range map[string]points.Points{
		"another value": points.Float32([]float32{1, 2, 3, 4, 5, 6}, 2),
		"another order": points.Float32([]float32{3, 4, 1, 2, 5, 0}, 2),
		"another shape": points.Float32(data, 3),
		"another type":  points.Float64([]float64{1, 2, 3, 4, 5, 0}, 2),
	} {
		if digest(p) == want {
			t.Errorf("%s has the same digest", name)
		}
	}
}
