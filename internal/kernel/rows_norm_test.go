// Tests of the norms and of the error bound that follows from them.

package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The number of roundings of each term, counted by going through the contract.
func TestRoundings(t *testing.T) {
	for _, depth := range []int{1, 2, 16, 255, 256, 257, 300, 512, 513, 1030} {
		count := make([]int, depth)
		for start := 0; start < depth; start += KC {
			end := min(start+KC, depth)
			for k := start; k < end; k++ {
				for m := start; m <= k; m++ {
					count[m]++ // the multiply-add of k rounds the sum that holds m
				}
			}
			if start > 0 {
				for m := range end {
					count[m]++ // the block is added to the sum of the earlier ones
				}
			}
		}
		limit := 0
		for k, want := range count {
			if got := roundings(k, depth); got != want {
				t.Fatalf("depth %d: term %d passes %d roundings, want %d", depth, k, got, want)
			}
			limit = max(limit, want)
		}
		if limit != Additions(depth) {
			t.Errorf("depth %d: at most %d roundings, Additions is %d", depth, limit, Additions(depth))
		}
	}
}

// The same with links.
func TestLinkRoundings(t *testing.T) {
	for _, depth := range []int{1, 2, 16, 31, 32, 33, 64, 100, 255, 256, 257, 300, 512, 513, 1030} {
		count := make([]int, depth)
		for start := 0; start < depth; start += KC {
			end := min(start+KC, depth)
			for link := start; link < end; link += LinkDepth {
				last := min(link+LinkDepth, end)
				for k := link; k < last; k++ {
					for m := link; m <= k; m++ {
						count[m]++
					}
				}
				if link > start {
					for m := start; m < last; m++ {
						count[m]++
					}
				}
			}
			if start > 0 {
				for m := range end {
					count[m]++
				}
			}
		}
		for k, want := range count {
			if got := linkRoundings(k, depth); got != want {
				t.Fatalf("depth %d: term %d passes %d roundings, want %d", depth, k, got, want)
			}
			if want > Additions(depth) {
				t.Fatalf("depth %d: term %d passes %d roundings, more than %d", depth, k, want, Additions(depth))
			}
		}
	}
}

func TestNorms(t *testing.T) {
	t.Run("float32", testNorms[float32])
	t.Run("float64", testNorms[float64])
}

func testNorms[T Float](t *testing.T) {
	want := map[int][4]float64{}
	withEach(t, func(t *testing.T, impl *implementation) {
		r := rand.New(rand.NewPCG(31, 32))
		var norms Norms[T]
		for _, depth := range []int{0, 1, 15, 16, 17, 64, 100, 255, 256, 257, 289, 1000, 7056} {
			x := fill(r, make([]T, depth))
			square, rounding := norms.Of(x)
			again, ofLinks := norms.OfLinks(x)
			got := [4]float64{square, rounding, again, ofLinks}
			if w, ok := want[depth]; ok {
				sameBits(t, "norms", got[:], w[:])
			}
			want[depth] = got
			exact, least, links := 0.0, 0.0, 0.0
			for k, v := range x {
				exact += float64(v) * float64(v)
				least += float64(roundings(k, depth)) * float64(v) * float64(v)
				links += float64(linkRoundings(k, depth)) * float64(v) * float64(v)
			}
			tolerance := float64(depth+1) * 0x1p-52
			if math.Abs(square-exact) > tolerance*exact {
				t.Errorf("depth %d: square %v, want %v", depth, square, exact)
			}
			if again != square || math.Abs(ofLinks-links) > tolerance*links {
				t.Errorf("depth %d: links: square %v, rounding %v, want %v and %v", depth, again, ofLinks, square, links)
			}
			if rounding < (1-tolerance)*least || rounding > float64(Additions(depth))*exact*(1+tolerance) {
				t.Errorf("depth %d: rounding %v, want at least %v", depth, rounding, least)
			}
		}
	})
}

// No element of a product is farther from the exact one than the norms allow.
func TestNormsBoundProducts(t *testing.T) {
	withEach(t, func(t *testing.T, impl *implementation) {
		r := rand.New(rand.NewPCG(33, 34))
		var norms Norms[float32]
		for _, depth := range []int{3, 100, 300, 700, -3, -100, -300, -700} {
			const m, n = 5, 7
			links, norm := depth < 0, norms.Of
			if links {
				depth, norm = -depth, norms.OfLinks
			}
			x, y, c := make([]float32, m*depth), make([]float32, n*depth), make([]float32, m*n)
			for i := range x {
				x[i] = r.Float32()
			}
			for i := range y {
				y[i] = r.Float32()
			}
			p := Product[float32]{M: m, N: n, K: depth, A: Rows(x, depth), B: Rows(y, depth), C: c, Stride: n, Links: links}
			if err := p.Run(); err != nil {
				t.Fatal(err)
			}
			const u = 0x1p-24
			g := float64(Additions(depth)) * u
			for i := range m {
				for j := range n {
					exact := 0.0
					for k := range depth {
						exact += float64(x[i*depth+k]) * float64(y[j*depth+k])
					}
					_, a := norm(x[i*depth : (i+1)*depth])
					_, b := norm(y[j*depth : (j+1)*depth])
					if e := math.Abs(float64(c[i*n+j]) - exact); e > u/(1-g)*math.Sqrt(a*b) {
						t.Errorf("depth %d: error %g, bound %g", depth, e, u/(1-g)*math.Sqrt(a*b))
					}
				}
			}
		}
	})
}

// No chains are farther from the exact product than their norms allow.
func TestNormsBoundChains(t *testing.T) {
	withEach(t, func(t *testing.T, impl *implementation) {
		r := rand.New(rand.NewPCG(35, 36))
		var norms Norms[float32]
		for trial := range 200 {
			x, y := fill(r, make([]float32, ChainDepth)), fill(r, make([]float32, ChainDepth))
			if trial%2 == 0 { // of one sign
				for k := range x {
					x[k] = float32(math.Abs(float64(x[k])))
					y[k] = x[k]
				}
			}
			exact, sums := 0.0, []float64{0}
			for k := range x {
				exact += float64(x[k]) * float64(y[k])
			}
			AddChains(sums, y, x, ChainDepth, []int32{0}, nil)
			_, a := norms.OfChains(x)
			_, b := norms.OfChains(y)
			if limit := 0x1p-24 * 1.001 * math.Sqrt(a*b); math.Abs(sums[0]-exact) > limit {
				t.Errorf("error %g, bound %g", sums[0]-exact, limit)
			}
			least := 0.0
			for k, v := range x {
				roundings := 1 + ChainDepth/chainLanes - k/chainLanes // of the chain and of the sum of two
				least += float64(roundings) * float64(v) * float64(v)
			}
			if math.Abs(a-least) > 1e-12*least {
				t.Errorf("rounding %g, want %g", a, least)
			}
		}
	})
}
