// Speed of pairs and searches: go test -bench . ./measure/identity

package identity

import (
	"context"
	"math/rand/v2"
	"testing"
)

// antibodies returns sequences like variable domains of antibodies, of about 230 letters: seven frameworks that descend
// from one, with mutations, around loops that are drawn; a third are clones of earlier ones with up to 8 % mutations.
func antibodies(rng *rand.Rand, n int) [][]byte {
	ancestor := drawn(rng, 230, residues)
	frameworks := make([][]byte, 7)
	for i := range frameworks {
		frameworks[i] = mutated(rng, ancestor, 0.25, residues)
	}
	out := make([][]byte, n)
	for i := range out {
		if i > 0 && i%3 == 0 {
			out[i] = mutated(rng, out[rng.IntN(i)], 0.08*rng.Float64(), residues)
			continue
		}
		f := mutated(rng, frameworks[rng.IntN(len(frameworks))], 0.1*rng.Float64(), residues)
		var s []byte
		for k, end := range []int{28, 52, 98, 140, 165, 205} { // loops
			begin := [...]int{0, 36, 58, 111, 147, 172}[k]
			s = append(append(s, f[begin:end]...), drawn(rng, 4+rng.IntN(12), residues)...)
		}
		out[i] = append(s, f[min(214, len(f)):]...)
	}
	return out
}

func unrelated(rng *rand.Rand, n int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		out[i] = drawn(rng, 230, residues)
	}
	return out
}

var kinds = []struct {
	name string
	make func(*rand.Rand, int) [][]byte
}{{"unrelated", unrelated}, {"antibodies", antibodies}}

// BenchmarkNearest has 100 queries and 90,000 references of about 230 letters at identity 0.7, on one core: a hundredth
// of the comparisons of 100,000 sequences that are split into 10,000 and 90,000.
func BenchmarkNearest(b *testing.B) {
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			all := kind.make(rand.New(rand.NewPCG(41, 5)), 90_100)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				if _, err := Nearest(context.Background(), all[90_000:], all[:90_000], Options{Threads: 1}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100/90_000, "ns/pair")
		})
	}
}

func BenchmarkClusters(b *testing.B) {
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			all := kind.make(rand.New(rand.NewPCG(41, 6)), 2000)
			b.ResetTimer()
			for range b.N {
				if _, err := Clusters(context.Background(), all, Options{Threads: 1}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(2000*1999/2), "ns/pair")
		})
	}
}

func BenchmarkPair(b *testing.B) {
	rng := rand.New(rand.NewPCG(41, 7))
	x := drawn(rng, 230, residues)
	y := mutated(rng, x, 0.2, residues)
	b.Run("distance", func(b *testing.B) {
		for range b.N {
			Distance(x, y)
		}
	})
	b.Run("identity", func(b *testing.B) {
		for range b.N {
			if _, err := Identity(x, y); err != nil {
				b.Fatal(err)
			}
		}
	})
}
