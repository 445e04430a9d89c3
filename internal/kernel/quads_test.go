// Products of gathered bytes against loops.

package kernel

import (
	"math/rand/v2"
	"testing"
)

// Every number equals a loop, for runs of any length at any byte, and nothing else is written.
func TestGatheredBytes(t *testing.T) {
	withEach(t, func(t *testing.T, _ *implementation) {
		r := rand.New(rand.NewPCG(9, 10))
		var g GatheredBytes
		for range 200 {
			m, n := r.IntN(40), 1+r.IntN(100)
			runs, depth := []Run(nil), 0
			for range 1 + r.IntN(6) {
				length := 1 + r.IntN([]int{9, 9, 400}[r.IntN(3)])
				runs = append(runs, Run{Offset: r.IntN(700) - 100, Length: length})
				depth += length
			}
			base, data, columns := make([]int, m), make([]uint8, 1500+QuadSlack), make([]int8, n*depth)
			for i := range base {
				base[i] = 100 + r.IntN(300)
			}
			for i := range data {
				data[i] = uint8(r.Uint32())
			}
			for i := range columns {
				columns[i] = int8(r.Uint32())
			}
			terms, c := make([]int32, n), make([]float32, m*n+1)
			for j := range terms {
				terms[j] = int32(r.IntN(1<<20) - 1<<19)
			}
			c[m*n] = 7
			w, err := NewSignedWeights(columns, n, runs)
			if err != nil {
				t.Fatal(err)
			}
			g.M, g.N, g.Data, g.Base, g.Runs, g.B, g.Terms, g.C = m, n, data, base, runs, w, terms, c[:m*n]
			if err := g.Run(); err != nil {
				t.Fatal(err)
			}
			for i, offset := range base {
				for j := range n {
					sum, k := terms[j], j*depth
					for _, run := range runs {
						for d := range run.Length {
							sum += int32(data[offset+run.Offset+d]) * int32(columns[k])
							k++
						}
					}
					if c[i*n+j] != float32(sum) {
						t.Fatalf("%d × %d, runs %v: element %d, %d is %g, want %d", m, n, runs, i, j, c[i*n+j], sum)
					}
				}
			}
			if c[m*n] != 7 {
				t.Fatalf("%d × %d: written behind the result", m, n)
			}
		}
	})
}

func TestGatheredBytesErrors(t *testing.T) {
	w, err := NewSignedWeights(make([]int8, 12), 4, []Run{{0, 3}})
	if err != nil {
		t.Fatal(err)
	}
	good := func() *GatheredBytes {
		return &GatheredBytes{M: 2, N: 4, Data: make([]uint8, 7), Base: []int{0, 3}, Runs: []Run{{0, 3}}, B: w, Terms: make([]int32, 4), C: make([]float32, 8)}
	}
	if err := good().Run(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(g *GatheredBytes){
		"negative shape": func(g *GatheredBytes) { g.M = -1 },
		"short C":        func(g *GatheredBytes) { g.C = g.C[:7] },
		"no B":           func(g *GatheredBytes) { g.B = nil },
		"columns":        func(g *GatheredBytes) { g.N = 3 },
		"terms":          func(g *GatheredBytes) { g.Terms = g.Terms[:3] },
		"bases":          func(g *GatheredBytes) { g.Base = g.Base[:1] },
		"depth":          func(g *GatheredBytes) { g.Runs = []Run{{0, 5}} },
		"empty run":      func(g *GatheredBytes) { g.Runs = []Run{{0, 3}, {0, 0}} },
		"no run":         func(g *GatheredBytes) { g.Runs = nil },
		"no slack":       func(g *GatheredBytes) { g.Data = g.Data[:6] },
		"before":         func(g *GatheredBytes) { g.Base = []int{-1, 0} },
	} {
		g := good()
		spoil(g)
		if g.Run() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := NewSignedWeights(make([]int8, 11), 4, []Run{{0, 3}}); err == nil {
		t.Error("short weights: no error")
	}
	if _, err := NewSignedWeights(nil, 0, []Run{{0, 0}}); err == nil {
		t.Error("empty run: no error")
	}
}
