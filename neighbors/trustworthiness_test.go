// Trustworthiness alone against the pass, which has references of its own.

package neighbors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/points"
)

// cloud are n points of a kind that a search could take for another.
func cloud(r *rand.Rand, kind string, n, dim int) points.Points {
	x := make([]float64, n*dim)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	row := func(i int) []float64 { return x[i*dim : (i+1)*dim] }
	switch kind {
	case "equal rows":
		for i := range n {
			if i%3 > 0 {
				copy(row(i), row(i/7))
			}
		}
	case "grid":
		for i := range x {
			x[i] = float64(int(2 * x[i]))
		}
	case "far away":
		for i := range x {
			x[i] = 1e4 + 1e-3*x[i]
		}
	case "clusters":
		for i := range x {
			x[i] *= 1e-7
		}
		for i := range n {
			row(i)[0] += float64(i % 3)
		}
	case "outliers":
		row(n / 2)[0] = 1e6
	case "all equal but one":
		for i := 1; i < n; i++ {
			copy(row(i), row(1))
		}
	}
	return points.Float64(x, dim)
}

// of32 and of8 are points in the other types.
func of32(p points.Points) points.Points {
	x := make([]float32, len(p.F64))
	for i, v := range p.F64 {
		x[i] = float32(v)
	}
	return points.Float32(x, p.Dim)
}

func of8(p points.Points) points.Points {
	x := make([]uint8, len(p.F64))
	for i, v := range p.F64 {
		x[i] = uint8(max(1, min(255, 128+40*v))) // no point of length 0
	}
	return points.Uint8(x, p.Dim)
}

func TestTrustworthinessIsThatOfThePass(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for i, kind := range []string{"usual", "equal rows", "grid", "far away", "clusters", "outliers", "all equal but one"} {
		if testing.Short() && i > 0 {
			break
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(3, uint64(len(kind))))
			sizes := []int{5, 9, 280}
			if i > 0 {
				sizes[2] = 100 // equal rows take their time
			}
			if testing.Short() {
				sizes = []int{9, 120} // as many goroutines
			}
			for _, n := range sizes {
				for _, dims := range [][2]int{{1, 2}, {40, 12}} {
					x, z := cloud(r, kind, n, dims[0]), cloud(r, kind, n, dims[1])
					for i := range z.F64 { // something in common
						z.F64[i] += x.F64[(i/z.Dim)*x.Dim+i%min(x.Dim, z.Dim)]
					}
					for form, pair := range map[string][2]points.Points{
						"float64": {x, z}, "float32": {of32(x), of32(z)}, "uint8": {of8(x), of8(z)}, "mixed": {of8(x), z},
					} {
						for _, metric := range []Metric{Euclidean, Cosine} {
							if metric == Cosine && (kind != "usual" || form == "mixed") && kind != "far away" {
								continue // zero vectors
							}
							for _, k := range []int{5, 70} {
								if k <= n-2 {
									compareTrustworthiness(ctx, t, fmt.Sprintf("n = %d, dimensions %v, %s, %v, k = %d", n, dims, form, metric, k), pair, metric, k)
								}
							}
						}
					}
				}
			}
		})
	}
}

// compareTrustworthiness compares with the pass in both directions.
func compareTrustworthiness(ctx context.Context, t *testing.T, what string, pair [2]points.Points, metric Metric, k int) {
	t.Helper()
	original, err := NewSpace("X", pair[0], metric)
	if err != nil {
		t.Fatal(what, err)
	}
	embedded, err := NewSpace("Z", pair[1], Euclidean)
	if err != nil {
		t.Fatal(what, err)
	}
	ks := []int{k, k / 2} // in no order
	pass, err := NewPassOf(original, []Space{embedded}, Options{Ks: ks, CoRanking: CoRankingOff})
	if err != nil {
		t.Fatal(what, err)
	}
	all, err := pass.Compare(ctx)
	if err != nil {
		t.Fatal(what, err)
	}
	want := all[0].ByK[0]
	trust, cont, err := TrustworthinessAndContinuity(ctx, original, embedded, ks, Options{})
	if err != nil {
		t.Fatal(what, err)
	}
	several, err := Trustworthiness(ctx, original, embedded, ks, Options{})
	if err != nil {
		t.Fatal(what, err)
	}
	for offset, k := range ks {
		want := all[0].ByK[offset]
		if trust[offset] != want.Trustworthiness || cont[offset] != want.Continuity || several[offset] != want.Trustworthiness {
			t.Errorf("%s, %d of %d: trustworthiness %v and %v, continuity %v, want %v and %v",
				what, k, ks, trust[offset], several[offset], cont[offset], want.Trustworthiness, want.Continuity)
		}
	}
	for threads := 1; threads < 3; threads++ {
		trust, err := Trustworthiness(ctx, original, embedded, []int{k}, Options{Threads: threads})
		if err != nil || trust[0] != want.Trustworthiness {
			t.Errorf("%s, %d threads: trustworthiness %v, want %v (%v)", what, threads, trust, want.Trustworthiness, err)
		}
		cont, err := Trustworthiness(ctx, embedded, original, []int{k}, Options{Threads: threads})
		if err != nil || cont[0] != want.Continuity {
			t.Errorf("%s, %d threads: continuity %v, want %v (%v)", what, threads, cont, want.Continuity, err)
		}
	}
}

func TestTrustworthinessOfDistances(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	x, z := cloud(r, "usual", 90, 5), cloud(r, "usual", 90, 3)
	distances := make([]float64, 90*90)
	for i := range 90 {
		for j := range 90 {
			for d := range 5 {
				v := x.F64[i*5+d] - x.F64[j*5+d]
				distances[i*90+j] += v * v
			}
		}
	}
	compareTrustworthiness(context.Background(), t, "precomputed", [2]points.Points{points.Float64(distances, 90), z}, Precomputed, 7)
}

func TestTrustworthinessErrors(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	x, err := NewSpace("X", cloud(r, "usual", 20, 3), Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	short, err := NewSpace("Z", cloud(r, "usual", 19, 3), Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for _, c := range []struct {
		ctx  context.Context
		z    Space
		k    int
		want string
	}{
		{context.Background(), short, 5, "19 points, want 20"},
		{context.Background(), x, 0, "k = 0"},
		{context.Background(), x, 19, "k = 19"},
		{stopped, x, 5, "context canceled"},
	} {
		if _, err := Trustworthiness(c.ctx, x, c.z, []int{c.k}, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
