// How fast distances of many points are.

package twosample

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"repscope/measure/measuretest"
)

func BenchmarkMMD(b *testing.B) {
	for _, n := range []int{2000, 20000} {
		random := rand.New(rand.NewPCG(1, 1))
		x, y := measuretest.Normal(random, n, 64), measuretest.Normal(random, n, 64)
		b.Run(fmt.Sprintf("n=%d/d=64", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := MMD(context.Background(), x, y, MMDOptions{Options: Options{Permutations: 999}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEnergy(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	x, y := measuretest.Normal(random, 2000, 64), measuretest.Normal(random, 2000, 64)
	for b.Loop() {
		if _, err := Energy(context.Background(), x, y, Options{Permutations: 999}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFrechet(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	x, y := measuretest.Normal(random, 2000, 256), measuretest.Normal(random, 2000, 256)
	for b.Loop() {
		if _, err := Frechet(x, y); err != nil {
			b.Fatal(err)
		}
	}
}
