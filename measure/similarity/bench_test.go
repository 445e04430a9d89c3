// The time of scores under the null, by measure:
//
//	go test ./measure/similarity -run NONE -bench Orders -benchtime 1x

package similarity

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/points"
)

// BenchmarkOrders is for 10,000 points of 512 dimensions in 20 orders.
func BenchmarkOrders(b *testing.B) {
	const n, dim, orders = 10_000, 512, 20
	random := rand.New(rand.NewPCG(1, 2))
	draw := func() *Prepared {
		data := make([]float32, n*dim)
		for i := range data {
			data[i] = float32(random.NormFloat64())
		}
		p, err := Prepare(points.Float32(data, dim))
		if err != nil {
			b.Fatal(err)
		}
		return p
	}
	x, y := draw(), draw()
	o := Options{}
	for range orders {
		o.Orders = append(o.Orders, random.Perm(n))
	}
	for _, names := range [][]string{
		{"cka", "cka_debiased"}, {"procrustes"}, {"svcca"}, {"pwcca"}, {"mutual_knn"}, {"cknna"},
		{"rsa_spearman", "rsa_pearson"}, {"predictivity"}, {"information_imbalance"}, withoutMatrices("predictivity"),
		withoutMatrices(),
	} {
		title := names[0]
		if len(names) > 2 {
			title = fmt.Sprintf("%d measures", len(names))
		}
		b.Run(title, func(b *testing.B) {
			for b.Loop() {
				o.Measures = names
				x, y := prepare(x.points), prepare(y.points)
				if _, err := Score(b.Context(), x, y, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// withoutMatrices are the measures that need no n × n matrix and no assignment of units, but some.
func withoutMatrices(but ...string) []string {
	return slices.DeleteFunc(Names(), func(name string) bool {
		return slices.Contains(append(but, "cka_rbf", "distance_correlation", "unit_match"), name)
	})
}

// BenchmarkLayers is for 24 × 24 layers of 5,000 points of 256 dimensions in 20 orders.
func BenchmarkLayers(b *testing.B) {
	const n, dim, layers, orders = 5_000, 256, 24, 20
	random := rand.New(rand.NewPCG(1, 2))
	draw := func() []*Prepared {
		var out []*Prepared
		for range layers {
			data := make([]float32, n*dim)
			for i := range data {
				data[i] = float32(random.NormFloat64())
			}
			p, err := Prepare(points.Float32(data, dim))
			if err != nil {
				b.Fatal(err)
			}
			out = append(out, p)
		}
		return out
	}
	x, y := draw(), draw()
	o := Options{Memory: 4 << 30}
	for range orders {
		o.Orders = append(o.Orders, random.Perm(n))
	}
	for _, name := range []string{"cka_debiased", "mutual_knn"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				o.Measures = []string{name}
				if _, err := ScoreLayers(b.Context(), x, y, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
